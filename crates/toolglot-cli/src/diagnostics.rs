//! `toolglot diagnostics`: the codes of diagnostics and repairs.

use toolglot::{Class, Code, CodeRow, Preset};
use toolglot_json::json;

use crate::args::DiagnosticsArgs;
use crate::failure::{Failure, Run, print};
use crate::json;
use crate::near::nearest;
use crate::paint::Paint;
use crate::report::class_name;

/// Runs the command.
pub(crate) fn run(args: &DiagnosticsArgs) -> Run {
    let rows = rows(args.code.as_deref())?;
    print(match rows {
        _ if args.json => as_json(rows),
        [row] if args.code.is_some() => described(row),
        _ => as_table(rows, Paint::stdout()),
    })
}

/// Returns the row of a code, or all rows.
fn rows(code: Option<&str>) -> Result<&'static [CodeRow], Failure> {
    let Some(code) = code else { return Ok(Code::TABLE) };
    let at = Code::TABLE.iter().position(|row| row.name == code);
    at.and_then(|at| Code::TABLE.get(at..=at)).ok_or_else(|| {
        let near = nearest(code, Code::TABLE.iter().map(|row| row.name));
        let hint = near.map_or_else(
            || "run `toolglot diagnostics` to list all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        Failure::Usage(format!("unknown diagnostic `{code}`; {hint}"))
    })
}

/// Returns everything about one code.
fn described(row: &CodeRow) -> String {
    let mut text = format!("{}: {}\n\nclass   {}\n", row.name, row.about, class_name(row.class));
    if row.code.is_repair() {
        let preset = preset(row.class).unwrap_or("-");
        text += &format!("preset  {preset}\nby      {}\nrisk    {}\n\n", row.by, row.risk);
        let (now, sign, other) = if preset == "all" { ("off", "", "on") } else { ("on", "-", "off") };
        text += &format!("{now} by default; `--repairs safe,{sign}{}` turns it {other}\n", row.name);
    }
    text
}

fn as_table(rows: &[CodeRow], paint: Paint) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    let mut table = paint.strong(&format!("{:width$}  class   preset  meaning", "code")) + "\n";
    for row in rows {
        let preset = preset(row.class).unwrap_or("-");
        let name = paint.name(&format!("{:width$}", row.name));
        table += &format!("{name}  {:6}  {preset:6}  {}\n", class_name(row.class), row.about);
    }
    table
}

fn as_json(rows: &[CodeRow]) -> String {
    json::rows(rows.iter().map(|row| {
        let (class, preset) = (class_name(row.class), preset(row.class));
        let mut all = json!({"code": row.name, "class": class, "preset": preset, "meaning": row.about});
        if row.code.is_repair() {
            all["by"] = row.by.into();
            all["risk"] = row.risk.into();
        }
        all
    }))
}

/// The smallest preset of `--repairs` that enables a repair.
fn preset(class: Class) -> Option<&'static str> {
    match class {
        Class::Repair(Preset::Exact) => Some("exact"),
        Class::Repair(Preset::Safe) => Some("safe"),
        Class::Repair(_) => Some("all"),
        _ => None,
    }
}
