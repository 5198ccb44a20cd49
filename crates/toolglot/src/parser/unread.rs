//! Text that looks like arguments in an unknown form: as the plain text of a call's only parameter, it would be wrong.
//!
//! Takes the text, and the names of the tool's parameters; returns whether it consists of elements, or has one of the
//! names as a key.
//!
//! ```text
//!   <query>de</query>                         elements without attributes
//!   <param name="city">  <|city|>             a name in a tag
//!   "city": …  'city' = …  <key>city</key>    a name between marks
//!   [city]  --city
//!   city: …                                   a plain word at the beginning of a line
//!   max_words: …                              any other name, anywhere
//! ```

use super::leftover::LOOK;

/// A longer tag does not count.
const TAG: usize = 256;

/// Returns whether text looks like arguments of a tool with parameters of these names.
pub(super) fn looks_like_arguments<'n>(text: &str, mut names: impl Iterator<Item = &'n String>) -> bool {
    // Keys are where arguments begin: a text in which none is found so far is read as one, however long.
    let begins = &text[..boundary(text, LOOK)];
    is_elements(text) || names.any(|name| has_key(begins, name))
}

/// Returns the last place up to `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

fn is_elements(text: &str) -> bool {
    let mut rest = text.trim();
    let some = !rest.is_empty();
    while let Some(tag) = rest.strip_prefix('<') {
        let name = &tag[..tag.find(['>', '/', '<', '=', '\n']).unwrap_or(tag.len())];
        let closer = format!("</{name}>");
        let Some(end) = rest.find(&closer).filter(|_| !name.is_empty()) else { return false };
        rest = rest[end + closer.len()..].trim_start();
    }
    some && rest.is_empty()
}

fn has_key(text: &str, name: &str) -> bool {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase());
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_word = !before.ends_with(is_in_name) && !behind.starts_with(is_in_name);
        is_word && (is_in_tag(before, behind) || is_marked(before, behind) || is_joined(before, behind, is_plain))
    })
}

fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_in_tag(before: &str, behind: &str) -> bool {
    let word = &before[boundary(before, before.len().saturating_sub(TAG))..];
    let opens = word.rfind(['<', '>', '\n']).is_some_and(|at| {
        let inside = word[at..].strip_prefix('<');
        inside.is_some_and(|inside| !inside.starts_with(|letter: char| letter.is_whitespace() || letter == '='))
    });
    let rest = &behind[..boundary(behind, TAG)];
    opens && rest.find(['<', '>', '\n']).is_some_and(|at| rest[at..].starts_with('>'))
}

fn is_marked(before: &str, behind: &str) -> bool {
    let around = [("[", "]"), (">", "</"), ("--", "")];
    around.iter().any(|(left, right)| before.ends_with(left) && behind.starts_with(right))
}

/// Returns whether the separator between a key and its value follows. A plain word must be quoted or at the start of a line.
fn is_joined(before: &str, behind: &str, is_plain: bool) -> bool {
    let next = behind.trim_start_matches(['*', '\\', '"', '\'', '`']).trim_start_matches([' ', '\t']);
    let joins = next.starts_with(':') || next.starts_with("->") || next.starts_with('=') && !next.starts_with("==");
    let line = before.trim_end_matches([' ', '\t', '-', '*', '{', '(', '[', ',']);
    joins && (!is_plain || before.ends_with(['"', '\'', '`']) || line.is_empty() || line.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(text: &str) -> bool {
        let names = ["city", "max_words"].map(str::to_owned);
        looks_like_arguments(text, names.iter())
    }

    #[test]
    fn keys_and_elements_are_arguments() {
        for text in [
            "<query>de</query>",
            "<query>de</query>\n<a b>3</a b>\n",
            "<param name=\"city\" value=\"Rome\"/>",
            "words <|city|>Rome",
            "{\"city\": \"Rome\"}",
            "\"{\\\"city\\\": 1}\"",
            "[city]Rome[/city]",
            "see --city Rome",
            "<key>city</key> is Rome",
            "words\n- **city**: Rome",
            "(city = Rome)",
            "so max_words: 3",
        ] {
            assert!(looks(text), "{text}");
        }
    }

    #[test]
    fn plain_text_and_markup_are_none() {
        for text in [
            "",
            "The city of Rome, in max_words or less.",
            "A city: Rome",
            "the capacity: 3",
            "if a < city and city > b",
            "city == \"Rome\"",
            "<p class=\"a\">the city</p>",
            "<br/>city",
            "a < b",
            "<p>one</p> two",
        ] {
            assert!(!looks(text), "{text}");
        }
    }
}
