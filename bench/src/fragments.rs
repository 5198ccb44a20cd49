//! Pieces for the hunt that are no whole words: calls cut inside an open hole, halves of markers, markup without a quote.

use toolglot::{Dialects, Renderer, Rendering, Tools};

use crate::random::Random;

/// One call as a dialect writes it.
pub(crate) struct Written {
    text: String,
    /// Where its values stand.
    values: Vec<usize>,
}

const ARGUMENTS: &str = r#"{"path": "zqv", "content": "zqv", "mode": "zqv"}"#;

/// Returns a call of each built-in dialect; nothing where it cannot be written.
pub(crate) fn calls() -> Vec<Written> {
    let write = |dialect| {
        let renderer = Renderer::new(dialect, &Tools::default()).with_check(false);
        let message = Rendering::new().with_call("write", ARGUMENTS).with_call("write", ARGUMENTS);
        let text = renderer.render(&message).unwrap_or_default();
        let values = text.match_indices("zqv").map(|(at, _)| at).collect();
        Written { text, values }
    };
    Dialects::builtin().iter().map(write).collect()
}

impl Written {
    /// Returns the beginning of the call: up to a value, a few bytes into one, or up to anywhere.
    pub(crate) fn open(&self, random: &mut Random) -> String {
        let at = match (random.below(4), self.values.as_slice()) {
            (0, _) | (_, []) => random.below(self.text.len() + 1),
            (1, values) => values[random.below(values.len())] + 2,
            (_, values) => values[random.below(values.len())],
        };
        self.text[..self.text.floor_char_boundary(at)].to_owned()
    }

    /// Returns a piece of the call, now and then without one of its quotes or angles.
    pub(crate) fn piece(&self, random: &mut Random) -> String {
        let from = self.text.floor_char_boundary(random.below(self.text.len() + 1));
        let to = self.text.floor_char_boundary((from + 1 + random.below(40)).min(self.text.len()));
        let mut piece = self.text[from..to].replace("zqv", "x");
        let marks: Vec<usize> = piece.match_indices(['"', '>', '<', '=', ':', '\'']).map(|(at, _)| at).collect();
        if !marks.is_empty() && random.below(2) == 0 {
            piece.remove(marks[random.below(marks.len())]);
        }
        piece
    }
}

/// Returns the beginning or the end of a word.
pub(crate) fn half(word: &str, random: &mut Random) -> String {
    let at = word.floor_char_boundary(random.below(word.len() + 1));
    if random.below(3) == 0 { word[at..].to_owned() } else { word[..at].to_owned() }
}
