//! The table of evidence against a reading of strings with unescaped quotes.
//!
//! A reading says where all remaining strings of a call end. Several may reach the call's closer; the first of them is used
//! unless a row of this table applies, or what follows the call may belong to a string. `ends ablate` in `fuzz/` measures the
//! effect of each row: it parses the same messages without it. A row without effect is removed.

/// A row of the table: a condition on a string of a reading that makes the reading untrusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is for the measuring of its rows, which counts them all")]
pub enum Veto {
    /// The brackets after the string's first bare quote close the call, and a comma follows.
    NextCall,
    /// The first bare quote is at a possible end of a value; a comma, the right bracket, a key, or an object on a new line
    /// follows.
    EarlyEnd,
    /// The same for an item of an array, or a member with an undeclared key.
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
    /// Some line breaks of the string are escaped, others are not.
    MixedBreaks,
    /// The string has at most one bare quote, and an odd number of quotes in total: code has two per string.
    LoneQuote,
    /// A bare quote follows an escape that JSON does not have.
    OddEscape,
    /// The member after the string is not declared, or the item after it may be code.
    Stranger,
    /// The last line of the string has an odd number of quotes: trusted only if no other reading closes the call.
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

/// A set of rows of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vetoes(u16);

impl Vetoes {
    /// Adds a row if its condition holds.
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

    /// Returns whether any enabled row applies.
    pub(crate) fn is_empty_but_for(self, off: Self) -> bool {
        self.0 & !off.0 == 0
    }
}
