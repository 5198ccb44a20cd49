//! `cargo xtask quick`: what to run before each commit.

use std::process::Command;

use crate::{Complaints, docs, root, tidy};

const STEPS: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
    &["test", "--quiet", "-p", "toolglot", "--lib"],
];

/// Runs the quick checks; stops at the first that fails.
pub fn run() -> Complaints {
    for step in STEPS {
        println!("cargo {}", step.join(" "));
        if !cargo(step) {
            return vec![format!("`cargo {}` failed; see above", step.join(" "))];
        }
    }
    [tidy::check(), docs::check()].concat()
}

fn cargo(args: &[&str]) -> bool {
    Command::new("cargo").args(args).current_dir(root()).status().is_ok_and(|status| status.success())
}
