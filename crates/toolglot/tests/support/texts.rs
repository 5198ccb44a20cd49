//! Random messages: calls of every dialect, damage to them, and noise.

use toolglot::Dialects;

use crate::random::Random;

/// Pieces from which messages are made.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// The dialects, each with the patterns of its file.
    dialects: Vec<(String, Vec<String>)>,
    /// The literals in them.
    markers: Vec<String>,
    /// The inputs of the case files, each with its folder.
    samples: Vec<(String, Vec<u8>)>,
}

/// Pieces that are syntax somewhere.
const NOISE: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    ",",
    ":",
    "`",
    "```",
    "\n",
    "\r\n",
    " ",
    "<",
    ">",
    "</",
    "/>",
    "<|",
    "|>",
    "(",
    ")",
    "=",
    "null",
    "True",
    "007",
    "1e999",
    "\u{e9}",
    "\u{65e5}",
    "\u{1f389}",
    "{\"a\": 1}",
    "{\"path\": \"src\"}",
    "\"path\"",
    "ls",
    "note",
    "search",
    "ping",
    "nope",
    "functions.ls:0",
    "{\"name\": \"ls\", \"arguments\": ",
    "</think>",
    "<think>",
    "&lt;",
    "<![CDATA[",
    "]]>",
    "\u{0}",
    "def",
    "word ",
    ". ",
    "\t",
    "<path>",
    "</path>",
    "path=\"src\"",
    "\\n",
    "\\u00e9",
    "-1",
    "0.5",
    "<br>",
    "<ls>",
    "</ls>",
];

impl Random {
    /// Says yes once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

impl Texts {
    /// Returns the pieces of all built-in dialects and case files.
    pub(crate) fn new(samples: Vec<(String, Vec<u8>)>) -> Self {
        let mut dialects = Vec::new();
        for dialect in Dialects::builtin().iter() {
            let patterns = strings(dialect.source()).into_iter().filter(|text| text.contains('{')).collect();
            dialects.push((dialect.name().to_owned(), patterns));
        }
        let mut texts = Self { dialects, markers: Vec::new(), samples };
        let all = (0..texts.dialects.len()).flat_map(|number| texts.markers_of(number));
        let mut markers: Vec<String> = all.map(str::to_owned).collect();
        markers.sort();
        markers.dedup();
        texts.markers = markers;
        texts
    }

    /// Returns a message of one of many kinds, and the dialect it was made of, if one.
    pub(crate) fn message(&self, random: &mut Random) -> (Vec<u8>, &str) {
        match random.below(8) {
            0 => (self.soup(random), ""),
            1 => ((0..random.below(80)).map(|_| random.next() as u8).collect(), ""),
            2 => self.filled(random),
            3 => self.sample(random),
            _ => {
                let (mut message, dialect) = if random.one_in(2) { self.sample(random) } else { self.filled(random) };
                for _ in 0..=random.below(4) {
                    self.damage(random, &mut message);
                }
                (message, dialect)
            }
        }
    }

    fn sample(&self, random: &mut Random) -> (Vec<u8>, &str) {
        let (folder, message) = &self.samples[random.below(self.samples.len())];
        let mut message = message.clone();
        if random.one_in(4) {
            message.extend_from_slice(&self.samples[random.below(self.samples.len())].1);
        }
        (message, folder)
    }

    /// Returns markers and noise in any order.
    fn soup(&self, random: &mut Random) -> Vec<u8> {
        (0..random.below(24)).flat_map(|_| self.piece(random).as_bytes().to_vec()).collect()
    }

    /// Returns a marker of any dialect, or noise.
    pub(crate) fn piece(&self, random: &mut Random) -> &str {
        match random.one_in(2) {
            true => &self.markers[random.below(self.markers.len())],
            false => random.pick(NOISE),
        }
    }

    fn filled(&self, random: &mut Random) -> (Vec<u8>, &str) {
        let number = random.below(self.dialects.len());
        (self.of(random, number).into_bytes(), &self.dialects[number].0)
    }

    /// Returns the literals of a dialect's patterns.
    pub(crate) fn markers_of(&self, number: usize) -> impl Iterator<Item = &str> {
        self.dialects[number].1.iter().flat_map(|pattern| literals(pattern))
    }

