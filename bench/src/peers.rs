//! Other crates that read tool calls, each behind the same few lines.

pub(crate) mod dynamo;
pub(crate) mod dynamo_v2;
pub(crate) mod tool_parser;

/// What a peer calls a dialect; none if it does not read it.
fn name_in(names: &[(&str, &'static str)], dialect: &str) -> Result<&'static str, String> {
    names.iter().find(|known| known.0 == dialect).map(|found| found.1).ok_or_else(|| "does not read it".to_owned())
}

/// Hides what crates disagree on: any error is its text.
fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
