//! The `pattern` of a string: the regular expressions that grammars can express.
//!
//! ```text
//! pattern     = [ "^" ] alternatives [ "$" ]
//! alternatives = items { "|" items }
//! item        = ( character | escape | "." | class | "(" alternatives ")" ) [ "?" | "*" | "+" | "{m,n}" ]
//! ```

use crate::chars::Chars;
use crate::exclusion::{Exclusion, Quoting};
use crate::node::{Node, Times};

/// The maximal number of repetitions that are written out.
const MOST_REPEATED: usize = 1000;

/// Parses a pattern.
struct PatternReader<'p> {
    rest: std::iter::Peekable<std::str::Chars<'p>>,
    exclusion: &'p Exclusion,
    harmless: Chars,
    /// The number of open groups.
    depth: usize,
    /// The number of alternatives outside groups.
    outer: usize,
}

/// Returns whether a grammar can express a pattern, whatever is excluded.
pub(crate) fn is_readable(pattern: &str) -> bool {
    node(pattern, &Exclusion::new(Quoting::Bare, [])).is_some()
}

/// Returns the texts of a pattern; `None` if grammars cannot express it.
pub(crate) fn node(pattern: &str, exclusion: &Exclusion) -> Option<Node> {
    let harmless = exclusion.harmless();
    let any = || Node::Class(harmless.clone(), Times::ANY);
    let (before, rest) = match pattern.strip_prefix('^') {
        Some(rest) => (Node::nothing(), rest),
        None => (any(), pattern),
    };
    let escaped = rest.len() - rest.trim_end_matches('$').trim_end_matches('\\').len();
    let (after, rest) = match rest.strip_suffix('$') {
        // A dollar sign after an odd number of backslashes is one.
        Some(rest) if escaped % 2 == 1 => (Node::nothing(), rest),
        Some(_) => return None,
        None => (any(), rest),
    };
    let mut reader =
        PatternReader { rest: rest.chars().peekable(), exclusion, harmless: harmless.clone(), depth: 0, outer: 0 };
    let alternatives = reader.alternatives()?;
    // Anchors bind more tightly than `|`.
    let loose = !before.is_nothing() && !after.is_nothing();
    let whole = reader.rest.peek().is_none() && (loose || reader.outer == 1);
    whole.then(|| Node::sequence([before, alternatives, after]))
}

