//! Tools and messages that call them, made at random.

use crate::random::Random;

/// A tool's parameters, or any value where there is no schema.
#[derive(Clone)]
enum Kind {
    Any,
    Text,
    Integer,
    Number,
    Boolean,
    TextOrNull,
    IntegerOrNull,
    Choice,
    List(Box<Kind>),
    Object(Vec<(&'static str, Kind)>),
}

/// A message, as a caller of the renderer gives it.
pub(crate) struct Case {
    /// JSON list of tools.
    pub(crate) tools: String,
    pub(crate) reasoning: String,
    pub(crate) content: String,
    /// Names and arguments.
    pub(crate) calls: Vec<(String, String)>,
}

/// Makes messages; `markers` are literals of dialects, which get into values now and then.
pub(crate) struct Generator<'g> {
    pub(crate) random: Random,
    pub(crate) markers: &'g [String],
    pub(crate) has_reasoning: bool,
    /// Whether the message has unusual strings at all.
    odd: bool,
}

impl<'g> Generator<'g> {
    pub(crate) fn new(seed: u64, markers: &'g [String], has_reasoning: bool) -> Self {
        Self { random: Random::new(seed), markers, has_reasoning, odd: false }
    }

    pub(crate) fn case(&mut self) -> Case {
        self.odd = self.random.once_in(2);
        let tools: Vec<(&str, Option<Kind>)> = (0..=self.random.below(3)).map(|at| (NAMES[at], self.tool())).collect();
        let count = [1, 1, 1, 2, 2, 3, 5][self.random.below(7)];
        let calls = (0..count)
            .map(|_| {
                let (name, kind) = self.random.pick(&tools);
                (name.to_owned(), self.value(kind.as_ref().unwrap_or(&Kind::Object(open())), 0))
            })
            .collect();
        let declared = tools.iter().map(|(name, kind)| declaration(name, kind.as_ref())).collect::<Vec<_>>().join(", ");
        Case { tools: format!("[{declared}]"), reasoning: self.reasoning(), content: self.content(), calls }
    }

    fn reasoning(&mut self) -> String {
        if !self.has_reasoning || self.random.once_in(2) {
            return String::new();
        }
        self.random
            .pick(&["I should look first.", "Two steps:\n1. look\n2. tell", "Is 3 < 4? Yes.", "étude ☕"])
            .to_owned()
    }

    fn content(&mut self) -> String {
        let texts =
            ["", "", "", "Let me check.", "Sure, `ls` it is:\n", "First this: x < y.\n\nThen that.", "Voilà 🎉"];
        self.random.pick(&texts).to_owned()
    }

    /// Returns a tool's parameters, or nothing for a tool that declares none.
    fn tool(&mut self) -> Option<Kind> {
        (!self.random.once_in(5)).then(|| Kind::Object(self.members(0)))
    }

    fn members(&mut self, depth: usize) -> Vec<(&'static str, Kind)> {
        (0..self.random.below(5)).map(|at| (KEYS[at], self.kind(depth + 1))).collect()
    }

    fn kind(&mut self, depth: usize) -> Kind {
        match self.random.below(if depth > 2 { 10 } else { 14 }) {
            0..=3 => Kind::Text,
            4 => Kind::Integer,
            5 => Kind::Number,
            6 => Kind::Boolean,
            7 => Kind::TextOrNull,
            8 => Kind::IntegerOrNull,
            9 => Kind::Choice,
            10 | 11 => Kind::List(Box::new(self.kind(depth + 1))),
            12 => Kind::Object(self.members(depth)),
            _ => Kind::Any,
        }
    }

