//! The scanner's Markdown state: whether it is at a line's start, in a fence, in a code span.

use super::bytes::SHORT;
use crate::view::{NotYet, View, is_blank, is_blank_char};
use spans::{SpanSearch, Spans};

mod spans;

/// The effect of the text so far on the next byte. Updated while text passes, never recomputed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkdownState {
    before: TextBefore,
    /// Only blanks, quote and list marks since the last line break: a fence may be here.
    fence_start: bool,
    fence: Fence,
    pub(super) ignores_fences: bool,
    spans: Spans,
    /// The run of fence marks at the end of the text so far.
    run: MarkRun,
    sought: SpanSearch,
}

/// The text before a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextBefore {
    /// Words on the same line.
    #[default]
    Words,
    /// Only blanks since the last line break.
    LineBreak,
    /// Only blanks since the start, a call, a region or a skipped literal.
    Nothing,
}

/// A Markdown fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fence {
    #[default]
    Closed,
    /// Opened by `length` marks; `fresh` if nothing stood before it.
    Open { mark: u8, length: usize, fresh: bool },
}

/// A run of back quotes or tildes.
#[derive(Clone, Copy, Debug, Default)]
struct MarkRun {
    mark: u8,
    length: usize,
    at_line_start: bool,
    fresh: bool,
}

/// The effect of the surrounding text on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    None,
    /// In a code span, or in a fence after prose: never a call.
    Quoted,
    /// In the fence that opens the turn: a call if its markers are strong.
    OpeningFence,
}

impl MarkdownState {
    /// Returns the state at the start of a message.
    pub(crate) fn start() -> Self {
        Self { before: TextBefore::Nothing, fence_start: true, ..Self::default() }
    }

    /// Resets the state to that after a call or a region.
    pub(crate) fn refresh(&mut self) {
        self.end_run();
        (self.before, self.fence_start, self.spans) = (TextBefore::Nothing, true, Spans::default());
    }

    pub(crate) fn text_before(&self) -> TextBefore {
        self.before
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.before == TextBefore::Nothing
    }

    /// Returns whether a weak opener may be here.
    pub(crate) fn is_line_start(&self) -> bool {
        self.before != TextBefore::Words
    }

    /// Returns whether passing words changes nothing here.
    pub(crate) fn is_amid_line(&self) -> bool {
        !self.is_line_start() && !self.fence_start && self.run.length == 0
    }

    /// Returns whether neither a fence nor a code span is open here, nor a run of marks may open one.
    pub(crate) fn is_unquoted(&self) -> bool {
        self.fence == Fence::Closed && self.spans.paragraph == 0 && self.spans.line == 0 && self.run.length == 0
    }

    /// Returns whether, in the middle of a line, nothing in `text` changes the state if a fence quotes it.
    pub(crate) fn is_quoted_words(&self, text: &[u8]) -> bool {
        let quoted = matches!(self.fence, Fence::Open { fresh: false, .. });
        quoted && !text.contains(&b'\n') && next_mark(text).is_none()
    }

    /// Returns the run of marks at a line's start with which the text ended, if it may become a fence.
    pub(crate) fn fence_mark(&self) -> Option<u8> {
        (self.run.length > 0 && self.run.at_line_start).then_some(self.run.mark)
    }

    /// Returns whether a byte continues the run of marks with which the text ended: nothing begins there.
    pub(crate) fn is_amid_run(&self, byte: u8) -> bool {
        self.run.length > 0 && self.run.mark == byte
    }

    /// Returns where the back quotes that close the current code span are, once it is known to quote the text here; `None`
    /// in a fence.
    pub(crate) fn span_end(&self) -> Option<usize> {
        (!self.is_in_fence()).then_some(self.sought.to)
    }

    /// Treats the open fence or code span as none.
    pub(crate) fn leave_quotes(&mut self) {
        (self.fence, self.spans, self.run) = (Fence::Closed, Spans::default(), MarkRun::default());
    }

    /// Returns whether a fence that opened after text quotes the text here: nothing begins before it closes.
    pub(crate) fn is_in_fence(&self) -> bool {
        let mut fence = self.fence;
        if self.run.length > 0 {
            let mut over = *self;
            over.end_run();
            fence = over.fence;
        }
        matches!(fence, Fence::Open { fresh: false, .. })
    }

