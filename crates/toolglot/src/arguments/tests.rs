//! Arguments that arrive in pieces, read whole and byte by byte.

use super::*;

/// Arguments, what comes out of them, how they end, what follows them.
const CASES: [(&str, &str, Outcome, &str); 25] = [
    (r#"{"city": "Paris", "n": 1.50e2}"#, r#"{"city": "Paris", "n": 1.50e2}"#, Outcome::Complete, ""),
    (r#" {"days":3}  "#, r#"{"days":3}"#, Outcome::Complete, ""),
    (r#"{"days": "3"}"#, r#"{"days": 3}"#, Outcome::Complete, ""),
    (r#"{"city": "Paris",}"#, r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    (r#"{'city': 'Zürich'}"#, r#"{"city": "Zürich"}"#, Outcome::Repaired, ""),
    (r#"{"city</arg_key>": "Paris"}"#, r#"{"city": "Paris"}"#, Outcome::Complete, ""),
    (r#"{"city": "a "b" c"}"#, r#"{"city": "a \"b\" c"}"#, Outcome::Repaired, ""),
    (r#"{"city": "Paris"}}"#, r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    (r#"{"city": "Paris"}{"city": "Rome"}"#, r#"{"city": "Paris"}"#, Outcome::Complete, r#"{"city": "Rome"}"#),
    (r#""{\"city\": \"Paris\"}""#, r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    (r#"{"arguments": {"city": "Paris"}}"#, r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    (r#"{"name": "Paris", "n": 1}"#, r#"{"name": "Paris", "n": 1}"#, Outcome::Complete, ""),
    ("", "{}", Outcome::Repaired, ""),
    ("  \n", "{}", Outcome::Repaired, ""),
    ("[]", "{}", Outcome::Repaired, ""),
    ("<parameter=city>Paris</parameter>", r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    ("```json\n{\"city\": \"Paris\"}\n```", r#"{"city": "Paris"}"#, Outcome::Repaired, ""),
    (r#"{"city": "Par"#, r#"{"city": "Par"#, Outcome::Truncated, ""),
    (r#"{"city": "Paris","n"#, r#"{"city": "Paris","n"#, Outcome::Truncated, ""),
    (r#"{"city": "Paris", "n": 1"#, r#"{"city": "Paris", "n": 1"#, Outcome::Truncated, ""),
    (r#"{"city": rm -rf /, or}"#, r#"{"city": "#, Outcome::Broken, "rm -rf /, or}"),
    (r#"{"city": rm -rf /}"#, r#"{"city": "rm -rf /"}"#, Outcome::Repaired, ""),
    (
        r#"{"city": "Paris", "tags": ["a", {"b": 1"#,
        r#"{"city": "Paris", "tags": ["a", {"b": 1"#,
        Outcome::Truncated,
        "",
    ),
    (r#""{\"city\": \"Par"#, "", Outcome::Truncated, ""),
    ("no idea", "", Outcome::Broken, ""),
];

#[test]
fn pieces_of_any_size_say_the_same() {
    let tools = r#"[{"name": "other"}, {"name": "weather", "parameters": {"properties": {
        "city": {"type": "string"}, "days": {"type": "integer"}, "n": {"type": "number"}}}}]"#;
    let Ok(tools) = Tools::from_json_str(tools) else { panic!("the tools are written well") };
    for (text, json, outcome, rest) in CASES {
        for size in [1, 2, 3, 7, usize::MAX] {
            let (said, end) = read(&tools, text, size);
            assert_eq!((said.as_str(), end.outcome, end.rest.as_str()), (json, outcome, rest), "{text} by {size}");
            assert_eq!(
                end.diagnostics.iter().any(|found| found.code.is_repair()),
                outcome == Outcome::Repaired,
                "{text}"
            );
        }
    }
}

#[test]
fn valid_json_is_said_as_it_comes() {
    let mut reader = ArgumentsReader::new(&Dialects::builtin(), &Tools::default(), "any", &Options::default());
    let mut said = String::new();
    reader.push(r#"{"text": "Hello wor"#, &mut said);
    assert_eq!(said, r#"{"text": "Hello wor"#);
    reader.push(r#"ld", "n": 12345678901234567890"#, &mut said);
    assert_eq!(said, r#"{"text": "Hello world", "n": "#, "a number may go on");
    reader.push("}", &mut said);
    assert_eq!(reader.finish(&mut said).outcome, Outcome::Complete);
    assert_eq!(said, r#"{"text": "Hello world", "n": 12345678901234567890}"#);
}

#[test]
fn a_quote_behind_a_long_value_is_judged_by_the_same_bytes() {
    let line = "it says \"no\", then goes on: nothing of it is escaped. ";
    for length in [4000, 4090, 5000, 9000] {
        let text = format!(r#"{{"city": "{}{}", "days": 3}}"#, "é".repeat(length / 2), line.repeat(3));
        let (whole, end) = read(&Tools::default(), &text, usize::MAX);
        for size in [1, 16, 1000] {
            let (said, found) = read(&Tools::default(), &text, size);
            assert_eq!((said, found.outcome), (whole.clone(), end.outcome), "{length} by {size}");
        }
    }
}

fn read(tools: &Tools, text: &str, size: usize) -> (String, ArgumentsEnd) {
    let mut reader = ArgumentsReader::new(&Dialects::builtin(), tools, "weather", &Options::default());
    let mut said = String::new();
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(size.min(characters.len().max(1))) {
        reader.push(&piece.iter().collect::<String>(), &mut said);
    }
    let end = reader.finish(&mut said);
    (said, end)
}

#[test]
fn the_corpus_reads_the_same_in_pieces_and_is_json_if_it_is_whole() {
    let corpus = include_str!("../json/corpus.txt").lines().filter_map(|line| line.strip_prefix("in "));
    for text in corpus {
        let (whole, end) = read(&Tools::default(), text, usize::MAX);
        for size in [1, 5] {
            assert_eq!(read(&Tools::default(), text, size), (whole.clone(), end.clone()), "{text} by {size}");
        }
        // The strict parser refuses half a surrogate pair, which is kept as it came.
        let strict = whole.replace(r"\ud83d\b", "");
        let json = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&strict);
        assert_eq!(json.is_ok(), end.outcome.is_call(), "{text}: {whole}");
    }
}
