//! Events as flat records, laid out as C and WebAssembly read them.

use std::ptr;

use toolglot::{Event, EventKind};

/// The type of an event, which determines its texts.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "its numbers are the ABI")]
pub enum TgKind {
    /// Text of the answer: `text`.
    Text = 0,
    /// Text of the model's reasoning: `text`.
    Reasoning = 1,
    /// Bytes that are markup of the dialect: markers, closers, wrappers.
    Markup = 2,
    /// A call begins: `index`, `name`, and `id` if the model wrote one before the arguments.
    CallStart = 3,
    /// A piece of a call's arguments: `index`, and JSON in `text`; the pieces of a call joined are one JSON object.
    Arguments = 4,
    /// A call ends: `index`, the outcome (`complete`, `repaired`, `truncated`, `broken`) in `name`, `id` if there is one.
    CallEnd = 5,
    /// A diagnostic: the code in `name`, the message in `text`, the dialect in `id` if there is one.
    Diagnostic = 6,
}

/// A text of an event: UTF-8, not terminated, valid until the next call with the same parser.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "its layout is the ABI")]
pub struct TgText {
    /// The first byte; null if the event has no such text.
    pub data: *const u8,
    /// The number of bytes.
    pub len: usize,
}

/// An event. Except for diagnostics, each event starts where the previous one ended.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "its layout is the ABI")]
pub struct TgEvent {
    /// The type of the event.
    pub kind: TgKind,
    /// The call's number in the message, from 0.
    pub index: u32,
    /// The position of the event's first byte in the input.
    pub start: u64,
    /// The position after the event's last byte.
    pub end: u64,
    /// Text, reasoning, JSON, or the message of a diagnostic.
    pub text: TgText,
    /// A tool's name, a call's outcome, or a diagnostic's code.
    pub name: TgText,
    /// A call's id, or a diagnostic's dialect.
    pub id: TgText,
}

// What the bindings over WebAssembly read by its place.
const _: () = assert!(!cfg!(target_pointer_width = "32") || size_of::<TgEvent>() == 48);
const _: () = assert!(!cfg!(target_pointer_width = "64") || size_of::<TgEvent>() == 72);

impl TgText {
    const NONE: Self = Self { data: ptr::null(), len: 0 };

    fn new(text: &str) -> Self {
        Self { data: text.as_ptr(), len: text.len() }
    }

    fn of(text: Option<&str>) -> Self {
        text.map_or(Self::NONE, Self::new)
    }
}

impl TgEvent {
    /// Returns the record of an event; its texts are the event's.
    pub(crate) fn new(event: &Event<'_>) -> Option<Self> {
        let record = Self {
            kind: TgKind::Markup,
            index: 0,
            start: event.span.start as u64,
            end: event.span.end as u64,
            text: TgText::NONE,
            name: TgText::NONE,
            id: TgText::NONE,
        };
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Some(match &event.kind {
            EventKind::Text(text) => Self { kind: TgKind::Text, text: TgText::new(text), ..record },
            EventKind::Reasoning(text) => Self { kind: TgKind::Reasoning, text: TgText::new(text), ..record },
            EventKind::Markup => record,
            EventKind::CallStart { index, id, name } => Self {
                kind: TgKind::CallStart,
                index: number(*index),
                name: TgText::new(name),
                id: TgText::of(*id),
                ..record
            },
            EventKind::Arguments { index, json } => {
                Self { kind: TgKind::Arguments, index: number(*index), text: TgText::new(json), ..record }
            }
            EventKind::CallEnd { index, id, outcome } => Self {
                kind: TgKind::CallEnd,
                index: number(*index),
                name: TgText::new(outcome.name()),
                id: TgText::of(*id),
                ..record
            },
            EventKind::Diagnostic(diagnostic) => Self {
                kind: TgKind::Diagnostic,
                text: TgText::new(&diagnostic.message),
                name: TgText::new(diagnostic.code.name()),
                id: TgText::of(diagnostic.dialect.as_deref()),
                ..record
            },
            _ => return None,
        })
    }
}
