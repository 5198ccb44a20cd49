//! Many small calls in one message, whole and in small pieces.

use crate::complete::DIALECTS;
use crate::page::Section;
use crate::sides::READERS;
use crate::table::{Table, Unit};
use crate::timing::Care;

const COUNTS: [usize; 3] = [1, 20, 5_000];

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let mut table = Table::new(care, Unit::Each, &["dialect", "read", "calls"], &READERS);
    for dialect in DIALECTS {
        for (chunk, shown) in [("complete", "whole"), ("4", "4 B")] {
            let mut cells = Vec::new();
            for count in COUNTS {
                let number = count.to_string();
                cells =
                    table.row(&[dialect, shown, &number], &["calls", dialect, "plain", &number, chunk], count, &cells);
            }
        }
    }
    Ok(Section::from(table.finish()))
}
