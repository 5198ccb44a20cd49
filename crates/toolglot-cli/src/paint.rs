//! Colour: on a terminal unless `NO_COLOR` is set, or as `--color` requests.

use std::io::{self, IsTerminal};

use clap::ColorChoice;

use crate::console;

/// Colours text if the stream supports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    #[cfg(test)]
    pub(crate) const OFF: Self = Self { on: false };

    pub(crate) fn stdout() -> Self {
        Self { on: wanted(&io::stdout()) }
    }

    pub(crate) fn stderr() -> Self {
        Self { on: wanted(&io::stderr()) }
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(crate) fn error(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.with("1;33", text)
    }

    pub(crate) fn name(self, text: &str) -> String {
        self.with("1;36", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn wanted(stream: &impl IsTerminal) -> bool {
    let set = |key| std::env::var_os(key).is_some_and(|value| !value.is_empty());
    match console::color() {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}
