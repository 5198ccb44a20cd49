//! The regular expressions of `patternProperties`.

use regex_lite::{Regex, RegexBuilder};

/// Matching costs the key's length times the size of the compiled expression, so a schema cannot make a key expensive. Larger
/// expressions are not used.
const MAX_BYTES: usize = 1 << 14;

/// Compiles an expression; `None` if it is too large or has look-arounds, which take more than linear time.
pub(super) fn compile(expression: &str) -> Option<Regex> {
    RegexBuilder::new(expression).size_limit(MAX_BYTES).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match() {
        for (expression, key, expected) in [
            ("^x-", "x-a", true),
            ("^x-", "ax-", false),
            ("_id$", "user_ids", false),
            ("^(get|set)_[a-z]{2,}$", "set_ab", true),
            ("^(get|set)_[a-z]{2,}$", "del_ab", false),
            ("^[\\w.-]+$", "a.b-c_1", true),
            ("^S_\\d?$", "S_12", false),
            ("", "a", true),
            ("^a.c$", "aäc", true),
            ("a\\$", "a$b", true),
        ] {
            assert_eq!(compile(expression).unwrap().is_match(key), expected, "{expression} on {key}");
        }
    }

    #[test]
    fn what_is_too_large_or_looks_around_is_not_used() {
        for expression in ["(?=a)", "(?!a)b", "(a)\\1", "[a", "a{1000}{1000}", &"a".repeat(20_000)] {
            assert!(compile(expression).is_none(), "{expression}");
        }
    }

    #[test]
    fn a_long_key_takes_linear_time() {
        let pattern = compile(&format!("^{}$", "a*".repeat(60))).unwrap();
        assert!(!pattern.is_match(&format!("{}b", "a".repeat(20_000))));
    }
}
