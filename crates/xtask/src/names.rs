//! The names of the code: every module and every type of a crate, with the sentence that says what it is. Tests aside.

use crate::files::{self, File};

/// The crates whose names have to be known: what a maintainer meets, from the core outwards.
pub const CRATES: [&str; 6] = [
    "crates/toolglot",
    "crates/toolglot-grammar",
    "crates/toolglot-json",
    "crates/toolglot-wire",
    "crates/toolglot-proxy",
    "crates/toolglot-cli",
];

/// A type of a crate.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The line of its file on which it is declared.
    pub line: usize,
    /// The first sentence of its documentation; empty if it has none.
    pub sentence: String,
}

/// Returns the files of a crate's own code, ordered by path.
pub fn sources(krate: &str) -> Vec<File> {
    let folder = format!("{krate}/src/");
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    files::all()
        .into_iter()
        .filter(|file| file.path.starts_with(&folder) && file.is(".rs") && !is_test(&file.path))
        .collect()
}

/// Returns the types that a file declares, in order.
pub fn types(file: &File) -> Vec<Named> {
    let (mut found, mut docs) = (Vec::new(), Vec::new());
    for (line, text) in file.lines().take_while(|(_, line)| *line != "mod tests {") {
        let trimmed = text.trim_start();
        if let Some(doc) = trimmed.strip_prefix("///") {
            docs.push(doc.trim());
        } else if let Some(name) = declared(text) {
            found.push(Named { name: name.to_owned(), line, sentence: first_sentence(&docs) });
            docs.clear();
        } else if !trimmed.starts_with("#[") {
            docs.clear();
        }
    }
    found
}

/// Returns the name of the type that a line declares. A `type` inside an `impl` names nothing new.
fn declared(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let public = trimmed.strip_prefix("pub").map_or(trimmed, |rest| match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    });
    let (keyword, rest) = public.trim_start().split_once(' ')?;
    let declares = matches!(keyword, "struct" | "enum" | "trait") || keyword == "type" && trimmed.len() == line.len();
    let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    (declares && name.starts_with(char::is_uppercase)).then_some(name)
}

/// Returns the first sentence of a documentation's lines, without its full stop.
fn first_sentence(docs: &[&str]) -> String {
    let paragraph = docs.iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let first = paragraph.split_once(". ").map_or(paragraph.as_str(), |(first, _)| first);
    first.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_with_their_sentences() {
        let text = "/// A bracket that\n/// is open. So.\n///\n/// More.\n#[derive(Debug)]\npub(super) enum Bracket {\n}\nimpl Iterator for A {\n    \
                    type Item = u8;\n}\nstruct Bare;\n    /// Inside.\n    struct Inner<'a> {\n";
        let found = types(&File { path: String::new(), text: text.to_owned() });
        let found: Vec<_> =
            found.iter().map(|named| (named.name.as_str(), named.line, named.sentence.as_str())).collect();
        assert_eq!(found, [("Bracket", 6, "A bracket that is open"), ("Bare", 11, ""), ("Inner", 13, "Inside")]);
    }
}
