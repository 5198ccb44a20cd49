//! The certificate: which messages of a template a dialect reads back, and which it does not.

use std::collections::BTreeSet;
use std::fmt;

use toolglot::{Options, parse};
use toolglot_json::{Value as Json, json};

use crate::fit::{Difference, Fit, Reader, Row, is_clean, shown};
use crate::markers::markers;
use crate::probe::{CONTENT, Probe, Probes, REASONING, Turn, tools};
use crate::random::{Dice, OWN_MARKERS, message};
use crate::said::{ID, Shape};

/// How well a dialect fits a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Grade {
    /// The dialect reads every message that the template can express back exactly, and writes the same bytes.
    A,
    /// The dialect reads every message back exactly, but writes other bytes.
    B,
    /// The dialect reads calls back, but not every message; the exceptions are listed.
    C,
    /// Not certified: the dialect does not read simple calls back.
    None,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::None => "none",
        })
    }
}

/// A kind of message that the dialect does not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Uncertified {
    /// The kind of message.
    pub probe: String,
    /// The reason.
    pub because: String,
    /// Whether the template is the reason: it writes different messages identically, or does not escape values.
    pub is_template: bool,
    /// What the template wrote.
    pub wrote: String,
    /// What the dialect read.
    pub read: String,
}

/// The result of testing a dialect against a template.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// The dialect's name.
    pub dialect: String,
    /// How well the dialect fits.
    pub grade: Grade,
    /// The form of messages that the template expects.
    pub shape: Shape,
    /// What the template writes for two calls, or for one call if it accepts no more.
    pub example: String,
    /// What the prompt writes before the answer, without `prefill`.
    pub header: String,
    /// What the prompt writes as the beginning of the answer, usually an opening reasoning tag. Servers omit it from the
    /// answer: parse with `reasoning_open`.
    pub prefill: String,
    /// What ends a turn after its text and calls: stop strings for a server.
    pub ends: Vec<String>,
    /// Number of messages tried, fixed and random.
    pub probes: usize,
    /// Number of messages read back exactly.
    pub read_back: usize,
    /// Number of messages misread, not counting those with the format's own markers in a value. The template rejects the
    /// rest, or writes two of them identically.
    pub misread: usize,
    /// Number of fixed messages read back that the dialect writes byte for byte like the template.
    pub byte_equal: usize,
    /// Number of fixed messages read back.
    pub fixed: usize,
    /// Messages that the template rejects, with its reason.
    pub template_refuses: Vec<String>,
    /// Parts of messages that the template omits.
    pub template_drops: Vec<String>,
    /// The kinds of messages that the dialect does not read back.
    pub not_certified: Vec<Uncertified>,
    /// The first difference between the output of the dialect and that of the template.
    pub difference: Option<Difference>,
    /// Whether calls are found with all built-in dialects enabled; otherwise, the dialect must be selected by name.
    pub is_found_by_auto: bool,
    /// Number of damaged turns that were read as complete without a diagnostic.
    pub accepted_damage: usize,
    /// Number of turns tried with one damaged marker.
    pub damaged: usize,
}

impl Certificate {
    /// Tests a fit with more, random messages.
    pub(crate) fn new(probes: &Probes, reader: &Reader<'_>, fit: &Fit, messages: usize) -> Self {
        let mut certificate = Self::of_fixed(probes, fit);
        certificate.add_random(probes, reader, fit, messages);
        certificate.try_auto(probes, reader, fit);
        certificate.try_damage(probes, reader, fit);
        certificate.grade = certificate.graded(probes, fit);
        certificate
    }

