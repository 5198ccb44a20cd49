//! The columns of messages: what a row holds, and how it is added.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use toolglot::Message;

/// Messages that grow row by row.
pub(super) struct Columns {
    valid: NullBufferBuilder,
    /// content, reasoning, finish_reason, dialect.
    words: [StringBuilder; 4],
    calls: List<3>,
    incomplete: List<4>,
    diagnostics: List<2>,
    spans: [Int64Builder; 2],
}

/// A list of structs of strings in each row.
struct List<const N: usize> {
    lengths: Vec<usize>,
    fields: [StringBuilder; N],
}

const CALL: [&str; 3] = ["id", "name", "arguments"];
const INCOMPLETE: [&str; 4] = ["name", "arguments", "text", "outcome"];
const DIAGNOSTIC: [&str; 2] = ["code", "message"];

/// Returns the type of a message's column.
pub(super) fn data_type() -> DataType {
    DataType::Struct(fields())
}

fn fields() -> Fields {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    Fields::from(vec![
        text("content"),
        text("reasoning"),
        Field::new("calls", list_of(strings(&CALL)), true),
        Field::new("incomplete", list_of(strings(&INCOMPLETE)), true),
        text("finish_reason"),
        text("dialect"),
        Field::new("diagnostics", list_of(diagnostic()), true),
    ])
}

fn strings(names: &[&str]) -> Fields {
    names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect()
}

fn diagnostic() -> Fields {
    let spans = ["start", "end"].map(|name| Arc::new(Field::new(name, DataType::Int64, true)));
    strings(&DIAGNOSTIC).iter().cloned().chain(spans).collect()
}

fn list_of(fields: Fields) -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Struct(fields), true)))
}

impl Columns {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            valid: NullBufferBuilder::new(rows),
            words: std::array::from_fn(|_| StringBuilder::new()),
            calls: List::new(),
            incomplete: List::new(),
            diagnostics: List::new(),
            spans: std::array::from_fn(|_| Int64Builder::new()),
        }
    }

    /// Adds a row for a text that is null.
    pub(super) fn add_null(&mut self) {
        self.valid.append_null();
        self.words.iter_mut().for_each(StringBuilder::append_null);
        self.calls.lengths.push(0);
        self.incomplete.lengths.push(0);
        self.diagnostics.lengths.push(0);
    }

    /// Adds a message; `wrong` says why its tools could not be used.
    pub(super) fn add(&mut self, message: Message, wrong: Option<&str>) {
        self.valid.append_non_null();
        let [content, reasoning, finish_reason, dialect] = &mut self.words;
        content.append_value(message.content);
        reasoning.append_value(message.reasoning);
        finish_reason.append_value(message.finish_reason.name());
        dialect.append_option(message.dialect.as_deref());
        self.calls.add(message.calls.iter().map(|call| [&*call.id, &*call.name, &*call.arguments]));
        let incomplete = message.incomplete.iter();
        self.incomplete.add(incomplete.map(|call| [&*call.name, &*call.arguments, &*call.text, call.outcome.name()]));
        let found = message.diagnostics.iter();
        let found = found.map(|found| ([found.code.name(), &*found.message], [found.span.start, found.span.end]));
        let wrong = wrong.map(|why| (["invalid_tools", why], [0, 0]));
        let all: Vec<_> = wrong.into_iter().chain(found).collect();
        self.diagnostics.add(all.iter().map(|(words, _)| *words));
        for (_, places) in &all {
            for (builder, at) in self.spans.iter_mut().zip(places) {
                builder.append_value(i64::try_from(*at).unwrap_or(i64::MAX));
            }
        }
    }

    /// Returns the rows.
    pub(super) fn finish(mut self) -> StructArray {
        let [content, reasoning, finish_reason, dialect] =
            self.words.map(|mut words| Arc::new(words.finish()) as ArrayRef);
        let spans = self.spans.map(|mut span| Arc::new(span.finish()) as ArrayRef);
        let columns = vec![
            content,
            reasoning,
            self.calls.finish(strings(&CALL), []),
            self.incomplete.finish(strings(&INCOMPLETE), []),
            finish_reason,
            dialect,
            self.diagnostics.finish(diagnostic(), spans),
        ];
        StructArray::new(fields(), columns, self.valid.finish())
    }
}

impl<const N: usize> List<N> {
    fn new() -> Self {
        Self { lengths: Vec::new(), fields: std::array::from_fn(|_| StringBuilder::new()) }
    }

    fn add<'a>(&mut self, items: impl ExactSizeIterator<Item = [&'a str; N]>) {
        self.lengths.push(items.len());
        for item in items {
            self.fields.iter_mut().zip(item).for_each(|(field, text)| field.append_value(text));
        }
    }

    fn finish<const M: usize>(self, fields: Fields, more: [ArrayRef; M]) -> ArrayRef {
        let columns = self.fields.map(|mut field| Arc::new(field.finish()) as ArrayRef);
        let items = StructArray::new(fields.clone(), columns.into_iter().chain(more).collect(), None);
        let item = Arc::new(Field::new("item", items.data_type().clone(), true));
        Arc::new(ListArray::new(item, OffsetBuffer::from_lengths(self.lengths), Arc::new(items), None))
    }
}
