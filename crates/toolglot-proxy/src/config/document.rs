//! The settings as a file, as a JSON Schema, and as Markdown tables.

use std::fmt::Write as _;

use toolglot_json::{Map, Value, json};

use crate::config::section::Section;
use crate::config::{
    ClientSettings, Config, Limits, RouteSettings, ServerSettings, Timeouts, Upstream, sections, variable,
};

/// The tables in the order of the documents, in which clients come before routes.
const DOCUMENTED: [&Section; 5] =
    [Limits::SECTION, Timeouts::SECTION, Upstream::SECTION, ClientSettings::SECTION, RouteSettings::SECTION];

impl Config {
    /// Returns the effective settings as a settings file, with the place where each is set, without secrets.
    pub fn show(&self) -> String {
        // Writing to a string cannot fail.
        let mut out = String::new();
        for section in sections() {
            for at in 0..(section.count)(self) {
                if !section.name.is_empty() {
                    let _ = writeln!(out, "\n{}", section.title());
                }
                for key in section.keys {
                    let origin = self.origins.get(&section.path_in(at, key.name));
                    let origin = origin.map(|origin| format!("  # {origin}")).unwrap_or_default();
                    let _ = writeln!(out, "{} = {}{origin}", key.name, (key.show)(self, at));
                }
            }
        }
        out
    }
}

/// Returns the JSON Schema of a settings file.
pub fn schema() -> Value {
    let mut properties = keys(ServerSettings::SECTION);
    for section in DOCUMENTED {
        let table = json!({"type": "object", "properties": keys(section), "additionalProperties": false});
        let shape = if section.is_array { json!({"type": "array", "items": table}) } else { table };
        properties.insert(section.name.to_owned(), with_about(shape, section.about));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of toolglot serve",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn keys(section: &Section) -> Map {
    section.keys.iter().map(|key| (key.name.to_owned(), with_about((key.schema)(), key.about))).collect()
}

fn with_about(mut shape: Value, about: &str) -> Value {
    shape["description"] = about.trim().into();
    shape
}

/// Returns the reference of all settings, in Markdown.
pub fn reference() -> String {
    let mut out = of_section(ServerSettings::SECTION, "Top level");
    out.extend(DOCUMENTED.map(|section| of_section(section, &format!("`{}`", section.title()))));
    out
}

// Writing to a string cannot fail.
fn of_section(section: &Section, title: &str) -> String {
    let about = section.about.trim();
    let mut out = format!("### {title}\n\n{about}\n\n| key | default | variable | meaning |\n|---|---|---|---|\n");
    for key in section.keys {
        let default = if key.default.is_empty() { "–".to_owned() } else { format!("`{}`", key.default) };
        let variable = variable(&section.path(key.name));
        let words = one_of(&(key.schema)());
        let _ = writeln!(out, "| `{}` | {default} | `{variable}` | {}{words} |", key.name, key.about.trim());
    }
    out + "\n"
}

/// The allowed values of a setting, if they are limited.
fn one_of(schema: &Value) -> String {
    let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    if words.is_empty() { String::new() } else { format!(" One of {}.", words.join(", ")) }
}
