//! The features of this build, and the commands it lacks.

/// Cargo features of this package, and whether this build has them.
const FEATURES: [(&str, bool); 4] = [
    ("proxy", cfg!(feature = "proxy")),
    ("inspector", cfg!(feature = "inspector")),
    ("redis", cfg!(feature = "redis")),
    ("otlp", cfg!(feature = "otlp")),
];

/// Commands of the feature `proxy`; a test compares them with the commands of a full build.
const PROXY_COMMANDS: [&str; 7] = ["serve", "config", "health", "doctor", "inspect", "replay", "captures"];

/// Returns the version, and the features of this build.
pub(crate) fn version() -> String {
    let list = |built: bool| {
        let names: Vec<_> = FEATURES.iter().filter(|(_, has)| *has == built).map(|(name, _)| *name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!("{}\nfeatures: {}\nnot built: {}", env!("CARGO_PKG_VERSION"), list(true), list(false))
}

/// Returns the error for a command that this build does not include.
pub(crate) fn left_out(command: &str) -> Option<String> {
    let missing = cfg!(not(feature = "proxy")) && PROXY_COMMANDS.contains(&command);
    missing.then(|| {
        format!(
            "this program was built without `{command}` (feature `proxy`); \
             run `cargo install --path crates/toolglot-cli` in a clone to build all commands"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_names_every_feature_once() {
        let text = version();
        assert!(FEATURES.iter().all(|(name, _)| text.matches(name).count() == 1), "{text}");
    }

    #[test]
    fn a_command_is_there_or_known_to_be_left_out() {
        use clap::CommandFactory as _;
        let known = crate::args::Args::command();
        for command in PROXY_COMMANDS {
            assert_ne!(known.find_subcommand(command).is_some(), left_out(command).is_some(), "{command}");
        }
        assert_eq!(left_out("frobnicate"), None);
    }
}
