//! `toolglot diagnostics`: the codes of diagnostics, which are the names of repairs too.

use std::io::{self, Write};

use toolglot::{Class, Code, Preset};

use crate::args::DiagnosticsArgs;
use crate::failure::{Ending, Run};
use crate::json;
use crate::paint::Paint;
use crate::report::class_name;

/// Runs the command.
pub(crate) fn run(args: &DiagnosticsArgs) -> Run {
    let text = if args.json { as_json() } else { as_table(Paint::stdout()).into_bytes() };
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Ending::Fine)
}

fn as_table(paint: Paint) -> String {
    let width = Code::TABLE.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let mut table = paint.strong(&format!("{:width$}  class   preset  meaning", "code")) + "\n";
    for row in Code::TABLE {
        let preset = preset(row.class).unwrap_or("-");
        let name = paint.name(&format!("{:width$}", row.name));
        table += &format!("{name}  {:6}  {preset:6}  {}\n", class_name(row.class), row.about);
    }
    table
}

fn as_json() -> Vec<u8> {
    let mut out = Vec::new();
    json::list(&mut out, Code::TABLE, |out, row| {
        out.push(b'\n');
        json::object(out, |object| {
            object.text("code", row.name);
            object.text("class", class_name(row.class));
            object.text_or_null("preset", preset(row.class));
            object.text("meaning", row.about);
            if row.code.is_repair() {
                object.text("by", row.by);
                object.text("risk", row.risk);
            }
        });
    });
    out.push(b'\n');
    out
}

/// The preset of `--repairs` that switches a repair on first.
fn preset(class: Class) -> Option<&'static str> {
    match class {
        Class::Repair(Preset::Exact) => Some("exact"),
        Class::Repair(Preset::Safe) => Some("safe"),
        Class::Repair(_) => Some("all"),
        _ => None,
    }
}