    fn of_fixed(probes: &Probes, fit: &Fit) -> Self {
        let rows = || probes.rows.iter().zip(&fit.rows);
        let refused = rows().filter_map(|(probe, row)| match row {
            Row::Refused { why } => Some(format!("{}: {why}", probe.what)),
            _ => None,
        });
        let ends: BTreeSet<&str> = fit
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Read { end, .. } if !end.trim().is_empty() => Some(end.trim()),
                _ => None,
            })
            .collect();
        let not_certified = rows().filter_map(|(probe, row)| uncertified(probe, row)).collect();
        let difference = fit.rows.iter().find_map(|row| match row {
            Row::Read { difference, .. } => difference.clone(),
            _ => None,
        });
        let prefill = if fit.is_prefilled { prefill(probes) } else { String::new() };
        Self {
            dialect: fit.dialect.name().to_owned(),
            grade: Grade::None,
            shape: probes.shape,
            example: example(probes).to_owned(),
            header: probes.prompt().strip_suffix(prefill.as_str()).unwrap_or(probes.prompt()).to_owned(),
            prefill,
            ends: ends.into_iter().map(str::to_owned).collect(),
            probes: fit.rows.len(),
            read_back: fit.count(Row::is_read),
            misread: fit.count(|row| matches!(row, Row::Misread { .. })),
            byte_equal: fit.count(Row::is_equal),
            fixed: fit.count(Row::is_read),
            template_refuses: refused.collect(),
            template_drops: dropped(probes),
            not_certified,
            difference,
            is_found_by_auto: false,
            accepted_damage: 0,
            damaged: 0,
        }
    }

    fn add_random(&mut self, probes: &Probes, reader: &Reader<'_>, fit: &Fit, messages: usize) {
        let (mut dice, own) = (Dice::new(7), own_markers(probes));
        for _ in 0..messages {
            let random = message(&mut dice, &own);
            let probe = probes.row(random.kind, random.said);
            let row = reader.row_in_pieces(&probe, fit.is_prefilled, &mut dice);
            self.probes += 1;
            self.read_back += usize::from(row.is_read());
            self.misread += usize::from(matches!(row, Row::Misread { .. }) && probe.what != OWN_MARKERS);
            let known = self.not_certified.iter().any(|known| known.probe == probe.what);
            if let (false, Some(found)) = (known, uncertified(&probe, &row)) {
                self.not_certified.push(found);
            }
        }
    }

    /// Reads the plain probes among all built-in dialects.
    fn try_auto(&mut self, probes: &Probes, reader: &Reader<'_>, fit: &Fit) {
        let all = toolglot::Dialects::builtin();
        let all = if all.get(fit.dialect.name()).is_some() { all } else { all.with((*reader.dialect).clone()) };
        self.is_found_by_auto = ["one call", "two calls", "text and two calls"].iter().all(|what| {
            let Some((_, turn)) = probes.find(what) else { return true };
            let open = fit.is_prefilled && turn.is_prompted;
            let read = parse(&turn.text, &all, &tools(), &Options::default().with_reasoning_open(open));
            read.calls.len() == turn.written.calls.len()
        });
    }

    /// Damages one marker at a time: none of these turns may be read as complete without a diagnostic.
    fn try_damage(&mut self, probes: &Probes, reader: &Reader<'_>, fit: &Fit) {
        let Some((_, turn)) = probes.find("two calls").or_else(|| probes.find("one call")) else { return };
        let Ok(end) = reader.read(turn, fit.is_prefilled) else { return };
        for marker in markers(&turn.text[..end], &probes.special) {
            let Some(middle) = turn.text[marker.clone()].char_indices().filter(|(_, c)| c.is_alphabetic()).nth(1)
            else {
                continue;
            };
            let at = marker.start + middle.0;
            let mut text = turn.text.clone();
            text.replace_range(at..at + middle.1.len_utf8(), "\u{17e}");
            let damaged = Turn { text, ..turn.clone() };
            self.damaged += 1;
            let message =
                parse(&damaged.text[..end + 2 - middle.1.len_utf8()], &reader.pinned, &tools(), &Options::default());
            self.accepted_damage += usize::from(damaged.written.is(&message) && is_clean(&message));
        }
    }

    fn graded(&self, probes: &Probes, fit: &Fit) -> Grade {
        let row =
            |what: &str| probes.rows.iter().zip(&fit.rows).find(|(probe, _)| probe.what == what).map(|(_, row)| row);
        let is_fine = |row: Option<&Row>| {
            row.is_some_and(|row| row.is_read() || matches!(row, Row::Refused { .. } | Row::Lossy { .. }))
        };
        let basic = ["text", "one call", "two calls", "one parameter"].iter().all(|what| is_fine(row(what)));
        let reads_calls =
            ["one call", "two calls", "one parameter"].iter().any(|what| row(what).is_some_and(Row::is_read));
        match () {
            () if !basic || !reads_calls || self.misread * 5 > self.probes * 2 => Grade::None,
            () if self.not_certified.iter().any(|one| !one.is_template) => Grade::C,
            () if self.byte_equal < self.fixed => Grade::B,
            () => Grade::A,
        }
    }

    /// Returns the certificate as JSON.
    pub fn to_json(&self) -> Json {
        let shape = json!({
            "arguments": if self.shape.arguments_as_text { "text" } else { "object" },
            "content": if self.shape.null_content { Json::Null } else { "".into() },
            "reasoning": self.shape.reasoning,
            "ids": if self.shape.named_ids { "functions.NAME:INDEX" } else { "any" },
        });
        let not_certified: Vec<Json> = self.not_certified.iter().map(|one| {
            json!({"probe": one.probe, "because": one.because, "limit_of": if one.is_template { "template" } else { "dialect" },
                "wrote": one.wrote, "read": one.read})
        }).collect();
        json!({
            "dialect": self.dialect, "grade": self.grade.to_string(), "shape": shape, "example": self.example, "header": self.header, "prefill": self.prefill,
            "ends": self.ends, "probes": self.probes, "read_back": self.read_back, "misread": self.misread, "byte_equal": self.byte_equal,
            "fixed": self.fixed, "template_refuses": self.template_refuses, "template_drops": self.template_drops,
            "not_certified": not_certified,
            "difference": self.difference.as_ref().map(|one| json!({"template": one.template, "dialect": one.dialect})),
            "found_by_auto": self.is_found_by_auto, "damaged": self.damaged, "accepted_damage": self.accepted_damage,
        })
    }
}

fn example(probes: &Probes) -> &str {
    let turn = probes.find("two calls").or_else(|| probes.find("one call"));
    turn.map_or("", |(_, turn)| turn.text.as_str())
}

