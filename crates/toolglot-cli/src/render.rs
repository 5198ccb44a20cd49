//! `toolglot render`: a chat message as a model would write it in a dialect.

use serde_json::value::RawValue;
use toolglot::{Dialects, Renderer, Rendering, Tools};

use crate::args::{MessageFlags, ReadingFlags, RenderArgs};
use crate::cache::Cache;
use crate::failure::{Failure, Run, failed, print_exact};
use crate::input::Source;
use crate::json;
use crate::jsonl::{self, Line, Members, Setups, member};
use crate::options::Setup;
use crate::runner::{self, Answer};
use crate::tally::Tally;

/// Runs the command.
pub(crate) fn run(args: &RenderArgs) -> Run {
    let dialects = args.dialect.iter().cloned().collect();
    let reading = ReadingFlags { dialects, tools: args.tools.clone(), ..ReadingFlags::default() };
    let (known, setup) = Setup::from_flags(&reading, &MessageFlags::default())?;
    let source = Source::open(args.file.as_deref())?;
    let checked = !args.no_check;
    if args.jsonl {
        let lines = RenderLines { setups: Setups::new(known, setup), renderers: Cache::default(), checked };
        runner::run(vec![source], &lines)
    } else {
        run_one(source, &renderer(&setup.dialects, &setup.tools, checked).map_err(Failure::Usage)?)
    }
}

fn run_one(source: Source, renderer: &Renderer) -> Run {
    let input = source.read_all()?;
    let text = std::str::from_utf8(&input).map_err(|error| error.to_string());
    text.and_then(|text| render(renderer, text)).map_or_else(|why| failed("error", why), print_exact)
}

/// Returns a renderer for the selected dialect.
fn renderer(dialects: &Dialects, tools: &Tools, checked: bool) -> Result<Renderer, String> {
    let mut chosen = dialects.iter();
    match (chosen.next(), chosen.next()) {
        (Some(dialect), None) => Ok(Renderer::new(dialect, tools).with_check(checked)),
        _ => Err("expected one dialect to write; pass `--dialect`, or set `dialect` in the line".to_owned()),
    }
}

/// Answers lines of `--jsonl`.
#[derive(Clone)]
struct RenderLines {
    setups: Setups,
    renderers: Cache<Result<Renderer, String>>,
    checked: bool,
}

impl Answer for RenderLines {
    fn answer(&mut self, line: &Line<'_>, out: &mut Vec<u8>, _: &mut Tally) -> Result<bool, String> {
        let message = line.member("message").ok_or("missing `message`; add it as an object")?;
        let text = render(&self.renderer(line)?, message)?;
        json::object(out, |object| {
            object.raw("id", line.id().unwrap_or("null"));
            object.add("text", &text);
        });
        Ok(true)
    }
}

impl RenderLines {
    fn renderer(&mut self, line: &Line<'_>) -> Result<Renderer, String> {
        let setup = self.setups.of(line, line.member("tools"))?;
        let key = [line.member("dialect"), line.member("tools")].map(Option::unwrap_or_default).join("\n");
        self.renderers.get(&key, || renderer(&setup.dialects, &setup.tools, self.checked))
    }
}

/// A call of a message, with its strings decoded.
struct Call {
    id: Option<String>,
    name: String,
    arguments: String,
}

/// Writes a chat message.
fn render(renderer: &Renderer, json: &str) -> Result<String, String> {
    let message = members(json, "the message")?;
    let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|name| member(&message, name));
    let reasoning = reasoning.map_or(Ok(String::new()), |json| jsonl::string("reasoning_content", json))?;
    let content = member(&message, "content").map_or(Ok(String::new()), content)?;
    let calls = member(&message, "tool_calls").map_or(Ok(Vec::new()), calls)?;
    let start = Rendering::new().with_reasoning(&reasoning).with_content(&content);
    let rendering = calls.iter().fold(start, |all, call| match &call.id {
        Some(id) => all.with_identified_call(&call.name, &call.arguments, id),
        None => all.with_call(&call.name, &call.arguments),
    });
    renderer.render(&rendering).map_err(|error| error.to_string())
}

fn members<'j>(json: &'j str, what: &str) -> Result<Members<'j>, String> {
    serde_json::from_str(json)
        .map_err(|error| format!("{what} is not a JSON object ({}); use the format of a chat API", json::fault(&error)))
}

/// Reads content: a string, or a list of parts, of which those with text are used.
fn content(json: &str) -> Result<String, String> {
    if !json.starts_with('[') {
        return jsonl::string("content", json);
    }
    let parts: Vec<Members<'_>> = serde_json::from_str(json)
        .map_err(|error| format!("`content` must be a string or a list of parts ({})", json::fault(&error)))?;
    parts.iter().filter_map(|part| member(part, "text")).map(|text| jsonl::string("text", text)).collect()
}

fn calls(json: &str) -> Result<Vec<Call>, String> {
    let list: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|error| format!("`tool_calls` must be a list ({})", json::fault(&error)))?;
    list.into_iter().map(|call| read_call(call.get())).collect()
}

fn read_call(json: &str) -> Result<Call, String> {
    let call = members(json, "a tool call")?;
    let function = member(&call, "function").map(|json| members(json, "`function`")).transpose()?;
    let function = function.as_ref().unwrap_or(&call);
    let name = member(function, "name").ok_or("a tool call lacks `name`; add it to `function`")?;
    Ok(Call {
        id: member(&call, "id").map(|json| jsonl::string("id", json)).transpose()?,
        name: jsonl::string("name", name)?,
        arguments: jsonl::arguments(member(function, "arguments"))?,
    })
}
