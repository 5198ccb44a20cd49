//! `toolglot repair`: the arguments of a call as JSON, whatever they were written in.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::Value;
use toolglot::Tools;

use crate::args::{MessageFlags, RepairArgs};
use crate::failure::{Ending, Failure, Run};
use crate::input::Source;
use crate::jsonl::{self, Line, Setups};
use crate::known::Known;
use crate::options::{self, Setup};
use crate::paint::Paint;
use crate::report::Report;
use crate::runner::{self, Answer};
use crate::{json, output};

/// Runs the command.
pub(crate) fn run(args: &RepairArgs) -> Run {
    let known = Known::from_flags(&args.reading.dialects)?;
    let setup = Setup::new(&known, tool(args)?, &args.reading, &MessageFlags::default());
    let source = Source::open(args.file.as_deref())?;
    if args.jsonl {
        let known = Arc::new(known);
        runner::run(source, move || Lines { setups: Setups::new(Arc::clone(&known), setup.clone()) })
    } else {
        run_one(source, &setup)
    }
}

fn run_one(source: Source, setup: &Setup) -> Run {
    let name = source.name.clone();
    let input = source.read_all()?;
    let text = String::from_utf8_lossy(&input);
    let repaired = toolglot::repair(&text, &setup.dialects, &setup.tools, &setup.options);
    Report::new(&name, text.as_bytes(), Paint::stderr()).write(&mut io::stderr(), &repaired.diagnostics);
    let Some(arguments) = repaired.arguments else {
        let _ = writeln!(io::stderr(), "{}: {HOPELESS}", Paint::stderr().error("failed"));
        return Ok(Ending::Failed);
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{arguments}")?;
    out.flush()?;
    Ok(Ending::Fine)
}

const HOPELESS: &str = "no arguments can be recognised; give the arguments of one call, or try `--repairs all`";

/// Reads the one tool that the arguments are for, if one is named.
fn tool(args: &RepairArgs) -> Result<Tools, Failure> {
    let Some(path) = args.reading.tools.as_deref() else { return Ok(Tools::default()) };
    let no_tools = |why: String| options::no_tools(path, &why);
    let declared = match serde_json::from_str(&options::tools_text(path)?) {
        Ok(Value::Array(declared)) => declared,
        Ok(one @ Value::Object(_)) => vec![one],
        Ok(_) => return Err(no_tools("write a JSON list of tools, as in a chat request".into())),
        Err(error) => return Err(no_tools(error.to_string())),
    };
    let names: Vec<&str> = declared.iter().map(name_of).collect();
    let chosen = match (&args.tool, declared.as_slice()) {
        (Some(name), _) => declared.iter().find(|tool| name_of(tool) == name).ok_or_else(|| {
            Failure::Usage(format!("`{}` declares no tool `{name}`; use {}", path.display(), names.join(", ")))
        })?,
        (None, [one]) => one,
        (None, _) => {
            let (path, count, names) = (path.display(), names.len(), names.join(", "));
            return Err(Failure::Usage(format!("`{path}` declares {count} tools; add `--tool` with one of {names}")));
        }
    };
    Tools::from_json_str(&format!("[{chosen}]")).map_err(|error| no_tools(error.to_string()))
}

/// A tool's name, in the shape of a chat request or bare.
fn name_of(tool: &Value) -> &str {
    tool.pointer("/function/name").or(tool.get("name")).and_then(Value::as_str).unwrap_or_default()
}

/// Answers lines of `--jsonl`.
struct Lines {
    setups: Setups,
}

impl Answer for Lines {
    fn answer(&mut self, number: usize, line: &[u8], out: &mut Vec<u8>) -> bool {
        jsonl::answer(number, line, out, |line, out| {
            let arguments = arguments(line)?;
            let tool = line.member("tool").map(|tool| format!("[{tool}]"));
            let setup = self.setups.of(line, tool.as_deref().or(line.member("tools")))?;
            let repaired = toolglot::repair(&arguments, &setup.dialects, &setup.tools, &setup.options);
            json::object(out, |object| {
                object.raw("id", line.id().unwrap_or("null"));
                object.text_or_null("arguments", repaired.arguments.as_deref());
                object.list("diagnostics", &repaired.diagnostics, output::write_diagnostic);
            });
            Ok(repaired.arguments.is_some())
        })
    }
}

/// The text to repair: a string's, an object's as it is written, nothing for null.
fn arguments(line: &Line<'_>) -> Result<String, String> {
    match line.member("arguments") {
        None => Ok(String::new()),
        Some(object) if object.starts_with('{') => Ok(object.to_owned()),
        Some(string) => jsonl::string("arguments", string),
    }
}
