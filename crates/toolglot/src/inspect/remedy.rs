//! Why there is no call, with a change that would produce one: each change is tried before it is suggested.

use std::ops::Range;

use crate::diagnostic::Code;
use crate::dialect::{Dialect, Dialects};
use crate::message::Message;
use crate::near_miss::{MissReason, NearMiss, near_miss, undeclared};
use crate::options::{CallsInReasoning, Evidence, FinishReason, Options, UnknownTool, Validation};
use crate::parse;
use crate::tool::Tools;

use super::own_file;

/// Why there is no call, or why one is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhyNot {
    /// The reason; `None` if nothing in the text looks like a call.
    pub reason: Option<MissReason>,
    /// The reason in words.
    pub message: String,
    /// The bytes that it concerns.
    pub span: Range<usize>,
    /// Changes that would make it a call.
    pub fix: Option<Remedy>,
}

/// A change with which a text has one more call; if it takes two changes, the first is a tool to declare.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// `tools` for a tool to declare, `dialect` for one to add, `file` for a new dialect file, or the name of an option.
    pub kind: &'static str,
    /// The name of the tool, dialect or choice; for `file`, the file's text.
    pub value: String,
}

/// Returns why a message has no call, and why each unfinished call is not finished.
pub(super) fn why(
    input: &[u8],
    message: &Message,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> Vec<WhyNot> {
    let text = String::from_utf8_lossy(input);
    let case = UnreadCall { text: &text, calls: message.calls.len(), dialects, tools, options };
    if message.calls.is_empty() {
        if let Some(miss) = near_miss(&text, message, dialects, tools, options) {
            return vec![case.tell(miss)];
        }
        let miss = undeclared(&text, message, dialects, options).filter(|_| tools.is_empty());
        let why = miss.map(undeclared_tool).or_else(|| case.named());
        return vec![why.unwrap_or_else(|| nothing(input.len()))];
    }
    let unfinished = |code, reason| {
        message.diagnosed(code).map(move |found| NearMiss { reason, diagnostic: found.clone(), tool: None })
    };
    let cut_off = unfinished(Code::Truncated, MissReason::CutOff);
    cut_off.chain(unfinished(Code::Broken, MissReason::Broken)).map(|miss| case.tell(miss)).collect()
}

/// Faults that need a declared tool and something else: the tool is the first step.
fn undeclared_tool(miss: NearMiss) -> WhyNot {
    let (message, span) = (miss.diagnostic.message, miss.diagnostic.span);
    let fix = miss.tool.map(|value| Remedy { kind: "tools", value });
    WhyNot { reason: Some(miss.reason), message, span, fix }
}

fn nothing(end: usize) -> WhyNot {
    WhyNot { reason: None, message: "nothing in the text looks like a call".to_owned(), span: 0..end, fix: None }
}

/// A text with a call that was not read, and the settings with which it was parsed.
struct UnreadCall<'c> {
    text: &'c str,
    calls: usize,
    dialects: &'c Dialects,
    tools: &'c Tools,
    options: &'c Options,
}

impl UnreadCall<'_> {
    fn tell(&self, miss: NearMiss) -> WhyNot {
        let fix = self.options(miss.reason).or_else(|| self.tool(&miss)).or_else(|| self.dialect(&miss));
        let fix = fix.or_else(|| self.file(&miss));
        let (message, span) = (miss.diagnostic.message, miss.diagnostic.span);
        WhyNot { reason: Some(miss.reason), message, span, fix }
    }

    /// Tries the options that concern a reason.
    fn options(&self, reason: MissReason) -> Option<Remedy> {
        let now = || self.options.clone();
        let wait = ("reasoning", CallsInReasoning::Wait.name(), now().with_calls_in_reasoning(CallsInReasoning::Wait));
        let end = ("reasoning", CallsInReasoning::End.name(), now().with_calls_in_reasoning(CallsInReasoning::End));
        let stop = ("finish_reason", "stop", now().with_finish_reason(Some(FinishReason::Stop)));
        let tries = match reason {
            MissReason::CutOff => vec![stop, ("accept_incomplete", "true", now().with_accept_incomplete(true))],
            MissReason::Broken => vec![
                ("validation", Validation::Lenient.name(), now().with_validation(Validation::Lenient)),
                ("repairs", "safe", now().with_repairs(crate::Repairs::default())),
                ("repairs", "all", now().with_repairs(crate::Repairs::all())),
            ],
            MissReason::InReasoning => vec![("reasoning_open", "false", now().with_reasoning_open(false)), wait, end],
            MissReason::WeakMarker | MissReason::InCode => {
                vec![("evidence", Evidence::Eager.name(), now().with_evidence(Evidence::Eager))]
            }
            MissReason::UnknownName => {
                vec![("unknown_tool", UnknownTool::Call.name(), now().with_unknown_tool(UnknownTool::Call))]
            }
            _ => Vec::new(),
        };
        let works = tries.into_iter().find(|(_, _, options)| self.works(self.dialects, self.tools, options))?;
        Some(Remedy { kind: works.0, value: works.1.to_owned() })
    }

    fn tool(&self, miss: &NearMiss) -> Option<Remedy> {
        let name = miss.tool.as_deref()?;
        let tools = self.tools.with_names([name]);
        let declares = matches!(miss.reason, MissReason::NoTools | MissReason::UnknownName);
        (declares && self.works(self.dialects, &tools, self.options))
            .then(|| Remedy { kind: "tools", value: name.to_owned() })
    }

    fn dialect(&self, miss: &NearMiss) -> Option<Remedy> {
        let name = miss.diagnostic.dialect.as_deref().filter(|_| miss.reason == MissReason::OtherDialect)?;
        let more = Dialects::builtin().get(name)?.clone();
        let dialects = self.dialects.iter().cloned().chain([more]).collect();
        self.works(&dialects, self.tools, self.options).then(|| Remedy { kind: "dialect", value: name.to_owned() })
    }

    /// Finds a declared tool's name in a text without other signs of a call.
    fn named(&self) -> Option<WhyNot> {
        let places = self.tools.names().filter_map(|name| Some((self.text.find(name)?, name)));
        let (start, name) = places.min()?;
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let fix = self.first_that_reads(own_file::from_call(&self.text[line..], self.tools));
        let message = format!("the text mentions the tool `{name}`, but not in the form of a call");
        Some(WhyNot { reason: None, message, span: start..start + name.len(), fix })
    }

    /// Tries dialect files that the caller could add.
    fn file(&self, miss: &NearMiss) -> Option<Remedy> {
        let files = match miss.reason {
            MissReason::UnknownMarker => {
                let call = self.text.get(miss.diagnostic.span.start..).unwrap_or_default();
                own_file::from_call(call, self.tools)
            }
            MissReason::WeakMarker => {
                let dialect = self.dialects.get(miss.diagnostic.dialect.as_deref()?)?;
                own_file::strong_copy(dialect).into_iter().collect()
            }
            _ => Vec::new(),
        };
        self.first_that_reads(files)
    }

    fn first_that_reads(&self, files: Vec<String>) -> Option<Remedy> {
        let reads = |file: &String| {
            let Ok(dialect) = Dialect::from_toml("mine", file) else { return false };
            self.works(&self.dialects.with(dialect), self.tools, self.options)
        };
        files.into_iter().find(reads).map(|value| Remedy { kind: "file", value })
    }

    fn works(&self, dialects: &Dialects, tools: &Tools, options: &Options) -> bool {
        parse(self.text, dialects, tools, options).calls.len() > self.calls
    }
}
