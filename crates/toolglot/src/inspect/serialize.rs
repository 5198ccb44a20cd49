//! `Serialize` for an inspection: bulk data as arrays of numbers, the rest as objects with `start` and `end`.

use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{Arrival, Inspection, Mending, Remedy, Stretch, WhyNot};
use crate::trace::Step;

/// Spans are `end`, `kind` and `call` in turn: each begins where the last one ends, the kind is its index in [`ByteKind`],
/// and -1 means no call. `held` has both numbers in turn. Of arrivals, `rows` has `at`, `event` and `call` in
/// turn, the event as its index in text, reasoning, call_start, arguments and call_end; `text` has the text of each.
impl Serialize for Inspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Inspection", 7)?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("spans", &Row(|| self.spans.iter().flat_map(stretch_row)))?;
        object.serialize_field("repairs", &self.repairs)?;
        object.serialize_field("steps", &self.steps)?;
        object.serialize_field("arrivals", &Arrivals(&self.arrivals))?;
        object.serialize_field("held", &Row(|| self.held.iter().flat_map(|held| [held.0 as i64, held.1 as i64])))?;
        object.serialize_field("why", &self.why)?;
        object.end()
    }
}

/// A sequence from an iterator, which is created again for each serialization.
struct Row<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Row<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

fn stretch_row(stretch: &Stretch) -> [i64; 3] {
    [stretch.span.end as i64, stretch.kind as i64, call_number(stretch.call)]
}

fn arrival_row(arrival: &Arrival) -> [i64; 3] {
    let event = EVENTS.iter().position(|event| *event == arrival.event);
    [arrival.at as i64, event.map_or(-1, |event| event as i64), call_number(arrival.call)]
}

const EVENTS: [&str; 5] = ["text", "reasoning", "call_start", "arguments", "call_end"];

fn call_number(call: Option<usize>) -> i64 {
    call.map_or(-1, |call| call as i64)
}

/// Begins an object with a span.
fn about<S: Serializer>(serializer: S, span: &Range<usize>) -> Result<S::SerializeMap, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    object.serialize_entry("start", &span.start)?;
    object.serialize_entry("end", &span.end)?;
    Ok(object)
}

impl Serialize for Mending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = about(serializer, &self.span)?;
        object.serialize_entry("code", &self.code)?;
        object.serialize_entry("class", &self.class)?;
        object.serialize_entry("message", &self.message)?;
        object.serialize_entry("before", &self.before)?;
        object.serialize_entry("after", &self.after)?;
        object.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = about(serializer, &self.span)?;
        object.serialize_entry("action", &self.action)?;
        object.serialize_entry("dialect", &self.dialect.as_deref())?;
        object.serialize_entry("detail", &self.detail)?;
        object.end()
    }
}

/// The arrivals, numbers and texts apart.
struct Arrivals<'i>(&'i [Arrival]);

impl Serialize for Arrivals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Arrivals", 2)?;
        object.serialize_field("rows", &Row(|| self.0.iter().flat_map(arrival_row)))?;
        object.serialize_field("text", &Row(|| self.0.iter().map(|arrival| &arrival.text)))?;
        object.end()
    }
}

/// The reason as its name; `nothing` if nothing looks like a call.
impl Serialize for WhyNot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = about(serializer, &self.span)?;
        object.serialize_entry("reason", self.reason.map_or("nothing", |reason| reason.name()))?;
        object.serialize_entry("message", &self.message)?;
        object.serialize_entry("fix", &self.fix)?;
        object.end()
    }
}

impl Serialize for Remedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Remedy", 2)?;
        object.serialize_field("kind", self.kind)?;
        object.serialize_field("value", &self.value)?;
        object.end()
    }
}
