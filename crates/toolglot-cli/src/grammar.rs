//! `toolglot grammar`: a grammar that constrains a model to a dialect and its tools, for inference engines.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use toolglot_grammar::{
    ArgumentsLevel, GrammarForm, GrammarOptions, GrammarReasoning, GrammarRequest, GrammarTool, GrammarToolChoice,
    MarkerSpelling, UnsupportedKeywords,
};

use crate::complete;
use crate::failure::{Failure, Run, print, print_exact, print_warning};
use crate::input;
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
    #[arg(long = "for", value_name = "FORM", default_value = "gbnf", value_parser = one_of(FORMS))]
    form: GrammarForm,
    /// Tool choice: auto, required, none, or the name of a tool
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    tool_choice: String,
    /// Allow only one call
    #[arg(long)]
    no_parallel: bool,
    /// How strictly to constrain arguments; a tool with `"strict": true` always follows its schema
    #[arg(long, value_name = "LEVEL", default_value = "schema", value_parser = one_of(ARGUMENTS))]
    arguments: ArgumentsLevel,
    /// Where the grammar starts: after the reasoning, before it, or inside it
    #[arg(long, value_name = "PLACE", default_value = "optional", value_parser = one_of(REASONING))]
    reasoning: GrammarReasoning,
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

/// The words of a flag, what help says about them, and what they mean.
type Words<T> = &'static [(&'static str, &'static str, T)];

const FORMS: Words<GrammarForm> = &[
    ("gbnf", "For llama.cpp", GrammarForm::Gbnf),
    ("lark", "For llguidance", GrammarForm::Lark),
    ("structural-tag", "For xgrammar: vLLM, SGLang, TensorRT-LLM", GrammarForm::StructuralTag),
    ("json-schema", "For hosted APIs", GrammarForm::JsonSchema),
];

const ARGUMENTS: Words<ArgumentsLevel> = &[
    ("free", "Only markers and names are constrained", ArgumentsLevel::Free),
    ("schema", "Arguments follow the schema of each tool", ArgumentsLevel::Schema),
];

const REASONING: Words<GrammarReasoning> = &[
    ("none", "After the reasoning, at the start of the answer", GrammarReasoning::None),
    ("optional", "At the first token; the model may reason", GrammarReasoning::Optional),
    ("prefilled", "Inside reasoning that the prompt opened", GrammarReasoning::Prefilled),
];

fn one_of<T: Copy + Send + Sync + 'static>(words: Words<T>) -> impl TypedValueParser<Value = T> {
    let values = words.iter().map(|(word, about, _)| PossibleValue::new(*word).help(*about));
    PossibleValuesParser::new(values).try_map(|given| {
        let found = words.iter().find(|(word, ..)| *word == given);
        found.map(|(.., meant)| *meant).ok_or("not one of the words")
    })
}

/// Runs the command.
pub(crate) fn run(args: &GrammarArgs) -> Run {
    let dialect = known::named(&args.dialect)?;
    let declared = declared(args.tools.as_deref())?;
    let request =
        GrammarRequest::new(options(args)?).with_form(args.form).with_lazy(args.lazy).with_openai(args.openai);
    let written = request.write(&dialect, &declared).map_err(Failure::usage)?;
    let text = if args.body { format!("{:#}", written.body) } else { written.text };
    written.warnings.iter().for_each(|warning| print_warning("warning", warning));
    if text.ends_with('\n') { print_exact(text) } else { print(text + "\n") }
}

/// Reads the tool declarations, with the usual checks of the file.
fn declared(path: Option<&Path>) -> Result<Vec<GrammarTool>, Failure> {
    let Some(file) = path else { return Ok(Vec::new()) };
    tools::read(path)?;
    GrammarTool::list(&input::read_json(file)?).map_err(Failure::usage)
}

fn options(args: &GrammarArgs) -> Result<GrammarOptions, Failure> {
    let choice = match args.tool_choice.as_str() {
        "auto" => GrammarToolChoice::Auto,
        "required" => GrammarToolChoice::Required,
        "none" => GrammarToolChoice::None,
        name => GrammarToolChoice::Named(name.to_owned()),
    };
    let spelling = if args.all_spellings { MarkerSpelling::All } else { MarkerSpelling::Canonical };
    let unsupported = if args.strict { UnsupportedKeywords::Strict } else { UnsupportedKeywords::Lenient };
    Ok(GrammarOptions::new()
        .with_tool_choice(choice)
        .with_parallel(!args.no_parallel)
        .with_reasoning(args.reasoning)
        .with_arguments(args.arguments)
        .with_spelling(spelling)
        .with_unsupported(unsupported)
        .with_content(args.content)
        .with_answer(args.answer.as_deref().map(input::read_json).transpose()?)
        .with_tokens((!args.tokens.is_empty()).then(|| args.tokens.clone())))
}
