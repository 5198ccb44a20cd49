//! Detects from a model's answers whether its prompts open the reasoning.

use std::collections::HashMap;

/// Number of recent answers that are considered.
const WINDOW: u32 = 5;

/// A bit for each of them.
const ALL: u32 = (1 << WINDOW) - 1;

/// Minimum number of answers that began inside reasoning, since a single answer may quote a closing marker.
const FEWEST: u32 = 2;

/// Maximum number of models; beyond it, all are forgotten.
const MAX_MODELS: usize = 1024;

/// The recent answers of each model.
#[derive(Default)]
pub(crate) struct Openings(HashMap<String, Votes>);

/// The recent answers, the newest in the lowest bit; set if it began inside reasoning.
#[derive(Clone, Copy, Default)]
struct Votes {
    inside: u32,
    count: u32,
}

impl Openings {
    /// Returns whether most of a model's recent answers began inside reasoning.
    pub(crate) fn begins_inside(&self, model: &str) -> bool {
        self.0.get(model).is_some_and(|votes| votes.is_inside())
    }

    /// Counts an answer; returns the new result if it changed.
    pub(crate) fn count(&mut self, model: &str, inside: bool) -> Option<bool> {
        let votes = self.votes(model);
        let before = votes.is_inside();
        votes.inside = (votes.inside << 1 | u32::from(inside)) & ALL;
        votes.count = (votes.count + 1).min(WINDOW);
        Some(votes.is_inside()).filter(|now| *now != before)
    }

    /// Records that, by the template, answers begin inside reasoning; returns whether that is new.
    pub(crate) fn mark_open(&mut self, model: &str) -> bool {
        let votes = self.votes(model);
        let before = votes.is_inside();
        *votes = Votes { inside: ALL, count: WINDOW };
        !before
    }

    fn votes(&mut self, model: &str) -> &mut Votes {
        if self.0.len() >= MAX_MODELS && !self.0.contains_key(model) {
            self.0.clear();
        }
        self.0.entry(model.to_owned()).or_default()
    }
}

impl Votes {
    fn is_inside(self) -> bool {
        let inside = self.inside.count_ones();
        inside >= FEWEST && 2 * inside > self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_the_last_answers_decide() {
        for (answers, wanted) in [
            ("", false),
            ("i", false),
            ("ii", true),
            ("oi", false),
            ("oii", true),
            ("iio", true),
            ("iioo", false),
            ("iiiiio", true),
            ("iiiiiooo", false),
            ("oooooooooii", false),
            ("oooooooooiii", true),
        ] {
            let mut openings = Openings::default();
            let last = answers.chars().filter_map(|answer| openings.count("m", answer == 'i')).last();
            assert_eq!(openings.begins_inside("m"), wanted, "{answers}");
            assert_eq!(last.unwrap_or(false), wanted, "{answers}");
            assert!(!openings.begins_inside("other"));
        }
    }
    #[test]
    fn answers_outvote_a_template() {
        let mut openings = Openings::default();
        assert!(openings.mark_open("m") && !openings.mark_open("m"));
        let told: Vec<_> = (0..3).map(|_| openings.count("m", false)).collect();
        assert_eq!(told, [None, None, Some(false)]);
    }
}
