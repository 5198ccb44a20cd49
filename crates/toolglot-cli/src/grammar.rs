//! `toolglot grammar`: a grammar that constrains a model to a dialect and its tools, for inference engines.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use toolglot_grammar::{
    ArgumentsLevel, GrammarForm, GrammarOptions, GrammarReasoning, GrammarRequest, GrammarTool, GrammarToolChoice,
    MarkerSpelling, UnsupportedKeywords,
};
use toolglot_json::Value;

use crate::complete;
use crate::failure::{ExitStatus, Failure, Run, print_warning};
use crate::input;
use crate::json;
use crate::known;
use crate::tools;

pub(crate) const HELP: &str = r#"Examples:
  toolglot grammar -d qwen3_coder -t tools.json
  toolglot grammar -d hermes -t tools.json --for structural-tag
  toolglot grammar -d hermes -t tools.json --body > body.json
  toolglot grammar -d hermes -t tools.json --for json-schema --openai

Schema keywords that the grammar omits are listed on stderr. `docs/grammars.md`
describes how to send each form to an engine."#;

/// Arguments of `toolglot grammar`.
#[derive(Debug, ClapArgs)]
pub(crate) struct GrammarArgs {
    /// Dialect that the model writes: a name or a dialect file
    #[arg(long, short = 'd', value_name = "NAME|FILE", add = complete::dialects(&[]))]
    dialect: String,
    /// JSON file with the declared tools: a list as in a chat request, or an MCP `tools/list` result
    #[arg(long, short = 't', value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Output form
    #[arg(long = "for", value_enum, value_name = "FORM", default_value_t = FormFlag::Gbnf)]
    form: FormFlag,
    /// Tool choice: auto, required, none, or the name of a tool
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    tool_choice: String,
    /// Allow only one call
    #[arg(long)]
    no_parallel: bool,
    /// How strictly to constrain arguments; a tool with `"strict": true` always follows its schema
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = ArgumentsFlag::Schema)]
    arguments: ArgumentsFlag,
    /// Where the grammar starts: after the reasoning, before it, or inside it
    #[arg(long, value_enum, value_name = "PLACE", default_value_t = ReasoningFlag::Optional)]
    reasoning: ReasoningFlag,
    /// Allow text before required calls
    #[arg(long)]
    content: bool,
    /// Allow all spellings of the dialect's markers, not only the first
    #[arg(long)]
    all_spellings: bool,
    /// Fail on a schema keyword that grammars cannot express, instead of omitting it
    #[arg(long)]
    strict: bool,
    /// JSON Schema file for answers without calls, instead of free text
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// Text that is a single token of the model; repeatable. By default, no tokens are known
    #[arg(long = "token", value_name = "TEXT")]
    tokens: Vec<String>,
    /// Write a lazy GBNF grammar of the calls only, triggered by their first marker; text before it is free
    #[arg(long)]
    lazy: bool,
    /// Write the JSON schema in the strict form of OpenAI's API
    #[arg(long)]
    openai: bool,
    /// Print request body members for llama-server, vLLM, or an API with `response_format`
    #[arg(long)]
    body: bool,
}

/// The form of a grammar.
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

/// How strictly arguments are constrained.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArgumentsFlag {
    /// Only markers and names are constrained
    Free,
    /// Arguments follow the schema of each tool
    Schema,
}

/// Where a grammar starts.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReasoningFlag {
    /// After the reasoning, at the start of the answer
    None,
    /// At the first token; the model may reason
    Optional,
    /// Inside reasoning that the prompt opened
    Prefilled,
}

/// Runs the command.
pub(crate) fn run(args: &GrammarArgs) -> Run {
    let dialect = known::named(&args.dialect)?;
    let declared = declared(args.tools.as_deref())?;
    let request =
        GrammarRequest::new(options(args)?).with_form(args.form.into()).with_lazy(args.lazy).with_openai(args.openai);
    let written = request.write(&dialect, &declared).map_err(Failure::usage)?;
    let text = if args.body { format!("{:#}", written.body) } else { written.text };
    written.warnings.iter().for_each(|warning| print_warning("warning", warning));
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') || out.is_terminal() {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(ExitStatus::Fine)
}

/// Reads the tool declarations, with the usual checks of the file.
fn declared(path: Option<&Path>) -> Result<Vec<GrammarTool>, Failure> {
    let Some(file) = path else { return Ok(Vec::new()) };
    tools::read(path)?;
    let value: Value = toolglot_json::from_str(&input::read_text(file)?).map_err(Failure::usage)?;
    GrammarTool::list(&value).map_err(Failure::usage)
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
        .map_err(|error| Failure::Usage(format!("`{}` is not valid JSON ({})", path.display(), json::fault(&error))))
}
