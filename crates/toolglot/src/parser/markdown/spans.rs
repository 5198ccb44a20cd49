//! Code spans: which back quotes open and close them.

use super::begins_block;
use crate::view::{NotYet, View, is_blank};

/// The lengths of the back quote runs that opened a code span, in this paragraph and on this line; 0 outside.
///
/// A back quote may be a mistake, after which those of the next line pair up differently: either reading is possible.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spans {
    pub(super) paragraph: usize,
    pub(super) line: usize,
}

/// How far the end of a code span has been searched for: neither `length` back quotes nor the paragraph's end is before `to`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpanSearch {
    pub(super) length: usize,
    pub(super) to: usize,
}

impl Spans {
    /// A run of back quotes opens a span, or ends one of its own length.
    pub(super) fn pass_run(&mut self, run: usize) {
        for span in [&mut self.paragraph, &mut self.line] {
            *span = match *span {
                0 => run,
                open if open == run => 0,
                open => open,
            };
        }
    }
}

impl SpanSearch {
    /// Returns whether back quotes close the span before the paragraph ends; continues the last search.
    pub(super) fn closes(&mut self, view: View<'_>) -> Result<bool, NotYet> {
        loop {
            let rest = view.rest(self.to);
            let Some(ahead) = memchr::memchr2(b'`', b'\n', rest) else {
                self.to = view.end();
                return view.final_end().map(|_| false);
            };
            self.to += ahead;
            let run = rest[ahead..].iter().take_while(|byte| **byte == b'`').count();
            if run == 0 {
                if paragraph_ends(view, self.to + 1)? {
                    return Ok(false);
                }
                self.to += 1;
                continue;
            }
            view.byte(self.to + run)?;
            if run == self.length {
                return Ok(true);
            }
            self.to += run;
        }
    }
}

/// Returns whether the paragraph ends with the line break before `at`.
fn paragraph_ends(view: View<'_>, mut at: usize) -> Result<bool, NotYet> {
    while let Some(byte) = view.byte(at)? {
        match byte {
            b'`' | b'~' => return Ok(view.byte(at + 1)? == Some(byte) && view.byte(at + 2)? == Some(byte)),
            b'\n' => return Ok(true),
            _ if is_blank(byte) => at += 1,
            _ => return Ok(begins_block(byte)),
        }
    }
    Ok(true)
}
