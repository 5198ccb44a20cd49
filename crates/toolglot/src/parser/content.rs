//! `{content}`: plain text for the one parameter it can mean.
//!
//! Text that a tag closes is taken as it stands. Text that another literal closes is a line: its outer blanks and
//! quotes are not data, it is nothing that looks like JSON, and the end of the input may close it.

use super::head::{Said, name_end};
use super::object::ArgumentsObject;
use super::scene::{Scene, named_tag};
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::json::{End, Ended};
use crate::lines;
use crate::schema::{Node, Types};
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads plain text up to the call's closer, or to another tag that can only be meant as one.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    start: usize,
    scan: usize,
    /// Where a closing tag stood that may have closed the call, and where it ended.
    doubt: Option<(usize, usize)>,
    opened: Vec<String>,
    begun: bool,
    /// An attribute said that this is a call, so an opener inside is data.
    sure: bool,
    object: ArgumentsObject,
}

/// Where the text ends and where reading goes on.
struct Edge {
    end: usize,
    next: usize,
    how: Ended,
}

impl Content {
    pub(crate) fn new(at: usize, sure: bool) -> Self {
        let object = ArgumentsObject::default();
        Self { start: at, scan: at, doubt: None, opened: Vec::new(), begun: false, sure, object }
    }

    /// Returns where the text began.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn anchor(&self) -> usize {
        self.scan
    }

    /// Reads on to the end of the text. A wrong closer is consumed, the right one is not.
    pub(crate) fn resume(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        if !self.begun {
            self.begun = true;
            self.object.attributes(self.start, scene, sink);
        }
        let mut edge = self.find_end(scene)?;
        let mut text = scene.view.slice(self.start, edge.end);
        if is_line(scene) {
            text = text.trim();
            let one_line = !text.is_empty() && !text.contains('\n');
            edge.how = match edge.how {
                _ if text.starts_with(['{', '[']) => Ended::Broken,
                Ended::Truncated if one_line => Ended::Cut,
                how => how,
            };
        }
        let line: Option<String> = serde_json::from_str(text).ok().filter(|_| is_line(scene));
        if !self.sure && lines::is_outline(text, |key| scene.declares(key)) {
            edge.how = Ended::Broken;
        }
        if let Some(key) = parameter(scene).filter(|_| !text.trim().is_empty() || self.object.is_empty()) {
            let key = Said { text: key, span: self.start..self.start };
            let text = Said { text: line.unwrap_or_else(|| text.to_owned()), span: self.start..edge.end };
            self.object.text_member(&key, &text, Hint::None, edge.end, scene, sink);
        }
        match edge.how {
            Ended::Truncated | Ended::Broken => self.object.cut(edge.next, sink),
            _ => self.object.end(edge.end, scene, sink),
        }
        if edge.how == Ended::Cut && edge.next > edge.end {
            sink.repair(
                Code::WrongCloser,
                edge.end..edge.next,
                format!("`{}` closed the call", scene.view.slice(edge.end, edge.next)),
            );
        }
        Ok(End { at: edge.next, how: edge.how })
    }

    fn find_end(&mut self, scene: &Scene<'_>) -> Result<Edge, NotYet> {
        while let Some(ahead) = scene.markers().find(scene.view.rest(self.scan)) {
            self.scan += ahead;
            let at = self.scan;
            if scene.any(at, scene.closer())?.is_some() && (!is_line(scene) || starts_line(at, scene)?) {
                return Ok(Edge { end: at, next: at, how: Ended::Complete });
            }
            let tag = scene.view.byte(at)? == Some(b'<');
            if tag && scene.view.byte(at + 1)? == Some(b'/') {
                if let Some(edge) = self.closing(at, scene)? {
                    return Ok(edge);
                }
            } else if !self.sure && opens_call(at, scene)? {
                return Ok(match self.doubt {
                    Some((end, next)) => Edge { end, next, how: Ended::Cut },
                    None => Edge { end: at, next: at, how: Ended::Broken },
                });
            } else if let Some(end) = if tag { name_end(scene.view, at + 1)? } else { None } {
                self.opened.push(scene.view.slice(at + 1, end).to_owned());
            }
            self.scan = at + 1;
        }
        self.scan = scene.view.end();
        let end = scene.view.final_end()?;
        Ok(match self.doubt {
            Some((end, next)) => Edge { end, next, how: Ended::Cut },
            None => Edge { end, next: end, how: Ended::Truncated },
        })
    }

    /// A closing tag that the text did not open closes the call if it is like the call's name or the generic one.
    fn closing(&mut self, at: usize, scene: &Scene<'_>) -> Result<Option<Edge>, NotYet> {
        let Some((name, next)) = named_tag(scene.view, at + 2)? else { return Ok(None) };
        let called = scene.head.name().unwrap_or_default();
        let like = name.to_lowercase().starts_with(&called.to_lowercase()) || name.starts_with("use_");
        if self.opened.iter().any(|opened| opened == name) || !like {
            return Ok(None);
        }
        let doubt = *self.doubt.get_or_insert((at, next));
        let over = scene.view.byte(scene.view.skip_blanks(next)?)?.is_none();
        Ok(over.then_some(Edge { end: doubt.0, next: doubt.1, how: Ended::Cut }))
    }
}

/// Says whether the text is a line rather than what stands in a tag.
fn is_line(scene: &Scene<'_>) -> bool {
    !scene.closer().is_some_and(Literal::is_closing_tag)
}

fn starts_line(mut at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    while at > 0 && matches!(scene.view.byte(at - 1)?, Some(b' ' | b'\t' | b'*')) {
        at -= 1;
    }
    Ok(at == 0 || scene.view.byte(at - 1)? == Some(b'\n'))
}

/// Says whether one of the dialect's calls opens at `at`, by its marker or by a declared tool's bare tag.
pub(crate) fn opens_call(at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    let tag = named_tag(scene.view, at + 1)?.map(|(name, _)| name);
    let tool = tag.and_then(|name| scene.engine.callee(name)).is_some_and(|callee| callee.tool.is_some());
    Ok(tool || scene.opener(at)?.is_some())
}

/// Returns the parameter that plain text means: `content`, else the only free one it can be.
pub(crate) fn parameter(scene: &Scene<'_>) -> Option<String> {
    let Some(root) = scene.root().filter(|root| !root.properties().is_empty()) else {
        return Some("content".to_owned());
    };
    let free = |key: &&String| scene.head.attributes.iter().all(|(given, _)| given.text != **key);
    let all: Vec<&String> = root.properties().iter().filter(free).collect();
    let required: Vec<&String> = root.required().iter().filter(free).collect();
    let content = all.iter().copied().find(|key| *key == "content");
    let only = |keys: &[&String]| if let [key] = keys { Some((*key).clone()) } else { None };
    let text = |key: &String| takes_text(root, key).then(|| key.clone());
    let content = content.filter(|_| !is_line(scene) || required.len() < 2);
    content.cloned().or_else(|| only(&required)).or_else(|| only(&all).and_then(|key| text(&key)))
}

fn takes_text(root: Node<'_>, key: &str) -> bool {
    root.property(key).is_none_or(|node| node.types().is_open() || node.types().has(Types::STRING))
}
