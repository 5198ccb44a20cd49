//! Who may ask without a key: programs, but no web page, which would ask on behalf of whoever looks at it.
//!
//! | request | answer |
//! |---|---|
//! | `CONNECT`, `TRACE` | 405, always |
//! | two `Host` headers, a path with the segment `.` or `..`, also written with `%2e` | 400, always |
//! | a body that says it is `text/plain` or a form's, to a path of a protocol | 415, always |
//! | `Host` is neither an address, `localhost`, the name in `listen` nor one of `hosts` | 403, unless keys are asked for |
//! | `Origin` is neither of this machine nor one of `origins` | 403, unless keys are asked for |
//! | `Sec-Fetch-Site: cross-site` without such an `Origin` | 403, unless keys are asked for |
//! | `OPTIONS` that asks for an `Origin` of `origins` | 204, with the headers of CORS |
//!
//! A page that has made its own name point to this machine is told by `Host`: a browser sends the page's name. An
//! address is no such name. Only `origins` get the headers of CORS, so only their pages may read answers.

use std::net::IpAddr;

use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use toolglot_wire::Fault;

use crate::config::ServerSettings;
use crate::error::ProxyError;
use crate::live::Live;
use crate::paths;

/// What browsers say about the page that asks.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Bodies that any web page may send anywhere without asking first, and that no client of ours sends on purpose.
const SIMPLE: [&str; 2] = ["text/plain", "multipart/form-data"];

/// Says whether a request may be answered at all.
pub(crate) fn check(live: &Live, parts: &Parts) -> Result<(), Fault> {
    if matches!(parts.method, Method::CONNECT | Method::TRACE) {
        let message = format!("`{}` is not forwarded; request a path of this proxy instead", parts.method);
        return Err(ProxyError::Method.because(message));
    }
    check_form(parts)?;
    if !live.keys.is_empty() {
        return Ok(());
    }
    let server = &live.config.server;
    check_host(server, parts)?;
    let Some(origin) = text(&parts.headers, &header::ORIGIN) else {
        return match text(&parts.headers, &FETCH_SITE) {
            Some("cross-site") => Err(refused("another site's page", "the page's origin", "origins")),
            _ => Ok(()),
        };
    };
    if is_listed(server, origin) || host_of(origin).is_some_and(|host| is_of_this_machine(&host)) {
        return Ok(());
    }
    Err(refused(&format!("a page of `{origin}`"), &format!("\"{origin}\""), "origins"))
}

/// Says whether the body of a request of a protocol is one.
pub(crate) fn check_body(headers: &HeaderMap) -> Result<(), Fault> {
    let kind = text(headers, &header::CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if SIMPLE.contains(&kind) {
        let message = format!("unsupported body type `{kind}`; send JSON with `content-type: application/json`");
        return Err(ProxyError::MediaType.because(message));
    }
    Ok(())
}

/// Answers a browser that asks whether a page may ask, if it may.
pub(crate) fn preflight(live: &Live, parts: &Parts) -> Option<Response> {
    let asks = parts.method == Method::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let origin = text(&parts.headers, &header::ORIGIN).filter(|origin| asks && is_listed(&live.config.server, origin));
    origin?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, OPTIONS"));
    let asked = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    headers.extend(asked.map(|names| (header::ACCESS_CONTROL_ALLOW_HEADERS, names)));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    allow(live, parts.headers.get(header::ORIGIN), headers);
    Some(response)
}

/// Lets a page of `origins` read an answer; of what the server allowed nothing stays.
pub(crate) fn allow(live: &Live, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
    headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    headers.remove(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
    let server = &live.config.server;
    if server.origins.is_empty() {
        return;
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    let origin = origin.filter(|origin| origin.to_str().is_ok_and(|origin| is_listed(server, origin)));
    headers.extend(origin.map(|origin| (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone())));
}

/// Refuses what two programs may read differently: more than one `Host`, and a path that leaves the place that it names.
fn check_form(parts: &Parts) -> Result<(), Fault> {
    if parts.headers.get_all(header::HOST).iter().count() > 1 {
        return Err(ProxyError::Ambiguous.because("more than one `Host`; send one"));
    }
    if paths::climbs(parts.uri.path()) {
        return Err(ProxyError::Ambiguous.because("the path has a segment `.` or `..`; send the path that is meant"));
    }
    Ok(())
}

fn check_host(server: &ServerSettings, parts: &Parts) -> Result<(), Fault> {
    let named = parts.uri.authority().map(|authority| authority.as_str());
    let Some(authority) = named.or_else(|| text(&parts.headers, &header::HOST)) else { return Ok(()) };
    let host = host_of(authority).unwrap_or_default();
    let own = host_of(&server.listen);
    let is_known = server.listen.starts_with("unix:")
        || host.parse::<IpAddr>().is_ok()
        || is_of_this_machine(&host)
        || own.as_ref() == Some(&host)
        || server.hosts.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(&host));
    if is_known {
        return Ok(());
    }
    Err(refused(&format!("a client that calls this proxy `{host}`"), &format!("\"{host}\""), "hosts"))
}

fn refused(who: &str, what: &str, setting: &str) -> Fault {
    ProxyError::Foreign.because(format!(
        "{who} is refused: without keys, any web page could send this request; add {what} to the setting \
         `{setting}`, or set `keys`"
    ))
}

fn is_listed(server: &ServerSettings, origin: &str) -> bool {
    server.origins.iter().any(|known| known == "*" || known.trim_end_matches('/').eq_ignore_ascii_case(origin))
}

fn is_of_this_machine(host: &str) -> bool {
    let is_loopback = || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    host == "localhost" || host.ends_with(".localhost") || is_loopback()
}

/// Returns the host of an authority or an origin, in small letters, without a port and without brackets.
fn host_of(text: &str) -> Option<String> {
    let authority = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => authority.split(':').next()?,
    };
    (!host.is_empty()).then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    // What is no text is nobody's name.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_authorities_and_origins() {
        for (text, host) in [
            ("localhost:8642", Some("localhost")),
            ("LocalHost.", Some("localhost")),
            ("[::1]:8642", Some("::1")),
            ("http://[::1]", Some("::1")),
            ("https://a.example:1", Some("a.example")),
            ("null", Some("null")),
            ("", None),
            ("[::1", None),
        ] {
            assert_eq!(host_of(text).as_deref(), host, "{text}");
        }
        assert!(is_of_this_machine("127.9.9.9") && is_of_this_machine("a.localhost"));
        assert!(!is_of_this_machine("localhost.example") && !is_of_this_machine("10.0.0.1"));
    }
}
