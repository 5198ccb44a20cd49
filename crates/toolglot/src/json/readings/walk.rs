//! Walks from the end of a string to the next string, or to where the call is closed.

use super::Resolver;
use crate::given::GivenNames;
use crate::json::key::is_bare_key;
use crate::json::look::{Ahead, KEY};
use crate::json::quote::Quote;
use crate::json::scalar::{is_json, is_token};
use crate::json::state::Bracket;
use crate::json::{Context, ValuePosition};
use crate::schema::{NodeId, SchemaNode, Types};
use crate::view::{NotYet, is_blank};

/// The state of the walk: the open brackets and the members so far.
#[derive(Clone, Debug, Default)]
pub(super) struct WalkState {
    pub(super) stack: Vec<WalkLevel>,
    pub(super) seen: GivenNames,
    /// The schema of the value that comes next.
    pub(super) next: Option<NodeId>,
}

/// An open bracket of the walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkLevel {
    pub(super) bracket: Bracket,
    pub(super) node: Option<NodeId>,
    pub(super) items: usize,
}

/// The schema of a member's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberKey {
    Declared,
    /// The object declares no keys.
    Free,
    Undeclared,
}

/// The end of a step of the walk.
pub(super) enum WalkStep {
    String { quote: Quote, raw: bool, from: usize },
    Closed(usize),
    Dead,
}

impl WalkState {
    /// Returns a key that identifies a place in the walk.
    pub(super) fn key(&self, at: usize) -> (usize, usize, usize) {
        (at, self.stack.len(), self.seen.len())
    }

    /// Returns whether the next members are the tool's parameters.
    pub(super) fn is_arguments(&self, place: ValuePosition) -> bool {
        match place {
            ValuePosition::Arguments => self.stack.len() == 1,
            ValuePosition::Keyword => self.stack.is_empty(),
            ValuePosition::Value => false,
        }
    }

    /// Begins an item of an array; returns its schema.
    pub(super) fn item(&mut self, context: &Context<'_>) -> Option<NodeId> {
        let level = self.stack.last_mut().filter(|level| level.bracket != Bracket::Object)?;
        level.items += 1;
        let node = context.schema?.node(level.node?);
        node.item(level.items - 1).map(SchemaNode::id)
    }
}

