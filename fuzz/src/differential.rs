//! What holds where a strict reader understands every byte: the engine finds the same calls and nothing else.

use toolglot::{Collector, Dialects, Options, Parser, Tools, Untyped, Validation};

use crate::message::shown;
use crate::same::normal;
use crate::setup::dialects;
use crate::strict::{Call, LANGUAGES};
use crate::wire::pieces;

/// What a strict reader accepts, the dialect's reader and the one of all dialects read the same.
pub fn differential(data: &[u8]) {
    let [number, cuts, text @ ..] = data else { return };
    let language = &LANGUAGES[usize::from(*number) % LANGUAGES.len()];
    let Some(wanted) = std::str::from_utf8(text).ok().and_then(language.read) else { return };
    let home = Dialects::builtin().iter().position(|dialect| dialect.name() == language.dialect);
    let alone = dialects(2, home.expect("the dialect is built in"));
    for cuts in [None, Some((usize::from(*cuts % 16) + 1, *cuts))] {
        let found = read(text, &alone, cuts);
        assert!(same(&found, &wanted), "{}: {}\n  found {found:?}\n wanted {wanted:?}", language.dialect, shown(text));
    }
}

fn read(text: &[u8], dialects: &Dialects, cuts: Option<(usize, u8)>) -> Result<Vec<Call>, String> {
    let options = Options::default().with_untyped(Untyped::String).with_validation(Validation::Lenient);
    let (mut parser, mut collector) = (Parser::new(dialects, &Tools::default(), &options), Collector::new(&options));
    for piece in pieces(text, cuts) {
        parser.push_bytes(piece).for_each(|event| collector.add(&event));
    }
    parser.finish().for_each(|event| collector.add(&event));
    let message = collector.finish(text);
    let clean = message.content.trim().is_empty() && message.incomplete.is_empty() && message.diagnostics.is_empty();
    let calls = message.calls.iter().map(|call| Call { name: call.name.clone(), arguments: call.arguments.clone() });
    if clean { Ok(calls.collect()) } else { Err(format!("{message:?}")) }
}

fn same(found: &Result<Vec<Call>, String>, wanted: &[Call]) -> bool {
    let Ok(found) = found else { return false };
    let alike = |(found, wanted): (&Call, &Call)| {
        found.name == wanted.name && normal(&found.arguments) == normal(&wanted.arguments)
    };
    found.len() == wanted.len() && found.iter().zip(wanted).all(alike)
}
