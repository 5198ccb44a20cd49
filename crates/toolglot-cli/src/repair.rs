//! `toolglot repair`: the arguments of a call as JSON, whatever their syntax.

use crate::args::{MessageFlags, RepairArgs};
use crate::failure::{Failure, Run, failed, print};
use crate::input::Source;
use crate::jsonl::{self, Line, Setups};
use crate::options::Setup;
use crate::report::{self, Place};
use crate::runner::{self, Answer};
use crate::tally::Tally;
use crate::{json, output, tools};

/// Runs the command.
pub(crate) fn run(args: &RepairArgs) -> Run {
    let flags = MessageFlags { accept_incomplete: args.accept_incomplete, ..MessageFlags::default() };
    let (known, mut setup) = Setup::from_flags(&args.reading, &flags)?;
    let source = Source::open(args.file.as_deref())?;
    let tool = args.tool.clone();
    if args.jsonl {
        runner::run(vec![source], &RepairLines { setups: Setups::new(known, setup), tool })
    } else {
        setup.tools = tools::only(&setup.tools, tool.as_deref()).map_err(Failure::Usage)?;
        run_one(source, &setup)
    }
}

fn run_one(source: Source, setup: &Setup) -> Run {
    let name = source.name.clone();
    let input = source.read_all()?;
    let text = String::from_utf8_lossy(&input);
    let repaired = toolglot::repair(&text, &setup.dialects, &setup.tools, &setup.options);
    report::print(&name, text.as_bytes(), &repaired.diagnostics);
    let Some(arguments) = repaired.arguments else {
        return failed("error", unrecognised(&text, setup));
    };
    print(arguments + "\n")
}

/// Says what is not closed, if closing it is all that the arguments need.
fn unrecognised(text: &str, setup: &Setup) -> String {
    let options = setup.options.clone().with_accept_incomplete(true);
    let completed = toolglot::repair(text, &setup.dialects, &setup.tools, &options);
    match unclosed(text).filter(|_| completed.arguments.is_some()) {
        Some((open, at)) => {
            let place = Place::of(text.as_bytes(), at);
            format!(
                "the `{open}` at {place} is never closed; if the arguments are truncated, pass `--accept-incomplete` \
                 to complete them"
            )
        }
        None => "no arguments recognised; pass the arguments of one call, or try `--repairs all`".to_owned(),
    }
}

/// Returns the innermost bracket or quote that is still open at the end, and where it is.
fn unclosed(text: &str) -> Option<(char, usize)> {
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for (at, character) in text.char_indices() {
        match (character, quote) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            (_, Some((mark, _))) => quote = quote.filter(|_| mark != character),
            ('"' | '\'', None) => quote = Some((character, at)),
            ('{' | '[', None) => open.push((character, at)),
            ('}' | ']', None) => drop(open.pop()),
            _ => {}
        }
    }
    quote.or_else(|| open.pop())
}

/// Answers lines of `--jsonl`.
#[derive(Clone)]
struct RepairLines {
    setups: Setups,
    /// The tool for lines that name none.
    tool: Option<String>,
}

impl Answer for RepairLines {
    fn answer(&mut self, line: &Line<'_>, out: &mut Vec<u8>, tally: &mut Tally) -> Result<bool, String> {
        let arguments = jsonl::arguments(line.member("arguments"))?;
        let setup = self.setup(line)?;
        let repaired = toolglot::repair(&arguments, &setup.dialects, &setup.tools, &setup.options);
        json::object(out, |object| {
            object.raw("id", line.id().unwrap_or("null"));
            object.add("arguments", &repaired.arguments);
            object.list("diagnostics", &repaired.diagnostics, output::write_diagnostic);
        });
        tally.diagnostics(&repaired.diagnostics);
        Ok(repaired.arguments.is_some())
    }
}

impl RepairLines {
    /// A line's `tool` is the name of a declared tool, or a declaration.
    fn setup(&mut self, line: &Line<'_>) -> Result<Setup, String> {
        let (name, declaration) = match line.member("tool") {
            Some(name) if name.starts_with('"') => (Some(jsonl::string("tool", name)?), None),
            declaration => (None, declaration),
        };
        let declaration = declaration.map(|tool| format!("[{tool}]"));
        let mut setup = self.setups.of(line, declaration.as_deref().or(line.member("tools")))?;
        let name = name.or_else(|| self.tool.clone().filter(|_| declaration.is_none()));
        // With several tools and no name, arguments are read without a tool.
        if name.is_some() {
            setup.tools = tools::only(&setup.tools, name.as_deref())?;
        }
        Ok(setup)
    }
}
