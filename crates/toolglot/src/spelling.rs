//! How names are compared that models spell their own way: a name goes in, what all its spellings share comes out.

/// Returns a name without case and anything but letters and digits.
pub(crate) fn fold(name: &str) -> String {
    folded(name).collect()
}

/// Says whether two names are spellings of one, and have letters or digits at all.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let mut both = (folded(one).peekable(), folded(other));
    both.0.peek().is_some() && both.0.eq(both.1)
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase)
}
