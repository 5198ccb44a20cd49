//! `toolglot dialects`: list, show, check and create dialects.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toolglot::{Dialect, Dialects, Example, certify, sketch};

use crate::args::{DialectsCommand, NewArgs};
use crate::console;
use crate::ends;
use crate::failure::{Ending, Failure, Run};
use crate::infer;
use crate::input::Source;
use crate::json;
use crate::known::{self, named};
use crate::paint::Paint;

/// Runs the command.
pub(crate) fn run(command: &DialectsCommand) -> Run {
    match command {
        DialectsCommand::List { json: false } => print(as_table(Paint::stdout()).as_bytes()),
        DialectsCommand::List { json: true } => print(&as_json()),
        DialectsCommand::Show { name, ends: true, .. } => show_ends(name),
        DialectsCommand::Show { name, toml, .. } => show(name, *toml),
        DialectsCommand::Check { files } => check(files),
        DialectsCommand::New(args) => create(args),
        DialectsCommand::Infer(args) => infer::run(args),
        DialectsCommand::Certify(args) => infer::certify(args),
    }
}

fn print(text: &[u8]) -> Run {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(Ending::Fine)
}

fn as_table(paint: Paint) -> String {
    let dialects = Dialects::builtin();
    let width = dialects.iter().map(|dialect| dialect.name().len()).max().unwrap_or_default();
    let line = |dialect: &Dialect| {
        let name = paint.name(&format!("{:width$}", dialect.name()));
        let aliases = dialect.aliases().join(", ");
        let also = if aliases.is_empty() { String::new() } else { paint.faint(&format!(" (also {aliases})")) };
        format!("{name}  {}{also}\n", dialect.about())
    };
    dialects.iter().map(|dialect| line(dialect)).collect()
}

fn as_json() -> Vec<u8> {
    let mut out = Vec::new();
    json::list(&mut out, Dialects::builtin().iter(), |out, dialect| {
        out.push(b'\n');
        json::object(out, |object| {
            object.text("name", dialect.name());
            object.text("about", dialect.about());
            object.list("aliases", dialect.aliases(), |out, alias| json::string(out, alias));
            object.list("models", dialect.models(), |out, model| json::string(out, model));
        });
    });
    out.push(b'\n');
    out
}

fn show(name: &str, toml: bool) -> Run {
    print(shown(&named(name)?, toml).as_bytes())
}

fn show_ends(name: &str) -> Run {
    let table = ends::table(&named(name)?).map_err(|why| Failure::Usage(format!("cannot write `{name}`: {why}")))?;
    print(table.as_bytes())
}

fn shown(dialect: &Dialect, toml: bool) -> String {
    if toml {
        return dialect.source().to_owned();
    }
    let paint = Paint::stdout();
    let mut text = format!("{}  {}\n", paint.name(dialect.name()), dialect.about());
    for (what, names) in [("also", dialect.aliases()), ("models", dialect.models())] {
        if !names.is_empty() {
            text += &format!("{}  {}\n", paint.faint(what), names.join(", "));
        }
    }
    text + "\n" + dialect.source()
}

/// Every file is checked, whatever is wrong with those before it.
fn check(files: &[PathBuf]) -> Run {
    let mut fine = true;
    let mut out = io::stdout().lock();
    for file in files {
        match check_one(file)? {
            Ok(dialect) => fine &= report(&mut out, &dialect)?,
            Err(error) => {
                fine = false;
                let _ = writeln!(io::stderr(), "{}: {error}\n", Paint::stderr().error("error"));
            }
        }
    }
    out.flush()?;
    Ok(Ending::fine_if(fine))
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

/// Makes a dialect file from an example.
fn create(args: &NewArgs) -> Run {
    let path = args.file.clone();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if path.exists() && !args.force {
        return Err(Failure::Usage(format!("`{}` exists already; pass another name, or --force", path.display())));
    }
    let text = match &args.example {
        Some(path) => String::from_utf8_lossy(&Source::open(Some(path))?.read_all()?).into_owned(),
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
    let example = Example::new(&text).with_about(&about).with_strong(args.strong);
    let example = calls.iter().map(|call| meant(call)).fold(example, |all, (name, json)| all.with_call(name, json));
    let source = sketch(&name, &example).map_err(|why| Failure::Usage(why.to_string()))?;
    std::fs::write(&path, &source)
        .map_err(|error| Failure::Usage(format!("cannot write `{}`: {error}", path.display())))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{source}")?;
    let dialect = known::load(&path)?;
    let fine = report(&mut out, &dialect)?;
    out.flush()?;
    let here = if path.components().count() == 1 { "./" } else { "" };
    console::note(&format!("wrote `{0}`; use it with `--dialect {here}{0}`", path.display()));
    Ok(Ending::fine_if(fine))
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
