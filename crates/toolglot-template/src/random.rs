//! Random messages for certificates, always the same for a seed.

use toolglot_json::Value as Json;

use crate::probe::NAMES;
use crate::said::Said;

/// A random number generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }

    fn one_of<'c, T: ?Sized>(&mut self, choices: &[&'c T]) -> &'c T {
        choices[self.below(choices.len())]
    }
}

/// A message, and the kind of its hardest value.
pub(crate) struct Random {
    pub(crate) kind: &'static str,
    pub(crate) said: Said,
}

/// The kind of a value that contains the format's own markers.
pub(crate) const OWN_MARKERS: &str = "a string with the format's own markers";

/// Generates a message of at most three calls; `markers` are those of the format.
pub(crate) fn message(dice: &mut Dice, markers: &[String]) -> Random {
    let mut kind = "plain values";
    let mut said = Said::default();
    if dice.below(3) == 0 {
        said = said.content(dice.one_of(&["Let me look.", "First this: then that.\nTwo lines.", "Ja, 世界 – é."]));
    }
    if dice.below(4) == 0 {
        said =
            said.reasoning(dice.one_of(&["The user wants a river.", "One step.\n\nAnother step.", "2 < 3, so: yes"]));
    }
    for _ in 0..[1, 1, 2, 3][dice.below(4)] {
        let mut members = Vec::new();
        for (key, make) in MEMBERS {
            if dice.below(2) == 0 {
                members.push(format!("{}: {}", Json::from(*key), make(dice, markers, &mut kind)));
            }
        }
        said = said.call(dice.one_of(&NAMES), &format!("{{{}}}", members.join(", ")));
    }
    Random { kind, said }
}

type Make = fn(&mut Dice, &[String], &mut &'static str) -> Json;

/// The parameters of the probe tools, in their declared order.
const MEMBERS: &[(&str, Make)] = &[
    ("qzcity", string),
    ("qznote", string),
    ("qzdays", |dice, _, _| Json::from(dice.below(2000).cast_signed() - 1000)),
    ("qzratio", |dice, _, _| [Json::from(0.5), Json::from(-12.25), Json::from(3.75)][dice.below(3)].clone()),
    ("qzexact", |dice, _, _| Json::from(dice.below(2) == 0)),
    ("qztags", |dice, markers, kind| (0..dice.below(3)).map(|_| string(dice, markers, kind)).collect()),
    ("qzoptions", |dice, markers, kind| {
        let label = string(dice, markers, kind);
        [("depth".to_owned(), Json::from(dice.below(9))), ("label".to_owned(), label)]
            .into_iter()
            .collect::<toolglot_json::Map>()
            .into()
    }),
];

fn string(dice: &mut Dice, markers: &[String], kind: &mut &'static str) -> Json {
    let (what, text) = match dice.below(12) {
        0 => ("an empty string", String::new()),
        1 => ("a string of several lines", "fn main() {\n    println!(\"{}\", 1);\n}".to_owned()),
        2 => ("a string with quotes", "she said \"yes\", it's {a: [1]}".to_owned()),
        3 => ("a string with markup", "<b>bold</b> & <i class=\"x\">".to_owned()),
        4 => ("a string with back slashes", "C:\\new\\table \\\" \\n".to_owned()),
        5 => ("a string that looks like another type", dice.one_of(&["42", "true", "null", "0.50", "[1]"]).to_owned()),
        6 => ("a string with line breaks around it", "\nin between\n".to_owned()),
        7 => ("a string with blanks around it", "  padded ".to_owned()),
        8 if !markers.is_empty() => (OWN_MARKERS, format!("see {} there", markers[dice.below(markers.len())])),
        9 => ("a string of other letters", "Malmö 世界 😀".to_owned()),
        _ => return Json::from(dice.one_of(&["Paris", "src/main.rs", "a longer text, with commas; and more.", "x"])),
    };
    // The rarest wins: own markers stay the reason once they are there.
    if *kind != OWN_MARKERS {
        *kind = what;
    }
    Json::from(text)
}