    fn value(&mut self, kind: &Kind, depth: usize) -> String {
        match kind {
            Kind::Any => {
                let kind = self.kind(depth + 1);
                self.value(&if let Kind::Any = kind { Kind::Text } else { kind }, depth + 1)
            }
            Kind::TextOrNull | Kind::IntegerOrNull if self.random.once_in(3) => "null".to_owned(),
            Kind::Text | Kind::TextOrNull => quoted(&self.text()),
            Kind::Integer | Kind::IntegerOrNull => self.random.pick(INTEGERS).to_owned(),
            Kind::Number => self.random.pick(NUMBERS).to_owned(),
            Kind::Boolean => self.random.pick(&["true", "false"]).to_owned(),
            Kind::Choice => quoted(self.random.pick(&["celsius", "Kelvin"])),
            Kind::List(item) => {
                let items: Vec<_> = (0..self.random.below(4)).map(|_| self.value(item, depth + 1)).collect();
                format!("[{}]", items.join(", "))
            }
            Kind::Object(members) => {
                let first = self.random.below(members.len().max(1));
                let order = members[first..].iter().chain(&members[..first]);
                let members: Vec<_> =
                    order.map(|(key, kind)| format!("{}: {}", quoted(key), self.value(kind, depth + 1))).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    fn text(&mut self) -> String {
        if !self.odd || !self.random.once_in(4) {
            return self.random.pick(EVERYDAY).to_owned();
        }
        let pieces = 1 + self.random.below(3);
        let piece = |random: &mut Random| match random.below(3) {
            0 => random.pick(EVERYDAY).to_string(),
            1 => random.pick(ODD).to_string(),
            _ => random.pick(self.markers),
        };
        let separator = self.random.pick(&["", " ", "\n"]);
        (0..pieces).map(|_| piece(&mut self.random)).collect::<Vec<_>>().join(separator)
    }
}

/// The parameters of a call whose tool declares none.
fn open() -> Vec<(&'static str, Kind)> {
    vec![("path", Kind::Text), ("depth", Kind::Integer), ("flags", Kind::List(Box::new(Kind::Text)))]
}

fn declaration(name: &str, kind: Option<&Kind>) -> String {
    let parameters = kind.map_or(String::new(), |kind| format!(", \"parameters\": {}", schema(kind)));
    format!("{{\"type\": \"function\", \"function\": {{\"name\": {}{parameters}}}}}", quoted(name))
}

fn schema(kind: &Kind) -> String {
    match kind {
        Kind::Any => "{}".to_owned(),
        Kind::Text => r#"{"type": "string"}"#.to_owned(),
        Kind::Integer => r#"{"type": "integer"}"#.to_owned(),
        Kind::Number => r#"{"type": "number"}"#.to_owned(),
        Kind::Boolean => r#"{"type": "boolean"}"#.to_owned(),
        Kind::TextOrNull => r#"{"type": ["string", "null"]}"#.to_owned(),
        Kind::IntegerOrNull => r#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#.to_owned(),
        Kind::Choice => r#"{"enum": ["celsius", "Kelvin"]}"#.to_owned(),
        Kind::List(item) => format!(r#"{{"type": "array", "items": {}}}"#, schema(item)),
        Kind::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, kind)| format!("{}: {}", quoted(key), schema(kind))).collect();
            format!(r#"{{"type": "object", "properties": {{{}}}}}"#, members.join(", "))
        }
    }
}

pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

const NAMES: &[&str] = &["get_weather", "read_file", "fs.search-all"];
const KEYS: &[&str] = &["path", "depth", "file_name", "options", "X1"];
const INTEGERS: &[&str] = &["0", "7", "-3", "42", "12345678901234567890", "-0"];
const NUMBERS: &[&str] = &["0", "3.14", "1.50", "-2e-7", "1E5", "1e400", "12345678901234567890.5", "-0.0"];
const EVERYDAY: &[&str] = &[
    "Paris",
    "src/main.rs",
    "hello world",
    "fn main() {\n    println!(\"hi\");\n}",
    "a < b && c > d",
    "it's \"quoted\"",
    "C:\\temp\\new",
    "naïve café ☕ 東京",
    "SELECT * FROM t WHERE a = 'b';",
    "- one\n- two",
    "x = {'a': [1, 2]}",
    "50% & more",
];
const ODD: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    " edges ",
    "\n\nlines\n\n",
    "\ttab",
    "\u{1}\u{7f}",
    "\u{0}",
    "🎉👩‍👩‍👧",
    "\u{2028}",
    "5",
    "007",
    "null",
    "True",
    "[1, 2]",
    "{\"a\": 1}",
    "\"",
    "'",
    "\\",
    "\\n",
    "```",
    "`code`",
    "<b>bold</b>",
    "<!-- c -->",
    "</",
    "<",
    "]]>",
    "&amp; &lt;",
    "a\"}, {\"b",
    "), f(x=1",
    "key=value",
    "#",
    "// no",
    "{",
    "}",
    "[",
    "]",
    "\u{feff}",
    "e\u{301}",
];
