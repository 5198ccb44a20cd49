//! What each engine lets through is read, and what the renderer writes is accepted, counted by dialect.

use std::fmt;
use std::sync::Arc;

use toolglot::Dialect;
use toolglot_grammar_tests::{Engine, Llguidance, Xgrammar};

use crate::gbnf::Matcher;
use crate::random::Random;
use crate::report;
use crate::setting::{Setting, dialects, number, settings};
use crate::walker::{led, markers};

/// What came of the walks and messages that one engine had.
#[derive(Default)]
struct Count {
    walks: usize,
    ended: usize,
    calls: usize,
    wrong: usize,
    messages: usize,
    refused: usize,
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { walks, ended, calls, wrong, messages, refused } = self;
        write!(
            out,
            "{walks} walks, {ended} ended, {calls} calls, {wrong} wrong; {messages} messages, {refused} refused"
        )
    }
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.walks += other.walks;
        self.ended += other.ended;
        self.calls += other.calls;
        self.wrong += other.wrong;
        self.messages += other.messages;
        self.refused += other.refused;
    }

    /// Reads a walk, or counts that it did not end.
    fn walked(&mut self, setting: &Setting, text: Option<String>) -> Option<String> {
        self.walks += 1;
        let text = text?;
        self.ended += 1;
        self.calls += setting.read(&text).calls.len();
        let why = setting.wrong(&text)?;
        self.wrong += 1;
        Some(format!("{}: {why}\n  {text:?}", setting.about))
    }

    fn offered(&mut self, setting: &Setting, text: &str, accepted: Result<(), String>) {
        self.messages += 1;
        if let Err(why) = accepted {
            self.refused += 1;
            println!("{}: {why}\n  {text:?}", setting.about);
        }
    }
}

/// The engines, and our own matcher of GBNF before them.
const ENGINES: [&str; 3] = ["GBNF", "llguidance", "xgrammar"];

/// `GRAMMAR_WALKS` walks of each dialect and engine, `GRAMMAR_MESSAGES` messages of each dialect.
#[test]
fn walks_of_engines_are_read_and_rendered_messages_are_accepted() {
    let mut complaints = Vec::new();
    let mut sum = ENGINES.map(|_| Count::default());
    for dialect in dialects() {
        let counts = counted(&dialect, &mut complaints);
        for ((engine, count), sum) in ENGINES.iter().zip(&counts).zip(&mut sum) {
            println!("{:<20} {engine:<11} {count}", dialect.name());
            sum.add(count);
        }
    }
    for (engine, count) in ENGINES.iter().zip(&sum) {
        println!("{:<20} {engine:<11} {count}", "all");
        // A walk that does not end is not read.
        if count.ended * 100 < count.walks * 98 {
            complaints.push(format!("{engine}: {} of {} walks ended", count.ended, count.walks));
        }
        // Two limits are known: short texts that the grammar holds in CDATA only, and elements of a schema that contains itself.
        if count.refused * 10_000 > count.messages {
            complaints.push(format!("{engine}: {} of {} messages refused", count.refused, count.messages));
        }
    }
    report(&complaints);
}

fn counted(dialect: &Arc<Dialect>, complaints: &mut Vec<String>) -> [Count; 3] {
    let mut counts = ENGINES.map(|_| Count::default());
    let settings = settings(dialect);
    let each = |name: &str| number(name, 24).div_ceil(settings.len() as u64);
    for setting in &settings {
        let mut found = Vec::new();
        let tag = setting.grammar.to_structural_tag().to_string();
        let mut llguidance = Llguidance::new(&setting.grammar.to_lark()).unwrap();
        let mut xgrammar = Xgrammar::new(&tag).unwrap();
        let markers = markers(&tag);
        for seed in 0..each("GRAMMAR_WALKS") {
            let random = &mut Random::new(seed + 3);
            found.extend(counts[0].walked(setting, Some(setting.walk(seed))));
            let engines: [&mut dyn Engine; 2] = [&mut llguidance, &mut xgrammar];
            for (count, engine) in counts[1..].iter_mut().zip(engines) {
                found.extend(count.walked(setting, led(engine, Some(Matcher::new(&setting.gbnf)), &markers, random)));
            }
        }
        for text in messages(setting, each("GRAMMAR_MESSAGES")) {
            let accepted = [setting.gbnf.accepts(&text), llguidance.accepts(&text), xgrammar.accepts(&text)];
            for (count, accepted) in counts.iter_mut().zip(accepted) {
                count.offered(setting, &text, accepted);
            }
        }
        // Some are enough.
        complaints.extend(found.into_iter().take(2));
    }
    counts
}

/// Returns what the renderer writes for calls of walks.
fn messages(setting: &Setting, count: u64) -> Vec<String> {
    let texts = (0..40 * count).map(|seed| setting.rendered(&setting.read(&setting.walk(seed * 31 + 7))));
    texts.flatten().take(count as usize).collect()
}
