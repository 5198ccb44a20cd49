//! `Serialize` for an inspection: objects with `start` and `end`; a call that there is none of is left out.

use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{Arrival, Inspection, Mending, Remedy, Stretch, WhyNot};
use crate::trace::Step;

impl Serialize for Inspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Inspection", 7)?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("spans", &self.spans)?;
        object.serialize_field("repairs", &self.repairs)?;
        object.serialize_field("steps", &self.steps)?;
        object.serialize_field("arrivals", &self.arrivals)?;
        object.serialize_field("held", &self.held)?;
        object.serialize_field("why", &self.why)?;
        object.end()
    }
}

/// Begins an object that is about some bytes.
fn about<S: Serializer>(serializer: S, span: &Range<usize>) -> Result<S::SerializeMap, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    object.serialize_entry("start", &span.start)?;
    object.serialize_entry("end", &span.end)?;
    Ok(object)
}

impl Serialize for Stretch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = about(serializer, &self.span)?;
        object.serialize_entry("kind", &self.kind)?;
        if let Some(call) = self.call {
            object.serialize_entry("call", &call)?;
        }
        object.end()
    }
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

impl Serialize for Arrival {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("at", &self.at)?;
        object.serialize_entry("event", self.event)?;
        if let Some(call) = self.call {
            object.serialize_entry("call", &call)?;
        }
        object.serialize_entry("text", &self.text)?;
        object.end()
    }
}

/// The reason is its name; `nothing` where nothing looks like a call.
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
