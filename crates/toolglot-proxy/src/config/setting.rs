//! Kinds of settings: how each is read from a file or a word, shown, and described to an editor.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde_json::{Value, json};
use toml::de::DeValue;
use toolglot::{CallsInReasoning, Evidence, Repairs, UnknownTool, Untyped, Validation};
use toolglot_wire::{EngineKind, HistoryIds, Protocol, ReasoningField};

/// A value as it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raw<'a> {
    /// A word, from the environment or a flag.
    Text(&'a str),
    /// A value of a file.
    Toml(&'a DeValue<'a>),
}

impl<'a> Raw<'a> {
    /// The value as a word: a file may write numbers and truth as such.
    pub(crate) fn word(self) -> Option<String> {
        match self {
            Raw::Text(text) => Some(text.to_owned()),
            Raw::Toml(DeValue::String(text)) => Some(text.to_string()),
            Raw::Toml(DeValue::Boolean(truth)) => Some(truth.to_string()),
            Raw::Toml(DeValue::Integer(number)) => Some(number.to_string()),
            Raw::Toml(_) => None,
        }
    }

    fn wanted(self, what: &str) -> Result<String, String> {
        self.word().ok_or_else(|| format!("this is no {what}; write it in quotes"))
    }
}

/// A kind of setting.
pub(crate) trait Setting: Default {
    /// Reads what was written; the error says what to write instead.
    fn read(raw: Raw<'_>) -> Result<Self, String>;
    /// The value as a TOML file would have it; secrets are not in it.
    fn show(&self) -> String;
    /// What an editor has to know about it.
    fn schema() -> Value;
}

/// A number of bytes, written `512`, `64 KiB`, `32 MiB`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

/// A span of time, written `250 ms`, `15 s`, `10 min`; `0` switches off what it bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) Duration);

impl Time {
    /// Returns the time, unless it is switched off.
    pub(crate) fn on(self) -> Option<Duration> {
        (!self.0.is_zero()).then_some(self.0)
    }
}

const SIZES: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)];
const TIMES: [(&str, u64); 4] = [("min", 60_000), ("ms", 1), ("s", 1000), ("", 1000)];

