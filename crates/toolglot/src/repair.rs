//! Repairs an `arguments` string on its own: returns JSON, or reports the failure.

use crate::diagnostic::{Class, Code, Diagnostic, Repairs};
use crate::dialect::Dialects;
use crate::json::{self, Context, NoMarkers};
use crate::options::{Evidence, Options};
use crate::parser::{arguments_of, read_parameters};
use crate::schema::Schema;
use crate::tool::Tools;
use crate::{Message, parse};

mod around;
mod one_edit;

/// The result of [`repair`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The arguments as the JSON text of one object; `None` if they cannot be repaired.
    pub arguments: Option<String>,
    /// Repairs, or the reason of the failure; spans count bytes of the string.
    pub diagnostics: Vec<Diagnostic>,
}

/// Repairs the `arguments` string of a call to the only one of `tools`, if there is exactly one.
///
/// Accepts, in this order: an empty text, which is `{}`; JSON, strict or repaired, also inside a JSON string; JSON of at
/// most 4 KiB with one wrong quote or bracket, if exactly one edit fixes it; JSON with every quote doubled;
/// a whole call in any dialect, of which the arguments are taken; parameters of any dialect without their
/// call; one JSON object with text, a fence or further objects around it. Anything else is reported as a failure,
/// and never becomes `{}`.
///
/// Since the whole text is known, repairs that violate the tool's schema are not made if another reading matches it: the
/// first reading that matches is taken. Only if none does, the first reading is taken, or the arguments in it if it
/// is a whole call that matches.
///
/// An object that the end of the text cuts off is a failure, unless [`Options::with_accept_incomplete`] is set:
/// then it is closed, with the diagnostic `truncated`.
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
    if let Some(empty) = nothing(arguments, &options) {
        return empty;
    }
    let schema = tools.only().and_then(|tool| tool.schema.as_ref());
    let text = ArgumentsText { text: arguments, dialects, tools, schema, options: &options };
    let mut first = None;
    for reading in readings() {
        match reading(&text, first.as_ref()) {
            Some(found) if found.fits() => return found,
            Some(found) => first = first.or(Some(found)),
            None => {}
        }
    }
    let none = || text.note(Code::Broken, "no arguments recognised in this text");
    match first {
        Some(found) => text.out_of_its_call(found),
        None => Repaired { arguments: None, diagnostics: vec![none()] },
    }
}

/// A string that should be arguments, and what is known about it.
struct ArgumentsText<'t> {
    text: &'t str,
    dialects: &'t Dialects,
    tools: &'t Tools,
    schema: Option<&'t Schema>,
    options: &'t Options,
}

/// Parses the text, or returns `None`; gets what the first reading found to violate the schema.
type RepairAttempt<'t> = fn(&ArgumentsText<'t>, Option<&Repaired>) -> Option<Repaired>;

fn readings<'t>() -> [RepairAttempt<'t>; 10] {
    [
        ArgumentsText::as_plain_json,
        |text, first| one_edit::read(text, first),
        ArgumentsText::with_doubled_quotes,
        |text, first| if first.is_some() { None } else { text.json(text.options, false) },
        ArgumentsText::with_declared_keys,
        ArgumentsText::without_doubtful,
        ArgumentsText::as_call,
        ArgumentsText::as_value,
        ArgumentsText::as_parameters,
        |text, first| around::read(text, first),
    ]
}

/// Repairs of whole values, which may violate the schema.
const DOUBTFUL: [Code; 4] = [Code::Wrapper, Code::DoubleEncoded, Code::WrapScalar, Code::UnwrapObject];

