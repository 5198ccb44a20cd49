//! The tools that messages call, with schemas that are closed, say nothing, or are open.

use std::sync::LazyLock;

use toolglot::Tools;
use toolglot_json::{Map, Value, json};

use crate::random::Random;

/// One tool: its name and its parameters.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) parameters: &'static [Parameter],
}

/// One parameter.
pub(super) struct Parameter {
    pub(super) key: &'static str,
    pub(super) kind: ParameterKind,
    pub(super) required: bool,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ParameterKind {
    /// Text of any length.
    Code,
    /// A word or a path.
    Word,
    Integer,
    Boolean,
    /// A list of words.
    Words,
    /// An object of a word and a list of words.
    Labels,
    /// A list of objects of two texts of any length.
    Edits,
    /// A list of texts of any length.
    Texts,
    /// An object of texts of any length under keys of the model's own.
    Map,
    /// Text of any length, or null.
    Maybe,
    /// A number with a fraction.
    Number,
}

/// The keys of the objects in parameters: of labels, and of each edit.
const LABELS: [&str; 2] = ["title", "tags"];
const EDIT: [&str; 2] = ["before", "after"];
/// Keys of an object that takes any.
const MAP: [&str; 3] = ["Content-Type", "x-note", "HOME"];

impl ParameterKind {
    /// Says whether the strings of a value are text of any length.
    pub(super) fn is_code(self) -> bool {
        matches!(self, Self::Code | Self::Edits | Self::Maybe) || !self.names_texts()
    }

    /// Says whether no texts of any length stand in lists, or under keys that the tool does not declare.
    pub(super) fn names_texts(self) -> bool {
        !matches!(self, Self::Texts | Self::Map)
    }
}

impl Parameter {
    /// Returns the key, and those of the objects in its value.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let inner = match self.kind {
            ParameterKind::Labels => &LABELS[..],
            ParameterKind::Edits => &EDIT,
            ParameterKind::Map => &MAP,
            _ => &[],
        };
        [self.key].into_iter().chain(inner.iter().copied())
    }

    /// Returns a value; `text` makes what is code.
    pub(super) fn value(&self, random: &mut Random, text: &mut dyn FnMut(&mut Random) -> String) -> Value {
        match self.kind {
            ParameterKind::Code => text(random).into(),
            ParameterKind::Word => word(random),
            ParameterKind::Integer => random.pick(&[&0, &5, &30, &120]).to_owned().into(),
            ParameterKind::Boolean => random.one_in(2).into(),
            ParameterKind::Words => words(random),
            ParameterKind::Labels => json!({(LABELS[0]): word(random), (LABELS[1]): words(random)}),
            ParameterKind::Edits => {
                (0..=random.below(2)).map(|_| json!({(EDIT[0]): text(random), (EDIT[1]): text(random)})).collect()
            }
            ParameterKind::Texts => (0..=random.below(2)).map(|_| Value::from(text(random))).collect(),
            ParameterKind::Map => {
                let first = random.below(MAP.len());
                let keys = MAP.iter().cycle().skip(first).take(1 + random.below(2));
                keys.map(|key| ((*key).to_owned(), text(random).into())).collect::<Map>().into()
            }
            ParameterKind::Maybe if random.one_in(3) => Value::Null,
            ParameterKind::Maybe => text(random).into(),
            ParameterKind::Number => random.pick(&[&0.5, &1.25, &-3.5]).to_owned().to_owned().into(),
        }
    }
}

fn word(random: &mut Random) -> Value {
    (*random.pick(WORDS)).into()
}

fn words(random: &mut Random) -> Value {
    (0..random.below(3)).map(|_| word(random)).collect()
}

const WORDS: &[&&str] =
    &[&"src/main.rs", &"a.py", &"README.md", &"web/index.html", &"w", &"fix the title", &"/tmp", &"main"];

const fn parameter(key: &'static str, kind: ParameterKind, required: bool) -> Parameter {
    Parameter { key, kind, required }
}