/// Reads a number and its unit; the units are tried in order.
fn with_unit(text: &str, units: &[(&str, u64)], example: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` has no known unit; write it like `{example}`");
    let found = units.iter().find_map(|(unit, factor)| Some((text.trim().strip_suffix(unit)?, factor)));
    let (number, factor) = found.ok_or_else(wrong)?;
    let number: u64 = number.trim().parse().map_err(|_| wrong())?;
    number.checked_mul(*factor).ok_or_else(wrong)
}

fn show_unit(number: u64, units: &[(&str, u64)]) -> String {
    let mut fits =
        units.iter().filter(|(unit, factor)| !unit.is_empty() && number > 0 && number.is_multiple_of(*factor));
    fits.by_ref()
        .max_by_key(|(_, factor)| *factor)
        .map_or_else(|| format!("\"{number}\""), |(unit, factor)| format!("\"{} {unit}\"", number / factor))
}

impl Setting for Size {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let number = with_unit(&raw.wanted("size such as `32 MiB`")?, &SIZES, "32 MiB")?;
        usize::try_from(number).map(Self).map_err(|_| "this is more than the machine can hold".to_owned())
    }

    fn show(&self) -> String {
        show_unit(self.0 as u64, &SIZES)
    }

    fn schema() -> Value {
        json!({"type": ["string", "integer"], "pattern": "^[0-9]+ ?(KiB|MiB|GiB)?$"})
    }
}

impl Setting for Time {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        with_unit(&raw.wanted("time such as `15 s`")?, &TIMES, "15 s").map(|ms| Self(Duration::from_millis(ms)))
    }

    fn show(&self) -> String {
        show_unit(u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX), &TIMES)
    }

    fn schema() -> Value {
        json!({"type": ["string", "integer"], "pattern": "^[0-9]+ ?(ms|s|min)?$"})
    }
}

impl Setting for usize {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("number")?;
        word.trim().parse().map_err(|_| format!("`{word}` is no whole number; write one such as `128`"))
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
        match raw.wanted("truth")?.trim() {
            "true" | "1" | "yes" => Ok(true),
            "false" | "0" | "no" | "" => Ok(false),
            word => Err(format!("`{word}` is neither; write `true` or `false`")),
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
        raw.wanted("text").map(|text| text.trim().to_owned())
    }

    fn show(&self) -> String {
        quoted(self)
    }

    fn schema() -> Value {
        json!({"type": "string"})
    }
}

impl Setting for Option<PathBuf> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("path")?;
        Ok((!word.is_empty()).then(|| PathBuf::from(word)))
    }

    fn show(&self) -> String {
        quoted(&self.as_ref().map(|path| path.display().to_string()).unwrap_or_default())
    }

    fn schema() -> Value {
        json!({"type": "string"})
    }
}

impl Setting for Vec<String> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        if let Raw::Toml(DeValue::Array(items)) = raw {
            let item = |item: &toml::Spanned<DeValue<'_>>| Raw::Toml(item.get_ref()).wanted("text");
            return items.iter().map(item).collect();
        }
        let text = raw.wanted("list of texts")?;
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

/// A URL; a user and a password in it are not shown.
#[derive(Clone, Default)]
pub(crate) struct Url(pub(crate) String);

impl Url {
    /// Returns the URL as others may see it.
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

    fn schema() -> Value {
        String::schema()
    }
}

/// Headers by name; their values may be secrets and are never shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(pub(crate) Vec<(String, Secret)>);

impl Setting for Headers {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let Raw::Toml(DeValue::Table(table)) = raw else {
            return match raw.word().as_deref() {
                Some("") => Ok(Self::default()),
                _ => Err("headers are a table; write `{ \"x-name\" = \"value\" }`".to_owned()),
            };
        };
        let pair = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            Ok((name.to_string(), Secret::read(Raw::Toml(value.get_ref()))?))
        };
        table.iter().map(pair).collect::<Result<_, String>>().map(Self)
    }

    fn show(&self) -> String {
        let mut shown = String::from("{");
        for (at, (name, value)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(shown, "{comma} {} = {}", quoted(name), value.show());
        }
        shown + " }"
    }

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    }
}

/// A text that must not be seen: written out, as `${VARIABLE}`, or as `file:PATH`.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Returns the secret, if there is one.
    pub(crate) fn get(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Setting for Secret {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let text = raw.wanted("text")?;
        if let Some(path) = text.strip_prefix("file:") {
            let read = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
            return Ok(Self(read.trim().to_owned()));
        }
        expanded(&text).map(Self)
    }

    fn show(&self) -> String {
        quoted(if self.0.is_empty() { "" } else { "***" })
    }

    fn schema() -> Value {
        json!({"type": "string"})
    }
}

/// Several secrets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(pub(crate) Vec<Secret>);

impl Setting for Secrets {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let words = Vec::<String>::read(raw)?;
        words.iter().map(|word| Secret::read(Raw::Text(word))).collect::<Result<_, _>>().map(Self)
    }

    fn show(&self) -> String {
        vec!["***".to_owned(); self.0.len()].show()
    }

    fn schema() -> Value {
        Vec::<String>::schema()
    }
}

/// Puts the environment's values where `${NAME}` stands.
fn expanded(text: &str) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or("`${` has no `}`; write `${NAME}`")?;
        let value = std::env::var(name).map_err(|_| format!("the environment has no `{name}`; set it"))?;
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    Ok(out + rest)
}

/// A word out of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice<T> {
    word: String,
    /// What the word means.
    pub(crate) value: T,
}

/// Things that are chosen by one of a few words.
pub(crate) trait Words: Sized + Default {
    /// The words.
    const WORDS: &[&str];
    /// What a word means.
    fn of(word: &str) -> Option<Self>;
}

