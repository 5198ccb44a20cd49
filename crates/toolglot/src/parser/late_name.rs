//! The name of a call whose object has the arguments first.

use super::call_context::CallContext;
use super::head::HeadText;
use super::member::{self, CallObjectPosition, is_name_key, member_head, single_key};
use crate::json::{Markers, QUOTED};
use crate::view::NotYet;

/// Returns the name of a call whose object has none before the arguments at `start`: the key of the arguments, or the value of
/// the last member, after them, if it closes the call and a tool of that name is declared. With its schema,
/// strings with unescaped quotes are read.
pub(super) fn unsaid_name(
    spot: CallObjectPosition,
    start: usize,
    context: &CallContext<'_>,
) -> Result<Option<HeadText>, NotYet> {
    if let Some(key) = single_key(spot.at, context)? {
        return Ok(Some(key));
    }
    let (view, mut quoted) = (context.view, 0);
    let closed = CallContext { around: spot.depth + 1, ..*context };
    for at in start..start.saturating_add(context.engine.options.limits.string_ends) {
        let Some(byte) = view.byte(at)? else { break };
        quoted += usize::from(context.markers().contains(byte) && context.opener(at)?.is_some());
        if quoted > QUOTED {
            break;
        }
        if byte == b'"'
            && let Some((key, value)) = member_head(at, context)?
            && is_name_key(&key, context.dialect())
            && let Some((name, end)) = member::string(view, value)?
        {
            let name = HeadText::new(&name, value..end);
            let ends = context.engine.knows(&name.text) && closed.ends_call(view, name.span.end)?.is_some();
            return Ok(ends.then_some(name));
        }
    }
    Ok(None)
}
