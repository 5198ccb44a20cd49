//! Types of settings: how to read, show and describe them.

use std::path::PathBuf;
use std::str::FromStr;

use toml::de::DeValue;
use toolglot::Repairs;
use toolglot_json::{Value, json};

pub(crate) use secret::{Secret, Secrets};
pub(crate) use unit::{Size, Time};
pub(crate) use word::{Choice, Keep, LogFormat, Mode, TemplateUse};

mod secret;
mod unit;
mod word;

/// A value as written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raw<'a> {
    /// Text from the environment or a flag.
    Text(&'a str),
    /// A value in a file.
    Toml(&'a DeValue<'a>),
}

impl<'a> Raw<'a> {
    /// The value as text; a file may also use numbers and booleans.
    pub(crate) fn word(self) -> Option<String> {
        match self {
            Raw::Text(text) => Some(text.to_owned()),
            Raw::Toml(DeValue::String(text)) => Some(text.to_string()),
            Raw::Toml(DeValue::Boolean(truth)) => Some(truth.to_string()),
            Raw::Toml(DeValue::Integer(number)) => Some(number.to_string()),
            Raw::Toml(_) => None,
        }
    }

    /// Parses text that starts with this character as a TOML list or table.
    fn as_in_file(self, open: char) -> Result<Option<toml::Spanned<DeValue<'a>>>, String> {
        match self {
            Raw::Text(text) if text.trim_start().starts_with(open) => {
                DeValue::parse(text.trim()).map(Some).map_err(|error| error.message().to_owned())
            }
            _ => Ok(None),
        }
    }

    fn wanted(self, what: &str) -> Result<String, String> {
        self.word().ok_or_else(|| format!("expected a {what}"))
    }
}

/// A type of setting.
pub(crate) trait Setting: Default {
    /// Reads a value; the error says what is expected.
    fn read(raw: Raw<'_>) -> Result<Self, String>;
    /// The value as TOML, without secrets.
    fn show(&self) -> String;
    /// Its JSON Schema.
    fn schema() -> Value {
        json!({"type": "string"})
    }
}

impl Setting for usize {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("number")?;
        word.trim().parse().map_err(|_| format!("`{word}` is not an integer; use a value such as `128`"))
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn schema() -> Value {
        json!({"type": "integer", "minimum": 0})
    }
}

impl Setting for bool {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        match raw.wanted("boolean")?.trim() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" | "" => Ok(false),
            word => Err(format!("expected `true` or `false`, found `{word}`")),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn schema() -> Value {
        json!({"type": "boolean"})
    }
}

impl Setting for String {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        raw.wanted("string").map(|text| text.trim().to_owned())
    }

    fn show(&self) -> String {
        quoted(self)
    }
}

impl Setting for Option<PathBuf> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("path in quotes")?;
        Ok((!word.is_empty()).then(|| PathBuf::from(word)))
    }

    fn show(&self) -> String {
        quoted(&self.as_ref().map(|path| path.display().to_string()).unwrap_or_default())
    }
}

impl Setting for Vec<String> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        if let Some(list) = raw.as_in_file('[')? {
            return Self::read(Raw::Toml(list.get_ref()));
        }
        if let Raw::Toml(DeValue::Array(items)) = raw {
            let item = |item: &toml::Spanned<DeValue<'_>>| Raw::Toml(item.get_ref()).wanted("string");
            return items.iter().map(item).collect();
        }
        let text = raw.wanted("list of strings")?;
        Ok(text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }

    fn show(&self) -> String {
        let words: Vec<String> = self.iter().map(|word| quoted(word)).collect();
        format!("[{}]", words.join(", "))
    }

    fn schema() -> Value {
        json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
    }
}

/// A URL; its user and password are never shown.
#[derive(Clone, Default)]
pub(crate) struct Url(pub(crate) String);

impl Url {
    /// Returns the URL without its user and password.
    pub(crate) fn shown(&self) -> String {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let Some((user, _)) = authority.rsplit_once('@') else { return self.0.clone() };
        let colon = if scheme.is_empty() { "" } else { "://" };
        format!("{scheme}{colon}***{}", &rest[user.len()..])
    }
}

impl std::fmt::Debug for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Setting for Url {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        String::read(raw).map(Self)
    }

    fn show(&self) -> String {
        quoted(&self.shown())
    }
}

/// The store for answers: `memory`, or the URL of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct StorePlace(Option<Url>);

impl StorePlace {
    /// Returns the server's URL, unless answers are kept in memory.
    pub(crate) fn url(&self) -> Option<&Url> {
        self.0.as_ref()
    }
}

impl Setting for StorePlace {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let wrong = "expected `memory`, or a URL such as `redis://HOST:6379`";
        let text = Secret::read(raw)?;
        match text.get() {
            None | Some("memory") => Ok(Self(None)),
            Some(url) if url.starts_with("redis://") || url.starts_with("rediss://") => {
                Ok(Self(Some(Url(url.to_owned()))))
            }
            Some(_) => Err(wrong.to_owned()),
        }
    }

    fn show(&self) -> String {
        self.0.as_ref().map_or_else(|| quoted("memory"), Setting::show)
    }

    fn schema() -> Value {
        json!({"type": "string", "pattern": "^(memory$|rediss?://|file:|\\$\\{)"})
    }
}

/// Headers by name; their values may be secrets and are never shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(pub(crate) Vec<(String, Secret)>);

impl Setting for Headers {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        if let Some(table) = raw.as_in_file('{')? {
            return Self::read(Raw::Toml(table.get_ref()));
        }
        let Raw::Toml(DeValue::Table(table)) = raw else {
            return match raw.word().as_deref() {
                Some("") => Ok(Self::default()),
                _ => Err("expected a table of headers, such as `{ \"x-name\" = \"value\" }`".to_owned()),
            };
        };
        let pair = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            Ok((name.to_string(), Secret::read(Raw::Toml(value.get_ref()))?))
        };
        table.iter().map(pair).collect::<Result<_, String>>().map(Self)
    }

    fn show(&self) -> String {
        let pairs: Vec<String> =
            self.0.iter().map(|(name, value)| format!(" {} = {}", quoted(name), value.show())).collect();
        format!("{{{} }}", pairs.join(","))
    }

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    }
}

/// The enabled repairs, in the syntax of the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct RepairList {
    text: String,
    /// The repairs.
    pub(crate) value: Repairs,
}

impl Setting for RepairList {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let text = Vec::<String>::read(raw)?.join(",");
        let value = Repairs::from_str(&text).map_err(|error| error.to_string())?;
        Ok(Self { text, value })
    }

    fn show(&self) -> String {
        quoted(&self.text)
    }

    fn schema() -> Value {
        Vec::<String>::schema()
    }
}

/// A text as a TOML string.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
