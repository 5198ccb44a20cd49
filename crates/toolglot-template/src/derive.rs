//! Derives dialect files from the turns of a template.

use toolglot::Dialect;

use crate::fit::Frame;
use crate::probe::{NAMES, Probes, TEXTS};
use crate::said::ID;

mod body;
mod cut;
mod file;

use file::DialectFile;
pub(crate) use file::quoted;

/// Placeholders for a name, an id and an index in the compared texts.
const NAME: char = '\u{e000}';
const ID_MARK: char = '\u{e001}';
const INDEX: char = '\u{e002}';
const KEY: char = '\u{e003}';

/// Returns dialect files that may read the template's turns, the likeliest first.
pub(crate) fn derive(probes: &Probes, about: &str) -> Vec<String> {
    let frame = Frame::of(probes);
    let mut files = Vec::new();
    for text in texts(probes, frame.as_ref()) {
        for found in body::found(&text, probes) {
            for around in cut::around(&text, &found.cores, &probes.special) {
                let file = DialectFile { probes, frame: frame.as_ref(), about, text: &text, found: &found, around };
                files.extend(file.variants());
            }
        }
    }
    files.dedup();
    let bolder: Vec<String> = files.iter().filter_map(|file| strengthened(file)).collect();
    files.extend(bolder);
    files
}

/// The same file with its weak openers declared strong, since the template writes calls directly after text.
fn strengthened(file: &str) -> Option<String> {
    let dialect = Dialect::from_toml("weak", file).ok()?;
    let openers = dialect.weak_openers();
    let words = openers.iter().filter_map(|opener| opener.split_whitespace().next());
    let mut words: Vec<&str> = words.filter(|word| word.chars().any(|c| !"{}[]()\"'".contains(c))).collect();
    words.dedup();
    let list = words.into_iter().map(quoted).collect::<Vec<_>>().join(", ");
    (!list.is_empty()).then(|| file.replacen("\ncall = ", &format!("\nstrong = [{list}]\ncall = "), 1))
}

/// The turn with two calls, or with one if the template accepts no more, without an empty frame and the end of the turn.
fn texts(probes: &Probes, frame: Option<&Frame>) -> Vec<String> {
    let full = probes.find("two calls").filter(|(probe, turn)| turn.written == probe.said);
    let Some((_, turn)) = full.or_else(|| probes.find("one call")) else { return Vec::new() };
    let text = frame.map_or(turn.text.as_str(), |frame| frame.without(&turn.text, probes.prompt()));
    let mut marked = text.trim().to_owned();
    for (number, name) in NAMES.iter().enumerate() {
        marked = marked.replace(&format!("functions.{name}:{number}"), &ID_MARK.to_string());
        marked = marked.replace(&format!("{ID}{number:04}"), &ID_MARK.to_string());
        marked = marked.replace(name, &NAME.to_string());
    }
    let mut texts = cut::without_end(&marked, &probes.end, &probes.special);
    texts.extend(texts.clone().iter().filter_map(|text| indexed(text)));
    texts
}

/// The same text with the index of each call marked, if its calls are numbered.
fn indexed(text: &str) -> Option<String> {
    // The second call's part begins where its name is, or its id.
    let second =
        text.match_indices([NAME, ID_MARK]).map(|(at, _)| at).filter(|at| text[..*at].contains(TEXTS[1].1)).min()?;
    let second = text[..second].rfind(TEXTS[1].1)?;
    let first = 0_u8..2;
    first.into_iter().find_map(|from| {
        let (one, ones) = standalone(&text[..second], from);
        let (two, twos) = standalone(&text[second..], from + 1);
        (ones > 0 && ones == twos).then(|| one + &two)
    })
}

/// Replaces a number that is not part of a word.
fn standalone(text: &str, number: u8) -> (String, usize) {
    let (mut out, mut count, mut before) = (String::new(), 0, ' ');
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_alone =
            !before.is_alphanumeric() && !rest.peek().is_some_and(|next| next.is_alphanumeric() || *next == '.');
        if c == char::from(b'0' + number) && is_alone {
            out.push(INDEX);
            count += 1;
        } else {
            out.push(c);
        }
        before = c;
    }
    (out, count)
}

/// The arguments of the probe's calls, as keys and values.
fn arguments(call: usize) -> [(&'static str, &'static str); 2] {
    [TEXTS[2 * call], TEXTS[2 * call + 1]]
}

/// The text around the calls of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Around {
    /// Before and after all calls.
    section: (String, String),
    /// Before and after each call's core.
    call: (String, String),
    /// Between two calls.
    join: String,
}
