//! Compares names that models spell differently: maps a name to a form that all its spellings share.

/// Returns a name without case and anything but letters and digits.
pub(crate) fn fold(name: &str) -> String {
    folded(name).collect()
}

/// Returns whether two names are spellings of the same one, and contain letters or digits at all.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    if initial(one).zip(initial(other)).is_some_and(|(one, other)| one != other) {
        return false;
    }
    let mut both = (folded(one).peekable(), folded(other));
    both.0.peek().is_some() && both.0.eq(both.1)
}

/// Returns the first letter or digit of a name in lower case, if no character before it is outside ASCII.
fn initial(name: &str) -> Option<u8> {
    let first = name.bytes().find(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())?;
    first.is_ascii().then_some(first.to_ascii_lowercase())
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns a key without an attached closing tag or quotes: `path</arg_key>` is `path`.
pub(crate) fn without_markup(key: &str) -> &str {
    let tag = key.strip_suffix('>').and_then(|key| key.split_once("</"));
    let plain = |(_, name): &(&str, &str)| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let own = tag.filter(plain).map_or(key, |(own, _)| own);
    ['"', '\''].into_iter().find_map(|quote| own.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(own)
}
