//! How names are compared that models spell their own way: a name goes in, what all its spellings share comes out.

/// Returns a name without case and anything but letters and digits.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
