//! What real models write: which shapes are calls under which evidence, and the page that says so.
#![expect(clippy::unwrap_used, reason = "a test fails where its files cannot be read")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::{Value, json};
use toolglot::{Dialects, Evidence, Message, Options, Tools, parse};

const SHAPES: &str = include_str!("shapes/shapes.txt");
const TOOLS: &str = include_str!("cases/tools.json");
const HEAD: &str = include_str!("shapes/head.md");

const EVIDENCE: [Evidence; 3] = [Evidence::Strict, Evidence::Balanced, Evidence::Eager];

/// One shape of text.
struct Shape {
    name: &'static str,
    often: &'static str,
    about: &'static str,
    tools: &'static str,
    text: &'static str,
    calls: Value,
    /// What is left as text, where the shape says so.
    content: Option<&'static str>,
}

/// Where a shape is read, its calls are the right ones; what is no call is none, however eager the reader.
#[test]
fn no_shape_is_read_wrongly() {
    let mut wrong = Vec::new();
    for shape in shapes() {
        for evidence in EVIDENCE {
            let message = read(&shape, evidence);
            let found = calls(&message);
            let quoted = shape.calls == json!([]) && evidence != Evidence::Eager;
            if found != shape.calls && (found != json!([]) || quoted) && shape.calls != json!([]) {
                wrong.push(format!("{} under {evidence:?}: {found}", shape.name));
            }
            if quoted && found != json!([]) {
                wrong.push(format!("{} under {evidence:?}: {found}", shape.name));
            }
            if let Some(content) = shape.content.filter(|content| message.content.trim() != content.trim()) {
                wrong
                    .push(format!("{} under {evidence:?}: {:?} is left, not {content:?}", shape.name, message.content));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The page is what this prints; `UPDATE_EXPECT=1` writes it.
#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/what-models-write.md");
    let page = page();
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, page).unwrap();
        return;
    }
    let stale = fs::read_to_string(&path).unwrap_or_default() != page;
    assert!(
        !stale,
        "`docs/what-models-write.md` is out of date; run the tests with `UPDATE_EXPECT=1` and read the diff"
    );
}

fn page() -> String {
    let mut page = String::from(HEAD);
    page.push_str("\n| shape | seen | strict | balanced | eager |\n|---|---|---|---|---|\n");
    for shape in shapes() {
        let read = EVIDENCE.map(|evidence| if calls(&read(&shape, evidence)) == json!([]) { "text" } else { "call" });
        writeln!(page, "| {} | {} | {} |", shape.about, shape.often, read.join(" | ")).unwrap();
    }
    page.push_str("\n## The texts\n");
    for shape in shapes() {
        write!(page, "\n{}:\n\n````text\n{}\n````\n", shape.about, shape.text).unwrap();
    }
    page
}

fn read(shape: &Shape, evidence: Evidence) -> Message {
    let tools = Tools::from_json_str(shape.tools).unwrap();
    parse(shape.text, &Dialects::builtin(), &tools, &Options::default().with_evidence(evidence))
}

fn calls(message: &Message) -> Value {
    let call = |call: &toolglot::Call| json!([call.name, serde_json::from_str::<Value>(&call.arguments).unwrap()]);
    message.calls.iter().map(call).collect()
}

fn shapes() -> Vec<Shape> {
    SHAPES.split("\n=== ").skip(1).map(shape).collect()
}

fn shape(section: &'static str) -> Shape {
    let (head, rest) = section.split_once("\n--- ").unwrap();
    let mut lines = head.lines();
    let mut next = || lines.next().unwrap();
    let (name, often, about) = (next(), next(), next());
    let mut shape = Shape { name, often, about, tools: TOOLS, text: "", calls: json!([]), content: None };
    for part in rest.split("\n--- ") {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        match title {
            "tools" => shape.tools = body,
            "text" => shape.text = body,
            "calls" => shape.calls = serde_json::from_str(body).unwrap(),
            "content" => shape.content = Some(body),
            _ => panic!("no part of a shape: {title}"),
        }
    }
    shape
}
