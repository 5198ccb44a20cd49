//! White space between text and markers. Templates write it, so it is markup unless the caller sets [`Frame::Exact`].
//!
//! | white space | followed by a marker | by words | by the end |
//! |---|---|---|---|
//! | begins the message | markup | text | text |
//! | after a marker, the first words of their kind | markup | markup up to its last line break | markup |
//! | after a marker, later words | markup | text | markup |
//! | after words, from its first line break on | markup | text | text |
//!
//! The mark of a fence around the calls that begin a turn counts as white space before a call, and its end as white space after.
//! Words are text or reasoning. A message that begins with reasoning, which the prompt opened, begins after a marker.

use std::ops::Range;

use crate::sink::{StoredEvent, StoredKind};
use crate::view::{BEHIND, View};

/// Decides what white space at the edges of words is, and holds it until that is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameReader {
    edge: Edge,
    /// White space at the end of the bytes so far.
    held: Option<(Words, Range<usize>)>,
    /// The kinds of words so far.
    seen: [bool; 2],
    /// Buffer for the events of a push.
    spare: Vec<StoredEvent>,
}

/// What precedes the next byte, or the white space that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Edge {
    #[default]
    Start,
    Marker,
    /// A marker in a fence around calls, whose mark was markup.
    Fence,
    Words(Words),
}

/// The kinds of words, whose edges are tracked separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Text,
    Reasoning,
}

impl Words {
    fn of(kind: &StoredKind) -> Option<Self> {
        match kind {
            StoredKind::Text => Some(Self::Text),
            StoredKind::Reasoning => Some(Self::Reasoning),
            _ => None,
        }
    }
}

impl FrameReader {
    /// Returns the position from which bytes are still needed, if any.
    pub(crate) fn anchor(&self) -> Option<usize> {
        self.held.as_ref().map(|(_, span)| span.start)
    }

    /// Returns whether words of a kind came last and nothing is held.
    pub(crate) fn is_amid(&self, words: Words) -> bool {
        self.edge == Edge::Words(words) && self.held.is_none()
    }

    /// Passes the event of a push, if any, unless white space at an edge is involved; false if it may be. A space after a
    /// word does not count, nor does white space within a call.
    #[inline(always)]
    pub(crate) fn passes(&mut self, events: &[StoredEvent], view: View<'_>) -> bool {
        match events {
            [] | [StoredEvent { kind: StoredKind::Arguments { .. }, .. }] => true,
            [event] => self.pass(event, view),
            _ => false,
        }
    }

    #[inline(always)]
    fn pass(&mut self, event: &StoredEvent, view: View<'_>) -> bool {
        let Some(words) = Words::of(&event.kind) else {
            let stays = self.edge == Edge::Fence || matches!(event.kind, StoredKind::Diagnostic(_));
            self.edge = if stays { self.edge } else { Edge::Marker };
            return self.held.is_none();
        };
        let (start, last) = (event.span.start, event.span.end - 1);
        let is_space = |at: usize| view.byte(at).is_ok_and(|byte| byte <= Some(b' '));
        let begins = self.edge == Edge::Words(words) || !is_space(start) && view.byte(start) != Ok(Some(b'`'));
        let ends = !is_space(last) || view.byte(last) == Ok(Some(b' ')) && (last == start || !is_space(last - 1));
        let passes = begins && ends && self.held.is_none();
        if passes {
            (self.edge, self.seen[words as usize]) = (Edge::Words(words), true);
        }
        passes
    }

    /// Corrects the edges of words in the events of one push; at most `most` bytes of white space are held.
    #[inline(never)]
    pub(crate) fn settle(&mut self, out: &mut Vec<StoredEvent>, view: View<'_>, most: usize) {
        let edge = out.iter().position(|event| !self.pass(event, view)).unwrap_or(out.len());
        let mut unsettled = std::mem::take(&mut self.spare);
        unsettled.extend(out.drain(edge..));
        for event in unsettled.drain(..) {
            match (&event.kind, Words::of(&event.kind)) {
                (StoredKind::Diagnostic(_), _) => out.push(event),
                (_, Some(words)) => self.words(words, event.span, view, most, out),
                (kind, None) => {
                    self.release(matches!(kind, StoredKind::CallStart { .. }), view, out);
                    out.push(event);
                }
            }
        }
        self.spare = unsettled;
        if view.final_end().is_ok() {
            self.end(view, out);
        }
    }

    /// Passes words without the white space at their edges.
    fn words(&mut self, words: Words, mut span: Range<usize>, view: View<'_>, most: usize, out: &mut Vec<StoredEvent>) {
        if let Some((kind, held)) = self.held.take() {
            if kind == words {
                span.start = held.start;
            } else {
                // Nothing is between one kind and the other, so this is no edge.
                self.say(kind, held, out);
            }
        }
        let first = span.start + self.leading(words, view.slice(span.start, span.end));
        span.start = self.say_excess(words, span.start..first, most, out);
        if first < span.end || self.edge == Edge::Words(words) {
            let end = span.end - trailing_lines(view, &span);
            self.say_behind(words, first, span.start..end, view, out);
            span.start = end;
        }
        span.start = self.say_excess(words, span.clone(), most, out);
        self.held = (!span.is_empty()).then_some((words, span));
    }