impl Resolver<'_> {
    /// Returns whether adjacent strings are one, as in Python.
    pub(super) fn joins(&self, stack: &[WalkLevel]) -> bool {
        self.doubtful.place == ValuePosition::Keyword && stack.last().is_none_or(|top| top.bracket == Bracket::Group)
    }

    /// Returns whether the arguments have all required members.
    pub(super) fn is_whole(&self, levels: &WalkState) -> bool {
        let root = self
            .look
            .context
            .schema
            .filter(|_| self.doubtful.place != ValuePosition::Value)
            .map(|schema| schema.root());
        root.is_none_or(|root| root.required().iter().all(|key| levels.seen.contains(key)))
    }

    /// Returns whether the innermost bracket may close: an object has all required members, as far as their number
    /// shows, if it is not the arguments.
    pub(super) fn may_close(&self, levels: &WalkState) -> bool {
        if levels.is_arguments(self.doubtful.place) {
            return self.is_whole(levels);
        }
        let Some(top) = levels.stack.last().filter(|top| top.bracket == Bracket::Object) else { return true };
        self.node(levels).is_none_or(|node| node.required().len() <= top.items)
    }

    /// Returns whether a member of the innermost object begins after the comma that ends at `at`, spaced as this call
    /// spaces its members, and its key is new and its value fits.
    pub(super) fn member(&self, at: usize, levels: &WalkState) -> Result<Option<MemberKey>, NotYet> {
        let view = self.look.view;
        let head = view.skip_blanks(at)?;
        let key = match levels.stack.last() {
            None if self.doubtful.place != ValuePosition::Keyword => None,
            None => self.word(head, b'=')?,
            Some(_) => self.key(head)?,
        };
        let Some((key, colon)) = key else { return Ok(None) };
        let value = view.skip_blanks(colon + 1)?;
        if !self.is_spaced(head - at, value - colon - 1, levels) || view.byte(colon + 1)? == Some(b'=') {
            return Ok(None);
        }
        let arguments = levels.is_arguments(self.doubtful.place);
        if arguments && levels.seen.contains(key) {
            return Ok(None);
        }
        let node = self.node(levels).filter(|node| node.is_closed() || !node.properties().is_empty());
        Ok(match node {
            None => self.look.value_start(value)?.then_some(MemberKey::Free),
            Some(node) if node.declares(key) => self.fits(value, node.property(key))?.then_some(MemberKey::Declared),
            Some(_) => (is_bare_key(key) && self.look.value_start(value)?).then_some(MemberKey::Undeclared),
        })
    }

    /// Returns the key at `at`, in quotes unless slips are forgiven, and where its colon is.
    pub(super) fn key(&self, at: usize) -> Result<Option<(&str, usize)>, NotYet> {
        let Some((quote, length)) = self.look.opens(at)? else {
            return if self.slips { self.word(at, b':') } else { Ok(None) };
        };
        let Ahead::Found(end) = self.look.string(quote, at + length, KEY)? else { return Ok(None) };
        let colon = self.look.view.skip_blanks(end)?;
        let key = self.look.view.slice(at + length, end - length);
        if self.look.view.byte(colon)? == Some(b':') {
            return Ok(Some((key, colon)));
        }
        // Where a slip left no colon, the value begins after the key.
        Ok((self.slips && self.look.key_lacks_colon(at)?.is_some()).then_some((key, end - 1)))
    }

    /// Returns the bare name at `at`, and where the byte after it is.
    fn word(&self, at: usize, separator: u8) -> Result<Option<(&str, usize)>, NotYet> {
        let Ahead::Found(end) = self.look.word(at)? else { return Ok(None) };
        let next = self.look.view.skip_blanks(end)?;
        Ok((self.look.view.byte(next)? == Some(separator)).then(|| (self.look.view.slice(at, end), next)))
    }

    /// Returns whether blanks are those that this call puts after its commas and colons; Python's keywords have none.
    fn is_spaced(&self, comma: usize, colon: usize, levels: &WalkState) -> bool {
        if levels.stack.is_empty() {
            return colon == 0;
        }
        let own = self.doubtful.spacing;
        own.colon.is_none_or(|own| own == colon)
            && own.comma.map_or((comma == 0) == (colon == 0) || comma > 1, |own| own == comma)
    }

    pub(super) fn node(&self, levels: &WalkState) -> Option<SchemaNode<'_>> {
        let schema = self.look.context.schema?;
        match levels.stack.last() {
            None => Some(schema.root()),
            Some(level) => Some(schema.node(level.node?)),
        }
    }

    /// Returns whether no declared names mark the values of the innermost bracket: array items, members of an open object.
    pub(super) fn is_unnamed(&self, levels: &WalkState) -> bool {
        levels.stack.last().is_some_and(|top| match top.bracket {
            Bracket::Object => self.node(levels).is_none_or(|node| node.properties().is_empty()),
            Bracket::Group => false,
            _ => true,
        })
    }

    /// Returns whether the byte at `at` can begin a value of the declared type.
    pub(super) fn fits(&self, at: usize, node: Option<SchemaNode<'_>>) -> Result<bool, NotYet> {
        let types = node.map_or(Types::OPEN, SchemaNode::types);
        let begins = match self.look.view.byte(at)? {
            _ if types.is_open() => return self.look.value_start(at),
            Some(b'"' | b'\'' | b'r' | b'b' | b'u') => Types::STRING,
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => Types::INTEGER | Types::NUMBER,
            Some(b't' | b'f' | b'T' | b'F') => Types::BOOLEAN | Types::STRING,
            Some(b'n' | b'N') => Types::NULL,
            Some(b'{') => Types::OBJECT,
            Some(b'[' | b'(') => Types::ARRAY,
            _ => return Ok(false),
        };
        Ok(types.has(begins))
    }

    /// Returns the position after blanks, and after comments where slips are forgiven.
    fn gap(&self, at: usize) -> Result<usize, NotYet> {
        let next = if self.slips { self.look.gap(at)? } else { at };
        let plain = self.doubtful.escaped_blanks || !self.look.view.slice(at, next).contains('\\');
        if self.slips && plain { Ok(next) } else { self.look.view.skip_blanks(at) }
    }

    /// Continues after a string, up to the next one or to where the call is closed.
    pub(super) fn walk(&mut self, from: usize, levels: &mut WalkState) -> Result<WalkStep, NotYet> {
        let mut at = from;
        let step = loop {
            match self.walk_on(at, levels)? {
                Ok(next) => at = next,
                Err(step) => break step,
            }
        };
        self.looked += at - from;
        self.furthest = self.furthest.max(at);
        Ok(step)
    }

    /// Takes the text after a value: the next member up to its value, or a bracket.
    fn walk_on(&mut self, at: usize, levels: &mut WalkState) -> Result<Result<usize, WalkStep>, NotYet> {
        let (view, markers) = (self.look.view, self.look.context.markers);
        if levels.stack.is_empty() && self.doubtful.place != ValuePosition::Keyword {
            return Ok(Err(self.closed(markers.ends_call(view, at)?)));
        }
        let at = self.gap(at)?;
        let Some(byte) = view.byte(at)? else { return Ok(Err(WalkStep::Dead)) };
        Ok(match (byte, levels.stack.last()) {
            (b',', Some(WalkLevel { bracket: Bracket::Array | Bracket::Tuple | Bracket::Set, .. })) => {
                self.value(at + 1, levels)?
            }
            (b',', _) => self.walk_member(at + 1, levels)?,
            (b'"' | b'\'', _) if self.joins(&levels.stack) => self.value(at, levels)?,
            (b'"' | b'\'', _) if self.slips => self.walk_member(at, levels)?,
            (b'}' | b']' | b')', Some(top)) => {
                if top.bracket.closer() != byte || !self.slips && !self.may_close(levels) {
                    return Ok(Err(WalkStep::Dead));
                }
                levels.stack.pop();
                Ok(at + 1)
            }
            (b')', None) if self.slips || self.is_whole(levels) => Err(self.closed(markers.ends_call(view, at)?)),
            _ => Err(WalkStep::Dead),
        })
    }

    fn closed(&self, end: Option<usize>) -> WalkStep {
        end.map_or(WalkStep::Dead, WalkStep::Closed)
    }

    fn walk_member(&mut self, at: usize, levels: &mut WalkState) -> Result<Result<usize, WalkStep>, NotYet> {
        let at = self.gap(at)?;
        if self.slips && self.look.view.byte(at)? == Some(b'}') {
            return Ok(Ok(at));
        }
        let key = if levels.stack.is_empty() { self.word(at, b'=')? } else { self.key(at)? };
        let Some((key, colon)) = key else { return Ok(Err(WalkStep::Dead)) };
        let object = self.node(levels);
        let node = object.and_then(|node| node.property(key)).map(SchemaNode::id);
        // Code has a blank before its `=`, and names that the tool does not declare.
        let spaced = levels.stack.is_empty() && self.look.view.slice(at, colon).ends_with([' ', '\t']);
        if self.open_code && spaced && object.is_some_and(|node| node.is_undeclared(key)) {
            return Ok(Err(WalkStep::Dead));
        }
        if levels.is_arguments(self.doubtful.place) && !levels.seen.insert(key) {
            return Ok(Err(WalkStep::Dead));
        }
        levels.next = node;
        if let Some(object) = levels.stack.last_mut() {
            object.items += 1;
        }
        self.value(colon + 1, levels)
    }

    /// Takes the value at `at`, or the part of it before its first string.
    fn value(&mut self, at: usize, levels: &mut WalkState) -> Result<Result<usize, WalkStep>, NotYet> {
        let view = self.look.view;
        let at = self.gap(at)?;
        let node = levels.item(self.look.context).or(levels.next.take());
        let bracket = match view.byte(at)? {
            None => return Ok(Err(WalkStep::Dead)),
            Some(b'{') => Bracket::Object,
            Some(b'[') => Bracket::Array,
            Some(b'(') => Bracket::Tuple,
            Some(b'}' | b']' | b')') => return Ok(Ok(at)),
            Some(_) => return self.scalar(at),
        };
        if levels.stack.len() >= self.look.context.options.limits.depth {
            return Ok(Err(WalkStep::Dead));
        }
        levels.stack.push(WalkLevel { bracket, node, items: 0 });
        let first = self.gap(at + 1)?;
        if view.byte(first)? == Some(bracket.closer()) {
            return Ok(Ok(first));
        }
        match bracket {
            Bracket::Object => self.walk_member(first, levels),
            _ => self.value(first, levels),
        }
    }

    fn scalar(&self, at: usize) -> Result<Result<usize, WalkStep>, NotYet> {
        let view = self.look.view;
        if let Some((quote, length)) = self.look.opens(at)? {
            return Ok(Err(WalkStep::String { quote, raw: quote.is_token(), from: at + length }));
        }
        let token = view.rest(at).iter().take_while(|byte| is_token(**byte)).count();
        let Some(behind) = view.byte(at + token)? else { return Ok(Err(WalkStep::Dead)) };
        let word = view.slice(at, at + token);
        let valid = is_json(word) || matches!(word, "True" | "False" | "None");
        let over = is_blank(behind) || matches!(behind, b',' | b'}' | b']' | b')');
        Ok(if valid && over { Ok(at + token) } else { Err(WalkStep::Dead) })
    }
}
