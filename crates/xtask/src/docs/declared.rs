//! Finds names where a package declares them: what it exports, and the members of a class, a type or a module.

use crate::files::File;

/// A language: where its package declares things, and how; `@` is the name.
pub(super) struct Language {
    pub(super) name: &'static str,
    pub(super) folders: &'static [&'static str],
    pub(super) endings: &'static [&'static str],
    /// The file that lists what is exported; every file if it is empty.
    pub(super) exporter: &'static str,
    pub(super) export: &'static [&'static str],
    /// How the declaration of something with members begins.
    pub(super) owner: &'static [&'static str],
    pub(super) member: &'static [&'static str],
    /// What has the options of the parser and of grammars as members.
    pub(super) options: [&'static [&'static str]; 2],
    /// What stands on each line that declares a choice's values.
    pub(super) values: &'static str,
}

#[rustfmt::skip]
pub(super) const LANGUAGES: [Language; 5] = [
    Language { name: "Rust", folders: &["crates/toolglot/", "crates/toolglot-grammar/", "crates/toolglot-wire/"], endings: &[".rs"],
        exporter: "", export: &["\npub fn @(", "\npub const fn @(", "\npub struct @ ", "\npub struct @<", "\npub struct @("],
        owner: &["\nimpl @ "], member: &["pub fn @(", "pub const fn @("],
        options: [&["Options"], &["GrammarOptions", "GrammarRequest"]], values: "" },
    Language { name: "C", folders: &["bindings/ffi/include/"], endings: &[".h"],
        exporter: "", export: &[" @(", "*@("], owner: &[], member: &[], options: [&[], &[]], values: "" },
    // Some classes are declared in the stub of the compiled part.
    Language { name: "Python", folders: &["bindings/python/python/toolglot/"], endings: &[".py", ".pyi"],
        exporter: "/__init__.py", export: &["\n    \"@\","], owner: &["\nclass @:", "\nclass @(", "\ndef @("],
        member: &["\n    def @(self", "\ndef @(", "\n    @: "],
        options: [&["Options", "ExchangeOptions"], &["grammar"]], values: "Literal[" },
    Language { name: "JavaScript", folders: &["bindings/js/src/"], endings: &[".ts"],
        exporter: "/bare.ts", export: &[" @,", " @ }"],
        owner: &["\nexport class @ ", "\nexport class @<", "\nexport interface @ "],
        member: &["\n  @(", "\n  async *@(", "\n  get @(", "\n  @?: "],
        options: [&["Policy"], &["GrammarOptions"]], values: " | " },
    Language { name: "Go", folders: &["bindings/go/"], endings: &[".go"],
        exporter: "", export: &["\nfunc @(", "\ntype @ "], owner: &["\ntype @ ", " *@) "], member: &["\n\t@ ", ") @("],
        options: [&["Options"], &["GrammarOptions"]], values: " = \"" },
];

impl Language {
    /// Returns the package's own files, without comments.
    pub(super) fn files(&self, all: &[File]) -> Vec<File> {
        let ours = |path: &str| {
            let within = self.folders.iter().find_map(|folder| path.strip_prefix(folder));
            within.is_some_and(|rest| self.name == "Rust" || !rest.contains('/')) && !path.contains("test")
        };
        let ours = all.iter().filter(|file| ours(&file.path) && self.endings.iter().any(|ending| file.is(ending)));
        let comment = |line: &&str| ["//", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark));
        let kept =
            |file: &File| file.text.lines().filter(|line| !comment(line)).map(|line| format!("\n{line}")).collect();
        ours.map(|file| File { path: file.path.clone(), text: kept(file) }).collect()
    }

    /// Says whether a name is exported, or a member such as `Parser.push` declared.
    pub(super) fn declares(&self, files: &[File], cell: &str) -> bool {
        let Some((owner, name)) = cell.rsplit_once("::").or_else(|| cell.rsplit_once('.')) else {
            let exporters = files.iter().filter(|file| file.is(self.exporter));
            return exporters.into_iter().any(|file| holds(&file.text, self.export, cell));
        };
        let has = |text: &str| holds(text, self.member, name);
        let module = |file: &File| file.path.split(['/', '.']).any(|part| part == owner) && has(&file.text);
        let block = |text: &str| self.owner.iter().any(|head| blocks(text, &head.replace('@', owner)).any(has));
        files.iter().any(|file| block(&file.text) || module(file))
    }
}

