//! One check for every case: whole, at every split, byte by byte; with repairs on and off.

use super::{
    Context, Ended, JsonReader, Markers, NoMarkers, ValueOutcome, ValuePosition, WholeValue, key_ahead, read_whole,
};
use crate::diagnostic::{Code, Repairs};
use crate::options::{Limits, Options};
use crate::schema::Schema;
use crate::sink::Sink;
use crate::view::{BEHIND, NotYet, View};

mod cases;
mod generated;

/// A dialect of one closer and one opener, for tests.
struct Tags;

const CLOSERS: [&str; 2] = ["</tool_call>", "</function>"];
const OPENER: &str = "<tool_call>";

impl Tags {
    fn closer(view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        for literal in CLOSERS {
            if view.starts_with(at, literal)? {
                return Ok(Some(at + literal.len()));
            }
        }
        Ok(None)
    }
}

impl Markers for Tags {
    fn stop(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        match Self::closer(view, at)? {
            None if view.starts_with(at, OPENER)? => Ok(Some(at + OPENER.len())),
            found => Ok(found),
        }
    }

    fn first_bytes(&self) -> &[u8] {
        b"<"
    }

    fn may_begin(&self, byte: u8) -> bool {
        byte == b'<'
    }

    fn interrupts(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        Ok(self.stop(view, at)?.is_some())
    }

    fn ends_call(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let at = view.skip_blanks(at)?;
        if view.byte(at)?.is_none() {
            return Ok(Some(at));
        }
        Self::closer(view, at)
    }

    fn resume_at(&self, view: View<'_>, at: usize, _: usize) -> Result<usize, NotYet> {
        let found = memchr::memmem::find(view.rest(at), OPENER.as_bytes());
        found.map_or_else(|| view.final_end(), |ahead| Ok(at + ahead))
    }

    fn opens(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        Ok(view.starts_with(at, OPENER)?.then_some(at + OPENER.len()))
    }

    fn closes(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        Self::closer(view, at)
    }
}

/// How one input is read.
#[derive(Clone)]
struct Setup {
    place: ValuePosition,
    quote: Option<String>,
    schema: Option<Schema>,
    options: Options,
    tags: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { place: ValuePosition::Value, quote: None, schema: None, options: Options::default(), tags: true }
    }
}

/// What a reading said.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    json: String,
    codes: Vec<(Code, usize, usize)>,
    end: ValueOutcome,
}

impl Said {
    fn names(&self) -> String {
        let names: Vec<&str> = self.codes.iter().map(|(code, ..)| code.name()).collect();
        names.join(" ")
    }
}

impl Setup {
    /// Reads an input that comes in pieces which end at the given positions.
    fn read(&self, text: &str, cuts: impl Iterator<Item = usize>) -> Said {
        let markers: &dyn Markers = if self.tags { &Tags } else { &NoMarkers };
        let context = Context {
            markers,
            schema: self.schema.as_ref(),
            options: &self.options,
            quote: self.quote.as_deref(),
            given: None,
        };
        let mut sink = Sink::new(self.options.repairs);
        let node = None;
        let mut reader = JsonReader::new(0, self.place, node);
        let mut pieces: Vec<usize> = cuts.collect();
        pieces.push(text.len());
        let mut said = None;
        for (index, cut) in pieces.iter().enumerate() {
            let anchor = reader.anchor();
            let mut kept = anchor.saturating_sub(BEHIND);
            while !text.is_char_boundary(kept) {
                kept -= 1;
            }
            let view = View::new(&text[kept..*cut], kept, index + 1 == pieces.len());
            let found = reader.resume(view, &context, &mut sink);
            assert!(reader.anchor() >= anchor, "anchors never go back");
            if let Ok(end) = found {
                said = Some(end);
                break;
            }
        }
        let codes = sink.diagnostics.iter().map(|found| (found.code, found.span.start, found.span.end)).collect();
        Said { json: sink.words.clone(), codes, end: said.expect("a closed view ends every reading") }
    }

    /// Reads an input in one piece; what comes of it is JSON if the value is whole, and only then.
    fn whole(&self, text: &str) -> Said {
        let said = self.read(text, std::iter::empty());
        let whole = matches!(said.end.how, Ended::Complete | Ended::Cut);
        // A group's value goes out before its parenthesis closes.
        let closed = is_json(&said.json) && said.json.ends_with(['"', ']', '}']);
        assert!(if whole { is_json(&said.json) } else { !closed }, "{said:?} from {text}");
        said
    }

    /// Reads an input in every way and returns what all of them said.
    fn check(&self, text: &str) -> Said {
        let whole = self.whole(text);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for &cut in &ends {
            assert_eq!(self.read(text, std::iter::once(cut)), whole, "cut at {cut}: {text}");
        }
        assert_eq!(self.read(text, ends.iter().copied()), whole, "char by char: {text}");
        whole
    }
}

fn is_json(text: &str) -> bool {
    // Lone surrogates are JSON by its grammar, though serde_json cannot hold them.
    let text = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    serde_json::from_str::<serde_json::Value>(&text).is_ok()
}
