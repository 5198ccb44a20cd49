//! Every command and flag, in one place.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use toolglot::{CallsInReasoning, Evidence, FinishReason, Repairs, UnknownTool, Untyped, Validation};

use crate::chunk::Chunk;
use crate::options::LimitFlag;
#[cfg(feature = "proxy")]
use crate::serve;

const ABOUT: &str = "Turns what a language model wrote into structured tool calls, whatever dialect it is written in";

const EXIT_CODES: &str = "\
Exit codes:
  0  fine (diagnostics are not failures)
  1  something in the input failed: a broken line, a dialect that does not check, a failed repair
  2  the command line, or a file that it names, cannot be used";

const EXAMPLES: &str = "\
Examples:
  toolglot parse answer.txt                          read one answer, whatever its dialect
  llm 'list the files' | toolglot parse --events     events as they happen, one JSON a line
  toolglot parse --jsonl < answers.jsonl             millions of answers, on all cores
  toolglot repair --jsonl < arguments.jsonl          arguments that are not JSON
  toolglot render -d hermes message.json             a chat message as a model would write it
  toolglot explain answer.txt                        why it was read as it was
  toolglot dialects check my_model.toml              check a dialect of your own
  toolglot serve --upstream http://localhost:8000    tool calls for any client of a model server
";

const PARSE_EXAMPLES: &str = r#"Examples:
  toolglot parse --tools tools.json answer.txt
  toolglot parse --dialect hermes --dialect ./mine.toml --validation strict answer.txt
  echo '{"id": 1, "text": "[TOOL_CALLS]ls[ARGS]{}"}' | toolglot parse --jsonl

Lines of --jsonl:
  in   {"id", "text", "dialect"?, "tools"?, "options"?}; options are named as the flags, with `_`:
       dialects, validation, untyped, reasoning_open, finish_reason, calls_in_reasoning, evidence,
       unknown_tool, accept_incomplete, repairs, limits {held, arguments, depth, calls}
  out  {"id", "message", "finish_reason", "dialect", "incomplete_calls"?, "diagnostics"}, in order;
       a line that cannot be read gives {"id", "error", "line"} and the run goes on
"#;

const REPAIR_EXAMPLES: &str = r#"Examples:
  echo "{'city': 'Paris',}" | toolglot repair
  toolglot repair --tools tools.json --tool get_weather arguments.txt
  echo '{"id":1,"arguments":"{\"a\": 1,}"}' | toolglot repair --jsonl

Lines of --jsonl:
  in   {"id", "arguments": text, object or null, "tool"?, "options"?}
  out  {"id", "arguments": JSON text or null, "diagnostics"}, in order
"#;

const RENDER_EXAMPLES: &str = r#"Examples:
  toolglot render --dialect qwen3_coder --tools tools.json message.json
  toolglot parse answer.txt | toolglot render --dialect harmony

Lines of --jsonl:
  in   {"id", "dialect"?, "message": {"content"?, "reasoning_content"?, "tool_calls"?}, "tools"?}
  out  {"id", "text"}, in order; a message that the dialect cannot express gives {"id", "error", "line"}
"#;

const DETECT_EXAMPLES: &str = "\
Examples:
  toolglot detect answer.txt                                from what a model wrote
  toolglot detect --template chat_template.jinja            from a chat template
  toolglot detect --model Qwen/Qwen3-Coder-30B-A3B-Instruct from a model's name
