//! Rules for names: a type's name is used once in its crate, a sentence says what it is, the glossary knows it.

use std::collections::{HashMap, HashSet};

use super::complaint;
use crate::Complaints;
use crate::files::File;
use crate::names::{CRATES, sources, types};

/// Two things that want one name: neither has found its own.
pub(super) fn types_are_named_once(file: &File) -> Complaints {
    let Some(krate) = file.path.strip_suffix("/src/lib.rs").filter(|krate| CRATES.contains(krate)) else {
        return Vec::new();
    };
    twice(&sources(krate))
}

/// Says which types of a crate's files share a name with one before them.
fn twice(sources: &[File]) -> Complaints {
    let (mut seen, mut complaints) = (HashMap::new(), Vec::new());
    for file in sources {
        for named in types(file) {
            let what =
                seen.get(&named.name).map(|path| format!("`{}` is the name of a type in {path}, too", named.name));
            complaints.extend(what.map(|what| complaint(file, named.line, &what)));
            seen.entry(named.name).or_insert_with(|| file.path.clone());
        }
    }
    complaints
}

/// The glossary names only types that are there.
pub(super) fn glossary_is_true(file: &File) -> Complaints {
    if file.path != "docs/glossary.md" {
        return Vec::new();
    }
    let known: HashSet<String> =
        CRATES.iter().flat_map(|krate| sources(krate)).flat_map(|file| types(&file)).map(|named| named.name).collect();
    let quoted = |line| str::split(line, '`').skip(1).step_by(2).flat_map(|code| code.split("::"));
    let is_type = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric);
    let words = file.lines().flat_map(|(number, line)| quoted(line).filter(is_type).map(move |word| (number, word)));
    let gone = words.filter(|(_, word)| !known.contains(*word));
    gone.map(|(number, word)| complaint(file, number, &format!("no type is called `{word}`"))).collect()
}

/// A type without a sentence has no clear purpose. Those of the command line are its help, and not asked for.
pub(super) fn types_say_what_they_are(file: &File) -> Complaints {
    let ours = CRATES.iter().filter(|krate| **krate != "crates/toolglot-cli");
    let is_test = file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
    if is_test || !ours.into_iter().any(|krate| file.path.starts_with(&format!("{krate}/src/"))) {
        return Vec::new();
    }
    let silent = types(file).into_iter().filter(|named| named.sentence.is_empty());
    silent.map(|named| complaint(file, named.line, &format!("say in a sentence what `{}` is", named.name))).collect()
}

/// Names that meant several things in the core, each in places that had nothing to do with one another.
const VAGUE: [&str; 6] = ["goes_on", "doubt", "remains", "near", "hasty", "moved"];

/// The core has no name that says too little.
pub(super) fn names_say_enough(file: &File) -> Complaints {
    if !file.path.starts_with("crates/toolglot/src/") || !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let is_word = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
    let code = |line| str::split(line, "//").next().unwrap_or_default();
    let words = file
        .lines()
        .flat_map(|(number, line)| code(line).split(move |letter| !is_word(letter)).map(move |word| (number, word)));
    let vague = words.filter(|(_, word)| VAGUE.contains(&word.to_lowercase().as_str()));
    vague.map(|(number, word)| complaint(file, number, &format!("`{word}` says too little: name what it is"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_names_are_found_in_code() {
        let file = |text: &str| File { path: "crates/toolglot/src/a.rs".to_owned(), text: text.to_owned() };
        assert_eq!(names_say_enough(&file("const NEAR: usize = 1;\n")).len(), 1);
        assert!(names_say_enough(&file("let nearest = 1; // near\n")).is_empty());
    }

    #[test]
    fn a_name_that_is_used_twice_is_found() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let found = twice(&[file("a.rs", "struct A;\nstruct B;\n"), file("b.rs", "struct C;\nenum A {\n")]);
        assert_eq!(found, ["b.rs:2: `A` is the name of a type in a.rs, too"]);
        assert!(twice(&[file("a.rs", "struct A;\n"), file("b.rs", "struct B;\n")]).is_empty());
    }
}
