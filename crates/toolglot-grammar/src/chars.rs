//! Sets of characters, as ranges.

/// A set of characters: sorted ranges with gaps between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chars {
    ranges: Vec<(char, char)>,
}

impl Chars {
    /// Returns the characters of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self::ranges(text.chars().map(|c| (c, c)))
    }

    /// Returns the characters of ranges, both ends included.
    pub(crate) fn ranges(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let mut sorted: Vec<(char, char)> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::new();
        for (from, to) in sorted {
            match merged.last_mut() {
                Some(last) if from <= last.1 || after(last.1) == Some(from) => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self { ranges: merged }
    }

    /// Returns all characters that are not in another set.
    pub(crate) fn all_but(other: &Self) -> Self {
        let (mut ranges, mut from) = (Vec::new(), Some('\0'));
        for (first, last) in &other.ranges {
            if let Some(start) = from.filter(|start| start < first) {
                ranges.extend(before(*first).map(|end| (start, end)));
            }
            from = after(*last);
        }
        ranges.extend(from.map(|start| (start, char::MAX)));
        Self { ranges }
    }

    /// Returns the characters of both sets.
    pub(crate) fn with(&self, other: &Self) -> Self {
        Self::ranges(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// Returns the characters of the set that are not in another.
    pub(crate) fn without(&self, other: &Self) -> Self {
        Self::all_but(&Self::all_but(self).with(other))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(crate) fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
    }

    /// Writes the set in brackets, negated if it extends to the last character; `escape` writes one character.
    pub(crate) fn bracketed(&self, escape: impl Fn(char, &mut String)) -> String {
        let negated = self.ranges.last().is_some_and(|last| last.1 == char::MAX);
        let shown = if negated { Self::all_but(self) } else { self.clone() };
        let mut out = if negated { "[^".to_owned() } else { "[".to_owned() };
        for (from, to) in shown.ranges {
            escape(from, &mut out);
            if from != to {
                out.push_str(if after(from) == Some(to) { "" } else { "-" });
                escape(to, &mut out);
            }
        }
        out.push(']');
        out
    }

    /// Returns the only character of the set, if there is just one.
    pub(crate) fn only(&self) -> Option<char> {
        match self.ranges[..] {
            [(from, to)] if from == to => Some(from),
            _ => None,
        }
    }

    /// Returns whether all characters are in the set.
    pub(crate) fn is_all(&self) -> bool {
        self.ranges == [('\0', char::MAX)]
    }
}

fn after(c: char) -> Option<char> {
    match c {
        '\u{d7ff}' => Some('\u{e000}'),
        c => char::from_u32(u32::from(c) + 1),
    }
}

fn before(c: char) -> Option<char> {
    match c {
        '\u{e000}' => Some('\u{d7ff}'),
        c => u32::from(c).checked_sub(1).and_then(char::from_u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_cut_and_joined() {
        let all = Chars::all_but(&Chars::of(""));
        assert!(all.is_all());
        let rest = Chars::all_but(&Chars::of("b\u{e000}"));
        assert!(!rest.contains('b') && rest.contains('a') && !rest.contains('\u{e000}') && rest.contains('\u{d7ff}'));
        assert_eq!(all.without(&Chars::all_but(&Chars::of("abd"))), Chars::of("abd"));
        assert_eq!(Chars::of("abcx").bracketed(|c, out| out.push(c)), "[a-cx]");
        assert_eq!(Chars::all_but(&Chars::of("ab")).bracketed(|c, out| out.push(c)), "[^ab]");
    }
}
