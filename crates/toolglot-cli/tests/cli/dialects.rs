//! Dialects: list, show, check.

use crate::{file, toolglot};

#[test]
fn a_file_with_an_error_is_shown_with_a_caret_and_exits_with_1() {
    let path = file("broken.toml", "about = \"x\"\ncal = \"<call>{call}</call>\"\n");
    let done = toolglot(&["dialects", "check", &path], "");
    assert_eq!(done.code, 1);
    assert!(done.err.contains('^') && done.err.contains("broken.toml"), "{}", done.err);
}

#[test]
fn a_file_that_is_not_there_is_a_usage_error() {
    assert_eq!(toolglot(&["dialects", "check", "no/such.toml"], "").code, 2);
}

#[test]
fn an_unknown_name_says_where_the_names_are() {
    let done = toolglot(&["dialects", "show", "no_such"], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("toolglot dialects list"), "{}", done.err);
}

#[test]
fn a_file_without_errors_is_summed_up_and_errors_elsewhere_do_not_stop_it() {
    let wrong = file("wrong.toml", "call = 5\n");
    let fine = file("mine.toml", "about = \"mine\"\ncall = [\"<call>{call}</call>\", \"<c>{call}</c>\"]\n");
    let done = toolglot(&["dialects", "check", &wrong, &fine], "");
    let wanted = "ok: mine, 2 call patterns; two calls with every type round-trip\n";
    assert_eq!((done.code, done.out.as_str()), (1, wanted), "{}", done.err);
    assert_eq!(toolglot(&["dialects", "check", &fine], "").code, 0);
}

#[test]
fn show_resolves_other_names_and_gives_the_file_alone() {
    let shown = toolglot(&["dialects", "show", "qwen3_xml"], "");
    assert!(shown.out.starts_with("qwen3_coder  "), "{}", shown.out);
    let toml = toolglot(&["dialects", "show", "qwen3_xml", "--toml"], "").out;
    assert!(shown.out.ends_with(&toml) && toml.contains("call = "));
    let path = file("copy.toml", toml);
    assert_eq!(toolglot(&["dialects", "check", &path], "").code, 0);
}

#[test]
fn the_list_is_the_same_in_both_forms() {
    let json = toolglot(&["dialects", "list", "--json"], "").out;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("a JSON array");
    let table = toolglot(&["dialects", "list"], "").out;
    let names = |line: &str| line.split_whitespace().next().map(str::to_owned);
    assert!(rows.len() > 10);
    assert!(table.lines().filter_map(names).eq(rows.iter().filter_map(|row| row["name"].as_str().map(str::to_owned))));
}

#[test]
fn files_and_names_can_be_mixed_and_lines_may_name_the_files() {
    let mine = file("my_own.toml", "about = \"mine\"\ncall = \"<mycall>{call}</mycall>\"\n");
    let line = "{\"id\":1,\"text\":\"x\",\"dialect\":[\"my_own\",\"hermes\"]}";
    let done = toolglot(&["parse", "--jsonl", "-d", "auto", "-d", &mine], line);
    assert_eq!(done.code, 0, "{}", done.out);
    let done = toolglot(&["parse", "--jsonl"], line);
    assert!(done.code == 1 && done.out.contains("my_own"), "{}", done.out);
}

#[test]
fn check_says_what_does_not_survive_and_what_is_weak() {
    let weak = file("weak.toml", "call = '<<call:{name} {arguments}>>'\n");
    let done = toolglot(&["dialects", "check", &weak], "");
    assert_eq!(done.code, 0);
    assert!(
        done.err.contains("prose may contain `<<call:`") && done.err.contains("add `strong = [\"<<call:\"]`"),
        "{}",
        done.err
    );
    let strong = file("strong.toml", "strong = '<<call:'\ncall = '<<call:{name} {arguments}>>'\n");
    let done = toolglot(&["dialects", "check", &strong], "");
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let text = "Sure: <<call:ls {\"path\": \"/\"}>>";
    assert!(toolglot(&["parse", "-d", &strong], text).out.contains("\"name\":\"ls\""));
    assert!(!toolglot(&["parse", "-q", "-d", &weak], text).out.contains("tool_calls"));
    let lossy = file("lossy.toml", "call = '<f {name}>{params}</f>'\nparam = '<{key}>{value}<b>'\n");
    let done = toolglot(&["dialects", "check", &lossy], "");
    assert!(
        done.code == 0 && done.out.contains("two calls round-trip, but not with every type"),
        "{} {}",
        done.out,
        done.err
    );
    let told = "not preserved: lossy: a string with quotes and brackets: ";
    assert!(done.err.contains(told) && !done.err.contains("lossy: an integer"), "{}", done.err);
}

