//! Chat templates from a model's files, and a separate process to run them in.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolglot_template::Template;

use crate::failure::{ExitStatus, Failure, Run};
use crate::input::read_text;

/// Files of a model's folder that may contain its template, the most recent convention first.
const TEMPLATES: [&str; 3] = ["chat_template.jinja", "chat_template.json", "tokenizer_config.json"];

/// Files that may contain its tokens.
const TOKENS: [&str; 2] = ["tokenizer_config.json", "tokenizer.json"];

/// Reads a template and the tokenizer files next to it; `-` is stdin, JSON or the template itself.
pub(crate) fn read(path: &Path) -> Result<Template, Failure> {
    if path == Path::new("-") {
        let text = read_text(path)?;
        return Ok(Template::from_config(&text).unwrap_or_else(|_| Template::new(text)));
    }
    let file = if path.is_dir() { in_folder(path)? } else { path.to_owned() };
    let text = read_text(&file)?;
    let is_json = file.extension().is_some_and(|ending| ending == "json");
    let template = if is_json {
        Template::from_config(&text).map_err(|error| Failure::Usage(format!("`{}`: {error}", file.display())))?
    } else {
        Template::new(text)
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let beside = TOKENS.iter().map(|name| folder.join(name)).filter(|beside| *beside != file && beside.is_file());
    // Unreadable tokenizer files are ignored.
    let tokens = beside.filter_map(|beside| toolglot_json::from_str(&read_text(&beside).ok()?).ok());
    Ok(tokens.fold(template, |template, tokens| template.with_tokenizer(&tokens)))
}

fn in_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let files = TEMPLATES.iter().map(|name| folder.join(name));
    files.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        let names = TEMPLATES.join("`, `");
        Failure::Usage(format!("no chat template in `{}`: expected one of `{names}`", folder.display()))
    })
}

/// Set for a process that must limit its memory.
pub(crate) const CONFINED: &str = "TOOLGLOT_CONFINED";

/// The memory limit for a template, including the program. Templates of models need a few megabytes.
#[cfg(unix)]
const MEMORY: u64 = 512 << 20;

/// Runs a command in a process with limited memory: a template is untrusted code, and the engine limits its steps and
/// its output, but not the length of its strings.
pub(crate) fn confined(run: impl FnOnce() -> Run) -> Run {
    if std::env::var_os(CONFINED).is_some() {
        limit_memory()?;
        return run();
    }
    if !cfg!(unix) {
        return run();
    }
    let program = std::env::current_exe()?;
    let status = Command::new(program).args(std::env::args_os().skip(1)).env(CONFINED, "1").status()?;
    match status.code() {
        Some(0) => Ok(ExitStatus::Fine),
        Some(1) => Ok(ExitStatus::Failed),
        // The process has reported its error.
        Some(_) => Err(Failure::Reported),
        None => Err(Failure::Usage("the template needs more than 512 MiB of memory; do not use it".to_owned())),
    }
}

#[cfg(unix)]
fn limit_memory() -> io::Result<()> {
    rlimit::setrlimit(rlimit::Resource::AS, MEMORY, MEMORY)
}

#[cfg(not(unix))]
fn limit_memory() -> io::Result<()> {
    Ok(())
}
