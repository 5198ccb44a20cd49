//! `cargo xtask version`: one version, that of the root `Cargo.toml`, in every manifest and page that names it.

use crate::Complaints;
use crate::files::File;

/// Files, and what stands there before the version.
const PLACES: &[(&str, &str)] = &[
    ("Cargo.toml", "[workspace.package]\nversion = \""),
    ("Cargo.toml", "path = \"crates/toolglot\", version = \""),
    ("Cargo.toml", "path = \"crates/toolglot-grammar\", version = \""),
    ("Cargo.toml", "path = \"crates/toolglot-json\", version = \""),
    ("Cargo.toml", "path = \"crates/toolglot-wire\", version = \""),
    ("Cargo.toml", "path = \"crates/toolglot-proxy\", version = \""),
    ("Cargo.toml", "path = \"crates/toolglot-template\", version = \""),
    ("bindings/python/Cargo.toml", "\nversion = \""),
    ("bindings/js/package.json", "\n  \"version\": \""),
    ("bindings/ai-sdk/package.json", "\n  \"version\": \""),
    ("bindings/ai-sdk/package.json", "\"dependencies\": {\n    \"toolglot\": \""),
    ("inspector/package.json", "\n  \"version\": \""),
    ("bindings/java/pom.xml", "<artifactId>toolglot-java-example</artifactId>\n  <version>"),
    ("bindings/go/README.md", "toolglot/bindings/go@v"),
];

/// Says where another version stands than in the root `Cargo.toml`.
pub fn check() -> Complaints {
    let root = File::read(PLACES[0].0).text;
    let wanted = version(&root, PLACES[0].1).unwrap_or_default();
    let wrong = |(path, before): &(&str, &str)| match version(&File::read(path).text, before) {
        Some(found) if found == wanted => None,
        Some(found) => Some(format!("{path} has version {found}, not {wanted}; use `cargo xtask version {wanted}`")),
        None => Some(format!("{path} has no `{before}`; update the list in `crates/xtask/src/version.rs`")),
    };
    PLACES.iter().filter_map(wrong).collect()
}

/// Writes a version wherever it stands; lock files follow with the next build.
pub fn write(new: &str) -> Complaints {
    let mut complaints = Complaints::new();
    for (path, before) in PLACES {
        let text = File::read(path).text;
        match version(&text, before) {
            Some(old) => {
                let changed = text.replacen(&format!("{before}{old}"), &format!("{before}{new}"), 1);
                complaints.extend(
                    std::fs::write(crate::root().join(path), changed).err().map(|error| format!("{path}: {error}")),
                );
            }
            None => complaints.push(format!("{path} has no `{before}`")),
        }
    }
    complaints
}

fn version<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !".-+".contains(c)).unwrap_or(rest.len());
    rest.get(..end).map(|found| found.trim_end_matches(['.', '-', '+'])).filter(|found| !found.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_version() {
        let complaints = check();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    #[test]
    fn workflows_that_publish_compare_the_tag_with_the_version() {
        for name in ["release", "python-wheels"] {
            let workflow = File::read(&format!(".github/workflows/{name}.yml")).text;
            assert!(workflow.contains("run: grep -qx \"version = \\\"${TAG#v}\\\"\" Cargo.toml"), "{name}");
        }
    }

    #[test]
    fn a_version_ends_where_its_quotes_do() {
        assert_eq!(version("\n  \"version\": \"1.2.3-rc.1\",", "\"version\": \""), Some("1.2.3-rc.1"));
        assert_eq!(version("go@v0.1.0 -replace", "go@v"), Some("0.1.0"));
        assert_eq!(version("<version>0.1.0</version>", "<version>"), Some("0.1.0"));
        assert_eq!(version("none", "go@v"), None);
    }
}
