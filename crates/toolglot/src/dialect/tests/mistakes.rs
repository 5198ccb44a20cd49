//! Every mistake a file can hold, with what is printed for it: the cases are in `mistakes.txt`.

use std::{env, fs};

use crate::dialect::Dialect;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialect/tests/mistakes.txt");

#[test]
fn every_mistake_is_shown_in_its_place() {
    let cases = fs::read_to_string(CASES).expect("the cases are there");
    let printed: String = cases.split("===== ").skip(1).map(printed).collect();
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(CASES, &printed).expect("the cases can be written");
        return;
    }
    for (printed, expected) in printed.split("===== ").zip(cases.split("===== ")) {
        assert_eq!(printed, expected);
    }
}

/// Returns a case as it ought to be in the file.
fn printed(case: &str) -> String {
    let (title, rest) = case.split_once('\n').expect("a case has a title");
    let (file, _) = rest.split_once("\n-----\n").expect("a case has two parts");
    let error = Dialect::from_toml("my_dialect", file).map(|_| "no mistake").map_err(|error| error.to_string());
    format!("===== {title}\n{file}\n-----\n{}\n", error.map_or_else(|error| error, str::to_owned))
}

#[test]
fn a_huge_file_is_refused() {
    let file = format!("call = '<f>{{call}}</f>'\n#{}", "x".repeat(256 * 1024));
    let error = Dialect::from_toml("huge", &file).expect_err("it is too large");
    assert_eq!(error.message(), "the file exceeds 256 KiB");
}

#[test]
fn a_long_file_takes_linear_time() {
    for filler in [" ", " a=\"", "{{", "<", "a ", "｜"] {
        let file = format!("call = '<f>{}{{call}}</f>'", filler.repeat(200_000 / filler.len()));
        Dialect::from_toml("long", &file).unwrap_or_else(|error| panic!("{}", error.message()));
    }
}

#[test]
fn an_error_tells_its_parts() {
    let error = Dialect::from_toml("mine", "\ncall = '<f>{nmae}'").expect_err("the hole is unknown");
    assert_eq!((error.line(), error.column()), (2, 12));
    assert_eq!(error.message(), "unknown hole `{nmae}`");
    assert!(error.help().is_some_and(|help| help.starts_with("write `{name}`")));
    assert!(error.to_string().starts_with("mine.toml:2:12: "));
    assert!(error.with_file("a/b.toml").to_string().starts_with("a/b.toml:2:12: "));
}
