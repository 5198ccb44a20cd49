//! Answers without calls that may be near misses, checked when the answer is complete.

use memchr::memchr3;
use toolglot::{Dialects, NearMiss, Options, Tools, near_miss, parse};

/// The text of an answer in which no call was recognised, and the settings it was read with.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub(crate) text: String,
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
}

/// Bytes kept of the end of an answer; calls are shorter.
const KEPT: usize = 64 << 10;

/// Every call contains one of these.
const SIGNS: [[u8; 3]; 3] = [*b"<[{", *b"(:@", *b"```"];

impl Suspect {
    /// Returns why no call was recognised, if the text looks like one. Reads the text many times, which takes milliseconds.
    pub fn near_miss(&self) -> Option<NearMiss> {
        let message = parse(&self.text, &self.dialects, &self.tools, &self.options);
        near_miss(&self.text, &message, &self.dialects, &self.tools, &self.options)
    }
}

/// Appends to the kept end of a text.
pub(crate) fn keep(kept: &mut String, text: &str) {
    kept.push_str(text);
    // Only at twice the size, so that the cost for each byte is constant.
    if kept.len() > 2 * KEPT {
        let from = (kept.len() - KEPT..kept.len()).find(|at| kept.is_char_boundary(*at)).unwrap_or(kept.len());
        kept.drain(..from);
    }
}

/// Returns whether a text may contain a call at all.
pub(crate) fn has_signs(text: &str) -> bool {
    SIGNS.iter().any(|[one, two, three]| memchr3(*one, *two, *three, text.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        let mut kept = String::new();
        (0..100_000).for_each(|_| keep(&mut kept, "é "));
        keep(&mut kept, "<tool_call>");
        assert!(kept.len() <= 2 * KEPT + 11 && kept.ends_with("é <tool_call>"));
    }
}
