//! Growth: in every dimension in which a message or a setting can be large, cost grows no faster than size.

use std::fmt::Write;

use toolglot::{Dialect, Dialects, Limits, Parser, Tools};

use crate::counting::count;
use crate::hostile;
use crate::job::{self, pieces};
use crate::making;
use crate::page::Section;
use crate::plot::{Axes, COUNTED, GUIDE, Panel, plot};
use crate::sides::{options, pinned};
use crate::table::round;
use crate::timing::Care;
use crate::work::{Work, feed, parsing, reading};

/// A dimension, the sizes at which it is counted, and how its cost may grow.
struct Dimension {
    name: &'static str,
    word: &'static str,
    sizes: [usize; 3],
    growth: Growth,
}

/// How the cost may grow from the second size to the third, which is ten times as large.
#[derive(Clone, Copy)]
enum Growth {
    /// With the size: ten times the cost, and a little for memory.
    Linear,
    /// To so many times the cost: hardly at all, or faster at first where what is read in vain is bounded as a whole.
    Bounded(f64),
}

impl Growth {
    fn most(self, sizes: [usize; 3]) -> f64 {
        match self {
            Self::Linear => sizes[2] as f64 / sizes[1] as f64 * 1.15,
            Self::Bounded(factor) => factor,
        }
    }
}

const fn linear(name: &'static str, word: &'static str, least: usize) -> Dimension {
    Dimension { name, word, sizes: [least, 10 * least, 100 * least], growth: Growth::Linear }
}

const fn bounded(name: &'static str, word: &'static str, least: usize, factor: f64) -> Dimension {
    Dimension { growth: Growth::Bounded(factor), ..linear(name, word, least) }
}

const DIMENSIONS: [Dimension; 37] = [
    linear("bytes of a string, JSON", "hermes", 1_000),
    linear("bytes of a string, Python", "pythonic", 1_000),
    linear("bytes of a value between tags", "qwen3_coder", 1_000),
    linear("parameters, JSON", "parameters-hermes", 50),
    linear("parameters between tags", "parameters-qwen3_coder", 50),
    linear("calls, JSON", "calls-hermes", 50),
    linear("calls between tags", "calls-qwen3_coder", 50),
    linear("calls with ids, a whole message", "whole-kimi_k2", 50),
    linear("brackets that open", "brackets-hermes", 1_000),
    linear("brackets that nest, no limit", "nesting", 1_000),
    linear("openers without an end, JSON", "openers-hermes", 100),
    linear("openers without an end, tokens", "openers-kimi_k2", 100),
    bounded("calls that open in strings without an end", "opened-in-string", 1, 40.0),
    linear("calls that close in strings without an end", "closed-in-string", 10),
    bounded("heads of calls in strings without an end", "heads-in-string", 10, 11.5),
    linear("openers in reasoning, whose attribute does not end", "reasoned-openers", 100),
    linear("openers in one line with a back quote", "span-openers", 100),
    linear("code spans in one line, a whole message", "spans", 1_000),
    linear("closers in one line of a fence, a whole message", "fence-closers", 100),
    bounded("values without an end of undeclared tools, a whole message", "undeclared", 50, 20.0),
    linear("bytes behind a word that opens reasoning", "worded", 1_000),
    linear("ends of turns amid text", "turn-ends", 100),
    linear("ends of turns amid text, a whole message", "turn-ends-whole", 100),
    linear("tags of many names in a value", "tags", 1_000),
    linear("blanks in the closing tag of a value", "blank-closer", 1_000),
    linear("calls that open in values without an end", "opened-in-value", 50),
    linear("markers that break off", "near-hermes", 100),
    linear("quotes in a string", "quotes", 500),
    linear("backslashes in a string", "backslashes", 500),
    linear("bytes of a name, JSON", "name-json", 500),
    linear("bytes of a name in a tag", "name-tag", 500),
    linear("candidates at one opener", "candidates", 1),
    linear("tools declared, compiled", "tools-made", 10),
    bounded("tools declared, 100 calls read", "tools-read", 10, 1.5),
    linear("dialects loaded, compiled", "dialects-made", 5),
    bounded("dialects loaded, prose read", "dialects-prose", 5, 2.0),
    bounded("dialects loaded, calls read", "dialects-calls", 5, 2.0),
];

