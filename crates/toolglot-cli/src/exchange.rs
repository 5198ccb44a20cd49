//! `toolglot dialects export` and `import`: dialects in other formats.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolglot_json::json;
use toolglot_template::response_template;

use crate::complete;
use crate::failure::{Failure, Run, failed, print, print_warning};
use crate::input::{check_new, read_json, read_text, write_file};
use crate::known::{named, named_after};
use crate::template_file::{confined, read};

/// Other formats.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExchangeFormat {
    /// Response template of a tokenizer configuration, as read by `transformers`, vLLM and SGLang
    ResponseTemplate,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// A name, an alias, or a file
    #[arg(add = complete::dialects(&[]))]
    name: String,
    /// Output format
    #[arg(long = "as", value_name = "FORMAT", value_enum)]
    format: ExchangeFormat,
    /// The model's chat template (file or folder), for the text before the assistant's message
    #[arg(long, short, value_name = "TEMPLATE")]
    template: Option<PathBuf>,
    /// `tokenizer_config.json` to write it into, instead of printing it
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Response template, or a `tokenizer_config.json` with one
    file: PathBuf,
    /// Dialect file to write; its name becomes the dialect's name
    #[arg(long, short, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Runs `dialects export`: exit code 1 if the format cannot express how calls are written.
pub(crate) fn export(args: &ExportArgs) -> Run {
    if args.template.is_some() { confined(|| exported(args)) } else { exported(args) }
}

fn exported(args: &ExportArgs) -> Run {
    let ExchangeFormat::ResponseTemplate = args.format;
    let dialect = named(&args.name)?;
    let start = args.template.as_ref().map(|path| header(path, &dialect)).transpose()?;
    let found = match response_template::export(&dialect, start.as_deref()) {
        Ok(found) => found,
        Err(why) => return failed("error", why),
    };
    found.notes.iter().for_each(|note| print_warning("left out", note));
    let text = match &args.into {
        None => format!("{:#}", json!({"response_template": found.template})),
        Some(path) => {
            let mut config = read_json(path)?;
            config["response_template"] = found.template;
            write_file(path, format!("{config:#}\n"))?;
            format!("wrote `response_template` into `{}`", path.display())
        }
    };
    print(text + "\n")
}

/// The text before the assistant's message, without a prefill.
fn header(path: &std::path::Path, dialect: &toolglot::Dialect) -> Result<String, Failure> {
    let template = read(path)?;
    let dialect = std::sync::Arc::new(dialect.clone());
    let certificate = toolglot_template::certify(&template, &dialect, 0)
        .map_err(|error| Failure::Usage(format!("`{}`: {error}", path.display())))?;
    Ok(certificate.header)
}

/// Runs `dialects import`: exit code 1 if no dialect can express the template.
pub(crate) fn import(args: &ImportArgs) -> Run {
    args.out.iter().try_for_each(|path| check_new(path, args.force))?;
    let name = args.out.as_deref().map_or_else(|| "imported".to_owned(), named_after);
    match response_template::import(&name, &read_text(&args.file)?) {
        Ok(source) => {
            args.out.iter().try_for_each(|path| write_file(path, &source))?;
            print(format!("{}\n", source.trim_end()))
        }
        Err(why) => failed("error", why),
    }
}
