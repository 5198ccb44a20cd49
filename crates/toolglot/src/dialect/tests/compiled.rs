//! What patterns compile to, written as text: `·` is a joint, `|` is between spellings, `~` is a mark.

use crate::dialect::drift::{drifted, drifted_closer};
use crate::dialect::{BodyHole, Dialect, HeadPart, Hole, Literal, Pattern, SpellingPart};

#[track_caller]
fn check(file: &str, expected: &str) {
    let dialect = Dialect::from_toml("test", file).unwrap_or_else(|error| panic!("{error}"));
    let first = |key: &str, list: &[Pattern]| list.first().map(|pattern| format!("{key} {}", shown(pattern)));
    let lists = [("section", &dialect.sections), ("call", &dialect.calls), ("param", &dialect.params)];
    let regions = [("reasoning", &dialect.reasoning), ("content", &dialect.content)];
    let all: Vec<String> = lists.iter().chain(&regions).filter_map(|(key, list)| first(key, list)).collect();
    assert_eq!(all.join("\n"), expected);
}

fn shown(pattern: &Pattern) -> String {
    let head = pattern.head.iter().map(node);
    let body = pattern.body.iter().map(body);
    let tail = pattern.tail.iter().map(literal);
    head.chain(body).chain(tail).collect::<Vec<_>>().join(" ")
}

fn node(node: &HeadPart) -> String {
    let hole = |hole: &Hole| format!("{hole:?}").to_lowercase();
    match node {
        HeadPart::Literal(text) => literal(text),
        HeadPart::Hole(kind) => format!("{{{}}}", hole(kind)),
        HeadPart::Attributes(run) => {
            let named = run.named.iter().map(|(name, kind)| format!("{name}={}", hole(kind)));
            let rest = run.rest.then(|| "rest".to_owned());
            format!("[{}]", named.chain(rest).collect::<Vec<_>>().join(" "))
        }
    }
}

fn body(body: &BodyHole) -> String {
    let flags = [("trim", body.trim), ("cdata", body.cdata), ("entities", body.entities)];
    let flags: String = flags.iter().filter(|flag| flag.1).map(|flag| format!(" {}", flag.0)).collect();
    let (before, after) = (if body.line_before { "\\n" } else { "" }, if body.line_after { "\\n" } else { "" });
    let kind = format!("{:?}", body.kind).to_uppercase();
    let inside = format!("{:?}", body.inside).to_lowercase();
    let inside = if inside == "wait" { String::new() } else { format!(" {inside}") };
    format!("{before}{kind}{flags}{inside}{after}")
}

fn literal(literal: &Literal) -> String {
    let part = |part: &SpellingPart| match part {
        SpellingPart::Text(text) => text.clone().into_owned(),
        SpellingPart::Joint => "·".to_owned(),
        SpellingPart::Name => "{name}".to_owned(),
        SpellingPart::Key => "{key}".to_owned(),
        SpellingPart::Mark => "~".to_owned(),
    };
    // What the file says, without what models make of it.
    let drifts = |own| [drifted(own, Some(true)), drifted_closer(own)].concat();
    let drift = literal.spellings.first().map(drifts).unwrap_or_default();
    let mut others = literal.spellings.iter().skip(1).filter(|spelling| !drift.contains(spelling));
    let own = literal.spellings.first().into_iter().chain(&mut others);
    let spellings = own.map(|spelling| spelling.parts.iter().map(part).collect::<String>());
    format!("'{}'", spellings.collect::<Vec<_>>().join("|"))
}

