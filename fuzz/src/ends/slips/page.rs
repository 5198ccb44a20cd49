//! The tables of slips.

use super::{kinds, share};
use crate::ends::tally::{Tally, among};

/// The dialects of the page's columns: one of each way to write calls.
const COLUMNS: [&str; 14] = [
    "hermes",
    "qwen3_coder",
    "glm45",
    "minimax_m2",
    "pythonic",
    "llama4_pythonic",
    "kimi_k2",
    "deepseek_v3_1",
    "mistral_v11",
    "harmony",
    "functionary_v3",
    "tool_use",
    "gemma4",
    "cline",
];

const INTRO: &str = "\
# Slips

What happens to a call with one typical mistake of a model. Cells show *as intended / not finished / wrong*, in percent of the
messages of one or two calls to which the mistake applies. As intended: every call is as it was before the mistake. Not finished:
calls are missing, but none is wrong. Wrong: a call has other arguments. *All* covers every built-in dialect; the tables that
follow have one row per dialect, over all slips. Every dialect is pinned, with the default options. Run
`cargo run --release --no-default-features --example ends -- slips --cases 200 --markdown` in `fuzz/` to regenerate it.

";

/// Returns the page; each row has the hole that reads the dialect's arguments, too.
pub(in crate::ends) fn markdown(rows: &[(&str, &str, &Tally)]) -> String {
    let mut bodies: Vec<&str> = rows.iter().map(|row| row.1).collect();
    bodies.sort_unstable();
    bodies.dedup();
    let slips = by_slip(&rows.iter().map(|(name, _, tally)| (*name, *tally)).collect::<Vec<_>>());
    let table = |title: &str, of: &dyn Fn(&str) -> bool| {
        let mut out =
            format!("\n## {title}\n\n| dialect | as intended | not finished | wrong |\n|---|---:|---:|---:|\n");
        let chosen: Vec<_> = rows.iter().filter(|row| of(row.1)).collect();
        for (name, _, tally) in chosen.iter().filter(|_| title != "All") {
            out.push_str(&format!("| `{name}` |{}\n", shares(&[*tally])));
        }
        let all: Vec<&Tally> = chosen.iter().map(|row| row.2).collect();
        out + &format!("| **all** |{}\n", shares(&all))
    };
    let tables = bodies.iter().map(|body| table(&format!("`{{{body}}}`"), &|it| it == *body));
    slips + &tables.collect::<String>() + &table("All", &|_| true)
}

/// Returns the shares of the outcomes over all slips.
fn shares(tallies: &[&Tally]) -> String {
    let sum = |outcome| tallies.iter().map(|tally| share(tally, outcome).0).sum::<u64>();
    let all = sum("");
    let cell = |outcome| {
        format!(" {:.*} |", 1 + usize::from(sum(outcome) * 100 < all), 100.0 * sum(outcome) as f64 / all.max(1) as f64)
    };
    ["meant", "not finished", "wrong"].map(cell).concat()
}

fn by_slip(rows: &[(&str, &Tally)]) -> String {
    let shown: Vec<&(&str, &Tally)> =
        COLUMNS.iter().filter_map(|name| rows.iter().find(|row| row.0 == *name)).collect();
    let names: Vec<String> = shown.iter().map(|(name, _)| format!("`{name}`")).collect();
    let mut out = format!("{INTRO}| slip | all | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len() + 1));
    for (slip, _) in kinds() {
        let all = cell(rows.iter().map(|row| row.1), slip);
        let cells: Vec<String> = shown.iter().map(|(_, tally)| cell([*tally].into_iter(), slip)).collect();
        out.push_str(&format!("| {slip} | {all} | {} |\n", cells.join(" | ")));
    }
    out
}

/// Returns the table with all dialects that were asked for, the slips in the order of the page.
pub(in crate::ends) fn text(rows: &[(&str, &Tally)]) -> Vec<Vec<String>> {
    let head = ["slip", "all"].into_iter().chain(rows.iter().map(|row| row.0));
    let mut lines = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for (slip, _) in kinds() {
        let all = cell(rows.iter().map(|row| row.1), slip);
        let cells = rows.iter().map(|(_, tally)| cell([*tally].into_iter(), slip));
        lines.push([(*slip).to_owned(), all].into_iter().chain(cells).collect());
    }
    lines
}

fn cell<'t>(tallies: impl Iterator<Item = &'t Tally> + Clone, slip: &'static str) -> String {
    let count = |outcome| tallies.clone().map(|tally| among(tally, &[slip], outcome).0).sum::<u64>();
    let [meant, unfinished, wrong] = ["meant", "not finished", "wrong"].map(count);
    let all = meant + unfinished + wrong;
    if all == 0 {
        return "–".to_owned();
    }
    // What is wrong is never rounded to nothing.
    let share = |count: u64| match 100.0 * count as f64 / all as f64 {
        share if share > 0.0 && share < 0.5 => format!("{share:.1}"),
        share => format!("{share:.0}"),
    };
    format!("{}/{}/{}", share(meant), share(unfinished), share(wrong))
}