pub(super) const TOOLS: [Tool; 10] = [
    Tool {
        name: "write_file",
        parameters: &[
            parameter("path", ParameterKind::Word, true),
            parameter("content", ParameterKind::Code, true),
            parameter("mode", ParameterKind::Word, false),
        ],
    },
    Tool {
        name: "edit_file",
        parameters: &[
            parameter("path", ParameterKind::Word, true),
            parameter("old_text", ParameterKind::Code, true),
            parameter("new_text", ParameterKind::Code, true),
            parameter("all", ParameterKind::Boolean, false),
        ],
    },
    Tool {
        name: "run",
        parameters: &[
            parameter("command", ParameterKind::Code, true),
            parameter("labels", ParameterKind::Labels, false),
            parameter("timeout", ParameterKind::Integer, false),
            parameter("cwd", ParameterKind::Word, false),
        ],
    },
    Tool { name: "note", parameters: &[parameter("text", ParameterKind::Code, true)] },
    Tool {
        name: "sql.query",
        parameters: &[
            parameter("query", ParameterKind::Code, true),
            parameter("database", ParameterKind::Word, true),
            parameter("limit", ParameterKind::Integer, false),
        ],
    },
    Tool {
        name: "apply-patch",
        parameters: &[
            parameter("files", ParameterKind::Words, false),
            parameter("diff", ParameterKind::Code, true),
            parameter("message", ParameterKind::Word, true),
            parameter("dry_run", ParameterKind::Boolean, false),
        ],
    },
    Tool {
        name: "multi_edit",
        parameters: &[
            parameter("reason", ParameterKind::Code, false),
            parameter("edits", ParameterKind::Edits, true),
            parameter("labels", ParameterKind::Labels, false),
            parameter("path", ParameterKind::Word, true),
        ],
    },
    Tool {
        name: "batch",
        parameters: &[
            parameter("commands", ParameterKind::Texts, true),
            parameter("stdin", ParameterKind::Maybe, false),
            parameter("delay", ParameterKind::Number, false),
            parameter("shell", ParameterKind::Word, false),
        ],
    },
    Tool {
        name: "request",
        parameters: &[
            parameter("url", ParameterKind::Word, true),
            parameter("headers", ParameterKind::Map, false),
            parameter("body", ParameterKind::Maybe, true),
        ],
    },
    Tool {
        name: "ls",
        parameters: &[
            parameter("path", ParameterKind::Word, false),
            parameter("recursive", ParameterKind::Boolean, false),
        ],
    },
];

/// What a schema says of other members: nothing may come, nothing, anything may.
pub(super) const SCHEMAS: [Option<bool>; 3] = [Some(false), None, Some(true)];

/// The tools under each of the schemas.
pub(super) static DECLARED: LazyLock<[Tools; 3]> = LazyLock::new(|| SCHEMAS.map(declare));

fn declare(more: Option<bool>) -> Tools {
    let tools: Value = TOOLS.iter().map(|tool| json!({"name": tool.name, "parameters": schema(tool, more)})).collect();
    Tools::from_json(&(&tools).into()).expect("they are tools")
}

fn schema(tool: &Tool, more: Option<bool>) -> Value {
    let string = || json!({"type": "string"});
    let strings = || json!({"type": "array", "items": string()});
    let typed = |parameter: &Parameter| match parameter.kind {
        ParameterKind::Code | ParameterKind::Word => string(),
        ParameterKind::Integer => json!({"type": "integer"}),
        ParameterKind::Boolean => json!({"type": "boolean"}),
        ParameterKind::Words => strings(),
        ParameterKind::Labels => object(LABELS.into_iter().zip([string(), strings()]), &[LABELS[0]], more),
        ParameterKind::Texts => strings(),
        ParameterKind::Map => json!({"type": "object", "additionalProperties": string()}),
        ParameterKind::Maybe => json!({"anyOf": [string(), {"type": "null"}]}),
        ParameterKind::Number => json!({"type": "number"}),
        ParameterKind::Edits => {
            json!({"type": "array", "items": object(EDIT.map(|key| (key, string())).into_iter(), &EDIT, more)})
        }
    };
    let required: Vec<&str> = tool.parameters.iter().filter(|it| it.required).map(|it| it.key).collect();
    object(tool.parameters.iter().map(|it| (it.key, typed(it))), &required, more)
}

fn object<'k>(properties: impl Iterator<Item = (&'k str, Value)>, required: &[&str], more: Option<bool>) -> Value {
    let properties: Map = properties.map(|(key, value)| (key.to_owned(), value)).collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if let Some(more) = more {
        schema["additionalProperties"] = more.into();
    }
    schema
}
