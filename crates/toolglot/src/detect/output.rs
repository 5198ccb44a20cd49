//! Parses a model's output with each dialect alone, and scores the results.

use std::ops::Range;
use std::sync::Arc;

use super::{Reason, Verdict, ranked};
use crate::{
    Call, Code, Collector, Dialect, Dialects, EventKind, Message, Options, Outcome, Outline, OutlinePart, Parser, Tools,
};

/// Calls that count as evidence. A third call adds no information, and a long message must not
/// outvote an exact marker.
const CALLS: usize = 3;

/// Ranks the dialects by what they parse in a text; `tools` are those that the request declared.
///
/// Dialects with the same result and the same evidence share one verdict.
///
/// # Example
/// ```
/// use toolglot::{Dialects, Tools, detect};
/// let text = "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Seoul\"}";
/// let verdicts = detect::from_output(text, &Dialects::builtin(), &Tools::default());
/// assert_eq!(&*verdicts[0].dialect, "mistral_v11");
/// ```
pub fn from_output(text: &str, dialects: &Dialects, tools: &Tools) -> Vec<Verdict> {
    let winner = TrialReading::of(text, dialects, tools).dialect;
    let mut found: Vec<(Verdict, TrialReading)> = Vec::new();
    for dialect in dialects {
        let alone: Dialects = [Arc::clone(dialect)].into_iter().collect();
        let reading = TrialReading::of(text, &alone, tools);
        let mut evidence = reading.evidence(text, dialect);
        if evidence.is_empty() {
            continue;
        }
        let same =
            |other: &&mut (Verdict, TrialReading)| other.0.evidence == evidence && other.1.says_the_same(&reading);
        if let Some((verdict, _)) = found.iter_mut().find(same) {
            verdict.alike.push(dialect.name().into());
            continue;
        }
        evidence.sort_by_key(|evidence| -evidence.weight);
        found.push((Verdict::new(dialect.name(), evidence), reading));
    }
    let mut verdicts: Vec<Verdict> = found.into_iter().map(|(verdict, _)| verdict).collect();
    if let Some(winner) = winner {
        crown(&mut verdicts, &winner);
    }
    ranked(verdicts)
}

/// The dialect that wins when all compete gets extra weight.
fn crown(verdicts: &mut [Verdict], winner: &Arc<str>) {
    let is_winner = |verdict: &&mut Verdict| verdict.dialect == *winner || verdict.alike.contains(winner);
    if let Some(verdict) = verdicts.iter_mut().find(is_winner) {
        let what = format!("with all dialects competing, `{winner}` reads the first call");
        verdict.evidence.push(Reason::new(what, None, 10));
        *verdict = Verdict {
            alike: std::mem::take(&mut verdict.alike),
            ..Verdict::new(&verdict.dialect, verdict.evidence.clone())
        };
    }
}

/// The result of parsing a text with one set of dialects.
struct TrialReading {
    message: Message,
    /// The dialect of the first call.
    dialect: Option<Arc<str>>,
    /// The bytes that are neither text nor reasoning, in order.
    consumed: Vec<Range<usize>>,
    outcomes: Vec<Outcome>,
}

