//! Callers who say which pieces are special tokens: what is only spelled like one is text, and nothing else changes.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::ops::Range;
use std::sync::Arc;

use toolglot::{Dialect, Dialects, Options, Parser, Renderer, Rendering, Tools};

use feed::{Cuts, feed, feed_tokens};
use random::{Random, from_env};
use record::{Entry, Kind, Record};

#[path = "support/feed.rs"]
mod feed;
#[path = "support/random.rs"]
mod random;
#[path = "support/record.rs"]
mod record;

const TOOLS: &str = r#"[
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
    {"name": "rm", "parameters": {"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string"}, "force": {"type": "boolean"}}}},
    {"name": "write", "parameters": {"type": "object", "required": ["path", "content"], "properties": {
        "path": {"type": "string"}, "content": {"type": "string"}}}}
]"#;

fn tools() -> Tools {
    Tools::from_json_str(TOOLS).expect("the tools are declared well")
}

fn alone(dialect: &Arc<Dialect>) -> Dialects {
    [Arc::clone(dialect)].into_iter().collect()
}

/// The dialects in which no call can be written without a special token.
fn sealed() -> Vec<Arc<Dialect>> {
    Dialects::builtin().iter().filter(|dialect| alone(dialect).is_sealed()).cloned().collect()
}

fn render(dialect: &Arc<Dialect>, message: &Rendering<'_>) -> String {
    Renderer::new(dialect, &tools()).with_check(false).render(message).expect("the dialect can say it")
}

/// Where a dialect's special tokens stand in a text.
fn tokens(dialect: &Dialect, text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        let longest =
            dialect.special().iter().filter(|token| text[at..].starts_with(token.as_str())).map(String::len).max();
        found.extend(longest.map(|length| at..at + length));
        at += longest.unwrap_or(next.len_utf8());
    }
    found
}

fn parser(dialects: &Dialects, marked: bool) -> Parser {
    Parser::new(dialects, &tools(), &Options::default().with_marked_tokens(marked))
}

fn ways() -> impl Iterator<Item = Cuts> {
    let cuts = (1..5).flat_map(|seed| [Cuts::Random(seed), Cuts::Joined(seed)]);
    [Cuts::Whole, Cuts::Characters, Cuts::Bytes].into_iter().chain(cuts)
}

fn messages() -> Vec<Rendering<'static>> {
    let rm = Rendering::new().with_call("rm", r#"{"path": "/", "force": true}"#);
    vec![
        rm.clone(),
        rm.clone().with_content("Let me see."),
        rm.with_call("now", "{}").with_call("write", r#"{"path": "a b", "content": "x\ny"}"#),
    ]
}

fn names<'r>(record: &'r Record) -> Vec<&'r str> {
    let name = |kind: &'r Kind| if let Kind::Start { name, .. } = kind { Some(name.as_str()) } else { None };
    record.entries.iter().filter_map(|entry| name(&entry.kind)).collect()
}

#[test]
fn many_dialects_are_sealed() {
    let names: Vec<String> = sealed().iter().map(|dialect| dialect.name().to_owned()).collect();
    for name in SEALED {
        assert!(names.iter().any(|known| known == name), "{name} is not sealed; sealed are {names:?}");
    }
    for name in OPEN {
        assert!(!names.iter().any(|known| known == name), "{name} is sealed, though its calls are ordinary text");
    }
}

/// Families whose markers everybody knows as special tokens, and some whose markers are text.
const SEALED: &[&str] = &[
    "hermes",
    "qwen3_coder",
    "glm45",
    "glm47",
    "kimi_k2",
    "deepseek_v3_1",
    "deepseek_v3_2",
    "mistral_v11",
    "harmony",
    "lfm2",
    "gemma4",
];
const OPEN: &[&str] = &["pythonic", "llama3_json", "anthropic_invoke", "bare_json", "react", "granite"];

#[test]
fn a_call_spelled_in_text_is_text() {
    for dialect in sealed() {
        let set = alone(&dialect);
        for message in messages() {
            let text = render(&dialect, &message);
            for cuts in ways() {
                let record = feed(&mut parser(&set, true), text.as_bytes(), &cuts);
                let lines = record.lines(text.as_bytes());
                let all = matches!(&record.entries[..], [Entry { kind: Kind::Text(said), .. }] if *said == text);
                assert!(all, "{} cut {cuts:?}:\n{lines}", dialect.name());
                let told = record.notes.iter().any(|note| note.text == "marker_in_text");
                assert!(told, "{} does not tell:\n{lines}", dialect.name());
            }
        }
    }
}

#[test]
fn marked_markers_are_read_as_ever() {
    for dialect in &Dialects::builtin() {
        let set = alone(dialect);
        for message in messages() {
            let text = render(dialect, &message);
            let special = tokens(dialect, &text);
            let plain = feed(&mut parser(&set, false), text.as_bytes(), &Cuts::Whole);
            let ignored = feed_tokens(&mut parser(&set, false), text.as_bytes(), &special, &Cuts::Whole);
            assert_eq!(plain, ignored, "{}: marks change what is read though nobody asked for it", dialect.name());
            for cuts in ways() {
                let marked = feed_tokens(&mut parser(&set, true), text.as_bytes(), &special, &cuts);
                let (found, wanted) = (marked.lines(text.as_bytes()), plain.lines(text.as_bytes()));
                assert_eq!(found, wanted, "{} cut {cuts:?}", dialect.name());
            }
        }
    }
}

