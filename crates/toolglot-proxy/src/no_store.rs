//! Replaces the shared store in builds without one.

use toolglot_json::Value;
use toolglot_wire::StoredAnswer;

use crate::config::Config;
use crate::owner::Owner;

/// A store that cannot be opened.
pub(crate) enum NoStore {}

pub(crate) use NoStore as SharedStore;

impl NoStore {
    pub(crate) fn open(_: &str, _: &Config) -> Result<Self, String> {
        Err("this program was built without the shared store; build it with `--features redis`, or use `memory`"
            .to_owned())
    }

    pub(crate) async fn item(&self, _: Owner, _: &str) -> Result<Option<Value>, String> {
        match *self {}
    }

    pub(crate) async fn conversation(&self, _: Owner, _: &str) -> Result<Option<Vec<Value>>, String> {
        match *self {}
    }

    pub(crate) async fn keep(&self, _: Owner, _: StoredAnswer) -> Result<(), String> {
        match *self {}
    }

    pub(crate) async fn response(&self, _: Owner, _: &str) -> Result<Option<Value>, String> {
        match *self {}
    }

    pub(crate) async fn forget(&self, _: Owner, _: &str) -> Result<(), String> {
        match *self {}
    }
}
