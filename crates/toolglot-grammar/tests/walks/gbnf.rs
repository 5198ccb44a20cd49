//! Reads GBNF and follows it character by character, as llama.cpp does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::random::Random;

/// Rules, each a list of alternatives.
pub(crate) struct Gbnf {
    rules: Vec<Vec<Vec<Element>>>,
    /// The fewest characters that end each rule.
    shortest: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Element {
    /// Ranges, and whether they are what may not stand.
    Set(Vec<(char, char)>, bool),
    Rule(usize),
}

/// A place in an alternative, and where to go on behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Frame {
    rule: usize,
    alternative: usize,
    at: usize,
    parent: Option<usize>,
}

/// Where a text may be in a grammar.
pub(crate) struct Matcher<'g> {
    grammar: &'g Gbnf,
    frames: Vec<Frame>,
    known: HashMap<Frame, usize>,
    /// Frames whose next element is a set; `None` is the end.
    tops: BTreeSet<Option<usize>>,
}

impl Gbnf {
    /// Reads a grammar.
    pub(crate) fn new(text: &str) -> Self {
        let mut reader = RuleReader { names: BTreeMap::new(), rules: Vec::new() };
        reader.number("root");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (name, body) = line.split_once(" ::= ").unwrap_or_else(|| panic!("no rule: {line}"));
            let number = reader.number(name);
            let mut rest = body;
            let alternatives = reader.alternatives(&mut rest);
            assert!(rest.is_empty(), "left of {name}: {rest}");
            assert!(reader.rules[number].is_empty(), "{name} is defined twice");
            reader.rules[number] = alternatives;
        }
        let empty: Vec<_> = reader.names.iter().filter(|(_, number)| reader.rules[**number].is_empty()).collect();
        assert!(empty.is_empty(), "undefined: {empty:?}");
        let mut grammar = Self { rules: reader.rules, shortest: Vec::new() };
        grammar.measure();
        grammar
    }

    fn measure(&mut self) {
        self.shortest = vec![usize::MAX; self.rules.len()];
        loop {
            let mut changed = false;
            for number in 0..self.rules.len() {
                let least = self.rules[number].iter().map(|elements| self.length(elements)).min().unwrap_or(usize::MAX);
                if least < self.shortest[number] {
                    self.shortest[number] = least;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        assert!(self.shortest.iter().all(|length| *length < usize::MAX), "a rule never ends");
    }

    fn length(&self, elements: &[Element]) -> usize {
        elements.iter().fold(0, |sum: usize, element| {
            sum.saturating_add(match element {
                Element::Set(..) => 1,
                Element::Rule(rule) => self.shortest[*rule],
            })
        })
    }

    pub(crate) fn accepts(&self, text: &str) -> Result<(), String> {
        let mut matcher = Matcher::new(self);
        for (at, c) in text.char_indices() {
            if !matcher.step(c) {
                return Err(format!("refused at {}", text[at..].chars().take(40).collect::<String>().escape_debug()));
            }
        }
        matcher.may_end().then_some(()).ok_or_else(|| "not over at the end".to_owned())
    }
}

/// Reads rules.
struct RuleReader {
    names: BTreeMap<String, usize>,
    rules: Vec<Vec<Vec<Element>>>,
}

impl RuleReader {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        self.names.insert(name.to_owned(), self.rules.len());
        self.fresh(Vec::new())
    }

    fn fresh(&mut self, alternatives: Vec<Vec<Element>>) -> usize {
        self.rules.push(alternatives);
        self.rules.len() - 1
    }

    fn alternatives(&mut self, rest: &mut &str) -> Vec<Vec<Element>> {
        let mut all = vec![Vec::new()];
        loop {
            *rest = rest.trim_start();
            let Some(next) = rest.chars().next() else { return all };
            match next {
                ')' => return all,
                '|' => {
                    *rest = &rest[1..];
                    all.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            let item = self.item(rest);
            let item = self.repeated(item, rest);
            all.last_mut().unwrap().extend(item);
        }
    }

    fn item(&mut self, rest: &mut &str) -> Vec<Element> {
        match rest.chars().next().unwrap() {
            '(' => {
                *rest = &rest[1..];
                let inside = self.alternatives(rest);
                assert!(rest.starts_with(')'), "no end of a group: {rest}");
                *rest = &rest[1..];
                vec![Element::Rule(self.fresh(inside))]
            }
            '"' => {
                *rest = &rest[1..];
                let mut out = Vec::new();
                while !rest.starts_with('"') {
                    let c = character(rest);
                    out.push(Element::Set(vec![(c, c)], false));
                }
                *rest = &rest[1..];
                out
            }
            '[' => {
                *rest = &rest[1..];
                let negated = rest.starts_with('^');
                *rest = &rest[usize::from(negated)..];
                let mut ranges = Vec::new();
                while !rest.starts_with(']') {
                    let from = character(rest);
                    let ranged = rest.starts_with('-') && !rest[1..].starts_with(']');
                    *rest = &rest[usize::from(ranged)..];
                    ranges.push((from, if ranged { character(rest) } else { from }));
                }
                *rest = &rest[1..];
                vec![Element::Set(ranges, negated)]
            }
            _ => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
                assert!(end > 0, "unexpected: {rest}");
                let name = &rest[..end];
                *rest = &rest[end..];
                vec![Element::Rule(self.number(name))]
            }
        }
    }

    fn repeated(&mut self, item: Vec<Element>, rest: &mut &str) -> Vec<Element> {
        let (least, most, length) = match rest.chars().next() {
            Some('?') => (0, Some(1), 1),
            Some('*') => (0, None, 1),
            Some('+') => (1, None, 1),
            Some('{') => {
                let end = rest.find('}').unwrap();
                let inside = &rest[1..end];
                let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
                assert!(most.is_empty() || most.parse::<usize>().unwrap() <= 2000, "llama.cpp refuses {inside}");
                (least.parse().unwrap(), (!most.is_empty()).then(|| most.parse().unwrap()), end + 1)
            }
            _ => return item,
        };
        *rest = &rest[length..];
        // A literal repeats as a whole.
        let mut out: Vec<Element> = (0..least).flat_map(|_| item.clone()).collect();
        match most {
            None => {
                let rule = self.fresh(Vec::new());
                self.rules[rule] = vec![item.into_iter().chain([Element::Rule(rule)]).collect(), Vec::new()];
                out.push(Element::Rule(rule));
            }
            Some(most) => {
                let mut next = None;
                for _ in least..most {
                    let more = item.iter().cloned().chain(next.map(Element::Rule)).collect();
                    next = Some(self.fresh(vec![more, Vec::new()]));
                }
                out.extend(next.map(Element::Rule));
            }
        }
        out
    }
}

fn character(rest: &mut &str) -> char {
    let mut chars = rest.chars();
    let c = chars.next().unwrap();
    if c != '\\' {
        *rest = chars.as_str();
        return c;
    }
    let kind = chars.next().unwrap();
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let after = chars.as_str();
    *rest = &after[digits..];
    match kind {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '"' | '\\' | '[' | ']' => kind,
        'x' | 'u' | 'U' => char::from_u32(u32::from_str_radix(&after[..digits], 16).unwrap()).unwrap(),
        other => panic!("llama.cpp knows no escape \\{other}"),
    }
}

impl<'g> Matcher<'g> {
    pub(crate) fn new(grammar: &'g Gbnf) -> Self {
        let mut matcher = Self { grammar, frames: Vec::new(), known: HashMap::new(), tops: BTreeSet::new() };
        let mut tops = BTreeSet::new();
        matcher.enter(0, None, &mut tops, &mut BTreeSet::new());
        matcher.tops = tops;
        matcher
    }

    fn frame(&mut self, frame: Frame) -> usize {
        let next = self.frames.len();
        let number = *self.known.entry(frame).or_insert(next);
        if number == next {
            self.frames.push(frame);
        }
        number
    }

    fn enter(
        &mut self,
        rule: usize,
        parent: Option<usize>,
        tops: &mut BTreeSet<Option<usize>>,
        seen: &mut BTreeSet<(usize, Option<usize>)>,
    ) {
        if !seen.insert((rule, parent)) {
            return;
        }
        for alternative in 0..self.grammar.rules[rule].len() {
            self.go(Frame { rule, alternative, at: 0, parent }, tops, seen);
        }
    }

    /// Goes on from a place to the next sets.
    fn go(&mut self, frame: Frame, tops: &mut BTreeSet<Option<usize>>, seen: &mut BTreeSet<(usize, Option<usize>)>) {
        let elements = &self.grammar.rules[frame.rule][frame.alternative];
        match elements.get(frame.at) {
            None => match frame.parent {
                None => drop(tops.insert(None)),
                Some(parent) => {
                    let parent = self.frames[parent];
                    self.go(parent, tops, seen);
                }
            },
            Some(Element::Set(..)) => {
                let number = self.frame(frame);
                tops.insert(Some(number));
            }
            Some(Element::Rule(rule)) => {
                let rule = *rule;
                let next = Frame { at: frame.at + 1, ..frame };
                let is_last = frame.at + 1 == elements.len();
                let parent = if is_last { frame.parent } else { Some(self.frame(next)) };
                self.enter(rule, parent, tops, seen);
            }
        }
    }

    fn set(&self, number: usize) -> (&[(char, char)], bool) {
        let frame = self.frames[number];
        match &self.grammar.rules[frame.rule][frame.alternative][frame.at] {
            Element::Set(ranges, negated) => (ranges, *negated),
            Element::Rule(_) => unreachable!("the top of a stack is a set"),
        }
    }

    /// Goes one character on; `false` if the grammar has no such text.
    pub(crate) fn step(&mut self, c: char) -> bool {
        let fits = |matcher: &Self, number: usize| {
            let (ranges, negated) = matcher.set(number);
            ranges.iter().any(|range| (range.0..=range.1).contains(&c)) != negated
        };
        let live: Vec<usize> = self.tops.iter().flatten().copied().filter(|number| fits(self, *number)).collect();
        let (mut tops, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for number in live {
            let frame = self.frames[number];
            self.go(Frame { at: frame.at + 1, ..frame }, &mut tops, &mut seen);
        }
        self.tops = tops;
        !self.tops.is_empty()
    }

    pub(crate) fn may_end(&self) -> bool {
        self.tops.contains(&None)
    }

    /// Returns how many characters the text needs at least from here.
    fn left(&self, number: usize) -> usize {
        let mut frame = self.frames[number];
        let mut sum = 0_usize;
        loop {
            let rest = &self.grammar.rules[frame.rule][frame.alternative][frame.at..];
            sum = sum.saturating_add(self.grammar.length(rest));
            match frame.parent {
                Some(parent) => frame = self.frames[parent],
                None => return sum,
            }
        }
    }

    /// Returns a place by chance; a literal that has begun is mostly gone on with, or its end were never seen.
    fn chosen(&self, tops: &[usize], random: &mut Random) -> usize {
        let begun = |number: &&usize| {
            let frame = self.frames[**number];
            let elements = &self.grammar.rules[frame.rule][frame.alternative];
            frame.at > 0 && matches!(elements[frame.at - 1], Element::Set(..)) && self.set(**number).0.len() == 1
        };
        let literals: Vec<usize> = tops.iter().filter(begun).copied().collect();
        match literals.len() {
            0 => tops[random.below(tops.len())],
            count if random.below(8) > 0 => literals[random.below(count)],
            _ => tops[random.below(tops.len())],
        }
    }

    /// Returns a character that may come next, or nothing to end; in a hurry the one that leads to an end.
    pub(crate) fn next(&self, random: &mut Random, hurries: bool) -> Option<char> {
        if self.may_end() && (hurries || self.tops.len() == 1 || random.below(40) == 0) {
            return None;
        }
        let tops: Vec<usize> = self.tops.iter().flatten().copied().collect();
        let number = match hurries {
            true => *tops.iter().min_by_key(|number| self.left(**number)).unwrap(),
            false => self.chosen(&tops, random),
        };
        let (ranges, negated) = self.set(number);
        Some(random.of_set(ranges, negated))
    }

    /// Returns a text of the grammar: by chance, and on the shortest way to an end once it is long.
    pub(crate) fn walk(grammar: &'g Gbnf, random: &mut Random, long: usize) -> String {
        let mut matcher = Self::new(grammar);
        let mut text = String::new();
        for steps in 0.. {
            let Some(c) = matcher.next(random, steps >= long) else { break };
            text.push(c);
            assert!(matcher.step(c), "{text:?}");
            assert!(steps < 100_000, "a walk never ends: {}", text.len());
        }
        text
    }
}
