//! Writes a message as a model would have written it: the inverse of the parser, from the same dialect files.

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

/// Writes messages in one dialect.
///
/// What it returns reads back the same: every text is read again with the parser before it goes out, unless that is
/// switched off. Only white space that leads to the calls may come back behind the content.
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
    /// The dialect alone, to read with.
    pinned: Dialects,
    tools: Tools,
    checked: bool,
}

/// A message to write: reasoning, then text, then calls; whatever is not given is not written.
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

/// A call to write, as it was given.
#[derive(Clone, Copy, Debug)]
struct GivenCall<'m> {
    name: &'m str,
    arguments: &'m str,
    id: Option<&'m str>,
}

/// A call to write, its arguments read.
struct ReadCall<'m> {
    dialect: &'m Dialect,
    /// Its place among the calls, from 0.
    number: usize,
    name: &'m str,
    arguments: JsonTokens<'m>,
    id: Option<&'m str>,
}

impl<'m> Rendering<'m> {
    /// Returns a message that says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the model thought.
    #[must_use]
    pub fn with_reasoning(self, reasoning: &'m str) -> Self {
        Self { reasoning, ..self }
    }

    /// What the model said.
    #[must_use]
    pub fn with_content(self, content: &'m str) -> Self {
        Self { content, ..self }
    }

    /// One more call; `arguments` is the text of a JSON object, or blank if there are none.
    #[must_use]
    pub fn with_call(mut self, name: &'m str, arguments: &'m str) -> Self {
        self.calls.push(GivenCall { name, arguments, id: None });
        self
    }

    /// One more call whose id is written where the dialect has a place for it.
    ///
    /// Where ids follow a pattern of the dialect, such as
    /// `functions.NAME:INDEX`, another id gives way to one that does.
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
                why: fault.why,
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
    /// Returns a renderer for messages that call `tools`; without tools, any may be called with any arguments.
    ///
    /// Give the tools that the text's reader will have: some dialects mark a call by nothing but a declared tool's name.
    pub fn new(dialect: &Arc<Dialect>, tools: &Tools) -> Self {
        let pinned = [Arc::clone(dialect)].into_iter().collect();
        Self { dialect: Arc::clone(dialect), pinned, tools: tools.clone(), checked: true }
    }

    /// Whether what was written is read again to prove that it says the same; it is unless switched off.
    ///
    /// Unchecked text may say something else than the message where a value holds markers of the dialect.
    #[must_use]
    pub fn with_check(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// Returns the text in which a model that speaks the dialect says the message.
    ///
    /// # Errors
    /// If the arguments of a call are not a JSON object, or if the dialect cannot express the message: then the error says
    /// what and why. So it does where the calls would be text to a reader without tools.
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

    /// Reads the text again, with the tools that its reader will have.
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

    /// Returns the tools that are called, with parameters left open.
    fn called(calls: &[ReadCall<'_>]) -> Tools {
        let called: Vec<_> = calls.iter().map(|call| json!({"name": call.name})).collect();
        // Every name was found legal, so none is refused.
        Tools::from_json(&called.into()).unwrap_or_default()
    }
}

impl Dialect {
    /// Returns the error that the dialect cannot say something.
    fn inexpressible(&self, what: impl Into<String>, why: impl Into<String>) -> RenderError {
        RenderError::Inexpressible { dialect: Arc::clone(&self.name), what: what.into(), why: why.into() }
    }
}
