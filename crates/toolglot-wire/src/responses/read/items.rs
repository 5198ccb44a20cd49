//! The output items of a response while it is read: assigns events to items, and tracks what was emitted of each.

use std::collections::{BTreeMap, HashMap, VecDeque};

use toolglot_json::{Map, Value, json};

use super::ANNOTATION;
use crate::members::list;
use crate::response_event::{CallKind, Part, ResponseEvent};
use crate::responses::kinds::ItemKind;
use crate::responses::tools::{json_text, kind, text};

/// All items, in the order in which they first appeared.
#[derive(Debug, Default)]
pub(super) struct ReadItems {
    items: Vec<ReadItem>,
    by_id: HashMap<String, usize>,
    by_index: HashMap<u64, usize>,
    calls: usize,
}

/// The position of a text in an item, together with a number if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextSlot {
    Text,
    Refusal,
    Summary,
    Raw,
    Input,
}

/// The id and the index in an event, which locate its item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemPlace<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) index: Option<u64>,
}

/// One output item, as far as it has been read.
#[derive(Debug, Default)]
struct ReadItem {
    /// None if only this protocol has such items.
    kind: Option<ItemKind>,
    /// The server's latest version of the item; null while only deltas have arrived.
    object: Value,
    id: Option<String>,
    index: Option<u64>,
    name: Option<String>,
    /// What was emitted of each text; later events repeat it.
    sent: BTreeMap<(TextSlot, u64), String>,
    /// The number of annotations emitted for each part.
    annotated: BTreeMap<u64, usize>,
    /// The call's number, once its start has been emitted.
    call: Option<usize>,
    /// A call's input before its name is known.
    waiting: String,
    done: bool,
}

/// Fields of an item that are emitted as parts, or change while it is open.
const EMITTED: [&str; 6] = ["content", "summary", "arguments", "input", "encrypted_content", "status"];

impl ReadItems {
    pub(super) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Returns the item of an event, or a new one.
    ///
    /// It is found by its id, then by its index unless that item has ended; an event with neither belongs to the last
    /// item.
    pub(super) fn find(&mut self, kind: ItemKind, place: ItemPlace<'_>, out: &mut Vec<ResponseEvent>) -> usize {
        let kind = Some(kind);
        if let Some(found) = self.known(kind, place) {
            return found;
        }
        let item = ReadItem { kind, id: place.id.map(str::to_owned), index: place.index, ..ReadItem::default() };
        self.add(item, out)
    }

    /// Reads the item in an event that begins or ends it.
    pub(super) fn object(&mut self, event: &Value, done: bool, out: &mut Vec<ResponseEvent>) {
        let (object, index) = (&event["item"], event["output_index"].as_u64());
        if !object.is_object() {
            return;
        }
        let (kind, place) = (ItemKind::of(object), ItemPlace { id: text(object, "id"), index });
        let known = self.known(kind, place).filter(|found| done || !self.items[*found].done);
        // Servers may reuse an index. So a second beginning is that of a new item, unless the ids are equal or the
        // first item is only known by its deltas.
        let same_id = |item: &ReadItem| item.id.as_deref() == place.id && place.id.is_some();
        let known = known.filter(|found| done || same_id(&self.items[*found]) || self.items[*found].object.is_null());
        let at = match known {
            Some(at) => at,
            None => self.add(ReadItem::of(object, index), out),
        };
        self.items[at].learn(object);
        if kind.is_none() {
            out.push(own(event.clone()));
            self.items[at].done |= done;
        } else if done {
            self.close(at, out);
        } else {
            self.start(at, false, out);
        }
    }

    /// Sets a call's name from an event of its input.
    pub(super) fn named(&mut self, at: usize, name: Option<&str>) {
        let item = &mut self.items[at];
        item.name = item.name.take().or_else(|| name.map(str::to_owned));
    }

