//! Where the scanner stops: positions at which something other than text may occur.

use super::Scanner;
use crate::lead::Lead;
use crate::parser::engine::Engine;
use crate::parser::markdown::opens_fence;
use crate::view::{View, is_blank_char};

impl Scanner {
    /// Returns the next place where something other than text may occur.
    pub(super) fn next_stop(&self, engine: &Engine, view: View<'_>) -> Option<usize> {
        let catalog = &engine.catalog;
        let rest = view.rest(self.at);
        let bytes = if engine.reads_weak { &catalog.stops_and_lines } else { catalog.stops.first_bytes() };
        let in_line =
            !engine.options.careful && engine.options.limits.held >= Lead::BYTES && catalog.dynamic.is_empty();
        let (mut from, mut line_start, mut fresh) = (0, self.place.is_line_start(), self.place.is_fresh());
        loop {
            if line_start {
                let text = view.slice(self.at + from, view.end());
                from += text.chars().take_while(|char| is_blank_char(*char)).map(char::len_utf8).sum::<usize>();
                let first = *rest.get(from)?;
                // What closed the last call counts at a fresh place; elsewhere a fence quotes what follows it.
                let turns = if std::mem::take(&mut fresh) {
                    catalog.stops.contains(first) || begins_in_header(engine, view, self.at + from)
                } else {
                    opens_fence(&rest[from..])
                };
                if turns || starts_line(engine, view, self.at + from) {
                    return Some(self.at + from);
                }
            }
            from += if in_line { catalog.stops.find_or(bytes, &rest[from..]) } else { bytes.find(&rest[from..]) }?;
            line_start = rest[from] == b'\n';
            if !line_start && (engine.options.careful || opens(engine, view, self.at + from)) {
                return Some(self.at + from);
            }
            from += 1;
        }
    }
}

/// Returns whether something may open at `at`, in any position, given the visible bytes and the limits.
fn opens(engine: &Engine, view: View<'_>, at: usize) -> bool {
    let tag = view.rest(at)[0] == b'<' && !engine.catalog.dynamic.is_empty();
    let cut = view.limited(at.saturating_add(engine.options.limits.held));
    tag && engine.tools.may_begin_tag(view.rest(at + 1)) || engine.catalog.stops.stands(cut, at) != Ok(false)
}

/// Returns whether a message may begin at `at` within its header.
#[inline(never)]
fn begins_in_header(engine: &Engine, view: View<'_>, at: usize) -> bool {
    let cut = view.limited(at.saturating_add(engine.options.limits.held));
    engine.catalog.header_stops().stands(cut, at) != Ok(false)
}

/// Returns whether something may open at `at`, the start of a line. If the end of a name has not arrived, it may.
fn starts_line(engine: &Engine, view: View<'_>, at: usize) -> bool {
    let cut = view.limited(at.saturating_add(engine.options.limits.held));
    opens(engine, view, at)
        || engine.reads_weak && engine.catalog.line_stops().stands(cut, at) != Ok(false)
        || engine.behind_name(cut, at) != Ok(None)
}