    /// Processes a call that is text as a whole: marks in its values open nothing after it.
    pub(crate) fn pass_whole(&mut self, call: &[u8]) {
        self.end_run();
        self.fence_start = call.ends_with(b"\n");
        self.before = if self.fence_start { TextBefore::LineBreak } else { TextBefore::Words };
    }

    /// Processes plain text.
    pub(crate) fn pass(&mut self, text: &[u8]) {
        let (mut rest, mut last_line) = (text, false);
        while let Some(at) = next_mark(rest) {
            self.pass_lines(&rest[..at]);
            rest = &rest[at..];
            // In the middle of a line marks are edges of code spans and nothing else.
            if !last_line && !self.fence_start && self.run.length == 0 {
                rest = &rest[self.pass_spans(rest)..];
                last_line = rest[0] != b'\n';
            }
            if rest[0] != b'\n' {
                self.pass_mark(rest[0]);
                rest = &rest[1..];
            }
        }
        self.pass_lines(rest);
    }

    /// Processes the edges of code spans up to the end of their line, or the last mark of a line that may continue; returns how
    /// far that is.
    fn pass_spans(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        loop {
            let run = text[at..].iter().take_while(|byte| **byte == b'`').count();
            let behind = at + run.max(1);
            let Some(ahead) = text.get(behind..).and_then(|rest| memchr::memchr2(b'`', b'\n', rest)) else { return at };
            self.before = TextBefore::Words;
            if run > 0 && self.fence == Fence::Closed {
                self.spans.pass_run(run);
            }
            at = behind + ahead;
            if text[at] == b'\n' {
                return at;
            }
        }
    }

    /// Processes text as far as a fence quotes it; returns how far that is.
    #[inline]
    pub(crate) fn pass_fence(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        while self.is_in_fence() {
            let Some(ahead) = next_mark(&text[at..]) else {
                self.pass_lines(&text[at..]);
                return text.len();
            };
            self.pass_lines(&text[at..at + ahead]);
            at += ahead;
            let mark = text[at];
            while text.get(at) == Some(&mark) {
                self.pass_mark(mark);
                at += 1;
            }
        }
        at
    }

    /// Returns whether the text at `at`, the end of the text so far, is quoted.
    pub(crate) fn quoting(&mut self, view: View<'_>, at: usize) -> Result<Quoting, NotYet> {
        let (mut here, mut behind) = (*self, at);
        if here.run.mark == b'`' && !here.run.at_line_start {
            // The edge of a code span is the whole run, also where something opens in the middle of it.
            while view.byte(behind)? == Some(b'`') {
                behind += 1;
            }
            here.run.length += behind - at;
        }
        here.end_run();
        match here.fence {
            Fence::Open { fresh: true, .. } => return Ok(Quoting::OpeningFence),
            Fence::Open { .. } => return Ok(Quoting::Quoted),
            Fence::Closed => {}
        }
        // Over a line break a span may be a slip: what begins a line is not taken for a part of it.
        let span = if here.spans.paragraph == 0 { here.spans.line } else { here.spans.paragraph };
        if span == 0 || here.is_line_start() {
            return Ok(Quoting::None);
        }
        // What was sought for something before is not sought again: many things may open in one line.
        if self.sought.length != span || self.sought.to < behind {
            self.sought = SpanSearch { length: span, to: behind };
        }
        Ok(if self.sought.closes(view)? { Quoting::Quoted } else { Quoting::None })
    }

    /// Processes text without marks: only its last line affects the state after it.
    fn pass_lines(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.end_run();
        if self.spans.paragraph != 0 && ends_paragraph(self.is_line_start(), text) {
            self.spans.paragraph = 0;
        }
        if self.before == TextBefore::Nothing && !is_blank_text(text) {
            self.before = TextBefore::LineBreak;
        }
        let line = match last_line_break(text) {
            Some(end) => {
                (self.fence_start, self.spans.line) = (true, 0);
                self.before = self.before.max(TextBefore::LineBreak);
                &text[end + 1..]
            }
            None => text,
        };
        if self.before == TextBefore::LineBreak && !is_blank_text(line) {
            self.before = TextBefore::Words;
        }
        self.fence_start = self.fence_start && line.iter().all(may_lead);
    }

