//! Budgets: how many instructions each case may take; a change that makes one dearer has to say so in `budgets.txt`.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::counting::count;
use crate::growth;

/// What is granted above what was counted: machines differ by up to a fifth of that, in how memory moves.
const MARGIN: f64 = 1.01;

const HEAD: &str = "\
# How many instructions each case may take: for each byte or call of messages, in all of what is made.
# Each is a hundredth above what was counted; `-- budgets --update` counts anew. What is counted is the release build of `bench/`
# without peers, on a machine with AVX2.
";

/// Counts every case and fails if one takes more than its budget, or if a cost grows faster than it may.
pub(crate) fn run(update: bool) -> Result<(), String> {
    check(cases(), ("budgets.txt", HEAD), growth::faults()?, update)
}

/// Counts cases and compares them with a file of budgets, or writes them there; fails for what is over, and for what was
/// wrong before.
pub(crate) fn check(
    cases: Vec<String>,
    (file, head): (&str, &str),
    mut faults: Vec<String>,
    update: bool,
) -> Result<(), String> {
    let costs: Vec<(String, f64)> = cases.into_iter().map(cost).collect::<Result<_, _>>()?;
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let granted = fs::read_to_string(&path).unwrap_or_default();
    if update {
        let text = costs
            .iter()
            .fold(head.to_owned(), |text, (case, cost)| text + &format!("{:>9.1} {case}\n", granted_for(*cost)));
        fs::write(&path, text).map_err(|error| error.to_string())?;
    } else {
        let (text, over) = compare(&granted, &costs);
        println!("{text}");
        faults.extend(over);
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Returns the budget of a cost, in tenths.
fn granted_for(cost: f64) -> f64 {
    (cost * MARGIN * 10.0).ceil() / 10.0
}

/// Counts a case in a process of its own: how often a buffer moves as it grows depends on what was done before.
fn cost(case: String) -> Result<(String, f64), String> {
    let counts = count(std::slice::from_ref(&case))?;
    let cost = counts[0] as f64 / amount(&case) as f64;
    Ok((case, cost))
}

/// Returns a line for each case, and what is wrong.
fn compare(granted: &str, costs: &[(String, f64)]) -> (String, Vec<String>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    for (case, cost) in costs {
        let Some(budget) = budget(granted, case) else {
            faults.push(format!("`{case}` has no budget; count it with `-- budgets --update`"));
            continue;
        };
        writeln!(text, "{cost:>9.1} of {budget:>9.1}  {case}").ok();
        if *cost > budget {
            faults.push(format!("`{case}` takes {cost:.1} instructions, its budget is {budget:.1}"));
        }
    }
    (text, faults)
}

fn budget(granted: &str, case: &str) -> Option<f64> {
    let found = granted.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, name)| *name == case))?;
    found.0.parse().ok()
}

/// Returns what a case's instructions are divided by.
fn amount(case: &str) -> usize {
    let words: Vec<&str> = case.split(' ').collect();
    words.get(4).and_then(|word| word.parse().ok()).unwrap_or(1)
}

/// What small messages cost: a new process, one call read whole, two under `auto`, openers that nothing closes.
const SHORT: [&str; 30] = [
    "start ready pinned hermes",
    "start ready pinned deepseek_v4",
    "start ready auto hermes",
    "start call auto hermes",
    "pinned calls hermes plain 1 complete",
    "auto calls hermes plain 1 complete",
    "pinned calls qwen3_coder plain 1 complete",
    "pinned calls glm47 plain 1 complete",
    "pinned calls kimi_k2 plain 1 complete",
    "pinned calls pythonic plain 1 complete",
    "pinned two hermes whole",
    "auto two hermes whole",
    "pinned two nexus_raven 4",
    "auto two nexus_raven 4",
    "pinned two react 4",
    "auto two react 4",
    "pinned two function_gemma whole",
    "auto two function_gemma whole",
    "pinned hostile hermes openers 2000 complete",
    "pinned hostile qwen3_coder openers 2000 complete",
    "pinned hostile kimi_k2 openers 2000 complete",
    "pinned hostile qwen3_coder near 2000 complete",
    "auto hostile hermes openers 2000 complete",
    "auto hostile qwen3_coder openers 2000 complete",
    "auto hostile kimi_k2 openers 2000 complete",
    "grow reasoned-openers 10000",
    "grow openers-hermes 1000",
    "grow turn-ends-apart 1000",
    "grow skipped 1000",
    "grow unknown-calls 1000",
];

/// What is counted: long calls of unlike dialects in pieces and whole, short ones, prose, and what is made.
fn cases() -> Vec<String> {
    const BODIES: [&str; 10] = [
        "hermes",
        "qwen3_coder",
        "glm47",
        "kimi_k2",
        "pythonic",
        "lfm2",
        "deepseek_v3_2",
        "gemma4",
        "minimax_m3",
        "harmony",
    ];
    let mut cases = Vec::new();
    for dialect in BODIES {
        for rest in ["plain 100000 4", "code 100000 4", "code 100000 complete", "plain 1000 complete"] {
            cases.push(format!("pinned call {dialect} {rest}"));
        }
    }
    for how in ["pinned", "auto"] {
        for rest in ["plain 100000 4", "plain 100000 whole", "markdown 100000 4", "markdown 100000 whole"] {
            cases.push(format!("{how} prose hermes {rest}"));
        }
        cases.push(format!("{how} calls qwen3_coder plain 20 4"));
        cases.push(format!("{how} calls hermes plain 20 4"));
        cases.push(format!("make {how}"));
    }
    cases.extend(SHORT.map(str::to_owned));
    cases.push("make tools 100".to_owned());
    cases.push("make dialect hermes".to_owned());
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_over_its_budget_or_without_one_is_named() {
        let granted = "# words\n     10.0 make pinned\n      5.0 make auto\n";
        let costs = [("make pinned", 9.9), ("make auto", 5.1), ("make tools 1", 1.0)]
            .map(|(case, cost)| (case.to_owned(), cost));
        let (text, faults) = compare(granted, &costs);
        assert_eq!(text.lines().count(), 2);
        assert_eq!(
            faults,
            [
                "`make auto` takes 5.1 instructions, its budget is 5.0",
                "`make tools 1` has no budget; count it with `-- budgets --update`"
            ]
        );
    }

    #[test]
    fn messages_are_counted_by_the_byte() {
        assert_eq!(amount("pinned call hermes plain 1000 4"), 1000);
        assert_eq!(amount("pinned hostile hermes openers 2000 complete"), 2000);
        assert_eq!(["make tools 100", "start ready pinned hermes", "auto two hermes whole"].map(amount), [1; 3]);
        assert_eq!(amount("wire chunk text plain 500"), 500);
    }
}
