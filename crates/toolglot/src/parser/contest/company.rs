//! What may follow a call with weak evidence.

use crate::parser::element::opens_element;
use crate::parser::engine::Engine;
use crate::view::{NotYet, View};

/// The text that may follow a call without being evidence against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    Anything,
    /// Text, and tags that belong to calls: after other tags, this is markup, too.
    NoMarkup,
    /// Only elements named after tools.
    Elements,
    /// Other objects and lists, and everything that a marker opens.
    Objects,
    Nothing,
}

impl Company {
    /// Returns whether the text at `at`, after the ends of turns and white space, is evidence against the call.
    pub(super) fn refuses(self, engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        let Some(next) = view.byte(at)? else { return Ok(false) };
        match self {
            Self::Anything => Ok(false),
            Self::NoMarkup if next != b'<' => Ok(false),
            Self::NoMarkup => {
                let is_tag = view.byte(at + 1)?.is_some_and(|first| b'/' == first || first.is_ascii_alphabetic());
                let is_known = opens_marked(engine, view, at)? || engine.catalog.closers.stands(view, at)?.is_some();
                Ok(is_tag && !is_known && !opens_element(engine, view, at)?)
            }
            Self::Elements => Ok(!opens_element(engine, view, at)?),
            Self::Objects => Ok(!matches!(next, b'{' | b'[') && !opens_marked(engine, view, at)?),
            Self::Nothing => Ok(true),
        }
    }
}

/// Returns whether the marker of a call or region is at `at`.
fn opens_marked(engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
    let mut opened = Vec::new();
    engine.catalog.opened(view, at, false, &mut opened).map(|()| !opened.is_empty())
}
