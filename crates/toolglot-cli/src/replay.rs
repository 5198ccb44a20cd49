//! Captured exchanges: list them, reparse them with current code and settings, or turn them into test cases.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use toolglot_proxy::{Capture, Config, Sources, captures, replay};
use toolglot_wire::{Transcript, TranscriptChoice};

use crate::failure::{ExitStatus, Failure, Run};
use crate::input::unreadable;
use crate::report::visible;
use crate::serve::SettingFlags;

pub(crate) const HELP: &str = "\
Examples:
  toolglot replay captures/1790000000-0199.json
  toolglot replay --config toolglot.toml captures/*.json
  toolglot replay --set route.evidence=eager captures/1790000000-0199.json
  toolglot replay --case captures/1790000000-0199.json

A captured exchange contains the client's request, the server's answer and the
result. `serve` captures exchanges with the setting `capture = \"misses\"` or
`\"all\"`. Keys are redacted; prompts and answers are included.";

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Files of captured exchanges
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print each as a toolglot test case, with its tools and the model's text
    #[arg(long)]
    case: bool,
    #[command(flatten)]
    settings: SettingFlags,
}

#[derive(Debug, Args)]
pub(crate) struct CapturesArgs {
    /// Settings file of the proxy
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder with the captured exchanges [default: from the settings]
    folder: Option<PathBuf>,
}

/// Reparses exchanges, or prints them as cases.
pub(crate) fn run(args: &ReplayArgs) -> Run {
    let mut ending = ExitStatus::Fine;
    let mut out = io::stdout().lock();
    for path in &args.files {
        let capture = read(path)?;
        if args.case {
            out.write_all(case(&capture)?.as_bytes())?;
            continue;
        }
        if capture.cut {
            writeln!(out, "{}: truncated when captured; nothing to compare", path.display())?;
            ending = ExitStatus::Failed;
            continue;
        }
        // No server is called, so none has to be set.
        let sources = args.settings.sources([("demo", "replay", Some("true".to_owned()))]);
        let config = Config::load(&sources).map_err(Failure::usage)?;
        let now = replay(&capture, config).map_err(|error| Failure::Usage(format!("`{}`: {error}", path.display())))?;
        out.write_all(changes(path, &capture, &now).as_bytes())?;
    }
    Ok(ending)
}

/// Lists captured exchanges, the newest last.
pub(crate) fn list(args: &CapturesArgs) -> Run {
    let sources = Sources::of_process(args.config.clone(), Vec::new());
    let folder = args.folder.clone().unwrap_or_else(|| Config::check(&sources).0.captures().to_owned());
    let wrong = |error: io::Error| {
        let Failure::Usage(why) = unreadable(&folder, &error) else { return error.into() };
        Failure::Usage(format!("{why}; set `capture = \"misses\"` to make `serve` write there"))
    };
    let mut out = io::stdout().lock();
    for (path, size) in captures(&folder).map_err(wrong)? {
        let line = match Capture::read(&path) {
            Ok(capture) => {
                let reason = capture.miss.as_ref().map_or("-", |(reason, _)| reason);
                format!("{}\t{}\t{reason}\t{size}", path.display(), visible(&capture.model))
            }
            Err(error) => format!("{}\t{error}", path.display()),
        };
        writeln!(out, "{line}")?;
    }
    Ok(ExitStatus::Fine)
}

fn read(path: &Path) -> Result<Capture, Failure> {
    Capture::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Failure::Usage(format!("`{}`: {error}", path.display())),
        _ => unreadable(path, &error),
    })
}

/// Describes what is now read differently.
fn changes(path: &Path, capture: &Capture, now: &[u8]) -> String {
    let (protocol, server) = &capture.protocols;
    let mut out = format!("{}: {}, {protocol} from {server}\n", path.display(), visible(&capture.model));
    if let Some((reason, words)) = &capture.miss {
        let _ = writeln!(out, "  near miss  {reason}: {}", visible(words));
    }
    let (was, now) = (shown(capture.told.as_bytes()), shown(now));
    if was == now {
        out += "  unchanged\n";
        now.iter().for_each(|line| out += &format!("             {line}\n"));
        return out;
    }
    was.iter().filter(|line| !now.contains(line)).for_each(|line| out += &format!("  was        {line}\n"));
    now.iter().filter(|line| !was.contains(line)).for_each(|line| out += &format!("  would be   {line}\n"));
    out
}

/// Returns an answer as lines to compare, without ids and times.
fn shown(answer: &[u8]) -> Vec<String> {
    let Some(saved) = Transcript::read(answer) else {
        return vec![format!("no answer: {}", visible(&String::from_utf8_lossy(answer)))];
    };
    let mut lines: Vec<String> = saved.alternatives.iter().flat_map(lines_of).collect();
    lines.extend(saved.fault.map(|fault| format!("error      {}", visible(&fault.message))));
    lines
}

fn lines_of(answer: &TranscriptChoice) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |name: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("{name:<10} {}", visible(text).replace('\n', "⏎")));
        }
    };
    add("reasoning", &answer.reasoning);
    add("text", &answer.text);
    answer.calls.iter().for_each(|call| add("call", &format!("{} {}", call.name, call.arguments)));
    add("finish", &answer.finish.as_ref().map(|finish| format!("{finish:?}")).unwrap_or_default());
    lines
}

/// Returns a case for the core's tests: the tools and the answer's text. The tests fill in the expectation.
fn case(capture: &Capture) -> Result<String, Failure> {
    let saved = Transcript::read(capture.answer.as_bytes());
    let answer = saved.and_then(|saved| saved.alternatives.into_iter().next());
    let text = answer.map(|answer| answer.text).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Failure::usage("the answer contains no text to read"))?;
    let tools = capture.request.get("tools").map(ToString::to_string).unwrap_or_else(|| "[]".to_owned());
    let about = capture.miss.as_ref().map_or("Captured by the proxy.", |(_, words)| words);
    let plain = text.chars().all(|letter| letter == '\n' || !letter.is_control()) && !text.contains("--- ");
    let (title, input) = if plain { ("input", text) } else { ("input escaped", escaped(&text)) };
    Ok(format!("{}\n--- tools\n{tools}\n--- {title}\n{input}\n--- expect\n", visible(about)))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            letter if letter.is_control() => {
                let mut bytes = [0; 4];
                letter.encode_utf8(&mut bytes).bytes().for_each(|byte| out += &format!("\\x{byte:02x}"));
            }
            letter => out.push(letter),
        }
    }
    out
}
