//! `toolglot doctor`: how a model server handles tools, and how to fix it.

use std::io::{self, Write};

use clap::Args;
use toolglot_proxy::{Condition, Examination, Probe, examine};

use crate::failure::{ExitStatus, Run};
use crate::paint::Paint;
use crate::report::visible;
use crate::template_facts::facts;

pub(crate) const HELP: &str = "\
Examples:
  toolglot doctor http://localhost:8000
  toolglot doctor http://localhost:11434 --model qwen3:8b
  toolglot doctor https://api.example.com/v1 --key \"$KEY\" --json

Identifies the server and sends three small requests: without tools, with a
tool, and with a tool, streamed. Exits with 0 if tool calls arrive as such.";

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Base URL of the server
    #[arg(value_name = "URL")]
    url: String,
    /// API key to send
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Model to test [default: the first one listed by the server]
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Examines a server; exit code 1 unless it is healthy.
pub(crate) fn run(args: &DoctorArgs) -> Run {
    let found = examine(&args.url, args.key.as_deref(), args.model.as_deref(), Some(facts))?;
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &found).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        report(&mut out, &found)?;
    }
    Ok(ExitStatus::fine_if(found.verdict == Condition::Healthy))
}

fn report(out: &mut impl Write, found: &Examination) -> io::Result<()> {
    let paint = Paint::stdout();
    if let [Probe { status: 0, fault: Some(fault), .. }] = &found.probes[..] {
        return writeln!(out, "{}", paint.warning(&visible(fault)));
    }
    let known = |name: &Option<String>| name.clone().unwrap_or_else(|| "unknown".to_owned());
    let engine =
        if found.is_toolglot { format!("toolglot in front of {}", found.engine) } else { found.engine.to_owned() };
    writeln!(out, "server      {}, {engine}", visible(&found.url))?;
    writeln!(out, "model       {} (of {})", visible(&found.model), found.models.len())?;
    writeln!(out, "dialect     template: {}; name: {}", known(&found.template), known(&found.by_name))?;
    if let Some(facts) = &found.certificate {
        let opens =
            if facts.prefill.is_empty() { String::new() } else { format!("; the prompt opens {:?}", facts.prefill) };
        let ends =
            if facts.ends.is_empty() { String::new() } else { format!("; a turn ends with {}", facts.ends.join(", ")) };
        writeln!(out, "template    {}, grade {}{}", visible(&facts.dialect), facts.grade, visible(&(opens + &ends)))?;
    }
    for probe in &found.probes {
        writeln!(out, "{:<11} {}", probe.request, visible(&arrived(probe)))?;
    }
    let verdict = meaning(found);
    let verdict = if found.verdict == Condition::Healthy { paint.good(verdict) } else { paint.warning(verdict) };
    writeln!(out, "\n{verdict}")?;
    found.fixes.iter().try_for_each(|fix| writeln!(out, "  {}", visible(fix)))
}

/// Describes what a probe received.
fn arrived(probe: &Probe) -> String {
    if let Some(fault) = &probe.fault {
        return if probe.status == 0 { fault.clone() } else { format!("{}: {fault}", probe.status) };
    }
    let mut parts = Vec::new();
    let mut add = |count: usize, what: &str| {
        if count > 0 {
            let what = if count == 1 { what.replacen("calls", "call", 1) } else { what.to_owned() };
            parts.push(format!("{count} {what}"));
        }
    };
    add(probe.native_calls, "native calls");
    add(probe.broken_calls, "of them broken");
    add(probe.calls_in_text, "calls in the text");
    add(probe.text, "bytes of text");
    add(probe.reasoning, "bytes of reasoning");
    let dialect = probe.dialect.as_ref().map(|name| format!(", dialect {name}")).unwrap_or_default();
    let miss = probe.near_miss.as_ref().map(|miss| format!("; {miss}")).unwrap_or_default();
    if parts.is_empty() { "nothing".to_owned() } else { format!("{}{dialect}{miss}", parts.join(", ")) }
}

fn meaning(found: &Examination) -> &'static str {
    match found.verdict {
        Condition::Healthy => "tool calls arrive as such, streamed or not: nothing to fix",
        Condition::CallsInText => "the server leaves calls in the text; one of these fixes it:",
        Condition::CallsBroken => "the server parses calls incorrectly; this fixes it:",
        Condition::StreamsUnread => "the server parses calls, but not in streams; this fixes it:",
        Condition::RefusesTools => "the server rejects requests with tools; one of these fixes it:",
        Condition::NoCall if found.probes.iter().any(|probe| probe.near_miss.is_some()) => {
            "the model tried to call a tool, but no call was recognised:"
        }
        Condition::NoCall => "the model did not call the tool; tools in the prompt may help:",
        _ => "the server does not answer a request without tools:",
    }
}
