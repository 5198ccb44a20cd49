//! A small generator of JSON; the same numbers on every run.

/// The state of the generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    /// Returns an object, blanks and all.
    pub(crate) fn object(&mut self, depth: usize) -> String {
        self.list(depth, '{', '}', Self::member)
    }

    fn value(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 6 } else { 10 }) {
            0 => self.pick(&["true", "false", "null"]).to_owned(),
            1 | 2 => self.pick(NUMBERS).to_owned(),
            3..6 => self.string(),
            6 | 7 => self.list(depth, '[', ']', Self::value),
            _ => self.object(depth),
        }
    }

    fn member(&mut self, depth: usize) -> String {
        let key = match self.roll(3) {
            0 => self.string(),
            _ => self.pick(KEYS).to_owned(),
        };
        let (before, after) = (self.blank(), self.blank());
        format!("{key}{before}:{after}{}", self.value(depth))
    }

    fn list(&mut self, depth: usize, open: char, close: char, member: fn(&mut Self, usize) -> String) -> String {
        let mut out = format!("{open}{}", self.blank());
        for index in 0..self.roll(4) {
            if index > 0 {
                let (before, after) = (self.blank(), self.blank());
                out += &format!("{before},{after}");
            }
            out += &member(self, depth.saturating_sub(1));
        }
        out + self.blank() + &close.to_string()
    }

    fn string(&mut self) -> String {
        let pieces: Vec<&str> = (0..self.roll(6)).map(|_| self.pick(PIECES)).collect();
        format!("\"{}\"", pieces.concat())
    }

    fn blank(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "\n", "  ", "\t", "\r\n"])
    }
}

const NUMBERS: &[&str] =
    &["0", "-0", "12", "-3.5", "1e5", "1E-7", "0.10", "123456789012345678901234567890", "-1.5e+10", "7"];

const KEYS: &[&str] =
    &["\"a\"", "\"b\"", "\"c\"", "\"k\"", "\"x y\"", "\"arguments\"", "\"name\"", "\"__proto__\"", "\"é\"", "\"\""];

const PIECES: &[&str] = &[
    "a",
    "b c",
    "é",
    "😀",
    "\\\"",
    "\\\\",
    "\\/",
    "\\n",
    "\\u00e9",
    "\\ud83d",
    "\\uD83D\\uDE00",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "'",
    "`",
    "“",
    "”",
    "‘",
    "’",
    "…",
    "//",
    "#",
    "/*",
    "</tool_call>",
    "<tool_call>{",
    "<",
    "```",
    "<|",
    "<|\\\"|>",
    "\\\", \\\"k\\\": ",
    "True",
    "\u{7f}",
    "=",
    "\\\\\\\"",
    "(",
    ")",
    "null",
    "020",
    "<parameter=a>",
    ";",
    "\\\": ",
    "{\\\"a\\\": 1}",
    "''",
    "'a': 'b'",
    "\\\\d",
    "C:\\\\x",
    "日本語",
    "}]",
    "\\t",
];