";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "toolglot", version, about = ABOUT, after_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
#[command(max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read model output: text, reasoning and calls as a chat message
    #[command(after_help = format!("{PARSE_EXAMPLES}\n{EXIT_CODES}"))]
    Parse(Box<ParseArgs>),
    /// Turn the arguments of a call into JSON, whatever they are written in
    #[command(after_help = format!("{REPAIR_EXAMPLES}\n{EXIT_CODES}"))]
    Repair(Box<RepairArgs>),
    /// Write a chat message as a model of a dialect would have
    #[command(after_help = format!("{RENDER_EXAMPLES}\n{EXIT_CODES}"))]
    Render(RenderArgs),
    /// List, show and check dialects
    Dialects(DialectsArgs),
    /// Show each step of reading: what was seen, tried, committed, given back, and why
    Explain(Box<ExplainArgs>),
    /// Say which dialect an output, a chat template or a model speaks, and why
    #[command(after_help = format!("{DETECT_EXAMPLES}\n{EXIT_CODES}"))]
    Detect(DetectArgs),
    /// List the codes of diagnostics and the names of repairs
    Diagnostics(DiagnosticsArgs),
    /// Stand between clients and a model server and make tool calls work
    #[cfg(feature = "proxy")]
    #[command(after_help = serve::HELP)]
    Serve(Box<serve::ServeArgs>),
    /// Check and show the settings of `serve`
    #[cfg(feature = "proxy")]
    Config(serve::ConfigArgs),
    /// Ask a running `serve` whether it is well, for container health checks
    #[cfg(feature = "proxy")]
    Health(serve::HealthArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ParseArgs {
    /// Read one JSON object a line and write one a line (see below)
    #[arg(long, conflicts_with_all = ["events", "tokens"])]
    pub(crate) jsonl: bool,
    /// Print events as they happen, one JSON object a line
    #[arg(long)]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
    #[command(flatten)]
    pub(crate) message: MessageFlags,
    /// File to read; stdin if it is `-` or missing
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
    #[command(flatten)]
    pub(crate) message: MessageFlags,
    /// File to read; stdin if it is `-` or missing
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DetectArgs {
    /// File with a chat template, or with the JSON around it
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Name of a model, with or without its organisation
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Dialect to consider: a name, a file of your own, or `auto` for all; may be given several times
    #[arg(long = "dialect", short = 'd', value_name = "NAME|FILE|auto")]
    pub(crate) dialects: Vec<String>,
    /// File with the declared tools: a JSON list, as in a chat request
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// One JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// File with an output; stdin if it is `-`, or if nothing else is asked about
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RepairArgs {
    /// Read one JSON object a line and write one a line (see below)
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// The tool the arguments are for, by its name in the file of --tools
    #[arg(long, value_name = "NAME", requires = "tools")]
    pub(crate) tool: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingFlags,
    /// File to read; stdin if it is `-` or missing
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RenderArgs {
    /// Read one JSON object a line and write one a line (see below)
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Dialect to write: a name, or a file of your own
    #[arg(long, short = 'd', value_name = "NAME|FILE", required_unless_present = "jsonl")]
    pub(crate) dialect: Option<String>,
    /// File with the declared tools: a JSON list, as in a chat request
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// Do not read the text again to prove that it says the same
    #[arg(long)]
    pub(crate) no_check: bool,
    /// File with the message; stdin if it is `-` or missing
    pub(crate) file: Option<PathBuf>,
}

/// What every way of reading is told.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct ReadingFlags {
    /// Dialect to read: a name, a file of your own, or `auto` for all; may be given several times.
    /// A name beside `auto` decides where several dialects read the same, such as the one that an
    /// earlier message of the conversation was written in
    #[arg(long = "dialect", short = 'd', value_name = "NAME|FILE|auto")]
    pub(crate) dialects: Vec<String>,
    /// File with the declared tools: a JSON list, as in a chat request
    #[arg(long, short = 't', value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// How calls are checked against the tools' schemas [default: coerce]
    #[arg(long, value_name = "POLICY", value_parser = choice::<Validation>(Validation::NAMES))]
    pub(crate) validation: Option<Validation>,
    /// What text means where no schema gives its type [default: infer]
    #[arg(long, value_name = "POLICY", value_parser = choice::<Untyped>(Untyped::NAMES))]
    pub(crate) untyped: Option<Untyped>,
    /// Repairs that may be made: none, safe, all, or names as in `safe,bare_string,-fence` [default: safe]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) repairs: Option<Repairs>,
    /// A bound, one of held, arguments (bytes), depth, calls; may be given several times
    #[arg(long = "limit", value_name = "NAME=NUMBER")]
    pub(crate) limits: Vec<LimitFlag>,
}

/// What reading a whole message is told besides.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct MessageFlags {
    /// The prompt already opened the reasoning, so the text starts inside it
    #[arg(long)]
    pub(crate) reasoning_open: bool,
    /// Why the server stopped, if it said so
    #[arg(long, value_name = "REASON", value_parser = choice::<FinishReason>(FinishReason::NAMES))]
    pub(crate) finish_reason: Option<FinishReason>,
    /// What a call inside reasoning is [default: wait]
    #[arg(long, value_name = "POLICY", value_parser = choice::<CallsInReasoning>(CallsInReasoning::NAMES))]
    pub(crate) calls_in_reasoning: Option<CallsInReasoning>,
    /// How much evidence a call needs [default: balanced]
    #[arg(long, value_name = "POLICY", value_parser = choice::<Evidence>(Evidence::NAMES))]
    pub(crate) evidence: Option<Evidence>,
    /// What becomes of a call whose tool is not declared [default: call]
    #[arg(long, value_name = "POLICY", value_parser = choice::<UnknownTool>(UnknownTool::NAMES))]
    pub(crate) unknown_tool: Option<UnknownTool>,
    /// Return a call that the end of the input cut off among the calls
    #[arg(long)]
    pub(crate) accept_incomplete: bool,
    /// Ids of calls that carry none: the same for the same input, or new each time
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Ids::Deterministic)]
    pub(crate) ids: Ids,
    /// Read the bytes as a model's text even if they are a saved answer of a server
    #[arg(long)]
    pub(crate) raw: bool,
    /// Which alternative of a saved answer to read, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "raw")]
    pub(crate) choice: usize,
    /// The file is the text's tokens, one a line: {"text", "special"?}. Markers of the dialect that are special tokens
    /// are then read only where one came in as such; spelled in other tokens they are text
    #[arg(long, conflicts_with_all = ["raw", "choice", "chunk"])]
    pub(crate) tokens: bool,
    /// Feed the text in pieces of N bytes or random sizes; the result does not depend on it
    #[arg(long, value_name = "N|random:SEED")]
    pub(crate) chunk: Option<Chunk>,
}

/// How ids are made for calls that carry none.
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
        /// One JSON array instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Show a dialect: what it is, its other names, its file
    Show {
        /// A name, another name it goes by, or a file
        name: String,
        /// Only the file's text, to start your own from
        #[arg(long)]
        toml: bool,
    },
    /// Load dialect files and say what is wrong with them
    #[command(after_help = EXIT_CODES)]
    Check {
        /// Files to check; `-` is stdin
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DiagnosticsArgs {
    /// One JSON array instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads one of a policy's names; help lists them.
fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
