//! A hunt for messages whose cost grows faster than their length, or is out of all proportion: a few words of the dialects,
//! or fragments of them inside an open call, repeated.

use std::fmt;
use std::time::Duration;

use cpu_time::ThreadTime;
use toolglot::detect::from_output;
use toolglot::{ArgumentsReader, Dialects, Evidence, Limits, Options, Parser, Tools, Validation, parse, repair};

use crate::examples::declared;
use crate::fragments::{self, Written, half};
use crate::job::pieces;
use crate::random::Random;
use crate::sides::pinned;
use crate::work::feed;

/// How long a message is at first, and by what it grows; before that a short one says whether it can be waited for.
const LENGTH: usize = 20_000;
const FACTOR: usize = 10;
const SHORT: usize = 1_000;

/// A short message is steep if a byte costs so many nanoseconds: all that may be read ahead in vain is read then, under
/// `auto` by each dialect.
const HOPELESS: f64 = 200_000.0;

/// A message grows once more if a byte has become so many times as dear, or costs so many nanoseconds: up to a limit, some
/// of it may be read ahead in vain. What costs so much even then is dear, however flat.
const SUSPECT: f64 = 1.5;
const DEAR: f64 = 1_000.0;

/// It is steep if a byte is so many times as dear then, or was already and is dear: limits end the growth.
const STEEP: f64 = 2.0;
const STEEP_BEFORE: f64 = 3.0;

/// What costs less grows once more before it is called steep: a long message no longer fits the caches, and that alone
/// makes such a byte twice as dear.
const CHEAP: f64 = 20.0;

/// What costs no more then is as quick as memory and the making of buffers.
const MEMORY: f64 = 3.0;

/// Words that no dialect's file has.
#[rustfmt::skip]
const WORDS: [&str; 42] = [
    "a", "write", "content", "path", "value", "é", "😀", "\u{fffd}", "0", "-1e9", "true", "null", "None", " ", "  ", "\n",
    "\n\n", "\t", "\r\n", "{", "}", "[", "]", "(", ")", "\"", "\\", "\\\"", "'", ":", ",", ", ", "=", "`", "```",
    "```json\n", "~~~", "> ", "<", "</", "&lt;", "{\"name\": \"write\", \"arguments\": {\"content\": \"",
];

/// Hunts for so long; prints what it finds, and fails if it finds anything.
pub(crate) fn run(seconds: u64, seed: u64) -> Result<(), String> {
    let (tools, own, mut random) = (declared()?, Words::builtin(), Random::new(seed));
    let (start, mut tried, mut found, mut dearest) = (ThreadTime::now(), 0, 0, 0.0);
    while start.elapsed() < Duration::from_secs(seconds) {
        let message = Message::any(&own, &mut random);
        let set = message.dialect.map_or_else(|| Ok(Dialects::builtin()), pinned)?;
        tried += 1;
        let short = message.cost(&set, &tools, SHORT);
        if short > HOPELESS {
            found += 1;
            println!("steep, {short:.0} ns/byte at a thousand bytes: {message}");
            continue;
        }
        let [first, second] = [1, FACTOR].map(|times| message.cost(&set, &tools, LENGTH * times));
        if second > dearest {
            dearest = second;
            println!("dearest so far, {second:.0} ns/byte: {message}");
        }
        if second > first * SUSPECT || second > DEAR {
            println!("suspect, from {first:.0} to {second:.0} ns/byte: {message}");
            let third = message.cost(&set, &tools, LENGTH * FACTOR.pow(2));
            let mut grown = third > second * STEEP || (second > DEAR && second > first * STEEP_BEFORE);
            if grown && third < CHEAP {
                let last = || message.cost(&set, &tools, LENGTH * FACTOR.pow(3));
                grown = last().min(last()) > MEMORY.max(third * STEEP);
            }
            if grown {
                found += 1;
                println!("steep, {third:.0} ns/byte at two million bytes");
            } else if third > DEAR * message.way.readings() {
                found += 1;
                println!("dear, {third:.0} ns/byte at two million bytes");
            }
        }
    }
    println!("{tried} messages");
    if found == 0 { Ok(()) } else { Err(format!("{found} messages cost too much, or more with every byte")) }
}

/// What each dialect's file says: the literals in it, and a call.
struct Words(Vec<(String, Vec<String>, Written)>);

impl Words {
    fn builtin() -> Self {
        let dialects = Dialects::builtin();
        let words = dialects.iter().map(|dialect| (dialect.name().to_owned(), literals(dialect.source())));
        Self(words.zip(fragments::calls()).map(|((name, words), call)| (name, words, call)).collect())
    }

    /// Returns up to so many words of a dialect, of any, or of none.
    fn some(&self, home: usize, most: usize, random: &mut Random) -> String {
        let mut word = || {
            let list = match random.below(8) {
                0..=2 => return WORDS[random.below(WORDS.len())],
                3 => &self.0[random.below(self.0.len())].1,
                _ => &self.0[home].1,
            };
            &list[random.below(list.len())]
        };
        let words: String = (0..most).map(|_| word()).collect();
        let ends: Vec<usize> = words.char_indices().map(|(at, _)| at).chain([words.len()]).collect();
        if most > 1 && random.below(4) == 0 { words[..ends[random.below(ends.len())]].to_owned() } else { words }
    }
}

