//! Forwarded headers: hop-by-hop headers are removed, keys are replaced, others are unchanged.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use toolglot_wire::Protocol;

/// Headers of a connection, not of the request or the answer.
const HOP_BY_HOP: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// The header with the key of Azure clients.
pub(crate) const AZURE_KEY: HeaderName = HeaderName::from_static("api-key");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The dialect of the tools in the prompt.
pub(crate) const PROMPT: HeaderName = HeaderName::from_static("x-toolglot-prompt");

/// The number of requests to the model, if more than one.
pub(crate) const ATTEMPTS: HeaderName = HeaderName::from_static("x-toolglot-attempts");

/// The name that Anthropic clients expect.
const ANTHROPIC_REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
/// Asks nginx in front of the proxy not to collect a stream.
const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const VIA: HeaderValue = HeaderValue::from_static("1.1 toolglot");

/// Removes hop-by-hop headers, including those named in `Connection`.
pub(crate) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}

/// Prepares a client's headers for a request to the model server.
pub(crate) fn for_upstream(headers: &mut HeaderMap) {
    strip_hop_by_hop(headers);
    headers.remove(header::HOST);
    headers.remove(header::EXPECT);
    headers.append(header::VIA, VIA);
}

/// As [`for_upstream`], for a request whose body the proxy writes and whose answer it reads.
pub(crate) fn for_turn(headers: &mut HeaderMap) {
    for_upstream(headers);
    // A compressed answer could not be parsed, and a compressed stream would be delayed.
    headers.remove(header::ACCEPT_ENCODING);
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::CONTENT_ENCODING);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

/// Sets the key in the header of the server's protocol. The client's key is only forwarded if the proxy requires none.
pub(crate) fn exchange_key(headers: &mut HeaderMap, own: Option<&str>, keep: bool, upstream: Option<Protocol>) {
    let bearer = headers.get(header::AUTHORIZATION).cloned();
    let plain = headers.get(API_KEY).cloned();
    if own.is_some() || !keep {
        headers.remove(header::AUTHORIZATION);
        headers.remove(API_KEY);
        headers.remove(AZURE_KEY);
    }
    let bare = |value: &HeaderValue| value.to_str().ok()?.strip_prefix("Bearer ").map(str::to_owned);
    let key = match own {
        Some(key) => Some(key.to_owned()),
        None if !keep => None,
        None => plain.as_ref().and_then(|key| key.to_str().ok().map(str::to_owned)).or(bearer.as_ref().and_then(bare)),
    };
    let Some(key) = key else { return };
    let (name, text, there) = match upstream {
        Some(Protocol::Messages) => (API_KEY, key, own.is_none() && (plain.is_some() || bearer.is_some())),
        _ => (header::AUTHORIZATION, format!("Bearer {key}"), own.is_none() && bearer.is_some()),
    };
    if let (false, Ok(mut value)) = (there, HeaderValue::from_str(&text)) {
        // Not printed when debugging, and in HTTP/2 not kept in a table that later headers are compressed with.
        value.set_sensitive(true);
        headers.insert(name, value);
    }
}

/// Returns the keys in a client's headers.
pub(crate) fn keys(headers: &HeaderMap) -> Vec<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let bearer = text(header::AUTHORIZATION).map(|value| value.strip_prefix("Bearer ").unwrap_or(value));
    let keys = [bearer, text(API_KEY), text(AZURE_KEY)].into_iter().flatten().map(str::trim);
    keys.filter(|key| *key != NO_KEY).map(str::to_owned).collect()
}

/// Prefixes of keys of well-known services, never of model names.
const KEY_STARTS: [&str; 9] = ["sk-", "sk_", "hf_", "gsk_", "xai-", "AIza", "ghp_", "nvapi-", "Bearer "];

/// Returns whether a model's name looks like a key.
pub(crate) fn looks_like_key(text: &str) -> bool {
    text.len() >= 16 && KEY_STARTS.iter().any(|start| text.starts_with(start))
}

/// A key for clients that require one although the proxy does not.
pub(crate) const NO_KEY: &str = "none";

/// Prepares a server's headers for an answer that is passed on unchanged.
pub(crate) fn for_client(headers: &mut HeaderMap) {
    strip_hop_by_hop(headers);
    headers.append(header::VIA, VIA);
}

/// As [`for_client`], for an answer that the proxy writes.
pub(crate) fn for_written(headers: &mut HeaderMap) {
    for_client(headers);
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::CONTENT_ENCODING);
    headers.remove(header::ETAG);
}

/// Sets the headers of a stream that must not be buffered.
pub(crate) fn for_stream(headers: &mut HeaderMap, protocol: Protocol) {
    let kind = if protocol == Protocol::Ollama { NDJSON } else { "text/event-stream; charset=utf-8" };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(NO_BUFFERING, HeaderValue::from_static("no"));
}

/// Sets the request id.
pub(crate) fn identify(headers: &mut HeaderMap, id: HeaderValue, protocol: Protocol) {
    if protocol == Protocol::Messages {
        headers.insert(ANTHROPIC_REQUEST_ID, id.clone());
    }
    headers.insert(REQUEST_ID, id);
}

/// The content type of Ollama's streams.
const NDJSON: &str = "application/x-ndjson";

/// Returns whether a body is a stream of events or lines.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.trim_start().to_ascii_lowercase();
    kind.starts_with("text/event-stream") || kind.starts_with(NDJSON)
}

/// Returns whether a body is compressed and therefore unreadable.
pub(crate) fn is_compressed(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    fn exchanged(pairs: &[(&'static str, &'static str)], own: Option<&str>, keep: bool, to: Protocol) -> HeaderMap {
        let mut headers = map(pairs);
        exchange_key(&mut headers, own, keep, Some(to));
        headers
    }

    #[test]
    fn what_belongs_to_a_connection_stays_there() {
        let mut headers =
            map(&[("connection", "close, x-mine"), ("x-mine", "1"), ("te", "trailers"), ("x-yours", "2")]);
        strip_hop_by_hop(&mut headers);
        assert_eq!(headers, map(&[("x-yours", "2")]));
    }

    #[test]
    fn keys_are_put_where_the_server_looks_for_them() {
        let client = &[("x-api-key", "c")];
        assert_eq!(exchanged(client, None, true, Protocol::Chat)["authorization"], "Bearer c");
        assert_eq!(exchanged(client, None, true, Protocol::Messages), map(client));
        let bearer = &[("authorization", "Bearer c")];
        assert_eq!(exchanged(bearer, None, true, Protocol::Messages), map(bearer));
        assert_eq!(exchanged(bearer, Some("own"), true, Protocol::Messages), map(&[("x-api-key", "own")]));
        assert_eq!(exchanged(client, Some("own"), false, Protocol::Chat), map(&[("authorization", "Bearer own")]));
        assert!(exchanged(client, None, false, Protocol::Chat).is_empty());
    }
}
