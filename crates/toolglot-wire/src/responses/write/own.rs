//! What only a Responses server says: passed on with the numbers that it has here.

use toolglot_json::{Map, Value};

use super::{EventBuilder, PartKind, ReasoningItem, ResponsesWriter, kind, text};

impl ResponsesWriter {
    /// Passes an event on, or reads the fields of an item that is rewritten.
    pub(super) fn own(&mut self, event: &Value, out: &mut Vec<u8>) {
        let item = event.get("item").filter(|item| item.is_object());
        match (kind(event), item) {
            // Another protocol's own.
            ("", _) => {}
            ("response.output_item.added", Some(item)) if is_written(item) => {
                if self.open.as_ref().is_some_and(|open| open.kind.name() == kind(item) && open.input_kind().is_none())
                {
                    self.close(out);
                }
                self.announced.extend(item.as_object().cloned());
            }
            ("response.output_item.added", Some(item)) => self.own_item(event, item, out),
            ("response.reasoning_summary_part.added", _) => {
                self.announced_form = Some(ReasoningItem::Summary);
                self.end_part(out);
            }
            ("response.content_part.added", _) => {
                let raw = event.get("part").is_some_and(|part| kind(part) == "reasoning_text");
                self.announced_form = raw.then_some(ReasoningItem::Text).or(self.announced_form);
                self.end_part(out);
            }
            ("response.output_text.annotation.added", _) => self.annotation(event, out),
            (_, item) => self.own_event(event, item, out),
        }
    }

    fn own_item(&mut self, event: &Value, item: &Value, out: &mut Vec<u8>) {
        self.close(out);
        let index = self.output.len();
        self.output.push(item.to_string());
        self.own_ids.extend(text(item, "id").map(|id| (id.to_owned(), index)));
        self.own_indexes.extend(event.get("output_index").and_then(Value::as_u64).map(|number| (number, index)));
        self.renumbered(event, Some(index), out);
    }

    fn own_event(&mut self, event: &Value, item: Option<&Value>, out: &mut Vec<u8>) {
        let id = text(event, "item_id").or_else(|| item.and_then(|item| text(item, "id")));
        let number = event.get("output_index").and_then(Value::as_u64);
        let by_id = id.and_then(|id| self.own_ids.get(id).copied());
        let index = by_id.or_else(|| number.and_then(|number| self.own_indexes.get(&number).copied()));
        match (kind(event), item, index) {
            ("response.output_item.done", Some(item), Some(index)) => self.output[index] = item.to_string(),
            ("response.output_item.done", Some(item), None) => {
                // It was never announced: SDKs throw at an end without a beginning.
                let mut added: Map = event.as_object().cloned().unwrap_or_default();
                added.insert("type".to_owned(), "response.output_item.added".into());
                self.own_item(&Value::Object(added), item, out);
                return self.renumbered(event, Some(self.output.len() - 1), out);
            }
            // It belongs to an item that is not here.
            (_, _, None) if id.is_some() || number.is_some() => return,
            _ => {}
        }
        self.renumbered(event, index, out);
    }

    fn annotation(&mut self, event: &Value, out: &mut Vec<u8>) {
        let Some(annotation) = event.get("annotation") else { return };
        if let Some(item) = self.open.as_mut().filter(|item| item.part_kind() == Some(PartKind::Text)) {
            item.annotate(annotation, EventBuilder::new(kind(event), &mut self.sequence, out));
        }
    }

    fn renumbered(&mut self, event: &Value, index: Option<usize>, out: &mut Vec<u8>) {
        let mut written = self.event(kind(event), out);
        for (key, value) in event.as_object().into_iter().flatten() {
            written = match (key.as_str(), index) {
                ("type" | "sequence_number", _) => written,
                ("output_index", _) => written,
                _ => written.json(key, &value.to_string()),
            };
        }
        if let Some(index) = index {
            drop(written.number("output_index", index));
        }
    }
}

/// Says whether an item is one that the writer makes itself.
fn is_written(item: &Value) -> bool {
    ["message", "reasoning", "function_call", "custom_tool_call"].contains(&kind(item))
}
