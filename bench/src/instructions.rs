//! Instructions for each byte of messages in 4-byte pieces, by length.

use std::fmt::Write;

use crate::counting::count;
use crate::page::Section;
use crate::table::size;
use crate::timing::Care;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

const DIALECTS: [&str; 5] = ["hermes", "qwen3_coder", "glm47", "kimi_k2", "pythonic"];

/// A case may cost so much more for each byte at the greatest length than at 10,000 bytes.
const FLAT: f64 = 1.1;

/// Returns instructions per byte; a cost that grows with the length is a fault.
pub(crate) fn run(care: Care) -> Result<Section, String> {
    let sizes = if care == Care::Full { &SIZES[..] } else { &SIZES[..3] };
    let cases = cases();
    let work = |case: &String| sizes.iter().map(|bytes| case.replace("SIZE", &bytes.to_string())).collect::<Vec<_>>();
    let counts = count(&cases.iter().flat_map(work).collect::<Vec<_>>())?;
    let labels: Vec<String> = sizes.iter().map(|bytes| size(*bytes)).collect();
    let mut text = format!("| 4-byte pieces | {} |\n|---|{}\n", labels.join(" | "), "---:|".repeat(sizes.len()));
    let mut steep = Vec::new();
    for (case, counts) in cases.iter().zip(counts.chunks(sizes.len())) {
        let costs: Vec<f64> = counts.iter().zip(sizes).map(|(count, bytes)| *count as f64 / *bytes as f64).collect();
        let shown: Vec<String> = costs.iter().map(|cost| format!("{cost:.1}")).collect();
        let name = case.replace(" SIZE 4", "");
        writeln!(text, "| {name} | {} |", shown.join(" | ")).ok();
        if costs[costs.len() - 1] > costs[1] * FLAT {
            steep.push(name);
        }
    }
    eprintln!("{text}");
    let faults = steep.into_iter().map(|name| format!("{name}: the cost grows with the length")).collect();
    Ok(Section { faults, ..Section::from(text) })
}

fn cases() -> Vec<String> {
    let prose =
        ["plain", "markdown"].map(|corpus| ["pinned", "auto"].map(|how| format!("{how} prose hermes {corpus} SIZE 4")));
    let calls = DIALECTS.map(|dialect| {
        let case = |how: &str, corpus: &str| format!("{how} call {dialect} {corpus} SIZE 4");
        [case("pinned", "plain"), case("auto", "plain"), case("pinned", "code"), case("auto", "code")]
    });
    prose.into_iter().flatten().chain(calls.into_iter().flatten()).collect()
}
