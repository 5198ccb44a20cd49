//! Tools and messages that call them, made of the choices in an input.

use arbitrary::{Result, Unstructured};
use toolglot_json::{Map, Value, json};

use crate::pieces::TEXTS;

/// A message, as a caller of the renderer gives it.
#[derive(Debug)]
pub(crate) struct Case {
    /// JSON list of tools.
    pub(crate) tools: String,
    pub(crate) reasoning: String,
    pub(crate) content: String,
    /// Names and arguments.
    pub(crate) calls: Vec<(String, String)>,
    /// Every dialect has to be able to say it.
    pub(crate) plain: bool,
}

/// Makes messages of the bytes of an input.
struct Generator<'u, 'd> {
    from: &'u mut Unstructured<'d>,
    home: usize,
    plain: bool,
}

/// Returns a message whose values now and then hold markers of a dialect, unless it is a plain one.
pub(crate) fn case(from: &mut Unstructured<'_>, home: usize) -> Result<Case> {
    let plain = from.ratio(1, 4)?;
    let mut make = Generator { from, home, plain };
    let tools: Vec<(&str, Option<Value>)> = NAMES[..make.up_to(3)? + 1]
        .iter()
        .map(|name| Ok((*name, if make.once_in(5)? { None } else { Some(make.object(0)?) })))
        .collect::<Result<_>>()?;
    let mut calls = Vec::new();
    for _ in 0..=make.up_to(2)? {
        let (name, schema) = &tools[make.up_to(tools.len() - 1)?];
        let arguments = make.value(schema.as_ref().unwrap_or(&open()))?;
        calls.push(((*name).to_owned(), arguments));
    }
    let declare = |(name, schema): &(&str, Option<Value>)| match schema {
        Some(schema) => json!({"name": name, "parameters": schema}),
        None => json!({"name": name}),
    };
    let (reasoning, content) = (make.prose()?, make.prose()?);
    Ok(Case { tools: Value::from_iter(tools.iter().map(declare)).to_string(), reasoning, content, calls, plain })
}

impl Generator<'_, '_> {
    fn up_to(&mut self, most: usize) -> Result<usize> {
        self.from.int_in_range(0..=most)
    }

    fn once_in(&mut self, times: usize) -> Result<bool> {
        Ok(self.up_to(times - 1)? == 1)
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> Result<&'t str> {
        Ok(list[self.up_to(list.len() - 1)?])
    }

    fn object(&mut self, depth: usize) -> Result<Value> {
        let mut properties = Map::new();
        for key in &KEYS[..self.up_to(KEYS.len())?] {
            properties.insert((*key).to_owned(), self.schema(depth + 1)?);
        }
        Ok(json!({"type": "object", "properties": properties}))
    }

    fn schema(&mut self, depth: usize) -> Result<Value> {
        Ok(match self.up_to(if depth > 2 { 7 } else { 10 })? {
            0..=2 => json!({"type": "string"}),
            3 => json!({"type": "integer"}),
            4 => json!({"type": "number"}),
            5 => json!({"type": "boolean"}),
            6 => json!({"type": ["string", "null"]}),
            7 => json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            8 => json!({"enum": ["celsius", "Kelvin"]}),
            9 => json!({"type": "array", "items": self.schema(depth + 1)?}),
            _ => self.object(depth)?,
        })
    }

    /// Returns JSON text that fits a schema of ours.
    fn value(&mut self, schema: &Value) -> Result<String> {
        if schema.get("enum").is_some() {
            return Ok(quoted(self.pick(&["celsius", "Kelvin"])?));
        }
        if let Some(choices) = schema.get("anyOf") {
            return if self.once_in(3)? { Ok("null".to_owned()) } else { self.value(&choices[0]) };
        }
        Ok(match schema["type"].as_str() {
            None if !self.plain && self.once_in(3)? => "null".to_owned(),
            None | Some("string") => quoted(&self.text()?),
            Some("integer") => self.pick(if self.plain { &INTEGERS[..3] } else { INTEGERS })?.to_owned(),
            Some("number") => self.pick(if self.plain { &NUMBERS[..2] } else { NUMBERS })?.to_owned(),
            Some("boolean") => self.pick(&["true", "false"])?.to_owned(),
            Some("array") => {
                let items: Result<Vec<_>> = (0..self.up_to(3)?).map(|_| self.value(&schema["items"])).collect();
                format!("[{}]", items?.join(", "))
            }
            Some(_) => {
                let mut members = Vec::new();
                for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
                    if self.plain || !self.once_in(4)? {
                        members.push(format!("{}: {}", quoted(key), self.value(schema)?));
                    }
                }
                format!("{{{}}}", members.join(", "))
            }
        })
    }

    fn text(&mut self) -> Result<String> {
        if self.plain || self.once_in(2)? {
            return Ok(self.pick(EVERYDAY)?.to_owned());
        }
        let mut text = String::new();
        for _ in 0..=self.up_to(2)? {
            match self.up_to(3)? {
                0 => text.push_str(self.pick(EVERYDAY)?),
                1 => text.push_str(self.pick(ODD)?),
                2 => {
                    let markers: Vec<&str> = TEXTS.markers_of(self.home).collect();
                    text.push_str(markers.get(self.up_to(255)? % markers.len().max(1)).unwrap_or(&"{"));
                }
                _ => {
                    let length = self.up_to(9)?.min(self.from.len());
                    text.push_str(&String::from_utf8_lossy(self.from.bytes(length)?));
                }
            }
        }
        Ok(text)
    }

    fn prose(&mut self) -> Result<String> {
        if self.plain || self.once_in(2)? { Ok(String::new()) } else { self.text() }
    }
}

/// What a tool takes that declares nothing.
fn open() -> Value {
    json!({"type": "object", "properties": {
        "path": {"type": "string"}, "depth": {"type": "integer"}, "flags": {"type": "array", "items": {"type": "string"}}}})
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

const NAMES: [&str; 4] = ["get_weather", "read_file", "fs.search-all", "ls"];
const KEYS: [&str; 5] = ["path", "depth", "file_name", "options", "X1"];
const INTEGERS: &[&str] = &["0", "7", "-3", "42", "12345678901234567890", "-0"];
const NUMBERS: &[&str] = &["3.14", "0", "1.50", "-2e-7", "1E5", "1e400", "12345678901234567890.5", "-0.0"];
const EVERYDAY: &[&str] = &["Paris", "src/main.rs", "hello world", "two words, here", "Voila", "a_b", "x-1", "Line"];
const ODD: &[&str] = &[
    "",
    " ",
    "\n",
    "\r\n",
    " edges ",
    "\n\nlines\n\n",
    "\t",
    "\u{1}",
    "\u{0}",
    "🎉",
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
    "<b>",
    "</b>",
    "<!-- c -->",
    "</",
    "<",
    "]]>",
    "&lt;",
    "a\"}, {\"b",
    "), f(x=1",
    "key=value",
    "#",
    "{",
    "}",
    "[",
    "]",
    "\u{feff}",
    "e\u{301}",
    ", ",
    ": ",
];
