//! Normalises the paths of requests.
//!
//! | written | normalised |
//! |---|---|
//! | `/v1/chat/completions/`, `//v1/chat/completions` | `/v1/chat/completions` |
//! | `/v1/v1/chat/completions`, from a base URL with `/v1` | `/v1/chat/completions` |
//! | `/anthropic/v1/messages`, `/openai/v1/responses` | `/v1/messages`, `/v1/responses` |
//! | `/openai/deployments/NAME/chat/completions`, as on Azure | `/v1/chat/completions` for the model `NAME` |

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The model in an Azure path, for a body without one.
#[derive(Clone)]
pub(crate) struct Deployment(pub(crate) String);

/// Returns the normalised path, and the deployment in it.
pub(crate) fn meant(path: &str) -> (Cow<'_, str>, Option<Deployment>) {
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let mut deployment = None;
    match segments.as_slice() {
        ["openai", "deployments", name, ..] => {
            deployment = Some(Deployment(unescaped(name).into_owned()));
            segments.splice(..3, ["v1"]);
        }
        ["openai" | "anthropic", "v1", ..] => drop(segments.remove(0)),
        ["openai" | "anthropic", ..] => segments[0] = "v1",
        _ => {}
    }
    while segments.starts_with(&["v1", "v1"]) {
        segments.remove(0);
    }
    let plain = format!("/{}", segments.join("/"));
    let path = if plain == path { Cow::Borrowed(path) } else { Cow::Owned(plain) };
    (path, deployment)
}

/// Returns whether a path has a `.` or `..` segment, in any encoding.
pub(crate) fn climbs(path: &str) -> bool {
    path.split(['/', '\\'])
        .map(unescaped)
        .any(|segment| segment.split(['/', '\\']).any(|name| name == "." || name == ".."))
}

/// Decodes the percent-encoding of a segment.
fn unescaped(segment: &str) -> Cow<'_, str> {
    percent_decode_str(segment).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_through_folders_are_noticed() {
        for (path, wanted) in [
            ("/v1/../../admin", true),
            ("/v1/%2e%2E/admin", true),
            ("/v1/./models", true),
            ("/v1/..%2fadmin", true),
            ("/v1/..\\admin", true),
            ("/v1/models/a..b", false),
            ("/v1/models/v1.0", false),
            ("/v1/.well-known", false),
        ] {
            assert_eq!(climbs(path), wanted, "{path}");
        }
    }

    #[test]
    fn paths_are_found_behind_what_is_written() {
        for (written, path, model) in [
            ("/v1/chat/completions", "/v1/chat/completions", None),
            ("/v1/chat/completions/", "/v1/chat/completions", None),
            ("//v1//v1/messages", "/v1/messages", None),
            ("/anthropic/messages", "/v1/messages", None),
            ("/anthropic/v1/messages", "/v1/messages", None),
            ("/openai/v1/v1/responses/", "/v1/responses", None),
            ("/openai/deployments/gpt/chat/completions", "/v1/chat/completions", Some("gpt")),
            ("/openai/deployments/a%20b%/responses", "/v1/responses", Some("a b%")),
            ("/api/chat/", "/api/chat", None),
            ("/", "/", None),
        ] {
            let (found, deployment) = meant(written);
            assert_eq!((&*found, deployment.map(|it| it.0).as_deref()), (path, model), "{written}");
        }
    }
}
