//! A whole message at once, read into a message of owned strings: by dialect, kind of value and size.

use crate::page::Section;
use crate::plot::{Axes, Panel, plot};
use crate::sides::{READERS, Side};
use crate::table::{Table, Unit, size};
use crate::timing::Care;

pub(crate) const DIALECTS: [&str; 5] = ["hermes", "qwen3_coder", "glm47", "kimi_k2", "pythonic"];

const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

const AXES: Axes = Axes { x: "bytes of arguments, log scale", y: "MB/s, log scale", x_label: size };

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let sides = [&READERS[..], &[Side::SerdeJson, Side::Memmem]].concat();
    let mut table = Table::new(care, Unit::Speed, &["dialect", "value", "size"], &sides);
    let mut panels = Vec::new();
    for dialect in DIALECTS {
        for corpus in ["plain", "code"] {
            let mut panel = Panel::new(&format!("{dialect}, {corpus}"));
            let mut cells = Vec::new();
            for bytes in SIZES {
                let job = ["call", dialect, corpus, &bytes.to_string(), "complete"];
                cells = table.row(&[dialect, corpus, &size(bytes)], &job, bytes, &cells);
                panel.add(&sides[..5], &cells, bytes, Unit::Speed, bytes);
            }
            if corpus == "code" {
                panels.push(panel);
            }
        }
    }
    let svg = plot("A call with source code, read whole (more is better)", &AXES, &panels);
    Ok(Section { plots: vec![("complete", svg)], ..Section::from(table.finish()) })
}
