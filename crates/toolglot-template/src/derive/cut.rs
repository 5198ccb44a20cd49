//! Splits the text around the calls into section, opener, closer and separator.

use super::Around;
use super::body::Core;
use crate::alike::{common_end, common_start};
use crate::markers::{markers, whole_before, whole_behind};

/// Returns the ways to split the text around the calls, the likeliest first.
pub(super) fn around(text: &str, cores: &[Core], special: &[String]) -> Vec<Around> {
    let [first, others @ ..] = cores else { return Vec::new() };
    let (before, last) = (&text[..first.start()], others.last().unwrap_or(first));
    let after = &text[last.end()..];
    let Some(second) = others.first() else {
        let call = (before.to_owned(), after.to_owned());
        return vec![Around { section: Default::default(), call, join: String::new() }];
    };
    let middle = first.end()..second.start();
    let opener = common_end(before, &text[middle.clone()]);
    let open_at = whole_behind(text, middle.end - opener, special);
    let open_first = whole_behind(text, before.len() - (middle.end - open_at), special);
    let opener = (before.len() - open_first).min(middle.end - open_at);
    let closer = common_start(&text[middle.clone()], after);
    let close_end = whole_before(text, middle.start + closer, special)
        .min(whole_before(text, last.end() + closer, special) - last.end() + middle.start);
    let closer = close_end - middle.start;
    let cut = |opener: usize, closer: usize| {
        let (outer, open) = before.split_at_checked(before.len().checked_sub(opener)?)?;
        let (close, rest) = after.split_at_checked(closer)?;
        let join = text.get(middle.start + closer..middle.end.checked_sub(opener)?)?;
        let (section, call) = ((outer.to_owned(), rest.to_owned()), (open.to_owned(), close.to_owned()));
        Some(Around { section, call, join: join.to_owned() })
    };
    let room = middle.len();
    let mut cuts = Vec::new();
    if opener + closer <= room {
        cuts.push(cut(opener, closer));
        // A line break may belong to what joins two calls.
        let blanks = |text: &str| text.len() - text.trim_start().len();
        let leading = blanks(&before[before.len() - opener..]);
        let trailing = after[..closer].len() - after[..closer].trim_end().len();
        if leading > 0 {
            cuts.push(cut(opener - leading, closer));
        }
        if trailing > 0 {
            cuts.push(cut(opener, closer - trailing));
        }
    } else {
        // Both want the same white space, or the same marker.
        cuts.extend([cut(room - closer.min(room), closer.min(room)), cut(opener.min(room), room - opener.min(room))]);
    }
    // A comma alone between objects joins them.
    cuts.extend([cut(0, closer.min(room)), cut(opener.min(room), 0), cut(0, 0)]);
    let mut unique: Vec<Around> = Vec::new();
    for cut in cuts.into_iter().flatten() {
        if !unique.contains(&cut) {
            unique.push(cut);
        }
    }
    unique
}

/// Returns the text without the end of the turn: first without the end of an answer without calls, then without one
/// marker after another.
pub(super) fn without_end(text: &str, end: &str, special: &[String]) -> Vec<String> {
    let alike = common_end(text.trim_end(), end.trim_end());
    let cut = whole_behind(text.trim_end(), text.trim_end().len() - alike, special);
    let mut texts = vec![text[..cut].to_owned()];
    let found = markers(text, special);
    texts.extend(found.iter().rev().take(2).map(|marker| text[..marker.start].to_owned()));
    texts.push(text.to_owned());
    let mut unique: Vec<String> = Vec::new();
    for text in texts {
        let text = text.trim_end().to_owned();
        if !text.is_empty() && !unique.contains(&text) {
            unique.push(text);
        }
    }
    unique
}
