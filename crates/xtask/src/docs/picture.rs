//! `docs/terminal.svg`: a model's text and the calls read from it, side by side, made from the README's example.

use toolglot::{Dialects, Message, Options, Tools, parse};

use crate::files::File;

const TEXT: &str = include_str!("../../../../examples/mixed.txt");
const TOOLS: &str = include_str!("../../../../examples/tools.json");

/// Characters of a line that a column takes.
const COLUMN: usize = 52;

/// Width of a character and height of a line, in the picture's units.
const CHARACTER: usize = 8;
const LINE: usize = 18;

/// Returns the picture.
pub(super) fn page() -> File {
    let tools = Tools::from_json_str(TOOLS).unwrap_or_default();
    let message = parse(TEXT, &Dialects::builtin(), &tools, &Options::default().with_id_seed(1));
    let (left, right) = (said(), read(&message));
    let lines = left.len().max(right.len()) + 2;
    let (width, height) = ((2 * COLUMN + 7) * CHARACTER, (lines + 1) * LINE);
    let style = "text { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre; fill: #c9d1d9 } \
                 .faint { fill: #8b949e } .name { fill: #79c0ff } .mark { fill: #ffa657 } .good { fill: #7ee787 }";
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>Raw model text, and the tool calls that toolglot reads from it</title>\n<style>{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    let middle = (COLUMN + 3) * CHARACTER;
    text += &format!("<path d=\"M{middle} {LINE} V{}\" stroke=\"#30363d\"/>\n", height - LINE);
    let heads = [("what the model wrote", 2), ("what you get", COLUMN + 5)];
    heads.iter().for_each(|(head, column)| text += &row("faint", head, *column, 0));
    for (column, rows) in [(2, &left), (COLUMN + 5, &right)] {
        rows.iter().enumerate().for_each(|(at, (class, line))| text += &row(class, line, column, at + 2));
    }
    File { path: "docs/terminal.svg".to_owned(), text: text + "</svg>\n" }
}

/// The example, in lines that fit.
fn said() -> Vec<(&'static str, String)> {
    let class = |line: &str| if line.starts_with('<') { "mark" } else { "" };
    TEXT.lines().flat_map(|line| folded(line).into_iter().map(move |part| (class(line), part))).collect()
}

/// The message: reasoning, text, calls.
fn read(message: &Message) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    rows.extend(folded(&format!("reasoning: {}", message.reasoning)).into_iter().map(|line| ("faint", line)));
    let content = message.content.split_whitespace().collect::<Vec<_>>().join(" ");
    rows.extend(folded(&format!("text: {content}")).into_iter().map(|line| ("", line)));
    for call in &message.calls {
        rows.push(("", String::new()));
        rows.push(("name", call.name.clone()));
        rows.extend(folded(&call.arguments).into_iter().map(|line| ("good", format!("  {line}"))));
    }
    rows.push(("", String::new()));
    let repairs = message.diagnostics.iter().map(|found| format!("repaired: {}", found.code.name()));
    rows.extend(repairs.map(|repair| ("faint", repair)));
    rows
}

/// Cuts a line where it has a blank, so that it fits.
fn folded(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + word.chars().count() > COLUMN - 2 {
            lines.push(String::new());
        }
        lines.last_mut().into_iter().for_each(|line| line.push_str(word));
    }
    lines
}

fn row(class: &str, text: &str, column: usize, line: usize) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (x, y) = (column * CHARACTER, (line + 1) * LINE + LINE / 3);
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>\n")
}
