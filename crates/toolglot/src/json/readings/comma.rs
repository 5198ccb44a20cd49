//! Whether a comma after a string begins the next member or item.
//!
//! A declared key is recognised by its name. Array items and undeclared keys are not: code contains commas between quotes,
//! too, as in `join(", ")` and `f("a", "b")`, so a reading that ends a string at such a comma is not certain.

use super::Resolver;
use super::open_string::OpenString;
use super::walk::MemberKey;
use crate::json::code::{self, is_counted};
use crate::view::NotYet;

impl Resolver<'_> {
    /// Returns whether the comma at `comma` after a string begins the next member of an object or of a call.
    pub(super) fn begins_member(&self, choice: &mut OpenString, comma: usize) -> Result<bool, NotYet> {
        let Some(key) = self.member(comma + 1, &choice.levels)? else { return Ok(false) };
        let even = !choice.dirty || choice.is_even();
        choice.foreign = choice.dirty && (key == MemberKey::Undeclared || key == MemberKey::Free && !even);
        choice.foreign_inside |= choice.foreign && !even;
        Ok(key != MemberKey::Undeclared || even)
    }

    /// Returns whether the comma at `comma` after a string that ends at `end` begins the next item of an array.
    pub(super) fn begins_item(&self, choice: &mut OpenString, end: usize, comma: usize) -> Result<bool, NotYet> {
        let view = self.look.view;
        let at = view.skip_blanks(comma + 1)?;
        let levels = &choice.levels;
        let node = levels.stack.last().and_then(|top| self.node(levels)?.item(top.items));
        if !self.fits(at, node)? {
            return Ok(false);
        }
        let (own, gap) = (self.doubtful.spacing.comma, at - comma - 1);
        let spaced = own.is_none_or(|own| own == gap);
        let Some((_, length)) = self.look.opens(at)?.filter(|_| !choice.quote.is_token()) else {
            return Ok(spaced || !choice.dirty);
        };
        let before = code::before_quote(view.slice(choice.from, end));
        // A call without blanks has none between items, and a break between strings that hold some is one of theirs.
        if !spaced && choice.dirty && (own == Some(0) || gap > 1 && before.contains('\n')) {
            return Ok(false);
        }
        choice.foreign = !choice.is_even() || code::may_be_code(self.look, before, at + length)?;
        choice.foreign_inside |= choice.foreign && !choice.is_even();
        Ok(true)
    }

    /// Returns whether the first unescaped quote of an item, at `at`, may be its end: earlier ones are escaped, or it
    /// opens no string of code and is not an apostrophe.
    pub(super) fn may_end_item(&self, choice: &OpenString, at: usize) -> Result<bool, NotYet> {
        let view = self.look.view;
        let before = view.slice(choice.from, at);
        let member = before.trim_end().ends_with(',') && self.key(at)?.is_some();
        let behind = view.byte(at + 1)?;
        let counted = |here| choice.quote.is(here) && is_counted(before.bytes().last(), here, behind);
        let counts = view.byte(at)?.is_some_and(counted);
        Ok(choice.all > 0 || member || counts && !code::may_open(before))
    }
}
