//! Events that only the Responses protocol has: passed on with the item's index in this stream.

use toolglot_json::Value;

use super::{EventBuilder, ItemKind, PartKind, ReasoningItem, ResponsesWriter, kind, text};

impl ResponsesWriter {
    /// Passes an event on, or reads the server's fields of an item that this writer writes itself.
    pub(super) fn own(&mut self, event: &Value, out: &mut Vec<u8>) {
        let item = event.get("item").filter(|item| item.is_object());
        match (kind(event), item) {
            // An event of another protocol has no such type.
            ("", _) => {}
            ("response.output_item.added", Some(item)) if ItemKind::of(item).is_some() => {
                if self.open.as_ref().is_some_and(|open| open.kind.name() == kind(item) && open.input_kind().is_none())
                {
                    self.close(out);
                }
                self.announced.extend(item.as_object().cloned());
            }
            ("response.output_item.added", Some(item)) => self.begin_own(event, item, out),
            ("response.reasoning_summary_part.added", _) => {
                self.announced_form = Some(ReasoningItem::Summary);
                self.end_part(out);
            }
            ("response.content_part.added", _) => {
                let is_reasoning = event.get("part").is_some_and(|part| kind(part) == "reasoning_text");
                self.announced_form = is_reasoning.then_some(ReasoningItem::Text).or(self.announced_form);
                self.end_part(out);
            }
            ("response.output_text.annotation.added", _) => self.annotate(event, out),
            (_, item) => self.continue_own(event, item, out),
        }
    }

    fn begin_own(&mut self, event: &Value, item: &Value, out: &mut Vec<u8>) {
        self.close(out);
        let index = self.output.len();
        self.output.push(item.to_string());
        self.own_ids.extend(text(item, "id").map(|id| (id.to_owned(), index)));
        self.own_indexes.extend(event["output_index"].as_u64().map(|number| (number, index)));
        self.write_own("response.output_item.added", event, Some(index), out);
    }

    fn continue_own(&mut self, event: &Value, item: Option<&Value>, out: &mut Vec<u8>) {
        let id = text(event, "item_id").or_else(|| item.and_then(|item| text(item, "id")));
        let number = event["output_index"].as_u64();
        let by_id = id.and_then(|id| self.own_ids.get(id).copied());
        let mut index = by_id.or_else(|| number.and_then(|number| self.own_indexes.get(&number).copied()));
        match (kind(event), item, index) {
            ("response.output_item.done", Some(item), Some(index)) => self.output[index] = item.to_string(),
            ("response.output_item.done", Some(item), None) => {
                // The server did not announce the item: SDKs throw if it ends without a beginning.
                self.begin_own(event, item, out);
                index = Some(self.output.len() - 1);
            }
            // It belongs to an item that was not passed on.
            (_, _, None) if id.is_some() || number.is_some() => return,
            _ => {}
        }
        self.write_own(kind(event), event, index, out);
    }

    fn annotate(&mut self, event: &Value, out: &mut Vec<u8>) {
        let item = self.open.as_mut().filter(|item| item.part == Some(PartKind::Text));
        if let Some((item, annotation)) = item.zip(event.get("annotation")) {
            item.annotate(annotation, EventBuilder::new(&[kind(event)], &mut self.sequence, out));
        }
    }

    fn write_own(&mut self, name: &str, event: &Value, index: Option<usize>, out: &mut Vec<u8>) {
        let mut written = self.event(name, out);
        for (key, value) in event.as_object().into_iter().flatten() {
            if !["type", "sequence_number", "output_index"].contains(&key.as_str()) {
                written = written.json(key, &value.to_string());
            }
        }
        if let Some(index) = index {
            drop(written.number("output_index", index));
        }
    }
}
