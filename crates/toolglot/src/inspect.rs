//! What became of every byte of a text, and when: for people who look, never on the way of a message.
//!
//! A text is read in small pieces, so that events come as soon as the parser can say them, and their spans are fine.
//! What a piece of arguments says and the bytes it came from are laid side by side, which tells keys from values.

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

/// The story of a text: its message, what each byte became, when each piece went out, and why calls are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// What [`parse`](crate::parse) makes of the text.
    pub message: Message,
    /// What the bytes became, in order: together they are the whole text.
    pub spans: Vec<Stretch>,
    /// What was read although its dialect does not write it so, ordered by place.
    pub repairs: Vec<Mending>,
    /// What the parser tried, as far as the first twenty thousand steps.
    pub steps: Vec<Step>,
    /// What went out, in order.
    pub arrivals: Vec<Arrival>,
    /// How far the text was decided when so many bytes had arrived: an entry for each change, both counted from 0.
    pub held: Vec<(usize, usize)>,
    /// Why there is no call, or why one is not finished.
    pub why: Vec<WhyNot>,
}

/// Bytes in a row that became the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stretch {
    /// The bytes.
    pub span: Range<usize>,
    /// What they became.
    pub kind: ByteKind,
    /// The number of the call they belong to.
    pub call: Option<usize>,
}

/// What a byte of the text became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteKind {
    /// Text for the reader.
    Text,
    /// Reasoning.
    Reasoning,
    /// The dialect's own: openers, closers, wrappers.
    Marker,
    /// The tool's name.
    Name,
    /// The call's id.
    Id,
    /// The name of a member of the arguments, at any depth.
    Key,
    /// The contents of a string, or a literal.
    Value,
    /// What separates keys and values: quotes, colons, commas, brackets, white space.
    Punctuation,
    /// What a repair changed, put in or dropped.
    Repaired,
    /// What belongs to a call and is not in it.
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

/// A deviation that was read all the same, with its bytes and what they became.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mending {
    /// What happened.
    pub code: Code,
    /// What that says about the call.
    pub class: Class,
    /// The bytes it is about.
    pub span: Range<usize>,
    /// What happened, in words.
    pub message: String,
    /// The bytes as the model wrote them; of many the first.
    pub before: String,
    /// What stands for them in the message; of much the beginning.
    pub after: String,
}

/// Something that went out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrival {
    /// How many bytes of the text had arrived.
    pub at: usize,
    /// The name of the event's type.
    pub event: &'static str,
    /// The call's number.
    pub call: Option<usize>,
    /// The piece of text, reasoning or arguments; the name of a call that begins, the outcome of one that ends.
    pub text: String,
}

/// So many pieces a text is read in at most, but that no character is cut.
const PIECES: usize = 32 << 10;

/// Reads a whole text, which need not be UTF-8, and tells what became of every byte, and when.
///
/// A text of up to 32 KiB arrives character by character, so `arrivals` and `held` are exact. A longer one arrives in
/// 32768 pieces: of a text of 1 MiB, what goes out is known to 32 bytes. `spans` are as fine for every length.
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

/// Returns the first place from `at` on that is not inside a character.
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
