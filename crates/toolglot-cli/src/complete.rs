//! `toolglot completions`, and what shells complete. Their scripts ask the program itself, so they know what it knows.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Args, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use toolglot::{Code, Dialects};

use crate::failure::{Failure, Run, print};
use crate::limit_flag::LIMITS;

pub(crate) const HELP: &str = "\
Examples:
  echo 'source <(toolglot completions bash)' >> ~/.bashrc
  echo 'source <(toolglot completions zsh)' >> ~/.zshrc
  echo 'toolglot completions fish | source' >> ~/.config/fish/config.fish

In ~/.zshrc, the line must follow the call of `compinit`.
";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate completions for
    #[arg(value_enum)]
    shell: Shell,
}

/// The variable by which a script asks; with the prefix of settings, it would be one.
const VARIABLE: &str = "_TOOLGLOT_COMPLETE";

/// Prints a completion script.
pub(crate) fn run(args: &CompletionsArgs) -> Run {
    let (shells, shell) = (Shells::builtins(), args.shell.to_string());
    let shell = shells.completer(&shell).ok_or_else(|| Failure::usage(format!("no completions for `{shell}`")))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "toolglot", "toolglot", "toolglot", &mut script)?;
    if args.shell == Shell::Bash {
        let asks = "    COMPREPLY=(";
        script = String::from_utf8_lossy(&script).replacen(asks, &[WITHOUT_EQUALS, asks].concat(), 1).into_bytes();
    }
    print(script)
}

/// Bash splits words at `=`: of the three words of `--dialect=her`, the program is asked about two.
const WITHOUT_EQUALS: &str = r#"    local at
    for at in "${!words[@]}"; do
        if [[ "${words[at]}" == "=" && $at -ne $COMP_CWORD ]]; then
            unset "words[at]"
            if [[ $at -lt $COMP_CWORD ]]; then ((_CLAP_COMPLETE_INDEX -= 1)); fi
        fi
    done
"#;

/// Answers a script that asks about a command; returns whether one did.
pub(crate) fn answer(command: fn() -> Command, arguments: &[OsString]) -> clap::error::Result<bool> {
    let shells = CompleteEnv::with_factory(command).var(VARIABLE);
    shells.try_complete(arguments.iter().cloned(), env::current_dir().ok().as_deref())
}

/// Completes dialects, these words, and dialect files.
pub(crate) fn dialects(words: &'static [&'static str]) -> ArgValueCompleter {
    ArgValueCompleter::new(move |given: &OsStr| {
        let builtin = Dialects::builtin();
        let named = builtin.iter().map(|dialect| (dialect.name(), dialect.about()));
        let mut found = beginning(given, named.chain(words.iter().map(|word| (*word, ""))));
        let is_file = |path: &Path| path.extension().is_some_and(|ending| ending == "toml");
        found.extend(PathCompleter::file().filter(is_file).complete(given));
        found
    })
}

/// Completes the last repair or preset of a list.
pub(crate) fn repairs() -> ArgValueCompleter {
    ArgValueCompleter::new(|given: &OsStr| {
        let given = given.to_string_lossy();
        let last = given.rfind([',', '-']).map_or(0, |at| at + 1);
        let (before, last) = given.split_at(last);
        let presets = ["none", "exact", "safe", "all"].map(|preset| (preset, ""));
        let named = Code::TABLE.iter().filter(|row| row.code.is_repair()).map(|row| (row.name, row.about));
        let found = beginning(OsStr::new(last), presets.into_iter().chain(named));
        found.into_iter().map(|candidate| candidate.add_prefix(before)).collect()
    })
}

/// Completes limits, up to the number.
pub(crate) fn limits() -> ArgValueCompleter {
    ArgValueCompleter::new(|given: &OsStr| beginning(given, LIMITS.iter().map(|name| (format!("{name}="), ""))))
}

/// Completes settings of `serve`, up to the value.
#[cfg(feature = "proxy")]
pub(crate) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|given: &OsStr| {
        beginning(given, toolglot_proxy::settings().into_iter().map(|(name, about)| (format!("{name}="), about)))
    })
}

/// Completes codes of diagnostics.
pub(crate) fn diagnostics() -> ArgValueCompleter {
    ArgValueCompleter::new(|given: &OsStr| beginning(given, Code::TABLE.iter().map(|row| (row.name, row.about))))
}

/// Returns the names that begin with what is given, each with its description.
fn beginning<N: AsRef<str>, A: AsRef<str>>(
    given: &OsStr,
    names: impl IntoIterator<Item = (N, A)>,
) -> Vec<CompletionCandidate> {
    let given = given.to_string_lossy();
    let fitting = names.into_iter().filter(|(name, _)| name.as_ref().starts_with(&*given));
    let described = |about: &str| (!about.is_empty()).then(|| about.trim().to_owned().into());
    fitting.map(|(name, about)| CompletionCandidate::new(name.as_ref()).help(described(about.as_ref()))).collect()
}
