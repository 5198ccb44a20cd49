//! Elements: tags named after a declared tool.

use super::engine::{Callee, Engine};
use super::head::{Head, name_end};
use crate::coerce::{self, Conversion, Hint};
use crate::options::Evidence;
use crate::schema::SchemaNode;
use crate::view::{NotYet, View};

/// Returns whether `<` and a declared tool's name are at `at`.
pub(crate) fn opens_element(engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
    if engine.catalog.dynamic.is_empty()
        || engine.tools.is_empty()
        || view.byte(at)? != Some(b'<')
        || view.byte(at + 1)?.is_none_or(|first| !engine.tools.may_begin_tag(&[first]))
    {
        return Ok(false);
    }
    let Some(end) = name_end(view, at + 1)? else { return Ok(false) };
    let tag = view.slice(at + 1, end);
    let callee = if engine.tools.may_have_tag(tag) { engine.callee(tag) } else { None };
    // The tag alone is the evidence, so only case and a `_file` at the end may differ.
    let plain = |name: &str| {
        let lower = name.to_ascii_lowercase();
        lower.strip_suffix("_file").map(str::to_owned).unwrap_or(lower)
    };
    Ok(callee.is_some_and(|callee| callee.tool.is_some() && plain(tag) == plain(&callee.name)))
}

/// Returns whether fewer than half of a tag's attributes are declared with a matching type: then it is other markup, unless
/// its name has an underscore and the tool has parameters.
pub(crate) fn is_markup(engine: &Engine, callee: &Callee, head: &Head) -> bool {
    let attributes = &head.attributes;
    if attributes.is_empty() || !engine.catalog.is_auto() || engine.options.evidence == Evidence::Eager {
        return false;
    }
    let schema = callee.tool.and_then(|tool| engine.tools.get(tool).schema.as_ref());
    let fits = |node: SchemaNode<'_>, text: &str| {
        let (mut json, mut repairs) = Default::default();
        coerce::text(text, Some(node), Hint::None, &engine.options, &mut json, &mut repairs) != Conversion::Mismatch
    };
    schema.map(|schema| schema.root()).is_some_and(|root| {
        let node = |key| root.property(root.meant(key).unwrap_or(key));
        let fitting =
            attributes.iter().filter(|(key, value)| node(&key.text).is_some_and(|node| fits(node, &value.text)));
        let tool_like = !root.properties().is_empty() && head.name.as_ref().is_some_and(|name| name.text.contains('_'));
        !tool_like && 2 * fitting.count() < attributes.len()
    })
}