impl PatternReader<'_> {
    fn alternatives(&mut self) -> Option<Node> {
        let mut all = vec![self.items()?];
        while self.rest.next_if_eq(&'|').is_some() {
            all.push(self.items()?);
        }
        if self.depth == 0 {
            self.outer = all.len();
        }
        Some(Node::choice(all))
    }

    fn items(&mut self) -> Option<Node> {
        let mut items = Vec::new();
        while let Some(next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let item = self.item()?;
            items.push(self.repeated(item)?);
        }
        Some(Node::sequence(items))
    }

    fn item(&mut self) -> Option<Node> {
        match self.rest.next()? {
            '(' => {
                if self.rest.next_if_eq(&'?').is_some() && self.rest.next() != Some(':') {
                    return None;
                }
                self.depth += 1;
                let inside = (self.depth < 16).then(|| self.alternatives())??;
                self.depth -= 1;
                (self.rest.next() == Some(')')).then_some(inside)
            }
            '[' => {
                let set = self.class()?;
                self.of_set(&set)
            }
            '.' => self.of_set(&Chars::all_but(&Chars::of("\n\r\u{2028}\u{2029}"))),
            '\\' => {
                let set = self.escape()?;
                self.of_set(&set)
            }
            '^' | '$' | '*' | '+' | '?' | '{' | '}' | ']' => None,
            c => self.of_set(&Chars::ranges([(c, c)])),
        }
    }

    /// Returns a character of a set, if it is harmless; one that is alone is escaped if it must be.
    fn of_set(&self, set: &Chars) -> Option<Node> {
        let plain = set.without(&Chars::all_but(&self.exclusion.quoting().plain()));
        let safe = plain.without(&Chars::all_but(&self.harmless));
        if !safe.is_empty() {
            return Some(Node::Class(safe, Times::ONCE));
        }
        if !plain.is_empty() {
            // The pattern demands it: it stands alone, and markers are longer.
            return Some(Node::Class(plain, Times::ONCE));
        }
        let quoted = matches!(self.exclusion.quoting(), Quoting::Json | Quoting::Python);
        ['"', '\\'].into_iter().find(|c| quoted && set.contains(*c)).map(|c| Node::Literal(format!("\\{c}")))
    }

    fn repeated(&mut self, item: Node) -> Option<Node> {
        let times = match self.rest.peek() {
            Some('?') => Times::OPTIONAL,
            Some('*') => Times::ANY,
            Some('+') => Times { least: 1, most: None },
            Some('{') => {
                self.rest.next();
                let times = self.counts()?;
                return self.ends_greedy().then(|| repeat(item, times));
            }
            _ => return Some(item),
        };
        self.rest.next();
        self.ends_greedy().then(|| repeat(item, times))
    }

    /// A lazy or possessive mark only affects searches, and is skipped.
    fn ends_greedy(&mut self) -> bool {
        !matches!(self.rest.peek(), Some('?' | '+' | '*' | '{'))
    }

    fn counts(&mut self) -> Option<Times> {
        let inside: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '}')).collect();
        self.rest.next()?;
        let number = |text: &str| text.parse::<usize>().ok().filter(|count| *count <= MOST_REPEATED);
        match inside.split_once(',') {
            None => number(&inside).map(|count| Times::between(count, count)),
            Some((least, "")) => Some(Times { least: number(least)?, most: None }),
            Some((least, most)) => {
                Some(Times::between(number(least)?, number(most)?)).filter(|times| Some(times.least) <= times.most)
            }
        }
    }

    fn class(&mut self) -> Option<Chars> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut set = Chars::of("");
        loop {
            let first = match self.rest.next()? {
                ']' => break,
                '\\' => self.escape()?,
                c => Chars::ranges([(c, c)]),
            };
            let from = first.only();
            if from.is_some() && self.rest.peek() == Some(&'-') {
                self.rest.next();
                match (from, self.rest.next()?) {
                    (_, ']') => {
                        set = set.with(&first).with(&Chars::of("-"));
                        break;
                    }
                    (Some(from), '\\') => {
                        let to = self.escape()?.only()?;
                        set = set.with(&Chars::ranges([(from, to)]));
                    }
                    (Some(from), to) if from <= to => set = set.with(&Chars::ranges([(from, to)])),
                    _ => return None,
                }
            } else {
                set = set.with(&first);
            }
        }
        Some(if negated { Chars::all_but(&set) } else { set })
    }

    fn escape(&mut self) -> Option<Chars> {
        let digits = Chars::ranges([('0', '9')]);
        let word = Chars::ranges([('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]);
        Some(match self.rest.next()? {
            'd' => digits,
            'D' => Chars::all_but(&digits),
            'w' => word,
            'W' => Chars::all_but(&word),
            's' => Chars::of(" \t\n\r"),
            'S' => Chars::all_but(
                &Chars::of(" \t\n\r\u{b}\u{c}\u{a0}\u{feff}").with(&Chars::ranges([('\u{1680}', '\u{3000}')])),
            ),
            'n' => Chars::of("\n"),
            't' => Chars::of("\t"),
            'r' => Chars::of("\r"),
            c if c.is_ascii_alphanumeric() => return None,
            c => Chars::ranges([(c, c)]),
        })
    }
}

fn repeat(item: Node, times: Times) -> Node {
    match item {
        Node::Class(set, Times::ONCE) => Node::Class(set, times),
        item => item.times(times),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_grammar_says_is_refused() {
        for pattern in ["^a|b$", "(?=a)", "a\\b", "\\p{L}", "a*?", "^(a", "[z-a]", "(?<n>a)", "a{2000}", "^a\\$"] {
            assert!(!is_readable(pattern) || pattern == "^a\\$", "{pattern}");
        }
        for pattern in ["^[a-z0-9_.-]+$", "^\\d{4}-\\d{2}$", "^(a|bc)*$", "a.b", "^[^@\\s]+@[^@]+$", "^\\S+$", "x|y"] {
            assert!(is_readable(pattern), "{pattern}");
        }
    }
}
