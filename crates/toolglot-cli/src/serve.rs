//! The proxy commands: run it, show its settings, check its health.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use toolglot_proxy::{Config, Proxy, Sources};

use crate::complete;
use crate::failure::{ExitStatus, Failure, Run, failed, print};
use crate::inspect;
use crate::report::visible;
use crate::template_facts::facts;

pub(crate) const HELP: &str = "\
Examples:
  toolglot serve --upstream http://localhost:8000  in front of a model server
  toolglot serve --demo                            try it without a model
  toolglot serve --config toolglot.toml            servers, routes, keys
  toolglot serve -u http://localhost:8000 --set timeouts.idle='60 s'

Every setting is also an environment variable: `body` in `[limits]` is
TOOLGLOT_LIMITS_BODY, the server's URL is TOOLGLOT_UPSTREAM, the settings file
is TOOLGLOT_CONFIG. Flags override variables, and variables override the file.
Changed files are reloaded at once; SIGHUP reloads all files. SIGTERM waits for
running requests to finish; a second one stops at once.";

/// Sources of the settings.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    settings: SettingFlags,
    /// Base URL of the model server
    #[arg(long, short, value_name = "URL")]
    upstream: Option<String>,
    /// Use the built-in demo server, which writes every dialect
    #[arg(long)]
    demo: bool,
    /// Address to listen on: ADDRESS:PORT or unix:PATH [default: 127.0.0.1:8642]
    #[arg(long, short, value_name = "PLACE")]
    listen: Option<String>,
    /// Accept requests from other machines without a key
    #[arg(long)]
    insecure: bool,
    /// Certificate chain (PEM), for HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<String>,
    /// Private key (PEM), for HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<String>,
    /// Log format: auto, human, json or off
    #[arg(long, value_name = "FORMAT")]
    log: Option<String>,
}

/// The settings that also matter where no server is called.
#[derive(Debug, Args)]
pub(crate) struct SettingFlags {
    /// Settings file; `toolglot config show` prints a starting point
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Dialect to read: a name, a dialect file, `auto` for all, or `off`; repeatable
    #[arg(long = "dialect", short, value_name = "NAME|FILE|auto|off", add = complete::dialects(&["auto", "off"]))]
    dialects: Vec<String>,
    /// Setting to change, such as `limits.body=64MiB`; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = name_and_value, add = complete::settings())]
    set: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Report all errors in the settings
    Check(Box<ServeArgs>),
    /// Print all effective settings and where each is set, without secrets
    Show(Box<ServeArgs>),
    /// Print the JSON Schema of the settings file, for editors
    Schema,
    /// Print the settings reference in Markdown
    Reference,
}

#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    /// Settings file of the proxy
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address that the proxy listens on: ADDRESS:PORT or unix:PATH [default: from the settings]
    #[arg(long, short, value_name = "PLACE")]
    listen: Option<String>,
}

/// Reads a flag such as `limits.body=64MiB`.
fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as `limits.body=64MiB`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl ServeArgs {
    pub(crate) fn sources(&self) -> Sources {
        let truth = |flag: bool| flag.then(|| "true".to_owned());
        self.settings.sources([
            ("upstream", "--upstream", self.upstream.clone()),
            ("demo", "--demo", truth(self.demo)),
            ("listen", "--listen", self.listen.clone()),
            ("insecure", "--insecure", truth(self.insecure)),
            ("tls_cert", "--tls-cert", self.tls_cert.clone()),
            ("tls_key", "--tls-key", self.tls_key.clone()),
            ("log", "--log", self.log.clone()),
        ])
    }
}

impl SettingFlags {
    /// Returns the sources with these other settings: their names, flags and values.
    pub(crate) fn sources<'s>(&self, others: impl IntoIterator<Item = (&'s str, &'s str, Option<String>)>) -> Sources {
        let dialects = (!self.dialects.is_empty()).then(|| self.dialects.join(","));
        let mut flags = Vec::new();
        for (name, flag, value) in others.into_iter().chain([("route.dialect", "--dialect", dialects)]) {
            flags.extend(value.map(|value| (name.to_owned(), value, format!("`{flag}`"))));
        }
        for (name, value) in &self.set {
            flags.push((name.clone(), value.clone(), format!("`--set {name}`")));
        }
        Sources::of_process(self.config.clone(), flags)
    }
}

