//! Every command and flag, in one place.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use toolglot::{
    CallsInReasoning, Evidence, FinishReason, Frame, NullText, ReasoningOpen, Repairs, UnknownTool, Untyped, Validation,
};

use crate::chunk::Chunk;
use crate::complete;
use crate::console::ConsoleFlags;
use crate::draft::{CheckArgs, NewArgs};
use crate::exchange::{ExportArgs, ImportArgs};
use crate::features;
use crate::grammar;
use crate::limit_flag::LimitFlag;
#[cfg(feature = "proxy")]
use crate::{doctor, inspect, replay, serve};

const ABOUT: &str = "Reads the tool calls that language models write as text, in any dialect, and writes them back";

const EXIT_CODES: &str = "\
Exit codes:
  0  success (diagnostics are not failures)
  1  part of the input failed: a bad line, a dialect that fails its check,
     arguments beyond repair; with --exit-status, no call
  2  usage error: a bad flag, or a file that cannot be used";

const EXAMPLES: &str = "\
Examples:
  toolglot parse answer.txt -t tools.json         read one answer
  llm 'list the files' | toolglot parse --events  stream events as JSON lines
  toolglot parse --jsonl < answers.jsonl          read millions of answers
  toolglot repair --jsonl < arguments.jsonl       fix invalid arguments
  toolglot render -d hermes message.json          write what a model would write
  toolglot grammar -d hermes -t tools.json        constrain a model to a dialect
  toolglot explain answer.txt                     see why a call was not recognised
  toolglot dialects check my_model.toml           check your own dialect
  toolglot serve --upstream http://localhost:8000 add tool calling to a server
";

const PARSE_EXAMPLES: &str = r#"Examples:
  toolglot parse --tools tools.json answer.txt
  toolglot parse --dialect hermes --validation strict answer.txt other.txt
  echo '{"id": 1, "text": "[TOOL_CALLS]ls[ARGS]{}"}' | toolglot parse --jsonl

JSON output, with "file" for several files:
  {"file"?, "role", "content", "reasoning_content"?, "tool_calls"?,
   "incomplete_calls"?, "finish_reason", "dialect"}

--jsonl lines:
  in   {"id", "text", "dialect"?, "tools"?, "options"?}, or a recorded response:
       Chat Completions, Responses, Messages, Ollama, OpenAI batch output.
       Options are named like the flags, with `_`: dialects, validation,
       untyped, null_text, reasoning_open, finish_reason, calls_in_reasoning,
       frame, evidence, unknown_tool, accept_incomplete, repairs,
       limits {held, arguments, depth, calls}
  out  {"id", "message", "finish_reason", "dialect", "incomplete_calls"?,
       "diagnostics"}, in input order. An invalid line, or one longer than
       64 MiB, yields {"id", "error", "line"}, and the run continues. A summary
       on stderr counts calls, missed calls by reason, repairs and failed lines
"#;

const REPAIR_EXAMPLES: &str = r#"Examples:
  echo "{'city': 'Paris',}" | toolglot repair
  toolglot repair --tools tools.json --tool get_weather arguments.txt
  echo '{"id":1,"arguments":"{\"a\": 1,}"}' | toolglot repair --jsonl

--jsonl lines:
  in   {"id", "arguments": string, object or null, "tool"?, "tools"?,
       "options"?}; "tool" is a name in --tools or in "tools", or a declaration
  out  {"id", "arguments": JSON text or null, "diagnostics"}, in input order
"#;

const RENDER_EXAMPLES: &str = r#"Examples:
  toolglot render --dialect qwen3_coder --tools tools.json message.json
  toolglot parse answer.txt | toolglot render --dialect harmony

--jsonl lines:
  in   {"id", "dialect"?, "tools"?,
       "message": {"content"?, "reasoning_content"?, "tool_calls"?}}
  out  {"id", "text"}, in input order. A message that the dialect cannot
       express yields {"id", "error", "line"}
"#;

const DETECT_EXAMPLES: &str = "\
Examples:
  toolglot detect answer.txt                      from a model's output
  toolglot detect --template chat_template.jinja  from a chat template
  toolglot detect --model Qwen/Qwen3-Coder-30B    from a model's name
";

const NEW_EXAMPLES: &str = r#"Examples:
  toolglot dialects new mine.toml
  toolglot dialects new mine.toml --example call.txt \
    --call 'get_weather {"city": "Paris"}'
"#;

