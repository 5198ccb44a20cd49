//! `toolglot dialects new` and `check`: dialect files from examples, and what they can express.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use toolglot::{Dialect, Message, Renderer, Rendering, Tools, certify};
use toolglot_template::Answer;

use crate::console;
use crate::failure::{ExitStatus, Failure, Run, print_error, print_warning};
use crate::input::{Source, check_new, write_file};
use crate::known;
use crate::paint::Paint;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// File to write; its name becomes the dialect's name
    #[arg(value_name = "FILE.toml")]
    pub(crate) file: PathBuf,
    /// File with an answer of one or two calls, exactly as the model writes them; prompts if omitted
    #[arg(long, short, value_name = "FILE")]
    pub(crate) example: Option<PathBuf>,
    /// Call in the example: its name, and its arguments as JSON; one flag per call, prompts if omitted
    #[arg(long = "call", short, value_name = "NAME {JSON}")]
    pub(crate) calls: Vec<String>,
    /// One-sentence description of the dialect
    #[arg(long, value_name = "TEXT")]
    pub(crate) about: Option<String>,
    /// Recognise calls anywhere in a line, because prose never contains the markers
    #[arg(long)]
    pub(crate) strong: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files to check; `-` reads stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File with an answer of the model to read as well
    #[arg(long, short, value_name = "FILE")]
    example: Option<PathBuf>,
    /// Call in the example: its name, and its arguments as JSON; one flag per call
    #[arg(long = "call", short, value_name = "NAME {JSON}", requires = "example")]
    calls: Vec<String>,
}

/// Checks every file, even after errors.
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
                print_error("error", format_args!("{error}\n"));
            }
        }
    }
    out.flush()?;
    Ok(ExitStatus::fine_if(fine))
}

/// Writes what a dialect can express; returns whether it is usable.
fn report(out: &mut impl Write, dialect: &Dialect) -> io::Result<bool> {
    let certificate = certify(dialect);
    let note = |what: &str, line: &String| print_warning(what, format_args!("{}: {line}", dialect.name()));
    if certificate.example.is_ok() {
        certificate.lost.iter().for_each(|line| note("not preserved", line));
    }
    certificate.warnings.iter().for_each(|line| note("warning", line));
    match &certificate.example {
        Ok(_) => {
            let calls = if certificate.lost.is_empty() {
                "two calls with every type round-trip"
            } else {
                "two calls round-trip, but not with every type"
            };
            writeln!(out, "{}: {}; {calls}", Paint::stdout().good("ok"), summary(dialect))?;
            Ok(true)
        }
        Err(why) => {
            let advice =
                "compare `toolglot render --no-check` with the model's text, and run `toolglot explain` on both";
            print_error("error", format_args!("{}: two calls do not round-trip: {why}; {advice}", dialect.name()));
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

/// Reads an example; returns whether it yields the expected calls.
fn reads(out: &mut impl Write, dialect: &Dialect, answer: &Answer<'_>) -> io::Result<bool> {
    let message = answer.read(dialect);
    let found = described(&message);
    let is_meant = if answer.calls.is_empty() { !message.calls.is_empty() } else { answer.is(&message) };
    if is_meant {
        writeln!(out, "{}: {}: the example is read as {found}", Paint::stdout().good("ok"), dialect.name())?;
        return Ok(true);
    }
    let advice = match message.diagnostics.first() {
        Some(first) => first.message.clone(),
        None if answer.calls.is_empty() => "pass `--call 'NAME {…}'` to declare its tool".to_owned(),
        None => format!("run `toolglot explain --dialect {}` on it", dialect.name()),
    };
    print_error("error", format_args!("{}: the example is read as {found}; {advice}", dialect.name()));
    Ok(false)
}

fn described(message: &Message) -> String {
    let calls: Vec<String> = message.calls.iter().map(|call| format!("{}({})", call.name, call.arguments)).collect();
    if calls.is_empty() { "no call".to_owned() } else { calls.join(", ") }
}

/// Makes a dialect file from an example.
pub(crate) fn create(args: &NewArgs) -> Run {
    let path = &args.file;
    let name = known::named_after(path);
    check_new(path, args.force)?;
    let text = match &args.example {
        Some(path) => example(path)?,
        None => ask("Paste the text of one or two calls exactly as the model writes them, then an empty line:", true)?,
    };
    let calls = match &args.calls[..] {
        [] => vec![ask(
            "Which call is it? Enter its name, and its arguments as JSON, such as: get_weather {\"city\": \"Paris\"}",
            false,
        )?],
        calls => calls.to_vec(),
    };
    let about = args.about.clone().unwrap_or_else(|| format!("{name}, from an example."));
    let answer = answer(&text, &calls);
    let draft = answer.draft(&name, &about, args.strong).map_err(Failure::usage)?;
    write_file(path, &draft.source)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", draft.source)?;
    let dialect = known::load(path)?;
    let mut fine = report(&mut out, &dialect)?;
    if !draft.reads_answer {
        fine = false;
        let advice = "pass `--strong` if prose never contains the opening marker";
        print_warning(
            "warning",
            format_args!(
                "{name}: the dialect does not read the whole example, where prose and the call share a line; {advice}"
            ),
        );
    }
    if let Some(written) = written_otherwise(&dialect, &answer) {
        print_warning("warning", format_args!("{name}: the renderer writes the example as `{written}`"));
    }
    out.flush()?;
    console::note(&wrote(path, ""));
    Ok(ExitStatus::fine_if(fine))
}

/// Returns what the renderer writes for an example, if it differs in more than white space.
fn written_otherwise(dialect: &Dialect, answer: &Answer<'_>) -> Option<String> {
    let message = answer.read(dialect);
    let start = Rendering::new().with_reasoning(&message.reasoning).with_content(&message.content);
    let calls = message.calls.iter();
    let rendering = calls.fold(start, |all, call| all.with_identified_call(&call.name, &call.arguments, &call.id));
    let written = Renderer::new(&Arc::new(dialect.clone()), &Tools::default()).render(&rendering).ok()?;
    let packed = |text: &str| text.split_whitespace().collect::<String>();
    (packed(&written) != packed(answer.text)).then_some(written)
}

/// Says how to use a dialect file that was written.
pub(crate) fn wrote(path: &Path, flags: &str) -> String {
    let here = if path.components().count() == 1 { "./" } else { "" };
    format!("wrote `{0}`; use it with `--dialect {here}{0}{flags}`", path.display())
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
            "no input; pass `--example FILE` and `--call 'NAME {…}'`, or enter them on stdin".to_owned(),
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
