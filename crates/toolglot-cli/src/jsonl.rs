//! The protocol of `--jsonl`: the members of a line, and the answer to an invalid line.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use toolglot::Tools;
use toolglot_wire::Transcript;

use crate::cache::Cache;
use crate::json;
use crate::known::Known;
use crate::options::{Setup, names};
use crate::recorded;

const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The members of a JSON object, as written.
pub(crate) type Members<'j> = BTreeMap<String, &'j RawValue>;

/// Returns a member's JSON text, unless it is missing or null.
pub(crate) fn member<'j>(members: &Members<'j>, name: &str) -> Option<&'j str> {
    members.get(name).map(|raw| raw.get()).filter(|json| *json != "null")
}

/// An input line.
pub(crate) struct Line<'l> {
    /// The line's text.
    pub(crate) whole: &'l str,
    members: Members<'l>,
}

/// Answers a line with what `answer` writes, or with its error.
pub(crate) fn answer(
    number: usize,
    line: &[u8],
    out: &mut Vec<u8>,
    answer: impl FnOnce(&Line<'_>, &mut Vec<u8>) -> Result<bool, String>,
) -> bool {
    let line = line.strip_prefix(BOM).filter(|_| number == 1).unwrap_or(line);
    let (id, why) = match Line::read(line) {
        Err(why) => (None, why),
        Ok(line) => match answer(&line, out) {
            Err(why) => (line.id(), why),
            Ok(fine) => {
                out.push(b'\n');
                return fine;
            }
        },
    };
    write_error(out, id, &why, number);
    false
}

/// Writes the answer to an invalid line.
pub(crate) fn write_error(out: &mut Vec<u8>, id: Option<&str>, why: &str, number: usize) {
    json::object(out, |object| {
        object.raw("id", id.unwrap_or("null"));
        object.add("error", why);
        object.add("line", number);
    });
    out.push(b'\n');
}

impl<'l> Line<'l> {
    fn read(line: &'l [u8]) -> Result<Self, String> {
        let whole = std::str::from_utf8(line)
            .map_err(|error| format!("not UTF-8 at byte {}; convert the file to UTF-8", error.valid_up_to()))?;
        let members = serde_json::from_str(whole).map_err(|error| {
            let column = error.column();
            format!("expected one JSON object per line, such as {{\"id\": 1, …}} (invalid at column {column})")
        })?;
        Ok(Self { whole, members })
    }

    /// Returns the JSON text of the id; the id of a batch request takes precedence.
    pub(crate) fn id(&self) -> Option<&'l str> {
        self.member("custom_id").or_else(|| self.member("id"))
    }

    /// Returns the recorded response, if the line is one.
    pub(crate) fn recorded(&self) -> Option<Transcript> {
        let is_text = self.member("text").is_some_and(|text| !text.starts_with('{'));
        let is_body = ["choices", "output", "content", "message", "response", "error"];
        if is_text || !is_body.iter().any(|key| self.member(key).is_some()) {
            return None;
        }
        recorded::read(self.whole.as_bytes())
    }

    /// Returns a member's JSON text, unless it is missing or null.
    pub(crate) fn member(&self, name: &str) -> Option<&'l str> {
        member(&self.members, name)
    }

    /// Returns a required string member.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        let json = self.member(name).ok_or_else(|| format!("missing `{name}`; add it as a string"))?;
        string(name, json)
    }
}

/// Reads a JSON string.
pub(crate) fn string(name: &str, json: &str) -> Result<String, String> {
    serde_json::from_str(json).map_err(|error| {
        if json.starts_with('"') {
            format!("`{name}` is not valid Unicode ({}); escape surrogates in pairs", json::fault(&error))
        } else {
            format!("`{name}` must be a string")
        }
    })
}

/// Reads the arguments of a call: the value of a string, an object as written, nothing for null.
pub(crate) fn arguments(json: Option<&str>) -> Result<String, String> {
    match json {
        None => Ok(String::new()),
        Some(object) if object.starts_with('{') => Ok(object.to_owned()),
        Some(json) => string("arguments", json),
    }
}

/// The setups of lines: the flags, and the changes of each line.
#[derive(Clone)]
pub(crate) struct Setups {
    known: Known,
    base: Setup,
    tools: Cache<Result<Tools, String>>,
    changed: Cache<Result<Setup, String>>,
}

impl Setups {
    pub(crate) fn new(known: Known, base: Setup) -> Self {
        Self { known, base, tools: Cache::default(), changed: Cache::default() }
    }

    /// Returns the setup for a line, with these tools.
    pub(crate) fn of(&mut self, line: &Line<'_>, tools: Option<&str>) -> Result<Setup, String> {
        let mut setup = match (line.member("dialect"), line.member("options")) {
            (None, None) => self.base.clone(),
            (dialect, options) => {
                let key = format!("{}\n{}", dialect.unwrap_or_default(), options.unwrap_or_default());
                self.changed.get(&key, || changed(&self.base, &self.known, dialect, options))?
            }
        };
        if let Some(text) = tools {
            let compile = || Tools::from_json_str(text).map_err(|error| format!("invalid `tools`: {error}"));
            setup.tools = self.tools.get(text, compile)?;
        }
        Ok(setup)
    }
}

/// Returns the flags' setup with a line's changes.
fn changed(base: &Setup, known: &Known, dialect: Option<&str>, options: Option<&str>) -> Result<Setup, String> {
    let mut setup = base.clone();
    if let Some(dialect) = dialect {
        setup.dialects = known.select(&names("dialect", &value("dialect", dialect)?)?)?;
    }
    if let Some(options) = options {
        setup.change(&value("options", options)?, known)?;
    }
    Ok(setup)
}

fn value(name: &str, json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|error| format!("invalid `{name}` ({})", json::fault(&error)))
}
