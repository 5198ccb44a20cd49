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
        (&["parse", "--repairs", "magic"], "toolglot diagnostics"),
        (&["parse", "--jsonl", "--events"], "--events"),
        (&["parse", "--dialect", "no_such"], "no_such"),
        (&["parse", "--dialect", "no/such.toml"], "no such file"),
        (&["parse", "--tools", "-"], "needs a file"),
        (&["parse", "no/such.txt"], "no such file"),
        (&["parse", "."], "is a directory"),
        (&["repair", "--tool", "x"], "--tools"),
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
fn tools_that_are_none_are_a_usage_error() {
    let path = file("no_tools.json", "[{");
    let done = toolglot(&["parse", "--tools", &path], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("cannot use the tools of"), "{}", done.err);
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
