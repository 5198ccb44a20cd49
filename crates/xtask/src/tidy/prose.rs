//! Rules for documents, and for the words in all files.

use super::{complaint, has_word};
use crate::files::{self, File};
use crate::{Complaints, root};

/// The most lines of the map of the code.
const MAX_ARCHITECTURE: usize = 150;

/// Words that put something off.
const LATER: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Hosts of package registries; a build takes what the user's own settings say.
const REGISTRIES: [&str; 4] =
    [concat!("crates", ".io"), concat!("npmjs", ".com"), concat!("pypi", ".org"), concat!("npmjs", ".org")];

/// What is left to do does not stand in the sources.
pub(super) fn says_nothing_for_later(file: &File) -> Complaints {
    let ours = [".rs", ".md", ".toml", ".sh"].iter().any(|ending| file.is(ending)) && !file.path.contains("/tests/");
    let found = |line| LATER.iter().find(|word| has_word(line, word));
    let lines = file.lines().filter(|_| ours).filter_map(|(number, line)| Some((number, found(line)?)));
    lines.map(|(number, word)| complaint(file, number, &format!("`{word}`: do it, or take it out"))).collect()
}

/// No file but the lock file names the host of a registry.
pub(super) fn names_no_registry(file: &File) -> Complaints {
    let found = |line: &str| REGISTRIES.iter().any(|host| line.contains(host));
    let lines = file.lines().filter(|(_, line)| !file.is("Cargo.lock") && found(line));
    lines.map(|(number, _)| complaint(file, number, "names the host of a package registry")).collect()
}

/// Links between documents lead somewhere.
pub(super) fn has_no_dead_links(file: &File) -> Complaints {
    if !file.is(".md") || file.path.contains("/tests/") {
        return Vec::new();
    }
    let folder = root().join(&file.path);
    let dead = |target: &&str| {
        let path = target.split('#').next().unwrap_or_default();
        let elsewhere = target.contains("://") || path.is_empty();
        !elsewhere && folder.parent().is_none_or(|folder| !folder.join(path).exists())
    };
    let links = |line| str::split(line, "](").skip(1).filter_map(|rest| rest.split(')').next());
    let lines = file.lines().flat_map(|(number, line)| links(line).filter(dead).map(move |target| (number, target)));
    lines.map(|(number, target)| complaint(file, number, &format!("nothing is at `{target}`"))).collect()
}

/// The map of the code is read in one sitting.
pub(super) fn architecture_is_short(file: &File) -> Complaints {
    let lines = file.text.lines().count();
    let wrong = file.path == "ARCHITECTURE.md" && lines > MAX_ARCHITECTURE;
    wrong
        .then(|| complaint(file, lines, &format!("{lines} lines, {MAX_ARCHITECTURE} are the most")))
        .into_iter()
        .collect()
}

/// The map of the code names only files that are there.
pub(super) fn architecture_is_true(file: &File) -> Complaints {
    if file.path != "ARCHITECTURE.md" {
        return Vec::new();
    }
    let paths: Vec<String> = files::all().into_iter().map(|file| format!("/{}", file.path)).collect();
    let is_there = |name: &str| paths.iter().any(|path| path.ends_with(&format!("/{name}")));
    let names = |line| str::split(line, '`').skip(1).step_by(2).map(str::trim).filter(|name| name.ends_with(".rs"));
    let gone = file.lines().flat_map(|(number, line)| names(line).map(move |name| (number, name)));
    let gone = gone.filter(|(_, name)| !is_there(name));
    gone.map(|(number, name)| complaint(file, number, &format!("no file is called `{name}`"))).collect()
}

/// The README says the Rust version that the workspace needs.
pub(super) fn states_the_msrv(file: &File) -> Complaints {
    if file.path != "README.md" {
        return Vec::new();
    }
    let version = format!("Rust {}", env!("CARGO_PKG_RUST_VERSION"));
    let missing = !file.text.contains(&version);
    missing.then(|| complaint(file, 1, &format!("says nowhere that it needs {version}"))).into_iter().collect()
}

/// A page that says how many formats are read says how many there are.
pub(super) fn counts_the_dialects(file: &File) -> Complaints {
    let listed = file.is(".md") || file.is(".ipynb");
    if !listed || file.path.starts_with("CHANGELOG") || file.path.contains("/tests/") {
        return Vec::new();
    }
    let count = toolglot::Dialects::builtin().len().to_string();
    let stated = |line| str::split(line, " formats").next().filter(|before| before.len() < line.len());
    let number = |line| stated(line)?.rsplit(' ').next().filter(|word| word.parse::<usize>().is_ok());
    let wrong = file.lines().filter_map(|(line, text)| Some((line, number(text).filter(|found| *found != count)?)));
    wrong.map(|(line, found)| complaint(file, line, &format!("{found} formats, and {count} are built in"))).collect()
}
