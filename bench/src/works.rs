//! What the processes do that valgrind counts, or that do something for the first time: work by its words.

use std::time::Duration;

use cpu_time::ThreadTime;
use toolglot::{Dialect, Dialects, Parser, Tools};

use crate::counting::counted;
use crate::examples::{declared, examples};
use crate::job::{self, Job, pieces};
use crate::sides::{options, pinned};
use crate::work::{Work, parsing, reading};
use crate::{growth, making};

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

/// Returns the work that words describe, ready to be done.
fn work(words: &[&str]) -> Result<Work, String> {
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
    fn work_is_made_of_words() {
        assert!(work(&["pinned", "call", "hermes", "plain", "100", "4"]).is_ok());
        assert!(work(&["auto", "two", "hermes", "whole"]).is_ok());
        assert!(work(&["make", "dialect", "hermes"]).is_ok());
        assert!(work(&["pinned", "call", "none", "plain", "100", "4"]).is_err());
    }
}
