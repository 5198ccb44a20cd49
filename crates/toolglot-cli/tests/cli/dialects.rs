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