    /// Emits the next piece of a text.
    pub(super) fn push_text(&mut self, at: usize, place: (TextSlot, u64), piece: &str, out: &mut Vec<ResponseEvent>) {
        let item = &mut self.items[at];
        if piece.is_empty() || item.done || !item.takes(place.0) {
            return;
        }
        let part = match place.0 {
            TextSlot::Input => {
                let Some(call) = item.call else {
                    item.waiting.push_str(piece);
                    return;
                };
                Part::Arguments { call, text: piece.to_owned() }
            }
            TextSlot::Text => Part::Text(piece.to_owned()),
            TextSlot::Refusal => Part::Refusal(piece.to_owned()),
            TextSlot::Summary | TextSlot::Raw => Part::Reasoning(piece.to_owned()),
        };
        if !item.sent.contains_key(&place) {
            out.extend(boundary(place.0, item.sent.is_empty()).map(own));
        }
        item.sent.entry(place).or_default().push_str(piece);
        out.push(ResponseEvent::first(part));
    }

    /// Emits the rest of a whole text after its pieces; nothing if the pieces were different.
    pub(super) fn complete(&mut self, at: usize, place: (TextSlot, u64), whole: &str, out: &mut Vec<ResponseEvent>) {
        let item = &mut self.items[at];
        if place.0 == TextSlot::Input && item.call.is_none() {
            // Nothing has been emitted, so the whole text can replace its pieces.
            if !whole.is_empty() {
                whole.clone_into(&mut item.waiting);
            }
            return;
        }
        let sent = item.sent.get(&place).map_or("", String::as_str);
        if let Some(rest) = whole.strip_prefix(sent) {
            self.push_text(at, place, rest, out);
        }
    }

    /// Emits the log probabilities of the next piece of text.
    pub(super) fn probable(&mut self, at: usize, tokens: &[Value], out: &mut Vec<ResponseEvent>) {
        if !tokens.is_empty() && !self.items[at].done {
            out.push(ResponseEvent::first(Part::Logprobs(tokens.to_vec())));
        }
    }

    pub(super) fn has_sent(&self, at: usize, place: (TextSlot, u64)) -> bool {
        self.items[at].sent.contains_key(&place)
    }

    /// Counts an annotation that has its own event.
    pub(super) fn annotated(&mut self, place: ItemPlace<'_>, part: u64) {
        if let Some(at) = self.known(Some(ItemKind::Message), place) {
            *self.items[at].annotated.entry(part).or_default() += 1;
        }
    }

    /// Emits the annotations of a part that had no event, unless another part followed: they would be assigned to that
    /// part, and wrong annotations are worse than none.
    fn annotate(&mut self, at: usize, place: (TextSlot, u64), object: &Value, out: &mut Vec<ResponseEvent>) {
        let item = &mut self.items[at];
        if item.kind != Some(ItemKind::Message) || item.sent.keys().any(|sent| sent.1 > place.1) {
            return;
        }
        let known = item.annotated.entry(place.1).or_default();
        for annotation in list(&part_of(object, place.1)["annotations"]).iter().skip(*known) {
            *known += 1;
            out.push(own(json!({"type": ANNOTATION, "annotation": annotation})));
        }
    }

