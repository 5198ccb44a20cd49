//! `cargo xtask`: tidy, docs, readme, cases, grammars, version, quick.

use std::process::ExitCode;

use xtask::{Complaints, cases, docs, grammars, quick, readme, tidy, version};

const HELP: &str = "\
cargo xtask tidy            check the sources against the rules of the house
cargo xtask docs            write the generated documents
cargo xtask docs --check    say which generated documents are stale
cargo xtask docs --dialects print the page of all dialects, for the site
cargo xtask readme          run the README's main command and compare what it prints
cargo xtask readme --write  run it and write what it prints into the README
cargo xtask cases FILE      write the case files as JSON, for the tests of the bindings
cargo xtask grammars FILE   write grammars of every dialect as JSON, for the same tests
cargo xtask version 1.2.3   write this version wherever it stands; `--check` compares
cargo xtask quick           format, lints, unit tests of the core";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let complaints = match words[..] {
        ["tidy"] => tidy::check(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        // The page is all that is printed.
        ["docs", "--dialects"] => {
            docs::print_dialects();
            return ExitCode::SUCCESS;
        }
        ["readme"] => readme::check(),
        ["readme", "--write"] => readme::write(),
        ["cases", file] => cases::write(file),
        ["grammars", file] => grammars::write(file),
        ["version", "--check"] => version::check(),
        ["version", new] if new.starts_with(|c: char| c.is_ascii_digit()) => version::write(new),
        ["quick"] => quick::run(),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    tell(&words.join(" "), &complaints)
}

fn tell(what: &str, complaints: &Complaints) -> ExitCode {
    complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
    match complaints.len() {
        0 => {
            println!("{what}: all is well");
            ExitCode::SUCCESS
        }
        count => {
            eprintln!("{what}: {count} complaint{}", if count == 1 { "" } else { "s" });
            ExitCode::FAILURE
        }
    }
}