const EXPORT_EXAMPLES: &str = "\
Examples:
  toolglot dialects export hermes --as response-template
  toolglot dialects export hermes --as response-template --template model \\
    --into model/tokenizer_config.json
";

const INFER_EXAMPLES: &str = r#"Examples:
  toolglot dialects infer chat_template.jinja
  toolglot dialects infer ~/models/my-model --out my_model.toml
  toolglot parse --dialect ./my_model.toml answer.txt"#;

const MAN_EXAMPLES: &str = "\
Examples:
  toolglot man | man -l -
  toolglot man --dir ~/.local/share/man/man1
";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "toolglot", version, long_version = features::version(), about = ABOUT, after_long_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
#[command(max_term_width = 80)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) console: ConsoleFlags,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read a model's output: text, reasoning and tool calls as a chat message
    #[command(after_long_help = format!("{PARSE_EXAMPLES}\n{EXIT_CODES}"))]
    Parse(Box<ParseArgs>),
    /// Repair the arguments of one call and print them as JSON
    #[command(after_long_help = format!("{REPAIR_EXAMPLES}\n{EXIT_CODES}"))]
    Repair(Box<RepairArgs>),
    /// Write a chat message the way a model would, in a given dialect
    #[command(after_long_help = format!("{RENDER_EXAMPLES}\n{EXIT_CODES}"))]
    Render(RenderArgs),
    /// Generate a grammar that constrains a model to a dialect and its tools
    #[command(after_long_help = format!("{}\n\n{EXIT_CODES}", grammar::HELP))]
    Grammar(Box<grammar::GrammarArgs>),
    /// List, show, check and create dialects
    Dialects(DialectsArgs),
    /// Explain step by step why calls were or were not recognised
    Explain(Box<ExplainArgs>),
    /// Identify the dialect of an output, a chat template or a model
    #[command(after_long_help = format!("{DETECT_EXAMPLES}\n{EXIT_CODES}"))]
    Detect(DetectArgs),
    /// List all diagnostics and repairs, or describe one
    Diagnostics(DiagnosticsArgs),
    /// Run a proxy that adds tool calling to a model server
    #[cfg(feature = "proxy")]
    #[command(after_long_help = serve::HELP)]
    Serve(Box<serve::ServeArgs>),
    /// Check and show the settings of `serve`
    #[cfg(feature = "proxy")]
    Config(serve::ConfigArgs),
    /// Check that a running `serve` is healthy, for container health checks
    #[cfg(feature = "proxy")]
    Health(serve::HealthArgs),
    /// Test how a model server handles tools, and suggest fixes
    #[cfg(feature = "proxy")]
    #[command(after_long_help = doctor::HELP)]
    Doctor(doctor::DoctorArgs),
    /// Show on a web page how each byte of a model's output was read
    #[cfg(feature = "proxy")]
    #[command(after_long_help = inspect::HELP)]
    Inspect(inspect::InspectArgs),
    /// Reparse captured exchanges and report what would change
    #[cfg(feature = "proxy")]
    #[command(after_long_help = replay::HELP)]
    Replay(Box<replay::ReplayArgs>),
    /// List the exchanges that `serve` captured
    #[cfg(feature = "proxy")]
    Captures(replay::CapturesArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = complete::HELP)]
    Completions(complete::CompletionsArgs),
    /// Print the manual page, or write one per command
    #[command(after_long_help = MAN_EXAMPLES)]
    Man(ManArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ParseArgs {
    /// Files to read, one message each; `-` or no file reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Read one JSON object per line and write one per line; `--help` lists their members
    #[arg(long, conflicts_with_all = ["events", "tokens"])]
    pub(crate) jsonl: bool,
    /// Print events as they happen, one JSON object per line
    #[arg(long)]
    pub(crate) events: bool,
    /// Output format; `auto` is pretty on a terminal and JSON elsewhere
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Auto, conflicts_with_all = ["jsonl", "events"])]
    pub(crate) format: Format,
    /// Exit with code 1 if no call was found
    #[arg(long, short, conflicts_with = "jsonl")]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
    #[command(flatten)]
    pub(crate) message: MessageFlags,
}

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Auto,
    Json,
    Pretty,
}

