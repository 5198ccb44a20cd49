//! What each row of the table of evidence is worth: the same messages, read without it.

use std::fmt::Write;

use toolglot::Veto;

use super::goals::REST;
use super::tally::{Tally, among};
use super::{Run, run};

/// A number of an oracle that a row may change.
struct Number {
    name: &'static str,
    oracle: &'static str,
    of: fn(&Tally) -> (u64, u64),
}

/// Meant and wrong of values that are code, and the damaged calls whose end moved.
const NUMBERS: [Number; 6] = [
    Number { name: "good: meant", oracle: "unescaped", of: |it| among(it, &["good"], "meant") },
    Number { name: "good: wrong", oracle: "unescaped", of: |it| among(it, &["good"], "wrong") },
    Number { name: "others: wrong", oracle: "unescaped", of: |it| among(it, &REST, "wrong") },
    Number { name: "unnamed: meant", oracle: "unescaped", of: |it| among(it, &["unnamed"], "meant") },
    Number { name: "unnamed: wrong", oracle: "unescaped", of: |it| among(it, &["unnamed"], "wrong") },
    Number { name: "damaged: moved", oracle: "damage", of: |it| among(it, &["damaged"], "wrong: moved") },
];

/// Returns a table: the numbers of strings in quotes with all rows, and how many messages each gains or loses without one.
///
/// # Errors
/// If there is no such dialect or folder.
pub fn ablate(with: &Run) -> Result<String, String> {
    let numbers = |without: Option<Veto>| {
        let run_one = |oracle| run(oracle, &Run { without, ..with.clone() }).map(|report| report.quoted());
        let (unescaped, damage) = (run_one("unescaped")?, run_one("damage")?);
        let tally = |number: &Number| if number.oracle == "damage" { &damage } else { &unescaped };
        Ok::<_, String>(NUMBERS.map(|number| (number.of)(tally(&number))))
    };
    let all = numbers(None)?;
    let mut text =
        format!("| row | {} |\n| --- |{}\n", NUMBERS.map(|it| it.name).join(" | "), " --: |".repeat(NUMBERS.len()));
    let shares = all.map(|(found, of)| format!("{:.3} %", 100.0 * found as f64 / of.max(1) as f64));
    let _ = writeln!(text, "| all rows | {} |", shares.join(" | "));
    for veto in Veto::ALL {
        let counts = numbers(Some(veto))?.into_iter().zip(all);
        let cells: Vec<String> = counts.map(|((found, _), (whole, _))| change(found as i64 - whole as i64)).collect();
        let _ = writeln!(text, "| without {veto:?} | {} |", cells.join(" | "));
    }
    Ok(text)
}

fn change(by: i64) -> String {
    if by == 0 { "·".to_owned() } else { format!("{by:+}") }
}
