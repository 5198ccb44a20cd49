//! What an oracle found, as tables.

use std::time::Duration;

use super::columns::{CASES, Column, DAMAGE, PREFIX, PROSE, UNESCAPED};
use super::goals::{GOALS, Reading};
use super::home::{Home, StringStyle};
use super::tally::{Tally, among};
use super::{page, slips};

/// One dialect's row.
struct Row {
    name: String,
    kind: StringStyle,
    body: String,
    tally: Tally,
}

/// What an oracle found.
pub struct Report {
    oracle: String,
    reading: Reading,
    rows: Vec<Row>,
    time: Duration,
}

impl Report {
    pub(super) fn new(oracle: &str, reading: Reading, homes: &[Home], tallies: Vec<Tally>, time: Duration) -> Self {
        let row = |(home, tally): (&Home, Tally)| Row {
            name: home.name.clone(),
            kind: home.kind,
            body: home.body.clone(),
            tally,
        };
        Self { oracle: oracle.to_owned(), reading, rows: homes.iter().zip(tallies).map(row).collect(), time }
    }

    fn columns(&self) -> &'static [Column] {
        match self.oracle.as_str() {
            "unescaped" => UNESCAPED,
            "damage" => DAMAGE,
            "prose" => PROSE,
            _ => PREFIX,
        }
    }

    /// Returns sums over all rows that a test picks.
    fn sum(&self, picks: impl Fn(&Row) -> bool) -> Tally {
        let mut sum = Tally::default();
        for row in self.rows.iter().filter(|row| picks(row)) {
            for (key, count) in &row.tally.counts {
                *sum.counts.entry(key.clone()).or_default() += count;
            }
        }
        sum
    }

    /// Returns sums over the dialects whose strings stand in quotes.
    pub(super) fn quoted(&self) -> Tally {
        self.sum(|row| row.kind != StringStyle::Raw)
    }

    /// Returns sums over the rows of a kind, of a body, and of all, each with its name.
    fn totals(&self) -> Vec<(String, Tally)> {
        let kinds = [("JSON", StringStyle::Json), ("Python", StringStyle::Python), ("raw", StringStyle::Raw)];
        let mut sums: Vec<_> = kinds.map(|(name, kind)| (name.to_owned(), self.sum(|row| row.kind == kind))).into();
        let mut bodies: Vec<&String> = self.rows.iter().map(|row| &row.body).collect();
        bodies.sort();
        bodies.dedup();
        sums.extend(bodies.iter().map(|body| (format!("{{{body}}}"), self.sum(|row| row.body == **body))));
        sums.push(("all".to_owned(), self.sum(|_| true)));
        sums.into_iter().filter(|(_, sum)| !sum.counts.is_empty()).collect()
    }

    /// Returns the outcomes of each group of cases, over all dialects.
    fn groups(&self) -> String {
        let all = self.sum(|_| true);
        let mut lines = vec![["group", "cases", "%", "outcome"].map(str::to_owned).to_vec()];
        for ((group, outcome), count) in &all.counts {
            let share = format!("{:.3}", 100.0 * *count as f64 / all.sum(group) as f64);
            lines.push(vec![(*group).to_owned(), count.to_string(), share, outcome.clone()]);
        }
        format!("\n{}", aligned(&lines))
    }

    /// Returns what this oracle is held to, each with its number, and whether all is kept.
    pub fn check(&self) -> (String, bool) {
        let mut lines = vec![["number", "%", "limit", "goal", ""].map(str::to_owned).to_vec()];
        let mut kept = true;
        for goal in GOALS.iter().filter(|goal| goal.oracle == self.oracle && goal.reading == self.reading) {
            let (count, of) = (goal.of)(&self.sum(|row| goal.kinds.contains(&row.kind)));
            let percent = 100.0 * count as f64 / of.max(1) as f64;
            let verdict = match (goal.limit.holds(percent), goal.goal.holds(percent)) {
                (false, _) => "FAILED",
                (true, false) => "below the goal",
                _ => "",
            };
            kept &= goal.limit.holds(percent);
            let percent = format!("{percent:.4}");
            let what = format!("{}: {}", self.oracle, goal.what);
            lines.push(vec![what, percent, goal.limit.text(), goal.goal.text(), verdict.to_owned()]);
        }
        (aligned(&lines), kept)
    }

    /// Returns the documentation page of the oracle.
    pub fn markdown(&self) -> String {
        match self.oracle.as_str() {
            "damage" => self.shares(page::DAMAGE, page::OF_DAMAGE),
            "prefix" => self.shares(page::PREFIX, page::OF_PREFIX),
            "prose" => self.shares(page::PROSE, page::OF_PROSE),
            "slips" => {
                slips::markdown(&self.rows.iter().map(|row| (&*row.name, &*row.body, &row.tally)).collect::<Vec<_>>())
            }
            _ => self.unescaped(),
        }
    }

    /// Returns a page with a table for each body of calls.
    fn shares(&self, intro: &str, of: &[(&'static str, &'static [&'static str], &'static str)]) -> String {
        let pairs = among(&self.sum(|_| true), &CASES, "").1;
        let mut out = format!("{intro}{pairs} messages, {} dialects.\n\n", self.rows.len());
        let mut bodies: Vec<&str> = self.rows.iter().map(|row| row.body.as_str()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let titles: Vec<&str> = of.iter().map(|(title, ..)| *title).collect();
        for body in bodies {
            out.push_str(&format!("## `{{{body}}}`\n\n{}", page::columns(&titles)));
            for row in self.rows.iter().filter(|row| row.body == body) {
                out.push_str(&page::shares(&format!("`{}`", row.name), &row.tally, of));
            }
            out.push_str(&page::shares("**all**", &self.sum(|row| row.body == body), of));
            out.push('\n');
        }
        out.push_str(&format!("## All\n\n{}", page::columns(&titles)));
        out.push_str(&page::shares("**all**", &self.sum(|_| true), of));
        out
    }

    fn unescaped(&self) -> String {
        let messages = among(&self.sum(|_| true), &CASES, "").1;
        let mut out = format!("{}{messages} messages, {} dialects.\n\n", page::INTRO, self.rows.len());
        for (title, kind) in [
            ("JSON strings", StringStyle::Json),
            ("Python strings", StringStyle::Python),
            ("Raw values", StringStyle::Raw),
        ] {
            out.push_str(&format!("## {title}\n\n{}", page::HEAD));
            for row in self.rows.iter().filter(|row| row.kind == kind) {
                out.push_str(&page::row(&format!("`{}`", row.name), &row.tally));
            }
            out.push_str(&page::row("**all**", &self.sum(|row| row.kind == kind)));
            out.push('\n');
        }
        out
    }

    fn tallies(&self) -> Vec<(&str, &Tally)> {
        self.rows.iter().map(|row| (row.name.as_str(), &row.tally)).collect()
    }

    /// Returns the table of all dialects and the failures that were asked for.
    pub fn text(&self) -> String {
        let mut out = if self.oracle == "slips" { aligned(&slips::text(&self.tallies())) } else { self.table() };
        for row in &self.rows {
            for sample in &row.tally.samples {
                out.push_str(&format!("\n{} case {}: {}\n", row.name, sample.case, sample.kind));
                sample.lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
            }
        }
        let pairs = among(&self.sum(|_| true), &CASES, "").1;
        out.push_str(&format!("\n{pairs} messages in {:.1?}\n", self.time));
        out
    }

    fn table(&self) -> String {
        let columns = self.columns();
        let mut lines =
            vec![["dialect", "body"].into_iter().chain(columns.iter().map(|it| it.title)).map(str::to_owned).collect()];
        let cells = |tally: &Tally| columns.iter().map(|it| it.cell(tally)).collect::<Vec<_>>();
        for row in &self.rows {
            lines.push([row.name.clone(), row.body.clone()].into_iter().chain(cells(&row.tally)).collect());
        }
        for (name, sum) in self.totals() {
            lines.push([format!("= {name}"), String::new()].into_iter().chain(cells(&sum)).collect());
        }
        let out = aligned(&lines);
        out + &self.groups()
    }
}

/// Returns lines whose cells stand below each other.
fn aligned(lines: &[Vec<String>]) -> String {
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut out = String::new();
    for line in lines {
        for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let fill = " ".repeat(width - cell.chars().count());
            out.push_str(&if at < 2 { format!("{cell}{fill}  ") } else { format!("{fill}{cell}  ") });
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}
