//! Generated texts, whole and damaged, are read as `serde_json` reads them.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use toolglot_json::{Value, from_slice, from_str};

/// A source of numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.roll(words.len())]
    }

    fn blank(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "\n\t", "\r"])
    }

    fn string(&mut self) -> String {
        let pieces = [
            "a",
            "key",
            "é",
            "🦀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u00e9",
            "\\u001f",
            "\\ud83e\\udd80",
            " ",
            "\u{7f}",
            "\\b\\f\\r\\t",
            "\\uD83c",
            "\\udc00",
            "\\x",
            "\u{1}",
        ];
        let common = if self.roll(20) == 0 { pieces.len() } else { pieces.len() - 4 };
        let content: String = (0..self.roll(6)).map(|_| pieces[self.roll(common)]).collect();
        format!("\"{content}\"")
    }

    fn value(&mut self, depth: usize) -> String {
        let numbers = ["0", "-0", "1", "-12", "1.0", "0.10", "1e5", "1E+5", "2e-7", "1e400", "12345678901234567890123"];
        let wrong = ["01", "-", "1.", ".5", "+1", "1e", "nul", "True", "NaN", "'a'", ""];
        let inner = |dice: &mut Self, one: &dyn Fn(&mut Self) -> String| {
            let all: Vec<String> = (0..dice.roll(4)).map(|_| one(dice)).collect();
            all.join(",")
        };
        let text = match self.roll(if depth > 4 { 5 } else { 9 }) {
            0 | 1 => self.pick(&numbers).to_owned(),
            2 => self.pick(&["true", "false", "null"]).to_owned(),
            3 | 4 if self.roll(60) == 0 => self.pick(&wrong).to_owned(),
            3 | 4 => self.string(),
            5 | 6 => format!("[{}{}]", self.blank(), inner(self, &|dice| dice.value(depth + 1))),
            _ => {
                let member = |dice: &mut Self| format!("{}:{}", dice.string(), dice.value(depth + 1));
                format!("{{{}{}}}", self.blank(), inner(self, &member))
            }
        };
        format!("{}{text}{}", self.blank(), self.blank())
    }
}

/// What `serde_json` reads in a text: scalars by their paths, numbers as they are written; `None` if it is no value.
fn expected(text: &str, path: &str, found: &mut Vec<(String, String)>) -> Option<()> {
    match text.trim_start().chars().next()? {
        '{' => {
            // The place of a key is that of its first value, the value that of its last.
            let (mut keys, mut values) = (Vec::new(), BTreeMap::new());
            for (key, value) in members(text)? {
                keys.extend((!values.contains_key(&key)).then(|| key.clone()));
                // What is overwritten has to be JSON, too.
                expected(value.get(), "", &mut Vec::new())?;
                values.insert(key, value);
            }
            found.push((path.to_owned(), format!("{keys:?}")));
            keys.iter().try_for_each(|key| expected(values[key].get(), &format!("{path}/{key:?}"), found))
        }
        '[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
            found.push((path.to_owned(), items.len().to_string()));
            items.iter().enumerate().try_for_each(|(at, item)| expected(item.get(), &format!("{path}/{at}"), found))
        }
        '"' => {
            found.push((path.to_owned(), serde_json::from_str::<String>(text).ok()?));
            Some(())
        }
        _ => {
            let raw: Box<RawValue> = serde_json::from_str(text).ok()?;
            found.push((path.to_owned(), raw.get().to_owned()));
            Some(())
        }
    }
}

fn members(text: &str) -> Option<Vec<(String, Box<RawValue>)>> {
    struct Members(Vec<(String, Box<RawValue>)>);
    impl<'de> serde::de::Visitor<'de> for Members {
        type Value = Self;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
            while let Some(member) = map.next_entry()? {
                self.0.push(member);
            }
            Ok(self)
        }
    }
    impl<'de> serde::Deserialize<'de> for Members {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(Self(Vec::new()))
        }
    }
    serde_json::from_str::<Members>(text).ok().map(|members| members.0)
}

/// The same of a value.
fn actual(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            found.push((path.to_owned(), format!("{:?}", members.keys().collect::<Vec<_>>())));
            members.iter().for_each(|(key, value)| actual(value, &format!("{path}/{key:?}"), found));
        }
        Value::Array(items) => {
            found.push((path.to_owned(), items.len().to_string()));
            items.iter().enumerate().for_each(|(at, item)| actual(item, &format!("{path}/{at}"), found));
        }
        Value::String(text) => found.push((path.to_owned(), text.clone())),
        scalar => found.push((path.to_owned(), scalar.to_string())),
    }
}

fn check(text: &str) -> bool {
    let (mut wanted, mut found) = (Vec::new(), Vec::new());
    let is_value = serde_json::from_str::<IgnoredAny>(text).is_ok() && expected(text, "", &mut wanted).is_some();
    let value = match (from_str(text), serde_json::from_str::<Value>(text)) {
        (Ok(value), Ok(same)) if value == same => value,
        (Err(_), Err(_)) => {
            assert!(!is_value, "{text}");
            return false;
        }
        (direct, member) => panic!("{text}: {direct:?}, {member:?}"),
    };
    assert!(is_value, "{text}");
    actual(&value, "", &mut found);
    assert_eq!(found, wanted, "{text}");
    let written = value.to_string();
    assert_eq!(serde_json::to_string(&value).ok().as_ref(), Some(&written), "{text}");
    for again in [written, format!("{value:#}")] {
        assert_eq!(from_str(&again).ok().as_ref(), Some(&value), "{text}");
    }
    true
}

#[test]
fn generated_texts_are_read_alike() {
    let (mut dice, mut read, mut refused) = (Dice(0x9e37_79b9_7f4a_7c15), 0, 0);
    for _ in 0..4000 {
        let text = dice.value(0);
        *(if check(&text) { &mut read } else { &mut refused }) += 1;
        let at = dice.roll(text.len() + 1);
        let mut bytes = text.into_bytes();
        bytes.splice(
            at..(at + dice.roll(2)).min(bytes.len()),
            dice.pick(&["", "\"", "}", "]", ",", "\\", "0", "\u{0}", "é"]).bytes(),
        );
        match String::from_utf8(bytes) {
            Ok(damaged) => *(if check(&damaged) { &mut read } else { &mut refused }) += 1,
            Err(wrong) => assert!(from_slice(wrong.as_bytes()).is_err()),
        }
    }
    assert!(read > 2000 && refused > 1000, "{read} read, {refused} refused");
}
