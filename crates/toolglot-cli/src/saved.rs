//! Saved server responses: their text is parsed, their native calls are kept.

use toolglot::{ArgumentsReader, Collector, Diagnostic, Message, Outcome};
use toolglot_wire::{Finish, Transcript, TranscriptCall, TranscriptChoice};

use crate::args::MessageFlags;
use crate::console;
use crate::failure::Failure;
use crate::options::Setup;
use crate::recorded;
use crate::tokens::{self, Piece};

/// The input: a model's text, or the text of a saved response and what the server parsed.
pub(crate) struct Given {
    pub(crate) text: Vec<u8>,
    answer: Option<TranscriptChoice>,
    /// The tokens, if the text was given as tokens.
    tokens: Option<Vec<Piece>>,
}

impl Given {
    /// Reads the selected choice of a saved response; anything else is the text itself.
    pub(crate) fn new(bytes: Vec<u8>, flags: &MessageFlags) -> Result<Self, Failure> {
        if flags.tokens {
            let (text, tokens) = tokens::read(&bytes)?;
            return Ok(Self { text, answer: None, tokens: Some(tokens) });
        }
        let Some(saved) = Some(&bytes).filter(|_| !flags.raw).and_then(|bytes| recorded::read(bytes)) else {
            return Ok(Self::of_text(bytes));
        };
        let mut note =
            format!("note: reading a saved response ({} protocol); use --raw to read the file as text", saved.protocol);
        if let Some(fault) = &saved.fault {
            note += &format!("; the response ends with an error: {}", fault.message);
        }
        if saved.alternatives.len() > 1 {
            note += &format!("; choice {} of {} (--choice)", flags.choice, saved.alternatives.len());
        }
        console::note(&note);
        Self::of_saved(saved, flags.choice).map_err(Failure::Usage)
    }

    pub(crate) fn of_text(text: Vec<u8>) -> Self {
        Self { text, answer: None, tokens: None }
    }

    /// Reads a choice of a saved response.
    pub(crate) fn of_saved(saved: Transcript, choice: usize) -> Result<Self, String> {
        let count = saved.alternatives.len();
        let answer = saved.alternatives.into_iter().nth(choice);
        if answer.is_none() && (count > 0 || choice > 0) {
            return Err(format!("no choice {choice}: the response has {count} choices, counted from 0"));
        }
        let mut answer = answer.unwrap_or_default();
        Ok(Self { text: std::mem::take(&mut answer.text).into_bytes(), answer: Some(answer), tokens: None })
    }

    /// Returns the pieces of the text: its tokens, or as split by the flag.
    pub(crate) fn pieces(&self, flags: &MessageFlags) -> Vec<Piece> {
        let cut = || flags.chunk.unwrap_or_default().cuts(&self.text).map(Piece::of_text).collect();
        self.tokens.clone().unwrap_or_else(cut)
    }

    /// Sets the saved finish reason, unless a flag does.
    pub(crate) fn setup(&self, mut setup: Setup, flags: &MessageFlags) -> Setup {
        if let Some(answer) = &self.answer {
            let finish = answer.finish.as_ref().and_then(Finish::reason);
            setup.options = setup.options.with_finish_reason(flags.finish_reason.or(finish));
        }
        setup
    }

    /// Returns the native calls, with repaired arguments.
    pub(crate) fn natives(&self, setup: &Setup) -> Vec<Native> {
        let calls = self.answer.iter().flat_map(|answer| &answer.calls);
        calls.map(|call| Native::new(call, self.text.len(), setup)).collect()
    }

    /// Returns the reasoning that the server parsed.
    pub(crate) fn reasoning(&self) -> &str {
        self.answer.as_ref().map_or("", |answer| &answer.reasoning)
    }

    /// Adds the reasoning that the server parsed.
    pub(crate) fn add_reasoning(&self, message: &mut Message) {
        if let Some(answer) = &self.answer {
            // The server parsed it from the beginning of the answer.
            message.reasoning.insert_str(0, &answer.reasoning);
        }
    }
}

/// A call that the server parsed.
pub(crate) struct Native {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// Its arguments as JSON, or unchanged if they cannot be parsed.
    pub(crate) arguments: String,
    pub(crate) outcome: Outcome,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Native {
    /// `end` is the end of the text, the position of all diagnostics of native calls.
    fn new(call: &TranscriptCall, end: usize, setup: &Setup) -> Self {
        let mut arguments = String::new();
        let mut reader = ArgumentsReader::new(&setup.dialects, &setup.tools, &call.name, &setup.options);
        reader.push(&call.arguments, &mut arguments);
        let read = reader.finish(&mut arguments);
        let mut diagnostics = read.diagnostics;
        for found in &mut diagnostics {
            found.message = format!("in the native call of `{}`: {}", call.name, found.message);
            found.span = end..end;
        }
        let arguments = if read.outcome == Outcome::Broken { call.arguments.clone() } else { arguments };
        Self { id: call.id.clone(), name: call.name.clone(), arguments, outcome: read.outcome, diagnostics }
    }

    pub(crate) fn add_to(self, collector: &mut Collector) {
        self.diagnostics.into_iter().for_each(|found| collector.add_diagnostic(found));
        collector.add_native(self.id, self.name, self.arguments, self.outcome);
    }
}