#[test]
fn braces_are_escaped() {
    check(r#"call = '{{"{name}": {arguments}}}'"#, r#"call '{·"' {name} '"·:' ARGUMENTS '}'"#);
}

#[test]
fn one_line_break_at_a_value_is_kept() {
    check(
        r#"
        call = "<f={name}>\n{params}</f>"
        param = "<p={key}>\n{value}\n</p>\n"
        "#,
        "call '<f=' {name} '>' PARAMS '</f>'\nparam '<p=' {key} '>' \\nVALUE\\n '</p>'",
    );
}

#[test]
fn other_blanks_at_a_value_are_dropped() {
    check(
        r#"
        call = "<f={name}>{params}</f>"
        param = "<p={key}> {value:trim,cdata,entities}\n\n</p>"
        "#,
        "call '<f=' {name} '>' PARAMS '</f>'\nparam '<p=' {key} '>' VALUE trim cdata entities '</p>'",
    );
}

#[test]
fn key_and_name_repeat() {
    check(
        r#"
        call = "<{name}>{params}</{name}>"
        param = "<{key}>{tree}</{key}>"
        "#,
        "call '<' {name} '>' PARAMS '</{name}>'\nparam '<' {key} '>' TREE '</{key}>'",
    );
}

#[test]
fn attributes_are_one_unit() {
    check(
        r#"call = '<use  name="{name}" index="{index}"{attrs}>{content}</use>'"#,
        "call '<use' [name=name index=index rest] '>' CONTENT '</use>'",
    );
    check(r#"call = '<{name}{attrs}/>'"#, "call '<' {name} [rest] '/>'");
    check(r#"call = '<{name} {attrs} />'"#, "call '<' {name} [rest] '/>'");
}

#[test]
fn an_attribute_that_is_a_body_is_a_literal() {
    check(
        r#"call = "<f name=\"{name}\" arguments='{arguments}'/>""#,
        "call '<f' [name=name] 'arguments='' ARGUMENTS ''/>'",
    );
}

#[test]
fn words_spell_every_combination_once() {
    check(
        r#"
        call = "<{b}x{b}>{call}</{c}{b}>"
        words = { b = ["1", "2"], c = ["3", "4", "3"] }
        "#,
        "call '<1x1>|<2x2>' CALL '</31>|</41>|</32>|</42>'",
    );
}

#[test]
fn words_stand_before_blanks_are_split_off() {
    check(
        r#"
        section = "<{b}D{b} calls>\n{calls}\n</{b}D{b} calls>"
        call = "{call}"
        words = { b = ["|", "‖"] }
        "#,
        "section '<|D|·calls>|<‖D‖·calls>' CALLS '</|D|·calls>|</‖D‖·calls>'\ncall CALL",
    );
}

#[test]
fn an_empty_word_leaves_no_joint_at_an_edge() {
    check(
        r#"
        call = "<c> to={name} {w} <m>{arguments}{w}"
        words = { w = ["json", ""] }
        "#,
        "call '<c>·to=' {name} 'json·<m>|<m>' ARGUMENTS 'json|'",
    );
}

#[test]
fn joints_stand_before_tags_and_between_brackets() {
    check(r#"call = "[A][{call}]<b>"  "#, "call '[A]·[' CALL ']' '<b>'");
    check(r#"call = "<a><b> c  d{call}""#, "call '<a>·<b>·c·d' CALL");
}

#[test]
fn special_tokens_have_no_joints() {
    check(
        r#"
        call = "]<]m[>[<c>{call}]<]m[>[</c>"
        special = "]<]m[>["
        "#,
        "call ']<]m[>[·<c>' CALL ']<]m[>[·</c>'",
    );
}

#[test]
fn a_bracket_may_close_alone() {
    let file = |section: &str| format!("section = {section}\ncall = '{{call}}'\n");
    check(&file(r#""<a>[\n {calls}\n]<b>""#), "section '<a>·[' CALLS ']' '<b>'\ncall CALL");
    check(&file(r#""[A][{calls}]""#), "section '[A]·[' CALLS ']'\ncall CALL");
    check(&file(r#"'{{"t": [{calls}]}}'"#), "section '{·\"t\"·:·[' CALLS ']' '}'\ncall CALL");
    check(&file(r#""<a>{calls}]<b>""#), "section '<a>' CALLS ']' '<b>'\ncall CALL");
    check(
        &(file(r#""[{calls}]{end}""#) + r#"words = { end = ["<b>", ""] }"#),
        "section '[' CALLS ']' '<b>|'\ncall CALL",
    );
}

#[test]
fn a_section_may_be_bare() {
    check("section = '{calls}'\ncall = '{call}'", "section CALLS\ncall CALL");
}

#[test]
fn marks_stay_in_their_literals() {
    check(
        r#"
        reasoning = "<t{mark}>{text:opaque}</t{mark}>"
        call = "<c{mark}>{call}</c{mark}>"
        "#,
        "call '<c~>' CALL '</c~>'\nreasoning '<t~>' TEXT opaque '</t~>'",
    );
}

#[test]
fn a_line_ends_a_hole() {
    check(
        r#"
        call = "TOOL: {name}\n{params}END"
        param = "ARG: {key}\n{value}\nEND"
        "#,
        "call 'TOOL:' {name} PARAMS 'END'\nparam 'ARG:' {key} \\nVALUE\\n 'END'",
    );
}

#[test]
fn names_of_members_replace_the_common_ones() {
    let file = "call = '<c>{call}'\njson = { arguments = ['parameters', 'args'] }";
    let members = Dialect::from_toml("test", file).expect("the file is right").members;
    assert_eq!(members.name, ["name"]);
    assert_eq!(members.arguments, ["parameters", "args"]);
    assert_eq!(members.id, ["id"]);
}

#[test]
fn an_id_is_cut_at_the_name() {
    let file = "call = '<c>{id}<a>{arguments}'\nid = 'functions.{name}:{index}'";
    let id = Dialect::from_toml("test", file).expect("the file is right").id.expect("there is an id");
    assert_eq!((id.before.as_str(), id.between.as_str()), ("functions.", ":"));
}

#[test]
fn an_opener_is_read_in_other_case_and_without_its_bracket() {
    let spellings = |file: &str| {
        let dialect = Dialect::from_toml("test", file).unwrap_or_else(|error| panic!("{error}"));
        let Some(HeadPart::Literal(first)) = dialect.calls[0].head.first() else { panic!("{file}") };
        first.spellings.iter().map(|spelling| spelling.plain()).collect::<Vec<_>>()
    };
    assert_eq!(
        spellings("call = '<tool_call>{call}</tool_call>'"),
        ["<tool_call>", "<TOOL_CALL>", "<Tool_Call>", "<tool_call >", "<tool_call"],
    );
    // A name could begin with what is left of the word.
    assert_eq!(spellings("call = '<call>{name} {arguments}</call>'"), ["<call>", "<CALL>", "<Call>", "<call >"]);
    assert_eq!(spellings("call = '[{call}]'"), ["["]);
    assert_eq!(spellings("call = '<answer>{call}</answer>'\nweak = '<answer>'"), ["<answer>"]);
}
