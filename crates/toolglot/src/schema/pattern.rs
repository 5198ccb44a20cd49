//! The part of regular expressions that `patternProperties` uses, matched in linear time.

/// A sequence of characters, classes and their repetitions; no groups, no alternatives.
///
/// Matching keeps the set of places where it can be, so its time is the key's
/// length times the expression's, which is bounded.
#[derive(Clone, Debug)]
pub(super) struct KeyPattern {
    atoms: Vec<PatternAtom>,
    from_start: bool,
    to_end: bool,
}

/// A set of characters, and how often one of them stands.
#[derive(Clone, Debug)]
struct PatternAtom {
    set: CharSet,
    repeat: PatternRepeat,
}

/// How often an atom is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternRepeat {
    Once,
    Optional,
    Any,
}

/// The characters that an atom takes.
#[derive(Clone, Debug, Default)]
struct CharSet {
    ranges: Vec<(char, char)>,
    negated: bool,
}

/// The longest pattern that is compiled. Matching costs the key's length times this, so a schema cannot make a key
/// expensive. A longer one counts as one that uses more than the subset.
const MAX_BYTES: usize = 256;

impl KeyPattern {
    /// Returns the pattern of an expression; `None` if it uses anything beyond the subset.
    pub(super) fn parse(expression: &str) -> Option<Self> {
        if expression.len() > MAX_BYTES {
            return None;
        }
        let anchored = expression.strip_prefix('^');
        let (atoms, to_end) = atoms(anchored.unwrap_or(expression))?;
        Some(Self { atoms, from_start: anchored.is_some(), to_end })
    }

    /// Says whether a key matches.
    pub(super) fn matches(&self, key: &str) -> bool {
        let mut places = vec![false; self.atoms.len() + 1];
        self.enter(&mut places, 0);
        for char in key.chars() {
            if places[self.atoms.len()] && !self.to_end {
                return true;
            }
            places = self.step(&places, char);
        }
        places[self.atoms.len()]
    }

    fn step(&self, places: &[bool], char: char) -> Vec<bool> {
        let mut next = vec![false; places.len()];
        if !self.from_start {
            self.enter(&mut next, 0);
        }
        for (at, atom) in self.atoms.iter().enumerate() {
            if places[at] && atom.set.has(char) {
                self.enter(&mut next, if atom.repeat == PatternRepeat::Any { at } else { at + 1 });
            }
        }
        next
    }

    /// Marks a place and those that follow it without a character; there are as many places as atoms and one more.
    fn enter(&self, places: &mut [bool], from: usize) {
        for (at, place) in places.iter_mut().enumerate().skip(from) {
            let known = std::mem::replace(place, true);
            if known || self.atoms.get(at).is_none_or(|atom| atom.repeat == PatternRepeat::Once) {
                return;
            }
        }
    }
}

impl CharSet {
    fn one(char: char) -> Self {
        Self { ranges: vec![(char, char)], negated: false }
    }

    fn has(&self, char: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&char)) != self.negated
    }
}

/// Reads the atoms of an expression and whether it ends in an anchor.
fn atoms(expression: &str) -> Option<(Vec<PatternAtom>, bool)> {
    let mut chars = expression.chars().peekable();
    let mut atoms = Vec::new();
    while let Some(char) = chars.next() {
        let set = match char {
            '.' => CharSet { ranges: vec![('\n', '\n')], negated: true },
            '[' => class(&mut chars)?,
            '\\' => CharSet { ranges: escape(chars.next()?)?, negated: false },
            '$' if chars.peek().is_none() => return Some((atoms, true)),
            '(' | ')' | '{' | '}' | '|' | '^' | '$' | '*' | '+' | '?' => return None,
            _ => CharSet::one(char),
        };
        let repeat = match chars.next_if(|char| matches!(char, '*' | '+' | '?')) {
            Some('?') => PatternRepeat::Optional,
            Some('*') => PatternRepeat::Any,
            Some(_) => {
                atoms.push(PatternAtom { set: set.clone(), repeat: PatternRepeat::Once });
                PatternRepeat::Any
            }
            None => PatternRepeat::Once,
        };
        atoms.push(PatternAtom { set, repeat });
    }
    Some((atoms, false))
}

/// Reads a class behind its opening bracket.
fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<CharSet> {
    let mut set = CharSet { negated: chars.next_if_eq(&'^').is_some(), ..CharSet::default() };
    loop {
        let low = match chars.next()? {
            ']' => return Some(set),
            '[' => return None,
            '\\' => {
                let ranges = escape(chars.next()?)?;
                set.ranges.extend(ranges);
                continue;
            }
            low => low,
        };
        let high = match chars.next_if_eq(&'-') {
            None => low,
            Some(dash) if chars.peek() == Some(&']') => {
                set.ranges.push((dash, dash));
                low
            }
            Some(_) => chars.next().filter(|high| *high != '\\' && *high >= low)?,
        };
        set.ranges.push((low, high));
    }
}

/// Returns what stands for a character behind a backslash.
fn escape(char: char) -> Option<Vec<(char, char)>> {
    match char {
        'd' => Some(vec![('0', '9')]),
        'w' => Some(vec![('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_')]),
        's' => Some(vec![(' ', ' '), ('\t', '\r')]),
        _ if char.is_ascii_alphanumeric() => None,
        _ => Some(vec![(char, char)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_of_the_subset_matches_keys() {
        for (expression, key, expected) in [
            ("^x-", "x-a", true),
            ("^x-", "ax-", false),
            ("_id$", "user_id", true),
            ("_id$", "user_ids", false),
            ("^[a-z]+$", "abc", true),
            ("^[a-z]+$", "", false),
            ("^[a-z]+$", "aBc", false),
            ("^[^a-z]*$", "ABC", true),
            ("^[\\w.-]+$", "a.b-c_1", true),
            ("^[\\w.-]+$", "a b", false),
            ("^S_\\d?$", "S_", true),
            ("^S_\\d?$", "S_12", false),
            ("abc", "xxabcxx", true),
            ("abc", "xxabxc", false),
            (".*", "", true),
            ("^.*$", "anything at all", true),
            ("", "a", true),
            ("^a.c$", "aäc", true),
            ("a\\$", "a$b", true),
            ("a\\.b", "axb", false),
            ("aab", "aaab", true),
        ] {
            assert_eq!(KeyPattern::parse(expression).unwrap().matches(key), expected, "{expression} on {key}");
        }
    }

    #[test]
    fn anything_beyond_the_subset_is_no_pattern() {
        for expression in ["(a)", "a|b", "a{2}", "\\b", "\\D", "[a", "a**", "^*", "[z-a]", "\\"] {
            assert!(KeyPattern::parse(expression).is_none(), "{expression}");
        }
        assert!(KeyPattern::parse(&"a".repeat(257)).is_none());
    }

    #[test]
    fn a_long_key_takes_linear_time() {
        let pattern = KeyPattern::parse(&format!("^{}$", "a*".repeat(120))).unwrap();
        assert!(!pattern.matches(&format!("{}b", "a".repeat(20_000))));
    }
}
