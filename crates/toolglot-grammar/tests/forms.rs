//! What a grammar costs, that it is the same each time, and what its forms say.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::{Duration, Instant};

use toolglot::{Dialect, Dialects};
use toolglot_grammar::{
    ArgumentsLevel, Grammar, GrammarOptions, GrammarReasoning, GrammarTool, GrammarToolChoice, UnsupportedKeywords,
};
use toolglot_json::{Value, json};

fn tools(count: usize) -> Vec<GrammarTool> {
    let tool = |number: usize| {
        json!({"name": format!("tool_{number}"), "parameters": {"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "limit": {"type": "integer"}, "all": {"type": "boolean"}, "names": {"type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}}})
    };
    GrammarTool::list(&Value::Array((0..count).map(tool).collect())).unwrap()
}

fn grammar(dialect: &str, tools: &[GrammarTool], options: &GrammarOptions) -> Grammar {
    let dialects = Dialects::builtin();
    Grammar::new(dialects.get(dialect).unwrap(), tools, options).unwrap()
}

/// How a grammar is written for each engine.
const FORMS: [fn(&Grammar) -> String; 3] =
    [Grammar::to_gbnf, Grammar::to_lark, |grammar| grammar.to_structural_tag().to_string()];

#[test]
fn the_same_input_gives_the_same_bytes_and_size_grows_with_the_tools() {
    for dialect in Dialects::builtin().iter() {
        let sizes = [10, 80].map(|count| {
            let tools = tools(count);
            let made = || Grammar::new(dialect, &tools, &GrammarOptions::new()).unwrap();
            let (first, second) = (made(), made());
            FORMS.map(|write| {
                assert_eq!(write(&first), write(&second));
                write(&first).len()
            })
        });
        for (few, many) in sizes[0].into_iter().zip(sizes[1]) {
            // A tag that would list too much becomes a grammar, of another size.
            assert!(many < 20 * few, "{}: {few} bytes for 10 tools, {many} for 80", dialect.name());
        }
    }
}

/// Where tags are named after tools, each name is compared with all others: that is the square of very little.
#[test]
fn time_grows_with_the_tools() {
    for dialect in Dialects::builtin().iter() {
        for write in FORMS {
            let times = || [10, 40, 80].map(|count| time_of(dialect, &tools(count), write));
            let limit = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 20 });
            let is_fast = |[few, forty, many]: [Duration; 3]| many < 40 * few && forty < limit;
            // A busy machine only makes it slower, so one quiet attempt is enough.
            let attempts: Vec<_> = (0..8).map(|_| times()).take_while(|times| !is_fast(*times)).collect();
            assert!(attempts.len() < 8, "{}: {attempts:?} for 10, 40 and 80 tools", dialect.name());
        }
    }
}

fn time_of(dialect: &Dialect, tools: &[GrammarTool], write: fn(&Grammar) -> String) -> Duration {
    let started = Instant::now();
    let grammar = Grammar::new(dialect, tools, &GrammarOptions::new()).unwrap();
    assert!(!write(&grammar).is_empty());
    started.elapsed()
}

#[test]
fn what_no_grammar_holds_is_named() {
    let declared = json!([{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 5}}}}]);
    let tools = GrammarTool::list(&declared).unwrap();
    let lenient = grammar("hermes", &tools, &GrammarOptions::new());
    let expected =
        "tool `f`: /properties/n: grammars do not support `multipleOf`; it is ignored, so validate the arguments";
    assert_eq!(lenient.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    let strict = GrammarOptions::new().with_unsupported(UnsupportedKeywords::Strict);
    let dialects = Dialects::builtin();
    let error = Grammar::new(dialects.get("hermes").unwrap(), &tools, &strict).unwrap_err();
    assert!(error.to_string().contains("`multipleOf`; remove it"), "{error}");
}

#[test]
fn a_separator_between_parameters_is_refused() {
    let file = "call = '<c>{name}{params:between}</c>'\nparam = [';;{key}=\"{value}\"', ': {key}=\"{value}\"']\n";
    let dialect = Dialect::from_toml("mine", file).unwrap();
    let error = Grammar::new(&dialect, &tools(1), &GrammarOptions::new()).unwrap_err();
    assert!(error.to_string().contains("a separator only between parameters"), "{error}");
}

#[test]
fn a_strict_tool_is_held_where_others_are_free() {
    let declared = json!([
        {"name": "loose", "parameters": {"type": "object", "properties": {"mode": {"enum": ["fast"]}}}},
        {"name": "exact", "strict": true, "parameters": {"type": "object", "properties": {"mode": {"enum": ["slow"]}}}}]);
    let options = GrammarOptions::new().with_arguments(ArgumentsLevel::Free);
    let gbnf = grammar("hermes", &GrammarTool::list(&declared).unwrap(), &options).to_gbnf();
    assert!(gbnf.contains("slow") && !gbnf.contains("fast"), "{gbnf}");
}

#[test]
fn a_grammar_begins_where_the_caller_says() {
    let gbnf = |reasoning| grammar("hermes", &tools(1), &GrammarOptions::new().with_reasoning(reasoning)).to_gbnf();
    assert!(gbnf(GrammarReasoning::Optional).starts_with("root ::= (\"<think>\" "));
    assert!(gbnf(GrammarReasoning::Prefilled).starts_with("root ::= text-0 \"</think>\" "));
    assert!(!gbnf(GrammarReasoning::None).contains("\"</think>\""));
}

