//! A cache of answers that Responses clients may refer to, if the model server uses another protocol.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolglot_json::Value;
use toolglot_wire::StoredAnswer;

use crate::owner::Owner;

/// The stored answers of all clients.
#[derive(Default)]
pub(crate) struct Memory(Mutex<AnswerTable>);

/// A client and an id; answers are scoped to their client.
type AnswerKey = (Owner, Arc<str>);

/// The stored answers, and their size.
#[derive(Default)]
struct AnswerTable {
    answers: HashMap<AnswerKey, Answer>,
    /// The answer that an item belongs to, and its index there.
    items: HashMap<AnswerKey, (Arc<str>, usize)>,
    /// The answers by the time of their last use.
    order: BTreeMap<u64, AnswerKey>,
    clock: u64,
    bytes: usize,
}

/// A stored answer, and when it was last used.
struct Answer {
    used: u64,
    bytes: usize,
    previous: Option<String>,
    /// The JSON text of the answer without its items.
    head: Arc<str>,
    turn: StoredTurn,
}

/// The request's input as the JSON text of a list, and the id and JSON text of each output item.
#[derive(Clone)]
struct StoredTurn {
    input: Arc<str>,
    output: Vec<(Arc<str>, Arc<str>)>,
}

/// Memory of an answer or an item in addition to its text: two keys, two map entries and their allocations, rounded up,
/// so that many tiny answers are counted correctly.
const OVERHEAD: usize = 256;

impl Memory {
    /// Stores a client's answer, and drops the least recently used ones beyond the limits.
    pub(crate) fn keep(&self, owner: Owner, stored_answer: StoredAnswer, most: usize, most_bytes: usize) {
        let mut store = self.store();
        store.insert(owner, stored_answer);
        store.shrink(most, most_bytes);
    }

    /// Returns a client's answer as it was sent.
    pub(crate) fn response(&self, owner: Owner, id: &str) -> Option<Value> {
        let mut store = self.store();
        let answer = store.used(&(owner, id.into()))?;
        let mut response: Value = toolglot_json::from_str(&answer.head).ok()?;
        let items = answer.turn.output.iter().map(|(_, item)| serde_json::from_str(item));
        response["output"] = items.collect::<Result<Vec<Value>, _>>().ok()?.into();
        Some(response)
    }

    /// Deletes a client's answer.
    pub(crate) fn forget(&self, owner: Owner, id: &str) {
        self.store().remove(&(owner, id.into()));
    }

    /// Drops the least recently used answers beyond the limits.
    pub(crate) fn shrink(&self, most: usize, most_bytes: usize) {
        self.store().shrink(most, most_bytes);
    }

    /// Returns an item of a client's answers.
    pub(crate) fn item(&self, owner: Owner, id: &str) -> Option<Value> {
        let text = self.store().item(&(owner, id.into()))?;
        serde_json::from_str(&text).ok()
    }

    /// Returns all items of the conversation that ends with a client's answer.
    pub(crate) fn conversation(&self, owner: Owner, id: &str) -> Option<Vec<Value>> {
        let turns = self.store().conversation((owner, id.into()))?;
        let mut items = Vec::new();
        for StoredTurn { input, output } in &turns {
            items.append(&mut serde_json::from_str(input).ok()?);
            for (_, item) in output {
                items.push(serde_json::from_str(item).ok()?);
            }
        }
        Some(items)
    }

    fn store(&self) -> MutexGuard<'_, AnswerTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnswerTable {
    fn insert(&mut self, owner: Owner, stored_answer: StoredAnswer) {
        let key: AnswerKey = (owner, stored_answer.id.as_str().into());
        self.remove(&key);
        let output: Vec<(Arc<str>, Arc<str>)> =
            stored_answer.output.into_iter().map(|(id, text)| (id.into(), text.into())).collect();
        let texts: usize = output.iter().map(|(id, text)| OVERHEAD + 2 * id.len() + text.len()).sum();
        let bytes = OVERHEAD + stored_answer.head.len() + stored_answer.input.len() + texts;
        for (place, (id, _)) in output.iter().enumerate() {
            self.items.insert((owner, Arc::clone(id)), (Arc::clone(&key.1), place));
        }
        self.clock += 1;
        self.order.insert(self.clock, key.clone());
        self.bytes += bytes;
        let (previous, turn) = (stored_answer.previous, StoredTurn { input: stored_answer.input.into(), output });
        let head = stored_answer.head.into();
        self.answers.insert(key, Answer { used: self.clock, bytes, previous, head, turn });
    }

