//! The columns of messages: what a row holds, and how it is added.

use std::ffi::CStr;

use toolglot::Message;

use crate::arrow::column::{Column, Data, Field, Lists, Texts, Valid};

/// Messages that grow row by row.
#[derive(Default)]
pub(super) struct Columns {
    valid: Valid,
    /// content, reasoning, finish_reason, dialect.
    words: [Texts; 4],
    calls: List<3>,
    incomplete: List<4>,
    diagnostics: List<2>,
    spans: [Vec<i64>; 2],
}

/// A list of structs of strings in each row.
struct List<const N: usize> {
    lists: Lists,
    members: [Texts; N],
}

/// Returns the type of a column of messages.
pub(super) fn field() -> Field {
    let texts = |names: &[&'static CStr]| names.iter().copied().map(Field::texts).collect::<Vec<_>>();
    let mut diagnostic = texts(&[c"code", c"message"]);
    diagnostic.extend([c"start", c"end"].map(Field::numbers));
    let fields = vec![
        Field::texts(c"content"),
        Field::texts(c"reasoning"),
        Field::lists(c"calls", texts(&[c"id", c"name", c"arguments"])),
        Field::lists(c"incomplete", texts(&[c"name", c"arguments", c"text", c"outcome"])),
        Field::texts(c"finish_reason"),
        Field::texts(c"dialect"),
        Field::lists(c"diagnostics", diagnostic),
    ];
    Field::structs(c"message", fields)
}

impl Columns {
    /// Adds a row for a text that is null.
    pub(super) fn add_null(&mut self) {
        self.valid.push(false);
        self.words.iter_mut().for_each(|words| words.push(None));
        self.calls.lists.push(0);
        self.incomplete.lists.push(0);
        self.diagnostics.lists.push(0);
    }

    /// Adds a message; `wrong` says why its tools could not be used.
    pub(super) fn add(&mut self, message: Message, wrong: Option<&str>) {
        self.valid.push(true);
        let [content, reasoning, finish_reason, dialect] = &mut self.words;
        content.push(Some(&message.content));
        reasoning.push(Some(&message.reasoning));
        finish_reason.push(Some(message.finish_reason.name()));
        dialect.push(message.dialect.as_deref());
        self.calls.add(message.calls.iter().map(|call| [&*call.id, &*call.name, &*call.arguments]));
        let incomplete = message.incomplete.iter();
        self.incomplete.add(incomplete.map(|call| [&*call.name, &*call.arguments, &*call.text, call.outcome.name()]));
        let found = message.diagnostics.iter();
        let found = found.map(|found| ([found.code.name(), &*found.message], [found.span.start, found.span.end]));
        let wrong = wrong.map(|why| (["invalid_tools", why], [0, 0]));
        let all: Vec<_> = wrong.into_iter().chain(found).collect();
        self.diagnostics.add(all.iter().map(|(words, _)| *words));
        for (_, places) in &all {
            for (span, at) in self.spans.iter_mut().zip(places) {
                span.push(i64::try_from(*at).unwrap_or(i64::MAX));
            }
        }
    }

    /// Returns the rows; nothing if a column has more text than Arrow's strings can hold.
    pub(super) fn finish(self) -> Option<Column> {
        let [content, reasoning, finish_reason, dialect] = self.words.map(Texts::finish);
        let spans = self.spans.map(|span| Column { valid: Valid::all(span.len()), data: Data::Numbers(span) });
        let members = vec![
            content?,
            reasoning?,
            self.calls.finish([])?,
            self.incomplete.finish([])?,
            finish_reason?,
            dialect?,
            self.diagnostics.finish(spans)?,
        ];
        Some(Column { valid: self.valid, data: Data::Structs(members) })
    }
}

impl<const N: usize> Default for List<N> {
    fn default() -> Self {
        Self { lists: Lists::default(), members: std::array::from_fn(|_| Texts::default()) }
    }
}

impl<const N: usize> List<N> {
    fn add<'a>(&mut self, items: impl ExactSizeIterator<Item = [&'a str; N]>) {
        self.lists.push(items.len());
        for item in items {
            self.members.iter_mut().zip(item).for_each(|(member, text)| member.push(Some(text)));
        }
    }

    fn finish<const M: usize>(self, more: [Column; M]) -> Option<Column> {
        let members: Option<Vec<_>> = self.members.into_iter().map(Texts::finish).collect();
        self.lists.finish(members?.into_iter().chain(more).collect())
    }
}
