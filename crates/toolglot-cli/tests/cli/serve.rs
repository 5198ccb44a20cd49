//! The commands around the proxy.

use std::io::Read;
use std::time::Duration;

use crate::{command, file, toolglot};

#[test]
fn settings_are_checked_with_line_and_advice() {
    let good = file("serve_good.toml", "keys = ['sesame']\n[[upstream]]\nurl = 'http://localhost:1'\n");
    let done = toolglot(&["config", "check", "--config", &good], "");
    assert_eq!((done.code, done.out.as_str()), (0, "the settings are fine\n"), "{}", done.err);
    let shown = toolglot(&["config", "show", "-c", &good, "--set", "limits.body=1 KiB"], "").out;
    assert!(shown.contains("body = \"1 KiB\"  # `--set limits.body`"), "{shown}");
    assert!(shown.contains("keys = [\"***\"]") && !shown.contains("sesame"), "{shown}");
    let bad = file("serve_bad.toml", "\nlimits = 1\n");
    for (args, hint) in [
        (&["config", "check", "-c", &bad][..], "serve_bad.toml:2: this is a table; write `[limits]`"),
        (&["config", "check"], "`--upstream http://localhost:8000`"),
        (&["serve", "-u", "localhost"], "`--upstream`: `localhost` is no URL"),
        (&["serve", "--demo", "-l", "0.0.0.0:0"], "`--insecure`"),
        (&["serve", "--demo", "--set", "x=1"], "`--set x`: no setting is called `x`"),
        (&["serve", "--set", "x"], "NAME=VALUE"),
    ] {
        let done = toolglot(args, "");
        assert_eq!(done.code, 2, "{args:?}: {}", done.err);
        assert!(done.err.contains(hint), "{args:?} says {}", done.err);
    }
}

#[test]
fn schema_is_json_and_reference_has_tables() {
    let schema: serde_json::Value = serde_json::from_str(&toolglot(&["config", "schema"], "").out).unwrap();
    assert_eq!(schema["properties"]["listen"]["type"], "string");
    assert!(toolglot(&["config", "reference"], "").out.contains("| `listen` | `127.0.0.1:8642` |"));
}

/// Starts the demonstration, asks whether it is well, ends it by signal.
#[test]
fn the_demonstration_runs_until_a_signal_ends_it() {
    let socket = std::env::temp_dir().join(format!("toolglot-serve-{}", std::process::id())).display().to_string();
    let place = format!("unix:{socket}");
    assert_eq!(toolglot(&["health", "-l", &place], "").code, 1);
    let mut child = command(&["serve", "--demo", "--listen", &place, "--log", "json"]).spawn().unwrap();
    let is_well = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        toolglot(&["health", "-l", &place], "").code == 0
    });
    assert!(is_well);
    let signal = std::process::Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
    assert!(signal.success());
    assert!(child.wait().unwrap().success());
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("listening on unix:") && log.contains("all requests have ended"), "{log}");
}
