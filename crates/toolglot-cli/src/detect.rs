//! `toolglot detect`: the likely dialects of an output, a chat template and a model's name, with reasons.

use std::path::Path;

use toolglot::Dialects;
use toolglot::detect::{Reason, Verdict, from_model, from_output, from_template};
use toolglot_json::{Map, Value, json};
use toolglot_template::{InferError, Inferred};

use crate::args::DetectArgs;
use crate::console;
use crate::failure::{ExitStatus, Failure, Run, print};
use crate::input::Source;
use crate::known::Known;
use crate::paint::Paint;
use crate::template_file::{self, confined};
use crate::tools;

/// Verdicts of one source that the tables show.
const SHOWN: usize = 5;

/// Reasons of one verdict that the tables show.
const REASONS: usize = 6;

/// A source of evidence, and its verdicts.
struct Finding {
    source: &'static str,
    verdicts: Vec<Verdict>,
}

/// Runs the command; exit code 1 if no dialect matches.
pub(crate) fn run(args: &DetectArgs) -> Run {
    if args.template.is_some() { confined(|| detect(args)) } else { detect(args) }
}

fn detect(args: &DetectArgs) -> Run {
    let findings = findings(args)?;
    print(if args.json { as_json(&findings) } else { as_tables(&findings, Paint::stdout()) })?;
    Ok(ExitStatus::fine_if(findings.iter().all(|finding| !finding.verdicts.is_empty())))
}

fn findings(args: &DetectArgs) -> Result<Vec<Finding>, Failure> {
    let known = Known::from_flags(&args.dialects)?;
    let mut findings = Vec::new();
    if let Some(model) = &args.model {
        findings.push(Finding { source: "model", verdicts: from_model(model, &known.chosen) });
    }
    if let Some(path) = &args.template {
        findings.push(Finding { source: "template", verdicts: in_template(path, &known.chosen)? });
    }
    if args.file.is_some() || findings.is_empty() {
        let tools = tools::read(args.tools.as_deref())?;
        let bytes = Source::open(args.file.as_deref())?.read_all()?;
        let verdicts = from_output(&String::from_utf8_lossy(&bytes), &known.chosen, &tools);
        findings.push(Finding { source: "output", verdicts });
    }
    Ok(findings)
}

/// Runs the template, or judges its text if it does not run.
fn in_template(path: &Path, dialects: &Dialects) -> Result<Vec<Verdict>, Failure> {
    let template = template_file::read(path)?;
    match toolglot_template::rank(&template, dialects) {
        Ok(found) => Ok(verdicts(&found)),
        Err(InferError::NoCalls) => {
            console::note("this template writes no tool calls");
            Ok(Vec::new())
        }
        Err(error) => {
            console::note(&format!("{error}; using only the template's text"));
            Ok(from_template(template.source(), dialects))
        }
    }
}

/// The verdict on each dialect; those with the same certificate as the first are listed as alike.
fn verdicts(found: &[Inferred]) -> Vec<Verdict> {
    let proof = |found: &Inferred| (found.certificate.read_back, found.certificate.byte_equal);
    let mut verdicts: Vec<Verdict> = Vec::new();
    for (at, one) in found.iter().enumerate() {
        if at > 0 && proof(one) == proof(&found[0]) {
            verdicts[0].alike.push(one.dialect.name().into());
            continue;
        }
        let (size, certificate) = (one.certificate.read_back, &one.certificate);
        let what =
            format!("grade {}: reads back {size} of {} template messages", certificate.grade, certificate.probes);
        verdicts.push(Verdict::proven(&one.dialect, what, size + certificate.byte_equal));
    }
    verdicts
}

fn as_tables(findings: &[Finding], paint: Paint) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &format!("{}\n", paint.strong(&format!("from the {}", finding.source)));
        if finding.verdicts.is_empty() {
            text += "  no dialect matches\n";
        }
        text.extend(finding.verdicts.iter().take(SHOWN).map(|verdict| row(verdict, paint)));
        if let Some(more) = finding.verdicts.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            text += &paint.faint(&format!("  and {more} weaker matches; --json lists them all\n"));
        }
    }
    text
}

fn row(verdict: &Verdict, paint: Paint) -> String {
    let alike = match &verdict.alike[..] {
        [] => String::new(),
        alike => paint.faint(&format!("  (alike: {})", alike.join(", "))),
    };
    let head = format!("  {} {:>4}{alike}\n", paint.name(&format!("{:18}", verdict.dialect)), verdict.score);
    let shown = verdict.evidence.iter().take(REASONS);
    shown.fold(head, |text, evidence| {
        text + &format!("    {:>+5}  {}{}\n", evidence.weight, evidence.what, place(evidence, paint))
    })
}

fn place(evidence: &Reason, paint: Paint) -> String {
    let span = evidence.span.as_ref();
    span.map(|span| paint.faint(&format!("  {}..{}", span.start, span.end))).unwrap_or_default()
}

fn as_json(findings: &[Finding]) -> String {
    let verdicts = |finding: &Finding| (finding.source.to_owned(), finding.verdicts.iter().map(verdict_json).collect());
    format!("{}\n", Value::from(findings.iter().map(verdicts).collect::<Map>()))
}

fn verdict_json(verdict: &Verdict) -> Value {
    let evidence: Value = verdict.evidence.iter().map(reason_json).collect();
    json!({"dialect": verdict.dialect, "alike": verdict.alike, "score": verdict.score, "evidence": evidence})
}

fn reason_json(reason: &Reason) -> Value {
    let mut all = json!({"what": reason.what, "weight": reason.weight});
    if let Some(span) = &reason.span {
        all["span"] = json!([span.start, span.end]);
    }
    all
}