/// Returns the table and the plots; a cost is at fault if it grows faster than it may.
pub(crate) fn run(_: Care) -> Result<Section, String> {
    let (rows, wrong) = measure()?;
    let mut text = "| dimension | sizes | instructions for each, in thousands | ten times the size costs | at most |\n\
                    |---|---|---|---:|---:|\n"
        .to_owned();
    let mut panels = Vec::new();
    for (dimension, counts) in &rows {
        let sizes = dimension.sizes.map(round_size).join(", ");
        let each: Vec<String> =
            counts.iter().zip(dimension.sizes).map(|(count, size)| round(*count as f64 / size as f64 / 1e3)).collect();
        let (ratio, most) = (counts[2] as f64 / counts[1] as f64, dimension.growth.most(dimension.sizes));
        writeln!(text, "| {} | {sizes} | {} | {ratio:.2} | {most:.1} |", dimension.name, each.join(", ")).ok();
        let mut panel = Panel::new(dimension.name);
        for (count, size) in counts.iter().zip(dimension.sizes) {
            panel.point(COUNTED, size as f64, *count as f64, false);
            panel.point(GUIDE, size as f64, counts[0] as f64 * (size / dimension.sizes[0]) as f64, false);
        }
        panels.push(panel);
    }
    eprintln!("{text}");
    let svg = plot("Instructions by size, in every dimension", &AXES, &panels);
    Ok(Section { plots: vec![("growth", svg)], faults: wrong, ..Section::from(text) })
}

const AXES: Axes = Axes { x: "size, log scale", y: "instructions, log scale", x_label: round_size };

/// A dimension and its counts, one for each size.
type Counted = (Dimension, Vec<u64>);

/// Counts all dimensions; says which grow faster than they may.
fn measure() -> Result<(Vec<Counted>, Vec<String>), String> {
    let works = DIMENSIONS.iter().flat_map(|each| each.sizes.map(|size| format!("grow {} {size}", each.word)));
    let counts = count(&works.collect::<Vec<_>>())?;
    let rows: Vec<Counted> = DIMENSIONS.into_iter().zip(counts.chunks(3).map(<[u64]>::to_vec)).collect();
    let wrong = rows.iter().filter_map(|(dimension, counts)| {
        let (ratio, most) = (counts[2] as f64 / counts[1] as f64, dimension.growth.most(dimension.sizes));
        (ratio > most).then(|| format!("{}: ten times the size costs {ratio:.2} times as much", dimension.name))
    });
    let wrong = wrong.collect();
    Ok((rows, wrong))
}

/// Returns what grows faster than it may, one line each.
pub(crate) fn faults() -> Result<Vec<String>, String> {
    Ok(measure()?.1)
}

fn round_size(size: usize) -> String {
    match size {
        1_000_000.. => format!("{}M", size / 1_000_000),
        1_000.. => format!("{}k", size / 1_000),
        _ => size.to_string(),
    }
}

