//! Redacts keys in errors.

use std::sync::Arc;

use toolglot_json::Value;

use crate::fault::Fault;

/// Keys to redact in errors; cheap to clone.
#[derive(Clone, Default)]
pub struct Secrets(Arc<[String]>);

/// Shorter keys may be parts of words, so they are only redacted as whole words.
const LONG: usize = 8;

/// Shorter keys are not redacted, since that would make errors unreadable.
const SHORT: usize = 4;

/// The replacement for a key.
const REDACTED: &str = "***";

impl Secrets {
    /// Returns these keys; keys of less than four characters are ignored.
    pub fn new(keys: impl IntoIterator<Item = String>) -> Self {
        let mut keys: Vec<String> = keys.into_iter().filter(|key| key.chars().count() >= SHORT).collect();
        // The longest first: a key may be a prefix of another.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        keys.dedup();
        Self(keys.into())
    }

    /// Returns these keys and more.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        Self::new(self.0.iter().cloned().chain(more))
    }

    /// Redacts the keys in a text; returns whether there were any.
    pub fn redact(&self, text: &mut String) -> bool {
        let mut found = false;
        // Asterisks reveal nothing, and are the replacement.
        for key in self.0.iter().filter(|key| key.bytes().any(|byte| byte != b'*')) {
            if let Some(without) = redacted(text, key) {
                *text = without;
                found = true;
            }
        }
        found
    }

    /// Redacts the keys in all strings of a JSON value; returns whether there were any.
    pub fn redact_value(&self, value: &mut Value) -> bool {
        let (mut found, mut rest) = (false, vec![value]);
        while let Some(value) = rest.pop() {
            match value {
                Value::String(text) => found |= self.redact(text),
                Value::Array(items) => rest.extend(items),
                Value::Object(members) => rest.extend(members.values_mut()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        found
    }

    /// Redacts the keys in an error's body; returns nothing if there are none.
    pub fn redact_body(&self, body: &[u8]) -> Option<Vec<u8>> {
        if let Ok(mut value) = toolglot_json::from_slice(body) {
            return self.redact_value(&mut value).then(|| value.to_string().into_bytes());
        }
        let mut text = String::from_utf8_lossy(body).into_owned();
        self.redact(&mut text).then(|| text.into_bytes())
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Fault {
    /// Redacts keys in the error.
    pub fn redact(&mut self, secrets: &Secrets) {
        secrets.redact(&mut self.message);
        for word in [&mut self.code, &mut self.param].into_iter().flatten() {
            secrets.redact(word);
        }
    }
}

/// Returns the text with the key redacted; nothing if it does not contain the key.
fn redacted(text: &str, key: &str) -> Option<String> {
    let short = key.chars().count() < LONG;
    let joins = |c: Option<char>| short && c.is_some_and(char::is_alphanumeric);
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(key) {
        let (before, after) = (&text[..at], &text[at + key.len()..]);
        if !joins(before.chars().next_back()) && !joins(after.chars().next()) {
            out.push_str(&text[done..at]);
            out.push_str(REDACTED);
            done = at + key.len();
        }
    }
    (done > 0).then(|| out + &text[done..])
}

#[cfg(test)]
mod tests {
    use toolglot_json::json;

    use super::*;

    fn redact(keys: &[&str], text: &str) -> String {
        let mut text = text.to_owned();
        Secrets::new(keys.iter().map(|key| (*key).to_owned())).redact(&mut text);
        text
    }

    #[test]
    fn long_keys_go_everywhere_and_short_ones_where_they_stand_alone() {
        assert_eq!(redact(&["sk-12345678"], "key:xsk-12345678y"), "key:x***y");
        assert_eq!(redact(&["UPKE"], "bad key `UPKE` in UPKEEP: max_UPKE"), "bad key `***` in UPKEEP: max_***");
        assert_eq!(redact(&["sesame", "sesame-and-more"], "sesame-and-more sesame"), "*** ***");
        assert_eq!(redact(&["****", "bear"], "a **** bear"), "a **** ***");
        assert_eq!(redact(&["äöüß"], "zäöüß äöüß."), "zäöüß ***.");
    }

    #[test]
    fn words_of_few_letters_are_no_secrets() {
        let text = "a key of x is no key: EMP, äöü";
        assert_eq!(redact(&["", "a", "x", "of", "EMP", "äöü"], text), text);
    }

    #[test]
    fn bodies_keep_their_form() {
        let secrets = Secrets::default().with(["note".to_owned(), "a\"bc".to_owned()]);
        let body = json!({"error": {"message": "no\nnote a\"bc", "note": [1, "note"]}}).to_string();
        let wanted = json!({"error": {"message": "no\n*** ***", "note": [1, "***"]}}).to_string();
        assert_eq!(secrets.redact_body(body.as_bytes()), Some(wanted.into_bytes()));
        assert_eq!(secrets.redact_body(b"<p>note</p>"), Some(b"<p>***</p>".to_vec()));
        assert_eq!(secrets.redact_body(b"{ \"m\" : \"no\" }"), None);
        assert_eq!(format!("{secrets:?}"), "***");
    }
}