impl Format {
    /// Returns whether to print for people rather than programs.
    pub(crate) fn is_pretty(self, on_terminal: bool) -> bool {
        self == Self::Pretty || self == Self::Auto && on_terminal
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// File to read; `-` or no file reads stdin
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
    #[command(flatten)]
    pub(crate) message: MessageFlags,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DetectArgs {
    /// File with a chat template, or a JSON file that contains one
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Model name, with or without its organisation
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Dialect to consider: a name, a dialect file, or `auto` for all; repeatable
    #[arg(long = "dialect", short = 'd', value_name = "NAME|FILE|auto", add = complete::dialects(&["auto"]))]
    pub(crate) dialects: Vec<String>,
    /// JSON file with the declared tools: a list as in a chat request, or an MCP `tools/list` result
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// File with a model's output; `-` reads stdin, as does omitting FILE, --template and --model
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RepairArgs {
    /// File to read; `-` or no file reads stdin
    pub(crate) file: Option<PathBuf>,
    /// Read one JSON object per line and write one per line; `--help` lists their members
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Tool that the arguments are for; it must be declared in --tools
    #[arg(long, value_name = "NAME", requires = "tools")]
    pub(crate) tool: Option<String>,
    /// Complete truncated arguments instead of failing
    #[arg(long)]
    pub(crate) accept_incomplete: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RenderArgs {
    /// Read one JSON object per line and write one per line; `--help` lists their members
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Dialect to write: a name or a dialect file
    #[arg(long, short = 'd', value_name = "NAME|FILE", required_unless_present = "jsonl", add = complete::dialects(&[]))]
    pub(crate) dialect: Option<String>,
    /// JSON file with the declared tools: a list as in a chat request, or an MCP `tools/list` result
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Do not check that the text reads back as the same message
    #[arg(long)]
    pub(crate) no_check: bool,
    /// File with the message; `-` or no file reads stdin
    pub(crate) file: Option<PathBuf>,
}

/// Options of every command that reads.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingFlags {
    /// Dialect to read: a name, a dialect file, or `auto` for all; repeatable
    ///
    /// With `auto`, a named dialect is preferred where several match the same text: name the dialect
    /// of an earlier message of the conversation, for example
    #[arg(long = "dialect", short = 'd', value_name = "NAME|FILE|auto", add = complete::dialects(&["auto"]))]
    pub(crate) dialects: Vec<String>,
    /// JSON file with the declared tools: a list as in a chat request, or an MCP `tools/list` result
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// How to validate arguments against the tools' schemas [default: coerce]
    #[arg(long, value_name = "POLICY", value_parser = choice::<Validation>(Validation::NAMES))]
    pub(crate) validation: Option<Validation>,
    /// How to read a value without a declared type [default: infer]
    #[arg(long, hide_short_help = true, value_name = "POLICY", value_parser = choice::<Untyped>(Untyped::NAMES))]
    pub(crate) untyped: Option<Untyped>,
    /// What a bare `null` means for a nullable string parameter [default: null]
    #[arg(long, hide_short_help = true, value_name = "POLICY", value_parser = choice::<NullText>(NullText::NAMES))]
    pub(crate) null_text: Option<NullText>,
    /// Repairs to allow: none, exact, safe, all, or a list such as `safe,bare_string,-fence` [default: safe]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, add = complete::repairs())]
    pub(crate) repairs: Option<Repairs>,
    /// Limit to change: held or arguments (such as `1MiB`), depth or calls; repeatable
    #[arg(long = "limit", value_name = "NAME=NUMBER", add = complete::limits())]
    pub(crate) limits: Vec<LimitFlag>,
}

/// Options that apply only to whole messages.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Messages")]
pub(crate) struct MessageFlags {
    /// The prompt already opened the reasoning, so the text starts inside it
    ///
    /// With `=maybe`, calls are held back until no closing reasoning marker can follow.
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_parser = choice::<ReasoningOpen>(ReasoningOpen::NAMES))]
    pub(crate) reasoning_open: Option<ReasoningOpen>,
    /// Finish reason reported by the server
    #[arg(long, value_name = "REASON", value_parser = choice::<FinishReason>(FinishReason::NAMES))]
    pub(crate) finish_reason: Option<FinishReason>,
    /// How to treat a call inside reasoning [default: wait]
    #[arg(long, value_name = "POLICY", value_parser = choice::<CallsInReasoning>(CallsInReasoning::NAMES))]
    pub(crate) calls_in_reasoning: Option<CallsInReasoning>,
    /// How to treat white space around markers [default: template]
    ///
    /// `template` drops it with the markers, since chat templates write it; `exact` keeps it all as text.
    #[arg(long, value_name = "POLICY", value_parser = choice::<Frame>(Frame::NAMES))]
    pub(crate) frame: Option<Frame>,
    /// How much evidence a call needs [default: balanced]
    #[arg(long, value_name = "POLICY", value_parser = choice::<Evidence>(Evidence::NAMES))]
    pub(crate) evidence: Option<Evidence>,
    /// How to treat a call to an undeclared tool [default: call]
    #[arg(long, value_name = "POLICY", value_parser = choice::<UnknownTool>(UnknownTool::NAMES))]
    pub(crate) unknown_tool: Option<UnknownTool>,
    /// Return truncated calls as finished calls
    #[arg(long)]
    pub(crate) accept_incomplete: bool,
    /// Ids for calls without one: the same for the same input, or new each time
    #[arg(long, hide_short_help = true, value_enum, value_name = "POLICY", default_value_t = Ids::Deterministic)]
    pub(crate) ids: Ids,
    /// Read the input as a model's text even if it looks like a saved response
    #[arg(long, hide_short_help = true)]
    pub(crate) raw: bool,
    /// Which choice of a saved response to read, counted from 0
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0, conflicts_with = "raw")]
    pub(crate) choice: usize,
    /// Read tokens instead of text, one JSON object per line: {"text", "special"?}
    ///
    /// A marker that is a special token in the dialect is then recognised only as a special token;
    /// spelled out in ordinary tokens, it is text
    #[arg(long, hide_short_help = true, conflicts_with_all = ["raw", "choice", "chunk"])]
    pub(crate) tokens: bool,
    /// Feed the text in pieces of N bytes or of random sizes; the result does not change
    #[arg(long, hide_short_help = true, value_name = "N|random:SEED")]
    pub(crate) chunk: Option<Chunk>,
}