/// Returns the work of one dimension at one size.
pub(crate) fn work(word: &str, size: usize) -> Result<Work, String> {
    let tools = || Tools::from_json(&job::tools()).unwrap_or_default();
    let read = |set: Dialects, text: &str| Ok(reading(set, &tools(), pieces(text, 4, &[])));
    if let Some((shape, dialect)) = word.split_once('-') {
        match shape {
            "parameters" | "brackets" | "openers" | "near" => {
                return read(Dialects::builtin(), &hostile::message(dialect, shape, size)?.0);
            }
            "whole" => {
                let text = job::call(dialect, &vec![job::arguments("plain", 30); size])?.0;
                return Ok(parsing(pinned(dialect)?, tools(), text));
            }
            "calls" => return read(pinned(dialect)?, &job::call(dialect, &vec![job::arguments("plain", 30); size])?.0),
            _ => {}
        }
    }
    let turn_ends = |count: usize| format!("a{} b", "<|im_end|></s>".repeat(count / 2));
    let in_string = |text: &str| {
        format!("<tool_call>\n{{\"name\": \"write\", \"arguments\": {{\"content\": \"{text}\"}}}}\n</tool_call>")
    };
    match word {
        "hermes" | "pythonic" | "qwen3_coder" => {
            read(pinned(word)?, &job::call(word, &[job::arguments("code", size)])?.0)
        }
        "nesting" => nesting(size),
        // Members of a call object that are skipped, each with a string in doubt.
        "skipped" => {
            let members = ", co, {\"name\": \"write\" \"arguments\": {\"path\": \"x\", \"conten".repeat(size);
            let text = format!(
                "{{\"tool_calls\": [{{\"name\": \"write\", \"arguments\": {{\"path\": \"p\", \"mode\": \"{members}]}} "
            );
            Ok(parsing(pinned("openai_json")?, tools(), text))
        }
        "turn-ends-apart" => {
            let ends = "\t<|endoftext|><|endoftext|>".repeat(size);
            Ok(parsing(Dialects::builtin(), tools(), format!("</function_call>{ends}")))
        }
        "unknown-calls" => {
            let calls = "look(path=\"zqv\", content=\"zqv\")\n".repeat(size);
            Ok(parsing(pinned("olmo3")?, tools(), format!("<function_calls>{calls}</function_calls>")))
        }
        "opened-in-string" => {
            read(Dialects::builtin(), &"<tool_call>\n{\"arguments\": {\"a\": \"x </tool_call>".repeat(size))
        }
        "heads-in-string" => {
            let heads = "\"content\": \"zqv\"}\"path\": \", {\"name\": \"write\"".repeat(size);
            let opened = "{\"tool_calls\": [{\"name\": \"write\", \"arguments\": {\"content\": \"";
            read(pinned("openai_json")?, &format!("{opened}{heads}"))
        }
        "closed-in-string" => read(Dialects::builtin(), &"<tool_call>{\"a\": \"x</tool_call><tool_call>".repeat(size)),
        "reasoned-openers" => read(Dialects::builtin(), &format!("<think>{}", "<function name=".repeat(size))),
        "span-openers" => read(Dialects::builtin(), &format!("a `` b{}", " ` <tool_call>".repeat(size))),
        "spans" => Ok(parsing(pinned("hermes")?, tools(), "a `b` ".repeat(size))),
        "fence-closers" => {
            Ok(parsing(pinned("hermes")?, tools(), format!("a\n```text {}", "</tool_call> ".repeat(size))))
        }
        "undeclared" => {
            let call = "<tool_call>\nnull<response>\n}\n</tool_call>\n";
            Ok(parsing(pinned("prompted_xml")?, tools(), call.repeat(size)))
        }
        "worded" => read(Dialects::builtin(), &format!("analysisWe {}", "need ".repeat(size / 5))),
        "turn-ends" => read(Dialects::builtin(), &turn_ends(size)),
        "turn-ends-whole" => Ok(parsing(Dialects::builtin(), tools(), turn_ends(size))),
        "blank-closer" => {
            let opened = "<tool_call>\n<function=write>\n<parameter=content>\nx</";
            read(pinned("qwen3_coder")?, &format!("{opened}{}", " ".repeat(size)))
        }
        "opened-in-value" => {
            let call = "_CALL]\n{tool => \"write\", args => {\n--v\"\n--mode \"x\n}}\n[/TOOL_CALL]\n[TOOL";
            let opened = "[TOOL_CALL]\n{tool => \"write\", args => {\n--mode \"";
            Ok(parsing(pinned("minimax_tool_call")?, tools(), format!("{opened}{}(", call.repeat(size))))
        }
        "tags" => {
            let tags: String = (0..size).map(|number| format!("<t{number}>")).collect();
            read(pinned("qwen3_coder")?, &format!("<tool_call>\n<function=write>\n<parameter=content>\n{tags}"))
        }
        "quotes" => read(pinned("hermes")?, &in_string(&"\" ".repeat(size))),
        "backslashes" => read(pinned("hermes")?, &in_string(&"\\".repeat(size))),
        "name-json" => {
            read(Dialects::builtin(), &format!("<tool_call>{{\"name\": \"{}\", \"arguments\": {{", "n".repeat(size)))
        }
        "name-tag" => read(Dialects::builtin(), &format!("<tool_call>\n<function={}>\n", "n".repeat(size))),
        "candidates" => {
            let file = |number: usize| {
                format!(
                    "about = \"One of many.\"\ncall = \"<tool_call>{{name}}<is_{number}>{{arguments}}</tool_call>\"\n"
                )
            };
            let call = format!("<tool_call>write<is_{}>{{\"path\": \"a\"}}</tool_call>\n", size - 1);
            read(dialects(size, file)?, &call.repeat(100))
        }
        "tools-made" => {
            let list = making::tools(size);
            Ok(Box::new(move || drop(Tools::from_json_str(&list).ok())))
        }
        "tools-read" => {
            let tools = Tools::from_json_str(&making::tools(size)).map_err(|error| error.to_string())?;
            let call = format!(
                "<tool_call>\n{{\"name\": \"tool_{}\", \"arguments\": {{\"path\": \"a\"}}}}\n</tool_call>\n",
                size - 1
            );
            Ok(reading(Dialects::builtin(), &tools, pieces(&call.repeat(100), 4, &[])))
        }
        "dialects-made" => Ok(Box::new(move || {
            let set = dialects(size, renamed).unwrap_or_default();
            drop(Parser::new(&set, &Tools::default(), &options()));
        })),
        "dialects-prose" => read(dialects(size, renamed)?, &job::data("markdown", 20_000)),
        "dialects-calls" => read(
            dialects(size, renamed)?,
            &"<call_0>\n{\"name\": \"write\", \"arguments\": {}}\n</call_0>\n".repeat(100),
        ),
        _ => Err(format!("nothing grows in `{word}`")),
    }
}