/// The text of a call that writes `content`, and the special tokens around it: those inside are spelled in text.
fn smuggled(dialect: &Arc<Dialect>, content: &str) -> (String, Vec<Range<usize>>) {
    let write = |content: &str| {
        let arguments = serde_json::json!({"path": "notes", "content": content}).to_string();
        render(dialect, &Rendering::new().with_call("write", &arguments))
    };
    let frame = write("PLACE");
    let (before, after) = frame.split_once("PLACE").expect("the value stands in the text");
    let (before, after) = (tokens(dialect, before).len(), tokens(dialect, after).len());
    // A quote token in a string cannot be rendered; spelled in text it may stand there.
    let quoted = dialect.special().iter().any(|token| frame.contains(&format!("{token}PLACE")));
    let text = if quoted { frame.replace("PLACE", content) } else { write(content) };
    let mut special = tokens(dialect, &text);
    special.drain(before..special.len() - after);
    (text, special)
}

#[test]
fn a_call_inside_an_argument_is_data() {
    for dialect in sealed() {
        let set = alone(&dialect);
        for message in messages() {
            let forged = render(&dialect, &message);
            let (text, special) = smuggled(&dialect, &forged);
            let whole = feed_tokens(&mut parser(&set, true), text.as_bytes(), &special, &Cuts::Whole);
            for cuts in ways() {
                let record = feed_tokens(&mut parser(&set, true), text.as_bytes(), &special, &cuts);
                assert_eq!(record, whole, "{} cut {cuts:?}", dialect.name());
            }
            let lines = whole.lines(text.as_bytes());
            if !SECTION_ONLY.contains(&dialect.name()) {
                assert_eq!(names(&whole), ["write"], "{}:\n{lines}", dialect.name());
            }
            if !TEXT_CLOSERS.contains(&dialect.name()) {
                assert_eq!(content(&whole), Some(forged), "{}:\n{lines}", dialect.name());
            }
        }
    }
}

/// The argument `content` of the first call.
fn content(record: &Record) -> Option<String> {
    let json = |entry: &Entry| if let Kind::Arguments { json, .. } = &entry.kind { Some(json.clone()) } else { None };
    let arguments: serde_json::Value = serde_json::from_str(&record.entries.iter().find_map(json)?).ok()?;
    Some(arguments["content"].as_str()?.to_owned())
}

/// Only the section around their calls is a special token: inside a genuine section, text can spell another call.
const SECTION_ONLY: &[&str] = &["minimax_m2", "zaya1"];

/// What ends their values is text: a value that spells it is cut there.
const TEXT_CLOSERS: &[&str] = &["qwen3_coder", "seed_oss", "minimax_m2", "step3", "muse_atem", "beam", "zaya1"];

#[test]
fn random_tokens_and_text_are_read_alike_at_every_cut() {
    let seed = from_env("PROPERTY_SEED", 1);
    for dialect in Dialects::builtin().iter().filter(|dialect| !dialect.special().is_empty()) {
        let (set, pieces) = (alone(dialect), pieces(dialect));
        let mut sealed = parser(&set, true);
        let mut auto = parser(&Dialects::builtin(), true);
        for seed in seed..seed + from_env("PROPERTY_RUNS", 12) {
            let (text, special) = mixture(&pieces, &mut Random::new(seed));
            for parser in [&mut sealed, &mut auto] {
                let whole = feed_tokens(parser, text.as_bytes(), &special, &Cuts::Whole);
                whole.faults(text.as_bytes()).unwrap_or_else(|fault| panic!("PROPERTY_SEED={seed}: {fault}\n{text:?}"));
                let at = Cuts::At(Random::new(seed).below(text.len()).max(1));
                for cuts in ways().chain([at]) {
                    let record = feed_tokens(parser, text.as_bytes(), &special, &cuts);
                    let (found, wanted) = (record.lines(text.as_bytes()), whole.lines(text.as_bytes()));
                    assert_eq!(found, wanted, "{} PROPERTY_SEED={seed} {cuts:?} {special:?}", dialect.name());
                }
            }
            if set.is_sealed() {
                let forged = feed(&mut sealed, text.as_bytes(), &Cuts::Random(seed));
                assert_eq!(names(&forged), [""; 0], "{} PROPERTY_SEED={seed}\n{text}", dialect.name());
            }
        }
    }
}

/// The special tokens of a dialect and the text between them, as its calls have them, and what may stand around.
fn pieces(dialect: &Arc<Dialect>) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = NOISE.iter().map(|noise| ((*noise).to_owned(), false)).collect();
    pieces.extend(dialect.special().iter().map(|token| (token.clone(), true)));
    for message in messages() {
        let (text, mut at) = (render(dialect, &message), 0);
        for token in tokens(dialect, &text) {
            pieces.extend([(text[at..token.start].to_owned(), false), (text[token.clone()].to_owned(), true)]);
            at = token.end;
        }
        pieces.push((text[at..].to_owned(), false));
        pieces.push((text, false));
    }
    pieces
}

const NOISE: &[&str] =
    &["\n", " ", "word ", "\"", "}", "]", "<", "`", "</parameter>", "</function>", "<|", "<|im_end|>"];

/// Pieces in a row, mostly in the order of a message, and which of them came in as special tokens.
fn mixture(pieces: &[(String, bool)], random: &mut Random) -> (String, Vec<Range<usize>>) {
    let (mut text, mut special, mut next) = (String::new(), Vec::new(), 0);
    for _ in 0..4 + random.below(16) {
        next = if random.below(3) == 0 { random.below(pieces.len()) } else { (next + 1) % pieces.len() };
        let (piece, token) = &pieces[next];
        let marked = if *token { random.below(4) > 0 } else { random.below(16) == 0 };
        special.extend((marked && !piece.is_empty()).then_some(text.len()..text.len() + piece.len()));
        text.push_str(piece);
    }
    (text, special)
}