/// Runs the proxy until a signal stops it.
pub(crate) fn run(args: &ServeArgs) -> Run {
    toolglot_proxy::run(&args.sources(), inspect::FILES, facts)?;
    Ok(ExitStatus::Fine)
}

/// Checks or shows the settings.
pub(crate) fn config(args: &ConfigArgs) -> Run {
    print(match &args.command {
        ConfigCommand::Check(args) => checked(args)?,
        ConfigCommand::Show(args) => Config::load(&args.sources()).map_err(Failure::usage)?.show(),
        ConfigCommand::Schema => serde_json::to_string_pretty(&toolglot_proxy::schema()).unwrap_or_default() + "\n",
        ConfigCommand::Reference => toolglot_proxy::reference(),
    })
}

/// Reports all errors at once.
fn checked(args: &ServeArgs) -> Result<String, Failure> {
    let sources = args.sources();
    let faults = Proxy::check(&sources).into_iter().map(|fault| fault.to_string());
    let faults: Vec<String> = faults.chain(Config::check(&sources).0.unknown().iter().cloned()).collect();
    if faults.is_empty() {
        return Ok("the settings are valid\n".to_owned());
    }
    Err(Failure::Usage(faults.join("\n       ")))
}

/// How long a health check waits.
const WAIT: Duration = Duration::from_secs(5);

/// Requests `/health` at the address in the settings; with TLS, only checks that the proxy accepts connections.
pub(crate) fn health(args: &HealthArgs) -> Run {
    let listen = args.listen.iter().map(|place| ("listen".to_owned(), place.clone(), "`--listen`".to_owned()));
    let sources = Sources::of_process(args.config.clone(), listen.collect());
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let named = || args.listen.clone().or_else(|| variable("TOOLGLOT_LISTEN"));
    // Settings that do not load here, for example for lack of a variable, do not make the proxy unhealthy.
    let (place, tls) = Config::load(&sources).map_or_else(
        |_| (named().unwrap_or_else(|| "127.0.0.1:8642".to_owned()), variable("TOOLGLOT_TLS_CERT").is_some()),
        |config| (config.listen().to_owned(), config.is_tls()),
    );
    // An address that stands for all of them is listened on, but not every system connects to it.
    let answered = match place.strip_prefix("unix:") {
        Some(path) => ask_on_file(path, tls),
        None => TcpStream::connect(place.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]")).and_then(|stream| {
            stream.set_read_timeout(Some(WAIT))?;
            ask(stream, tls)
        }),
    };
    let unhealthy = match answered {
        Ok(answer) => answer.and_then(|answer| fault(&answer)),
        Err(error) => Some(format!("no answer: {error}; is `toolglot serve` running?")),
    };
    match unhealthy {
        None => Ok(ExitStatus::Fine),
        Some(why) => failed("unhealthy", format_args!("{place}: {why}")),
    }
}

#[cfg(unix)]
fn ask_on_file(path: &str, tls: bool) -> io::Result<Option<String>> {
    let stream = std::os::unix::net::UnixStream::connect(path)?;
    stream.set_read_timeout(Some(WAIT))?;
    ask(stream, tls)
}

#[cfg(not(unix))]
fn ask_on_file(_: &str, _: bool) -> io::Result<Option<String>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "Unix sockets need a Unix system"))
}

fn ask(mut stream: impl Read + Write, tls: bool) -> io::Result<Option<String>> {
    if tls {
        return Ok(None);
    }
    // By hand, since the check runs every few seconds in containers and one request needs no client.
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(Some(String::from_utf8_lossy(&answer).into_owned()))
}

/// Returns the error in a response: its status line and body.
fn fault(answer: &str) -> Option<String> {
    if answer.starts_with("HTTP/1.1 200") {
        return None;
    }
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.lines().next().filter(|line| line.starts_with("HTTP/"));
    let status = status.unwrap_or("not an HTTP response; is another server listening there?");
    Some(format!("{status} {}", visible(body.trim())).trim_end().to_owned())
}
