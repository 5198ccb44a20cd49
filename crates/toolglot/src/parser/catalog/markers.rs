//! What can end or begin something in a call of a dialect.

use crate::dialect::{Dialect, Pattern};
use crate::parser::marker::Marker;
use crate::parser::starts::Starts;

/// The beginnings of a dialect's closers, parameter openers and strong openers, with any tags if these are tags.
pub(super) fn markers(dialect: &Dialect) -> Starts {
    let kind = |marker: Marker| move |literal| (literal, marker.bit());
    let params = dialect.params.iter().filter(|param| !param.opens_like_any_tag()).filter_map(Pattern::opening);
    let closers =
        [(&dialect.params, Marker::Value), (&dialect.calls, Marker::Call), (&dialect.sections, Marker::Section)];
    let literals = closers
        .into_iter()
        .flat_map(|(patterns, marker)| patterns.iter().flat_map(|pattern| &pattern.tail).map(kind(marker)))
        .chain(params.map(kind(Marker::Param)))
        .chain(dialect.openings.iter().map(kind(Marker::Open)));
    let (named, spelled): (Vec<_>, Vec<_>) = literals
        .flat_map(|(literal, kind)| literal.spellings.iter().map(move |spelling| (spelling, kind)))
        .partition(|(spelling, _)| spelling.is_named_closer());
    let starts = Starts::of_kinds(spelled.into_iter().map(|(spelling, kind)| (spelling.opener(), kind)));
    let starts = if named.is_empty() { starts } else { starts.with_named_closers() };
    let tags = starts.contains(b'<') || dialect.params.iter().any(Pattern::has_key_tag);
    if tags { starts.with_tags() } else { starts }
}
