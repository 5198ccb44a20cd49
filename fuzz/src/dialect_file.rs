//! What holds for dialect files: any text loads or is refused with a place, and what loads can read and write.

use toolglot::{Dialect, Dialects, Options, Parser, Renderer, Rendering, Tools};

use crate::feed::{Cuts, feed};
use crate::message::shown;
use crate::pieces;
use crate::random::Random;
use crate::setup::dialects;

/// Where the file ends and a message begins that is read with it.
const MESSAGE: &str = "\n--- message\n";

/// A file is loaded or refused at a place in it; one that loads reads any message, the same in pieces, and writes none
/// that it reads otherwise.
pub fn dialect_file(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (file, message) = text.split_once(MESSAGE).unwrap_or((&text, "x"));
    match Dialect::from_toml("any", file) {
        Ok(dialect) => read_and_write(dialect, message),
        Err(error) => {
            let line = file.split('\n').nth(error.line().saturating_sub(1));
            let width = line.map(|line| line.chars().count() + 1);
            let inside = error.line() >= 1 && error.column() >= 1 && width >= Some(error.column());
            assert!(inside && !error.message().is_empty(), "{error}\nfile {}", shown(file.as_bytes()));
            assert!(!error.to_string().is_empty());
        }
    }
}

fn read_and_write(dialect: Dialect, message: &str) {
    let (alone, options) = (Dialects::from(dialect.clone()), Options::default());
    let message = pieces::message(message.as_bytes(), 0);
    let with_all = dialects(0, 0).with(dialect.clone());
    let call = Rendering::new().with_call("ls", r#"{"path": "src"}"#);
    let written = Renderer::new(alone.iter().next().expect("it is there"), &Tools::default()).render(&call);
    let written = written.unwrap_or_default();
    for (dialects, message) in [(&alone, message.as_slice()), (&with_all, &message), (&alone, written.as_bytes())] {
        let mut parser = Parser::new(dialects, &Tools::default(), &options);
        let whole = feed(&mut parser, message, &Cuts::Whole);
        let shown = || format!("file {}\nmessage {}", shown(dialect.source().as_bytes()), shown(message));
        assert_eq!(whole.faults(message), Ok(()), "{}", shown());
        let seed = Random::new(message.len() as u64).next();
        for cuts in [Cuts::Bytes, Cuts::Random(seed)] {
            let found = feed(&mut parser, message, &cuts);
            assert_eq!(found.lines(message), whole.lines(message), "{cuts:?}\n{}", shown());
        }
    }
}
