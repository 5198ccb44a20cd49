//! Runs the oracles of where things end, and prints what they found.

use std::process::ExitCode;
use std::time::Duration;

use toolglot::Veto;
use toolglot_fuzz::ends::{self, Report, Run};

const USAGE: &str = "usage: ends unescaped|damage|prefix|prose|slips|ablate [OPTION...]
  --dialect NAME   test this dialect only; repeatable
  --variants       also write each dialect with the other patterns of its file
  --auto           read with all built-in dialects instead of the message's own
  --strict         read with strict validation
  --cases N        cases per dialect (default 1000)
  --seconds S      stop after S seconds, all dialects together
  --seed X         seed of the generator (default 1)
  --code FOLDER    make values of the code in this folder; repeatable
  --without ROW    switch a row of the table of evidence off; `ablate` does that with each
  --case N         run one case, by its number
  --show K         print the first K failures of each dialect
  --kind TEXT      print only failures whose kind contains TEXT
  --check          print the limits and goals; fail if a limit is exceeded
  --markdown       print the documentation page of the oracle";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = parse(&arguments).and_then(|(oracle, run, output)| {
        if oracle == "ablate" {
            print!("{}", ends::ablate(&run)?);
            return Ok(ExitCode::SUCCESS);
        }
        Ok(print(&ends::run(&oracle, &run)?, output))
    });
    match done {
        Ok(code) => code,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// What is printed.
enum Output {
    Table,
    Page,
    Check,
}

fn print(report: &Report, output: Output) -> ExitCode {
    let (text, kept) = match output {
        Output::Table => (report.text(), true),
        Output::Page => (report.markdown(), true),
        Output::Check => report.check(),
    };
    print!("{text}");
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(arguments: &[String]) -> Result<(String, Run, Output), String> {
    let mut output = Output::Table;
    let mut words = arguments.iter();
    let oracle = words.next().ok_or("no oracle given")?.clone();
    let mut run = Run {
        dialects: Vec::new(),
        cases: usize::MAX,
        time: None,
        seed: 1,
        only: None,
        show: 0,
        kind: None,
        strict: false,
        auto: false,
        variants: false,
        without: None,
        code: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        let number = |text: &String| text.parse().map_err(|_| format!("`{text}` is not an integer"));
        match word.as_str() {
            "--dialect" => run.dialects.push(value()?.clone()),
            "--cases" => run.cases = number(value()?)?,
            "--seconds" => run.time = Some(Duration::from_secs(number(value()?)? as u64)),
            "--seed" => run.seed = number(value()?)? as u64,
            "--case" => run.only = Some(number(value()?)?),
            "--show" => run.show = number(value()?)?,
            "--kind" => run.kind = Some(value()?.clone()),
            "--strict" => run.strict = true,
            "--variants" => run.variants = true,
            "--check" => output = Output::Check,
            "--markdown" => output = Output::Page,
            "--auto" => run.auto = true,
            "--code" => run.code.push(value()?.into()),
            "--without" => run.without = Some(veto(value()?)?),
            _ => return Err(format!("unknown option `{word}`")),
        }
    }
    if let Some(only) = run.only {
        run.cases = only + 1;
    } else if run.time.is_none() && run.cases == usize::MAX {
        run.cases = 1000;
    }
    Ok((oracle, run, output))
}

/// Returns the row of the table of evidence with a name.
fn veto(name: &str) -> Result<Veto, String> {
    let names = || Veto::ALL.map(|veto| format!("{veto:?}")).join(", ");
    Veto::ALL
        .into_iter()
        .find(|veto| format!("{veto:?}") == name)
        .ok_or_else(|| format!("no row `{name}`: {}", names()))
}
