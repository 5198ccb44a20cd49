//! Assigns the log probabilities of tokens to pieces of text.

use std::collections::VecDeque;

use toolglot_json::Value;

/// Tokens whose text has not been written. Pieces of text need not match tokens, and the text of some tokens is never
/// written.
#[derive(Debug, Default)]
pub(crate) struct PendingLogprobs {
    waiting: VecDeque<Value>,
    /// The written part of the first token.
    begun: String,
}

impl PendingLogprobs {
    /// Adds the tokens of the next text.
    pub(crate) fn add(&mut self, tokens: &[Value]) {
        self.waiting.extend(tokens.iter().cloned());
    }

    /// Returns the tokens that end in a piece of text; earlier tokens whose text was not written are dropped.
    pub(crate) fn take(&mut self, piece: &str) -> Vec<Value> {
        let mut ended = Vec::new();
        if self.waiting.is_empty() {
            return ended;
        }
        let text = std::mem::take(&mut self.begun) + piece;
        let mut rest = text.as_str();
        while let Some(first) = self.waiting.front() {
            let token = first["token"].as_str().unwrap_or_default();
            if let Some(behind) = rest.strip_prefix(token) {
                rest = behind;
                ended.extend(self.waiting.pop_front());
            } else if token.starts_with(rest) {
                rest.clone_into(&mut self.begun);
                break;
            } else {
                if rest.len() == text.len() {
                    // The written part was that of this token, whose rest was not written.
                    rest = piece;
                }
                self.waiting.pop_front();
            }
        }
        ended
    }

    /// Drops all tokens.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.begun.clear();
    }
}

#[cfg(test)]
mod tests {
    use toolglot_json::json;

    use super::*;

    fn taken(tokens: &[&str], pieces: &[&str]) -> Vec<String> {
        let mut waiting = PendingLogprobs::default();
        waiting.add(&tokens.iter().map(|token| json!({"token": token})).collect::<Vec<_>>());
        let joined = |tokens: Vec<Value>| {
            tokens.iter().filter_map(|token| token["token"].as_str()).collect::<Vec<_>>().join("|")
        };
        pieces.iter().map(|piece| joined(waiting.take(piece))).collect()
    }

    #[test]
    fn tokens_go_with_the_text_in_which_they_end() {
        assert_eq!(taken(&["a", "b c", "d"], &["ab", " cd", "e"]), ["a", "b c|d", ""]);
        assert_eq!(taken(&["a", "<", "b"], &["a", "b"]), ["a", "b"]);
        assert_eq!(taken(&["<a>\n", "b"], &["<a>", "b"]), ["", "b"]);
        assert_eq!(taken(&["\u{fffd}", "a"], &["\u{e9}", "a"]), ["", ""]);
    }
}
