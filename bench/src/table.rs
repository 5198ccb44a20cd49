//! Tables of a comparison: how a cell reads, and what the marks below the table mean.

use std::fmt::Write;

use crate::duel::{Cell, duel};
use crate::sides::Side;
use crate::timing::Care;

/// What the numbers of a table are.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Megabytes per second; more is better.
    Speed,
    /// Nanoseconds for each byte or call; less is better.
    Each,
    /// Milliseconds in all; less is better.
    Whole,
}

impl Unit {
    /// Returns the number for a time in nanoseconds that so many bytes or calls took.
    pub(crate) fn number(self, time: f64, amount: usize) -> f64 {
        match self {
            Self::Speed => amount as f64 * 1e3 / time,
            Self::Each => time / amount as f64,
            Self::Whole => time / 1e6,
        }
    }

    /// Returns the sign of a side that took longer than the time it is shown with.
    fn beyond(self) -> &'static str {
        if matches!(self, Self::Speed) { "<" } else { ">" }
    }
}

/// A comparison that grows row by row.
pub(crate) struct Table {
    care: Care,
    unit: Unit,
    sides: Vec<Side>,
    text: String,
    notes: Vec<String>,
}

impl Table {
    /// Starts a table: what the first columns say, and who competes.
    pub(crate) fn new(care: Care, unit: Unit, first: &[&str], sides: &[Side]) -> Self {
        let columns: Vec<&str> = first.iter().copied().chain(sides.iter().map(|side| side.name())).collect();
        let rule: String =
            columns.iter().enumerate().map(|(at, _)| if at < first.len() { "---|" } else { "---:|" }).collect();
        let text = format!("| {} |\n|{rule}\n", columns.join(" | "));
        Self { care, unit, sides: sides.to_vec(), text, notes: Vec::new() }
    }

    /// Lets all sides do a job and adds the row; `previous` are the cells of the same job at a smaller size.
    pub(crate) fn row(&mut self, first: &[&str], job: &[&str], amount: usize, previous: &[Cell]) -> Vec<Cell> {
        let words: Vec<String> = job.iter().map(|word| (*word).to_owned()).collect();
        let spared = |at: usize| matches!(previous.get(at), Some(Cell::Over(_) | Cell::Spared));
        let asked: Vec<Side> =
            self.sides.iter().enumerate().filter(|(at, _)| !spared(*at)).map(|(_, side)| *side).collect();
        let mut results = duel(self.care, &asked, &words).into_iter();
        let cells: Vec<Cell> = (0..self.sides.len())
            .map(|at| if spared(at) { Cell::Spared } else { results.next().unwrap_or(Cell::Spared) })
            .collect();
        let shown: Vec<String> =
            cells.iter().enumerate().map(|(at, cell)| self.show(at, cell, job[1], amount)).collect();
        let row = format!("| {} | {} |", first.join(" | "), shown.join(" | "));
        eprintln!("{row}");
        writeln!(self.text, "{row}").ok();
        cells
    }

    /// Adds a row that only the first side is asked for.
    pub(crate) fn row_of_first(&mut self, first: &[&str], job: &[&str], amount: usize) -> Vec<Cell> {
        let others = vec![Cell::Spared; self.sides.len()];
        self.row(first, job, amount, &[&[Cell::Time(0.0, None)], &others[1..]].concat())
    }

    fn show(&mut self, side: usize, cell: &Cell, dialect: &str, amount: usize) -> String {
        let name = self.sides[side].name();
        let number = |time: &f64| round(self.unit.number(*time, amount));
        match cell {
            Cell::Time(time, None) => number(time),
            Cell::Time(time, Some(wrong)) => {
                let number = number(time);
                format!("{number} {}", self.mark(format!("{name}, {dialect}: {wrong}")))
            }
            Cell::Over(time) => format!("{} {}", self.unit.beyond(), number(time)),
            Cell::Spared => "…".to_owned(),
            Cell::Fails(why) if why == "does not read it" || why == "built without it" => "–".to_owned(),
            Cell::Fails(why) => format!("fails {}", self.mark(format!("{name}, {dialect}: {why}"))),
            Cell::Dies(how) => format!("**{how}**"),
        }
    }

    /// Returns the mark of a note.
    fn mark(&mut self, note: String) -> String {
        let at = self.notes.iter().position(|known| *known == note).unwrap_or_else(|| {
            self.notes.push(note);
            self.notes.len() - 1
        });
        format!("<sup>{}</sup>", at + 1)
    }

    /// Returns the table and, below it, what the marks say.
    pub(crate) fn finish(self) -> String {
        let mut text = self.text;
        for (at, note) in self.notes.iter().enumerate() {
            let (end, before) = if at + 1 == self.notes.len() { ("\n", "") } else { ("<br>\n", "") };
            write!(text, "{}<sup>{}</sup> {note}{before}{end}", if at == 0 { "\n" } else { "" }, at + 1).ok();
        }
        text
    }
}

/// Returns a number with three digits that count, or all those before the point.
pub(crate) fn round(number: f64) -> String {
    match number {
        number if number >= 10_000.0 => {
            let digits = format!("{number:.0}");
            let head = (digits.len() - 1) % 3 + 1;
            let groups = digits.as_bytes()[head..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
            std::iter::once(digits[..head].to_owned()).chain(groups).collect::<Vec<_>>().join(",")
        }
        number if number >= 99.5 => format!("{number:.0}"),
        number if number >= 9.95 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

/// Returns a size as people write it.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        1_000_000.. => format!("{} MB", bytes / 1_000_000),
        1_000.. => format!("{} KB", bytes / 1_000),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_have_to_be() {
        assert_eq!(
            [0.123, 9.96, 99.6, 1234.5, 12345.6, 1234567.0].map(round),
            ["0.12", "10.0", "100", "1234", "12,346", "1,234,567"]
        );
        assert_eq!([10, 1_000, 2_000_000].map(size), ["10 B", "1 KB", "2 MB"]);
    }

    #[test]
    fn what_is_wrong_stands_below_the_table_once() {
        let mut table = Table::new(Care::Quick, Unit::Speed, &["size"], &[Side::ToolParser]);
        let wrong = Cell::Time(2000.0, Some("loses parameters".to_owned()));
        assert_eq!(table.show(0, &wrong, "hermes", 1000), "500 <sup>1</sup>");
        assert_eq!(table.show(0, &wrong, "hermes", 2000), "1000 <sup>1</sup>");
        assert_eq!(table.show(0, &Cell::Over(2e9), "hermes", 1000), "< 0.00");
        assert!(table.finish().ends_with("|\n\n<sup>1</sup> tool-parser, hermes: loses parameters\n"));
    }
}
