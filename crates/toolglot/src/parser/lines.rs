//! `{lines}`: lines of `key: value` up to the call's closer, typed by the schema.

use super::content;
use super::head::{Said, name_end};
use super::object::ArgumentsObject;
use super::scene::Scene;
use crate::dialect::BodyKind;
use crate::json::{End, Ended};
use crate::lines::{self, Member, Value};
use crate::options::FinishReason;
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads lines; all of them are held until their end is seen, for the last may show that they are prose.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    start: usize,
    scan: usize,
}

impl Lines {
    pub(crate) fn new(at: usize) -> Self {
        Self { start: at, scan: at }
    }

    /// Returns where the lines began.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn anchor(&self) -> usize {
        self.scan
    }

    /// Reads on to the call's closer, which is not consumed; lines that say nothing certain are broken.
    pub(crate) fn resume(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        let (at, how) = self.find_end(scene)?;
        let text = scene.view.slice(self.start, at);
        let whole_lines = || text.rfind('\n').and_then(|end| lines::members(&text[..end]));
        let members = lines::members(text).or_else(|| whole_lines().filter(|_| how == Ended::Truncated));
        let mut object = ArgumentsObject::default();
        object.attributes(self.start, scene, sink);
        for member in members.iter().flatten() {
            write(&mut object, member, self.start, scene, sink);
        }
        let length = scene.engine.options.finish_reason == Some(FinishReason::Length);
        let how = match how {
            _ if members.is_none() => Ended::Broken,
            Ended::Truncated if text.ends_with('\n') && object.is_whole(scene) && !length => Ended::Cut,
            how => how,
        };
        match how {
            Ended::Truncated | Ended::Broken => object.cut(at, sink),
            _ => object.end(at, scene, sink),
        }
        Ok(End { at, how })
    }

    /// Finds the closer, any closing tag on a line of its own, or another call.
    fn find_end(&mut self, scene: &Scene<'_>) -> Result<(usize, Ended), NotYet> {
        while let Some(ahead) = scene.markers().find(scene.view.rest(self.scan)) {
            let at = self.scan + ahead;
            self.scan = at;
            let tag = at > self.start && scene.view.slice(self.start, at).trim_end_matches([' ', '\t']).ends_with('\n');
            if scene.any(at, scene.closer())?.is_some() || tag && scene.view.starts_with(at, "</")? {
                return Ok((at, Ended::Complete));
            }
            if content::opens_call(at, scene)? {
                return Ok((at, Ended::Cut));
            }
            self.scan = at + 1;
        }
        self.scan = scene.view.end();
        Ok((scene.view.final_end()?, Ended::Truncated))
    }
}

fn write(object: &mut ArgumentsObject, member: &Member<'_>, start: usize, scene: &Scene<'_>, sink: &mut Sink) {
    let place = |range: &std::ops::Range<usize>| start + range.start..start + range.end;
    let (key, value) = (Said::new(member.key, place(&member.key_at)), place(&member.value_at));
    match &member.value {
        Value::One(scalar) => {
            let text = Said { text: scalar.text().to_owned(), span: value.clone() };
            object.text_member(&key, &text, scalar.hint(), value.end, scene, sink);
        }
        Value::List(_) => {
            object.said_member(&key, value, scene, sink, |node, options, json| member.value.write(node, options, json))
        }
    }
}

/// Says whether lines begin at `at`: a parameter's key and its separator.
pub(crate) fn begin(at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    let at = scene.view.skip_blanks(at)?;
    let Some(end) = name_end(scene.view, at)? else { return Ok(false) };
    let separator = scene.view.byte(scene.view.skip_blanks(end)?)?;
    Ok(matches!(separator, Some(b':' | b'=')) && is_key(scene.view.slice(at, end), scene))
}

/// A key must be declared; where nothing is, any may be one if no pattern of the dialect takes plain text.
fn is_key(key: &str, scene: &Scene<'_>) -> bool {
    let plain = || scene.dialect().calls.iter().any(|call| call.kind() == Some(BodyKind::Content));
    scene.declares(key) || scene.is_open() && !plain()
}
