//! Errors about unknown settings.

use crate::config::section::Section;
use crate::config::{TABLES, sections, variable};

/// For a key in a file: suggests a similar key, or lists those of its table.
pub(super) fn unknown_key(section: &Section, name: &str) -> String {
    let mut known: Vec<String> = section.keys.iter().map(|key| key.name.to_owned()).collect();
    let mut table = format!(" in `{}`", section.name);
    if section.name.is_empty() {
        known.extend(TABLES.map(|table| table.name.to_owned()));
        table.clear();
    }
    let all = format!("use one of {}", known.join(", "));
    format!("unknown setting `{name}`{table}; {}", did_you_mean(name, known).unwrap_or(all))
}

/// For a path such as `limits.body`.
pub(super) fn unknown_path(name: &str) -> String {
    unknown(name, settings().into_iter().map(|(path, _)| path))
}

/// For an environment variable.
pub(super) fn unknown_variable(name: &str) -> String {
    unknown(name, settings().into_iter().map(|(path, _)| variable(&path)))
}

fn unknown(name: &str, known: impl Iterator<Item = String>) -> String {
    let all = || "run `toolglot config show` to list all".to_owned();
    format!("unknown setting `{name}`; {}", did_you_mean(name, known).unwrap_or_else(all))
}

/// Returns the path of every setting, as `--set` takes it, and its description.
pub fn settings() -> Vec<(String, &'static str)> {
    let of = |section: &'static Section| section.keys.iter().map(|key| (section.path(key.name), key.about.trim()));
    sections().flat_map(of).collect()
}

/// Returns `did you mean …?` if one of these names is similar.
fn did_you_mean(given: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let limit = (given.chars().count() / 3).clamp(1, 3);
    let near = names.into_iter().map(|name| (strsim::osa_distance(given, &name), name));
    let (_, name) = near.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance)?;
    Some(format!("did you mean `{name}`?"))
}
