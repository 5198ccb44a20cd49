//! Compares a message that was read with the one that was written.

use crate::generate::Case;
use toolglot::Message;

/// Returns what came back otherwise, in words; nothing if all is the same.
pub(crate) fn differences(case: &Case, message: &Message) -> String {
    let mut found = Vec::new();
    if message.reasoning != case.reasoning {
        found.push(format!("reasoning {:?} is {:?}", case.reasoning, message.reasoning));
    }
    if !message.content.strip_prefix(case.content.as_str()).is_some_and(|rest| rest.trim().is_empty()) {
        found.push(format!("content {:?} is {:?}", case.content, message.content));
    }
    let wanted: Vec<_> = case.calls.iter().map(|(name, arguments)| (name.as_str(), normal(arguments))).collect();
    let got: Vec<_> = message.calls.iter().map(|call| (call.name.as_str(), normal(&call.arguments))).collect();
    if wanted != got {
        found.push(format!("calls {wanted:?} are {got:?}"));
    }
    if !message.incomplete.is_empty() {
        found.push(format!("broken calls {:?}", message.incomplete));
    }
    found.join("; ")
}

/// Returns JSON text without white space between tokens and with one spelling for each string; all else stays.
pub(crate) fn normal(json: &str) -> String {
    let (mut out, mut rest) = (String::new(), json.trim());
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { string_length(rest) } else { first.len_utf8() };
        match first {
            '"' => {
                let text: String = serde_json::from_str(&rest[..length]).unwrap();
                out.push_str(&serde_json::to_string(&text).unwrap());
            }
            ' ' | '\n' | '\t' | '\r' => {}
            other => out.push(other),
        }
        rest = &rest[length..];
    }
    if out.is_empty() { "{}".to_owned() } else { out }
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.unwrap().0 + 1
}
