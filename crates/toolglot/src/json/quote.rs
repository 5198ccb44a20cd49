//! Quotes: the delimiters of strings.

use crate::dialect::QUOTE_TOKENS;
use crate::view::{NotYet, View};

/// A delimiter of strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quote {
    #[default]
    Double,
    Single,
    Back,
    /// `“…”`, either of the two at either end.
    Curly,
    /// `‘…’`, either of the two at either end.
    CurlySingle,
    Triple(u8),
    /// The dialect's own quote token.
    Token,
    /// Another dialect's quote token: its index in [`QUOTE_TOKENS`].
    Leaked(u8),
    /// `&quot;` or `&#34;`, in a value that was encoded for XML.
    Entity,
    /// `\"`, in a value that was escaped as if it were inside a string.
    Escaped,
}

impl Quote {
    /// Returns whether a byte is this quote, escaped or not.
    pub(super) fn is(self, byte: u8) -> bool {
        match self {
            Self::Single | Self::Triple(b'\'') => byte == b'\'',
            Self::Back => byte == b'`',
            _ => byte == b'"',
        }
    }

    /// Returns whether it is a token: everything between two of them is data.
    pub(super) fn is_token(self) -> bool {
        matches!(self, Self::Token | Self::Leaked(_))
    }

    /// Returns this quote as text if it is a token; `own` is the dialect's.
    pub(super) fn token(self, own: Option<&str>) -> Option<&str> {
        match self {
            Self::Token => own,
            Self::Leaked(place) => QUOTE_TOKENS.get(usize::from(place)).copied(),
            _ => None,
        }
    }
}

/// Returns the quotes that may end a string of this kind by mistake.
pub(super) fn twin_of(quote: Quote) -> Option<Quote> {
    Some(match quote {
        Quote::Double => Quote::Curly,
        Quote::Single => Quote::CurlySingle,
        Quote::Curly => Quote::Double,
        Quote::CurlySingle => Quote::Single,
        _ => return None,
    })
}

/// Returns the length of a token that ends a string: the token itself, or `</escape>` for `<escape>`.
pub(super) fn token_closer(view: View<'_>, token: &str, at: usize) -> Result<Option<usize>, NotYet> {
    if view.starts_with(at, token)? {
        return Ok(Some(token.len()));
    }
    let Some(rest) = token.strip_prefix('<') else { return Ok(None) };
    let closes = view.starts_with(at, "</")? && view.starts_with(at + 2, rest)?;
    Ok(closes.then_some(token.len() + 1))
}