/// Lists in lists in lists, with a limit that they do not reach.
fn nesting(depth: usize) -> Result<Work, String> {
    let (text, _) = job::call("hermes", &["{\"content\": [[0]]}".to_owned()])?;
    let text = text.replace("[[0]]", &("[".repeat(depth) + &"]".repeat(depth)));
    let options = options().with_limits(Limits::default().with_depth(usize::MAX));
    let mut parser = Parser::new(&pinned("hermes")?, &Tools::default(), &options);
    let pieces = pieces(&text, 4, &[]);
    Ok(Box::new(move || feed(&mut parser, &pieces)))
}

/// Returns a set of so many dialects, each from the text of its file.
fn dialects(count: usize, file: impl Fn(usize) -> String) -> Result<Dialects, String> {
    let read = |number: usize| Dialect::from_toml(&format!("dialect_{number}"), &file(number));
    (0..count).map(read).collect::<Result<Dialects, _>>().map_err(|error| error.to_string())
}

/// Returns the file of a dialect whose markers are its own: JSON, tags or tokens.
fn renamed(number: usize) -> String {
    let patterns = match number % 3 {
        0 => "call = \"<call_N>\\n{call}\\n</call_N>\"",
        1 => {
            "call = \"<invoke_N={name}>\\n{params}</invoke_N>\"\nparam = \"<field_N={key}>\\n{value}\\n</field_N>\\n\""
        }
        _ => "call = \"<|call_N|>{name}<|arguments_N|>{arguments}<|end_N|>\"",
    };
    format!("about = \"One of many.\"\n{}\n", patterns.replace('N', &number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_has_its_work() {
        for dimension in DIMENSIONS {
            assert!(work(dimension.word, dimension.sizes[0]).is_ok(), "{}", dimension.name);
        }
    }
}
