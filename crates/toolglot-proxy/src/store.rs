//! Stores answers that later requests refer to: in memory, or in a shared store.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::JoinHandle;
use toolglot_json::Value;
use toolglot_wire::{Fault, Recall, StoredAnswer};

use crate::error::ProxyError;
use crate::live::{Live, Shared};
use crate::owner::Owner;

/// The ids that a request refers to.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(crate) items: Vec<String>,
    pub(crate) conversations: Vec<String>,
}

impl References {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.conversations.is_empty()
    }
}

/// The stored data that a request refers to; missing ids are recorded.
#[derive(Debug, Default)]
pub(crate) struct Recollection {
    pub(crate) items: HashMap<String, Value>,
    pub(crate) conversations: HashMap<String, Vec<Value>>,
    missed: RefCell<References>,
}

impl Recollection {
    /// Runs `read` without stored data; returns its result, and the ids that it looked for.
    pub(crate) fn asked_by<T>(read: impl FnOnce(&Self) -> T) -> (T, References) {
        let empty = Self::default();
        let result = read(&empty);
        (result, empty.missed.into_inner())
    }
}

impl Recall for Recollection {
    fn item(&self, id: &str) -> Option<Value> {
        let found = self.items.get(id).cloned();
        if found.is_none() {
            self.missed.borrow_mut().items.push(id.to_owned());
        }
        found
    }

    fn conversation(&self, id: &str) -> Option<Vec<Value>> {
        let found = self.conversations.get(id).cloned();
        if found.is_none() {
            self.missed.borrow_mut().conversations.push(id.to_owned());
        }
        found
    }
}

/// A running task that stores an answer.
pub(crate) type Keeping = JoinHandle<()>;

/// Fetches the data that a request refers to, as far as it is stored.
pub(crate) async fn recall(
    shared: &Shared,
    live: &Live,
    owner: Owner,
    references: References,
) -> Result<Recollection, Fault> {
    let mut found = Recollection::default();
    for id in references.items {
        let item = match &live.shared_store {
            None => shared.memory.item(owner, &id),
            Some(store) => within(shared, "read", store.item(owner, &id)).await?,
        };
        found.items.extend(item.map(|item| (id, item)));
    }
    for id in references.conversations {
        let items = match &live.shared_store {
            None => shared.memory.conversation(owner, &id),
            Some(store) => within(shared, "read", store.conversation(owner, &id)).await?,
        };
        found.conversations.extend(items.map(|items| (id, items)));
    }
    Ok(found)
}

/// Stores an answer; wait for the returned task, so that the client's next request finds it.
pub(crate) fn keep(shared: &Arc<Shared>, owner: Owner, answer: StoredAnswer) -> Option<Keeping> {
    let live = shared.live.load_full();
    let limits = &live.config.limits;
    if live.shared_store.is_none() {
        shared.memory.keep(owner, answer, limits.answers_kept, limits.bytes_kept.0);
        return None;
    }
    let shared = Arc::clone(shared);
    // In a task, so that it completes even if the client disconnects.
    Some(tokio::spawn(async move {
        if let Some(store) = &live.shared_store {
            // The answer itself is valid; a later request that refers to it gets an error.
            let _ = within(&shared, "write", store.keep(owner, answer)).await;
        }
    }))
}

/// Returns a client's answer as it was sent.
pub(crate) async fn response(shared: &Shared, live: &Live, owner: Owner, id: &str) -> Result<Option<Value>, Fault> {
    match &live.shared_store {
        None => Ok(shared.memory.response(owner, id)),
        Some(store) => within(shared, "read", store.response(owner, id)).await,
    }
}

/// Deletes a client's answer.
pub(crate) async fn forget(shared: &Shared, live: &Live, owner: Owner, id: &str) -> Result<(), Fault> {
    match &live.shared_store {
        None => shared.memory.forget(owner, id),
        Some(store) => within(shared, "write", store.forget(owner, id)).await?,
    }
    Ok(())
}

/// Waits for the shared store; errors are counted and logged.
async fn within<T>(
    shared: &Shared,
    what: &'static str,
    asked: impl Future<Output = Result<T, String>>,
) -> Result<T, Fault> {
    asked.await.map_err(|error| {
        shared.metrics.store_errors.add(&[what], 1);
        let details = [("operation", Value::from(what)), ("error", Value::from(error))];
        shared.event("error", "the shared store failed", &details);
        ProxyError::STORE.because("the store of earlier answers is unreachable; try again later, or send the whole conversation without `previous_response_id`")
    })
}