#[test]
fn an_answer_in_json_stands_instead_of_text() {
    let answer = json!({"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]});
    let options = GrammarOptions::new().with_answer(Some(answer));
    let gbnf = grammar("hermes", &tools(1), &options.clone().with_reasoning(GrammarReasoning::None)).to_gbnf();
    assert!(gbnf.contains("yes") && gbnf.contains("<tool_call>"), "{gbnf}");
    let dialects = Dialects::builtin();
    let error = Grammar::new(dialects.get("bare_json").unwrap(), &tools(1), &options).unwrap_err();
    assert!(error.to_string().contains("reads JSON as calls"), "{error}");
}

#[test]
fn hosted_apis_get_a_schema_and_openai_a_strict_one() {
    let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Required).with_parallel(false);
    let grammar = grammar("hermes", &tools(1), &options);
    let schema = grammar.to_json_schema().unwrap();
    assert_eq!(schema["properties"]["name"], json!({"type": "string", "const": "tool_0"}));
    let strict = grammar.to_openai_schema().unwrap();
    let arguments = &strict["properties"]["tool_call"]["properties"]["arguments"];
    assert_eq!(arguments["required"], json!(["path", "limit", "all", "names"]));
    assert_eq!(arguments["properties"]["limit"]["type"], json!(["integer", "null"]));
    assert_eq!(strict["additionalProperties"], json!(false));
    let open =
        GrammarTool::list(&json!([{"name": "open", "parameters": {"type": "object", "additionalProperties": true}}]))
            .unwrap();
    let error = self::grammar("hermes", &open, &options).to_openai_schema().unwrap_err();
    assert!(error.to_string().contains("list the members in `properties`"), "{error}");
}

#[test]
fn a_trigger_that_is_no_token_is_warned_about() {
    let warned = |tokens: &[&str]| {
        let tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        !grammar("hermes", &tools(1), &GrammarOptions::new().with_tokens(Some(tokens))).warnings().is_empty()
    };
    assert!(warned(&["<think>"]) && !warned(&["<tool_call>"]));
}

/// Returns the tag of one parameter of this schema, in Hermes.
fn tag_of(schema: &Value) -> String {
    let declared = json!([{"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}]);
    let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Required);
    grammar("hermes", &GrammarTool::list(&declared).unwrap(), &options).to_structural_tag().to_string()
}

#[test]
fn a_tag_leaves_to_the_engine_only_what_its_schemas_hold() {
    for schema in [
        json!({"type": "string"}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "integer", "minimum": 3}),
        json!({"type": "object", "properties": {"maxLength": {"type": "integer"}}}),
        // What our own grammar does not hold either.
        json!({"type": "string", "pattern": "^(?!a)"}),
    ] {
        assert!(tag_of(&schema).contains("json_schema"), "{schema}");
    }
    for schema in [
        json!({"type": "string", "maxLength": 5}),
        json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        json!({"type": "string", "pattern": "^.*$"}),
        json!({"anyOf": [{"type": "null"}, {"type": "string", "format": "json-pointer"}]}),
    ] {
        let tag = tag_of(&schema);
        assert!(!tag.contains("json_schema") && tag.contains(r#""type":"grammar""#), "{schema}: {tag}");
    }
}

#[test]
fn in_lark_a_bounded_integer_is_one_terminal() {
    let declared = json!([{"name": "f", "parameters": {"type": "object", "properties": {
        "n": {"type": "integer", "minimum": 0, "maximum": 345}}, "required": ["n"]}}]);
    let lark = grammar("hermes", &GrammarTool::list(&declared).unwrap(), &GrammarOptions::new()).to_lark();
    let expected = r#": (/[0-9]/ | /[1-9]/ /[0-9]/ | /[12]/ /[0-9]{2}/ | "3" (/[0-3]/ /[0-9]/ | "4" /[0-5]/))"#;
    assert!(lark.contains(expected), "{lark}");
}

#[test]
fn in_lark_no_literal_reaches_into_another() {
    let declared = GrammarTool::list(&json!([{"name": "search"}, {"name": "use_map"}])).unwrap();
    let lark = grammar("muse_atem", &declared, &GrammarOptions::new()).to_lark();
    let start = lark.lines().find(|line| line.starts_with("start: ")).unwrap();
    assert!(!start.contains(r#""<|start|>assistant to="#), "{start}");
    assert!(start.contains(r#""<|start|>assistant " "to=" r_section"#), "{start}");
    assert!(start.contains(r#""to=" "user<|message|>""#), "{start}");
}

#[test]
fn a_parameter_that_opens_with_a_word_is_in_no_value() {
    let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Required);
    let tag = grammar("continue_line", &tools(1), &options).to_structural_tag().to_string();
    assert!(tag.contains(r#""excludes":["BEGIN_ARG:""#), "{tag}");
}

#[test]
fn a_text_of_a_length_does_not_end_in_a_part_of_the_line_break_behind_it() {
    let declared = json!([{"name": "f", "parameters": {"type": "object", "properties": {
        "x": {"type": "string", "minLength": 2, "maxLength": 3}}}}]);
    let gbnf = grammar("qwen3_coder", &GrammarTool::list(&declared).unwrap(), &GrammarOptions::new()).to_gbnf();
    let value = gbnf.lines().find(|line| line.starts_with("x-0 ::= ")).unwrap();
    assert!(value.contains(r"\r") && value.contains("{2,3}"), "{value}");
}