    fn remove(&mut self, key: &AnswerKey) {
        let Some(answer) = self.answers.remove(key) else { return };
        self.order.remove(&answer.used);
        self.bytes -= answer.bytes;
        for (id, _) in answer.turn.output {
            let item = (key.0, id);
            // A later answer may have an item of the same id.
            if self.items.get(&item).is_some_and(|(answer, _)| *answer == key.1) {
                self.items.remove(&item);
            }
        }
    }

    fn shrink(&mut self, most: usize, most_bytes: usize) {
        while self.answers.len() > most || self.bytes > most_bytes {
            let Some((_, key)) = self.order.pop_first() else { return };
            self.remove(&key);
        }
    }

    /// Finds an answer, and marks it as the most recently used.
    fn used(&mut self, key: &AnswerKey) -> Option<&Answer> {
        let answer = self.answers.get_mut(key)?;
        self.order.remove(&answer.used);
        self.clock += 1;
        answer.used = self.clock;
        self.order.insert(self.clock, key.clone());
        Some(answer)
    }

    fn item(&mut self, key: &AnswerKey) -> Option<Arc<str>> {
        let (answer, place) = self.items.get(key)?.clone();
        let (_, text) = self.used(&(key.0, answer))?.turn.output.get(place)?;
        Some(Arc::clone(text))
    }

    /// Returns the turns up to an answer, oldest first; none if one was dropped.
    fn conversation(&mut self, last: AnswerKey) -> Option<Vec<StoredTurn>> {
        let (mut turns, mut next, most) = (Vec::new(), Some(last), self.answers.len());
        while let Some(key) = next {
            // An id that a server used twice could lead to a cycle.
            if turns.len() >= most {
                return None;
            }
            let answer = self.used(&key)?;
            turns.push(answer.turn.clone());
            next = answer.previous.as_deref().map(|previous| (key.0, previous.into()));
        }
        turns.reverse();
        Some(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(number: u8) -> Owner {
        Owner::of(&[number])
    }

    fn answer(id: &str, previous: Option<&str>) -> StoredAnswer {
        let (input, item) = (format!("[\"ask {id}\"]"), format!("\"say {id}\""));
        let output = vec![(format!("item_{id}"), item)];
        StoredAnswer { id: id.to_owned(), previous: previous.map(str::to_owned), head: "{}".to_owned(), input, output }
    }

    #[test]
    fn a_conversation_is_put_together_from_its_turns() {
        let memory = Memory::default();
        memory.keep(owner(1), answer("a", None), 9, 9999);
        memory.keep(owner(1), answer("b", Some("a")), 9, 9999);
        assert_eq!(
            memory.conversation(owner(1), "b"),
            serde_json::from_str(r#"["ask a","say a","ask b","say b"]"#).ok()
        );
        assert_eq!(memory.item(owner(1), "item_a"), Some("say a".into()));
    }

    #[test]
    fn nobody_finds_what_belongs_to_another() {
        let memory = Memory::default();
        memory.keep(owner(1), answer("a", None), 9, 9999);
        assert_eq!((memory.item(owner(2), "item_a"), memory.conversation(owner(2), "a")), (None, None));
        memory.keep(owner(2), answer("b", Some("a")), 9, 9999);
        assert_eq!(memory.conversation(owner(2), "b"), None);
    }

    #[test]
    fn what_was_not_used_for_longest_is_forgotten_first() {
        let memory = Memory::default();
        for id in ["a", "b"] {
            memory.keep(owner(1), answer(id, None), 2, 9999);
        }
        assert!(memory.item(owner(1), "item_a").is_some());
        memory.keep(owner(1), answer("c", Some("b")), 2, 9999);
        let found = ["a", "b", "c"].map(|id| memory.item(owner(1), &format!("item_{id}")).is_some());
        assert_eq!(found, [true, false, true]);
        assert_eq!(memory.conversation(owner(1), "c"), None, "its beginning is forgotten");
        memory.shrink(2, 700);
        assert_eq!(memory.store().answers.len(), 1);
        memory.shrink(2, 0);
        let store = memory.store();
        assert_eq!((store.answers.len(), store.items.len(), store.order.len(), store.bytes), (0, 0, 0, 0));
    }

    #[test]
    fn the_same_id_again_is_another_answer_and_no_circle() {
        let memory = Memory::default();
        for previous in [None, Some("a")] {
            memory.keep(owner(1), answer("a", previous), 9, 9999);
        }
        assert_eq!(memory.conversation(owner(1), "a"), None);
        assert!(memory.item(owner(1), "item_a").is_some());
    }
}
