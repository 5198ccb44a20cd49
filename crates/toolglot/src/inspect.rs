//! How every byte of a text was parsed, and when: for debugging, not for processing messages.
//!
//! The text is parsed in small pieces, so that each event is emitted as early as possible and has a short span.
//! Pieces of arguments are aligned with the bytes that they came from, to distinguish keys from values.

use std::ops::Range;

use crate::diagnostic::{Class, Code};
use crate::dialect::Dialects;
use crate::message::Message;
use crate::options::Options;
use crate::parser::Parser;
use crate::tool::Tools;
use crate::trace::Step;

use witness::Witness;

mod align;
mod members;
mod own_file;
mod paint;
mod place;
mod remedy;
#[cfg(feature = "serde")]
mod serialize;
mod witness;

pub use remedy::{Remedy, WhyNot};

/// The result of [`inspect()`]: the message, the role of each byte, when each event was emitted, and why calls are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The result of [`parse`](crate::parse).
    pub message: Message,
    /// The roles of the bytes, in order; the spans cover the whole text.
    pub spans: Vec<Stretch>,
    /// The deviations that were parsed anyway, ordered by position.
    pub repairs: Vec<Mending>,
    /// What the parser tried, limited to the first twenty thousand steps.
    pub steps: Vec<Step>,
    /// What was emitted, in order.
    pub arrivals: Vec<Arrival>,
    /// Each change of the decided bytes: how many bytes had arrived, and how many of them were decided.
    pub held: Vec<(usize, usize)>,
    /// Why there is no call, or why one is not finished, with suggested fixes.
    pub why: Vec<WhyNot>,
}

/// Adjacent bytes with the same role.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stretch {
    /// The bytes.
    pub span: Range<usize>,
    /// Their role.
    pub kind: ByteKind,
    /// The number of the call they belong to.
    pub call: Option<usize>,
}

/// The role of a byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteKind {
    /// Text of the answer.
    Text,
    /// Reasoning.
    Reasoning,
    /// Bytes of the dialect itself: openers, closers, wrappers.
    Marker,
    /// The tool's name.
    Name,
    /// The call's id.
    Id,
    /// The name of a member of the arguments, at any depth.
    Key,
    /// The contents of a string, or a literal.
    Value,
    /// The syntax of the arguments: quotes, colons, commas, brackets, white space.
    Punctuation,
    /// Bytes that a repair changed, inserted or dropped.
    Repaired,
    /// Bytes of a call that are not part of it.
    Skipped,
}

impl ByteKind {
    /// Returns the kind's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Marker => "marker",
            Self::Name => "name",
            Self::Id => "id",
            Self::Key => "key",
            Self::Value => "value",
            Self::Punctuation => "punctuation",
            Self::Repaired => "repaired",
            Self::Skipped => "skipped",
        }
    }
}

/// A deviation that was parsed anyway: its bytes, and what they became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mending {
    /// The diagnostic's code.
    pub code: Code,
    /// What it means for the call.
    pub class: Class,
    /// The bytes that it concerns.
    pub span: Range<usize>,
    /// What happened, in words.
    pub message: String,
    /// The bytes as the model wrote them; the beginning if they are long.
    pub before: String,
    /// What the message has in their place; the beginning if it is long.
    pub after: String,
}

/// Something that was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrival {
    /// How many bytes of the text had arrived.
    pub at: usize,
    /// The name of the event's type.
    pub event: &'static str,
    /// The call's number.
    pub call: Option<usize>,
    /// The text, reasoning or arguments; the name of a call that begins; the outcome of a call that ends.
    pub text: String,
}

/// A text is parsed in at most this many pieces, none of which splits a character.
const PIECES: usize = 32 << 10;

/// Parses a whole text, which need not be UTF-8, and returns how and when every byte was parsed.
///
/// A text of up to 32 KiB arrives character by character, so `arrivals` and `held` are exact. A longer one arrives in 32,768
/// pieces: for a text of 1 MiB, the time of each event is known to 32 bytes. `spans` are exact for every length.
///
/// # Example
/// ```
/// use toolglot::{ByteKind, Dialects, Options, Tools, inspect};
/// let text = r#"Hi <tool_call>{"name": "ls", "arguments": {"deep": True}}</tool_call>"#;
/// let story = inspect(text.as_bytes(), &Dialects::builtin(), &Tools::default(), &Options::default());
/// let kind = |part: &str| {
///     let at = text.find(part).unwrap();
///     story.spans.iter().find(|span| span.span.contains(&at)).unwrap().kind
/// };
/// assert_eq!((kind("<tool_call>"), kind("ls"), kind("deep")), (ByteKind::Marker, ByteKind::Name, ByteKind::Key));
/// assert_eq!((kind("True"), story.repairs[0].after.as_str()), (ByteKind::Repaired, "true"));
/// ```
pub fn inspect(input: &[u8], dialects: &Dialects, tools: &Tools, options: &Options) -> Inspection {
    let mut parser = Parser::new(dialects, tools, options);
    parser.enable_trace();
    let mut witness = Witness::new(input, options);
    let (size, mut at) = (input.len().div_ceil(PIECES).max(1), 0);
    while at < input.len() {
        let end = character_end(input, at + size);
        parser.push_bytes(&input[at..end]).for_each(|event| witness.see(end, &event));
        witness.note(parser.take_trace());
        at = end;
    }
    parser.finish().for_each(|event| witness.see(at, &event));
    witness.note(parser.take_trace());
    let mut story = witness.tell(parser.dialect().cloned());
    story.why = remedy::why(input, &story.message, dialects, tools, options);
    story
}

/// Returns the first position from `at` on that is not inside a character.
fn character_end(input: &[u8], at: usize) -> usize {
    let inside = input.iter().skip(at).take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    (at + inside).min(input.len())
}

impl Inspection {
    fn new(message: Message) -> Self {
        Self {
            message,
            spans: Vec::new(),
            repairs: Vec::new(),
            steps: Vec::new(),
            arrivals: Vec::new(),
            held: Vec::new(),
            why: Vec::new(),
        }
    }
}
