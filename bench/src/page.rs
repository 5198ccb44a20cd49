//! The page that the tables stand on: each between two marks, so that what people write around them stays.

use std::fs;
use std::path::PathBuf;

/// What one section has to show.
pub(crate) struct Section {
    pub(crate) text: String,
    /// Names of plots, and what is drawn.
    pub(crate) plots: Vec<(&'static str, String)>,
    /// What is not as it has to be; it is shown, and the command fails.
    pub(crate) faults: Vec<String>,
}

impl From<String> for Section {
    fn from(text: String) -> Self {
        Self { text, plots: Vec::new(), faults: Vec::new() }
    }
}

/// Writes a section between its marks on the page, and its plots beside the page.
pub(crate) fn update(name: &str, section: &Section) -> Result<(), String> {
    let results = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results");
    let page = results.join("benchmarks.md");
    let said = |error: std::io::Error| format!("{}: {error}", page.display());
    let text = fs::read_to_string(&page).map_err(said)?;
    let shown: String = section.plots.iter().map(|(plot, _)| format!("![{plot}](plots/{plot}.svg)\n\n")).collect();
    let text = replace(&text, name, &format!("{shown}{}", section.text))?;
    fs::create_dir_all(results.join("plots")).map_err(said)?;
    for (plot, svg) in &section.plots {
        fs::write(results.join(format!("plots/{plot}.svg")), svg).map_err(said)?;
    }
    fs::write(&page, text).map_err(said)
}

/// Replaces what stands between the marks of a section.
fn replace(page: &str, name: &str, text: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&open).ok_or_else(|| format!("the page has no mark `{}`", open.trim()))?;
    let (_, after) = rest.split_once(&close).ok_or_else(|| format!("the page has no mark `{close}`"))?;
    Ok(format!("{before}{open}\n{}\n\n{close}{after}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n";
        let new = replace(page, "x", "new\n").unwrap();
        assert_eq!(new, "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n");
        assert_eq!(replace(&new, "x", "new").unwrap(), new);
        assert!(replace(page, "y", "").unwrap_err().contains("<!-- y -->"));
    }
}