impl TrialReading {
    fn of(text: &str, dialects: &Dialects, tools: &Tools) -> Self {
        let options = Options::default();
        let mut parser = Parser::new(dialects, tools, &options);
        let mut collector = Collector::new(&options);
        let (mut consumed, mut outcomes) = (Vec::new(), Vec::new());
        let mut note = |event: crate::Event<'_>| {
            collector.add(&event);
            match event.kind {
                EventKind::Text(_) | EventKind::Reasoning(_) | EventKind::Diagnostic(_) => {}
                EventKind::CallEnd { outcome, .. } => {
                    outcomes.push(outcome);
                    consumed.push(event.span);
                }
                _ => consumed.push(event.span),
            }
        };
        parser.push(text).for_each(&mut note);
        parser.finish().for_each(&mut note);
        let dialect = parser.dialect().cloned();
        Self { message: collector.finish(text.as_bytes()), dialect, consumed, outcomes }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let plain = |call: &Call| (call.name.clone(), call.arguments.clone());
        let calls = |reading: &Self| reading.message.calls.iter().map(plain).collect::<Vec<_>>();
        let texts = |reading: &Self| (reading.message.content.clone(), reading.message.reasoning.clone());
        calls(self) == calls(other) && texts(self) == texts(other)
    }

    fn evidence(&self, text: &str, dialect: &Dialect) -> Vec<Reason> {
        let mut evidence: Vec<Reason> = self.calls().into_iter().collect();
        let has_region = !self.message.reasoning.is_empty();
        if has_region {
            evidence.push(Reason::new("reasoning between its markers", None, 2));
        }
        if !evidence.is_empty() {
            evidence.extend(self.markers(text, dialect));
            evidence.extend(self.repairs());
        }
        evidence
    }

    /// Evidence from the calls, by how well they were parsed.
    fn calls(&self) -> Option<Reason> {
        let weight = |outcome: &Outcome| match outcome {
            Outcome::Complete => 30,
            Outcome::Repaired => 20,
            _ => 5,
        };
        let weight: usize = self.outcomes.iter().take(CALLS).map(weight).sum();
        let names: Vec<&str> = self.message.calls.iter().map(|call| call.name.as_str()).collect();
        let span = self.consumed.first()?.start..self.consumed.last()?.end;
        let what = match &names[..] {
            [] if self.outcomes.is_empty() => return None,
            [] => "a call cut off by the end of the text".to_owned(),
            [name] => format!("a call to `{name}`"),
            names => format!("{} calls: `{}`", names.len(), names.join("`, `")),
        };
        Some(Reason::new(what, Some(span), weight))
    }

    /// Evidence from the dialect's own markers in its markup.
    fn markers(&self, text: &str, dialect: &Dialect) -> Vec<Reason> {
        let outline = dialect.outline();
        let patterns = [&outline.calls, &outline.sections, &outline.params, &outline.reasoning].into_iter().flatten();
        let mut pieces: Vec<&str> = patterns.flat_map(|pattern| strong_pieces(pattern, &outline)).collect();
        pieces.sort_unstable_by_key(|piece| (usize::MAX - piece.len(), *piece));
        pieces.dedup();
        let mut evidence: Vec<Reason> = Vec::new();
        for piece in pieces {
            // The beginning of a longer marker says nothing new.
            let is_new =
                |place: &Range<usize>| !evidence.iter().flat_map(|other| &other.span).any(|other| within(place, other));
            let mut places = text.match_indices(piece).map(|(at, _)| at..at + piece.len());
            let place = places.find(|place| self.consumes(place) && is_new(place));
            if let Some(place) = place {
                evidence.push(Reason::new(format!("marker `{piece}`"), Some(place), piece.chars().count()));
            }
        }
        evidence
    }

    fn consumes(&self, place: &Range<usize>) -> bool {
        let next = self.consumed.partition_point(|span| span.end < place.end);
        self.consumed.get(next).is_some_and(|span| within(place, span))
    }

    /// Repairs, and calls to undeclared tools.
    fn repairs(&self) -> Option<Reason> {
        let mended = self.message.diagnostics.iter().filter(|diagnostic| diagnostic.code != Code::Coerced);
        let mut codes: Vec<&str> = mended.map(|diagnostic| diagnostic.code.name()).collect();
        codes.sort_unstable();
        codes.dedup();
        let what = format!("read with {}", codes.join(", "));
        (!codes.is_empty()).then(|| Reason::against(what, 4 * codes.len()))
    }
}

fn within(place: &Range<usize>, span: &Range<usize>) -> bool {
    span.start <= place.start && place.end <= span.end
}

/// The strong texts of a pattern, in all spellings.
fn strong_pieces<'d>(pattern: &[OutlinePart<'d>], outline: &Outline<'d>) -> Vec<&'d str> {
    let mut pieces = Vec::new();
    for part in pattern {
        match part {
            OutlinePart::Text(text) => pieces.push(*text),
            OutlinePart::Word(spellings) => pieces.extend(spellings.iter().map(String::as_str)),
            _ => {}
        }
    }
    pieces.retain(|text| outline.is_strong(text));
    pieces
}
