//! Conversations at random, in no protocol.

use toolglot_json::{Value, json};

/// A small generator of numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x9E37_79B9_7F4A_7C15);
        (0..4).for_each(|_| _ = dice.roll(2));
        dice
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub(crate) fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.roll(at + 1));
        }
    }
}

/// A turn of the user and what the model says to it; results are part of their calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Turn {
    /// What the user says, in words that come nowhere else.
    pub(crate) asked: Vec<String>,
    /// What the model says.
    pub(crate) said: Vec<String>,
    pub(crate) calls: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) result: String,
}

/// Returns a conversation that ends with the user, or with results.
pub(crate) fn history(dice: &mut Dice) -> Vec<Turn> {
    let (mut turns, mut words) = (Vec::new(), 0);
    let mut word = |kind: &str| {
        words += 1;
        format!("{kind}{words}.")
    };
    for at in 0..1 + dice.roll(5) {
        let asks = if at == 0 { 1 + dice.roll(2) } else { dice.roll(3) };
        let asked = (0..asks).map(|_| word("ask")).collect();
        let count = if dice.one_in(4) { 0 } else { 1 + dice.roll(4) };
        let says = if count == 0 { 1 } else { dice.roll(3) };
        let said = (0..says).map(|_| word("say")).collect();
        let call = |_| Call { name: name(dice), arguments: arguments(dice), result: word("result") };
        let calls = (0..count).map(call).collect();
        turns.push(Turn { asked, said, calls });
    }
    // Nobody asks a model that has just answered and called nothing.
    if turns.last().is_some_and(|turn| turn.calls.is_empty()) {
        turns.push(Turn { asked: vec![word("ask")], ..Turn::default() });
    }
    // Turns of the model that nothing stands between are one.
    let mut joined: Vec<Turn> = Vec::new();
    for turn in turns {
        match joined.last_mut().filter(|last| last.calls.is_empty() && turn.asked.is_empty()) {
            Some(last) => {
                last.said.extend(turn.said);
                last.calls.extend(turn.calls);
            }
            None => joined.push(turn),
        }
    }
    joined
}

fn name(dice: &mut Dice) -> String {
    ["ls", "read_file", "get_weather", "a-b"][dice.roll(4)].to_owned()
}

fn arguments(dice: &mut Dice) -> Value {
    let values = [
        json!("x"),
        json!("tool_result \"tool_use\"\n</tool_call>"),
        json!(1),
        serde_json::from_str("12345678901234567890123.50").unwrap(),
        json!(null),
        json!([1, {"a": []}]),
        json!("caf\u{e9} \u{1F600}"),
    ];
    let count = dice.roll(3);
    (0..count)
        .map(|at| (format!("key{at}"), values[dice.roll(values.len())].clone()))
        .collect::<toolglot_json::Map>()
        .into()
}
