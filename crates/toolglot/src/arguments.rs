//! The arguments of a call to a known tool, parsed as they arrive.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialects;
use crate::event::Outcome;
use crate::json::{Context, Ended, JsonReader, NoMarkers, ValueOutcome, ValuePosition};
use crate::options::{FinishReason, Options};
use crate::parser::Input;
use crate::repair::repair;
use crate::sink::Sink;
use crate::tool::Tools;

/// Parses the arguments string of a native call piece by piece, for servers that stream it.
///
/// Emits JSON as soon as it is certain. Valid JSON that fits the tool is unchanged; anything else is repaired and
/// converted like the arguments of a call in text. Text that cannot be parsed as one object while it arrives is kept,
/// and given to [`repair`] when it is complete.
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
    /// Only the tool, if it is declared.
    tool: Tools,
    options: Options,
    input: Input,
    sink: Sink,
    reader: JsonReader,
    diagnostics: Vec<Diagnostic>,
    /// Where the object ended.
    end: Option<ValueOutcome>,
    /// All text so far, until something has been emitted.
    kept: Option<String>,
    /// The text after the object.
    rest: String,
    /// With fewer bytes than this nothing new can be decided.
    wake: usize,
}

/// The result of parsing the arguments of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentsEnd {
    /// How they ended. If they are complete or repaired, the emitted text is one JSON object; otherwise it is not valid
    /// JSON, since nothing is closed that the text left open.
    pub outcome: Outcome,
    /// Repairs, or the reason of the failure; spans count bytes of the arguments string.
    pub diagnostics: Vec<Diagnostic>,
    /// The text after the object, without surrounding white space; often the arguments of another call.
    pub rest: String,
}

impl ArgumentsReader {
    /// Returns a reader for a call to the tool `name`, which need not be declared in `tools`.
    pub fn new(dialects: &Dialects, tools: &Tools, name: &str, options: &Options) -> Self {
        let tool = tools.only_named(name);
        let node = tool.only().and_then(|tool| tool.schema.as_ref()).map(|schema| schema.root().id());
        Self {
            dialects: dialects.clone(),
            tool,
            sink: Sink::in_call(options.allowed_repairs()),
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

    /// Parses the next piece, and appends the JSON that is now certain to `out`.
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

    /// Sets the server's finish reason, which may be known only at the end. If it is a limit, only text that has turned out
    /// to be JSON is parsed: other text may have been truncated.
    pub fn set_finish_reason(&mut self, reason: Option<FinishReason>) {
        self.options.finish_reason = reason;
    }

    /// Returns whether the object has been read to its end.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| end.how == Ended::Complete)
    }

    /// Ends the arguments, and appends the rest to `out`; the closing brace only if the arguments are finished.
    pub fn finish(mut self, out: &mut String) -> ArgumentsEnd {
        self.input.closed = true;
        self.wake = 0;
        self.advance(out);
        let how = self.end.map_or(Ended::Broken, |end| end.how);
        match self.kept.take() {
            Some(_) if self.options.is_cut() => self.ended(Ended::Truncated, out),
            Some(whole) => self.repaired(&whole, how, out),
            None => self.ended(how, out),
        }
    }

    /// Continues if enough bytes have arrived; undecided text is retried when it has grown by an eighth.
    fn advance(&mut self, out: &mut String) {
        if self.input.end() < self.wake || self.end.is_some() {
            return;
        }
        if self.may_be_a_call() {
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

    /// Returns whether the text may be a whole call instead of its arguments: its first key, so far, is a call's key and
    /// not a parameter. Such a text is parsed when it is complete.
    fn may_be_a_call(&self) -> bool {
        let (Some(kept), Some(tool)) = (&self.kept, self.tool.only()) else { return false };
        let Some(schema) = tool.schema.as_ref() else { return false };
        let end = (0..=CALL_HEAD.min(kept.len())).rev().find(|end| kept.is_char_boundary(*end));
        let head = &kept[..end.unwrap_or_default()];
        let Some(inside) = head.trim_start().strip_prefix('{').map(str::trim_start) else { return false };
        let Some(key) = inside.strip_prefix('"').or(inside.is_empty().then_some("")) else { return false };
        let undeclared = |key: &str| schema.root().is_undeclared(key);
        match key.split_once('"') {
            Some((key, _)) => CALL_KEYS.contains(&key) && undeclared(key),
            None => !self.input.closed && CALL_KEYS.iter().any(|known| known.starts_with(key) && undeclared(known)),
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

    fn ended(mut self, how: Ended, out: &mut String) -> ArgumentsEnd {
        self.sink.note(match how {
            Ended::Complete => Outcome::Complete,
            Ended::Cut => Outcome::Repaired,
            Ended::Truncated => Outcome::Truncated,
            Ended::Broken => Outcome::Broken,
        });
        self.sink.call_end(None, 0);
        self.hand_out(out);
        let outcome = self.sink.worst();
        let mut end = ArgumentsEnd { outcome, diagnostics: self.diagnostics, rest: self.rest.trim().to_owned() };
        let extra = end.rest.trim_matches(['}', ']', ' ', '\t', '\r', '\n']).is_empty();
        if outcome.is_call() && !end.rest.is_empty() && extra && self.options.repairs.allow(Code::ExtraCloser) {
            let at = self.end.map_or(0, |end| end.at);
            let message = format!("dropped `{}`, which closes nothing", end.rest);
            end.diagnostics.push(Diagnostic::new(Code::ExtraCloser, at..at, message));
            (end.outcome, end.rest) = (Outcome::Repaired, String::new());
        }
        end
    }

    /// Parses a whole string of which nothing has been emitted.
    fn repaired(&self, whole: &str, how: Ended, out: &mut String) -> ArgumentsEnd {
        let found = repair(whole, &self.dialects, &self.tool, &self.options);
        let outcome = match (&found.arguments, how) {
            (Some(_), _) if found.diagnostics.iter().any(|found| found.code.is_repair()) => Outcome::Repaired,
            (Some(_), _) => Outcome::Complete,
            (None, Ended::Truncated) => Outcome::Truncated,
            (None, _) => Outcome::Broken,
        };
        out.push_str(found.arguments.as_deref().unwrap_or_default());
        ArgumentsEnd { outcome, diagnostics: found.diagnostics, rest: String::new() }
    }
}

/// The first key of a call is within this many bytes.
const CALL_HEAD: usize = 64;

/// The first keys of calls; any other first key is a parameter.
const CALL_KEYS: [&str; 4] = ["name", "function", "tool", "tool_name"];

#[cfg(test)]
mod tests;
