//! The arguments of a call whose tool is known already, read as they arrive.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialects;
use crate::event::Outcome;
use crate::json::{Context, Ended, JsonReader, NoMarkers, ValueOutcome, ValuePosition};
use crate::options::Options;
use crate::parser::Input;
use crate::repair::repair;
use crate::sink::Sink;
use crate::tool::Tools;

/// Reads the arguments string of a native call, piece by piece, for servers that send one in pieces.
///
/// What is certain is said at once: valid JSON that fits the tool comes out as
/// it went in, everything else repaired and converted as the arguments of a
/// call that was written as text. What cannot be read as one object while it
/// arrives is kept and read by [`repair`] when it is whole.
///
/// # Example
/// ```
/// use toolglot::{ArgumentsReader, Dialects, Options, Outcome, Tools};
/// let tools = Tools::from_json_str(r#"[{"name": "wait", "parameters": {"properties": {"days": {"type": "integer"}}}}]"#)?;
/// let mut reader = ArgumentsReader::new(&Dialects::builtin(), &tools, "wait", &Options::default());
/// let mut arguments = String::new();
/// for piece in [r#"{"da"#, r#"ys": "#, r#""3",}"#] {
///     reader.push(piece, &mut arguments);
/// }
/// let end = reader.finish(&mut arguments);
/// assert_eq!((arguments.as_str(), end.outcome), (r#"{"days": 3}"#, Outcome::Repaired));
/// # Ok::<(), toolglot::ToolsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArgumentsReader {
    dialects: Dialects,
    /// Nothing but the tool, if it is declared.
    tool: Tools,
    options: Options,
    input: Input,
    sink: Sink,
    reader: JsonReader,
    diagnostics: Vec<Diagnostic>,
    /// Where the object ended.
    end: Option<ValueOutcome>,
    /// Everything, until something of it was said.
    kept: Option<String>,
    /// What stands behind the object.
    rest: String,
    /// With fewer bytes than this nothing new can be decided.
    wake: usize,
}

/// How the arguments of a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentsEnd {
    /// What became of them. What was said is one JSON object, brackets closed, also if they were cut off; if they are
    /// broken it may be nothing.
    pub outcome: Outcome,
    /// What was done, or why it failed; spans count bytes of the string.
    pub diagnostics: Vec<Diagnostic>,
    /// What stands behind the object, blanks dropped; often the arguments of a further call.
    pub rest: String,
}

impl ArgumentsReader {
    /// Returns a reader for a call of the tool `name`, declared in `tools` or not.
    pub fn new(dialects: &Dialects, tools: &Tools, name: &str, options: &Options) -> Self {
        let tool = tools.only_named(name);
        let node = tool.only().and_then(|tool| tool.schema.as_ref()).map(|schema| schema.root().id());
        Self {
            dialects: dialects.clone(),
            tool,
            sink: Sink::new(options.allowed_repairs()),
            options: options.clone(),
            input: Input::default(),
            reader: JsonReader::new(0, ValuePosition::Arguments, node),
            diagnostics: Vec::new(),
            end: None,
            kept: Some(String::new()),
            rest: String::new(),
            wake: 0,
        }
    }

    /// Reads on and appends the JSON that is certain now.
    pub fn push(&mut self, text: &str, out: &mut String) {
        if let Some(kept) = &mut self.kept {
            kept.push_str(text);
        }
        match self.end {
            Some(_) => self.rest.push_str(text),
            None => {
                self.input.push(text);
                self.advance(out);
            }
        }
    }

    /// Ends the arguments and appends what was still open.
    pub fn finish(mut self, out: &mut String) -> ArgumentsEnd {
        self.input.close();
        self.wake = 0;
        self.advance(out);
        let how = self.end.map_or(Ended::Broken, |end| end.how);
        match self.kept.take() {
            Some(whole) => self.repaired(&whole, how, out),
            None => self.ended(how),
        }
    }

    /// Reads on if enough has arrived to decide more; what is undecided is looked at again when it has grown by an eighth.
    fn advance(&mut self, out: &mut String) {
        if self.input.end() < self.wake || self.end.is_some() {
            return;
        }
        let schema = self.tool.only().and_then(|tool| tool.schema.as_ref());
        let context = Context { markers: &NoMarkers, schema, options: &self.options, quote: None, given: None };
        self.end = self.reader.resume(self.input.view(), &context, &mut self.sink).ok();
        if let Some(end) = self.end {
            self.rest.push_str(self.input.view().slice(end.at, self.input.end()));
        }
        self.hand_out(out);
        let (end, anchor) = (self.input.end(), self.reader.anchor());
        self.wake = end + 1 + end.saturating_sub(anchor) / 8;
        if self.input.is_long() {
            self.input.forget(anchor);
        }
    }

    fn hand_out(&mut self, out: &mut String) {
        if !self.sink.words.is_empty() {
            out.push_str(&self.sink.words);
            self.kept = None;
        }
        self.diagnostics.append(&mut self.sink.diagnostics);
        self.sink.clear();
    }

    fn ended(mut self, how: Ended) -> ArgumentsEnd {
        self.sink.call_end(None, 0);
        let outcome = match how {
            Ended::Complete => self.sink.worst(),
            Ended::Cut => self.sink.worst().max(Outcome::Repaired),
            Ended::Truncated => Outcome::Truncated,
            Ended::Broken => Outcome::Broken,
        };
        let mut end = ArgumentsEnd { outcome, diagnostics: self.diagnostics, rest: self.rest.trim().to_owned() };
        let extra = end.rest.trim_matches(['}', ']', ' ', '\t', '\r', '\n']).is_empty();
        if outcome.is_call() && !end.rest.is_empty() && extra && self.options.repairs.allow(Code::ExtraCloser) {
            let at = self.end.map_or(0, |end| end.at);
            let message = format!("dropped `{}`, which closes nothing", end.rest);
            end.diagnostics.push(Diagnostic { code: Code::ExtraCloser, span: at..at, message, dialect: None });
            (end.outcome, end.rest) = (Outcome::Repaired, String::new());
        }
        end
    }

    /// Reads a whole string of which nothing has been said.
    fn repaired(&self, whole: &str, how: Ended, out: &mut String) -> ArgumentsEnd {
        let found = repair(whole, &self.dialects, &self.tool, &self.options);
        let outcome = match (&found.arguments, how) {
            (Some(_), _) => Outcome::Repaired,
            (None, Ended::Truncated) => Outcome::Truncated,
            (None, _) => Outcome::Broken,
        };
        out.push_str(found.arguments.as_deref().unwrap_or_default());
        ArgumentsEnd { outcome, diagnostics: found.diagnostics, rest: String::new() }
    }
}

#[cfg(test)]
mod tests;