impl Words {
    /// Returns up to so many fragments of a dialect, now and then of another, and between them a word of none.
    fn fragments(&self, home: usize, most: usize, random: &mut Random) -> String {
        let mut out = String::new();
        for _ in 0..most {
            let home = if random.below(8) == 0 { random.below(self.0.len()) } else { home };
            let (_, words, call) = &self.0[home];
            match random.below(5) {
                0 => out.push_str(WORDS[random.below(WORDS.len())]),
                1 => out.push_str(&words[random.below(words.len())]),
                2 => out.push_str(&half(&words[random.below(words.len())], random)),
                _ => out.push_str(&call.piece(random)),
            }
        }
        out
    }

    /// Returns what stands before, what is repeated, and what stands behind.
    fn parts(&self, home: usize, random: &mut Random) -> [String; 3] {
        if random.below(2) == 0 {
            let mut some = |most: usize| self.some(home, random.below(most + 1), random);
            return [some(3), some(4), some(2)];
        }
        let before = self.0[home].2.open(random);
        let [repeated, behind] =
            [3, 2].map(|most| random.below(most + 1)).map(|most| self.fragments(home, most, random));
        [before, repeated, behind]
    }
}

/// Returns what stands in quotes, and not in braces, in a dialect's file.
fn literals(source: &str) -> Vec<String> {
    let lines = source.lines().filter(|line| !line.starts_with('#') && !line.starts_with("about"));
    let quoted = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).flat_map(|string| string.split(['{', '}']));
    quoted.filter(|word| !word.is_empty()).map(|word| word.replace("\\n", "\n").replace('\\', "\"")).collect()
}

/// A message by its parts, and how it is read.
struct Message<'a> {
    dialect: Option<&'a str>,
    way: Way,
    options: Options,
    before: String,
    repeated: String,
    behind: String,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    Pieces,
    Repair,
    /// The arguments of a call that the server found, in pieces.
    Arguments,
    Detect,
}

impl Way {
    /// Returns how often a message may be read: arguments in each of the ways in which they may be meant, by every dialect
    /// that is to be detected.
    fn readings(self) -> f64 {
        match self {
            Self::Whole | Self::Pieces => 1.0,
            Self::Repair | Self::Arguments => 3.0,
            Self::Detect => 10.0,
        }
    }
}

impl<'a> Message<'a> {
    fn any(own: &'a Words, random: &mut Random) -> Self {
        let home = random.below(own.0.len());
        let [before, repeated, behind] = own.parts(home, random);
        Self {
            dialect: (random.below(3) > 0).then_some(&own.0[home].0),
            way: [Way::Whole, Way::Pieces, Way::Repair, Way::Arguments, Way::Detect][random.below(5)],
            options: Options::default()
                .with_limits(Limits::default().with_calls(1 << 20).with_held([1 << 20, 1 << 14][random.below(2)]))
                .with_validation([Validation::Coerce, Validation::Strict][random.below(2)])
                .with_evidence([Evidence::Balanced, Evidence::Eager][random.below(2)])
                .with_reasoning_open(random.below(4) == 0),
            before,
            repeated: if repeated.is_empty() { "a".to_owned() } else { repeated },
            behind,
        }
    }

    /// Returns nanoseconds for each byte of the message that is at least so long.
    fn cost(&self, set: &Dialects, tools: &Tools, length: usize) -> f64 {
        let count = length / self.repeated.len() + 1;
        let text = format!("{}{}{}", self.before, self.repeated.repeat(count), self.behind);
        let mut work: Box<dyn FnMut()> = match self.way {
            Way::Whole => Box::new(|| drop(parse(&text, set, tools, &self.options))),
            Way::Repair => Box::new(|| drop(repair(&text, set, tools, &self.options))),
            Way::Detect => Box::new(|| drop(from_output(&text, set, tools))),
            Way::Arguments => {
                let (mut reader, pieces) =
                    (ArgumentsReader::new(set, tools, "search", &self.options), pieces(&text, 4, &[]));
                Box::new(move || {
                    let mut out = String::new();
                    pieces.iter().for_each(|piece| reader.push(piece, &mut out));
                    reader.clone().finish(&mut out);
                })
            }
            Way::Pieces => {
                let (mut parser, pieces) = (Parser::new(set, tools, &self.options), pieces(&text, 4, &[]));
                Box::new(move || feed(&mut parser, &pieces))
            }
        };
        let start = ThreadTime::now();
        work();
        start.elapsed().as_nanos() as f64 / text.len() as f64
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, way, options, before, repeated, behind } = self;
        let dialect = dialect.unwrap_or("auto");
        writeln!(out, "{dialect}, {way:?}: {before:?}, {repeated:?} repeated, {behind:?}")?;
        write!(out, "  {options:?}")
    }
}
