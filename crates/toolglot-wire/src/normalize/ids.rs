//! The ids of calls: the server's if they are valid, otherwise generated ones.

use std::collections::HashSet;
use std::sync::Arc;

use toolglot::mint;

use crate::chat::request::ChatAsked;

/// The ids of one answer; each is used once in the whole conversation.
#[derive(Default)]
pub(super) struct AnswerIds {
    asked: Arc<ChatAsked>,
    used: HashSet<String>,
    seed: u64,
    minted: usize,
}

impl AnswerIds {
    pub(super) fn new(asked: Arc<ChatAsked>, seed: u64) -> Self {
        Self { asked, seed, ..Self::default() }
    }

    /// Returns the id of a call: the server's if all protocols accept it and no other call has it.
    pub(super) fn take(&mut self, id: Option<&str>) -> String {
        let id = id.filter(|id| is_plain(id) && self.is_free(id)).map(str::to_owned);
        let id = id.unwrap_or_else(|| self.mint());
        self.used.insert(id.clone());
        id
    }

    fn mint(&mut self) -> String {
        loop {
            let id = mint(self.seed, self.minted);
            self.minted += 1;
            if self.is_free(&id) {
                return id;
            }
        }
    }

    fn is_free(&self, id: &str) -> bool {
        !self.asked.used.contains(id) && !self.used.contains(id)
    }
}

/// Returns whether all protocols and servers accept an id.
pub(crate) fn is_plain(id: &str) -> bool {
    // OpenAI limits the length, and Anthropic the characters.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=40).contains(&id.len()) && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_kept_where_it_serves() {
        let asked = ChatAsked { used: HashSet::from(["call_old".to_owned()]), ..ChatAsked::default() };
        let mut ids = AnswerIds::new(Arc::new(asked), 7);
        assert_eq!(ids.take(Some("call_new")), "call_new");
        let long = "x".repeat(41);
        let bad = [None, Some(""), Some("call_old"), Some("call_new"), Some("functions.x:0"), Some(long.as_str())];
        let minted: HashSet<String> = bad.into_iter().map(|id| ids.take(id)).collect();
        assert_eq!(minted.len(), bad.len());
        assert!(minted.iter().all(|id| is_plain(id) && id.starts_with("call_") && id != "call_old"));
    }
}