    fn pass_mark(&mut self, mark: u8) {
        if self.run.mark == mark {
            self.run.length += 1;
        } else {
            self.end_run();
            self.run = MarkRun { mark, length: 1, at_line_start: self.fence_start, fresh: self.is_fresh() };
        }
        (self.before, self.fence_start) = (TextBefore::Words, false);
    }

    /// Ends a run of marks: it was a fence, a code span's edge, or nothing.
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        match (run.length, self.fence) {
            (0, _) => {}
            (length @ 3.., Fence::Closed) if run.at_line_start && !self.ignores_fences => {
                self.fence = Fence::Open { mark: run.mark, length, fresh: run.fresh };
                self.spans = Spans::default();
            }
            (closing, Fence::Open { mark, length, fresh })
                if run.at_line_start && mark == run.mark && closing >= length =>
            {
                self.fence = Fence::Closed;
                // A fence with nothing but calls is no text before another.
                self.before = if fresh && run.fresh { TextBefore::Nothing } else { self.before };
            }
            (length, Fence::Closed) if run.mark == b'`' => self.spans.pass_run(length),
            _ => {}
        }
    }
}

/// Returns whether the paragraph ends in text without marks: at a blank line, or where another block begins.
fn ends_paragraph(line_start: bool, text: &[u8]) -> bool {
    let ends = |line: &[u8]| {
        let first = line.iter().find(|byte| !is_blank(**byte) || **byte == b'\n');
        first.is_some_and(|first| *first == b'\n' || begins_block(*first))
    };
    line_start && ends(text) || memchr::memchr_iter(b'\n', text).any(|end| ends(&text[end + 1..]))
}

/// Returns whether a line that begins so is a heading, a list's item, a quote or a table's row.
fn begins_block(byte: u8) -> bool {
    matches!(byte, b'#' | b'-' | b'*' | b'+' | b'>' | b'|')
}

/// Returns whether a fence begins a text.
pub(crate) fn opens_fence(text: &[u8]) -> bool {
    text.starts_with(b"```") || text.starts_with(b"~~~")
}

/// Returns whether a text is white space, visible or not.
fn is_blank_text(text: &[u8]) -> bool {
    match text.iter().find(|byte| !is_blank(**byte)) {
        Some(byte) if !byte.is_ascii() => str::from_utf8(text).is_ok_and(|text| text.chars().all(is_blank_char)),
        seen => seen.is_none(),
    }
}

/// Returns whether a fence may follow a byte on its line: in a quote, in a list.
fn may_lead(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9')
}

/// Returns where the next mark of a fence or code span is.
fn next_mark(text: &[u8]) -> Option<usize> {
    if text.len() < SHORT {
        return text.iter().position(|byte| matches!(byte, b'`' | b'~'));
    }
    memchr::memchr2(b'`', b'~', text)
}

