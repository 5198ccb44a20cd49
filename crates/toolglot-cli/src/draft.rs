//! `toolglot dialects new` and `check`: dialect files from examples, and what they can carry.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use toolglot::{Dialect, Message, certify};
use toolglot_template::Answer;

use crate::console;
use crate::failure::{ExitStatus, Failure, Run};
use crate::input::Source;
use crate::known;
use crate::paint::Paint;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// File to write; its name is the dialect's name
    #[arg(value_name = "FILE.toml")]
    pub(crate) file: PathBuf,
    /// File with an answer that has one or two calls, exactly as the model writes them; asks if missing
    #[arg(long, short, value_name = "FILE")]
    pub(crate) example: Option<PathBuf>,
    /// What a call in the example means: its name and its arguments as JSON; once per call, asks if missing
    #[arg(long = "call", short, value_name = "NAME {JSON}")]
    pub(crate) calls: Vec<String>,
    /// One sentence that describes the dialect
    #[arg(long, value_name = "TEXT")]
    pub(crate) about: Option<String>,
    /// Declare that prose never contains the markers, so that calls count anywhere in a line
    #[arg(long)]
    pub(crate) strong: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files to check; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also read this answer of the model
    #[arg(long, short, value_name = "FILE")]
    example: Option<PathBuf>,
    /// What a call in the example means: its name and its arguments as JSON; once per call
    #[arg(long = "call", short, value_name = "NAME {JSON}", requires = "example")]
    calls: Vec<String>,
}

/// Every file is checked, whatever is wrong with those before it.
pub(crate) fn check(args: &CheckArgs) -> Run {
    let mut fine = true;
    let text = args.example.as_deref().map(example).transpose()?;
    let answer = text.as_deref().map(|text| answer(text, &args.calls));
    let mut out = io::stdout().lock();
    for file in &args.files {
        match check_one(file)? {
            Ok(dialect) => {
                fine &= report(&mut out, &dialect)?;
                if let Some(answer) = &answer {
                    fine &= reads(&mut out, &dialect, answer)?;
                }
            }
            Err(error) => {
                fine = false;
                let _ = writeln!(io::stderr(), "{}: {error}\n", Paint::stderr().error("error"));
            }
        }
    }
    out.flush()?;
    Ok(ExitStatus::fine_if(fine))
}

/// Writes what a dialect can carry; says whether that is enough to use it.
fn report(out: &mut impl Write, dialect: &Dialect) -> io::Result<bool> {
    let (paint, certificate) = (Paint::stdout(), certify(dialect));
    let note = |what: &str, line: &String| {
        console::note(&format!("{}: {}: {line}", Paint::stderr().warning(what), dialect.name()))
    };
    certificate.lost.iter().for_each(|line| note("does not survive", line));
    certificate.warnings.iter().for_each(|line| note("warning", line));
    match &certificate.example {
        Ok(_) => {
            let calls = if certificate.lost.is_empty() {
                "two calls with every type survive"
            } else {
                "two calls survive, not every type"
            };
            writeln!(out, "{}: {}; {calls}", paint.good("ok"), summary(dialect))?;
            Ok(true)
        }
        Err(why) => {
            let _ = writeln!(
                io::stderr(),
                "{}: {}: two calls cannot be written and read back: {why}",
                Paint::stderr().error("error"),
                dialect.name()
            );
            Ok(false)
        }
    }
}

fn example(path: &Path) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&Source::open(Some(path))?.read_all()?).into_owned())
}

fn answer<'a>(text: &'a str, calls: &'a [String]) -> Answer<'a> {
    Answer { text, calls: calls.iter().map(|call| meant(call)).collect() }
}

/// Reads an example; says whether that gives the calls that it means.
fn reads(out: &mut impl Write, dialect: &Dialect, answer: &Answer<'_>) -> io::Result<bool> {
    let message = answer.read(dialect);
    let found = described(&message);
    let is_meant = if answer.calls.is_empty() { !message.calls.is_empty() } else { answer.is(&message) };
    if is_meant {
        writeln!(out, "{}: {}: the example is read: {found}", Paint::stdout().good("ok"), dialect.name())?;
        return Ok(true);
    }
    let advice = match message.diagnostics.first() {
        Some(first) => first.message.clone(),
        None if answer.calls.is_empty() => "pass `--call 'NAME {…}'`, so that its tool is declared".to_owned(),
        None => format!("see `toolglot explain --dialect {}` on it", dialect.name()),
    };
    let _ = writeln!(
        io::stderr(),
        "{}: {}: the example is read as {found}; {advice}",
        Paint::stderr().error("error"),
        dialect.name()
    );
    Ok(false)
}

