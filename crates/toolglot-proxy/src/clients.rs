//! Clients with their own keys: permitted models and servers, rate limits, and server keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use toolglot::detect;
use toolglot_wire::Fault;

use crate::config::{ClientSettings, Config, ConfigError};
use crate::error::ProxyError;
use crate::key_digest::KeyDigest;
use crate::upstream::Server;

/// A client and its permissions.
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) key: KeyDigest,
    settings: ClientSettings,
}

impl Client {
    /// Reads a client of the settings.
    pub(crate) fn new(config: &Config, at: usize) -> Result<Self, ConfigError> {
        let settings = &config.clients[at];
        let wrong = |key: &str, message: String| config.wrong(&format!("client[{at}].{key}"), message);
        let key = settings
            .key
            .get()
            .ok_or_else(|| wrong("key", "no key; set one, or `sha256:` and its digest in hexadecimal".to_owned()))?;
        let key = KeyDigest::read(key).map_err(|message| wrong("key", message))?;
        let known = |name: &str| config.upstreams.iter().any(|upstream| upstream.name == name);
        let names = || config.upstreams.iter().map(|upstream| upstream.name.as_str()).collect::<Vec<_>>().join(", ");
        let unknown =
            |setting: &str, name: &str| wrong(setting, format!("unknown upstream `{name}`; use one of {}", names()));
        if let Some(name) = settings.upstreams.iter().find(|name| !known(name)) {
            return Err(unknown("upstreams", name));
        }
        if let Some((name, _)) = settings.upstream_keys.0.iter().find(|(name, _)| !known(name)) {
            return Err(unknown("upstream_keys", name));
        }
        if settings.models.is_empty() {
            return Err(wrong("models", "no models; use `*` for all".to_owned()));
        }
        let name = if settings.name.is_empty() { format!("client[{at}]") } else { settings.name.clone() };
        Ok(Self { name, key, settings: settings.clone() })
    }

    /// Returns whether it may use all models and servers.
    pub(crate) fn is_free(&self) -> bool {
        self.settings.upstreams.is_empty() && self.settings.models.iter().any(|glob| glob == "*")
    }

    /// Checks that it may use a model and its server.
    pub(crate) fn check(&self, model: &str, server: &Server) -> Result<(), Fault> {
        let ClientSettings { models, upstreams, .. } = &self.settings;
        if !models.iter().any(|glob| detect::fits(glob, model)) {
            return Err(ProxyError::SCOPE.because(format!(
                "the key of `{}` does not allow the model `{model}`; use one of {}, or ask the operator to add it to `models`",
                self.name,
                models.join(", ")
            )));
        }
        if upstreams.is_empty() || upstreams.contains(&server.name) {
            return Ok(());
        }
        Err(ProxyError::SCOPE.because(format!(
            "the key of `{}` does not allow the model server `{}`, which serves `{model}`; use another model, or ask the operator to add it to `upstreams`",
            self.name, server.name
        )))
    }

    /// Returns the key to send to a server for its requests.
    pub(crate) fn key_at<'a>(&'a self, server: &'a Server) -> Option<&'a str> {
        let own = self.settings.upstream_keys.0.iter().find(|(name, _)| *name == server.name);
        own.and_then(|(_, key)| key.get()).or(server.key.as_deref())
    }
}

impl ClientSettings {
    /// Returns its keys.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = String> {
        let own = self.upstream_keys.0.iter().filter_map(|(_, key)| key.get());
        self.key.get().into_iter().chain(own).map(str::to_owned)
    }
}

/// Usage by client; kept when settings are reloaded.
#[derive(Default)]
pub(crate) struct Usages(Mutex<HashMap<KeyDigest, ClientUsage>>);

/// Usage of one client.
struct ClientUsage {
    running: usize,
    /// Remaining requests, refilled at `per_minute` per minute.
    left: f64,
    since: Instant,
}

/// A running request of a client.
pub(crate) struct Ticket {
    usages: Arc<Usages>,
    key: KeyDigest,
}

impl Usages {
    /// Admits a client's request, or says when to retry.
    pub(crate) fn admit(self: &Arc<Self>, client: &Client, now: Instant) -> Result<Ticket, Fault> {
        let mut usages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ClientSettings { per_minute, concurrent, .. } = client.settings;
        let most = per_minute as f64;
        let fresh = || ClientUsage { running: 0, left: most, since: now };
        let usage = usages.entry(client.key).or_insert_with(fresh);
        let refill = now.saturating_duration_since(usage.since).as_secs_f64() * most / 60.0;
        usage.left = (usage.left + refill).min(most);
        usage.since = now;
        // Before the rate, so that a request that is refused here takes nothing from it.
        if concurrent > 0 && usage.running >= concurrent {
            return Err(ProxyError::CLIENT_BUSY.because(format!(
                "too many concurrent requests with the key of `{}`: {} are in progress; wait for one to finish, or ask the operator to raise `concurrent`",
                client.name, usage.running
            )));
        }
        if per_minute > 0 {
            if usage.left < 1.0 {
                let wait = ((1.0 - usage.left) * 60.0 / most).ceil() as u32;
                let fault = ProxyError::CLIENT_RATE.because(format!(
                    "too many requests with the key of `{}`: {per_minute} per minute are allowed; try again in {wait} s, or ask the operator to raise `per_minute`",
                    client.name
                ));
                return Err(Fault { retry_after: Some(wait), ..fault });
            }
            usage.left -= 1.0;
        }
        usage.running += 1;
        Ok(Ticket { usages: Arc::clone(self), key: client.key })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut usages = self.usages.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(usage) = usages.get_mut(&self.key) {
            usage.running = usage.running.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn client(per_minute: usize, concurrent: usize) -> Client {
        Client {
            name: "c".to_owned(),
            key: KeyDigest::read("k").unwrap(),
            settings: ClientSettings { per_minute, concurrent, ..ClientSettings::default() },
        }
    }

    #[test]
    fn requests_come_back_evenly() {
        let (usages, start, client) = (Arc::new(Usages::default()), Instant::now(), client(3, 0));
        let admits = |seconds: u64| usages.admit(&client, start + Duration::from_secs(seconds)).is_ok();
        assert_eq!([0, 0, 0, 0].map(admits), [true, true, true, false]);
        assert_eq!([19, 21, 22, 40].map(admits), [false, true, false, true]);
        assert_eq!([900, 900, 900, 900].map(admits), [true, true, true, false]);
    }

    #[test]
    fn a_place_is_free_again_when_its_request_is_over() {
        let (usages, now, client) = (Arc::new(Usages::default()), Instant::now(), client(0, 1));
        let first = usages.admit(&client, now);
        assert!(first.is_ok() && usages.admit(&client, now).is_err());
        drop(first);
        assert!(usages.admit(&client, now).is_ok());
    }
}
