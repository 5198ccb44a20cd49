//! The kinds of markers that are in and around a call's values.

/// A marker in or after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// The value's own closer.
    Value,
    /// The opener of a parameter.
    Param,
    /// The call's closer.
    Call,
    /// The section's closer.
    Section,
    /// The opener of a call or a section.
    Open,
    /// Any closing tag.
    Tag,
    /// The end of the input.
    End,
}

impl Marker {
    /// Returns its bit in a set of kinds.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// All that may occur somewhere.
pub(crate) const MARKERS: [Marker; 6] =
    [Marker::Value, Marker::Param, Marker::Call, Marker::Section, Marker::Open, Marker::Tag];
