//! Keys that nobody may see, and how they are taken out of errors that repeat them.

use std::sync::Arc;

use toolglot_json::Value;

use crate::fault::Fault;

/// Keys that a server may repeat in its errors; cheap to clone.
#[derive(Clone, Default)]
pub struct Secrets(Arc<[String]>);

/// Shorter keys may be parts of words; they are taken out where they stand alone.
const LONG: usize = 8;

/// Keys that are shorter are words, and no secrets: without them an error could not be read.
const SHORT: usize = 4;

/// What stands in the place of a key.
const BLOT: &str = "***";

impl Secrets {
    /// Returns these keys; one of less than four letters is none.
    pub fn new(keys: impl IntoIterator<Item = String>) -> Self {
        let mut keys: Vec<String> = keys.into_iter().filter(|key| key.chars().count() >= SHORT).collect();
        // A key that another one begins with would leave the rest of that.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        keys.dedup();
        Self(keys.into())
    }

    /// Returns these keys and more of them.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        Self::new(self.0.iter().cloned().chain(more))
    }

    /// Takes the keys out of a text; says whether there were any.
    pub fn redact(&self, text: &mut String) -> bool {
        let mut found = false;
        // Stars tell nobody anything, and stand where a key stood.
        for key in self.0.iter().filter(|key| key.bytes().any(|byte| byte != b'*')) {
            if let Some(without) = blotted(text, key) {
                *text = without;
                found = true;
            }
        }
        found
    }

    /// Takes the keys out of all texts of a JSON value; says whether there were any.
    pub fn blot_value(&self, value: &mut Value) -> bool {
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

    /// Takes the keys out of a body that tells an error; nothing if there are none in it.
    pub fn blot_body(&self, body: &[u8]) -> Option<Vec<u8>> {
        if let Ok(mut value) = toolglot_json::from_slice(body) {
            return self.blot_value(&mut value).then(|| value.to_string().into_bytes());
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
    /// Takes keys out of all that the error says.
    pub fn redact(&mut self, secrets: &Secrets) {
        secrets.redact(&mut self.message);
        for word in [&mut self.code, &mut self.param].into_iter().flatten() {
            secrets.redact(word);
        }
    }
}

/// Returns the text without the key; nothing if it is not there.
fn blotted(text: &str, key: &str) -> Option<String> {
    let short = key.chars().count() < LONG;
    let joins = |c: Option<char>| short && c.is_some_and(char::is_alphanumeric);
    let (mut out, mut done) = (String::new(), 0);
    for (at, _) in text.match_indices(key) {
        let (before, after) = (&text[..at], &text[at + key.len()..]);
        if !joins(before.chars().next_back()) && !joins(after.chars().next()) {
            out.push_str(&text[done..at]);
            out.push_str(BLOT);
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
        assert_eq!(secrets.blot_body(body.as_bytes()), Some(wanted.into_bytes()));
        assert_eq!(secrets.blot_body(b"<p>note</p>"), Some(b"<p>***</p>".to_vec()));
        assert_eq!(secrets.blot_body(b"{ \"m\" : \"no\" }"), None);
        assert_eq!(format!("{secrets:?}"), "***");
    }
}
