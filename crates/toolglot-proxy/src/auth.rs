//! API keys of clients, and the addresses on which the proxy may listen without keys.

use std::sync::Arc;

use http::{HeaderMap, header};
use toolglot_wire::Fault;

use crate::clients::Client;
use crate::config::{Config, ConfigError, Faults, unreadable};
use crate::error::ProxyError;
use crate::headers::{API_KEY, AZURE_KEY};
use crate::key_digest::KeyDigest;

/// The accepted keys; without any, all clients are accepted.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    /// Keys with all permissions.
    all: Vec<KeyDigest>,
    /// Those of them that the settings give in plain text.
    plain: Vec<String>,
    clients: Vec<Arc<Client>>,
}

impl Keys {
    /// Reads the keys of the settings.
    pub(crate) fn new(config: &Config, faults: &mut Faults) -> Self {
        let mut plain: Vec<String> =
            config.server.keys.0.iter().filter_map(|key| key.get().map(str::to_owned)).collect();
        if let Some(path) = &config.server.keys_file {
            let text =
                std::fs::read_to_string(path).map_err(|error| config.wrong("keys_file", unreadable(path, &error)));
            let text = faults.keep(text).unwrap_or_default();
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            plain.extend(lines.map(str::to_owned));
        }
        let setting = if config.server.keys.0.is_empty() { "keys_file" } else { "keys" };
        let read = |key: &String| faults.keep(KeyDigest::read(key).map_err(|message| config.wrong(setting, message)));
        let all = plain.iter().filter_map(read).collect();
        plain.retain(|key| !key.starts_with(KeyDigest::PREFIX));
        let clients =
            (0..config.clients.len()).filter_map(|at| faults.keep(Client::new(config, at))).map(Arc::new).collect();
        Self { all, plain, clients }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.clients.is_empty()
    }

    /// Returns the keys that the settings give in plain text.
    pub(crate) fn plain(&self) -> impl Iterator<Item = String> {
        self.plain.iter().cloned()
    }

    /// Checks that a request has a key with all permissions.
    pub(crate) fn check_free(&self, headers: &HeaderMap) -> Result<(), Fault> {
        match self.check(headers)? {
            None => Ok(()),
            Some(client) => Err(ProxyError::SCOPE
                .because(format!("the key of `{}` only allows requests to models; use one of `keys`", client.name))),
        }
    }

    /// Checks the key of a request; returns the client that it belongs to, if any.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<Arc<Client>>, Fault> {
        if self.is_empty() {
            return Ok(None);
        }
        let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
        let bearer = text(header::AUTHORIZATION).and_then(bearer_of);
        let given = [bearer, text(API_KEY), text(AZURE_KEY)];
        if let Some(found) = given.iter().flatten().find_map(|key| self.find(&KeyDigest::of(key.trim()))) {
            return Ok(found);
        }
        Err(ProxyError::KEY.because(match given {
            [None, None, None] => "missing key; send `Authorization: Bearer KEY` or `x-api-key: KEY`",
            _ => "invalid key; ask the operator of this proxy for a valid one",
        }))
    }

    /// Rejects an address that other machines can reach if there are no keys.
    pub(crate) fn check_exposure(&self, config: &Config) -> Result<(), ConfigError> {
        let listen = config.server.listen.as_str();
        if !is_place(listen) {
            let message = format!("`{listen}` is not an address; use one such as `127.0.0.1:8642` or `unix:PATH`");
            return Err(config.wrong("listen", message));
        }
        if listen.starts_with("unix:") || config.server.insecure || !self.is_empty() || is_loopback(listen) {
            return Ok(());
        }
        let message = format!(
            "`{listen}` is reachable from other machines, and no keys are set; set `keys`, listen on 127.0.0.1, or pass `--insecure`"
        );
        Err(config.wrong("listen", message))
    }

    /// Finds a key, and the client that it belongs to, if any.
    fn find(&self, given: &KeyDigest) -> Option<Option<Arc<Client>>> {
        if self.all.iter().any(|key| key.is_same(given)) {
            return Some(None);
        }
        self.clients.iter().find(|client| client.key.is_same(given)).map(|client| Some(Arc::clone(client)))
    }
}

/// Returns whether this is an address with a port, or `unix:` and a path.
fn is_place(listen: &str) -> bool {
    let port = listen.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port);
    listen
        .strip_prefix("unix:")
        .map_or_else(|| port.is_some_and(|port| port.parse::<u16>().is_ok()), |path| !path.is_empty())
}

fn is_loopback(listen: &str) -> bool {
    let host = listen.rsplit_once(':').map_or(listen, |(host, _)| host).trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns the key in an `Authorization` header; the scheme is case-insensitive.
fn bearer_of(value: &str) -> Option<&str> {
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_port_or_a_path() {
        for (listen, wanted) in [
            ("h:1", true),
            ("[::]:1", true),
            ("unix:a", true),
            ("nonsense", false),
            ("h:x", false),
            (":1", false),
            ("unix:", false),
        ] {
            assert_eq!(is_place(listen), wanted, "{listen}");
        }
    }

    #[test]
    fn loopback_is_this_machine_only() {
        for (listen, wanted) in
            [("127.0.0.1:1", true), ("[::1]:1", true), ("localhost:1", true), ("0.0.0.0:1", false), ("[::]:1", false)]
        {
            assert_eq!(is_loopback(listen), wanted, "{listen}");
        }
    }
}
