//! What callers choose, out of JSON: dialects, options, what a model server needs.

use std::str::FromStr;

use toolglot::{Dialect, Dialects, OptionError, Options};
use toolglot_json::{Map, Value};
use toolglot_wire::{EngineKind, HistoryIds, Policy, Protocol, ReasoningField};

use crate::fault::Fault;

type Set<T> = Result<T, Fault>;

/// Reads a JSON object; blank text and null are an empty one.
pub(crate) fn object(what: &str, json: &str) -> Set<Map> {
    if json.trim().is_empty() {
        return Ok(Map::new());
    }
    match toolglot_json::from_str(json) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(other) => Err(wrong(what, &other, "an object")),
        Err(error) => Err(Fault::Invalid(format!("{what} is not valid JSON: {error}"))),
    }
}

/// Reads what dialects are wanted: `files` of the caller's own, `only` some, `prefer` one; all that are built in if nothing
/// is said.
pub(crate) fn dialects(json: &str) -> Set<Dialects> {
    let mut dialects = Dialects::builtin();
    for (name, value) in &object("the choice of dialects", json)? {
        dialects = match (name.as_str(), value) {
            (_, Value::Null) => dialects,
            ("files", Value::Array(files)) => files.iter().try_fold(dialects, |all, file| with_file(&all, file))?,
            ("files", other) => return Err(wrong(name, other, "a list of objects with `name` and `toml`")),
            ("only", value) => dialects.only(&names(name, value)?).map_err(Fault::invalid)?,
            ("prefer", value) => dialects.prefer(text(name, value)?).map_err(Fault::invalid)?,
            _ => return Err(unknown("choice of dialects", name, "files, only, prefer")),
        };
    }
    Ok(dialects)
}

fn with_file(dialects: &Dialects, file: &Value) -> Set<Dialects> {
    let member = |name: &str| match file.get(name).and_then(Value::as_str) {
        Some(text) => Ok(text),
        None => Err(wrong("files", file, "objects with the strings `name` and `toml`")),
    };
    let dialect = Dialect::from_toml(member("name")?, member("toml")?).map_err(Fault::invalid)?;
    Ok(dialects.with(dialect))
}

/// Reads options; what is not named, or is null, stays as it is unless told otherwise.
pub(crate) fn options(json: &str) -> Set<Options> {
    // Where code is compiled when it is first called, the names of options are for those who name some.
    match object("the options", json)? {
        members if members.is_empty() => Ok(Options::default()),
        members => options_of(&members),
    }
}

fn options_of(members: &Map) -> Set<Options> {
    let named = members.iter().filter(|(_, value)| !value.is_null());
    let set = |options: Options, (name, value): (&String, &Value)| {
        options.with_named(name, &value.into()).map_err(Fault::invalid)
    };
    named.into_iter().try_fold(Options::default(), set)
}

/// What is known of a client and a model server.
pub(crate) struct Traffic {
    pub(crate) client: Protocol,
    pub(crate) server: Protocol,
    pub(crate) policy: Policy,
    pub(crate) seed: Option<u64>,
    pub(crate) now: u64,
    pub(crate) reasoning_open: bool,
}

/// Reads what is known of a client and a model server.
pub(crate) fn traffic(json: &str, dialects: &Dialects) -> Set<Traffic> {
    let mut traffic = Traffic {
        client: Protocol::Chat,
        server: Protocol::Chat,
        policy: Policy::default().with_dialects(dialects.clone()),
        seed: None,
        now: 0,
        reasoning_open: false,
    };
    let members = object("the settings", json)?;
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        traffic.set(name, value)?;
    }
    Ok(traffic)
}

impl Traffic {
    fn set(&mut self, name: &str, value: &Value) -> Set<()> {
        let policy = self.policy.clone();
        self.policy = match name {
            "client" => return protocol(name, value).map(|protocol| self.client = protocol),
            "server" => return protocol(name, value).map(|protocol| self.server = protocol),
            "seed" => return seed(name, value).map(|seed| self.seed = Some(seed)),
            "now" => return seed(name, value).map(|now| self.now = now),
            "reasoning_open" => return flag(name, value).map(|open| self.reasoning_open = open),
            "options" => match value {
                Value::Object(members) => policy.with_options(options_of(members)?),
                other => return Err(wrong(name, other, "an object")),
            },
            "engine" => policy.with_engine(choice::<EngineKind>(name, value)?),
            "upstream_model" => policy.with_upstream_model(Some(text(name, value)?.to_owned())),
            "forced" => policy.with_forced(flag(name, value)?),
            "reasoning_field" => policy.with_reasoning_field(choice::<ReasoningField>(name, value)?),
            "history_ids" => policy.with_ids(choice::<HistoryIds>(name, value)?),
            _ => return Err(unknown("setting", name, SETTINGS)),
        };
        Ok(())
    }
}

const SETTINGS: &str = "client, server, seed, now, reasoning_open, options, engine, upstream_model, forced, \
                        reasoning_field, history_ids";

fn protocol(what: &str, value: &Value) -> Set<Protocol> {
    let name = text(what, value)?;
    let found = Protocol::ALL.into_iter().find(|protocol| protocol.name() == name);
    found.ok_or_else(|| Fault::invalid(OptionError::unknown("protocol", name, &Protocol::ALL.map(Protocol::name))))
}

/// One or several names: a string, or a list of strings.
fn names(what: &str, value: &Value) -> Set<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().map(|value| text(what, value).map(str::to_owned)).collect(),
        value => Ok(vec![text(what, value)?.to_owned()]),
    }
}

/// Reads one of the names of a choice.
pub(crate) fn choice<T: FromStr<Err: ToString>>(what: &str, value: &Value) -> Set<T> {
    text(what, value)?.parse().map_err(Fault::invalid)
}

fn text<'v>(what: &str, value: &'v Value) -> Set<&'v str> {
    value.as_str().ok_or_else(|| wrong(what, value, "a name"))
}

fn flag(what: &str, value: &Value) -> Set<bool> {
    value.as_bool().ok_or_else(|| wrong(what, value, "true or false"))
}

fn seed(what: &str, value: &Value) -> Set<u64> {
    value.as_u64().ok_or_else(|| wrong(what, value, "a non-negative integer"))
}

fn unknown(what: &str, name: &str, known: &str) -> Fault {
    Fault::invalid(OptionError::unknown(what, name, &[known]))
}

/// Says that a member has the wrong type.
pub(crate) fn wrong(what: &str, value: &Value, wanted: &str) -> Fault {
    Fault::invalid(OptionError::mistyped(what, &value.into(), wanted))
}
