//! Instructions, counted by valgrind: the same on every run of the same build, whatever else the machine does.

use std::process::Command;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::auto::{declared, examples, feed};
use crate::growth;
use crate::job::{self, Job, pieces};
use crate::making;
use crate::sides::{options, pinned};
use toolglot::{Dialect, Dialects, Parser, Tools};

/// What is counted: something to do, made ready before and thrown away after.
pub(crate) type Work = Box<dyn FnMut()>;

/// The function in which instructions count, as valgrind names it.
const COUNTED: &str = "toolglot_bench::counting::counted";

/// Returns how many instructions each piece of work takes; all run in one process under valgrind.
pub(crate) fn count(works: &[String]) -> Result<Vec<u64>, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = std::env::temp_dir().join(format!("toolglot-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let out = folder.join("counts");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--toggle-collect={COUNTED}"), &format!("--dump-after={COUNTED}")])
        .args(["--combine-dumps=yes", &format!("--callgrind-out-file={}", out.display())])
        .arg(own)
        .arg("count")
        .args(works)
        .output()
        .map_err(|error| format!("valgrind does not run: {error}; install it"))?;
    let dumps = std::fs::read_to_string(&out).unwrap_or_default();
    // The folder is only ours; that it stays is no harm.
    std::fs::remove_dir_all(&folder).ok();
    let counts = totals(&dumps);
    // The last dump is that of the end of the program, in which nothing is counted.
    if counts.len() == works.len() + 1 {
        Ok(counts[..works.len()].to_vec())
    } else {
        Err(format!("valgrind counted {} of {}: {}", counts.len(), works.len(), String::from_utf8_lossy(&run.stderr)))
    }
}

/// Returns the sum of each dump in a file of callgrind.
fn totals(dumps: &str) -> Vec<u64> {
    dumps.lines().filter_map(|line| line.strip_prefix("summary: ")?.trim().parse().ok()).collect()
}

/// What runs under valgrind: each piece of work is made ready, then counted.
pub(crate) fn child(works: &[String]) -> Result<(), String> {
    for words in works {
        let words: Vec<&str> = words.split(' ').collect();
        counted(&mut *work(&words)?);
    }
    Ok(())
}

/// Returns the time that a piece of work takes the first time it is done in this process.
pub(crate) fn once(words: &str) -> Result<Duration, String> {
    let mut work = work(&words.split(' ').collect::<Vec<_>>())?;
    let start = ThreadTime::now();
    work();
    Ok(start.elapsed())
}

/// What happens in here is counted.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Returns the work that words describe, ready to be done.
pub(crate) fn work(words: &[&str]) -> Result<Work, String> {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match words {
        ["grow", dimension, size] => growth::work(dimension, size.parse().map_err(|_| "SIZE is a number")?),
        ["make", "pinned"] => Ok(making_parser(pinned("hermes")?)),
        ["make", "auto"] => Ok(making_parser(Dialects::builtin())),
        ["make", "tools", count] => {
            let list = making::tools(count.parse().map_err(|_| "COUNT is a number")?);
            Ok(Box::new(move || drop(Tools::from_json_str(&list).ok())))
        }
        ["make", "dialect", name] => {
            let source =
                Dialects::builtin().get(name).map(|dialect| dialect.source().to_owned()).ok_or("no such dialect")?;
            Ok(Box::new(move || drop(Dialect::from_toml("mine", &source).ok())))
        }
        #[cfg(feature = "wire")]
        ["wire", "chunk", kind, server, count] => crate::chunks::work(kind, server, count),
        ["start", "ready", how, dialect] => Ok(starting(how, dialect)),
        ["start", "call", how, dialect] => {
            // Not made by the renderer: that would make ready what is to be counted.
            let text = examples().find(|example| example.0 == *dialect).ok_or("no such dialect")?.1;
            let (how, dialect) = ((*how).to_owned(), (*dialect).to_owned());
            Ok(Box::new(move || {
                let tools = Tools::default();
                drop(set(&how, &dialect).map(|set| toolglot::parse(text, &set, &tools, &options())));
            }))
        }
        [how @ ("pinned" | "auto"), "two", dialect, chunk] => {
            let bytes = if *chunk == "whole" { usize::MAX } else { chunk.parse().map_err(|_| "CHUNK is a number")? };
            let example = examples().find(|example| example.0 == *dialect).ok_or("no such dialect")?.1;
            Ok(reading(set(how, dialect)?, &declared()?, pieces(example, bytes, &[])))
        }
        [how @ ("pinned" | "auto"), rest @ ..] => {
            let job = Job::new(&owned(rest))?;
            let set = set(how, &job.dialect)?;
            let tools = Tools::from_json(&job::tools()).unwrap_or_default();
            Ok(match job.pieces {
                Some(pieces) => reading(set, &tools, pieces),
                None => parsing(set, tools, job.text),
            })
        }
        _ => Err(format!("nothing is done for `{}`", words.join(" "))),
    }
}

/// Returns all dialects for `auto`, else the one.
fn set(how: &str, dialect: &str) -> Result<Dialects, String> {
    if how == "auto" { Ok(Dialects::builtin()) } else { pinned(dialect) }
}

/// Returns the work of reading a message in pieces with a parser that is ready.
pub(crate) fn reading(set: Dialects, tools: &Tools, pieces: Vec<String>) -> Work {
    let mut parser = Parser::new(&set, tools, &options());
    // What a set makes once for its dialects is there; the parser that is counted is new.
    feed(&mut Parser::new(&set, tools, &options()), &pieces);
    Box::new(move || feed(&mut parser, &pieces))
}

/// Returns the work of reading a whole message; what a process makes once is there.
pub(crate) fn parsing(set: Dialects, tools: Tools, text: String) -> Work {
    drop(toolglot::parse(&text, &set, &tools, &options()));
    Box::new(move || drop(toolglot::parse(&text, &set, &tools, &options())))
}

/// Returns the work of making the first parser of a process.
fn starting(how: &str, dialect: &str) -> Work {
    let (how, dialect) = (how.to_owned(), dialect.to_owned());
    Box::new(move || drop(set(&how, &dialect).map(|set| Parser::new(&set, &Tools::default(), &options()))))
}

fn making_parser(set: Dialects) -> Work {
    let tools = Tools::from_json_str(&making::tools(10)).unwrap_or_default();
    // The first parser of a set or a list makes what all later ones share.
    drop(Parser::new(&set, &tools, &options()));
    Box::new(move || drop(Parser::new(&set, &tools, &options())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_dumps_are_found() {
        assert_eq!(
            totals("version: 1\nevents: Ir\nsummary: 12\nfn=(1)\n1 12\n\nsummary: 3456\ntotals: 3468\n"),
            [12, 3456]
        );
    }

    #[test]
    fn work_is_made_of_words() {
        assert!(work(&["pinned", "call", "hermes", "plain", "100", "4"]).is_ok());
        assert!(work(&["auto", "two", "hermes", "whole"]).is_ok());
        assert!(work(&["make", "dialect", "hermes"]).is_ok());
        assert!(work(&["pinned", "call", "none", "plain", "100", "4"]).is_err());
    }
}
