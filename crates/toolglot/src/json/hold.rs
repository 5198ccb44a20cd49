//! Values that are held back because their end decides what they are.

use std::ops::Range;

use super::reader::Turn;
use super::write::{decode, write_string};
use super::{Context, NoMarkers, Place, Whole, read_at_level};
use crate::diagnostic::Code;
use crate::schema::{NodeId, Types};

/// What is held, as strict JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Hold {
    kind: Option<Kind>,
    text: String,
    /// Where in the input it began.
    from: usize,
    /// How many brackets were open.
    depth: usize,
    node: Option<NodeId>,
    /// The first parameter's name, its place, and where in `text` its value begins.
    wrapper: Option<(String, Range<usize>)>,
    value: usize,
}

/// Why something is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The arguments up to their first key, which may be a wrapper.
    Head,
    /// The arguments, whose first parameter looks like a wrapper.
    Wrapper,
    /// A string where the schema wants something else.
    String,
    /// An object or array where the schema wants a string.
    Text,
}

/// Members that models put around the arguments.
const WRAPPERS: [&str; 5] = ["arguments", "parameters", "args", "input", "properties"];

/// JSON in strings in strings is decoded so many times.
const LEVELS: u8 = 3;

impl Hold {
    pub(super) fn is_on(&self) -> bool {
        self.kind.is_some()
    }
}

