//! Bare arguments instead of a call, which some servers and models write if `tool_choice` names the tool.

use toolglot::{Class, Code, Diagnostic, parse, repair};

use crate::demand::{Demand, HeldStart};
use crate::normalize::AnswerSettings;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent};

/// The number of the call, which is the only one.
const CALL: usize = 0;

/// Holds back the text of an answer while it may be the arguments of the required tool.
#[derive(Debug)]
pub(crate) struct BareArguments {
    tool: String,
    settings: AnswerSettings,
    /// The text so far.
    text: String,
}

impl BareArguments {
    /// Returns a reader for the answer to a request that requires a call of a single tool.
    pub(crate) fn new(settings: &AnswerSettings) -> Option<Self> {
        let mut names = settings.asked.tools.names();
        let tool = match settings.asked.demand.as_ref()? {
            Demand::Named(name) => names.find(|declared| declared == name)?,
            Demand::Call => names.next().filter(|_| settings.asked.tools.len() == 1)?,
        };
        Some(Self { tool: tool.to_owned(), settings: settings.clone(), text: String::new() })
    }

    /// Returns whether the text may still be arguments.
    fn is_open(&self) -> bool {
        let start = self.text.trim_start();
        (start.is_empty() || start.starts_with('{')) && !self.settings.limits.is_too_much_held(self.text.len())
    }

    /// Returns whether the text is the arguments of the tool: one object that matches the schema, and not a call.
    fn is_arguments(&self) -> bool {
        let AnswerSettings { dialects, asked, options, .. } = &self.settings;
        let text = self.text.trim();
        let fits = || {
            let found = repair(text, dialects, &asked.tools.only_named(&self.tool), options);
            let suits = |found: &Diagnostic| found.code.row().class != Class::Value || found.code == Code::Coerced;
            found.arguments.is_some() && found.diagnostics.iter().all(suits)
        };
        text.starts_with('{') && parse(text, dialects, &asked.tools, options).calls.is_empty() && fits()
    }

    fn flush(&mut self, out: &mut Vec<ResponseEvent>) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            out.push(ResponseEvent::first(Part::Text(text)));
        }
    }
}

impl HeldStart for BareArguments {
    fn push(&mut self, event: ResponseEvent, out: &mut Vec<ResponseEvent>) -> bool {
        let part = match event {
            ResponseEvent::Part { choice: 0, part } => part,
            ResponseEvent::End | ResponseEvent::Fault(_) => {
                self.flush(out);
                out.push(event);
                return true;
            }
            other => {
                out.push(other);
                return false;
            }
        };
        match part {
            Part::Text(text) => {
                self.text.push_str(&text);
                let is_open = self.is_open();
                if !is_open {
                    self.flush(out);
                }
                return !is_open;
            }
            Part::Reasoning(_) | Part::Logprobs(_) | Part::Own(_) => {
                out.push(ResponseEvent::first(part));
                return false;
            }
            Part::Finish(ref finish) if !finish.is_cut() && self.is_arguments() => {
                let text = std::mem::take(&mut self.text);
                let (name, kind) = (self.tool.clone(), CallKind::Function);
                out.push(ResponseEvent::first(Part::CallStart { call: CALL, id: None, name, kind }));
                out.push(ResponseEvent::first(Part::Arguments { call: CALL, text }));
                out.push(ResponseEvent::first(Part::CallEnd { call: CALL }));
                out.push(ResponseEvent::first(Part::Finish(Finish::ToolCalls)));
            }
            part => {
                self.flush(out);
                out.push(ResponseEvent::first(part));
            }
        }
        true
    }

    fn held(&self) -> usize {
        self.text.len()
    }
}
