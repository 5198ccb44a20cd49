//! Matches a model's name against the globs of the dialects; the most literal match comes first.

use super::{Reason, Verdict, ranked};
use crate::Dialects;

/// Ranks the dialects whose files list a model. Case, the organisation before a `/`, an
/// organisation before a `_`, as in the names of quantised files, and a tag after a `:` are ignored.
///
/// If several dialects list a family, each has a verdict: the name alone does not decide.
///
/// # Example
/// ```
/// use toolglot::{Dialects, detect};
/// let verdicts = detect::from_model("Qwen/Qwen3-Coder-30B-A3B-Instruct", &Dialects::builtin());
/// assert_eq!(&*verdicts[0].dialect, "qwen3_coder");
/// assert_eq!(verdicts[0].evidence[0].what, "the model's name matches `Qwen3-Coder*`");
/// ```
pub fn from_model(name: &str, dialects: &Dialects) -> Vec<Verdict> {
    let start = name.trim_end().rfind('/').map_or(0, |slash| slash + 1);
    let names = spelled(&name[start..]);
    let verdict = |dialect: &crate::Dialect| {
        let globs = dialect.models().iter().filter(|glob| names.iter().any(|name| fits(&folded(glob), name)));
        let best = globs.max_by_key(|glob| literal(glob))?;
        let what = format!("the model's name matches `{best}`");
        Some(Verdict::new(dialect.name(), vec![Reason::new(what, Some(start..name.len()), literal(best))]))
    };
    ranked(dialects.iter().filter_map(|dialect| verdict(dialect)).collect())
}

/// The forms of a name that are matched against globs: a family's globs end in `-*`, and its bare name is one of them.
fn spelled(name: &str) -> Vec<String> {
    let names = [Some(name), name.split_once('_').map(|(_, name)| name)].into_iter().flatten();
    names.map(folded).flat_map(|name| [format!("{name}-"), name]).collect()
}

fn folded(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', ' ', ':'], "-")
}

/// The characters of a glob that are not wildcards.
fn literal(glob: &str) -> usize {
    glob.chars().filter(|c| *c != '*').count()
}

/// Returns whether a name matches a glob, in which `*` matches any text.
///
/// # Example
/// ```
/// use toolglot::detect::fits;
/// assert!(fits("qwen*coder*", "qwen3-coder-30b") && !fits("qwen*", "my-qwen"));
/// ```
pub fn fits(glob: &str, name: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn globs() {
        for (glob, name, wanted) in [
            ("a*", "abc", true),
            ("a*", "cab", false),
            ("a", "abc", false),
            ("a", "a", true),
            ("*b*", "abc", true),
            ("*b", "abc", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(glob, name), wanted, "{glob} on {name}");
        }
    }
}
