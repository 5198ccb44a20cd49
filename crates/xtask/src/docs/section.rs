//! The section of one dialect on the page of all dialects.

use std::sync::Arc;

use toolglot::{Dialect, Dialects};

use super::example::{Evidence, Example};

/// Returns the section's text.
pub(super) fn section(dialect: &Arc<Dialect>) -> String {
    let (name, example) = (dialect.name(), Example::of(dialect));
    let mut page = format!("\n## {name}\n\n");
    page += &format!("{}\n\n", shown(dialect.about()));
    page += &names("Other names", dialect.aliases());
    page += &names("Models", dialect.models());
    page += &names("Special tokens", dialect.special());
    if Dialects::from_iter([Arc::clone(dialect)]).is_sealed() {
        page += "* Marked tokens: no call is read without a special token\n";
    }
    page += &format!("* Evidence: {}\n", evidence(&example));
    page += &format!("\n### {name}: example\n\n{}", calls(&example));
    page += &format!("\n### {name}: file\n\n```toml\n{}\n```\n", dialect.source().trim_end());
    page
}

fn names(what: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("* {what}: {}\n", names.join(", ")) }
}

fn evidence(example: &Example) -> &'static str {
    match example.evidence {
        Evidence::Strong => "strong; its markers begin a call anywhere except in code spans and fences",
        Evidence::Weak => "weak; its shape is a call only if nothing else can be meant",
        Evidence::Tag => "tags named after declared tools; other tags are text",
    }
}

fn calls(example: &Example) -> String {
    let text = match &example.text {
        Ok(text) => text,
        Err(error) => return format!("None: {error}.\n"),
    };
    // More back quotes than the text has in a row.
    let fence = "`".repeat(if text.contains("```") { 4 } else { 3 });
    format!("{fence}text\n{text}\n{fence}\n\nIts message: {}.\n", example.meaning())
}

/// Text outside code, with its tags shown.
fn shown(text: &str) -> String {
    text.replace('<', "&lt;")
}
