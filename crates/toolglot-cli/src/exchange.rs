//! `toolglot dialects export` and `import`: dialects in the formats of others.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolglot_json::{Value, json};
use toolglot_template::response_template;

use crate::console;
use crate::failure::{ExitStatus, Failure, Run};
use crate::input::read_text;
use crate::known::named;
use crate::paint::Paint;
use crate::template_file::{confined, read};

/// The formats of others.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExchangeFormat {
    /// What a tokenizer's configuration declares, and `transformers`, vLLM and SGLang read
    ResponseTemplate,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// A name, an alias, or a file
    name: String,
    /// The format
    #[arg(long = "as", value_name = "FORMAT", value_enum)]
    format: ExchangeFormat,
    /// The model's chat template, which gives the text in front of the assistant's message: a file or a folder
    #[arg(long, short, value_name = "TEMPLATE")]
    template: Option<PathBuf>,
    /// Put it into this `tokenizer_config.json` instead of printing it
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A response template, or a `tokenizer_config.json` with one
    file: PathBuf,
    /// Write the dialect file here; its name is the dialect's name
    #[arg(long, short, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Runs `dialects export`: exit code 1 if the format cannot say how calls are written.
pub(crate) fn export(args: &ExportArgs) -> Run {
    if args.template.is_some() { confined(|| exported(args)) } else { exported(args) }
}

fn exported(args: &ExportArgs) -> Run {
    let ExchangeFormat::ResponseTemplate = args.format;
    let dialect = named(&args.name)?;
    let start = match &args.template {
        Some(path) => Some(header(path, &dialect)?),
        None => None,
    };
    let found = match response_template::export(&dialect, start.as_deref()) {
        Ok(found) => found,
        Err(why) => return failed(&why),
    };
    found.notes.iter().for_each(|note| console::note(&format!("{}: {note}", Paint::stderr().warning("left out"))));
    let text = match &args.into {
        None => format!("{:#}", json!({"response_template": found.template})),
        Some(path) => {
            let mut config: Value = toolglot_json::from_str(&read_text(path)?)
                .map_err(|error| Failure::Usage(format!("`{}`: expected JSON: {error}", path.display())))?;
            config["response_template"] = found.template;
            write(path, &format!("{config:#}\n"))?;
            format!("wrote `response_template` into `{}`", path.display())
        }
    };
    print(&text)
}

/// What stands in front of the assistant's message, without what is opened for the model.
fn header(path: &std::path::Path, dialect: &toolglot::Dialect) -> Result<String, Failure> {
    let template = read(path)?;
    let dialect = std::sync::Arc::new(dialect.clone());
    let certificate = toolglot_template::certify(&template, &dialect, 0)
        .map_err(|error| Failure::Usage(format!("`{}`: {error}", path.display())))?;
    Ok(certificate.header)
}

/// Runs `dialects import`: exit code 1 if the template says what no dialect can.
pub(crate) fn import(args: &ImportArgs) -> Run {
    if let Some(path) = args.out.as_ref().filter(|path| path.exists() && !args.force) {
        return Err(Failure::Usage(format!("`{}` exists already; pass another name, or --force", path.display())));
    }
    let name = args.out.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    match response_template::import(name.as_deref().unwrap_or("imported"), &read_text(&args.file)?) {
        Ok(source) => {
            if let Some(path) = &args.out {
                write(path, &source)?;
            }
            print(source.trim_end())
        }
        Err(why) => failed(&why),
    }
}

fn write(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::Usage(format!("cannot write `{}`: {error}", path.display())))
}

fn failed(why: &response_template::Inexpressible) -> Run {
    let _ = writeln!(io::stderr(), "{}: {why}", Paint::stderr().error("error"));
    Ok(ExitStatus::Failed)
}

fn print(text: &str) -> Run {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitStatus::Fine)
}