    /// Returns patterns of a dialect with something in their holes.
    pub(crate) fn of(&self, random: &mut Random, number: usize) -> String {
        let mut out = String::new();
        for _ in 0..=random.below(3) {
            let pattern = self.pattern(random, number);
            self.fill(random, 3, number, pattern, &mut out);
            out.push_str(random.pick(&["", "", "\n", " and ", "\n\n"]));
        }
        out
    }

    /// Returns a pattern of a dialect, now and then of another.
    fn pattern(&self, random: &mut Random, number: usize) -> &str {
        let number = if random.one_in(12) { random.below(self.dialects.len()) } else { number };
        let patterns = &self.dialects[number].1;
        patterns.get(random.below(patterns.len())).map(String::as_str).unwrap_or_default()
    }

    fn fill(&self, random: &mut Random, depth: usize, number: usize, pattern: &str, out: &mut String) {
        for (at, part) in pattern.split(['{', '}']).enumerate() {
            if at % 2 == 0 {
                out.push_str(part);
                continue;
            }
            match part.split(':').next().unwrap_or_default() {
                "params" | "calls" | "attrs" if depth > 0 => {
                    for _ in 0..random.below(3) {
                        let pattern = self.pattern(random, number);
                        self.fill(random, depth - 1, number, pattern, out);
                    }
                }
                hole => out.push_str(filling(random, hole)),
            }
        }
    }

    fn damage(&self, random: &mut Random, message: &mut Vec<u8>) {
        let at = random.below(message.len() + 1);
        let end = (at + random.below(6)).min(message.len());
        match random.below(7) {
            0 => drop(message.drain(at..end)),
            1 => message.truncate(at),
            2 => {
                let piece = self.piece(random).as_bytes().to_vec();
                message.splice(at..at, piece);
            }
            3 => {
                let copy = message[at..end].to_vec();
                message.splice(at..at, copy);
            }
            4 => {
                let piece = self.piece(random).as_bytes().to_vec();
                message.splice(at..end, piece);
            }
            5 if at < message.len() => message[at] = random.next() as u8,
            _ if at + 1 < message.len() => message.swap(at, at + 1),
            _ => {}
        }
    }
}

/// Returns what stands between the holes of a pattern.
fn literals(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split(['{', '}']).step_by(2).filter(|text| !text.trim().is_empty())
}

/// Returns something for a hole.
fn filling<'t>(random: &mut Random, hole: &str) -> &'t str {
    match hole {
        "name" => random.pick(&["ls", "ls", "note", "search", "ping", "nope", "write_file"]),
        "key" => random.pick(&["path", "recursive", "query", "limit", "content", "x"]),
        "id" => random.pick(&["functions.ls:0", "functions.note:1", "call_1"]),
        "index" => random.pick(&["0", "1", "2"]),
        "arguments" | "object" => random.pick(&[
            "{}",
            "{\"path\": \"src\"}",
            "{\"path\": \"a </b> \\\" c\", \"recursive\": true}",
            "{\"a\": [1, {\"b\": null}]}",
            "{\"path\": \"sr",
        ]),
        "call" => random.pick(&[
            "{\"name\": \"ls\", \"arguments\": {\"path\": \"src\"}}",
            "{\"arguments\": {}, \"name\": \"ping\"}",
            "{\"name\": \"nope\", \"arguments\": {}}",
            "{\"name\": \"note\", \"arguments\": \"{}\"}",
        ]),
        "kwargs" => random.pick(&["", "path=\"src\"", "path='a', recursive=True", "x=[1, (2,)]", "path=\"src"]),
        "value" | "text" | "content" | "tree" => random.pick(&[
            "src",
            "true",
            "5",
            "a < b",
            "  x\n",
            "line\nline",
            "</x>",
            "[1, 2]",
            "null",
            "\u{e9}\u{1f389}",
            "",
        ]),
        _ => "",
    }
}

/// Returns the strings of a TOML file.
fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        match c {
            '#' => drop(rest.by_ref().find(|c| *c == '\n')),
            '"' | '\'' => {
                let mut text = String::new();
                while let Some(inner) = rest.next().filter(|inner| *inner != c) {
                    text.push(match inner {
                        '\\' if c == '"' => match rest.next() {
                            Some('n') => '\n',
                            other => other.unwrap_or_default(),
                        },
                        other => other,
                    });
                }
                found.push(text);
            }
            _ => {}
        }
    }
    found
}
