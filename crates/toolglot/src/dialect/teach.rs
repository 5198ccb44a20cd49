//! How tools are described in the prompt: the `[teach]` table of a dialect file. The parser does not use it.

use std::borrow::Cow;

use super::error::DialectError;
use super::values::TomlTable;

/// How tools, and the results of calls, are written into a prompt.
///
/// The wording is from the dialect file, if it has a `[teach]` table; for what it leaves out, there are generic texts.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// let dialects = Dialects::builtin();
/// let teach = dialects.get("hermes").ok_or("no such dialect")?.teach();
/// assert!(teach.tools().contains("{tools}") && teach.result().contains("{text}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Teach {
    pub(super) tools: Cow<'static, str>,
    pub(super) tool: Cow<'static, str>,
    pub(super) place: TeachPlace,
    pub(super) result: Cow<'static, str>,
    pub(super) results: Cow<'static, str>,
    pub(super) between: Cow<'static, str>,
}

/// Where the section about tools is in the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whoever writes prompts has to know every place")]
pub enum TeachPlace {
    /// After the system's instructions.
    #[default]
    SystemEnd,
    /// Before the system's instructions.
    SystemStart,
    /// Before the user's last message.
    LastUser,
}

/// Generic texts, with the example that the renderer writes.
const TOOLS: &str = "# Tools\n\nYou can call the functions listed below, one JSON object per line.\n\n{tools}\n\nTo call a \
                     function, reply in exactly this format, with nothing after it:\n\n{example}\n\nThe results come in \
                     the next message. If no function helps, answer as usual.";

impl Default for Teach {
    fn default() -> Self {
        Self {
            tools: TOOLS.into(),
            tool: "{json}".into(),
            place: TeachPlace::default(),
            result: "<tool_response>\n{text}\n</tool_response>".into(),
            results: "{results}".into(),
            between: "\n".into(),
        }
    }
}

impl Teach {
    /// Returns the section about tools, with `{tools}` and optionally `{example}`, a call to a function that does not exist.
    pub fn tools(&self) -> &str {
        &self.tools
    }

    /// Returns the template of one tool: `{json}` is its declaration as in Chat Completions, `{function}` the inner
    /// object, `{xml}` and `{typescript}` the same in these languages.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns where the section is placed.
    pub fn place(&self) -> TeachPlace {
        self.place
    }

    /// Returns the template of a result, with `{text}` and optionally `{name}`, the tool's name.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// Returns the template of all results of a turn, with `{results}`.
    pub fn results(&self) -> &str {
        &self.results
    }

    /// Returns the text between two results.
    pub fn between(&self) -> &str {
        &self.between
    }
}

const KEYS: [&str; 6] = ["tools", "tool", "place", "result", "results", "between"];

pub(super) const PLACES: [(&str, TeachPlace); 3] = [
    ("system_end", TeachPlace::SystemEnd),
    ("system_start", TeachPlace::SystemStart),
    ("last_user", TeachPlace::LastUser),
];

/// Reads the table of a file.
pub(super) fn read(values: TomlTable<'_>) -> Result<Teach, DialectError> {
    let mut teach = Teach::default();
    let Some(table) = values.table("teach", "`[teach]` and below it `result = \"<result>{text}</result>\"`")? else {
        return Ok(teach);
    };
    table.only("`[teach]`", &KEYS)?;
    for (key, hole, into) in [
        ("tools", "{tools}", &mut teach.tools),
        ("tool", "", &mut teach.tool),
        ("result", "{text}", &mut teach.result),
        ("results", "{results}", &mut teach.results),
        ("between", "", &mut teach.between),
    ] {
        let Some(text) = table.text(key)? else { continue };
        if !text.text.contains(hole) {
            let message = format!("missing `{hole}` in `{key}`");
            return Err(table.file.error(text.span, message, format!("add `{hole}` where it belongs")));
        }
        *into = text.text.to_owned().into();
    }
    if let Some(text) = table.text("place")? {
        let found = PLACES.iter().find(|(name, _)| *name == text.text);
        let names = PLACES.map(|(name, _)| name).join(", ");
        let wrong = || {
            table.file.error(text.span.clone(), format!("unknown place `{}`", text.text), format!("use one of {names}"))
        };
        teach.place = found.ok_or_else(wrong)?.1;
    }
    Ok(teach)
}
