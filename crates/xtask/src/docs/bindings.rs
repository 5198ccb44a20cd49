//! `docs/bindings.md`: what each package offers, checked against its declarations.

use toolglot::{
    CallsInReasoning, Evidence, FinishReason, Frame, NullText, Options, ReasoningOpen, UnknownTool, Untyped, Validation,
};
use toolglot_grammar::GrammarRequest;

use super::declared::{LANGUAGES, Language, holds};
use crate::Complaints;
use crate::files::{self, File};

/// A row: what is done, and its name in each language; a cell that begins with `-` is the reason why there is none.
type Row = (&'static str, [&'static str; 5]);

const LINES: &str = "- `toolglot inspect`";
const MADE: &str = "- `toolglot dialects new`";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("read a whole text", ["parse", "tg_parse", "parse", "parse", "Reader.Parse"]),
    ("read in pieces", ["Parser", "tg_parser_new", "Parser", "Parser", "NewParser"]),
    ("add a piece", ["Parser::push", "tg_parser_push", "Parser.push", "Parser.push", "Parser.Push"]),
    ("add a special token", ["Parser::push_special", "tg_parser_push_special", "Parser.push_special", "Parser.pushSpecial", "Parser.PushSpecial"]),
    ("end the text", ["Parser::finish", "tg_parser_finish", "Parser.finish", "Parser.finish", "Parser.Finish"]),
    ("set the finish reason late", ["Parser::set_finish_reason", "tg_parser_set_finish_reason", "Parser.finish", "Parser.setFinishReason", "Parser.SetFinishReason"]),
    ("the message so far", ["Collector", "tg_parser_message", "Parser.message", "Parser.message", "Parser.Message"]),
    ("the dialect so far", ["Parser::dialect", "tg_parser_dialect", "Parser.dialect", "Parser.dialect", "Parser.Dialect"]),
    ("read a whole stream", ["- `Parser` and a loop", "- no streams", "stream", "Parser.read", "Parser.Read"]),
    ("repair arguments", ["repair", "tg_repair", "repair", "repair", "Repair"]),
    ("why no call was recognised", ["near_miss", "tg_near_miss", "near_miss", "nearMiss", "Reader.NearMiss"]),
    ("why it was parsed that way", ["Parser::take_trace", "tg_explain", "explain", "explain", "Reader.Explain"]),
    ("how every byte was parsed", ["inspect", "tg_inspect", "inspect", "inspect", LINES]),
    ("recognise a dialect", ["detect::from_output", "tg_detect", "detect", "detect", "Detect"]),
    ("list dialects", ["Dialects", "tg_dialects_list", "Dialects", "dialects", "Reader.Dialects"]),
    ("choose dialects", ["Dialects", "tg_dialects_new", "Dialects", "- options of each call", "- `Config`"]),
    ("declare tools", ["Tools", "tg_tools_new", "Tools", "ToolSet", "- `Config`"]),
    ("write a message", ["Renderer", "tg_renderer_new", "Renderer", "Renderer", "- `Reader.Render`"]),
    ("its text", ["Renderer::render", "tg_renderer_render", "Renderer.render", "Renderer.render", "Reader.Render"]),
    ("a dialect from an example", ["sketch", "tg_sketch", "sketch", "sketch", MADE]),
    ("what a dialect can express", ["certify", "tg_certify", "certify", "certify", MADE]),
    ("a grammar of a dialect", ["GrammarRequest", "tg_grammar", "grammar", "grammar", "Reader.Grammar"]),
    ("ids for calls", ["mint", "tg_mint", "mint", "mint", "Mint"]),
    ("a request for a model server", ["Exchange", "tg_exchange_new", "Exchange", "Exchange", "Reader.NewTurn"]),
    ("its body", ["Exchange::upstream_body", "tg_exchange_body", "Exchange.body", "- `Exchange.body`", "- from `NewTurn`"]),
    ("its answer", ["Turn", "tg_turn_new", "Exchange.turn", "Exchange.stream", "Turn"]),
    ("its answer, whole", ["Turn::whole", "tg_turn_whole", "Turn.whole", "Exchange.whole", "Turn.Whole"]),
    ("a piece of its answer", ["Turn::push", "tg_turn_push", "Turn.push", "- `Exchange.stream`", "Turn.Push"]),
    ("the end of its answer", ["Turn::finish", "tg_turn_finish", "Turn.finish", "- `Exchange.stream`", "Turn.Finish"]),
    ("a client's transport", ["- `toolglot serve`", "- no HTTP", "openai.transport", "createFetch", "Transport"]),
];

