//! A message as it arrives: by dialect, length and size of the pieces.

use crate::complete::DIALECTS;
use crate::page::Section;
use crate::plot::{Axes, Panel, plot};
use crate::sides::READERS;
use crate::table::{Table, Unit, size};
use crate::timing::Care;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const CHUNKS: [&str; 5] = ["1", "4", "16", "64", "whole"];

/// What only toolglot is asked for: the others would take minutes.
const LONGEST: usize = 10_000_000;

const AXES: Axes = Axes { x: "bytes of arguments, log scale", y: "ns for each byte, log scale", x_label: size };

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let mut lengths = Table::new(care, Unit::Each, &["dialect", "length"], &READERS);
    let mut panels = Vec::new();
    for dialect in DIALECTS {
        let mut panel = Panel::new(dialect);
        let mut cells = Vec::new();
        for bytes in SIZES {
            cells = lengths.row(
                &[dialect, &size(bytes)],
                &["call", dialect, "plain", &bytes.to_string(), "4"],
                bytes,
                &cells,
            );
            panel.add(&READERS, &cells, bytes, Unit::Each, bytes);
        }
        let job = ["call", dialect, "plain", &LONGEST.to_string(), "4"];
        let alone = lengths.row_of_first(&[dialect, &size(LONGEST)], &job, LONGEST);
        panel.add(&READERS, &alone, LONGEST, Unit::Each, LONGEST);
        panels.push(panel);
    }
    let mut chunks = Table::new(care, Unit::Each, &["dialect", "pieces"], &READERS);
    for dialect in DIALECTS {
        for chunk in CHUNKS {
            let shown = if chunk == "whole" { "whole".to_owned() } else { format!("{chunk} B") };
            chunks.row(&[dialect, &shown], &["call", dialect, "plain", "10000", chunk], 10_000, &[]);
        }
    }
    let svg = plot("A call in pieces of 4 bytes (less is better)", &AXES, &panels);
    let text = format!(
        "By length, in pieces of 4 bytes:\n\n{}\nBy the size of the pieces, 10 KB of arguments:\n\n{}",
        lengths.finish(),
        chunks.finish()
    );
    Ok(Section { plots: vec![("streaming", svg)], ..Section::from(text) })
}
