//! The settings: their sources, precedence and errors.
//!
//! Flags override environment variables (`TOOLGLOT_LIMITS_BODY` for `body` in `[limits]`), and variables override the
//! file. Flags and variables apply to all upstreams or all routes: `TOOLGLOT_ROUTE_DIALECT`, `--set route.dialect=hermes`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

mod document;
mod file;
mod near;
mod section;
mod sections;
pub(crate) mod setting;

pub use document::{reference, schema};
pub use near::settings;
pub(crate) use sections::{ClientSettings, Limits, RouteSettings, ServerSettings, Timeouts, Upstream};

use section::Section;
use setting::Raw;

/// Demo models with this prefix are relayed unchanged, to show what a client would receive without the proxy.
pub(crate) const RAW: &str = "raw/";

/// Sources of settings.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The settings file.
    pub file: Option<PathBuf>,
    /// Environment variables that begin with `TOOLGLOT_`.
    pub environment: Vec<(String, String)>,
    /// Flags: the setting, such as `limits.body`, its value, and the flag's name for messages.
    pub flags: Vec<(String, String, String)>,
}

/// All settings.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(crate) server: ServerSettings,
    pub(crate) limits: Limits,
    pub(crate) timeouts: Timeouts,
    pub(crate) upstreams: Vec<Upstream>,
    pub(crate) routes: Vec<RouteSettings>,
    pub(crate) clients: Vec<ClientSettings>,
    /// Where each setting is set, for messages: a line of the file, a variable, a flag.
    origins: BTreeMap<String, String>,
    unknown: Vec<String>,
    /// Errors found while reading sources.
    faults: Vec<ConfigError>,
}

/// An invalid setting: where it is set, and what to do.
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

/// Says why a file cannot be read, as the command line does.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    format!("cannot read `{}`: {why}", path.display())
}

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<ConfigError>);

impl Faults {
    /// Returns the value, or records the error.
    pub(crate) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    /// Returns the first error, or else this value.
    pub(crate) fn first<T>(self, made: T) -> Result<T, ConfigError> {
        self.0.into_iter().next().map_or(Ok(made), Err)
    }
}

/// The prefix of environment variables.
pub(crate) const PREFIX: &str = "TOOLGLOT_";

impl Sources {
    /// Returns the sources of this process: this file, or the one that `TOOLGLOT_CONFIG` names, and the environment.
    pub fn of_process(file: Option<PathBuf>, flags: Vec<(String, String, String)>) -> Self {
        let environment: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with(PREFIX)).collect();
        let named = environment.iter().find(|(name, value)| name == FILE && !value.is_empty());
        let file = file.or_else(|| named.map(|(_, path)| PathBuf::from(path)));
        Self { file, environment, flags }
    }
}

/// The variable with the path of the settings file.
const FILE: &str = "TOOLGLOT_CONFIG";

