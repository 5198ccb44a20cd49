//! Help, usage errors and the table of codes.

use crate::{file, toolglot};

#[test]
fn help_has_examples_and_exit_codes_and_no_colour_in_a_pipe() {
    for args in [&["--help"][..], &["parse", "--help"], &["repair", "--help"], &["render", "--help"]] {
        let done = toolglot(args, "");
        assert_eq!(done.code, 0);
        assert!(done.out.contains("Examples:") && done.out.contains("Exit codes:"), "{}", done.out);
        assert!(!done.out.contains('\x1b'));
    }
}

#[test]
fn help_lists_what_a_policy_may_be() {
    let help = toolglot(&["parse", "--help"], "").out;
    for choices in ["lenient, coerce, strict", "wait, end, quote", "strict, balanced, eager", "deterministic, random"] {
        assert!(help.contains(choices), "{choices} in\n{help}");
    }
}

#[test]
fn usage_errors_exit_with_2_and_say_what_is_allowed() {
    let wrong = [
        (&["parse", "--evidence", "much"][..], "balanced"),
        (&["parse", "--chunk", "0"], "random:SEED"),
        (&["parse", "--limit", "width=1"], "held, arguments, depth, calls"),
        (&["parse", "--limit", "held"], "NAME=NUMBER"),
        (&["parse", "--limit", "hold=1MiB"], "did you mean `held`?"),
        (&["parse", "--limit", "held=1MB"], "`1MB` is not a number such as `65536` or `64KiB`"),
        (&["parse", "--repairs", "magic"], "toolglot diagnostics"),
        (&["parse", "--jsonl", "--events"], "--events"),
        (&["parse", "--dialect", "no_such"], "no_such"),
        (&["parse", "--dialect", "no/such.toml"], "no such file"),
        (&["parse", "--tools", "-"], "cannot read stdin"),
        (&["parse", "no/such.txt"], "no such file"),
        (&["parse", "."], "is a directory"),
        (&["repair", "--tool", "x"], "--tools"),
        (&["dialects", "show", "hermez"], "did you mean `hermes`?"),
        (&["parse", "--dialect", "qwen3.6"], "did you mean"),
        (&["render"], "--dialect"),
        (&["render", "--dialect", "auto"], "one dialect"),
        (&["frobnicate"], "frobnicate"),
        (&[], "Usage"),
    ];
    for (args, hint) in wrong {
        let done = toolglot(args, "");
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(hint), "{args:?} says {}", done.err);
    }
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_examples() {
    let short = toolglot(&["parse", "-h"], "").out;
    let long = toolglot(&["parse", "--help"], "").out;
    assert!(short.lines().count() < 60 && !short.contains("Examples:"), "{short}");
    assert!(short.contains("see more with '--help'") && long.contains("--jsonl lines:"));
    assert_eq!(toolglot(&["help", "parse"], "").out, long);
}

#[test]
fn manual_pages_know_every_command() {
    let page = toolglot(&["man"], "").out;
    assert!(page.starts_with(".ie") && page.contains("toolglot\\-parse(1)"), "{page}");
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    assert_eq!(toolglot(&["man", "--dir", dir.to_str().unwrap()], "").code, 0);
    let page = std::fs::read_to_string(dir.join("toolglot-dialects-check.1")).unwrap();
    assert!(page.contains("toolglot\\-dialects\\-check") || page.contains("toolglot dialects check"), "{page}");
}

#[test]
fn colour_and_quiet_are_what_the_flags_say() {
    let broken = "<tool_call>{\"name\": \"ls\", \"arguments\": {\"a\": True}}</tool_call>";
    assert!(toolglot(&["--color", "always", "parse"], broken).err.contains("\x1b["));
    assert!(!toolglot(&["parse", "--color", "never"], broken).err.contains('\x1b'));
    let done = toolglot(&["parse", "-q"], broken);
    assert_eq!((done.err.as_str(), done.out.contains("\"ls\"")), ("", true));
    assert!(toolglot(&["parse", "-q", "no/such"], "").err.contains("no such file"));
}

