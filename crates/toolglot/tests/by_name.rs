//! What `auto` reads as a dialect's call, the dialect reads by name too: every text of the corpus; and names that are tags.
#![expect(clippy::unwrap_used, reason = "a test fails where its files cannot be read")]

use std::fs;
use std::path::{Path, PathBuf};

use case::Case;
use setup::Setup;
use toolglot::{Dialects, Message, Options, Tools, parse};

#[path = "support/case.rs"]
mod case;
#[path = "support/setup.rs"]
#[expect(dead_code, reason = "cases are only read here")]
mod setup;

/// Texts in which `auto` finds calls of several dialects: the first one's reads its own.
const SEVERAL: [&str; 6] = [
    "auto/python_fence_of_json.txt",
    "auto/s1_three_dialects.txt",
    "position/after_call_tag_balanced.txt",
    "position/after_call_tag_eager.txt",
    "position/after_call_weak_balanced.txt",
    "position/after_call_weak_eager.txt",
];

#[test]
fn a_dialect_by_name_reads_what_auto_reads_as_it() {
    let (mut read, mut several, mut failures) = (0, Vec::new(), Vec::new());
    for (name, text, setup) in texts() {
        let auto = calls(&text, &setup, Dialects::builtin());
        let Some(dialect) = auto.dialect.as_deref().filter(|_| !auto.calls.is_empty()) else { continue };
        read += 1;
        let pinned = calls(&text, &setup, Dialects::builtin().only(&[dialect]).unwrap());
        let (wanted, found) = (shown(&auto), shown(&pinned));
        if found == wanted {
            continue;
        }
        if !found.is_empty() && wanted.starts_with(&found) && SEVERAL.contains(&name.as_str()) {
            several.push(name);
        } else {
            failures.push(format!("{name}: {text:?}\n  auto, as {dialect}: {wanted:?}\n  by name: {found:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {read}\n{}", failures.len(), failures.join("\n"));
    assert!(read > 2000, "{read} texts with a call");
    assert_eq!(several, SEVERAL, "texts that need no exception");
}

/// Every case's text, with what it is run with.
fn texts() -> Vec<(String, String, Setup)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let tools = fs::read_to_string(folder.join("tools.json")).unwrap();
    let mut files = Vec::new();
    walk(&folder, &mut files);
    files.sort();
    let text = |path: &PathBuf| {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        let case = Case::read(&fs::read_to_string(path).unwrap());
        let text = String::from_utf8(case.input().ok()?).ok()?;
        Some((name.clone(), text, case.setup(&name, &tools).ok()?))
    };
    files.iter().filter_map(text).collect()
}

fn walk(at: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            files.push(path);
        }
    }
}

fn calls(text: &str, setup: &Setup, dialects: Dialects) -> Message {
    parse(text, &dialects, &setup.tools, &setup.options)
}

fn shown(message: &Message) -> Vec<String> {
    message.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect()
}

#[test]
fn a_wrapper_that_is_named_as_a_tool_is_read_as_without_shortcuts() {
    for tag in ["tools", "tool", "function", "response", "tool_call"] {
        let named = serde_json::json!([{"name": tag}, {"name": "ls"}]).to_string();
        let text = format!("<{tag}>{{\"name\": \"ls\", \"arguments\": {{\"path\": \"src\"}}}}</{tag}>");
        for tools in [named.as_str(), r#"[{"name": "ls"}]"#] {
            let tools = Tools::from_json_str(tools).unwrap();
            let read = |options| shown(&parse(&text, &Dialects::builtin(), &tools, &options));
            let (fast, careful) = (read(Options::default()), read(Options::default().without_fast_path()));
            assert_eq!((fast.len(), &fast), (1, &careful), "{text}");
        }
    }
}
