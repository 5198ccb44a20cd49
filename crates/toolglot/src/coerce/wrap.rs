//! Wraps a single value in a declared array, and unwraps an object around the declared value: both are guesses.

use super::{Conversion, converts, value};
use crate::diagnostic::Code;
use crate::json;
use crate::options::Options;
use crate::schema::{SchemaNode, Types};

/// Returns a string or scalar as an array with one item, if a node declares an array of such items.
pub(crate) fn wrapped(json: &str, node: SchemaNode<'_>, options: &Options) -> Option<String> {
    let item = wraps(node, options).filter(|_| json != "null")?;
    let mut out = String::from("[");
    match item {
        Some(item) if value(json, item, options, &mut out) == Conversion::Mismatch => return None,
        Some(_) => {}
        None => out.push_str(json),
    }
    Some(out + "]")
}

/// Returns whether one value may be an item of the array that a node declares, with the diagnostics of its items.
pub(crate) fn wraps<'s>(node: SchemaNode<'s>, options: &Options) -> Option<Option<SchemaNode<'s>>> {
    let array = |node: SchemaNode<'_>| node.types().only(Types::ARRAY | Types::NULL);
    let allowed = converts(options) && options.repairs.allow(Code::WrapScalar) && array(node);
    let item = node.item(0);
    (allowed && !item.is_some_and(array)).then_some(item)
}

/// Returns the value of the only member of an object, if it is a string or scalar; `object` is strict JSON.
pub(crate) fn only_scalar(object: &str) -> Option<&str> {
    match json::members(object)[..] {
        [(_, value)] if !value.starts_with(['{', '[']) => Some(value),
        _ => None,
    }
}

/// Returns the value in an object that repeats its own schema: the declared type, and the value next to it.
pub(crate) fn echoed(object: &str, types: Types) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(object).ok()?;
    let own = Types::named(object.get("type")?.as_str()?).is_some_and(|named| types.has(named));
    let facts = object.keys().all(|key| matches!(key.as_str(), "type" | "value" | "description" | "title" | "enum"));
    object.get("value").filter(|value| own && facts && value.is_string()).map(ToString::to_string)
}
