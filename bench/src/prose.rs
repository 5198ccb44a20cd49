//! Answers without calls, in small pieces and in one: plain text, and Markdown with code.

use crate::complete::DIALECTS;
use crate::page::Section;
use crate::sides::{READERS, Side};
use crate::table::{Table, Unit};
use crate::timing::Care;

const SIZE: usize = 1_000_000;

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let sides = [&READERS[..1], &[Side::Auto], &READERS[1..], &[Side::Memmem]].concat();
    let mut table = Table::new(care, Unit::Speed, &["text", "pieces", "dialect"], &sides);
    for corpus in ["plain", "markdown"] {
        for (chunk, shown) in [("4", "4 B"), ("whole", "whole")] {
            for dialect in DIALECTS {
                table.row(&[corpus, shown, dialect], &["prose", dialect, corpus, &SIZE.to_string(), chunk], SIZE, &[]);
            }
        }
    }
    Ok(Section::from(table.finish()))
}
