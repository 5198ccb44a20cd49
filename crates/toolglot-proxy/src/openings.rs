//! Whether a model's prompts open its reasoning, as far as its answers tell.

use std::collections::HashMap;

/// How many of a model's last answers count.
const WINDOW: u32 = 5;

/// Every one of them.
const ALL: u32 = (1 << WINDOW) - 1;

/// One answer may quote a closer; so many are needed.
const FEWEST: u32 = 2;

/// Models about which something is known; when there are more, all is learned anew.
const MOST_MODELS: usize = 1024;

/// What the last answers of each model told.
#[derive(Default)]
pub(crate) struct Openings(HashMap<String, Votes>);

/// The last answers, the newest in the lowest bit: those that began inside reasoning.
#[derive(Clone, Copy, Default)]
struct Votes {
    inside: u32,
    count: u32,
}

impl Openings {
    /// Says whether most of a model's last answers began inside reasoning.
    pub(crate) fn begins_inside(&self, model: &str) -> bool {
        self.0.get(model).is_some_and(|votes| votes.is_inside())
    }

    /// Counts an answer; says what holds from now on, if that is new.
    pub(crate) fn count(&mut self, model: &str, inside: bool) -> Option<bool> {
        let votes = self.votes(model);
        let before = votes.is_inside();
        votes.inside = (votes.inside << 1 | u32::from(inside)) & ALL;
        votes.count = (votes.count + 1).min(WINDOW);
        Some(votes.is_inside()).filter(|now| *now != before)
    }

    /// Takes a template's word that answers begin inside reasoning, as if the last answers had; says whether that is new.
    pub(crate) fn believe(&mut self, model: &str) -> bool {
        let votes = self.votes(model);
        let before = votes.is_inside();
        *votes = Votes { inside: ALL, count: WINDOW };
        !before
    }

    fn votes(&mut self, model: &str) -> &mut Votes {
        if self.0.len() >= MOST_MODELS && !self.0.contains_key(model) {
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
        assert!(openings.believe("m") && !openings.believe("m"));
        let told: Vec<_> = (0..3).map(|_| openings.count("m", false)).collect();
        assert_eq!(told, [None, None, Some(false)]);
    }
}
