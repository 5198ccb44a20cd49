//! White space of a string value is data in every dialect: what a value begins and ends with comes back.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::sync::Arc;

use serde_json::Value;
use toolglot::{Dialect, Dialects, Message, Options, Renderer, Rendering, Tools, parse};

const TOOLS: &str = r#"[{"name": "edit", "parameters": {"type": "object", "properties": {
    "old": {"type": "string"}, "new": {"type": "string"}}, "required": ["old", "new"]}}]"#;

/// Strings whose outer white space matters to whoever looks for them in a file.
const VALUES: &[&str] = &[
    "  indented",
    "\tindented",
    "trailing  ",
    "line\n",
    "line\n\n",
    "  a\n    b\n  c",
    "\nline",
    "\n\nline",
    "\n  line\n",
    "\r\nline\r\n",
    " ",
    "\n",
    "\n\n",
    "\t\n",
    " \n x \n ",
];

/// Markup that a value may quote: tags that are named like the tool's other parameter, closed and not.
const TAGS: &[&str] = &["use <new> here", "<svg>\n<new>x</new>\n</svg>", "<a new=\"x\">", "a </new> b"];

/// Marks parameters with such tags: one that is never closed leaves the call unfinished.
const TAGGED: &str = "anthropic_legacy";

fn value(message: &Message) -> Option<String> {
    let [call] = &message.calls[..] else { return None };
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    Some(arguments.get("old")?.as_str()?.to_owned())
}

fn each(values: &[&str], check: impl Fn(&Arc<Dialect>, &Dialects, &Tools, &str) -> Result<(), String>) -> Vec<String> {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let mut wrong = Vec::new();
    for dialect in &Dialects::builtin() {
        let alone: Dialects = [Arc::clone(dialect)].into_iter().collect();
        for value in values {
            if let Err(why) = check(dialect, &alone, &tools, value) {
                wrong.push(format!("{} {value:?}: {why}", dialect.name()));
            }
        }
    }
    wrong
}

#[test]
fn what_is_written_comes_back_with_its_white_space() {
    let wrong = each(VALUES, |dialect, alone, tools, value_| {
        let arguments = serde_json::json!({"old": value_, "new": "x"}).to_string();
        let rendering = Rendering::new().with_call("edit", &arguments);
        let text = Renderer::new(dialect, tools).render(&rendering).map_err(|error| error.to_string())?;
        let read = value(&parse(&text, alone, tools, &Options::default()));
        if read.as_deref() == Some(value_) { Ok(()) } else { Err(format!("{text:?} gives {read:?}")) }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tags with the name of a parameter are data in a value.
#[test]
fn quoted_tags_of_other_parameters_are_data() {
    let wrong = each(TAGS, |dialect, alone, tools, value_| {
        if dialect.name() == TAGGED && value_ == TAGS[0] {
            return Ok(());
        }
        // The quoted parameter is still to come.
        let arguments = format!("{{\"old\": {}, \"new\": \"x\"}}", Value::from(value_));
        let rendering = Rendering::new().with_call("edit", &arguments);
        let text = Renderer::new(dialect, tools).render(&rendering).map_err(|error| error.to_string())?;
        let read = value(&parse(&text, alone, tools, &Options::default()));
        if read.as_deref() == Some(value_) { Ok(()) } else { Err(format!("{text:?} gives {read:?}")) }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model need not write what the renderer would: the value stands between the same markers, as it is.
#[test]
fn what_begins_on_the_line_of_its_opener_is_exact() {
    let wrong = each(VALUES, |dialect, alone, tools, value_| {
        let arguments = serde_json::json!({"old": "VALUE", "new": "x"}).to_string();
        let rendering = Rendering::new().with_call("edit", &arguments);
        let text = Renderer::new(dialect, tools).render(&rendering).map_err(|error| error.to_string())?;
        let raw = text.replace("VALUE\n</", "VALUE</").replace(">\nVALUE", ">VALUE").replace("VALUE", value_);
        if !text.contains(">VALUE") && !text.contains(">\nVALUE") || value_.starts_with(['\n', '\r']) {
            return Ok(());
        }
        let read = value(&parse(&raw, alone, tools, &Options::default()));
        if read.as_deref() == Some(value_) { Ok(()) } else { Err(format!("{raw:?} gives {read:?}")) }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
