//! Errors in a dialect file, with their position.

use std::fmt;
use std::ops::Range;

/// An error in a dialect file, with its position.
///
/// Its `Display` looks like a compiler's: the message, the line with the place marked, and the fix.
///
/// # Example
/// ```
/// use toolglot::Dialect;
/// let error = Dialect::from_toml("mine", r#"call = "<run>{nmae}</run>""#).unwrap_err();
/// assert_eq!((error.line(), error.column()), (1, 14));
/// assert_eq!(error.message(), "unknown hole `{nmae}`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectError {
    file: String,
    line: usize,
    column: usize,
    message: String,
    help: Option<String>,
    text: String,
    marked: usize,
}

impl DialectError {
    pub(super) fn new(name: &str, source: &str, place: Range<usize>, fault: ValueFault) -> Self {
        let start = floor(source, place.start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let text = source[line_start..].lines().next().unwrap_or_default();
        let end = floor(source, place.end).clamp(start, (line_start + text.len()).max(start));
        Self {
            file: format!("{name}.toml"),
            line: source[..start].matches('\n').count() + 1,
            column: source[line_start..start].chars().count() + 1,
            message: fault.message,
            help: fault.help,
            text: text.to_owned(),
            marked: source[start..end].chars().map(width).sum::<usize>().max(1),
        }
    }

    /// Returns the error with the path of the file instead of its name, for callers that know it.
    #[must_use]
    pub fn with_file(self, file: &str) -> Self {
        Self { file: file.to_owned(), ..self }
    }

    /// Returns the line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column in characters, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the message, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the fix.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, text, .. } = self;
        let gutter = " ".repeat(line.to_string().len());
        let blank = |c: char| if c == '\t' { "\t".to_owned() } else { " ".repeat(width(c)) };
        let before: String = text.chars().take(column - 1).map(blank).collect();
        let marks = "^".repeat(self.marked);
        writeln!(f, "{file}:{line}:{column}: {message}")?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{line} | {text}")?;
        write!(f, "{gutter} | {before}{marks}")?;
        match &self.help {
            Some(help) => write!(f, "\n{gutter} = {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DialectError {}

/// An error inside one value: the message, its position in the value's text, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueFault {
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl ValueFault {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Returns the number of columns that a terminal uses for a character; full-width bars are part of many markers.
fn width(c: char) -> usize {
    let wide = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff60}');
    if wide { 2 } else { 1 }
}
