//! Elements: tags that are named after a declared tool.

use super::engine::Engine;
use super::head::name_end;
use crate::view::{NotYet, View};

/// Says whether `<` and a declared tool's name stand at `at`.
pub(crate) fn opens_element(engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
    if engine.catalog.dynamic.is_empty() || engine.tools.is_empty() || view.byte(at)? != Some(b'<') {
        return Ok(false);
    }
    if view.byte(at + 1)?.is_none_or(|first| !engine.tools.may_begin_tag(&[first])) {
        return Ok(false);
    }
    let Some(end) = name_end(view, at + 1)? else { return Ok(false) };
    let tag = view.slice(at + 1, end);
    if !engine.tools.may_have_tag(tag) {
        return Ok(false);
    }
    let callee = engine.callee(tag);
    // The tag alone is the evidence, so only case and a `_file` at the end may differ.
    let plain = |name: &str| {
        let lower = name.to_ascii_lowercase();
        lower.strip_suffix("_file").map(str::to_owned).unwrap_or(lower)
    };
    Ok(callee.is_some_and(|callee| callee.tool.is_some() && plain(tag) == plain(&callee.name)))
}
