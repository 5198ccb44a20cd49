//! Detects another call inside a string, which shows that the string has lost its end before it.

use super::call_context::CallContext;
use super::member;
use crate::dialect::HeadPart;
use crate::json::last_word;
use crate::view::NotYet;

/// Members at the head of a call object, up to its name: at most an id and a type precede it.
const HEAD: usize = 3;

/// Parentheses before a quote that are examined; a call's own is one of the last.
const PARENTHESES: usize = 8;

/// Returns whether an object begins at `at` whose first short members name a declared tool.
pub(super) fn names_tool(context: &CallContext<'_>, mut at: usize) -> Result<bool, NotYet> {
    for _ in 0..HEAD {
        let Some((key, behind)) = member::quoted_member(context, at + 1)? else { return Ok(false) };
        let Some((value, end)) = member::string(context.view, context.gap(behind)?)? else { return Ok(false) };
        if member::is_name_key(&key, context.dialect()) {
            return Ok(context.engine.tools.is_declared(&value));
        }
        at = context.gap(end)?;
        if context.view.byte(at)? != Some(b',') {
            return Ok(false);
        }
    }
    Ok(false)
}

/// Returns whether a text that begins at `from` and ends with an object's brace ends with the head of a call before it.
pub(super) fn ends_with_head(context: &CallContext<'_>, from: usize, before: &str) -> Result<bool, NotYet> {
    let openers = context.pattern().opening().into_iter().flat_map(|opener| &opener.spellings);
    let head = before.trim_end_matches('{').trim_end();
    let line = head.rfind('\n').map(|at| at + 1);
    let name = last_word(head).and_then(|name| Some(head.len() - name.len() + declared(name, context)?));
    for start in openers.filter_map(|spelling| before.rfind(spelling.opener())).chain(line).chain(name) {
        if context.sibling(from + start)?.is_some_and(|win| win.start.at() + 1 == from + before.len()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns where the name of a declared tool begins at the end of a word, possibly attached to other characters.
fn declared(word: &str, context: &CallContext<'_>) -> Option<usize> {
    let glued = |(start, _): &(usize, char)| *start == 0 || !word[..*start].ends_with(['.', '_', '-']);
    let mut starts = word.char_indices().filter(glued).map(|(start, _)| start);
    starts.find(|start| context.engine.tools.is_declared(&word[*start..]))
}

/// Returns whether a text that begins at `from` contains a declared tool's name, a parenthesis and a keyword, or whatever the
/// dialect writes between a tool's name and its parenthesis.
pub(super) fn holds_keywords(context: &CallContext<'_>, from: usize, before: &str) -> Result<bool, NotYet> {
    let last = context.pattern().head.last().and_then(HeadPart::literal);
    let behind_name = last.and_then(|last| last.spellings.first()).map(|spelling| spelling.opener().trim());
    if behind_name.is_some_and(|words| words.len() > 1 && before.contains(words)) {
        return Ok(true);
    }
    for (at, _) in before.rmatch_indices('(').take(PARENTHESES) {
        let Some(name) = last_word(&before[..at]) else { continue };
        let text = &before[..at - name.len()];
        let assigned = || text.trim_end().ends_with('=');
        // The letter after a backslash may be the name's: the string was cut in the middle of an escape.
        let escape = text.strip_suffix(char::is_alphanumeric).filter(|text| text.ends_with('\\')).map(str::len);
        let whole = escape.filter(|start| context.engine.tools.is_declared(&before[*start..at]));
        let start = declared(name, context).filter(|start| *start > 0 || !assigned()).map(|start| text.len() + start);
        if let Some(start) = start.or(whole)
            && context.next_call(from + start)?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}
