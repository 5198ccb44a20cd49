//! `toolglot dialects`: list and show dialects.

use toolglot::{Dialect, Dialects};
use toolglot_json::json;

use crate::args::DialectsCommand;
use crate::failure::{Failure, Run, print};
use crate::known::named;
use crate::paint::Paint;
use crate::{draft, ends, exchange, infer, json};

/// Runs the command.
pub(crate) fn run(command: &DialectsCommand) -> Run {
    match command {
        DialectsCommand::List { json: false } => print(as_table(Paint::stdout())),
        DialectsCommand::List { json: true } => print(as_json()),
        DialectsCommand::Show { name, ends: true, .. } => show_ends(name),
        DialectsCommand::Show { name, toml, .. } => print(shown(&named(name)?, *toml)),
        DialectsCommand::Check(args) => draft::check(args),
        DialectsCommand::New(args) => draft::create(args),
        DialectsCommand::Infer(args) => infer::run(args),
        DialectsCommand::Certify(args) => infer::certify(args),
        DialectsCommand::Export(args) => exchange::export(args),
        DialectsCommand::Import(args) => exchange::import(args),
    }
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

fn as_json() -> String {
    let dialects = Dialects::builtin();
    json::rows(dialects.iter().map(|dialect| {
        json!({
            "name": dialect.name(), "about": dialect.about(), "aliases": dialect.aliases(), "models": dialect.models(),
        })
    }))
}

fn show_ends(name: &str) -> Run {
    let table = ends::table(&named(name)?).map_err(|why| Failure::Usage(format!("cannot write `{name}`: {why}")))?;
    print(table)
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
