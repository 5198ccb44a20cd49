//! Diagnostics for people: message, position, and the input line with carets.

use std::fmt;
use std::io::{self, BufWriter, Write};

use toolglot::{Class, Diagnostic, Options};

use crate::console;
use crate::paint::Paint;

/// Characters of a line that are shown, around the position.
const SHOWN: usize = 96;

/// Writes the diagnostics of an input to stderr, in order; write errors are ignored.
pub(crate) fn print(name: &str, input: &[u8], diagnostics: &[Diagnostic]) {
    if console::is_quiet() {
        return;
    }
    // A message with thousands of calls may have as many diagnostics.
    let (mut out, mut place) = (BufWriter::new(io::stderr()), Place::default());
    let report = Report { name, input, paint: Paint::stderr() };
    for diagnostic in diagnostics {
        place.advance(input, diagnostic.span.start);
        if report.write_one(&mut out, diagnostic, &place).is_err() {
            return;
        }
    }
}

/// An input whose diagnostics are written.
struct Report<'i> {
    name: &'i str,
    input: &'i [u8],
    paint: Paint,
}

impl Report<'_> {
    fn write_one(&self, out: &mut impl Write, diagnostic: &Diagnostic, place: &Place) -> io::Result<()> {
        let Diagnostic { span, message, .. } = diagnostic;
        let excerpt = Excerpt::of(self.input, place, span.end);
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let bar = self.paint.faint("|");
        let label = self.label(diagnostic);
        let dialect = diagnostic.dialect.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
        writeln!(out, "{label}: {}", visible(&with_flags(message)))?;
        // An answer without text has no line to show.
        if self.input.is_empty() {
            return writeln!(out, "--> {}\n", self.name);
        }
        let Place { line, column, .. } = place;
        let arrow = self.paint.faint("-->");
        writeln!(out, "{margin}{arrow} {}:{line}:{column} (bytes {}..{}{dialect})", self.name, span.start, span.end)?;
        writeln!(out, "{margin} {bar}\n{} {bar} {}", self.paint.faint(&number), excerpt.text)?;
        let carets = self.paint.warning(&"^".repeat(excerpt.carets));
        writeln!(out, "{margin} {bar} {}{carets}\n", " ".repeat(excerpt.before))
    }

    fn label(&self, diagnostic: &Diagnostic) -> String {
        let class = diagnostic.code.row().class;
        let label = format!("{}[{}]", class_name(class), diagnostic.code);
        match class {
            Class::Repair(_) => self.paint.name(&label),
            _ => self.paint.warning(&label),
        }
    }
}

/// Returns a message with flags in place of the library's options.
pub(crate) fn with_flags(message: &str) -> String {
    let mut message = ADVICE.iter().fold(message.to_owned(), |text, (option, flag)| text.replace(option, flag));
    for name in Options::NAMES {
        let flag = name.replace('_', "-");
        let (value, alone) = (format!("set `{name}` to `"), format!("set `{name}`"));
        message = message.replace(&value, &format!("pass `--{flag} ")).replace(&alone, &format!("pass `--{flag}`"));
    }
    message
}

/// Advice that names no option.
const ADVICE: [(&str, &str); 3] = [
    ("add it, or use `auto`", "add it with `--dialect`, or pass `--dialect auto`"),
    ("declare the tool to", "declare the tool with `--tools` to"),
    ("raise the limit", "raise the limit with `--limit`"),
];

/// Returns a class's name.
pub(crate) fn class_name(class: Class) -> &'static str {
    match class {
        Class::Repair(_) => "repair",
        Class::Value => "value",
        Class::Policy => "policy",
        Class::Limit => "limit",
        _ => "other",
    }
}

/// A position in the input: line and column (in characters), from 1.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    line: usize,
    column: usize,
    offset: usize,
    line_start: usize,
}

impl Default for Place {
    fn default() -> Self {
        Self { line: 1, column: 1, offset: 0, line_start: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Place {
    /// Returns the position of a byte offset.
    pub(crate) fn of(input: &[u8], at: usize) -> Self {
        let mut place = Self::default();
        place.advance(input, at);
        place
    }

    /// Advances to a byte offset; ascending offsets cost one pass over the input in total.
    pub(crate) fn advance(&mut self, input: &[u8], to: usize) {
        if to < self.offset {
            *self = Self::default();
        }
        let to = to.min(input.len());
        for (at, byte) in input.iter().enumerate().take(to).skip(self.offset) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.column = 1;
                    self.line_start = at + 1;
                }
                _ => self.column += usize::from(byte & 0xC0 != 0x80),
            }
        }
        self.offset = to;
    }
}

