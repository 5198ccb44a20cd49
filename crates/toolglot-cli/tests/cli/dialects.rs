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
    assert_eq!((done.code, done.out.as_str()), (1, "ok: mine, 2 call patterns\n"), "{}", done.err);
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
