//! The settings: where they come from, which wins, and what is said about a wrong one.
//!
//! A setting is looked for on the command line, then in the environment (`TOOLGLOT_LIMITS_BODY` for `body` of
//! `[limits]`), then in the file; what nobody sets has its default. The environment and the command line speak of all
//! upstreams and all routes at once: `TOOLGLOT_ROUTE_DIALECT`, `--set route.dialect=hermes`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

mod document;
mod file;
mod section;
mod sections;
pub(crate) mod setting;

pub use document::{reference, schema};
pub(crate) use sections::{Limits, Route, Server, Timeouts, Upstream};

use section::Section;
use setting::Raw;

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The settings file.
    pub file: Option<PathBuf>,
    /// Variables of the environment that begin with `TOOLGLOT_`.
    pub environment: Vec<(String, String)>,
    /// Flags: the setting, as in `limits.body`, its value, and the flag as the user knows it.
    pub flags: Vec<(String, String, String)>,
}

/// All settings.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(crate) server: Server,
    pub(crate) limits: Limits,
    pub(crate) timeouts: Timeouts,
    pub(crate) upstreams: Vec<Upstream>,
    pub(crate) routes: Vec<Route>,
    /// Who set what, for messages: a line of the file, a variable, a flag.
    origins: BTreeMap<String, String>,
    warnings: Vec<String>,
}

/// Says which setting cannot be used, where it was set, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    pub(crate) place: String,
    pub(crate) message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.place, self.message) }
    }
}

impl std::error::Error for ConfigError {}

/// The prefix of the environment's variables.
pub const PREFIX: &str = "TOOLGLOT_";

impl Sources {
    /// Returns the sources of this process: the file that is named or that `TOOLGLOT_CONFIG` names, and the environment.
    pub fn of_process(file: Option<PathBuf>, flags: Vec<(String, String, String)>) -> Self {
        let environment: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with(PREFIX)).collect();
        let named = environment.iter().find(|(name, value)| name == FILE && !value.is_empty());
        let file = file.or_else(|| named.map(|(_, path)| PathBuf::from(path)));
        Self { file, environment, flags }
    }
}

/// The variable that names the settings file.
const FILE: &str = "TOOLGLOT_CONFIG";

impl Config {
    /// Reads all sources.
    ///
    /// # Errors
    /// On the first setting that cannot be used.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some(path) = &sources.file {
            file::read(&mut config, path)?;
        }
        for (name, value) in sources.environment.iter().filter(|(name, _)| name != FILE) {
            let known = config.apply(&Address::of_variable(name), value, &format!("environment variable `{name}`"))?;
            if !known {
                config.warnings.push(format!("no setting is called `{name}`; `toolglot config show` lists them"));
            }
        }
        for (name, value, flag) in &sources.flags {
            if !config.apply(&Address::of_path(name), value, flag)? {
                let message = format!("no setting is called `{name}`; `toolglot config show` lists them");
                return Err(ConfigError { place: flag.clone(), message });
            }
        }
        config.complete();
        Ok(config)
    }

    /// Things to tell the operator that do not keep the proxy from running.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns an error about a setting, with the place where it was set.
    pub(crate) fn wrong(&self, setting: &str, message: impl Into<String>) -> ConfigError {
        let place = self.origins.get(setting).cloned().unwrap_or_else(|| format!("`{setting}`"));
        ConfigError { place, message: message.into() }
    }

    /// Without a server the one that most run; after the routes one for all other models.
    fn complete(&mut self) {
        if self.server.demo {
            self.upstreams = vec![Upstream { name: "demo".into(), ..Upstream::default() }];
        }
        if !self.routes.iter().any(|route| route.models.iter().any(|glob| glob == "*")) {
            let mut rest = Route::default();
            // What the environment and the flags say of all routes holds for this one, too.
            if let Some(model) = self.routes.first() {
                for key in Route::keys() {
                    if self.origins.contains_key(&format!("{}.{}", Route::NAME, key.name)) {
                        let shown = (key.show)(model);
                        let _ = (key.set)(&mut rest, Raw::Text(&unquoted(&shown)));
                    }
                }
            }
            self.routes.push(rest);
        }
    }
}
