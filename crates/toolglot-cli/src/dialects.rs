//! `toolglot dialects`: list, show and check dialects.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toolglot::{Dialect, Dialects};

use crate::args::DialectsCommand;
use crate::failure::{Ending, Failure, Run};
use crate::input::Source;
use crate::json;
use crate::known;
use crate::paint::Paint;

/// Runs the command.
pub(crate) fn run(command: &DialectsCommand) -> Run {
    match command {
        DialectsCommand::List { json: false } => print(as_table(Paint::stdout()).as_bytes()),
        DialectsCommand::List { json: true } => print(&as_json()),
        DialectsCommand::Show { name, toml } => show(name, *toml),
        DialectsCommand::Check { files } => check(files),
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
    let builtin = Dialects::builtin();
    if let Some(dialect) = builtin.get(name) {
        return print(shown(dialect, toml).as_bytes());
    }
    if known::is_file(name) {
        return print(shown(&known::load(Path::new(name))?, toml).as_bytes());
    }
    Err(Failure::Usage(format!("no dialect is called `{name}`; `toolglot dialects list` shows them all")))
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
    let (paint, mut fine) = (Paint::stdout(), true);
    let mut out = io::stdout().lock();
    for file in files {
        match check_one(file)? {
            Ok(dialect) => writeln!(out, "{}: {}", paint.good("ok"), summary(&dialect))?,
            Err(error) => {
                fine = false;
                let _ = writeln!(io::stderr(), "{}: {error}\n", Paint::stderr().error("error"));
            }
        }
    }
    out.flush()?;
    Ok(Ending::fine_if(fine))
}

fn check_one(file: &Path) -> Result<Result<Dialect, String>, Failure> {
    let bytes = Source::open(Some(file))?.read_all()?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(Err(format!("`{}` is not UTF-8; save it as UTF-8", file.display())));
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
