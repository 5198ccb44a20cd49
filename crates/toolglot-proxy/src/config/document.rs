//! The settings as a file, as a JSON Schema, and as Markdown tables.

use std::fmt::Write as _;

use toolglot_json::{Map, Value, json};

use crate::config::section::Section;
use crate::config::{
    ClientSettings, Config, Limits, PREFIX, RouteSettings, ServerSettings, Timeouts, Upstream, setting_name,
};

impl Config {
    /// Returns the effective settings as a settings file, with the place where each is set, without secrets.
    pub fn show(&self) -> String {
        let mut out = String::new();
        self.add(&mut out, std::slice::from_ref(&self.server));
        self.add(&mut out, std::slice::from_ref(&self.limits));
        self.add(&mut out, std::slice::from_ref(&self.timeouts));
        self.add(&mut out, &self.upstreams);
        self.add(&mut out, &self.routes);
        self.add(&mut out, &self.clients);
        out
    }

    // Writing to a string cannot fail.
    fn add<S: Section>(&self, out: &mut String, tables: &[S]) {
        for (at, table) in tables.iter().enumerate() {
            let _ = match (S::NAME, S::MANY) {
                ("", _) => Ok(()),
                (name, false) => writeln!(out, "\n[{name}]"),
                (name, true) => writeln!(out, "\n[[{name}]]"),
            };
            for key in S::keys() {
                let origin = self.origins.get(&setting_name::<S>(at, key.name));
                let origin = origin.map(|origin| format!("  # {origin}")).unwrap_or_default();
                let _ = writeln!(out, "{} = {}{origin}", key.name, (key.show)(table));
            }
        }
    }
}

/// Returns the JSON Schema of a settings file.
pub fn schema() -> Value {
    let mut properties = object::<ServerSettings>();
    let mut table = |name: &str, about: &str, many: bool, keys: Map| {
        let table = json!({"type": "object", "properties": keys, "additionalProperties": false});
        let shape = if many { json!({"type": "array", "items": table}) } else { table };
        properties.insert(name.to_owned(), with_about(shape, about));
    };
    table(Limits::NAME, Limits::ABOUT, Limits::MANY, object::<Limits>());
    table(Timeouts::NAME, Timeouts::ABOUT, Timeouts::MANY, object::<Timeouts>());
    table(Upstream::NAME, Upstream::ABOUT, Upstream::MANY, object::<Upstream>());
    table(ClientSettings::NAME, ClientSettings::ABOUT, ClientSettings::MANY, object::<ClientSettings>());
    table(RouteSettings::NAME, RouteSettings::ABOUT, RouteSettings::MANY, object::<RouteSettings>());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of toolglot serve",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn object<S: Section>() -> Map {
    S::keys().iter().map(|key| (key.name.to_owned(), with_about((key.schema)(), key.about.trim()))).collect()
}

fn with_about(mut shape: Value, about: &str) -> Value {
    shape["description"] = about.trim().into();
    shape
}

/// Returns the reference of all settings, in Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    add_reference::<ServerSettings>(&mut out, "Top level");
    add_reference::<Limits>(&mut out, "`[limits]`");
    add_reference::<Timeouts>(&mut out, "`[timeouts]`");
    add_reference::<Upstream>(&mut out, "`[[upstream]]`");
    add_reference::<ClientSettings>(&mut out, "`[[client]]`");
    add_reference::<RouteSettings>(&mut out, "`[[route]]`");
    out
}

// Writing to a string cannot fail.
fn add_reference<S: Section>(out: &mut String, title: &str) {
    let _ = writeln!(
        out,
        "### {title}\n\n{}\n\n| key | default | variable | meaning |\n|---|---|---|---|",
        S::ABOUT.trim()
    );
    let section = if S::NAME.is_empty() { String::new() } else { format!("{}_", S::NAME.to_uppercase()) };
    for key in S::keys() {
        let default = if key.default.is_empty() { "–".to_owned() } else { format!("`{}`", key.default) };
        let variable = format!("{PREFIX}{section}{}", key.name.to_uppercase());
        let words = one_of(&(key.schema)());
        let _ = writeln!(out, "| `{}` | {default} | `{variable}` | {}{words} |", key.name, key.about.trim());
    }
    out.push('\n');
}

/// The allowed values of a setting, if they are limited.
fn one_of(schema: &Value) -> String {
    let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    if words.is_empty() { String::new() } else { format!(" One of {}.", words.join(", ")) }
}
