//! `{call}`: a JSON object that carries a call's name, arguments and id, in any order.

use super::engine::Callee;
use super::head::Said;
use super::lane::Lane;
use super::member::{Given, Member, Spot, member, single_key};
use super::scene::Scene;
use super::whole::skip_value;
use crate::diagnostic::Code;
use crate::json::{End, Ended, Place, Reader};
use crate::schema::Node;
use crate::sink::Sink;
use crate::view::NotYet;

/// What a trial reading learns of a call object.
pub(crate) struct Facts {
    pub(crate) name: Said,
    pub(crate) has_arguments: bool,
}

/// Reads ahead until the call's name is known and its arguments have begun, or the object ends.
pub(crate) fn facts(at: usize, scene: &Scene<'_>) -> Result<Option<Facts>, NotYet> {
    let mut spot = Spot { at, depth: 0, named: false, has_arguments: false, unjoined: false };
    let mut name = None;
    while name.is_none() || !spot.has_arguments {
        let here = Spot { named: name.is_some(), ..spot };
        let value = match member(here, scene)? {
            Member::End(_) => break,
            Member::Name(said) => {
                spot.at = said.span.end;
                name = Some(said);
                continue;
            }
            Member::Arguments(Given::Whole(_, _, end)) => {
                (spot.has_arguments, spot.at) = (true, end);
                continue;
            }
            Member::Arguments(Given::Object(start)) => {
                spot.has_arguments = true;
                name = if name.is_none() { single_key(spot.at, scene)? } else { name };
                start
            }
            Member::Other { start, .. } => start,
            Member::Arguments(_) | Member::Stop(_) | Member::Bad(_) | Member::Over(_) => return Ok(None),
            passed => {
                spot.pass(&passed);
                continue;
            }
        };
        if name.is_none() || !spot.has_arguments {
            let end = skip_value(value, scene)?;
            if end.how != Ended::Complete {
                return Ok(None);
            }
            spot.at = end.at;
        }
    }
    Ok(name.map(|name| Facts { name, has_arguments: spot.has_arguments }))
}

impl Spot {
    /// Goes past a member that is only structure.
    fn pass(&mut self, member: &Member) {
        self.unjoined = !matches!(member, Member::Comma(_) | Member::Descend(_));
        match member {
            Member::Descend(end) => (self.depth, self.at) = (self.depth + 1, *end),
            Member::Ascend(end) => (self.depth, self.at) = (self.depth.saturating_sub(1), *end),
            Member::Id(_, end) | Member::Comma(end) | Member::Stray(end) => self.at = *end,
            _ => {}
        }
    }
}

/// Reads a call object whose name is known.
#[derive(Clone, Debug)]
pub(crate) struct CallObject {
    spot: Spot,
    arguments: Option<Reader>,
    /// The id, wherever it stood.
    pub(crate) id: Option<String>,
}

impl CallObject {
    /// `at` is the position after the object's brace.
    pub(crate) fn new(at: usize) -> Self {
        let spot = Spot { at, depth: 0, named: true, has_arguments: false, unjoined: false };
        Self { spot, arguments: None, id: None }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.arguments.as_ref().map_or(self.spot.at, Reader::anchor)
    }

    pub(crate) fn pass_plain(&mut self, lane: &Lane<'_>, sink: &mut Sink) -> bool {
        self.arguments.as_mut().is_some_and(|reader| reader.pass_plain(lane, sink))
    }

    /// Reads on to the end of the object; starts the call where its arguments begin.
    pub(crate) fn resume(&mut self, scene: &Scene<'_>, callee: &Callee, sink: &mut Sink) -> Result<End, NotYet> {
        loop {
            if let Some(reader) = &mut self.arguments {
                let end = reader.resume(scene.view, &scene.json(None), sink)?;
                (self.spot.at, self.spot.unjoined, self.arguments) = (end.at, true, None);
                if end.how != Ended::Complete {
                    return Ok(end);
                }
            }
            if let Some(end) = self.step(scene, callee, sink)? {
                return Ok(end);
            }
        }
    }

    fn step(&mut self, scene: &Scene<'_>, callee: &Callee, sink: &mut Sink) -> Result<Option<End>, NotYet> {
        match member(self.spot, scene)? {
            Member::Id(id, end) => (self.id, self.spot.at) = (Some(id), end),
            Member::Other { start, foreign } => return self.skip(start, foreign, scene, callee, sink),
            Member::Arguments(Given::Object(start)) => {
                self.start(start, callee, sink);
                self.arguments = Some(Reader::new(start, Place::Arguments, scene.root().map(Node::id)));
            }
            Member::Arguments(Given::Whole(whole, start, end)) => {
                self.start(start, callee, sink);
                whole.write(start, end, sink);
                self.spot.at = end;
            }
            Member::End(end) => return Ok(Some(self.end(end, Ended::Complete, callee, sink))),
            Member::Stop(at) => return Ok(Some(self.missing_bracket(at, callee, sink))),
            Member::Bad(at) | Member::Arguments(Given::Bad(at)) => {
                if self.spot.has_arguments {
                    return Ok(Some(self.missing_bracket(self.spot.at, callee, sink)));
                }
                return Ok(Some(self.end(at, Ended::Broken, callee, sink)));
            }
            Member::Over(at) => return Ok(Some(self.unfinished(at, callee, sink))),
            Member::Stray(end) => {
                sink.repair(Code::ExtraCloser, end - 1..end, "a bracket that closes nothing");
                self.spot.at = end;
            }
            passed => self.spot.pass(&passed),
        }
        Ok(None)
    }

    /// Skips a member that is no part of a call.
    fn skip(
        &mut self,
        start: usize,
        foreign: Option<String>,
        scene: &Scene<'_>,
        callee: &Callee,
        sink: &mut Sink,
    ) -> Result<Option<End>, NotYet> {
        let end = skip_value(start, scene)?;
        if let Some(key) = foreign {
            let message = format!("`{key}` is no part of a call, skipped");
            sink.diagnose(Code::UnknownMember, start..end.at, message);
        }
        self.spot.at = end.at;
        Ok(match end.how {
            Ended::Complete => None,
            Ended::Truncated => Some(self.unfinished(end.at, callee, sink)),
            how => Some(self.end(end.at, how, callee, sink)),
        })
    }

    fn start(&mut self, at: usize, callee: &Callee, sink: &mut Sink) {
        self.spot.has_arguments = true;
        sink.call_start(&callee.name, self.id.as_deref(), at);
    }

    /// The object is over; a call without arguments has none.
    fn end(&mut self, at: usize, how: Ended, callee: &Callee, sink: &mut Sink) -> End {
        if !self.spot.has_arguments {
            self.start(at, callee, sink);
            sink.arguments(at, "{}");
        }
        End { at, how }
    }

    fn missing_bracket(&mut self, at: usize, callee: &Callee, sink: &mut Sink) -> End {
        let end = self.end(at, Ended::Cut, callee, sink);
        sink.repair(Code::MissingBracket, at..at, "the call object has no closing brace");
        end
    }

    /// The input ended: a call whose arguments are there is whole but for its brace.
    fn unfinished(&mut self, at: usize, callee: &Callee, sink: &mut Sink) -> End {
        if self.spot.has_arguments {
            return self.missing_bracket(at, callee, sink);
        }
        self.end(at, Ended::Truncated, callee, sink)
    }
}
