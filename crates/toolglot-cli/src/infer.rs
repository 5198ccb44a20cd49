//! `toolglot dialects infer` and `certify`: the dialect of a chat template, and its proof.

use std::io::{self, Write};
use std::sync::Arc;

use toolglot::Dialects;
use toolglot_json::json;
use toolglot_template::{Grade, Inferred, derive_only};

use crate::args::{CertifyArgs, InferArgs};
use crate::console;
use crate::failure::{ExitStatus, Failure, Run};
use crate::known::named;
use crate::paint::Paint;
use crate::template_file::{confined, read};

/// Runs `dialects infer`: exit code 1 if nothing certifies.
pub(crate) fn run(args: &InferArgs) -> Run {
    confined(|| infer(args))
}

fn infer(args: &InferArgs) -> Run {
    if let Some(path) = args.out.as_ref().filter(|path| path.exists() && !args.force) {
        return Err(Failure::Usage(format!("`{}` exists already; pass another name, or --force", path.display())));
    }
    let template = read(&args.template)?;
    let name = args.out.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| "derived".to_owned());
    let found = match args.derive {
        true => derive_only(&template, &name),
        false => toolglot_template::infer(&template, &Dialects::builtin()),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) if args.json => return print(&json!({"error": error.to_string()}).to_string(), false),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}: {error}", Paint::stderr().error("error"));
            return Ok(ExitStatus::Failed);
        }
    };
    let source = source(&found, &name);
    if let Some(path) = &args.out {
        std::fs::write(path, &source)
            .map_err(|error| Failure::Usage(format!("cannot write `{}`: {error}", path.display())))?;
    }
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

/// The file of a dialect; a derived one says where it comes from.
fn source(found: &Inferred, name: &str) -> String {
    let source = found.dialect.source();
    source.replace("about = \"derived: ", &format!("about = \"{name}: "))
}

fn next_step(args: &InferArgs, found: &Inferred) -> String {
    let open = if found.certificate.prefill.is_empty() { "" } else { " --reasoning-open" };
    match &args.out {
        Some(path) => {
            let here = if path.components().count() == 1 { "./" } else { "" };
            format!("wrote `{0}`; use it with `--dialect {here}{0}{open}`", path.display())
        }
        None if found.is_derived => "to keep the file, pass `--out NAME.toml`".to_owned(),
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
            Err(error) => {
                let _ = writeln!(io::stderr(), "{}: {error}", Paint::stderr().error("error"));
                Ok(ExitStatus::Failed)
            }
        }
    })
}

fn print(text: &str, is_fine: bool) -> Run {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitStatus::fine_if(is_fine))
}
