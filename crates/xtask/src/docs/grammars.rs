//! Which dialect has a grammar of which form, and why not.

use toolglot::{Dialect, Dialects};
use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool, GrammarToolChoice};
use toolglot_json::{Value, json};

use crate::files::File;

const HEAD: &str = "<!-- Written by `cargo xtask docs`. -->
# Grammars by dialect

Grammars for two tools with parameters of every type. *Lazy*: prose does not contain the marker that begins a call, so an engine
can wait for it. *Open tools*: a tool that declares no parameters accepts any. [grammars.md](../../docs/grammars.md) explains how
to generate and use grammars.

| dialect | GBNF and Lark, calls required | GBNF and Lark, text or calls | structural tag | lazy | open tools |
|---|---|---|---|---|---|
";

/// Returns the table.
pub(super) fn table() -> File {
    let rows: String = Dialects::builtin().iter().map(|dialect| row(dialect)).collect();
    File { path: "fuzz/results/grammars.md".to_owned(), text: HEAD.to_owned() + &rows }
}

fn row(dialect: &Dialect) -> String {
    let (required, auto) = (GrammarToolChoice::Required, GrammarToolChoice::Auto);
    let typed = made(dialect, &typed(), &required);
    let both = made(dialect, &self::typed(), &auto);
    let tag = match &both {
        Ok(grammar) => tag(&grammar.to_structural_tag()).to_owned(),
        Err(why) => why.clone(),
    };
    let lazy = both
        .as_ref()
        .ok()
        .and_then(Grammar::trigger)
        .map_or("no".to_owned(), |trigger| format!("`{}`", trigger.replace('|', "\\|")));
    let open = made(dialect, &open(), &required);
    let said = |made: &Result<Grammar, String>| made.as_ref().map_or_else(String::clone, |_| "yes".to_owned());
    format!("| `{}` | {} | {} | {tag} | {lazy} | {} |\n", dialect.name(), said(&typed), said(&both), said(&open))
}

fn made(dialect: &Dialect, tools: &[GrammarTool], choice: &GrammarToolChoice) -> Result<Grammar, String> {
    let options = GrammarOptions::new().with_tool_choice(choice.clone());
    Grammar::new(dialect, tools, &options).map_err(|error| error.to_string())
}

/// Says how much of a tag xgrammar reads as schemas and text; the rest is a grammar inside it.
fn tag(tag: &Value) -> &'static str {
    let text = tag.to_string();
    match (text.contains("\"json_schema\"") || text.contains("\"any_text\""), text.contains("\"type\":\"grammar\"")) {
        (true, false) => "schemas and text",
        (true, true) => "schemas, text and a grammar",
        _ => "a grammar inside",
    }
}

fn typed() -> Vec<GrammarTool> {
    let types = json!({
        "text": {"type": "string"}, "count": {"type": "integer"}, "ratio": {"type": "number"}, "exact": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    });
    let parameters = json!({"type": "object", "properties": types, "required": ["text"]});
    declared(
        &json!([{"name": "get_weather", "parameters": parameters}, {"name": "read_note", "parameters": parameters}]),
    )
}

fn open() -> Vec<GrammarTool> {
    declared(&json!([{"name": "read_note"}]))
}

fn declared(tools: &Value) -> Vec<GrammarTool> {
    GrammarTool::list(tools).unwrap_or_default()
}
