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
    pub(crate) text: String,
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

    /// Returns whether the text is the arguments of the tool: one object that matches the schema, and not a call.
    fn is_arguments(&self) -> bool {
        let AnswerSettings { dialects, asked, options, .. } = &self.settings;
        let text = self.text.trim();
        let fits = || {
            let found = repair(text, dialects, &asked.tools.only_named(&self.tool), options);
            // A value that the schema does not allow shows that the object is something else.
            let suits = |found: &Diagnostic| found.code.row().class != Class::Value || found.code == Code::Coerced;
            found.arguments.is_some() && found.diagnostics.iter().all(suits)
        };
        text.starts_with('{') && parse(text, dialects, &asked.tools, options).calls.is_empty() && fits()
    }
}

impl HeldStart for BareArguments {
    fn text(&mut self) -> &mut String {
        &mut self.text
    }

    fn is_open(&self) -> bool {
        let start = self.text.trim_start();
        (start.is_empty() || start.starts_with('{')) && !self.settings.limits.is_too_much_held(self.text.len())
    }

    fn flush(&mut self, out: &mut Vec<ResponseEvent>) {
        out.push(ResponseEvent::first(Part::Text(std::mem::take(&mut self.text))));
    }

    fn replace(&mut self, after: &ResponseEvent, out: &mut Vec<ResponseEvent>) -> bool {
        let ends = matches!(after, ResponseEvent::Part { part: Part::Finish(finish), .. } if !finish.is_cut());
        let is_call = ends && self.is_arguments();
        if is_call {
            let (name, text) = (self.tool.clone(), std::mem::take(&mut self.text));
            let start = Part::CallStart { call: CALL, id: None, name, kind: CallKind::Function };
            let arguments = Part::Arguments { call: CALL, text };
            let parts = [start, arguments, Part::CallEnd { call: CALL }, Part::Finish(Finish::ToolCalls)];
            out.extend(parts.map(ResponseEvent::first));
        }
        is_call
    }
}
