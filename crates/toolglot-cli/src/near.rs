//! Suggestions for misspelled names.

/// Returns `; did you mean …?` for a name similar to one of these, or else lists them after `listed`.
pub(crate) fn did_you_mean<'n>(given: &str, names: impl IntoIterator<Item = &'n str>, listed: &str) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match nearest(given, names.iter().copied()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.is_empty() => String::new(),
        None => format!("; {listed} {}", names.join(", ")),
    }
}

/// Returns the most similar name, if it is few edits away.
pub(crate) fn nearest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let limit = (given.chars().count() / 3).clamp(1, 3);
    let near = names.into_iter().map(|name| (strsim::osa_distance(&given, &name.to_lowercase()), name));
    near.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_offered() {
        assert_eq!(did_you_mean("hermez", ["qwen", "hermes"], "use"), "; did you mean `hermes`?");
        assert_eq!(did_you_mean("gpt", ["qwen", "hermes"], "use"), "; use qwen, hermes");
        assert_eq!(nearest("Evidense", ["evidence", "limits"]), Some("evidence"));
    }
}