impl<T: Words> Setting for Choice<T> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("word")?;
        let wrong = || format!("`{word}` is not known here; use one of {}", T::WORDS.join(", "));
        T::of(word.trim()).ok_or_else(wrong).map(|value| Self { word: word.trim().to_owned(), value })
    }

    fn show(&self) -> String {
        quoted(&self.word)
    }

    fn schema() -> Value {
        json!({"enum": T::WORDS})
    }
}

macro_rules! words {
    ($($kind:ty),*) => {$(
        impl Words for $kind {
            const WORDS: &[&str] = <$kind>::NAMES;
            fn of(word: &str) -> Option<Self> {
                word.parse().ok()
            }
        }
    )*};
}

words!(Validation, Untyped, CallsInReasoning, Evidence, UnknownTool);

/// The repairs that may be made, as the command line writes them.
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

impl Words for Option<Protocol> {
    const WORDS: &[&str] = &["chat", "responses", "messages"];
    fn of(word: &str) -> Option<Self> {
        Protocol::ALL.into_iter().find(|protocol| protocol.name() == word).map(Some)
    }
}

impl Words for Option<EngineKind> {
    const WORDS: &[&str] = &["auto", "generic", "vllm", "sglang", "llama.cpp", "ollama", "lmstudio", "mlx-lm"];
    fn of(word: &str) -> Option<Self> {
        if word == "auto" { Some(None) } else { word.parse().ok().map(Some) }
    }
}

impl Words for HistoryIds {
    const WORDS: &[&str] = &["kept", "nine", "counted"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "kept" => Some(Self::Kept),
            "nine" => Some(Self::Nine),
            "counted" => Some(Self::Counted),
            _ => None,
        }
    }
}

impl Words for Option<bool> {
    const WORDS: &[&str] = &["auto", "yes", "no"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(None),
            "yes" | "true" => Some(Some(true)),
            "no" | "false" => Some(Some(false)),
            _ => None,
        }
    }
}

impl Words for ReasoningField {
    const WORDS: &[&str] = &["reasoning_content", "reasoning", "both"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "reasoning_content" => Some(Self::ReasoningContent),
            "reasoning" => Some(Self::Reasoning),
            "both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// A text as TOML quotes it.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        let size = |text| Size::read(Raw::Text(text)).map(|size| (size.0, size.show()));
        assert_eq!(size("32 MiB"), Ok((32 << 20, "\"32 MiB\"".to_owned())));
        assert_eq!(size("1000"), Ok((1000, "\"1000\"".to_owned())));
        assert!(size("3 apples").unwrap_err().contains("`32 MiB`"));
        assert!(size("99999999999 GiB").is_err());
        let time = |text| Time::read(Raw::Text(text)).map(|time| (time.0.as_millis(), time.show()));
        assert_eq!(time("90s"), Ok((90_000, "\"90 s\"".to_owned())));
        assert_eq!(time("10 min"), Ok((600_000, "\"10 min\"".to_owned())));
        assert_eq!(time("250ms"), Ok((250, "\"250 ms\"".to_owned())));
        assert_eq!(time("15"), Ok((15_000, "\"15 s\"".to_owned())));
        assert_eq!(Time::read(Raw::Text("0")).map(Time::on), Ok(None));
    }

    #[test]
    fn secrets_come_from_the_environment_and_are_never_shown() {
        let path = std::env::var("PATH").unwrap();
        let secret = Secret::read(Raw::Text("a${PATH}b")).unwrap();
        assert_eq!(secret.get(), Some(format!("a{path}b").as_str()));
        assert_eq!((secret.show(), format!("{secret:?}")), ("\"***\"".to_owned(), "***".to_owned()));
        assert!(Secret::read(Raw::Text("${NO_SUCH_VARIABLE_HERE}")).unwrap_err().contains("NO_SUCH_VARIABLE_HERE"));
    }
}
