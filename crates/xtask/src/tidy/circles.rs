//! Modules that need each other: what can be read alone is read alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::Complaints;
use crate::files::File;

/// Modules of one folder that are one thing in several files, and why. A knot that grows or shrinks is a complaint again.
#[rustfmt::skip]
const KNOTS: [(&str, &str, &str); 3] = [
    ("crates/toolglot/src", "coerce, dialect, json, lines, parser", "a value's text may be JSON, and JSON holds values to convert; a set of dialects keeps what parsers made of it"),
    ("crates/toolglot/src/json", "deferred, follow, reader, stops, text", "one reader with its fast path and its doubts"),
    ("crates/toolglot/src/parser", "body, boundary, call, contest, params, value", "calls hold bodies, and what ends a body is the call that may follow"),
];

/// Which modules of a folder import which, a module standing for all that is below it.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Of the modules of one folder, none needs another that needs it.
pub(super) fn are_none(files: &[File]) -> Complaints {
    let modules: BTreeMap<String, &File> = files.iter().filter_map(|file| Some((module(file)?, file))).collect();
    let imports: Vec<(&str, String)> = modules
        .iter()
        .flat_map(|(name, file)| imported(file).into_iter().map(move |path| (name.as_str(), path)))
        .filter_map(|(name, path)| Some((name, target(name, &path, &modules)?)))
        .collect();
    let mut folders: BTreeMap<&str, Imports> = BTreeMap::new();
    for (from, to) in &imports {
        if let Some((folder, a, b)) = part(from, to) {
            folders.entry(folder).or_default().entry(a.to_owned()).or_default().insert(b.to_owned());
        }
    }
    folders.iter().flat_map(|(folder, imports)| circles(folder, imports)).collect()
}

/// Returns a file's module, as a path from the root: `crates/toolglot/src/parser/value`; none for tests.
fn module(file: &File) -> Option<String> {
    let path = file.path.strip_suffix(".rs")?;
    let is_test = path.ends_with("/tests") || path.contains("/tests/");
    (path.contains("/src/") && !is_test).then(|| path.trim_end_matches("/lib").trim_end_matches("/main").to_owned())
}

/// Returns the paths of a file's imports, braces resolved; those of its tests do not count.
fn imported(file: &File) -> Vec<String> {
    let code: String = file.lines().map(|(_, line)| line).take_while(|line| *line != "#[cfg(test)]").collect();
    let starts =
        code.match_indices("use ").filter(|(at, _)| !code[..*at].ends_with(|last: char| last.is_alphanumeric()));
    starts.filter_map(|(at, word)| code[at + word.len()..].split_once(';')).flat_map(|(tree, _)| leaves(tree)).collect()
}

/// Resolves `a::{b, c::{d, e}}` into `a::b`, `a::c::d`, `a::c::e`.
fn leaves(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let Some((inside, _)) = rest.rsplit_once('}') else { return Vec::new() };
    let (mut depth, mut start, mut items) = (0_usize, 0, Vec::new());
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&inside[start..]);
    let named = items.into_iter().filter(|item| !item.trim().is_empty());
    named.flat_map(|item| leaves(item.trim())).map(|leaf| format!("{}{leaf}", head.trim())).collect()
}

/// Returns the module that an import of `from` means, if it is one of ours.
fn target(from: &str, path: &str, modules: &BTreeMap<String, &File>) -> Option<String> {
    let mut base = from.to_owned();
    let mut names = path.split("::").peekable();
    match *names.peek()? {
        "crate" => {
            base = from[..from.find("/src")? + "/src".len()].to_owned();
            names.next();
        }
        "self" => {
            names.next();
        }
        _ => {}
    }
    while names.next_if_eq(&"super").is_some() {
        base.truncate(base.rfind('/')?);
    }
    let mut found = None;
    for name in names {
        base = format!("{base}/{name}");
        if modules.contains_key(&base) {
            found = Some(base.clone());
        }
    }
    found
}

/// Returns the folder in which two modules part ways, and what each is there; none if one is inside the other.
fn part<'m>(from: &'m str, to: &'m str) -> Option<(&'m str, &'m str, &'m str)> {
    let shared = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
    let folder = from[..shared].rfind('/')?;
    let (a, b) = (&from[folder + 1..], &to[folder + 1..]);
    let (a, b) = (a.split('/').next()?, b.split('/').next()?);
    (a != b).then_some((&from[..folder], a, b))
}

/// Says which modules of a folder import each other, directly or through others.
fn circles(folder: &str, imports: &Imports) -> Complaints {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|from| (from.as_str(), reach(from, imports))).collect();
    let is_in = |module: &str| reached[module].contains(module);
    let mut said = BTreeSet::new();
    let mut complaints = Vec::new();
    for module in imports.keys().filter(|module| is_in(module)) {
        let others = reached[module.as_str()]
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(module.as_str())));
        let circle: Vec<&str> = others.copied().collect();
        let names = circle.join(", ");
        let known = KNOTS.iter().any(|(of, knot, _)| (*of, *knot) == (folder, names.as_str()));
        if !known && said.insert(names.clone()) {
            complaints.push(format!("{folder}: {names} need each other; move what both need into a third"));
        }
    }
    complaints
}

/// Returns all that a module imports, directly or through others.
fn reach<'i>(from: &str, imports: &'i Imports) -> BTreeSet<&'i str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = imports.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(imports.get(module).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn circles_are_found_through_braces_and_folders() {
        let files = [
            file("crates/x/src/lib.rs", "mod a;\nmod b;"),
            file("crates/x/src/a.rs", "use crate::{c, b::deep::Thing};"),
            file("crates/x/src/b.rs", "mod deep;"),
            file("crates/x/src/b/deep.rs", "use super::super::c::Word;"),
            file("crates/x/src/c.rs", "use std::fmt;\n\npub(crate) use super::a::Other;\n"),
        ];
        assert_eq!(are_none(&files), ["crates/x/src: a, b, c need each other; move what both need into a third"]);
    }

    #[test]
    fn tests_and_a_folder_s_own_module_may_know_more() {
        let files = [
            file("crates/x/src/a.rs", "mod part;\nuse part::Part;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}"),
            file("crates/x/src/a/part.rs", "use super::Whole;"),
            file("crates/x/src/b.rs", "use crate::a::Whole;"),
        ];
        assert_eq!(are_none(&files), Vec::<String>::new());
    }
}