impl Turn<'_> {
    /// Holds the arguments if they could stand inside a wrapper.
    pub(super) fn hold_head(&mut self) {
        let declares = self.context.schema.is_some_and(|schema| !schema.root().properties().is_empty());
        if declares && self.reader.level < LEVELS && self.sink.allows(Code::Wrapper) && !self.reader.hold.is_on() {
            self.hold(Kind::Head, None);
        }
    }

    pub(super) fn hold_string(&mut self, node: Option<NodeId>) {
        if !self.reader.hold.is_on() {
            self.hold(Kind::String, node);
        }
    }

    pub(super) fn hold_text(&mut self) {
        self.hold(Kind::Text, None);
    }

    fn hold(&mut self, kind: Kind, node: Option<NodeId>) {
        let hold = &mut self.reader.hold;
        hold.kind = Some(kind);
        hold.from = self.reader.at;
        hold.depth = self.reader.stack.len();
        hold.node = node;
        hold.text.clear();
    }

    /// Adds to what is held, or lets it go where it becomes too long.
    pub(super) fn hold_on(&mut self, json: &str) {
        let at = self.reader.hold.from;
        self.reader.hold.text.push_str(json);
        if self.reader.hold.text.len() > self.context.options.limits.held && !self.holds_root_string() {
            self.sink.diagnose(Code::LimitHeld, at..at, "a value is too long to be held and passes as it is");
            self.release_held();
        }
    }

    pub(super) fn holds_root_string(&self) -> bool {
        self.reader.hold.kind == Some(Kind::String) && self.is_root()
    }

    /// Emits what is held as it stands.
    pub(super) fn release_held(&mut self) {
        if self.reader.hold.is_on() {
            let text = std::mem::take(&mut self.reader.hold.text);
            self.release(&text);
            self.reader.hold.text = text;
            if let Some((key, span)) = self.reader.hold.wrapper.take() {
                self.parameter(&key, span);
            }
        }
    }

    pub(super) fn release_string(&mut self) {
        if self.reader.hold.kind == Some(Kind::String) {
            self.release_held();
        }
    }

    pub(super) fn drop_held(&mut self) {
        self.reader.hold.kind = None;
        self.reader.hold.text.clear();
    }

    fn release(&mut self, json: &str) {
        self.reader.hold.kind = None;
        self.put(json);
    }

    /// The first key is known: says whether it may be a wrapper, so that holding goes on.
    pub(super) fn hold_wrapper(&mut self, key: &str, span: &Range<usize>) -> bool {
        if self.reader.hold.kind != Some(Kind::Head) {
            return false;
        }
        let declared = self.context.schema.is_some_and(|schema| schema.root().declares(key));
        if !WRAPPERS.contains(&key) || declared {
            self.release_held();
            return false;
        }
        self.reader.hold.kind = Some(Kind::Wrapper);
        self.reader.hold.wrapper = Some((key.to_owned(), span.clone()));
        self.reader.hold.value = self.reader.hold.text.len();
        true
    }

    /// A member begins; a second one says that the first was no wrapper.
    pub(super) fn member_start(&mut self) {
        let outermost = self.reader.stack.len() == 1;
        let Some(frame) = self.reader.stack.last_mut() else { return };
        frame.members += 1;
        if outermost && frame.members > 1 && self.reader.hold.kind == Some(Kind::Wrapper) {
            self.release_held();
        }
    }

    /// The arguments are about to close: takes them out of their wrapper, if they stood in one.
    pub(super) fn unwrap_held(&mut self) -> bool {
        match self.reader.hold.kind {
            Some(Kind::Wrapper) => {}
            Some(Kind::Head) => {
                self.release_held();
                return false;
            }
            _ => return false,
        }
        let value =
            self.reader.hold.text[self.reader.hold.value..].trim_start().trim_start_matches(':').trim().to_owned();
        let Some(whole) = self.reread(&value, None).filter(|whole| whole.json.starts_with('{')) else {
            self.release_held();
            return false;
        };
        let span = self.reader.hold.from..self.reader.at;
        self.reader.hold.wrapper = None;
        self.sink.repair(Code::Wrapper, span.clone(), "the arguments stood inside a wrapper");
        self.adopt(&whole, &span);
        true
    }

    /// Reads JSON text that was held or decoded, one level deeper.
    fn reread(&self, text: &str, node: Option<NodeId>) -> Option<Whole> {
        if self.reader.level >= LEVELS || !text.starts_with(['{', '[', '"', '`']) {
            return None;
        }
        let context = Context { markers: &NoMarkers, quote: None, ..*self.context };
        let place = if node.is_some() { Place::Value } else { Place::Arguments };
        read_at_level(text, place, node, &context, self.reader.level + 1)
    }

    /// Emits JSON that was read again; what was found there is said about the whole of it.
    fn adopt(&mut self, whole: &Whole, span: &Range<usize>) {
        for found in &whole.repairs {
            if found.code.is_repair() {
                self.sink.repair(found.code, span.clone(), found.message.clone());
            } else {
                self.sink.diagnose(found.code, span.clone(), found.message.clone());
            }
        }
        self.release(&whole.json);
    }

    /// An object or array that is held as text is whole: it becomes a string.
    pub(super) fn settle_text(&mut self) {
        let hold = &self.reader.hold;
        if hold.kind != Some(Kind::Text) || hold.depth != self.reader.stack.len() {
            return;
        }
        let mut json = String::new();
        write_string(&hold.text, &mut json);
        let span = hold.from..self.reader.at;
        self.sink.diagnose(
            Code::Coerced,
            span,
            "an object or array was converted to a string, which the schema declares",
        );
        self.release(&json);
    }

    /// A string that is held is whole: it becomes what the schema wants. False if nothing can be made of it.
    pub(super) fn settle_string(&mut self) -> bool {
        if self.reader.hold.kind != Some(Kind::String) {
            return true;
        }
        let source = std::mem::take(&mut self.reader.hold.text);
        let span = self.reader.hold.from..self.reader.at;
        let content = decode(source.get(1..source.len().saturating_sub(1)).unwrap_or_default()).into_owned();
        let node = self.reader.hold.node;
        if let Some(whole) = self.encoded(&content, node) {
            self.sink.repair(Code::DoubleEncoded, span.clone(), "JSON inside a string was decoded");
            self.adopt(&whole, &span);
            return true;
        }
        self.reader.hold.kind = None;
        if self.is_root() {
            return self.empty_string(&content, span);
        }
        self.put_converted(&source, node, span);
        true
    }

    /// Reads a string that is JSON which was encoded twice, where an object or array belongs.
    fn encoded(&self, content: &str, node: Option<NodeId>) -> Option<Whole> {
        let root = self.is_root();
        let types = match (self.context.schema, node) {
            (Some(schema), Some(node)) => schema.node(node).types(),
            _ => Types::OPEN,
        };
        let wanted = root || (types.has(Types::ARRAY | Types::OBJECT) && !types.has(Types::STRING));
        if !wanted || !self.sink.allows(Code::DoubleEncoded) {
            return None;
        }
        let whole = self.reread(content.trim(), node.filter(|_| !root))?;
        let fits = whole.json.starts_with('{') || (!root && whole.json.starts_with('['));
        fits.then_some(whole)
    }

    fn empty_string(&mut self, content: &str, span: Range<usize>) -> bool {
        let empty =
            content.trim().is_empty() && self.admit(Code::EmptyArguments, span, "an empty string was read as `{}`");
        if empty {
            self.put("{}");
            self.missing_parameters();
        }
        empty
    }
}