#[test]
fn every_built_in_dialect_carries_two_calls() {
    let json = toolglot(&["dialects", "list", "--json"], "").out;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("a JSON array");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolglot/dialects");
    let files: Vec<String> = names.iter().map(|name| dir.join(format!("{name}.toml")).display().to_string()).collect();
    let args: Vec<&str> = ["dialects", "check", "-q"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let done = toolglot(&args, "");
    assert_eq!((done.code, done.out.lines().count()), (0, names.len()), "{}", done.err);
}

#[test]
fn a_dialect_is_made_from_an_example() {
    let example =
        file("invented.txt", "Sure.\n".replace("Sure.\n", "") + "::get_weather:: {\"city\": \"Paris\"} ::end::\n");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("invented.toml");
    let _ = std::fs::remove_file(&path);
    let path = path.to_str().unwrap();
    let args =
        ["dialects", "new", path, "--example", &example, "--call", "get_weather {\"city\": \"Paris\"}", "--strong"];
    let done = toolglot(&args, "");
    assert_eq!(done.code, 0, "{} {}", done.out, done.err);
    let read = toolglot(&["parse", "-d", path], "Well, ::ls:: {\"path\": \"/\"} ::end::");
    assert!(read.out.contains("\"name\":\"ls\""), "{} {}", read.out, read.err);
    assert_eq!(toolglot(&args, "").code, 2);
    let asked = toolglot(&["dialects", "new", path, "--force"], "<go>ls {\"a\": 1}</go>\n\nls {\"a\": 1}\n");
    assert_eq!(asked.code, 0, "{} {}", asked.out, asked.err);
    assert!(asked.out.contains("call    = \"<go>{name} {arguments}</go>\""), "{}", asked.out);
    let wrong = toolglot(&["dialects", "new", path, "--force", "-e", &example, "-c", "other {}"], "");
    assert!(wrong.code == 2 && wrong.err.contains("does not contain this name"), "{}", wrong.err);
}

#[test]
fn a_dialect_that_reads_nothing_back_is_one_error_with_the_next_step() {
    let strong = "strong = '@@'\ncall = '@@call {name} {arguments}@@'\n";
    let check = |name: &str, text: &str| toolglot(&["dialects", "check", &file(name, text)], "");
    let done = check("closes.toml", strong);
    assert_eq!((done.code, done.err.lines().count()), (1, 2), "{}", done.err);
    let why = "the strong marker `@@` also closes the call";
    assert!(done.err.contains(why) && done.err.contains("`strong = [\"@@call\"]`"), "{}", done.err);
    assert!(done.err.contains("no kind of value round-trips, not even a string: call 1: "), "{}", done.err);
    assert!(done.err.contains("do not round-trip") && done.err.contains("toolglot explain"), "{}", done.err);
    assert_eq!(check("opens.toml", &strong.replace("'@@'", "'@@call'")).code, 0);
    assert!(check("alike.toml", &strong.replace("@@call", "@@ ")).err.contains("remove it from `strong`"));
}

#[test]
fn separators_between_parameters_are_written_between_them_only() {
    let example = file("separated.txt", "@@call f: b=x;;a=y@@");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("separated.toml");
    let path = path.to_str().unwrap();
    let call = r#"f {"b": "x", "a": "y"}"#;
    let done = toolglot(&["dialects", "new", path, "--force", "--strong", "-e", &example, "-c", call], "");
    assert!(done.code == 0 && !done.err.contains("warning"), "{}", done.err);
    let read = toolglot(&["parse", "-d", path, &example], "").out;
    assert!(read.contains(r#""arguments":"{\"b\": \"x\", \"a\": \"y\"}""#), "{read}");
    assert_eq!(toolglot(&["render", "-d", path], &read).out.trim(), "@@call f: b=x;;a=y@@");
}

#[test]
fn a_file_without_its_ending_is_offered() {
    let path = file("stem.toml", "call = '<call>{call}</call>'\n");
    let done = toolglot(&["parse", "-d", path.trim_end_matches(".toml")], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no such file"), "{}", done.err);
    let mut here = crate::command(&["parse", "-d", "stem"]);
    let done = here.current_dir(env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(err.contains("unknown dialect `stem`; to read the file, write `stem.toml`"), "{err}");
}

#[test]
fn the_architecture_shows_what_ends_what() {
    let architecture = include_str!("../../../../ARCHITECTURE.md");
    for name in ["hermes", "qwen3_coder"] {
        let done = toolglot(&["dialects", "show", name, "--ends"], "");
        assert!(architecture.contains(&done.out), "{name} is now\n{}", done.out);
    }
}
