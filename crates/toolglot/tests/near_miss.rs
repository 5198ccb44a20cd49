//! Texts that hold no call seldom look like one that was missed; text that is said to be missed is there.
#![expect(clippy::unwrap_used, reason = "a test fails where its files cannot be read")]

use std::fs;
use std::path::{Path, PathBuf};

use toolglot::{Dialects, MissReason, Options, Tools, near_miss, parse};

/// Every text of a folder, in order.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Without tools nothing is known of names, so a miss is said only where the shape of a call is whole. With tools, what
/// quotes or nearly spells a declared tool is a miss worth telling; the corpus is made of such texts.
#[test]
fn texts_without_calls_seldom_look_like_one() {
    let texts = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/negative"));
    let (dialects, tools, options) = (Dialects::builtin(), Tools::default(), Options::default());
    let mut missed = Vec::new();
    for path in &texts {
        let Ok(text) = fs::read_to_string(path) else { continue };
        let message = parse(&text, &dialects, &tools, &options);
        if let Some(miss) = near_miss(&text, &message, &dialects, &tools, &options) {
            assert!(miss.diagnostic.span.end <= text.len(), "{}", path.display());
            if miss.reason == MissReason::NoTools || miss.reason == MissReason::UnknownMarker {
                missed.push(format!("{}: {}", path.display(), miss.diagnostic.message));
            }
        }
    }
    assert!(missed.len() * 20 <= texts.len(), "{} of {}:\n{}", missed.len(), texts.len(), missed.join("\n"));
}

/// The span is that of the call: read alone, or without what quotes it, it is one.
#[test]
fn the_span_is_where_the_call_stands() {
    let tools = Tools::from_json_str(r#"[{"name": "search"}]"#).unwrap();
    let (dialects, options) = (Dialects::builtin(), Options::default());
    let call = r#"<tool_call>{"name": "search", "arguments": {}}</tool_call>"#;
    for (before, after) in [("Write `", "`."), ("So:\n```\n", "\n```\nand on"), ("ä ``", "``")] {
        let text = format!("{before}{call}{after}");
        let message = parse(&text, &dialects, &tools, &options);
        let miss = near_miss(&text, &message, &dialects, &tools, &options).unwrap();
        assert_eq!(miss.reason, MissReason::InCode);
        let span = miss.diagnostic.span;
        assert!(span.start >= before.len() && span.end <= before.len() + call.len(), "{text}: {span:?}");
        assert!(text[span].contains("search"), "{text}");
    }
}
