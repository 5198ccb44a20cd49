//! The tools that messages call, with schemas that are closed, say nothing, or are open.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use toolglot::Tools;

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
}

const fn parameter(key: &'static str, kind: ParameterKind, required: bool) -> Parameter {
    Parameter { key, kind, required }
}

pub(super) const TOOLS: [Tool; 7] = [
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
    Tools::from_json(&tools).expect("they are tools")
}

fn schema(tool: &Tool, more: Option<bool>) -> Value {
    let typed = |parameter: &Parameter| match parameter.kind {
        ParameterKind::Code | ParameterKind::Word => json!({"type": "string"}),
        ParameterKind::Integer => json!({"type": "integer"}),
        ParameterKind::Boolean => json!({"type": "boolean"}),
        ParameterKind::Words => json!({"type": "array", "items": {"type": "string"}}),
    };
    let properties: Map<String, Value> = tool.parameters.iter().map(|it| (it.key.to_owned(), typed(it))).collect();
    let required: Value = tool.parameters.iter().filter(|it| it.required).map(|it| it.key).collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if let Some(more) = more {
        schema["additionalProperties"] = more.into();
    }
    schema
}
