//! Messages that cost more than they should, beside the peers: nesting, thousands of parameters, openers without end.

use std::fmt::Write;

use crate::job::{Found, call, certain};
use crate::page::Section;
use crate::sides::READERS;
use crate::table::{Table, Unit};
use crate::timing::Care;

/// What it is called, the dialect, the job's word, and how many there are.
const SHAPES: [(&str, &str, &str, usize); 11] = [
    ("brackets that nest, in JSON", "hermes", "brackets", 2_000),
    ("brackets that nest, in JSON", "hermes", "brackets", 100_000),
    ("brackets that nest, in Python", "pythonic", "brackets", 2_000),
    ("brackets that nest, in Python", "pythonic", "brackets", 100_000),
    ("brackets that nest, in a parameter", "qwen3_coder", "brackets", 2_000),
    ("parameters", "qwen3_coder", "parameters", 5_000),
    ("parameters", "glm47", "parameters", 5_000),
    ("openers without an end", "hermes", "openers", 20_000),
    ("openers without an end", "qwen3_coder", "openers", 20_000),
    ("openers without an end", "kimi_k2", "openers", 20_000),
    ("markers that break off", "qwen3_coder", "near", 20_000),
];

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let mut table = Table::new(care, Unit::Whole, &["what", "how many", "dialect", "read"], &READERS);
    for (what, dialect, shape, count) in SHAPES {
        for (chunk, shown) in [("complete", "whole"), ("4", "4 B")] {
            let job = ["hostile", dialect, shape, &count.to_string(), chunk];
            table.row(&[what, &count.to_string(), dialect, shown], &job, 1, &[]);
        }
    }
    Ok(Section::from(table.finish()))
}

/// Returns the message of a job, and what is to be found in it, if that is not a matter of taste.
pub(crate) fn message(dialect: &str, shape: &str, count: usize) -> Result<(String, Option<Found>), String> {
    match shape {
        "brackets" => {
            let (text, _) = call(dialect, &["{\"content\": [[0]]}".to_owned()])?;
            let text = text.replace("[[0]]", &"[".repeat(count));
            Ok((text, None))
        }
        "parameters" => {
            let mut arguments = String::from("{");
            for number in 0..count {
                write!(arguments, "{}\"key_{number}\": \"v\"", if number > 0 { ", " } else { "" }).ok();
            }
            arguments.push('}');
            call(dialect, &[arguments]).map(certain)
        }
        "openers" => {
            let (text, _) = call(dialect, &["{\"content\": \"~\"}".to_owned()])?;
            let head = text.split("write").next().unwrap_or_default();
            Ok(certain(text_alone(head.repeat(count))))
        }
        "near" => Ok(certain(text_alone("<tool_cal".repeat(count)))),
        _ => Err(format!("no message is called `{shape}`")),
    }
}

/// Returns a message that calls nothing: all of it is text.
fn text_alone(text: String) -> (String, Found) {
    (text.clone(), Found { text, calls: Vec::new() })
}