/// A program that reads with the same options: where it declares them, and why it has no others.
struct Program {
    name: &'static str,
    file: &'static str,
    option: &'static [&'static str],
    without: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const PROGRAMS: [Program; 2] = [
    Program { name: "command line", file: "crates/toolglot-cli/src/args.rs", option: &["pub(crate) @: ", "pub(crate) @s: "],
        without: &[("marked_tokens", "its input has no marks"), ("id_seed", "`--ids`")] },
    Program { name: "`toolglot serve`", file: "crates/toolglot-proxy/src/config/sections.rs", option: &["\n        @: ", "section! { \"@\""],
        without: &[("finish_reason", "the server reports it"), ("accept_incomplete", "clients would run a truncated call"),
            ("marked_tokens", "servers send plain text"), ("id_seed", "drawn for each answer")] },
];

/// Names that do not follow from an option's name: the option, the language, its name there.
const NAMED: [(&str, usize, &str); 4] = [
    ("all_spellings", 0, "with_spelling"),
    ("strict", 0, "with_unsupported"),
    ("parallel", 4, "NoParallel"),
    ("openai", 4, "OpenAI"),
];

/// A choice and its values.
type Choice = (&'static str, &'static [&'static str]);

#[rustfmt::skip]
const CHOICES: [Choice; 14] = [
    ("validation", Validation::NAMES),
    ("untyped", Untyped::NAMES),
    ("null_text", NullText::NAMES),
    ("reasoning_open", ReasoningOpen::NAMES),
    ("finish_reason", FinishReason::NAMES),
    ("calls_in_reasoning", CallsInReasoning::NAMES),
    ("frame", Frame::NAMES),
    ("evidence", Evidence::NAMES),
    ("unknown_tool", UnknownTool::NAMES),
    ("outcome", &["complete", "repaired", "truncated", "broken"]),
    ("form", &["gbnf", "lark", "structural-tag", "json-schema"]),
    ("arguments", &["free", "schema"]),
    ("reasoning", &["none", "optional", "prefilled"]),
    ("protocol", &["chat", "responses", "messages", "ollama"]),
];

/// What other languages need of the C ABI to call it: memory, handles, events.
const PLUMBING: [&str; 17] = [
    "tg_abi_version",
    "tg_alloc",
    "tg_dealloc",
    "tg_buffer_new",
    "tg_buffer_data",
    "tg_buffer_len",
    "tg_buffer_free",
    "tg_dialects_free",
    "tg_tools_free",
    "tg_parser_collect",
    "tg_parser_events",
    "tg_parser_event_count",
    "tg_parser_stop_bytes",
    "tg_parser_free",
    "tg_renderer_free",
    "tg_exchange_free",
    "tg_turn_free",
];

const HEAD: &str = "# What each package offers

<!-- Generated by `cargo xtask docs` from the C ABI and the declarations of each package. -->

A test fails if a name is not declared by the class, type or module that its cell names, if a function of the C ABI has no row,
or if a cell has neither a name nor a reason. Diagnostics have the same [codes](diagnostics.md) everywhere.
";

const PLATFORMS: &str = "
## Platforms

`.ci/rehearse` builds the release artefacts of x86_64 Linux, installs each in a clean folder, and runs the first commands of its
README. The release workflows build the other artefacts, which have not been tried on a developer's machine:

| | tried | not tried |
|---|---|---|
| crates, npm packages, Go module | Linux; they are the same files everywhere | macOS, Windows |
| program | x86_64 Linux with glibc | aarch64 Linux, musl, macOS; no Windows |
| wheel | CPython on x86_64 Linux with glibc 2.17 or later | aarch64, musl, macOS, Windows, free-threaded CPython |
| C library | x86_64 Linux | macOS, aarch64; no Windows |
| Java, on the C library | Java 17 on x86_64 Linux | later versions, macOS, aarch64; no Windows |
| image | – | the `Dockerfile` |
";

/// Returns the page.
pub(super) fn page() -> File {
    let heads = LANGUAGES.map(|language| language.name).join(" | ");
    let cell = |cell: &str| cell.strip_prefix("- ").map_or_else(|| format!("`{cell}`"), |why| format!("– {why}"));
    let mut text = format!("{HEAD}\n## Functions\n\n| | {heads} |\n|---|---|---|---|---|---|\n");
    for (what, cells) in ROWS {
        text += &format!("| {what} | {} |\n", cells.map(cell).join(" | "));
    }
    let programs = PROGRAMS.map(|program| program.name).join(" | ");
    text += &format!("\n## Options\n\n| | {heads} | {programs} |\n|---|---|---|---|---|---|---|---|\n");
    for name in Options::NAMES {
        let languages = options(name).map(|shown| format!("`{shown}`")).join(" | ");
        let programs =
            PROGRAMS.map(|one| one.reason(name).map_or_else(|| format!("`{name}`"), |why| format!("– {why}")));
        text += &format!("| `{name}` | {languages} | {} |\n", programs.join(" | "));
    }
    text += "\n[policies.md](policies.md) explains each option. In C, options are JSON; on the command line, flags such as `--null-text`.\n";
    text += &format!("\n## Options of grammars\n\n| | {heads} |\n|---|---|---|---|---|---|\n");
    for name in GrammarRequest::NAMES {
        text += &format!("| `{name}` | {} |\n", options(name).map(|shown| format!("`{shown}`")).join(" | "));
    }
    text += "\n## Values\n\nText in C, Python and JavaScript, constants in Rust and Go.\n\n| | values |\n|---|---|\n";
    for (name, values) in CHOICES {
        let values = values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        text += &format!("| `{name}` | {values} |\n");
    }
    text += PLATFORMS;
    File { path: "docs/bindings.md".to_owned(), text }
}

impl Program {
    /// Why the program has no option of this name.
    fn reason(&self, name: &str) -> Option<&'static str> {
        self.without.iter().find(|(option, _)| *option == name).map(|(_, why)| *why)
    }

    /// Says which options it has without saying so, or lacks without a reason.
    fn complaints(&self) -> impl Iterator<Item = String> {
        let text = File::read(self.file).text;
        let wrong = move |name: &&&str| holds(&text, self.option, name) == self.reason(name).is_some();
        let wrong = Options::NAMES.iter().filter(wrong);
        wrong.map(|name| format!("{}: `{name}` must be declared, or have a reason in `docs/bindings.rs`", self.name))
    }
}

/// An option's name in each language.
fn options(name: &str) -> [String; 5] {
    let words: Vec<String> = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let (first, rest) = name.split_once('_').map_or((name, ""), |(first, _)| (first, &name[first.len()..]));
    let camel = if rest.is_empty() { first.to_owned() } else { format!("{first}{}", words[1..].concat()) };
    let mut shown =
        [format!("with_{name}"), name.to_owned(), name.to_owned(), camel, words.concat().replace("Id", "ID")];
    for (_, language, own) in NAMED.iter().filter(|(option, ..)| *option == name) {
        shown[*language] = (*own).to_owned();
    }
    shown
}

/// Says what the tables claim and no package declares, which functions of the C ABI they lack, and which cells are empty.
pub(super) fn complaints() -> Complaints {
    let all = files::all();
    let languages = LANGUAGES.iter().enumerate();
    let mut complaints: Complaints = languages.flat_map(|(at, one)| undeclared(at, one, &all)).collect();
    for (what, cells) in ROWS {
        complaints.extend(cells.iter().filter(|cell| cell.len() < 3).map(|_| format!("`{what}` has an empty cell")));
    }
    complaints.extend(PROGRAMS.iter().flat_map(Program::complaints));
    let header = File::read("bindings/ffi/include/toolglot.h").text;
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(');
    let functions = words.filter_map(|word| word.strip_suffix('(').filter(|name| name.starts_with("tg_")));
    let known = |name: &str| PLUMBING.contains(&name) || ROWS.iter().any(|(_, cells)| cells[1] == name);
    let lost = functions.filter(|name| !known(name));
    complaints.extend(lost.map(|name| format!("no row of `docs/bindings.md` has `{name}`")));
    complaints
}

fn undeclared(at: usize, language: &Language, all: &[File]) -> Vec<String> {
    let files = language.files(all);
    let has = |name: &str| language.declares(&files, name);
    let named = ROWS.iter().map(|(_, cells)| cells[at]).filter(|cell| !cell.starts_with("- "));
    let named = named.filter(|cell| !has(cell)).map(str::to_owned);
    let chosen = Options::NAMES.iter().map(|name| (name, language.options[0]));
    let chosen = chosen.chain(GrammarRequest::NAMES.iter().map(|name| (name, language.options[1])));
    let chosen = chosen.map(|(name, owners)| (options(name)[at].clone(), owners));
    // In C, options are JSON.
    let chosen = chosen
        .filter(|(name, owners)| !owners.is_empty() && !owners.iter().any(|owner| has(&format!("{owner}.{name}"))));
    let chosen = chosen.map(|(name, owners)| format!("{}.{name}", owners.join("/")));
    let text: String = files.iter().map(|file| file.text.as_str()).collect();
    let values = if language.values.is_empty() { Vec::new() } else { valueless(at, language, &text) };
    named.chain(chosen).chain(values).map(|name| format!("{} does not declare `{name}`", language.name)).collect()
}

/// Returns the values that a language does not declare: on a line of a declaration with the name of the choice, or of its type.
fn valueless(at: usize, language: &Language, text: &str) -> Vec<String> {
    let given = CHOICES.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    // Booleans are not text.
    let given = given.filter(|(_, value)| !["true", "false"].contains(value));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(language.values)).collect();
    let missing = given.filter(|(name, value)| {
        let first = name.split('_').next().unwrap_or(name);
        let heads = [options(name)[at].clone(), options(name)[4].clone(), options(first)[4].clone()];
        let quoted = format!("\"{value}\"");
        !lines.iter().any(|line| line.contains(&quoted) && heads.iter().any(|head| line.contains(head.as_str())))
    });
    missing.map(|(name, value)| format!("{name}: {value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_declared_or_has_a_reason() {
        let complaints = complaints();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    #[test]
    fn what_is_not_declared_is_noticed() {
        let all = files::all();
        for (at, language) in LANGUAGES.iter().enumerate() {
            let files = language.files(&all);
            assert!(!undeclared(at, language, &[]).is_empty());
            let members = ROWS.iter().filter_map(|(_, cells)| cells[at].rsplit_once(['.', ':']));
            for name in members.map(|(_, name)| format!("Nobody.{name}")) {
                assert!(!language.declares(&files, &name), "{} declares `{name}`", language.name);
            }
        }
        let values =
            "\tReasoningOpenYes ReasoningOpen = \"yes\"\n\tUntypedInfer Untyped = \"infer\"\nUntyped(\"string\")\n";
        let others = valueless(4, &LANGUAGES[4], values);
        assert!(["reasoning_open: maybe", "untyped: string"].iter().all(|value| others.contains(&(*value).to_owned())));
        assert!(!others.contains(&"untyped: infer".to_owned()));
    }
}