/// How ids are generated for calls without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ids {
    #[default]
    Deterministic,
    Random,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DialectsArgs {
    #[command(subcommand)]
    pub(crate) command: DialectsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DialectsCommand {
    /// List the built-in dialects
    List {
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Show a dialect: description, aliases and file
    Show {
        /// A name, an alias, or a file
        #[arg(add = complete::dialects(&[]))]
        name: String,
        /// Print only the file, as a starting point for your own
        #[arg(long)]
        toml: bool,
        /// Print what each marker ends at each position in a message
        #[arg(long, conflicts_with = "toml")]
        ends: bool,
    },
    /// Check dialect files: load them, write two calls and read them back
    #[command(after_long_help = EXIT_CODES)]
    Check(CheckArgs),
    /// Create a dialect file from an example output and the calls it contains
    #[command(after_long_help = NEW_EXAMPLES)]
    New(NewArgs),
    /// Find or derive the dialect of a chat template, and certify it
    #[command(after_long_help = format!("{INFER_EXAMPLES}\n{EXIT_CODES}"))]
    Infer(InferArgs),
    /// Certify a dialect against a chat template: what reads back and what does not
    #[command(after_long_help = EXIT_CODES)]
    Certify(CertifyArgs),
    /// Convert a dialect to another format
    #[command(after_long_help = format!("{EXPORT_EXAMPLES}\n{EXIT_CODES}"))]
    Export(ExportArgs),
    /// Convert a response template, or a tokenizer configuration with one, to a dialect file
    #[command(after_long_help = EXIT_CODES)]
    Import(ImportArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InferArgs {
    /// `chat_template.jinja`, `tokenizer_config.json`, or a model's folder
    #[arg(value_name = "TEMPLATE")]
    pub(crate) template: PathBuf,
    /// Dialect file to write; its name becomes the dialect's name
    #[arg(long, short, value_name = "FILE.toml")]
    pub(crate) out: Option<PathBuf>,
    /// Derive a dialect even if a built-in one fits
    #[arg(long)]
    pub(crate) derive: bool,
    /// Print the certificate and the file as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CertifyArgs {
    /// A name, an alias, or a file
    #[arg(add = complete::dialects(&[]))]
    pub(crate) name: String,
    /// `chat_template.jinja`, `tokenizer_config.json`, or a model's folder
    #[arg(long, short, value_name = "TEMPLATE")]
    pub(crate) template: PathBuf,
    /// Number of random messages to try in addition to the fixed ones
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    pub(crate) messages: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiagnosticsArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Code to describe, such as `single_quotes`
    #[arg(add = complete::diagnostics())]
    pub(crate) code: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// Directory for `toolglot.1` and a page per command
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Parses one of a policy's names, which help lists.
fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
