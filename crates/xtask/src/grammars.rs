//! `cargo xtask grammars`: what the library makes of requests for grammars, for the tests of the bindings.

use toolglot::{Dialect, Dialects};
use toolglot_grammar::{GrammarRequest, GrammarTool};
use toolglot_json::{Value, json};

use crate::{Complaints, files};

/// Writes two requests for each dialect and their answers into a file.
pub fn write(path: &str) -> Complaints {
    let (asked, dialects) = (requests(), Dialects::builtin());
    let tools = files::File::read("examples/tools.json").text;
    let numbered = dialects.iter().enumerate();
    let both = numbered.flat_map(|(at, dialect)| [(at, dialect), (at + asked.len() / 2, dialect)]);
    let cases: Value = both.map(|(at, dialect)| case(dialect, &tools, &asked[at % asked.len()])).collect();
    std::fs::write(path, cases.to_string()).err().map(|error| format!("{path}: {error}")).into_iter().collect()
}

fn case(dialect: &Dialect, tools: &str, options: &Value) -> Value {
    let mut case = json!({"dialect": dialect.name(), "tools": tools, "options": options});
    match written(dialect, tools, options) {
        Ok(grammar) => case["grammar"] = grammar,
        Err(error) => case["error"] = error.into(),
    }
    case
}

fn written(dialect: &Dialect, tools: &str, options: &Value) -> Result<Value, String> {
    let members = options.as_object().into_iter().flatten();
    let set = |all: GrammarRequest, (name, value): (&String, &Value)| all.with_named(name, value);
    let request = members.into_iter().try_fold(GrammarRequest::default(), set).map_err(|error| error.to_string())?;
    let tools = GrammarTool::from_json_str(tools).map_err(|error| error.to_string())?;
    Ok(request.write(dialect, &tools).map_err(|error| error.to_string())?.to_json())
}

/// Every option is in one of these, some with what is wrong about it.
fn requests() -> [Value; 14] {
    let answer = json!({"type": "object", "properties": {"answer": {"type": "string", "format": "city"}}});
    [
        json!({}),
        json!({"tool_choice": "required", "content": true}),
        json!({"form": "lark", "tokens": ["<tool_call>", "</tool_call>"]}),
        json!({"form": "structural-tag", "parallel": false}),
        json!({"form": "json-schema"}),
        json!({"lazy": true, "tokens": []}),
        json!({"tool_choice": {"type": "function", "function": {"name": "search"}}, "arguments": "free"}),
        json!({"form": "gbnf", "reasoning": "prefilled", "all_spellings": true}),
        json!({"form": "lark", "answer": answer}),
        json!({"form": "structural-tag", "tool_choice": "search", "reasoning": "none"}),
        json!({"form": "json-schema", "openai": true}),
        json!({"answer": {"type": "array", "uniqueItems": true}, "strict": true}),
        json!({"tool_choice": "rename"}),
        json!({"form": "lark", "lazy": true}),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requests_have_every_option() {
        let requests = requests();
        for name in GrammarRequest::NAMES {
            assert!(requests.iter().any(|request| request.get(name).is_some()), "{name}");
        }
    }
}
