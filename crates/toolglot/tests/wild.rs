//! Shapes that models write in the wild: each row of `wild/*.txt` read whole, byte by byte and at every split.
#![expect(clippy::unwrap_used, reason = "a test fails where its files cannot be read")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolglot::{Collector, Dialects, Message, Options, Parser, ReasoningOpen, Tools, parse};

/// One row: its title, its settings, its input, and what is expected of it.
#[derive(Default)]
struct Row {
    title: String,
    settings: BTreeMap<String, String>,
    input: String,
    expected: String,
}

#[test]
fn every_shape_is_read_as_its_row_says() {
    let tools = fs::read_to_string(folder().join("tools.json")).unwrap();
    let mut failures = Vec::new();
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let rows = rows(&text);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&file, rewritten(&rows, &tools)).unwrap();
            continue;
        }
        for row in rows {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            for (dialect, whole) in read(&row, &tools) {
                if whole != row.expected {
                    failures.push(format!(
                        "== {name}: {} [{dialect}]\n-- expected\n{}-- got\n{whole}",
                        row.title, row.expected
                    ));
                }
                failures.extend(splits(&row, &tools, &dialect, &whole));
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{} rows differ", failures.join("\n"), failures.len());
}

/// What `auto` reads as a dialect's calls, the dialect reads by name; one without reasoning also what `auto` knows to be
/// a draft.
#[test]
fn a_dialect_by_name_reads_what_auto_reads_as_it() {
    let tools = fs::read_to_string(folder().join("tools.json")).unwrap();
    let (mut read, mut failures) = (0, Vec::new());
    for file in files() {
        for row in rows(&fs::read_to_string(&file).unwrap()) {
            let auto = whole(&row, &tools, "auto");
            let Some(dialect) = auto.dialect.as_deref().filter(|_| !auto.calls.is_empty()) else { continue };
            let calls = |message: &Message| -> Vec<_> {
                message.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
            };
            let (wanted, found) = (calls(&auto), calls(&whole(&row, &tools, dialect)));
            read += 1;
            if !found.ends_with(&wanted) {
                failures.push(format!("{} [{dialect}]: {wanted:?}, by name {found:?}", row.title));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {read}\n{}", failures.len(), failures.join("\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wild")
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    files
}

/// Rows start with `== title`, settings are `name: value` (a `note` says what should be read instead), then `--` and
/// the input, then `-->` and what is read.
fn rows(text: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut part = 0;
    for line in text.split_inclusive('\n') {
        if let Some(title) = line.strip_prefix("== ") {
            rows.push(Row { title: title.trim_end().to_owned(), ..Row::default() });
            part = 0;
            continue;
        }
        let Some(row) = rows.last_mut() else { continue };
        match (part, line.trim_end()) {
            (0, "--") => part = 1,
            (1, "-->") => part = 2,
            (0, setting) => {
                let (name, value) = setting.split_once(": ").unwrap_or((setting, ""));
                row.settings.insert(name.to_owned(), value.to_owned());
            }
            (1, _) => row.input.push_str(line),
            _ if line.trim().is_empty() => {}
            _ => row.expected.push_str(line),
        }
    }
    rows.iter_mut().for_each(|row| row.input.truncate(row.input.len().saturating_sub(1)));
    rows
}

/// Writes rows as they are read today; dialects that read a row differently get a row each.
fn rewritten(rows: &[Row], tools: &str) -> String {
    let mut out = String::new();
    for row in rows {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (dialect, whole) in read(row, tools) {
            match groups.iter_mut().find(|group| group.0 == whole) {
                Some(group) => group.1.push(dialect),
                None => groups.push((whole, vec![dialect])),
            }
        }
        for (whole, dialects) in groups {
            writeln!(out, "== {}", row.title).unwrap();
            let mut settings = row.settings.clone();
            if let Some(dialect) = settings.get_mut("dialect") {
                *dialect = dialects.join(" ");
            }
            settings.iter().for_each(|(name, value)| writeln!(out, "{name}: {value}").unwrap());
            write!(out, "--\n{}\n-->\n{whole}\n", row.input).unwrap();
        }
    }
    out
}

/// Reads a row under each of its dialects, `auto` if it names none.
fn read(row: &Row, tools: &str) -> Vec<(String, String)> {
    let dialects = row.settings.get("dialect").map_or("auto", String::as_str);
    let one = |name: &str| (name.to_owned(), shown(&whole(row, tools, name)));
    dialects.split_whitespace().map(one).collect()
}

fn set(name: &str) -> Dialects {
    if name == "auto" { Dialects::builtin() } else { Dialects::builtin().only(&[name]).unwrap() }
}

fn options(row: &Row) -> Options {
    let open = row.settings.get("reasoning_open").map(|open| open.parse().unwrap_or(ReasoningOpen::Yes));
    Options::default().with_reasoning_open(open.unwrap_or_default())
}

fn tools_of(row: &Row, tools: &str) -> Tools {
    if row.settings.contains_key("no_tools") { Tools::default() } else { Tools::from_json_str(tools).unwrap() }
}

fn whole(row: &Row, tools: &str, dialect: &str) -> Message {
    parse(&row.input, &set(dialect), &tools_of(row, tools), &options(row))
}

/// Reads the input in two pieces, at every split, and character by character.
fn splits(row: &Row, tools: &str, dialect: &str, whole: &str) -> Option<String> {
    let cuts = (1..row.input.len()).filter(|&cut| row.input.is_char_boundary(cut));
    let two = cuts.map(|cut| vec![&row.input[..cut], &row.input[cut..]]);
    let each = row.input.char_indices().map(|(at, c)| &row.input[at..at + c.len_utf8()]).collect();
    let (set, tools, options) = (set(dialect), tools_of(row, tools), options(row));
    for pieces in two.chain([each]) {
        let mut parser = Parser::new(&set, &tools, &options);
        let mut collector = Collector::new(&options);
        pieces.iter().for_each(|piece| parser.push(piece).for_each(|event| collector.add(&event)));
        parser.finish().for_each(|event| collector.add(&event));
        let cut = shown(&collector.finish(row.input.as_bytes()));
        if cut != *whole {
            let first = pieces.first().map_or(0, |piece| piece.len());
            return Some(format!("== {} [{dialect}] cut at {first} of {}\n{cut}", row.title, pieces.len()));
        }
    }
    None
}

/// One line a call, then reasoning and content where there are any, as JSON strings.
fn shown(message: &Message) -> String {
    let mut out = String::new();
    for call in &message.calls {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        writeln!(out, "{} {}", call.name, sorted(arguments)).unwrap();
    }
    for call in &message.incomplete {
        writeln!(out, "{}: {} {}", call.outcome.name(), call.name, call.arguments).unwrap();
    }
    for (what, text) in [("reasoning", &message.reasoning), ("content", &message.content)] {
        if !text.is_empty() {
            writeln!(out, "{what} {}", Value::from(text.as_str())).unwrap();
        }
    }
    out
}

/// Members by their keys, whatever order the build of `serde_json` keeps.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<String, Value> =
                members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar => scalar,
    }
}

/// Where two engines mean different dialects by one name, the table has the one that more of them mean.
#[test]
fn every_name_that_an_engine_uses_resolves() {
    let table = fs::read_to_string(folder().join("engines.tsv")).unwrap();
    let all = Dialects::builtin();
    for line in table.lines() {
        let row: Vec<&str> = line.split('\t').collect();
        assert_eq!(all.get(row[1]).map(|dialect| dialect.name()), Some(row[2]), "{line}");
    }
}
