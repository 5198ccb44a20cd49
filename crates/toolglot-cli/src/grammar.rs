//! `toolglot grammar`: the grammar that holds a model to a dialect and its tools, for the engine that samples.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use toolglot_grammar::{
    ArgumentsLevel, GrammarForm, GrammarOptions, GrammarReasoning, GrammarRequest, GrammarTool, GrammarToolChoice,
    MarkerSpelling, UnsupportedKeywords,
};
use toolglot_json::Value;

use crate::console;
use crate::failure::{ExitStatus, Failure, Run};
use crate::input;
use crate::known;
use crate::paint::Paint;
use crate::tools;

pub(crate) const HELP: &str = r#"Examples:
  toolglot grammar -d qwen3_coder -t tools.json
  toolglot grammar -d hermes -t tools.json --for structural-tag
  toolglot grammar -d hermes -t tools.json --body > body.json
  toolglot grammar -d hermes -t tools.json --for json-schema --openai

What the grammar leaves out of a schema goes to stderr. `docs/grammars.md`
says where each form is sent."#;

/// What `toolglot grammar` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct GrammarArgs {
    /// Dialect that the model writes: a name, or a file of your own
    #[arg(long, short = 'd', value_name = "NAME|FILE")]
    dialect: String,
    /// File with the declared tools, as JSON: a list as in a chat request, or an MCP `tools/list` result
    #[arg(long, short = 't', value_name = "FILE")]
    tools: Option<PathBuf>,
    /// What to write the grammar as
    #[arg(long = "for", value_enum, value_name = "FORM", default_value_t = FormFlag::Gbnf)]
    form: FormFlag,
    /// Which calls the message has: auto, required, none, or the name of a tool
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    tool_choice: String,
    /// Allow one call only
    #[arg(long)]
    no_parallel: bool,
    /// How far arguments are held; a tool that declares `"strict": true` is held to its schema in any case
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = ArgumentsFlag::Schema)]
    arguments: ArgumentsFlag,
    /// Where the grammar begins: behind the reasoning, before it, or inside it
    #[arg(long, value_enum, value_name = "PLACE", default_value_t = ReasoningFlag::Optional)]
    reasoning: ReasoningFlag,
    /// Allow text before calls that are demanded
    #[arg(long)]
    content: bool,
    /// Allow all spellings of the dialect's markers, not only the first
    #[arg(long)]
    all_spellings: bool,
    /// Fail if a schema has a keyword that no grammar holds, instead of leaving it out
    #[arg(long)]
    strict: bool,
    /// File with the JSON schema of an answer without calls, instead of text
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// Literal that is one token of the model; repeatable. Without it nothing is known of tokens
    #[arg(long = "token", value_name = "TEXT")]
    tokens: Vec<String>,
    /// GBNF of the calls alone, which begins when their first marker is written; text before it is free
    #[arg(long)]
    lazy: bool,
    /// JSON schema in the strict form of OpenAI's API
    #[arg(long)]
    openai: bool,
    /// Print the members of a request body: for llama-server, vLLM, or an API with `response_format`
    #[arg(long)]
    body: bool,
}

/// What a grammar is written as.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormFlag {
    /// For llama.cpp
    Gbnf,
    /// For llguidance
    Lark,
    /// For xgrammar: vLLM, SGLang, TensorRT-LLM
    StructuralTag,
    /// For hosted APIs
    JsonSchema,
}

impl From<FormFlag> for GrammarForm {
    fn from(form: FormFlag) -> Self {
        match form {
            FormFlag::Gbnf => Self::Gbnf,
            FormFlag::Lark => Self::Lark,
            FormFlag::StructuralTag => Self::StructuralTag,
            FormFlag::JsonSchema => Self::JsonSchema,
        }
    }
}

/// How far arguments are held.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArgumentsFlag {
    /// Only markers and names
    Free,
    /// The schema of each tool
    Schema,
}

/// Where a grammar begins.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReasoningFlag {
    /// Where the answer begins
    None,
    /// At the first token; the model may reason
    Optional,
    /// Inside the reasoning that the prompt opened
    Prefilled,
}

/// Runs the command.
pub(crate) fn run(args: &GrammarArgs) -> Run {
    let dialect = known::named(&args.dialect)?;
    let declared = declared(args.tools.as_deref())?;
    let request =
        GrammarRequest::new(options(args)?).with_form(args.form.into()).with_lazy(args.lazy).with_openai(args.openai);
    let written = request.write(&dialect, &declared).map_err(|error| Failure::Usage(error.to_string()))?;
    let text = if args.body { format!("{:#}", written.body) } else { written.text };
    for warning in &written.warnings {
        console::note(&format!("{}: {warning}", Paint::stderr().warning("warning")));
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') || out.is_terminal() {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(ExitStatus::Fine)
}

/// Reads the tools as they are declared; what is wrong with the file is found as everywhere.
fn declared(path: Option<&Path>) -> Result<Vec<GrammarTool>, Failure> {
    let Some(file) = path else { return Ok(Vec::new()) };
    tools::read(path)?;
    let value: Value =
        toolglot_json::from_str(&input::read_text(file)?).map_err(|error| Failure::Usage(error.to_string()))?;
    GrammarTool::list(&value).map_err(|error| Failure::Usage(error.to_string()))
}

fn options(args: &GrammarArgs) -> Result<GrammarOptions, Failure> {
    let choice = match args.tool_choice.as_str() {
        "auto" => GrammarToolChoice::Auto,
        "required" => GrammarToolChoice::Required,
        "none" => GrammarToolChoice::None,
        name => GrammarToolChoice::Named(name.to_owned()),
    };
    let reasoning = match args.reasoning {
        ReasoningFlag::None => GrammarReasoning::None,
        ReasoningFlag::Optional => GrammarReasoning::Optional,
        ReasoningFlag::Prefilled => GrammarReasoning::Prefilled,
    };
    let arguments = match args.arguments {
        ArgumentsFlag::Free => ArgumentsLevel::Free,
        ArgumentsFlag::Schema => ArgumentsLevel::Schema,
    };
    let spelling = if args.all_spellings { MarkerSpelling::All } else { MarkerSpelling::Canonical };
    let unsupported = if args.strict { UnsupportedKeywords::Strict } else { UnsupportedKeywords::Lenient };
    Ok(GrammarOptions::new()
        .with_tool_choice(choice)
        .with_parallel(!args.no_parallel)
        .with_reasoning(reasoning)
        .with_arguments(arguments)
        .with_spelling(spelling)
        .with_unsupported(unsupported)
        .with_content(args.content)
        .with_answer(args.answer.as_deref().map(answer).transpose()?)
        .with_tokens((!args.tokens.is_empty()).then(|| args.tokens.clone())))
}

fn answer(path: &Path) -> Result<Value, Failure> {
    let text = input::read_text(path)?;
    toolglot_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{}: it is not valid JSON: {error}", path.display())))
}
