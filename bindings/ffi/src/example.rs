//! Examples to make dialect files from, out of JSON.

use toolglot::{Example, sketch};
use toolglot_json::Value;

use crate::fault::Fault;
use crate::message::{Call, calls};
use crate::settings::{object, wrong};

/// Makes a dialect file from an example.
pub(crate) fn sketched(json: &str) -> Result<String, Fault> {
    let members = object("the example", json)?;
    let text = |name: &str| match members.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(value) => value.as_str().ok_or_else(|| wrong(name, value, "a string")),
    };
    let meant: Vec<Call> = members.get("calls").map_or(Ok(Vec::new()), calls)?;
    let strong = members.get("strong").is_some_and(|value| value == true);
    let example = Example::new(text("text")?).with_about(text("about")?).with_strong(strong);
    let example = meant.iter().fold(example, |all, call| all.with_call(&call.name, &call.arguments));
    sketch(text("name")?, &example).map_err(Fault::failed)
}
