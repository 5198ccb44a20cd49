//! What is parsed: messages of a given length in several dialects.

use toolglot::{Dialects, Tools};

/// One message to parse, and the dialect it is pinned to; none for `auto`.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) dialects: Dialects,
}

const PROSE: &str =
    "The quick brown fox jumps over the lazy dog, and then it does it again because nobody stopped it. ";
const CODE: &str = "fn main() {\n    let x = vec![1, 2, 3];\n    for i in &x {\n        println!(\"{}\", i < 2 && \"a\" != \"b\");\n    }\n}\n";

/// The kinds of message, each with its dialect.
const KINDS: [(&str, &str); 5] =
    [("prose", "hermes"), ("hermes", "hermes"), ("qwen3_coder", "qwen3_coder"), ("glm47", "glm47"), ("lfm2", "lfm2")];

/// Returns the names of all cases.
pub(crate) fn names() -> Vec<String> {
    let each = |(kind, _): &(&str, &str)| {
        let kind = kind.to_string();
        ["text", "code"].map(|what| ["pinned", "auto"].map(|mode| format!("{kind} {what} {mode}"))).concat()
    };
    KINDS.iter().flat_map(each).collect()
}

/// Returns the case of a name whose data is `bytes` long.
pub(crate) fn case(name: &str, bytes: usize) -> Option<Case> {
    let [kind, what, mode] = name.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let (kind, dialect) = KINDS.iter().find(|known| known.0 == kind)?;
    let unit = if what == "text" { PROSE } else { CODE };
    Some(build(kind, dialect, unit, mode == "auto", bytes))
}

/// Returns the tools that the messages call.
pub(crate) fn tools() -> Tools {
    let tools =
        r#"[{"name": "write", "parameters": {"type": "object", "properties": {"content": {"type": "string"}}}}]"#;
    Tools::from_json_str(tools).unwrap_or_default()
}

fn build(kind: &str, dialect: &str, unit: &str, auto: bool, bytes: usize) -> Case {
    let mut data = unit.repeat(bytes / unit.len() + 1);
    data.truncate(bytes);
    let escaped = data.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let text = match kind {
        "hermes" => {
            format!("<tool_call>\n{{\"name\": \"write\", \"arguments\": {{\"content\": \"{escaped}\"}}}}\n</tool_call>")
        }
        "qwen3_coder" => format!(
            "<tool_call>\n<function=write>\n<parameter=content>\n{data}\n</parameter>\n</function>\n</tool_call>"
        ),
        "glm47" => format!("<tool_call>write<arg_key>content</arg_key><arg_value>{data}</arg_value></tool_call>"),
        "lfm2" => format!("<|tool_call_start|>[write(content=\"{escaped}\")]<|tool_call_end|>"),
        _ => data,
    };
    let all = Dialects::builtin();
    let pinned = all.only(&[dialect]).unwrap_or_else(|_| all.clone());
    Case { text, dialects: if auto { all } else { pinned } }
}