    /// Emits words, and the lines of the frame that end before `first` in them.
    fn say_behind(
        &mut self,
        words: Words,
        first: usize,
        span: Range<usize>,
        view: View<'_>,
        out: &mut Vec<StoredEvent>,
    ) {
        let space = if self.is_frame(words) { view.slice(span.start, first) } else { "" };
        let lines = space.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        out.extend((lines > 0).then(|| markup(span.start..span.start + lines)));
        self.say(words, span.start + lines..span.end, out);
    }

    /// Emits white space that exceeds the limit; returns where the rest begins.
    #[inline]
    fn say_excess(&mut self, words: Words, mut space: Range<usize>, most: usize, out: &mut Vec<StoredEvent>) -> usize {
        while space.len() > most {
            self.say(words, space.start..space.start + most, out);
            space.start += most;
        }
        space.start
    }

    /// Returns whether line breaks before words belong to the frame.
    fn is_frame(&self, words: Words) -> bool {
        let marked = matches!(self.edge, Edge::Marker | Edge::Fence);
        (marked || self.edge == Edge::Start && words == Words::Reasoning) && !self.seen[words as usize]
    }

    fn say(&mut self, words: Words, span: Range<usize>, out: &mut Vec<StoredEvent>) {
        if span.is_empty() {
            return;
        }
        self.edge = Edge::Words(words);
        self.seen[words as usize] = true;
        match out.last_mut() {
            Some(last) if Words::of(&last.kind) == Some(words) => last.span.end = span.end,
            _ if words == Words::Text => out.push(StoredEvent { span, kind: StoredKind::Text }),
            _ => out.push(StoredEvent { span, kind: StoredKind::Reasoning }),
        }
    }

    /// Returns the length of what may belong to the frame at the beginning of words.
    fn leading(&self, words: Words, text: &str) -> usize {
        match self.edge {
            Edge::Fence if words == Words::Text => leading_fences(text, true),
            Edge::Start | Edge::Marker if words == Words::Text && !self.seen[words as usize] => {
                leading_fences(text, false)
            }
            _ => leading_space(text),
        }
    }

    /// Emits what is held before a marker: white space, and marks of fences if the marker opens a `call` or a fence is open.
    fn release(&mut self, call: bool, view: View<'_>, out: &mut Vec<StoredEvent>) {
        let mut fenced = self.edge == Edge::Fence;
        if let Some((words, held)) = self.held.take() {
            let text = view.slice(held.start, held.end);
            let marks = text.matches(FENCE).count();
            if text.contains('`') && (marks == 0 || !call && !fenced) {
                self.say_behind(words, held.start + leading_space(text), held, view, out);
            } else {
                out.push(markup(held));
                fenced ^= marks % 2 == 1;
            }
        }
        self.edge = if fenced { Edge::Fence } else { Edge::Marker };
    }

    /// The end of the input does not count as a marker.
    fn end(&mut self, view: View<'_>, out: &mut Vec<StoredEvent>) {
        if matches!(self.edge, Edge::Marker | Edge::Fence) {
            self.release(false, view, out);
        } else if let Some((words, held)) = self.held.take() {
            self.say(words, held, out);
        }
    }
}

fn markup(span: Range<usize>) -> StoredEvent {
    StoredEvent { span, kind: StoredKind::Markup }
}

fn leading_space(text: &str) -> usize {
    text.len() - text.trim_start_matches(SPACES).len()
}

/// Returns the length of white space and marks of fences at the beginning of a text. A fence that opens counts only if no words
/// are in it.
fn leading_fences(text: &str, mut fenced: bool) -> usize {
    let (mut at, mut opened) = (leading_space(text), 0);
    while let Some(end) = fence(&text[at..], fenced) {
        opened = at;
        at += end + leading_space(&text[at + end..]);
        fenced = !fenced;
    }
    if fenced && at < text.len() { opened } else { at }
}

/// Returns the length of a fence's mark and label at the beginning of a text, or of what may become one; a long one is words.
fn fence(text: &str, closes: bool) -> Option<usize> {
    let marks = text.len() - text.trim_start_matches('`').len();
    let label = text[marks..].lines().next().unwrap_or_default();
    let is_label = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let whole = marks >= FENCE.len() && is_label && (label.is_empty() || !closes);
    Some(marks + label.len()).filter(|length| *length < BEHIND && (whole || marks > 0 && marks == text.len()))
}

const FENCE: &str = "```";

/// Returns the length of the white space at the end, from its first line break on.
fn trailing_lines(view: View<'_>, span: &Range<usize>) -> usize {
    let text = view.slice(span.start, span.end);
    let space = &text[text.trim_end_matches(SPACES).len()..];
    space.find(['\n', '\r']).map_or(0, |at| space.len() - at)
}

const SPACES: [char; 4] = [' ', '\t', '\n', '\r'];