    /// Reads the items of the response that ends a stream, and ends all that are open.
    pub(super) fn reconcile<'a>(&mut self, output: impl Iterator<Item = &'a Value>, out: &mut Vec<ResponseEvent>) {
        let output: Vec<&Value> = output.collect();
        for (object, known) in output.iter().zip(self.partners(&output)) {
            let at = known.unwrap_or_else(|| self.add(ReadItem::of(object, None), out));
            if known.is_none() && self.items[at].kind.is_none() {
                out.push(own(json!({"type": "response.output_item.added", "item": object})));
            }
            self.items[at].learn(object);
            self.close(at, out);
        }
        (0..self.items.len()).for_each(|at| self.close(at, out));
    }

    /// Finds the earlier item for each item of the last response: by id, then by call id, then by kind in order. Each
    /// way is tried for all items before the next, so that a weak match does not take the place of a strong one.
    fn partners(&self, output: &[&Value]) -> Vec<Option<usize>> {
        let mut free: Vec<bool> = vec![true; self.items.len()];
        let mut partners = vec![None; output.len()];
        let calls = self.items.iter().enumerate().filter_map(|(at, item)| Some((text(&item.object, "call_id")?, at)));
        let by_call: HashMap<&str, usize> = calls.collect();
        let by_id = |object: &Value| text(object, "id").and_then(|id| self.by_id.get(id).copied());
        let by_call = |object: &Value| text(object, "call_id").and_then(|id| by_call.get(id).copied());
        for find in [&by_id as &dyn Fn(&Value) -> Option<usize>, &by_call] {
            for (object, partner) in output.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
                let found = find(object).filter(|at| free[*at] && self.items[*at].is_like(object));
                found.into_iter().for_each(|at| free[at] = false);
                *partner = found;
            }
        }
        let mut queues: HashMap<Option<ItemKind>, VecDeque<usize>> = HashMap::new();
        for (at, item) in self.items.iter().enumerate().filter(|(at, _)| free[*at]) {
            queues.entry(item.kind).or_default().push_back(at);
        }
        for (object, partner) in output.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let Some(queue) = queues.get_mut(&ItemKind::of(object)) else { continue };
            if queue.front().is_some_and(|at| self.items[*at].is_like(object)) {
                *partner = queue.pop_front();
            }
        }
        partners
    }

    fn known(&self, kind: Option<ItemKind>, place: ItemPlace<'_>) -> Option<usize> {
        let fits = |at: &usize| self.items[*at].kind == kind;
        let by_id = place.id.and_then(|id| self.by_id.get(id).copied()).filter(fits);
        let is_same = |at: &usize| {
            let item = &self.items[*at];
            !item.done || item.id.is_none() || place.id.is_none()
        };
        let by_index = || place.index.and_then(|index| self.by_index.get(&index).copied()).filter(fits).filter(is_same);
        let last = || self.items.len().checked_sub(1).filter(|at| place.index.is_none() && !self.items[*at].done);
        by_id.or_else(by_index).or_else(|| last().filter(fits))
    }

    fn add(&mut self, item: ReadItem, out: &mut Vec<ResponseEvent>) -> usize {
        let at = self.items.len();
        self.by_id.extend(item.id.clone().map(|id| (id, at)));
        self.by_index.extend(item.index.map(|index| (index, at)));
        if matches!(item.kind, Some(ItemKind::Message | ItemKind::Reasoning)) {
            item.announce(out);
        }
        self.items.push(item);
        at
    }

    /// Emits the start of a call, once its name and id are known, or at its end.
    fn start(&mut self, at: usize, end: bool, out: &mut Vec<ResponseEvent>) {
        let item = &mut self.items[at];
        let kind = match item.kind {
            Some(ItemKind::Function) => CallKind::Function,
            Some(ItemKind::Custom) => CallKind::Custom,
            _ => return,
        };
        let name = item.name.clone().filter(|name| !name.is_empty());
        // Deltas have no `call_id`, by which clients send the result.
        let Some(name) = name.filter(|_| item.call.is_none() && (end || item.object.is_object())) else { return };
        let id = text(&item.object, "call_id").or(item.id.as_deref()).filter(|id| !id.is_empty()).map(str::to_owned);
        item.announce(out);
        item.call = Some(self.calls);
        out.push(ResponseEvent::first(Part::CallStart { call: self.calls, id, name, kind }));
        self.calls += 1;
        let waiting = std::mem::take(&mut self.items[at].waiting);
        self.push_text(at, (TextSlot::Input, 0), &waiting, out);
    }

    /// Emits the rest of an item and its end.
    fn close(&mut self, at: usize, out: &mut Vec<ResponseEvent>) {
        if self.items[at].done {
            return;
        }
        self.start(at, true, out);
        let object = std::mem::take(&mut self.items[at].object);
        let is_last = at + 1 == self.items.len();
        for (place, whole) in texts(&object) {
            if !self.has_sent(at, place) && place.0 == TextSlot::Text {
                self.probable(at, list(&part_of(&object, place.1)["logprobs"]), out);
            }
            self.complete(at, place, &whole, out);
            if is_last {
                self.annotate(at, place, &object, out);
            }
        }
        let item = &mut self.items[at];
        match item.kind {
            Some(ItemKind::Function | ItemKind::Custom) => {
                // A truncated call ends with the response.
                let is_cut = text(&object, "status") == Some("incomplete");
                out.extend(item.call.filter(|_| !is_cut).map(|call| ResponseEvent::first(Part::CallEnd { call })))
            }
            Some(ItemKind::Reasoning) => {
                // After other items, the seal would be assigned to theirs; a wrong seal is worse than none.
                let seal = text(&object, "encrypted_content").filter(|seal| is_last && !seal.is_empty());
                out.extend(seal.map(|seal| ResponseEvent::first(Part::Seal(seal.to_owned()))));
            }
            None if object.is_object() => {
                out.push(own(json!({"type": "response.output_item.done", "item": object})));
            }
            _ => {}
        }
        item.object = object;
        item.done = true;
    }
}

