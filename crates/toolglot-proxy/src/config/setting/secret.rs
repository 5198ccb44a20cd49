//! Secrets.

use toolglot_json::Value;

use super::{Raw, Setting, quoted};
use crate::config::unreadable;

/// A secret: in plain text, as `${VARIABLE}`, or as `file:PATH`.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Returns the secret, if there is one.
    pub(crate) fn get(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Setting for Secret {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let text = raw.wanted("string")?;
        if let Some(path) = text.strip_prefix("file:") {
            let read = std::fs::read_to_string(path).map_err(|error| unreadable(path.as_ref(), &error))?;
            return Ok(Self(read.trim().to_owned()));
        }
        expanded(&text).map(Self)
    }

    fn show(&self) -> String {
        quoted(if self.0.is_empty() { "" } else { "***" })
    }
}

/// Several secrets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(pub(crate) Vec<Secret>);

impl Setting for Secrets {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let words = Vec::<String>::read(raw)?;
        words.iter().map(|word| Secret::read(Raw::Text(word))).collect::<Result<_, _>>().map(Self)
    }

    fn show(&self) -> String {
        vec!["***".to_owned(); self.0.len()].show()
    }

    fn schema() -> Value {
        Vec::<String>::schema()
    }
}

/// Replaces `${NAME}` with environment variables.
fn expanded(text: &str) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or("`${` without `}`; use `${NAME}`")?;
        let value = std::env::var(name).map_err(|_| format!("environment variable `{name}` is not set; set it"))?;
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_come_from_the_environment_and_are_never_shown() {
        let path = std::env::var("PATH").unwrap();
        let secret = Secret::read(Raw::Text("a${PATH}b")).unwrap();
        assert_eq!(secret.get(), Some(format!("a{path}b").as_str()));
        assert_eq!((secret.show(), format!("{secret:?}")), ("\"***\"".to_owned(), "***".to_owned()));
        assert!(Secret::read(Raw::Text("${NO_SUCH_VARIABLE_HERE}")).unwrap_err().contains("NO_SUCH_VARIABLE_HERE"));
    }
}
