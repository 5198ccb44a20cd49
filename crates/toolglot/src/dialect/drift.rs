//! What models make of an opener: other case, a blank before its bracket, or no bracket at all.

use super::pattern::{BodyKind, HeadPart, Pattern, Spelling, SpellingPart};

impl Pattern {
    /// Adds to the pattern's first marker what models write for it, if prose does not contain the marker.
    pub(super) fn add_drift(&mut self) {
        // Behind a marker without its bracket must stand what is no part of the marker's word.
        let alone = self.head.len() == 1 && matches!(self.body.as_ref().map(|body| body.kind), Some(BodyKind::Call));
        let Some(HeadPart::Literal(first)) = self.head.first_mut() else { return };
        let Some(own) = first.spellings.first().filter(|own| own.is_strong_at_once() && own.is_fixed()) else { return };
        let mut all: Vec<Spelling> = first.spellings.iter().cloned().collect();
        for drifted in drifted(own, alone) {
            if !all.contains(&drifted) {
                all.push(drifted);
            }
        }
        first.spellings = all.into_iter().collect();
    }
}

/// Returns what models write for a marker; without its bracket only where nothing else belongs to its head.
pub(super) fn drifted(own: &Spelling, alone: bool) -> Vec<Spelling> {
    let opener = own.opener();
    let mut all: Vec<Spelling> = [str::to_ascii_uppercase, capitals]
        .iter()
        .map(|case| Spelling::new(own.parts.iter().map(|part| in_case(part, *case)).collect()))
        .collect();
    if let Some(word) = opener.strip_suffix('>').filter(|word| word.starts_with('<')) {
        let first = |parts: &[SpellingPart]| Spelling::new(parts.iter().chain(&own.parts[1..]).cloned().collect());
        let text = |text: &str| SpellingPart::Text(text.to_owned().into());
        // The blank keeps it apart from the opener itself, so that what follows that still tells candidates apart.
        all.push(first(&[text(&format!("{word} ")), SpellingPart::Joint, text(">")]));
        if alone && own.parts.len() == 1 {
            all.push(first(&[text(word)]));
        }
    }
    all
}

fn in_case(part: &SpellingPart, case: fn(&str) -> String) -> SpellingPart {
    match part {
        SpellingPart::Text(text) => SpellingPart::Text(case(text).into()),
        part => part.clone(),
    }
}

/// Returns a text of which each word begins with a capital.
fn capitals(text: &str) -> String {
    let mut begins = true;
    let next = |next: char| {
        let first = std::mem::replace(&mut begins, !next.is_alphanumeric());
        if first { next.to_ascii_uppercase() } else { next }
    };
    text.chars().map(next).collect()
}