/// Returns what the prompt writes after the assistant's header.
fn prefill(probes: &Probes) -> String {
    let prompt = probes.prompt();
    let marker = markers(prompt, &probes.special).pop();
    let start = marker.filter(|marker| prompt[marker.end..].trim().is_empty()).map(|marker| marker.start);
    let line = || prompt.trim_end().rfind('\n').map_or(0, |at| at + 1);
    prompt[start.unwrap_or_else(line)..].to_owned()
}

/// Returns the parts of the probes that the template omits.
fn dropped(probes: &Probes) -> Vec<String> {
    let lacks = |what: &str, word: &str| probes.find(what).is_some_and(|(_, turn)| !turn.text.contains(word));
    let mut dropped = Vec::new();
    let mut add = |is: bool, what: &str| dropped.extend(is.then(|| what.to_owned()));
    add(lacks("text", CONTENT), "text");
    add(lacks("text and two calls", CONTENT), "text beside calls");
    add(lacks("reasoning and text", REASONING), "reasoning");
    add(lacks("reasoning and two calls", REASONING), "reasoning beside calls");
    add(lacks("two calls", ID), "ids");
    let only_first =
        probes.find("two calls").is_some_and(|(probe, turn)| turn.written.calls.len() < probe.said.calls.len());
    add(only_first, "all calls but the first");
    dropped
}

fn uncertified(probe: &Probe, row: &Row) -> Option<Uncertified> {
    let turn = probe.turn.as_ref().ok()?;
    let (because, is_template, read) = match row {
        Row::Lossy { why } => (why.clone(), true, "the other message".to_owned()),
        Row::Misread { read } if probe.what == OWN_MARKERS => {
            ("the template does not escape the marker".to_owned(), true, read.clone())
        }
        Row::Misread { read } => ("the dialect misreads it".to_owned(), false, read.clone()),
        Row::Read { .. } | Row::Refused { .. } => return None,
    };
    let wrote = turn.text.chars().take(400).collect::<String>();
    Some(Uncertified { probe: probe.what.to_owned(), because, is_template, wrote, read: shown_long(&read) })
}

fn shown_long(text: &str) -> String {
    text.chars().take(400).collect()
}

/// The markers that the template writes around calls.
fn own_markers(probes: &Probes) -> Vec<String> {
    let Some((_, turn)) = probes.find("two calls").or_else(|| probes.find("one call")) else { return Vec::new() };
    let found: BTreeSet<&str> =
        markers(&turn.text, &probes.special).into_iter().map(|marker| &turn.text[marker]).collect();
    found.into_iter().filter(|marker| !marker.contains("qz") && !marker.contains(ID)).map(str::to_owned).collect()
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, what: &str, text: &str| writeln!(f, "{what:<16}{text}");
        line(f, "dialect", &self.dialect)?;
        line(f, "grade", &format!("{} ({})", self.grade, meaning(self.grade)))?;
        line(f, "read back", &format!("{} of {} messages", self.read_back, self.probes))?;
        line(f, "byte-equal", &format!("{} of {} fixed messages", self.byte_equal, self.fixed))?;
        if let Some(one) = &self.difference {
            line(f, "first difference", &format!("\n  template  {:?}\n  dialect   {:?}", one.template, one.dialect))?;
        }
        if !self.header.is_empty() {
            line(f, "prompt ends", &format!("{:?}", shown(&self.header)))?;
        }
        if !self.prefill.is_empty() {
            line(f, "prefill", &format!("{:?}: parse answers with `--reasoning-open`", self.prefill))?;
        }
        for end in &self.ends {
            line(f, "end of turn", &format!("{end:?}"))?;
        }
        for what in &self.template_refuses {
            line(f, "template rejects", &format!(" {}", shown_long(what)))?;
        }
        for what in &self.template_drops {
            line(f, "template drops", what)?;
        }
        for one in self.not_certified.iter().take(SHOWN) {
            let whose = if one.is_template { "template" } else { "dialect" };
            line(f, "not certified", &format!("{}: {} (limit of the {whose})", one.probe, one.because))?;
            if !one.is_template {
                writeln!(f, "  wrote {:?}\n  read  {}", shown(&one.wrote), one.read)?;
            }
        }
        if let Some(more) = self.not_certified.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            line(f, "", &format!("and {more} more; `--json` lists them all"))?;
        }
        if !self.is_found_by_auto {
            line(f, "note", "not detected automatically; select this dialect with `--dialect`")?;
        }
        if self.accepted_damage > 0 {
            let text =
                format!("{} of {} damaged turns are accepted without a diagnostic", self.accepted_damage, self.damaged);
            line(f, "note", &text)?;
        }
        Ok(())
    }
}

/// Kinds of messages shown in the text output; the others usually fail for the same reason.
const SHOWN: usize = 5;

fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::A => "all messages are read back; the dialect writes the same bytes as the template",
        Grade::B => "all messages are read back; the dialect writes different bytes",
        Grade::C => "calls are read back, with the exceptions listed",
        Grade::None => "simple calls are not read back",
    }
}
