//! What speaks against a reading of strings whose quotes are not escaped: one table.
//!
//! A reading says where all strings end that are left in a call. Several may reach the call's closer; the first of them
//! is used unless a row of this table holds for it, or what follows the call may belong to a string. What a row is worth is measured: `ends ablate` in `fuzz/` reads the same
//! messages without it. A row that changes nothing has to go.

/// A row of the table of evidence: what holds for a string of a reading that is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is for the measuring of its rows, which counts them all")]
pub enum Veto {
    /// The brackets after the string's first bare quote close the call, and a comma follows.
    NextCall,
    /// The first bare quote is where a value may end, and a comma, the right bracket, a key, or an object on a new line
    /// follows.
    EarlyEnd,
    /// The same for an item of an array, or under a key of the model's own.
    ItemEnd,
    /// The head of a call begins in the string.
    OpenHead,
    /// A call may begin at a brace or a name right before one of the quotes.
    CallInside,
    /// A comma follows the first bare quote, and what looks like the next value precedes the second.
    TwoValues,
    /// A key that the innermost object declares is in the string, in quotes.
    InnerKey,
    /// A parameter is in the string, in quotes, and nowhere else.
    MissingKey,
    /// Some line breaks of the string are escaped and others are not.
    MixedBreaks,
    /// The string has at most one bare quote, and an odd number of quotes in all: code has two to a string.
    LoneQuote,
    /// A bare quote follows an escape that JSON does not have.
    OddEscape,
    /// The member after the string is not declared, or the item after it may as well be code.
    Stranger,
    /// The last line of the string has an odd number of quotes: no other reading may close the call.
    OddQuotes,
}

impl Veto {
    /// All rows, in the order of the table.
    pub const ALL: [Self; 13] = [
        Self::NextCall,
        Self::EarlyEnd,
        Self::ItemEnd,
        Self::OpenHead,
        Self::CallInside,
        Self::TwoValues,
        Self::InnerKey,
        Self::MissingKey,
        Self::MixedBreaks,
        Self::LoneQuote,
        Self::OddEscape,
        Self::Stranger,
        Self::OddQuotes,
    ];
}

/// Some rows of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vetoes(u16);

impl Vetoes {
    /// Adds a row if it holds.
    pub(crate) fn note(&mut self, veto: Veto, holds: bool) {
        self.0 |= u16::from(holds) << veto as u16;
    }

    pub(crate) fn with(mut self, veto: Veto) -> Self {
        self.note(veto, true);
        self
    }

    pub(crate) fn has(self, veto: Veto) -> bool {
        self.0 & 1 << veto as u16 != 0
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether any row holds that is not switched off.
    pub(crate) fn is_empty_but_for(self, off: Self) -> bool {
        self.0 & !off.0 == 0
    }
}
