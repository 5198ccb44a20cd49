//! Converts a block of a user message or of a result to a part of a Chat Completions message.

use toolglot_json::{Value, json};

use crate::members::take;

/// A converted block.
pub(super) enum ConvertedBlock {
    /// Text.
    Text(String),
    /// A part other than text, and the word for it where only text is allowed.
    Other { word: &'static str, part: Value },
}

impl ConvertedBlock {
    /// Returns the part; none for empty text, which some servers refuse.
    pub(super) fn into_parts(self) -> Option<Value> {
        match self {
            Self::Text(text) if text.is_empty() => None,
            Self::Text(text) => Some(json!({"type": "text", "text": text})),
            Self::Other { part, .. } => Some(part),
        }
    }
}

/// Returns the type of a block.
pub(super) fn kind(block: &Value) -> &str {
    let is_text = || if block.is_string() || block.get("text").is_some() { "text" } else { "" };
    block["type"].as_str().unwrap_or_else(is_text)
}

/// Converts a block; an unknown one becomes its JSON text, so that nothing is lost.
pub(super) fn show(block: Value) -> ConvertedBlock {
    match kind(&block) {
        "image" => image(block),
        "document" => document(block),
        _ => ConvertedBlock::Text(text_of(block)),
    }
}

/// Returns a block as text.
pub(super) fn text_of(mut block: Value) -> String {
    match kind(&block) {
        "text" if block.is_string() => string(block),
        "text" => string(take(&mut block, "text")),
        "search_result" => {
            let inner = inner_text(&mut block, "/content");
            titled(&block, &inner)
        }
        _ => block.to_string(),
    }
}

fn image(block: Value) -> ConvertedBlock {
    let url = source(&block, "url").map(str::to_owned).or_else(|| data_url(&block));
    let part = match (url, source(&block, "file_id")) {
        (Some(url), _) => json!({"type": "image_url", "image_url": {"url": url}}),
        (None, Some(id)) => json!({"type": "file", "file": {"file_id": id}}),
        (None, None) => return ConvertedBlock::Text(block.to_string()),
    };
    ConvertedBlock::Other { word: "image", part }
}

fn document(mut block: Value) -> ConvertedBlock {
    let name = block["title"].as_str().unwrap_or("document.pdf").to_owned();
    let file = |file: Value| ConvertedBlock::Other { word: "document", part: json!({"type": "file", "file": file}) };
    match source(&block, "type").unwrap_or_default() {
        "base64" => match data_url(&block) {
            Some(url) => file(json!({"filename": name, "file_data": url})),
            None => ConvertedBlock::Text(block.to_string()),
        },
        "file" => file(json!({"file_id": source(&block, "file_id")})),
        "text" => ConvertedBlock::Text(titled(&block, source(&block, "data").unwrap_or_default())),
        "content" => {
            let text = inner_text(&mut block, "/source/content");
            ConvertedBlock::Text(titled(&block, &text))
        }
        "url" => ConvertedBlock::Text(titled(&block, source(&block, "url").unwrap_or_default())),
        _ => ConvertedBlock::Text(block.to_string()),
    }
}

fn source<'b>(block: &'b Value, key: &str) -> Option<&'b str> {
    block.get("source")?.get(key)?.as_str()
}

fn data_url(block: &Value) -> Option<String> {
    Some(format!("data:{};base64,{}", source(block, "media_type")?, source(block, "data")?))
}

/// Returns a text below the title, the source and the context of its block.
fn titled(block: &Value, text: &str) -> String {
    let heads = ["title", "source", "context"].iter().filter_map(|key| block.get(*key).and_then(Value::as_str));
    heads.chain([text]).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns the text of the blocks inside a block.
fn inner_text(block: &mut Value, pointer: &str) -> String {
    let inner = blocks(block.pointer_mut(pointer).map(Value::take).unwrap_or_default());
    let texts = inner.into_iter().map(|block| if kind(&block) == "text" { text_of(block) } else { block.to_string() });
    texts.collect::<Vec<_>>().join("\n")
}

fn string(value: Value) -> String {
    if let Value::String(text) = value { text } else { String::new() }
}

/// Returns the blocks of a content, which may be a string.
pub(super) fn blocks(content: Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks,
        Value::Null => Vec::new(),
        text @ Value::String(_) => vec![json!({"type": "text", "text": text})],
        block => vec![block],
    }
}
