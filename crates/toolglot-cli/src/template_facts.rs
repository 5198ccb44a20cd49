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
    let ended = |_| "the template needs more than 512 MiB of memory".to_owned();
    let found: Value = toolglot_json::from_slice(&answer.stdout).map_err(ended)?;
    if let Some(why) = found["error"].as_str() {
        return Err(why.lines().next().unwrap_or_default().to_owned());
    }
    let facts: TemplateFacts = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let file = found["file"].as_str().filter(|_| found["derived"] == true);
    Ok(TemplateFacts { file: file.map(str::to_owned), ..facts })
}