fn last_line_break(text: &[u8]) -> Option<usize> {
    if text.len() < SHORT {
        return text.iter().rposition(|byte| *byte == b'\n');
    }
    memchr::memrchr(b'\n', text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 8] = [
        "see `a` and ``b`c``:\n```ts\nlet a = `x`;\n> ```\n~~~\n  ```\nso `that` is\n",
        "> 1. ~~~~\n~~~\n`` ` ``\n~~~~ <tool>\n",
        "```\nfirst\n```\n\n- ```x\n````y\nend",
        "a `span\nopen `",
        "\r`\n",
        "~~~```\n``\n~~~\n",
        "a\n``` `` `\n```",
        "a `b\nc` d `e\n\n` f `g\n- h` i ``j\n`` k `l\n```\n` m\n",
    ];

    fn after(pieces: &[&str]) -> MarkdownState {
        let mut place = MarkdownState::start();
        pieces.iter().for_each(|piece| place.pass(piece.as_bytes()));
        place
    }

    #[test]
    fn the_place_is_the_same_however_text_goes_by() {
        for text in TEXTS {
            let bytes: Vec<&str> = text.split("").filter(|byte| !byte.is_empty()).collect();
            for end in 0..=text.len() {
                let singly = format!("{:?}", after(&bytes[..end]));
                for cut in 0..=end {
                    assert_eq!(format!("{:?}", after(&[&text[..cut], &text[cut..end]])), singly, "{end} of {text:?}");
                }
            }
        }
    }

    /// Asks at every place of a text what is quoted there; `pushed` bytes come at a time.
    fn quotings(text: &str, pushed: usize, forgets: bool) -> Vec<Quoting> {
        let mut place = MarkdownState::start();
        let mut ends = (pushed..).step_by(pushed).map(|end| end.min(text.len()));
        let mut end = ends.next().unwrap_or_default();
        let mut asked = |at: usize| {
            place.pass(&text.as_bytes()[at.saturating_sub(1)..at]);
            loop {
                if forgets {
                    place.sought = SpanSearch::default();
                }
                if end >= at
                    && let Ok(quoting) = place.quoting(View::new(&text[..end], 0, end == text.len()), at)
                {
                    return quoting;
                }
                end = ends.next().unwrap_or_default();
            }
        };
        (0..text.len()).map(&mut asked).collect()
    }

    #[test]
    fn the_end_of_a_span_is_the_same_however_often_it_is_sought() {
        for text in TEXTS.iter().chain(&["a ` b `` c ``` d `` e ` f ```` g `", "a `b` `c"]) {
            let once = quotings(text, text.len(), true);
            for pushed in 1..=text.len() {
                assert_eq!(quotings(text, pushed, false), once, "{pushed} of {text:?}");
            }
        }
    }

    #[test]
    fn what_was_sought_for_one_span_says_nothing_of_another() {
        let text = "a `` <call> b ` c ` d\n";
        let (view, mut place) = (View::whole(text), MarkdownState::start());
        place.pass(b"a `` ");
        assert_eq!(place.quoting(view, 5), Ok(Quoting::None));
        place.refresh();
        place.pass(b" b ` ");
        assert_eq!(place.quoting(view, 16), Ok(Quoting::Quoted));
    }

    #[test]
    fn the_edge_of_a_span_is_its_whole_run() {
        for (text, quoting) in [("a ``` b `` c", Quoting::None), ("a ``` b ``` c", Quoting::Quoted)] {
            for at in 3..6 {
                let mut place = after(&[&text[..at]]);
                assert_eq!(place.quoting(View::whole(text), at), Ok(quoting), "{at} of {text:?}");
            }
        }
    }

    #[test]
    fn a_span_continues_over_a_line_break() {
        for (text, quoted) in [
            ("a `b\nc` d", true),
            ("a `b\n  c\nd` e", true),
            ("a `b\n\nc` d", false),
            ("a `b\n - c` d", false),
            ("a `b\n```\nc` d", false),
            ("a `b\nc", false),
        ] {
            let mut place = after(&[&text[..4]]);
            let expected = if quoted { Quoting::Quoted } else { Quoting::None };
            assert_eq!(place.quoting(View::whole(text), 4), Ok(expected), "{text:?}");
        }
        let (text, mut place) = ("a `b\n c` d", after(&["a `b\n "]));
        assert_eq!(place.quoting(View::whole(text), 6), Ok(Quoting::None), "what begins a line");
    }

    #[test]
    fn a_fence_is_passed_up_to_its_end() {
        for text in TEXTS {
            for start in (0..text.len()).filter(|start| after(&[&text[..*start]]).is_in_fence()) {
                let mut place = after(&[&text[..start]]);
                let end = start + place.pass_fence(&text.as_bytes()[start..]);
                assert_eq!(format!("{place:?}"), format!("{:?}", after(&[&text[..end]])));
                let bytes = text.as_bytes();
                // A run that closes the fence may be longer than it need be.
                let quoted = |at: usize| after(&[&text[..at]]).is_in_fence() || bytes[at] == bytes[at - 1];
                assert!((start..end).all(quoted), "{start} to {end} of {text:?}");
                assert!(end == text.len() || !place.is_in_fence());
            }
        }
    }
}
