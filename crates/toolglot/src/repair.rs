//! Repair of an `arguments` string on its own: whatever it is written in, JSON comes out or an honest failure.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialects;
use crate::json::{self, Context, NoMarkers, Place};
use crate::options::{Evidence, Options};
use crate::parser::{arguments_of, read_parameters};
use crate::tool::{Tool, Tools};
use crate::{Message, parse};

/// What [`repair`] made of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The arguments as the text of one JSON object; `None` if nothing could be recognised.
    pub arguments: Option<String>,
    /// What was done, or why it failed; spans count bytes of the string.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the `arguments` string of a call of the only one of `tools`, if one is given.
///
/// In this order: nothing at all is `{}`; JSON, strict or repaired, also
/// inside a JSON string; a whole call in any dialect, whose arguments are
/// taken; parameters of any dialect without their call. What is none of these
/// is reported as failed, never made `{}`.
///
/// # Example
/// ```
/// use toolglot::{Dialects, Options, Tools, repair};
/// let (dialects, options) = (Dialects::builtin(), Options::default());
/// let fixed = repair("<parameter=recursive>True</parameter>", &dialects, &Tools::default(), &options);
/// assert_eq!(fixed.arguments.as_deref(), Some(r#"{"recursive": true}"#));
/// assert_eq!(repair("no idea", &dialects, &Tools::default(), &options).arguments, None);
/// ```
pub fn repair(arguments: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Repaired {
    let options = Options { any_case_booleans: true, evidence: Evidence::Eager, ..options.clone() };
    let tool = tools.only();
    if arguments.trim().is_empty() {
        return Repaired::new(
            "{}".to_owned(),
            vec![note(Code::EmptyArguments, arguments, "no arguments at all, read as `{}`")],
        );
    }
    from_json(arguments, tool, &options)
        .or_else(|| from_call(arguments, dialects, tools, &options))
        .or_else(|| from_parameters(arguments, dialects, tools, &options))
        .unwrap_or_else(|| Repaired {
            arguments: None,
            diagnostics: vec![note(Code::Broken, arguments, "no arguments can be recognised in this text")],
        })
}

impl Repaired {
    fn new(arguments: String, diagnostics: Vec<Diagnostic>) -> Self {
        Self { arguments: Some(arguments), diagnostics }
    }
}

fn note(code: Code, arguments: &str, message: &str) -> Diagnostic {
    Diagnostic { code, span: 0..arguments.len(), message: message.to_owned(), dialect: None }
}

/// Reads JSON; valid JSON that fits the tool is returned byte for byte.
fn from_json(text: &str, tool: Option<&Tool>, options: &Options) -> Option<Repaired> {
    let schema = tool.and_then(|tool| tool.schema.as_ref());
    let context = Context { markers: &NoMarkers, schema, options, quote: None };
    let whole = json::read_whole(text, Place::Arguments, schema.map(|schema| schema.root().id()), &context)?;
    if whole.json.trim_start().starts_with('{') {
        let same = whole.json.trim() == text.trim();
        return Some(Repaired::new(if same { text.to_owned() } else { whole.json }, whole.repairs));
    }
    let inner = arguments_of(&whole.json, tool, options)?;
    let mut diagnostics = whole.repairs;
    diagnostics.extend(inner.repair.map(|code| note(code, text, code.row().about)));
    Some(Repaired::new(inner.json, diagnostics))
}

/// Reads a whole call in any dialect and takes its arguments.
fn from_call(text: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Option<Repaired> {
    let Message { mut calls, mut diagnostics, .. } = parse(text, dialects, tools, options);
    if calls.len() > 1 {
        diagnostics.push(note(Code::SeveralCalls, text, "several calls in one arguments string, the first is taken"));
    }
    diagnostics.insert(0, note(Code::Wrapper, text, "a whole call stood in the place of its arguments"));
    let first = calls.drain(..).next()?;
    Some(Repaired::new(first.arguments, diagnostics))
}

/// Reads parameters that stand alone, in the first dialect that reads all of them.
fn from_parameters(text: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Option<Repaired> {
    let name = tools.names().next().unwrap_or("tool");
    dialects.iter().find_map(|dialect| {
        let only = Dialects::from_iter([dialect.clone()]);
        let (arguments, mut diagnostics) = read_parameters(text, name, &only, tools, options)?;
        diagnostics.insert(0, note(Code::MissingOpener, text, "parameters without their call"));
        Some(Repaired::new(arguments, diagnostics))
    })
}
