//! Renders a message as a model would write it: the inverse of the parser, from the same dialect files.

use std::sync::Arc;

use serde_json::json;

use crate::dialect::{Dialect, Dialects};
use crate::message::Message;
use crate::parser::is_name;
use crate::tool::Tools;
use json_tokens::JsonTokens;

mod body;
mod check;
mod error;
pub(crate) mod json_tokens;
mod style;
mod template;
mod tree;
mod write;

pub use error::RenderError;

/// Renders messages in one dialect.
///
/// The text parses back to the same message: it is parsed again before it is returned, unless that is turned off.
/// Only white space before the calls may become part of the content.
///
/// # Example
/// ```
/// use toolglot::{Dialects, Renderer, Rendering, Tools};
/// let dialects = Dialects::builtin();
/// let dialect = dialects.get("hermes").ok_or("no such dialect")?;
/// let renderer = Renderer::new(dialect, &Tools::default());
/// let message = Rendering::new().with_content("Let me see.").with_call("ls", r#"{"path": "/tmp"}"#);
/// assert_eq!(
///     renderer.render(&message)?,
///     "Let me see.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"/tmp\"}}\n</tool_call>",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Renderer {
    dialect: Arc<Dialect>,
    /// A set with only this dialect, for parsing back.
    pinned: Dialects,
    tools: Tools,
    checked: bool,
}

/// A message to render: reasoning, then text, then calls. Parts that are not set are not written.
///
/// # Example
/// ```
/// use toolglot::{Dialects, Options, Renderer, Rendering, Tools, parse};
/// let (dialects, tools) = (Dialects::builtin(), Tools::default());
/// let read = parse("[TOOL_CALLS]ls[ARGS]{}", &dialects, &tools, &Options::default());
/// let dialect = dialects.get("glm-4.7").ok_or("no such dialect")?;
/// let written = Renderer::new(dialect, &tools).render(&Rendering::from(&read))?;
/// assert_eq!(written, "<tool_call>ls</tool_call>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rendering<'m> {
    reasoning: &'m str,
    content: &'m str,
    calls: Vec<GivenCall<'m>>,
}

/// A call to render, as given.
#[derive(Clone, Copy, Debug)]
struct GivenCall<'m> {
    name: &'m str,
    arguments: &'m str,
    id: Option<&'m str>,
}

/// A call to render, with its arguments parsed.
struct ReadCall<'m> {
    dialect: &'m Dialect,
    /// Its index among the calls, from 0.
    number: usize,
    name: &'m str,
    arguments: JsonTokens<'m>,
    id: Option<&'m str>,
}

impl<'m> Rendering<'m> {
    /// Returns an empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the reasoning.
    #[must_use]
    pub fn with_reasoning(self, reasoning: &'m str) -> Self {
        Self { reasoning, ..self }
    }

    /// Sets the text.
    #[must_use]
    pub fn with_content(self, content: &'m str) -> Self {
        Self { content, ..self }
    }

    /// Adds a call; `arguments` is the JSON text of an object, or blank for no arguments.
    #[must_use]
    pub fn with_call(mut self, name: &'m str, arguments: &'m str) -> Self {
        self.calls.push(GivenCall { name, arguments, id: None });
        self
    }

    /// Adds a call with an id, which is written if the dialect has a place for it.
    ///
    /// If the dialect's ids follow a pattern, such as
    /// `functions.NAME:INDEX`, an id that does not match is replaced by one that does.
    #[must_use]
    pub fn with_identified_call(mut self, name: &'m str, arguments: &'m str, id: &'m str) -> Self {
        self.calls.push(GivenCall { name, arguments, id: Some(id) });
        self
    }

    fn read_calls<'c>(&'c self, dialect: &'c Dialect) -> Result<Vec<ReadCall<'c>>, RenderError> {
        let read = |(number, call): (usize, &GivenCall<'c>)| {
            let arguments = JsonTokens::object(call.arguments).map_err(|fault| RenderError::Arguments {
                call: number,
                at: fault.at,
                why: fault.why.to_owned(),
            })?;
            Ok(ReadCall { dialect, number, name: call.name, arguments, id: call.id })
        };
        self.calls.iter().enumerate().map(read).collect()
    }
}

impl<'m> From<&'m Message> for Rendering<'m> {
    fn from(message: &'m Message) -> Self {
        let start = Self::new().with_reasoning(&message.reasoning).with_content(&message.content);
        let add = |all: Self, call: &'m crate::Call| all.with_identified_call(&call.name, &call.arguments, &call.id);
        message.calls.iter().fold(start, add)
    }
}

impl Renderer {
    /// Returns a renderer for messages that call `tools`. Without tools, any tool may be called with any arguments.
    ///
    /// Pass the tools that the parser of the text will have: some dialects mark a call only by a declared tool's name.
    pub fn new(dialect: &Arc<Dialect>, tools: &Tools) -> Self {
        let pinned = [Arc::clone(dialect)].into_iter().collect();
        Self { dialect: Arc::clone(dialect), pinned, tools: tools.clone(), checked: true }
    }

    /// Sets whether the text is parsed again to prove that it gives the same message; on by default.
    ///
    /// Unchecked text may give another message if a value contains markers of the dialect.
    #[must_use]
    pub fn with_check(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// Returns the message as text in the dialect.
    ///
    /// # Errors
    /// If the arguments of a call are not a JSON object, or if the dialect cannot express the message; the error names the
    /// part and the reason. That includes calls that would be text to a parser without tools.
    pub fn render(&self, message: &Rendering<'_>) -> Result<String, RenderError> {
        let calls = message.read_calls(&self.dialect)?;
        if let Some(call) = calls.iter().find(|call| !is_name(call.name)) {
            let what = format!("the name of call {}", call.number + 1);
            return Err(self.dialect.inexpressible(what, format!("`{}` is not a valid tool name", call.name)));
        }
        let text = write::message(&self.dialect, message, &calls)?;
        if self.checked {
            self.check(&text, message, &calls)?;
        }
        Ok(text)
    }

    /// Parses the text again, with the tools that its parser will have.
    fn check(&self, text: &str, message: &Rendering<'_>, calls: &[ReadCall<'_>]) -> Result<(), RenderError> {
        let same = |tools: &Tools| {
            let read =
                crate::parse(text, &self.pinned, tools, &crate::Options::default().with_frame(crate::Frame::Exact));
            check::same(&self.dialect, message, calls, &read)
        };
        same(&self.tools).map_err(|error| match self.tools.is_empty() && same(&Self::called(calls)).is_ok() {
            true => RenderError::Undeclared { dialect: Arc::clone(&self.dialect.name) },
            false => error,
        })
    }

    /// Returns the called tools, with any parameters allowed.
    fn called(calls: &[ReadCall<'_>]) -> Tools {
        let called: Vec<_> = calls.iter().map(|call| json!({"name": call.name})).collect();
        // Every name was found legal, so none is refused.
        Tools::from_json(&called.into()).unwrap_or_default()
    }
}

impl Dialect {
    /// Returns the error for a part that the dialect cannot express.
    fn inexpressible(&self, what: impl Into<String>, why: impl Into<String>) -> RenderError {
        RenderError::Inexpressible { dialect: Arc::clone(&self.name), what: what.into(), why: why.into() }
    }
}
