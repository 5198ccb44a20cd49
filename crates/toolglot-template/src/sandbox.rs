//! Runs a chat template like Hugging Face's libraries, with limits on instructions, recursion and output.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value};

use crate::python::{Layout, text};
use crate::source::Template;

/// Instructions of the template engine for one rendering. The largest known template needs about 40,000 for a probe.
const FUEL: u64 = 2_000_000;

/// Nested calls of macros and includes. Templates that walk a schema recurse a dozen levels.
const RECURSION: usize = 120;

/// Bytes of one rendering. A prompt with all probe tools has about 20,000; ten times the limit would still be harmless.
const LARGEST_OUTPUT: usize = 1 << 20;

/// Maximal bytes of a template's source; the longest known has 31,000.
const LARGEST_SOURCE: usize = 1 << 20;

/// A compiled template.
pub(crate) struct Sandbox {
    environment: Environment<'static>,
    globals: Arc<[(String, Value)]>,
}

impl Sandbox {
    /// Compiles a template.
    pub(crate) fn new(template: &Template) -> Result<Self, String> {
        if template.source().len() > LARGEST_SOURCE {
            return Err("the template is larger than 1 MiB".to_owned());
        }
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(RECURSION);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_formatter(|out, _, value| out.write_str(&text(value)).map_err(Error::from));
        environment.add_filter("tojson", to_json);
        environment.add_filter("string", |value: Value| text(&value));
        environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, format!("{REFUSED}{message}")))
        });
        // Always the same day, so that a template always gives the same certificate.
        environment.add_function("strftime_now", |format: String| dated(&format));
        environment.add_function(LIST, List::empty);
        let source = with_mutable_lists(without_generation_tags(template.source()));
        environment.add_template_owned("chat", source).map_err(|error| explained(&error))?;
        Ok(Self { environment, globals: template.globals().into() })
    }

    /// Renders a conversation.
    pub(crate) fn render(&self, context: &[(&str, Value)]) -> Result<String, String> {
        let template = self.environment.get_template("chat").map_err(|error| explained(&error))?;
        let given = context.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let all: Value = self.globals.iter().cloned().chain(given).collect();
        let mut out = Limited(Vec::new());
        template.render_captured_to(all, &mut out).map_err(|error| explained(&error))?;
        String::from_utf8(out.0).map_err(|error| error.to_string())
    }
}

const REFUSED: &str = "refused: ";

/// Returns the message of a template's error: the template's own if it rejected the input, otherwise with the line.
fn explained(error: &Error) -> String {
    let detail = error.detail().unwrap_or_default();
    if let Some(at) = detail.find(REFUSED) {
        return format!("the template rejects the message: {}", &detail[at + REFUSED.len()..]);
    }
    match (error.kind(), error.line()) {
        (ErrorKind::OutOfFuel, _) => "the template exceeds its limit of instructions".to_owned(),
        (ErrorKind::WriteFailure, _) => "the template writes more than 1 MiB".to_owned(),
        (kind, Some(line)) => format!("line {line} of the template: {kind}: {detail}"),
        (kind, None) => format!("the template failed: {kind}: {detail}"),
    }
}

/// Creates a list that can be appended to.
const LIST: &str = "toolglot_list";

/// In Python, lists are mutable, and some templates append to them. In this engine they are values, so a list that
/// such a template begins as empty becomes an object of this crate.
fn with_mutable_lists(source: String) -> String {
    if !source.contains(".append(") {
        return source;
    }
    let (mut out, mut rest) = (String::with_capacity(source.len()), source.as_str());
    while let Some(start) = rest.find("{%") {
        let end = rest[start..].find("%}").map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..start]);
        out.push_str(&rest[start..end].replace("[]", &format!("{LIST}()")));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// A list that can be appended to.
#[derive(Debug, Default)]
struct List(Mutex<Vec<Value>>);

impl List {
    fn empty() -> Value {
        Value::from_object(Self::default())
    }

    fn items(&self) -> MutexGuard<'_, Vec<Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.items().get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items().len())
    }

    fn call_method(self: &Arc<Self>, _: &State<'_, '_>, method: &str, args: &[Value]) -> Result<Value, Error> {
        match (method, args) {
            ("append", [item]) => self.items().push(item.clone()),
            ("clear", []) => self.items().clear(),
            ("pop", []) => return Ok(self.items().pop().unwrap_or_default()),
            ("pop", [at]) => {
                let (mut items, at) = (self.items(), at.as_usize().unwrap_or(usize::MAX));
                return Ok(if at < items.len() { items.remove(at) } else { Value::UNDEFINED });
            }
            _ => return Err(Error::new(ErrorKind::UnknownMethod, format!("lists have no method `{method}`"))),
        }
        Ok(Value::from(()))
    }
}

/// Output that is rejected once it is too large.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST_OUTPUT {
            return Err(io::Error::other("too much output"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `{% generation %}` marks training data; it writes nothing.
fn without_generation_tags(source: &str) -> String {
    let mut source = source.to_owned();
    for word in ["generation", "endgeneration"] {
        for (open, close) in [("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")] {
            // A comment trims white space as the tag would.
            let comment = format!("{}{}", open.replace('%', "#"), close.replace('%', "#"));
            source = source.replace(&format!("{open} {word} {close}"), &comment);
        }
    }
    source
}

fn to_json(_: &State<'_, '_>, value: Value, options: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let mut layout = Layout { indent, ..Layout::default() };
    if indent.is_some() {
        layout.separators.0 = ",".to_owned();
    }
    if let Some(separators) = options.get::<Option<Value>>("separators")? {
        let part = |at| separators.get_item_by_index(at).map(|part| text(&part));
        layout.separators = (part(0)?, part(1)?);
    }
    layout.ascii = options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false);
    layout.sorted = options.get::<Option<bool>>("sort_keys")?.unwrap_or(false);
    options.assert_all_used()?;
    if matches!(value.kind(), ValueKind::Undefined) {
        return Err(Error::new(ErrorKind::InvalidOperation, "an undefined value cannot be converted to JSON"));
    }
    Ok(Value::from(layout.json(&value)))
}

/// The fifth of March 2026.
fn dated(format: &str) -> String {
    let parts = [
        ("%Y", "2026"),
        ("%y", "26"),
        ("%m", "03"),
        ("%-m", "3"),
        ("%d", "05"),
        ("%-d", "5"),
        ("%B", "March"),
        ("%b", "Mar"),
        ("%A", "Thursday"),
        ("%a", "Thu"),
        ("%H", "12"),
        ("%M", "00"),
        ("%S", "00"),
        ("%p", "PM"),
        ("%I", "12"),
    ];
    parts.iter().fold(format.to_owned(), |text, (part, written)| text.replace(part, written))
}
