//! Facts about a chat template, which runs in a separate process.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use toolglot_json::Value;
use toolglot_proxy::TemplateFacts;

use crate::template_file::CONFINED;

/// Evaluates a template, given as JSON, with limited memory.
pub(crate) fn facts(config: &str) -> Result<TemplateFacts, String> {
    let failed = |error: io::Error| format!("cannot run the template: {error}");
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(["dialects", "infer", "-", "--json"]).env(CONFINED, "1");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(config.as_bytes()).map_err(failed)?;
    }
    // The template's own errors are JSON; a process without any was ended by its limit of memory.
    let answer = child.wait_with_output().map_err(failed)?;
    let found: Value = toolglot_json::from_slice(&answer.stdout)
        .map_err(|_| "the template needs more than 512 MiB of memory".to_owned())?;
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    match found["error"].as_str() {
        Some(why) => Err(why.lines().next().unwrap_or_default().to_owned()),
        None => Ok(TemplateFacts {
            dialect: text("dialect"),
            grade: text("grade"),
            file: found["derived"].as_bool().unwrap_or_default().then(|| text("file")),
            prefill: text("prefill"),
            ends: found["ends"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            found_by_auto: found["found_by_auto"].as_bool().unwrap_or_default(),
        }),
    }
}