/// Says whether one of the shapes stands in a text with a name.
pub(super) fn holds(text: &str, shapes: &[&str], name: &str) -> bool {
    shapes.iter().any(|shape| text.contains(&shape.replace('@', name)))
}

/// Returns what begins with a head and ends with the next line that is not indented.
fn blocks<'a>(text: &'a str, head: &str) -> impl Iterator<Item = &'a str> {
    text.match_indices(head).map(|(at, _)| {
        let block = &text[at..];
        let mut lines = block.match_indices('\n').filter(|(line, _)| *line > 0);
        let end = lines.find(|(line, _)| !block[line + 1..].starts_with(char::is_whitespace));
        &block[..end.map_or(block.len(), |(line, _)| line)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what a file with these lines declares, and what only occurs in it.
    #[track_caller]
    fn check(language: usize, path: &str, lines: &[&str], declared: &[&str], others: &[&str]) {
        let language = &LANGUAGES[language];
        let files = language.files(&[File { path: path.to_owned(), text: lines.join("\n") }]);
        for name in declared {
            assert!(language.declares(&files, name), "{}: `{name}` is declared", language.name);
        }
        for name in others {
            assert!(!language.declares(&files, name), "{}: `{name}` only occurs", language.name);
        }
    }

    #[test]
    fn rust_has_methods_by_type() {
        let lines = [
            "/// Not impl Turn { pub fn parse(",
            "impl Parser {",
            "    pub fn push(&self) {}",
            "}",
            "pub fn mint() {}",
        ];
        check(0, "crates/toolglot/src/parser.rs", &lines, &["Parser::push", "mint"], &["Turn::push", "push", "parse"]);
        check(0, "crates/toolglot/src/detect/output.rs", &["pub fn from_output() {}"], &["detect::from_output"], &[]);
        check(0, "crates/toolglot-json/src/parser.rs", &lines, &[], &["Parser::push", "mint"]);
    }

    #[test]
    fn c_has_functions_outside_comments() {
        let lines = ["// Like tg_mint( of", "tg_status tg_parse(const", "                   int);"];
        check(1, "bindings/ffi/include/toolglot.h", &lines, &["tg_parse"], &["tg_mint", "tg_par"]);
    }

    #[test]
    fn python_has_members_by_class_and_what_it_exports() {
        let lines = [
            "class Parser:",
            "    def push(self): ...",
            "class Turn:",
            "    size: int",
            "def parse(",
            "    tools: Any,",
            ")",
        ];
        let folder = "bindings/python/python/toolglot/";
        let declared = ["Parser.push", "Turn.size", "parse.tools", "_native.parse"];
        check(
            2,
            &format!("{folder}_native.pyi"),
            &lines,
            &declared,
            &["Turn.push", "Parser.size", "parse", "openai.parse"],
        );
        check(
            2,
            &format!("{folder}__init__.py"),
            &["__all__ = [", "    \"parse\",", "]", "mint()"],
            &["parse"],
            &["mint"],
        );
    }

    #[test]
    fn javascript_has_members_by_class_and_what_it_exports() {
        let lines = [
            "export class Parser {",
            "  push(piece) {",
            "    this.finish(",
            "  }",
            "}",
            "export interface Policy {",
            "  frame?: string;",
            "}",
            "class Hidden {",
            "  finish() {}",
            "}",
            "export function inner() {}",
        ];
        let others = ["Parser.finish", "Hidden.finish", "Policy.push", "Parser.frame", "inner"];
        check(3, "bindings/js/src/parser.ts", &lines, &["Parser.push", "Policy.frame"], &others);
        let exports = ["export { mint, parse } from \"./jobs.js\";"];
        check(3, "bindings/js/src/bare.ts", &exports, &["mint", "parse"], &["jobs", "Parser"]);
    }

    #[test]
    fn go_has_methods_by_type() {
        let lines = [
            "func (p *Parser) Push(piece string) {",
            "\tp.Close()",
            "}",
            "type Options struct {",
            "\tFrame Frame",
            "}",
            "func Mint(seed uint64) {",
            "\tParse()",
            "}",
        ];
        let others = ["Reader.Push", "Parser.Close", "Config.Frame", "Push", "Parse", "Minted"];
        check(4, "bindings/go/parser.go", &lines, &["Parser.Push", "Options.Frame", "Mint"], &others);
        check(4, "bindings/go/localai/parser.go", &lines, &[], &["Parser.Push", "Mint"]);
    }
}