fn described(message: &Message) -> String {
    let calls: Vec<String> = message.calls.iter().map(|call| format!("{}({})", call.name, call.arguments)).collect();
    if calls.is_empty() { "no call".to_owned() } else { calls.join(", ") }
}

/// Makes a dialect file from an example.
pub(crate) fn create(args: &NewArgs) -> Run {
    let path = args.file.clone();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if path.exists() && !args.force {
        return Err(Failure::Usage(format!("`{}` exists already; pass another name, or --force", path.display())));
    }
    let text = match &args.example {
        Some(path) => example(path)?,
        None => ask("Paste the text of one or two calls exactly as the model writes them, then an empty line:", true)?,
    };
    let calls = match &args.calls[..] {
        [] => vec![ask(
            "What does it mean? Write NAME and the arguments as JSON, such as: get_weather {\"city\": \"Paris\"}",
            false,
        )?],
        calls => calls.to_vec(),
    };
    let about = args.about.clone().unwrap_or_else(|| format!("{name}, from an example."));
    let answer = answer(&text, &calls);
    let draft = answer.draft(&name, &about, args.strong).map_err(|why| Failure::Usage(why.to_string()))?;
    std::fs::write(&path, &draft.source)
        .map_err(|error| Failure::Usage(format!("cannot write `{}`: {error}", path.display())))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", draft.source)?;
    let dialect = known::load(&path)?;
    let mut fine = report(&mut out, &dialect)?;
    if !draft.reads_answer {
        fine = false;
        console::note(&format!(
            "{}: {name}: the file does not read the whole example, in which prose and the call share a line; if prose never \
             contains what the call opens with, pass `--strong`",
            Paint::stderr().warning("warning")
        ));
    }
    out.flush()?;
    let here = if path.components().count() == 1 { "./" } else { "" };
    console::note(&format!("wrote `{0}`; use it with `--dialect {here}{0}`", path.display()));
    Ok(ExitStatus::fine_if(fine))
}

/// Reads `NAME {JSON}`.
fn meant(call: &str) -> (&str, &str) {
    call.trim().split_once(char::is_whitespace).unwrap_or((call.trim(), ""))
}

/// Asks on the terminal, or in a pipe; several lines end with an empty one.
fn ask(question: &str, several: bool) -> Result<String, Failure> {
    console::note(question);
    let (mut answer, mut lines) = (String::new(), io::stdin().lines());
    while let Some(line) = lines.next().transpose()? {
        if line.is_empty() && !answer.is_empty() {
            break;
        }
        answer += &(line + "\n");
        if !several {
            break;
        }
    }
    if answer.trim().is_empty() {
        return Err(Failure::Usage(
            "no answer; pass `--example FILE` and `--call 'NAME {…}'`, or answer on stdin".to_owned(),
        ));
    }
    Ok(answer)
}

fn check_one(file: &Path) -> Result<Result<Dialect, String>, Failure> {
    let bytes = Source::open(Some(file))?.read_all()?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(Err(format!("`{}` is not UTF-8; convert it to UTF-8", file.display())));
    };
    Ok(known::from_text(file, &text).map_err(|error| error.to_string()))
}

/// What a dialect consists of, such as `hermes, 1 call pattern, 2 section patterns`.
fn summary(dialect: &Dialect) -> String {
    let table = toml::de::DeTable::parse(dialect.source()).map(toml::Spanned::into_inner).unwrap_or_default();
    let count = |key: &str| match table.get(key).map(|value| value.get_ref()) {
        Some(toml::de::DeValue::Array(patterns)) => patterns.len(),
        Some(_) => 1,
        None => 0,
    };
    let counted = ["call", "section", "param", "reasoning", "content"].map(|key| (key, count(key)));
    let parts = counted.iter().filter(|(_, count)| *count > 0);
    let parts = parts.map(|(key, count)| format!(", {count} {key} pattern{}", if *count == 1 { "" } else { "s" }));
    parts.fold(dialect.name().to_owned(), |all, part| all + &part)
}
