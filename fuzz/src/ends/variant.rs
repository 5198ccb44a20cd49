//! Dialects that are written otherwise: each other pattern of a file as its first.

use std::ops::Range;
use std::sync::Arc;

use toolglot::Dialect;

/// Returns files in which another pattern of a call, a section or a parameter comes first, each with its name.
pub(super) fn all(dialect: &Dialect) -> Vec<(String, Arc<Dialect>)> {
    let mut found = Vec::new();
    for key in ["call", "section", "param"] {
        let patterns = patterns(dialect.source(), key);
        for (number, pattern) in patterns.iter().enumerate().skip(1) {
            let source = first(dialect.source(), &patterns[0], pattern);
            let name = format!("{} {key} {}", dialect.name(), number + 1);
            found.extend(Dialect::from_toml(dialect.name(), &source).ok().map(|it| (name, Arc::new(it))));
        }
    }
    found
}

/// Returns a text in which two pieces have changed places.
fn first(source: &str, one: &Range<usize>, other: &Range<usize>) -> String {
    let [before, between] = [&source[..one.start], &source[one.end..other.start]];
    [before, &source[other.clone()], between, &source[one.clone()], &source[other.end..]].concat()
}

/// Returns where the strings of a key's list stand, with their quotes.
fn patterns(source: &str, key: &str) -> Vec<Range<usize>> {
    let lines = source.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at - line.len(), line))
    });
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    let Some((start, _)) = lines.clone().find(|(_, line)| is_key(line)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = start + source[start..].find('=').unwrap_or_default();
    while let Some(c) = source[at..].chars().next().filter(|c| *c != ']') {
        match c {
            '"' | '\'' => {
                let end = at + 1 + string(&source[at + 1..], c);
                found.push(at..end + 1);
                at = end + 1;
            }
            '#' => at += source[at..].find('\n').unwrap_or(source.len() - at),
            '\n' if found.len() == 1 && !source[start..found[0].start].contains('[') => break,
            _ => at += c.len_utf8(),
        }
    }
    found
}

/// Returns the length of the inside of a string.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == quote && !escaped;
        escaped = quote == '"' && c == '\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}
