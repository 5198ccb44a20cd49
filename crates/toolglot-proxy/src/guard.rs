//! Protects a proxy without keys from web pages, which could send requests on behalf of a user who visits them.
//!
//! | request | answer |
//! |---|---|
//! | `CONNECT`, `TRACE` | 405, always |
//! | two `Host` headers, a path with the segment `.` or `..`, also written with `%2e` | 400, always |
//! | a body declared as `text/plain` or a form, to a path of a protocol | 415, always |
//! | `Host` is neither an address, `localhost`, the name in `listen` nor one of `hosts` | 403, unless keys are required |
//! | `Origin` is neither this machine nor one of `origins` | 403, unless keys are required |
//! | `Sec-Fetch-Site: cross-site` without such an `Origin` | 403, unless keys are required |
//! | a preflight `OPTIONS` with an `Origin` in `origins` | 204, with CORS headers |
//!
//! `Host` reveals DNS rebinding, since a browser sends the page's host name, which is never an address. Only `origins` get
//! CORS headers, so only their pages may read answers.

use std::net::IpAddr;

use axum::response::{IntoResponse as _, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use toolglot_wire::Fault;

use crate::config::ServerSettings;
use crate::error::ProxyError;
use crate::live::Live;
use crate::paths;

/// The header in which browsers describe the requesting page.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Body types that a web page may send without a preflight, and that no API client sends on purpose.
const SIMPLE: [&str; 2] = ["text/plain", "multipart/form-data"];

/// Checks whether a request may be answered.
pub(crate) fn check(live: &Live, parts: &Parts) -> Result<(), Fault> {
    if matches!(parts.method, Method::CONNECT | Method::TRACE) {
        let message = format!("`{}` is not supported; send requests to a path of this proxy", parts.method);
        return Err(ProxyError::METHOD.because(message));
    }
    check_form(parts)?;
    // A web page does not know the key, so its requests are rejected in any case.
    if !live.keys.is_empty() {
        return Ok(());
    }
    let server = &live.config.server;
    check_host(server, parts)?;
    let Some(origin) = text(&parts.headers, &header::ORIGIN) else {
        return match text(&parts.headers, &FETCH_SITE) {
            Some("cross-site") => Err(refused("a page of another site", "its origin", "origins")),
            _ => Ok(()),
        };
    };
    if is_listed(server, origin) || host_of(origin).is_some_and(|host| is_of_this_machine(&host)) {
        return Ok(());
    }
    Err(refused(&format!("a page of `{origin}`"), &format!("\"{origin}\""), "origins"))
}

/// Checks the content type of a protocol request.
pub(crate) fn check_body(headers: &HeaderMap) -> Result<(), Fault> {
    let kind = text(headers, &header::CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if SIMPLE.contains(&kind) {
        let message = format!("unsupported body type `{kind}`; send JSON with `content-type: application/json`");
        return Err(ProxyError::MEDIA_TYPE.because(message));
    }
    Ok(())
}

/// Answers a preflight request from one of `origins`.
pub(crate) fn preflight(live: &Live, parts: &Parts) -> Option<Response> {
    let asks = parts.method == Method::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let origin = text(&parts.headers, &header::ORIGIN).filter(|origin| asks && is_listed(&live.config.server, origin));
    origin?;
    let fixed = [(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, OPTIONS"), (header::ACCESS_CONTROL_MAX_AGE, "600")];
    let mut response = (StatusCode::NO_CONTENT, fixed).into_response();
    let headers = response.headers_mut();
    let asked = parts.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    headers.extend(asked.map(|names| (header::ACCESS_CONTROL_ALLOW_HEADERS, names)));
    allow(live, parts.headers.get(header::ORIGIN), headers);
    Some(response)
}

/// Sets the CORS headers for pages of `origins`, replacing those of the server.
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

/// Rejects ambiguous requests: more than one `Host`, or a path with `.` or `..` segments.
fn check_form(parts: &Parts) -> Result<(), Fault> {
    if parts.headers.get_all(header::HOST).iter().count() > 1 {
        return Err(ProxyError::AMBIGUOUS.because("more than one `Host` header; send only one"));
    }
    if paths::climbs(parts.uri.path()) {
        return Err(ProxyError::AMBIGUOUS.because("the path contains a `.` or `..` segment; send a normalised path"));
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
    Err(refused(&format!("a request to the host name `{host}`"), &format!("\"{host}\""), "hosts"))
}

fn refused(who: &str, what: &str, setting: &str) -> Fault {
    ProxyError::FOREIGN.because(format!(
        "{who} is rejected: without keys, any web page could send this request; add {what} to the setting \
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

/// Returns the host of an authority or an origin in lower case, without port and brackets.
fn host_of(text: &str) -> Option<String> {
    let authority = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => authority.split(':').next()?,
    };
    (!host.is_empty()).then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    // A value that is not text never matches.
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
