//! Messages written in a dialect, with and without the proof that they read back.

use std::fmt::Write;
use std::hint::black_box;

use serde_json::Value;
use toolglot::{Dialects, Renderer, Rendering, Tools};

use crate::complete::DIALECTS;
use crate::job;
use crate::page::Section;
use crate::table::{round, size};
use crate::timing::{Care, race};

const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let mut text =
        "| dialect | size | with proof: MB/s | without: MB/s | `serde_json` reads and writes the arguments: MB/s \
                    |\n|---|---|---:|---:|---:|\n"
            .to_owned();
    let tools = Tools::from_json(&job::tools()).map_err(|error| error.to_string())?;
    for name in DIALECTS {
        for bytes in SIZES {
            let arguments = job::arguments("code", bytes);
            let dialect = Dialects::builtin().get(name).cloned().ok_or("no such dialect")?;
            let message = Rendering::new().with_call("write", &arguments);
            let proven = Renderer::new(&dialect, &tools);
            let plain = proven.clone().with_check(false);
            if proven.render(&message) != plain.render(&message) || proven.render(&message).is_err() {
                return Err(format!("{name}: the message cannot be written"));
            }
            let times = race(
                care,
                &mut [
                    &mut || drop(black_box(proven.render(&message))),
                    &mut || drop(black_box(plain.render(&message))),
                    &mut || drop(black_box(serde_json::from_str::<Value>(&arguments).map(|value| value.to_string()))),
                ],
            );
            let cells: Vec<String> = times.iter().map(|time| round(bytes as f64 * 1e3 / time)).collect();
            let row = format!("| {name} | {} | {} |", size(bytes), cells.join(" | "));
            eprintln!("{row}");
            writeln!(text, "{row}").ok();
        }
    }
    Ok(Section::from(text))
}
