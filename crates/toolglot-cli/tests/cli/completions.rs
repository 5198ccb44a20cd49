//! What a shell offers at the cursor: bash sources the printed script and asks, as it would for a tab.

use std::path::Path;
use std::process::Command;

/// The words that bash offers for the last of these.
fn offered(words: &[&str]) -> Vec<String> {
    let ask = r#"
        source <(toolglot completions bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _clap_complete_toolglot toolglot "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = Path::new(env!("CARGO_BIN_EXE_toolglot")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let run = Command::new("bash").args(["-c", ask, "bash"]).args(words).env("PATH", path).output().unwrap();
    String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn names_that_only_the_program_knows_are_offered() {
    let expected: &[(&[&str], &[&str])] = &[
        (&["toolglot", "parse", "--dialect", "her"], &["hermes"]),
        // As bash splits `--dialect=her` and `--dialect=hermes --evidence=bal`.
        (&["toolglot", "parse", "--dialect", "=", "her"], &["hermes"]),
        (&["toolglot", "parse", "--dialect", "=", "hermes", "--evidence", "=", "bal"], &["balanced"]),
        (&["toolglot", "explain", "-d", "au"], &["auto"]),
        (&["toolglot", "render", "-d", "qwen3_c"], &["qwen3_coder"]),
        (&["toolglot", "dialects", "show", "her"], &["hermes"]),
        (&["toolglot", "parse", "--repairs", "sa"], &["safe"]),
        (&["toolglot", "parse", "--repairs", "safe,-trailing_c"], &["safe,-trailing_comma"]),
        (&["toolglot", "repair", "--limit", ""], &["held=", "arguments=", "depth=", "calls="]),
        (&["toolglot", "diagnostics", "near_m"], &["near_miss"]),
        (&["toolglot", "parse", "--evidence", "bal"], &["balanced"]),
        (&["toolglot", "dialects", "sho"], &["show"]),
        (&["toolglot", "exp"], &["explain"]),
    ];
    for (words, names) in expected {
        assert_eq!(offered(words), *names, "{words:?}");
    }
}

#[cfg(feature = "proxy")]
#[test]
fn settings_and_what_turns_parsing_off_are_offered() {
    let limits = offered(&["toolglot", "serve", "--set", "limits.b"]);
    assert_eq!(limits, ["limits.body=", "limits.bytes_kept="]);
    assert_eq!(offered(&["toolglot", "serve", "--dialect", "of"]), ["off"]);
}

#[test]
fn dialect_files_and_other_files_are_offered() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("offered");
    std::fs::create_dir_all(&folder).unwrap();
    let inside = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for name in ["mine.toml", "mine.txt"] {
        std::fs::write(inside(name), "").unwrap();
    }
    assert_eq!(offered(&["toolglot", "parse", "--dialect", &inside("mi")]), [inside("mine.toml")]);
    assert_eq!(offered(&["toolglot", "parse", &inside("mi")]), [inside("mine.toml"), inside("mine.txt")]);
}

#[test]
fn the_script_of_every_shell_asks_the_program() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = crate::toolglot(&["completions", shell], "").out;
        assert!(script.contains("_TOOLGLOT_COMPLETE") && script.contains("toolglot"), "{shell}: {script}");
    }
}