impl ReadItem {
    fn of(object: &Value, index: Option<u64>) -> Self {
        let id = text(object, "id").map(str::to_owned);
        let mut item = Self { kind: ItemKind::of(object), id, index, ..Self::default() };
        item.learn(object);
        item
    }

    /// Stores the server's latest version of the item; the first name of a call is kept.
    fn learn(&mut self, object: &Value) {
        self.name = self.name.take().or_else(|| text(object, "name").map(str::to_owned));
        self.object = object.clone();
    }

    /// Emits the item without its text, so that a writer of this protocol can restore its fields.
    fn announce(&self, out: &mut Vec<ResponseEvent>) {
        if !self.object.is_object() && self.id.is_none() {
            return;
        }
        let mut object: Map = self.object.as_object().cloned().unwrap_or_default();
        object.retain(|key, value| !EMITTED.contains(&key.as_str()) && !value.is_null());
        object["type"] = self.kind.map_or("", ItemKind::name).into();
        object.extend(self.id.clone().map(|id| ("id".to_owned(), id.into())));
        out.push(own(json!({"type": "response.output_item.added", "item": object})));
    }

    /// Returns whether an item of the last response can be this one.
    fn is_like(&self, object: &Value) -> bool {
        let same = |ours: Option<&str>, theirs: Option<&str>| ours.is_none() || theirs.is_none() || ours == theirs;
        ItemKind::of(object) == self.kind
            && same(self.name.as_deref(), text(object, "name"))
            && (self.kind.is_some() || same(text(&self.object, "type"), text(object, "type")))
    }

    /// Returns whether a text is emitted: of reasoning, only the summary or the original, whichever came first.
    fn takes(&self, slot: TextSlot) -> bool {
        self.kind != Some(ItemKind::Reasoning) || self.sent.keys().all(|sent| sent.0 == slot)
    }
}

/// Returns a part of a message; null if there is none.
fn part_of(object: &Value, number: u64) -> &Value {
    &object["content"][usize::try_from(number).unwrap_or(usize::MAX)]
}

/// Returns all texts of an item with their positions.
fn texts(object: &Value) -> Vec<((TextSlot, u64), String)> {
    let mut texts = Vec::new();
    for (field, part_slot) in [("summary", TextSlot::Summary), ("content", TextSlot::Text)] {
        for (number, part) in (0..).zip(list(&object[field]).iter()) {
            let slot = match kind(part) {
                "refusal" => TextSlot::Refusal,
                _ if kind(object) == "reasoning" && field == "content" => TextSlot::Raw,
                _ => part_slot,
            };
            let whole = text(part, if slot == TextSlot::Refusal { "refusal" } else { "text" });
            texts.extend(whole.map(|whole| ((slot, number), whole.to_owned())));
        }
    }
    let input = match kind(object) {
        "function_call" => object.get("arguments"),
        "custom_tool_call" => object.get("input"),
        _ => None,
    };
    texts.extend(input.filter(|input| !input.is_null()).map(|input| ((TextSlot::Input, 0), json_text(input))));
    texts
}

/// Returns the event that begins a part of an item; none for the first part of a message.
fn boundary(slot: TextSlot, first: bool) -> Option<Value> {
    match slot {
        TextSlot::Summary => Some(json!({"type": "response.reasoning_summary_part.added"})),
        TextSlot::Raw => Some(json!({"type": "response.content_part.added", "part": {"type": "reasoning_text"}})),
        TextSlot::Text | TextSlot::Refusal if !first => Some(json!({"type": "response.content_part.added"})),
        _ => None,
    }
}

/// Returns an event that only this protocol has.
pub(super) fn own(event: Value) -> ResponseEvent {
    ResponseEvent::first(Part::Own(event))
}
