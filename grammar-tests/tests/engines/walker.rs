//! Walks where an engine leads.

use toolglot_grammar_tests::Engine;
use toolglot_json::Value;

use crate::gbnf::Matcher;
use crate::random::Random;

/// Returns the texts of a tag that may lead to an end.
pub(crate) fn markers(tag: &str) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::String(text) if matches!(key.as_str(), "value" | "end" | "begin") => {
                            found.push(text.clone())
                        }
                        value => collect(value, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = vec!["\"}".to_owned(), "\"]}".to_owned()];
    collect(&serde_json::from_str(tag).unwrap(), &mut found);
    found
}

/// Goes where an engine leads: by chance, then to an end as the guide knows it, or else along markers that have begun; `None` if
/// that does not end.
pub(crate) fn led(
    engine: &mut dyn Engine,
    mut guide: Option<Matcher<'_>>,
    markers: &[String],
    random: &mut Random,
) -> Option<String> {
    engine.restart();
    let mut walk = Walk { text: Vec::new(), read: 0 };
    let mut planned = Vec::new();
    for steps in 0..1500_usize {
        if engine.may_end() && (steps > 120 || random.below(4) == 0) {
            break;
        }
        let allowed = engine.next();
        if allowed.is_empty() {
            break;
        }
        guide = guide.and_then(|mut guide| walk.follows(&mut guide).then_some(guide));
        let hint = guide.as_ref().filter(|_| steps > 60 && walk.read == walk.text.len());
        if let Some(c) = hint.and_then(|guide| guide.next(random, true)) {
            planned = c.to_string().into_bytes();
        }
        let byte = (!planned.is_empty()).then(|| planned.remove(0)).filter(|byte| allowed.contains(byte));
        let byte = byte.unwrap_or_else(|| walk.next(&allowed, markers, steps, random));
        if !engine.take(byte) {
            break;
        }
        walk.text.push(byte);
    }
    engine.may_end().then(|| String::from_utf8_lossy(&walk.text).into_owned())
}

/// A text on its way.
struct Walk {
    text: Vec<u8>,
    /// How much of it the guide has read.
    read: usize,
}

impl Walk {
    /// Lets a guide read on; `false` if it knows no such text.
    fn follows(&mut self, guide: &mut Matcher<'_>) -> bool {
        let Ok(unread) = std::str::from_utf8(&self.text[self.read..]) else { return true };
        self.read = self.text.len();
        unread.chars().all(|c| guide.step(c))
    }

    /// Returns a byte that may come next: along a marker, or by chance.
    fn next(&self, allowed: &[u8], markers: &[String], steps: usize, random: &mut Random) -> u8 {
        let begun = |marker: &[u8]| (1..marker.len()).rev().find(|length| self.text.ends_with(&marker[..*length]));
        let mut found: Vec<(usize, u8)> = markers
            .iter()
            .filter_map(|marker| begun(marker.as_bytes()).map(|at| (at, marker.as_bytes()[at])))
            .collect();
        found.retain(|(_, byte)| allowed.contains(byte));
        let longest = found.iter().map(|found| found.0).max();
        // Of markers that have begun alike, some are excluded where the others end the text.
        found.retain(|(length, _)| Some(*length) == longest);
        let ends: Vec<u8> = allowed.iter().copied().filter(|byte| b"\"}])<".contains(byte)).collect();
        if !found.is_empty() && random.below(160) < 60 + steps {
            return found[random.below(found.len())].1;
        }
        if steps > 60 && !ends.is_empty() && random.below(3) > 0 {
            return ends[random.below(ends.len())];
        }
        // No tokenizer and no protocol carries a zero.
        let plain: Vec<u8> = allowed.iter().copied().filter(|byte| (1..0x80).contains(byte)).collect();
        if plain.is_empty() { allowed[0] } else { plain[random.below(plain.len())] }
    }
}
