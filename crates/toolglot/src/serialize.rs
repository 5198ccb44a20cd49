//! `Serialize` for the results of parsing; the JSON is that of the command line, with names instead of variants.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::diagnostic::{Class, Code, Diagnostic};
use crate::event::{Event, EventKind, Outcome};
use crate::inspect::ByteKind;
use crate::message::{Call, IncompleteCall, Message};
use crate::options::FinishReason;
use crate::trace::Action;

macro_rules! by_name {
    ($($kind:ty),*) => {
        $(impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        })*
    };
}

by_name!(Code, Class, Outcome, FinishReason, ByteKind, Action);

macro_rules! by_field {
    ($kind:ty, $name:literal, $($field:literal = $($of:ident).+ $(=> $as:ident)?),*) => {
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_struct($name, [$($field),*].len())?;
                $(object.serialize_field($field, &self.$($of).+ $(.$as())?)?;)*
                object.end()
            }
        }
    };
}

by_field!(Call, "Call", "id" = id, "name" = name, "arguments" = arguments);
by_field!(IncompleteCall, "IncompleteCall", "name" = name, "arguments" = arguments, "text" = text, "outcome" = outcome);
// The dialect is its name, or null.
by_field!(
    Message, "Message", "content" = content, "reasoning" = reasoning, "calls" = calls, "incomplete" = incomplete,
    "finish_reason" = finish_reason, "dialect" = dialect => as_deref, "diagnostics" = diagnostics
);
// The span is `start` and `end`, in bytes of the input.
by_field!(
    Diagnostic, "Diagnostic", "code" = code, "start" = span.start, "end" = span.end, "message" = message,
    "dialect" = dialect => as_deref
);

/// An object with `type`, `start`, `end`, and the members of this event type.
impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("type", self.kind.name())?;
        object.serialize_entry("start", &self.span.start)?;
        object.serialize_entry("end", &self.span.end)?;
        match &self.kind {
            EventKind::Text(text) | EventKind::Reasoning(text) => object.serialize_entry("text", text)?,
            EventKind::Markup => {}
            EventKind::CallStart { index, id, name } => {
                object.serialize_entry("index", index)?;
                object.serialize_entry("id", id)?;
                object.serialize_entry("name", name)?;
            }
            EventKind::Arguments { index, json } => {
                object.serialize_entry("index", index)?;
                object.serialize_entry("json", json)?;
            }
            EventKind::CallEnd { index, id, outcome } => {
                object.serialize_entry("index", index)?;
                object.serialize_entry("id", id)?;
                object.serialize_entry("outcome", outcome)?;
            }
            EventKind::Diagnostic(diagnostic) => {
                object.serialize_entry("code", &diagnostic.code)?;
                object.serialize_entry("message", &diagnostic.message)?;
                object.serialize_entry("dialect", &diagnostic.dialect.as_deref())?;
            }
        }
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Dialects, Options, Parser, Tools, parse};

    const TEXT: &str = "Hi <tool_call>{\"name\": \"ls\", \"arguments\": {\"a\": True}}</tool_call>";

    #[test]
    fn a_message_is_its_fields() {
        let message = parse(TEXT, &Dialects::builtin(), &Tools::default(), &Options::default().with_id_seed(1));
        let value = serde_json::to_value(&message).unwrap();
        assert_eq!(value["content"], "Hi ");
        assert_eq!(value["calls"][0]["arguments"], "{\"a\": true}");
        assert_eq!((&value["finish_reason"], &value["dialect"]), (&json!("tool_calls"), &json!("hermes")));
        assert_eq!(value["diagnostics"][0]["code"], "python_literal");
    }

    #[test]
    fn events_have_a_type_and_a_place() {
        let options = Options::default();
        let mut parser = Parser::new(&Dialects::builtin(), &Tools::default(), &options);
        let events: Vec<Value> = parser.push(TEXT).map(|event| serde_json::to_value(&event).unwrap()).collect();
        assert_eq!(events[0], json!({"type": "text", "start": 0, "end": 3, "text": "Hi "}));
        assert!(events.iter().any(|event| event["type"] == "call_start" && event["name"] == "ls"), "{events:?}");
        assert!(events.iter().any(|event| event["type"] == "call_end" && event["outcome"] == "repaired"), "{events:?}");
    }
}
