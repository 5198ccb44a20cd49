//! Two calls of every dialect, and the tools they call.

use toolglot::Tools;

/// As the test of confusion has them.
const EXAMPLES: &str = include_str!("../../crates/toolglot/tests/confusion/examples.txt");
const TOOLS: &str = include_str!("../../crates/toolglot/tests/negative/tools.json");

/// Returns the tools that the examples call.
pub(crate) fn declared() -> Result<Tools, String> {
    Tools::from_json_str(TOOLS).map_err(|error| error.to_string())
}

/// Returns each dialect's name and its text of two calls.
pub(crate) fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.split("\n=== ").skip(1).filter_map(|example| {
        let (name, rest) = example.split_once("\n--- two\n")?;
        Some((name, rest.split_once("\n--- one\n")?.0))
    })
}