/// The shown part of a line, and the position of the carets.
struct Excerpt {
    text: String,
    before: usize,
    carets: usize,
}

impl Excerpt {
    fn of(input: &[u8], place: &Place, end: usize) -> Self {
        let far = SHOWN * 4;
        let from = place.line_start.max(place.offset.saturating_sub(far));
        let rest = input.get(place.offset..).unwrap_or_default();
        let rest = rest.get(..far).unwrap_or(rest);
        let rest = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let inside = rest.len().min(end.saturating_sub(place.offset));
        let (inside, after) = rest.split_at(inside);
        let (inside, after) = (shown(inside), shown(after));
        let following = (inside.chars().count() + after.chars().count()).min(SHOWN * 2 / 3);
        let before = tail(&shown(input.get(from..place.offset).unwrap_or_default()), SHOWN - following, place.column);
        let inside = head(&inside, SHOWN / 2);
        let after = head(&after, SHOWN.saturating_sub(before.chars().count() + inside.chars().count()));
        Self { before: width(&before), carets: width(&inside).max(1), text: before + &inside + &after }
    }
}

fn shown(bytes: &[u8]) -> String {
    visible(&String::from_utf8_lossy(bytes)).replace('\t', " ")
}

fn head(text: &str, count: usize) -> String {
    let cut: String = text.chars().take(count).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

fn tail(text: &str, count: usize, column: usize) -> String {
    let skip = text.chars().count().saturating_sub(count);
    let cut: String = text.chars().skip(skip).collect();
    if skip > 0 || column > text.chars().count() + 1 { format!("…{cut}") } else { cut }
}

/// Makes control characters visible, so that input cannot control the terminal; keeps line breaks and tabs.
pub(crate) fn visible(text: &str) -> String {
    let picture = |character| match character {
        '\n' | '\t' => character,
        '\0'..='\x1F' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        _ => character,
    };
    text.chars().map(picture).collect()
}

/// The approximate width of a text on a terminal.
fn width(text: &str) -> usize {
    text.chars()
        .map(|character| match character as u32 {
            0x300..=0x36F | 0x200B..=0x200F | 0xFE00..=0xFE0F => 0,
            0x1100..=0x115F | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F => 2,
            0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1FAFF | 0x20000..=0x3FFFD => 2,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(input: &[u8], start: usize, end: usize) -> String {
        let mut place = Place::default();
        place.advance(input, start);
        let Excerpt { text, before, carets } = Excerpt::of(input, &place, end);
        format!("{}:{} {text}\n{}{}", place.line, place.column, " ".repeat(before), "^".repeat(carets))
    }

    #[test]
    fn carets_stand_under_the_place() {
        assert_eq!(excerpt(b"one\n{\"a\": 1,}\n", 12, 13), "2:9 {\"a\": 1,}\n        ^");
        assert_eq!(excerpt("全角 'x'".as_bytes(), 7, 10), "1:4 全角 'x'\n     ^^^");
        assert_eq!(excerpt(b"ab\xFFcd", 2, 3), "1:3 ab\u{FFFD}cd\n  ^");
    }

    #[test]
    fn places_at_the_end_and_over_lines_show_one_caret_or_the_first_line() {
        assert_eq!(excerpt(b"ab", 2, 2), "1:3 ab\n  ^");
        assert_eq!(excerpt(b"ab\n", 3, 9), "2:1 \n^");
        assert_eq!(excerpt(b"a{\nb}", 1, 5), "1:2 a{\n ^");
    }

    #[test]
    fn lines_that_fit_are_shown_whole() {
        let line = "x".repeat(94) + "!";
        assert_eq!(excerpt(line.as_bytes(), 94, 95), format!("1:95 {line}\n{}^", " ".repeat(94)));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let input = format!("{}HERE{}", "a".repeat(50_000), "b".repeat(50_000));
        let shown = excerpt(input.as_bytes(), 50_000, 50_004);
        assert!(shown.starts_with("1:50001 …aaa") && shown.contains("aHEREb") && shown.len() < 300, "{shown}");
    }

    #[test]
    fn control_characters_cannot_steer_the_terminal() {
        assert_eq!(visible("a\x1b[31m\u{9b}\u{202e}\x7f\n"), "a␛[31m\u{FFFD}\u{FFFD}␡\n");
    }
}
