//! `toolglot dialects infer` and `certify`: the dialect of a chat template, and its certificate.

use std::sync::Arc;

use toolglot::Dialects;
use toolglot_json::json;
use toolglot_template::{Grade, Inferred, derive_only};

use crate::args::{CertifyArgs, InferArgs};
use crate::console;
use crate::draft::wrote;
use crate::failure::{self, ExitStatus, Run, failed};
use crate::input::{check_new, write_file};
use crate::known::{named, named_after};
use crate::template_file::{confined, read};

/// Runs `dialects infer`: exit code 1 if no dialect certifies.
pub(crate) fn run(args: &InferArgs) -> Run {
    confined(|| infer(args))
}

fn infer(args: &InferArgs) -> Run {
    args.out.iter().try_for_each(|path| check_new(path, args.force))?;
    let template = read(&args.template)?;
    let name = args.out.as_deref().map_or_else(|| "derived".to_owned(), named_after);
    let found = match args.derive {
        true => derive_only(&template, &name),
        false => toolglot_template::infer(&template, &Dialects::builtin()),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) if args.json => return print(&json!({"error": error.to_string()}).to_string(), false),
        Err(error) => return failed("error", error),
    };
    let source = source(&found, &name);
    args.out.iter().try_for_each(|path| write_file(path, &source))?;
    match args.json {
        true => {
            let mut all = found.certificate.to_json();
            all["derived"] = found.is_derived.into();
            all["file"] = source.into();
            print(&all.to_string(), true)
        }
        false => {
            let file = if found.is_derived || args.out.is_some() { format!("\n{source}") } else { String::new() };
            let end = print(format!("{}{file}", found.certificate).trim_end(), true);
            console::note(&next_step(args, &found));
            end
        }
    }
}

/// The file of a dialect; a derived one names its origin.
fn source(found: &Inferred, name: &str) -> String {
    let source = found.dialect.source();
    source.replace("about = \"derived: ", &format!("about = \"{name}: "))
}

fn next_step(args: &InferArgs, found: &Inferred) -> String {
    let open = if found.certificate.prefill.is_empty() { "" } else { " --reasoning-open" };
    match &args.out {
        Some(path) => wrote(path, open),
        None if found.is_derived => "pass `--out NAME.toml` to keep the file".to_owned(),
        None => format!("use it with `--dialect {}{open}`", found.dialect.name()),
    }
}

/// Runs `dialects certify`: exit code 1 if the dialect does not fit.
pub(crate) fn certify(args: &CertifyArgs) -> Run {
    confined(|| {
        let dialect = Arc::new(named(&args.name)?);
        let template = read(&args.template)?;
        match toolglot_template::certify(&template, &dialect, args.messages) {
            Ok(found) => {
                let text = if args.json { found.to_json().to_string() } else { found.to_string() };
                print(text.trim_end(), found.grade < Grade::None)
            }
            Err(error) => failed("error", error),
        }
    })
}

fn print(text: &str, is_fine: bool) -> Run {
    failure::print(format!("{text}\n"))?;
    Ok(ExitStatus::fine_if(is_fine))
}