impl ArgumentsText<'_> {
    /// Parses JSON whose strings end where they seem to.
    fn as_plain_json(&self, _: Option<&Repaired>) -> Option<Repaired> {
        let plain = |found: &Repaired| found.diagnostics.iter().all(|found| found.code != Code::InnerQuote);
        self.json(self.options, false).filter(plain)
    }

    /// Parses valid JSON with every quote doubled, as in a cell of a table.
    fn with_doubled_quotes(&self, first: Option<&Repaired>) -> Option<Repaired> {
        let twice = self.text.split(|char| char != '"').all(|quotes| quotes.len() % 2 == 0);
        if first.is_some() || !twice || !self.options.repairs.allow(Code::DoubleEncoded) {
            return None;
        }
        let options = Options { repairs: Repairs::NONE, ..self.options.clone() };
        let found = ArgumentsText { text: &self.text.replace("\"\"", "\""), ..*self }.json(&options, false)?;
        let note = self.note(Code::DoubleEncoded, "every quote is doubled; read each pair as one quote");
        found.diagnostics.is_empty().then(|| Repaired { diagnostics: vec![note], ..found })
    }

    /// Parses JSON whose strings may contain what looks like undeclared keys.
    fn with_declared_keys(&self, first: Option<&Repaired>) -> Option<Repaired> {
        first?.diagnostics.iter().find(|found| found.code.is_repair())?;
        self.json(self.options, true)
    }

    /// Parses JSON without one of the repairs that were made.
    fn without_doubtful(&self, first: Option<&Repaired>) -> Option<Repaired> {
        let made = |code: &&Code| first.is_some_and(|first| first.diagnostics.iter().any(|found| found.code == **code));
        DOUBTFUL.iter().filter(made).find_map(|code| {
            let options = Options { repairs: self.options.repairs.without(*code), ..self.options.clone() };
            self.json(&options, false).filter(Repaired::fits)
        })
    }

    /// Parses JSON; valid JSON that fits the tool is returned byte for byte.
    fn json(&self, options: &Options, declared_keys: bool) -> Option<Repaired> {
        let mut options = options.clone();
        // Nobody waits for a part of it: the ends of strings are looked for in all of it.
        options.limits.string_ends = options.limits.string_ends.max(self.text.len());
        let context = Context { markers: &NoMarkers, schema: self.schema, options: &options, quote: None, given: None };
        let found = json::read_arguments(self.text, 0, declared_keys, &context)?;
        let whole = json::all_of(self.text, found, &context)?;
        let same = whole.json.trim() == self.text.trim();
        Some(Repaired::new(if same { self.text.to_owned() } else { whole.json }, whole.repairs))
    }

    /// Parses a whole call in any dialect and takes its arguments. Valid JSON must be only the call. A call to another
    /// tool does not count.
    fn as_call(&self, first: Option<&Repaired>) -> Option<Repaired> {
        let Message { calls, content, mut diagnostics, .. } = parse(self.text, self.dialects, self.tools, self.options);
        let call = calls.first().filter(|_| self.options.repairs.allow(Code::Wrapper))?;
        if diagnostics.iter().any(|found| found.code == Code::UnknownTool) {
            return None;
        }
        if !content.trim().is_empty() {
            if first.is_some() || !self.options.repairs.allow(Code::SurroundingText) {
                return None;
            }
            diagnostics.push(self.note(Code::SurroundingText, "dropped text around the call"));
        }
        if calls.len() > 1 {
            if !self.options.repairs.allow(Code::SeveralCalls) {
                return None;
            }
            let message = "several calls in one arguments string; used the first";
            diagnostics.push(self.note(Code::SeveralCalls, message));
        }
        let message = format!("unwrapped the arguments from a whole call of `{}`", call.name);
        diagnostics.insert(0, self.note(Code::Wrapper, &message));
        Some(Repaired::new(call.arguments.clone(), diagnostics))
    }

    /// Takes the arguments from an object that does not fit the tool but is a whole call that does.
    fn out_of_its_call(&self, object: Repaired) -> Repaired {
        let Some(json) = object.arguments.as_deref().filter(|_| !object.fits()) else { return object };
        if let Some(other) = self.other_tool(json) {
            let note = self.note(Code::Broken, &format!("a whole call of another tool, `{other}`"));
            return Repaired { arguments: None, diagnostics: vec![note] };
        }
        let call = ArgumentsText { text: json, ..*self }.as_call(Some(&object)).filter(Repaired::fits);
        let Some(Repaired { arguments, diagnostics }) = call else { return object };
        let around = object.diagnostics.into_iter().filter(|found| !is_against(found));
        let inside = diagnostics.into_iter().map(|found| Diagnostic { span: 0..self.text.len(), ..found });
        Repaired { arguments, diagnostics: around.chain(inside).collect() }
    }

    /// Returns the name of another tool that an object calls.
    fn other_tool(&self, json: &str) -> Option<String> {
        let object: serde_json::Value = serde_json::from_str(json).ok()?;
        let name = object.get("name")?.as_str().filter(|name| self.tools.resolve(name).is_none())?;
        let is_call = json::WRAPPERS.iter().any(|key| object.get(*key).is_some_and(serde_json::Value::is_object));
        let is_own = self.schema.is_none_or(|schema| !schema.root().is_undeclared("name"));
        (is_call && !is_own).then(|| name.to_owned())
    }

    /// Parses a list or a string that can only be one parameter's value.
    fn as_value(&self, first: Option<&Repaired>) -> Option<Repaired> {
        serde_json::from_str::<serde_json::Value>(self.text).ok().filter(|_| first.is_none())?;
        let whole = arguments_of(self.text, self.tools.only(), self.options)?;
        let repair = whole.repair.filter(|code| *code == Code::PositionalArgument)?;
        let repair = self.note(repair, repair.row().about);
        Some(Repaired::new(whole.json, vec![repair]))
    }

    /// Parses parameters without a call, in the first dialect that accepts all of them.
    fn as_parameters(&self, first: Option<&Repaired>) -> Option<Repaired> {
        if first.is_some() || !self.options.repairs.allow(Code::MissingOpener) {
            return None;
        }
        let name = self.tools.names().next().unwrap_or("tool");
        self.dialects.iter().find_map(|dialect| {
            let only = Dialects::from_iter([dialect.clone()]);
            let (arguments, mut diagnostics) = read_parameters(self.text, name, &only, self.tools, self.options)?;
            if diagnostics.iter().all(|found| found.code != Code::MissingOpener) {
                diagnostics.insert(0, self.note(Code::MissingOpener, "read parameters without a call around them"));
            }
            Some(Repaired::new(arguments, diagnostics))
        })
    }

    fn note(&self, code: Code, message: &str) -> Diagnostic {
        Diagnostic::new(code, 0..self.text.len(), message)
    }
}

impl Repaired {
    fn new(arguments: String, diagnostics: Vec<Diagnostic>) -> Self {
        Self { arguments: Some(arguments), diagnostics }
    }

    /// Returns whether the arguments, as they are now, match the schema.
    fn fits(&self) -> bool {
        !self.diagnostics.iter().any(is_against)
    }
}

/// Returns whether the arguments violate the schema.
fn is_against(found: &Diagnostic) -> bool {
    found.code.row().class == Class::Value && found.code != Code::Coerced
}

/// Parses an empty text, or an empty list (written for an empty map by untyped languages), as `{}`.
fn nothing(text: &str, options: &Options) -> Option<Repaired> {
    let bare: String = text.split_whitespace().collect();
    let message = match bare.as_str() {
        "" => "read empty arguments as `{}`",
        "[]" => "read an empty list as `{}`",
        _ => return None,
    };
    options
        .repairs
        .allow(Code::EmptyArguments)
        .then(|| Repaired::new("{}".to_owned(), vec![Diagnostic::new(Code::EmptyArguments, 0..text.len(), message)]))
}