impl Config {
    /// Reads all sources.
    ///
    /// # Errors
    /// On the first invalid setting.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let (config, faults) = Self::check(sources);
        faults.into_iter().next().map_or(Ok(config), Err)
    }

    /// Reads all sources, and returns all errors as well.
    pub fn check(sources: &Sources) -> (Self, Vec<ConfigError>) {
        let mut config = Self::default();
        if let Some(path) = &sources.file {
            // Without the file, nothing is known about servers and routes.
            if let Err(fault) = file::read(&mut config, path) {
                return (config, vec![fault]);
            }
        }
        // So that variables and flags also apply to models that no route matches.
        if !config.routes.iter().any(|route| route.models.iter().any(|glob| glob == "*")) {
            config.routes.push(RouteSettings::default());
        }
        for (name, value) in sources.environment.iter().filter(|(name, _)| name != FILE) {
            let origin = format!("environment variable `{name}`");
            let path = name.strip_prefix(PREFIX).unwrap_or(name).to_lowercase();
            match config.apply(address(&path, '_'), value, &origin) {
                Ok(true) => {}
                Ok(false) => config.unknown.push(near::unknown_variable(name)),
                Err(fault) => config.faults.push(fault),
            }
        }
        for (name, value, flag) in &sources.flags {
            let unknown = || ConfigError { place: flag.clone(), message: near::unknown_path(name) };
            let applied = config.apply(address(name, '.'), value, flag);
            config.faults.extend(applied.and_then(|known| if known { Ok(()) } else { Err(unknown()) }).err());
        }
        if let Some(path) = config.server.clients_file.clone() {
            let read = file::read_clients(&mut config, &path);
            config.faults.extend(read.err());
        }
        config.add_demo();
        // The missing server may be in an invalid setting.
        let missing = config.upstreams.is_empty() && config.faults.is_empty();
        let none = || ConfigError { place: String::new(), message: NO_UPSTREAM.to_owned() };
        config.faults.extend(missing.then(none));
        let unusable = [config.doubled_upstreams(), config.idle_routes()].concat();
        config.faults.extend(unusable);
        let faults = std::mem::take(&mut config.faults);
        (config, faults)
    }

    /// Returns whether the setting of an error is set; otherwise the error may follow from another one.
    pub(crate) fn is_set(&self, fault: &ConfigError) -> bool {
        self.origins.values().any(|place| *place == fault.place)
    }

    /// Returns the address to listen on.
    pub fn listen(&self) -> &str {
        &self.server.listen
    }

    /// Returns the folder for captured exchanges.
    pub fn captures(&self) -> &Path {
        Path::new(&self.server.captures)
    }

    /// Returns whether the proxy uses TLS.
    pub fn is_tls(&self) -> bool {
        self.server.tls_cert.is_some()
    }

    /// Returns warnings about environment variables that have the prefix but are not settings.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Returns an error about a setting, with the place where it is set.
    pub(crate) fn wrong(&self, setting: &str, message: impl Into<String>) -> ConfigError {
        let place = self.origins.get(setting).cloned().unwrap_or_else(|| format!("`{setting}`"));
        ConfigError { place, message: message.into() }
    }

    /// Sets a key in all tables of its section; returns whether the key exists.
    fn apply(&mut self, address: (&Section, &str), value: &str, origin: &str) -> Result<bool, ConfigError> {
        let (section, name) = address;
        if section.name == Upstream::SECTION.name {
            if self.upstreams.is_empty() {
                self.upstreams.push(Upstream::default());
            }
            // A single URL replaces all servers.
            if name == "url" {
                self.upstreams.truncate(1);
            }
        }
        let Some(key) = section.key(name) else { return Ok(false) };
        for at in 0..(section.count)(self) {
            let set = (key.set)(self, at, Raw::Text(value));
            set.map_err(|message| ConfigError { place: origin.to_owned(), message })?;
            self.origins.insert(section.path_in(at, name), origin.to_owned());
        }
        Ok(true)
    }

    fn add_demo(&mut self) {
        if self.server.demo {
            self.server.inspector |= !self.origins.contains_key("inspector");
            self.upstreams = vec![Upstream { name: "demo".into(), ..Upstream::default() }];
            let (models, dialect) = (vec![format!("{RAW}*")], vec!["off".to_owned()]);
            self.routes.insert(0, RouteSettings { models, dialect, ..RouteSettings::default() });
        }
    }

    /// Rejects model servers with the same name.
    fn doubled_upstreams(&self) -> Vec<ConfigError> {
        let is_doubled = |at: usize| self.upstreams[..at].iter().any(|other| other.name == self.upstreams[at].name);
        let wrong = |at: usize| {
            let message = format!("two upstreams are named `{}`; give each its own `name`", self.upstreams[at].name);
            self.wrong(&format!("upstream[{at}].name"), message)
        };
        (0..self.upstreams.len()).filter(|at| is_doubled(*at)).map(wrong).collect()
    }

    /// Rejects routes that are never used.
    fn idle_routes(&self) -> Vec<ConfigError> {
        let (mut known, mut faults) = (BTreeSet::new(), Vec::new());
        for (at, route) in self.routes.iter().enumerate() {
            let mut wrong = |message| faults.push(self.wrong(&format!("route[{at}].models"), message));
            if route.models.is_empty() {
                wrong("no models; use `*` for all");
            } else if route.models.iter().all(|glob| known.contains("*") || known.contains(glob.as_str())) {
                wrong("never reached: earlier routes match all these models; move this route before them");
            }
            known.extend(route.models.iter().map(String::as_str));
        }
        faults
    }
}

const NO_UPSTREAM: &str = "no model server; set one with `--upstream http://localhost:8000` or in an `[[upstream]]` \
                           table, or try `--demo`";

/// All sections: the top-level keys, and the tables.
fn sections() -> impl Iterator<Item = &'static Section> {
    [ServerSettings::SECTION].into_iter().chain(TABLES)
}

const TABLES: [&Section; 5] =
    [Limits::SECTION, Timeouts::SECTION, Upstream::SECTION, RouteSettings::SECTION, ClientSettings::SECTION];

/// The environment variable of a path.
fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "_")).to_uppercase()
}

/// The section and the key of a path: `limits.body`, or with another separator; `upstream` is the URL.
fn address(path: &str, separator: char) -> (&'static Section, &str) {
    if path == Upstream::SECTION.name {
        return (Upstream::SECTION, "url");
    }
    let rest = |section: &'static Section| Some((section, path.strip_prefix(section.name)?.strip_prefix(separator)?));
    TABLES.into_iter().find_map(rest).unwrap_or((ServerSettings::SECTION, path))
}

#[cfg(test)]
mod tests;