#[test]
fn a_file_of_tools_says_what_is_wrong_with_it() {
    for (name, text, hint) in [
        ("empty", "", "it is empty"),
        ("none", "[]", "it declares no tools"),
        ("broken", "[{", "not valid JSON"),
        (
            "params",
            r#"[{"name": "a"}, {"name": "b", "params": {"type": "object"}}]"#,
            "tool 1: unknown key `params`; did you mean `parameters`?",
        ),
        ("typo", r#"{"name": "a", "paramters": {}}"#, "unknown key `paramters`; did you mean `parameters`?"),
        ("nmae", r#"[{"function": {"nmae": "a", "parameters": {}}}]"#, "unknown key `nmae`; did you mean `name`?"),
        ("list", r#"{"tool": [{"name": "a"}]}"#, "unknown key `tool`; did you mean `tools`?"),
    ] {
        let path = file(&format!("tools_{name}.json"), text);
        let done = toolglot(&["parse", "--tools", &path], "text");
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{name}");
        assert!(done.err.contains(hint), "{name} says {}", done.err);
    }
}

#[test]
fn tools_that_are_none_are_a_usage_error() {
    let path = file("no_tools.json", "[{");
    let done = toolglot(&["parse", "--tools", &path], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("cannot use the tools in"), "{}", done.err);
}

#[test]
fn the_table_of_codes_is_complete_in_both_forms() {
    let table = toolglot(&["diagnostics"], "").out;
    let json = toolglot(&["diagnostics", "--json"], "").out;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("a JSON array");
    assert_eq!(table.lines().count(), rows.len() + 1);
    for row in rows {
        assert!(table.contains(row["code"].as_str().expect("a name")));
    }
}

#[test]
fn one_diagnostic_is_described_and_a_near_name_offered() {
    let on = toolglot(&["diagnostics", "trailing_comma"], "").out;
    assert!(on.contains("risk    ") && on.contains("`--repairs safe,-trailing_comma` turns it off"), "{on}");
    let off = toolglot(&["diagnostics", "bare_string"], "").out;
    assert!(off.contains("off by default; `--repairs safe,bare_string` turns it on"), "{off}");
    let done = toolglot(&["diagnostics", "trailing_coma"], "");
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("did you mean `trailing_comma`?"), "{}", done.err);
}

#[test]
fn version_lists_features() {
    assert!(toolglot(&["--version"], "").out.contains("features: "));
    assert_eq!(toolglot(&["-V"], "").out.lines().count(), 1);
}

#[test]
fn a_script_can_ask_for_a_format_and_for_a_call() {
    let call = "<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>";
    assert_eq!(toolglot(&["parse", "--exit-status"], call).code, 0);
    assert_eq!((toolglot(&["parse", "-e"], "Hello").code, toolglot(&["parse"], "Hello").code), (1, 0));
    assert!(toolglot(&["parse", "--format", "pretty"], call).out.contains("finish_reason tool_calls"));
    assert!(toolglot(&["parse", "--format", "json"], call).out.starts_with('{'));
}

#[test]
fn many_files_are_read_each_a_message() {
    let call = file("many_call.txt", "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>");
    let plain = file("many_plain.txt", "Hello");
    let done = toolglot(&["parse", "-e", &plain, &call], "");
    let named: Vec<bool> = done.out.lines().map(|line| line.contains("{\"file\":")).collect();
    assert_eq!((done.code, named, done.out.contains("\"tool_calls\"")), (0, vec![true, true], true));
    let pretty = toolglot(&["parse", "--format", "pretty", &plain, &call], "").out;
    assert!(pretty.starts_with(&plain) && pretty.contains(&format!("{call}\nf ")), "{pretty}");
    assert_eq!(toolglot(&["parse", "-e", &plain, &plain], "").code, 1);
    assert_eq!(toolglot(&["parse", "-e", "--events", &call], "").code, 0);
    let missing = toolglot(&["parse", &call, "no_such_file"], "");
    assert_eq!((missing.code, missing.out.as_str()), (2, ""), "all files are opened before one is read");
    assert!(toolglot(&["parse", "--events", &call, &plain], "").err.contains("reads one file"));
}
