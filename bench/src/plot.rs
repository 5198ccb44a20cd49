//! Plots: panels with both axes logarithmic, below each other, as one SVG that a phone shows whole.

use std::fmt::Write;

use labels::{Label, spread};

use crate::duel::Cell;
use crate::sides::Side;
use crate::table::Unit;

mod labels;

/// One plot in a grid of plots with the same axes.
pub(crate) struct Panel {
    title: String,
    lines: Vec<Line>,
}

struct Line {
    name: &'static str,
    /// Where the points are, and whether the side was stopped there.
    points: Vec<(f64, f64, bool)>,
}

impl Panel {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), lines: Vec::new() }
    }

    /// Adds a point for each side that was measured and found what was meant.
    pub(crate) fn add(&mut self, sides: &[Side], cells: &[Cell], x: usize, unit: Unit, amount: usize) {
        for (side, cell) in sides.iter().zip(cells) {
            match cell {
                Cell::Time(time, None) => self.point(side.name(), x as f64, unit.number(*time, amount), false),
                Cell::Over(time) => self.point(side.name(), x as f64, unit.number(*time, amount), true),
                _ => {}
            }
        }
    }

    pub(crate) fn point(&mut self, name: &'static str, x: f64, y: f64, stopped: bool) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.name == name) {
            line.points.push((x, y, stopped));
        } else {
            self.lines.push(Line { name, points: vec![(x, y, stopped)] });
        }
    }

    fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        self.lines.iter().flat_map(|line| &line.points).map(|(x, y, _)| (*x, *y))
    }
}

/// What the axes mean, and how a number below the horizontal one is written.
pub(crate) struct Axes {
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) x_label: fn(usize) -> String,
}

/// Sizes in pixels. The whole is as wide as a phone's column and a quarter, so that its smallest letters stay legible there;
/// many panels stand in two columns without names at the ends of their lines, which are then the same two in each.
const TOTAL: f64 = 440.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 50.0;
const NAMES: f64 = 142.0;
const ABOVE: f64 = 52.0;
const BELOW: f64 = 44.0;
const HEAD: f64 = 46.0;
const LETTER: f64 = 12.0;
const MANY: usize = 9;

/// What has a name in plots, its colour and its dashes; the first ones are those to look at. The colours are those that the
/// colour-blind tell apart (Okabe and Ito's), and no line is told by its colour alone.
const STYLES: [(&str, &str, &str); 7] = [
    ("toolglot", "#0072b2", ""),
    (COUNTED, "#0072b2", ""),
    ("tool-parser", "#d55e00", "7 3"),
    ("dynamo-parsers", "#009e73", "2 2"),
    ("dynamo-parsers-v2", "#a65a8c", "7 3 2 3"),
    ("serde_json", "#555555", "1 3"),
    (GUIDE, "#999999", "4 3"),
];

/// What a count is called.
pub(crate) const COUNTED: &str = "instructions";

/// What a line is called that shows how something would look that grows as its size does.
pub(crate) const GUIDE: &str = "growth as the size";

/// Draws the panels.
pub(crate) fn plot(title: &str, axes: &Axes, panels: &[Panel]) -> String {
    let is_many = panels.len() > MANY;
    let (columns, names) = if is_many { (2, 14.0) } else { (1, NAMES) };
    let column = TOTAL / columns as f64;
    let frame = Frame { width: column - LEFT - names, named: !is_many, ..Frame::around(panels) };
    let rows = panels.len().div_ceil(columns);
    let height = HEAD + (ABOVE + HEIGHT + BELOW) * rows as f64;
    let name = escape(title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {TOTAL} {height}\" width=\"{TOTAL}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"{LETTER}\" fill=\"#222\">\n\
         <title>{name}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"8\" y=\"20\" font-size=\"14\" font-weight=\"600\">{name}</text>\n"
    );
    if is_many {
        legend(&mut svg, &drawn(panels));
    }
    for (at, panel) in panels.iter().enumerate() {
        let x = LEFT + column * (at % columns) as f64;
        let y = HEAD + ABOVE + (ABOVE + HEIGHT + BELOW) * (at / columns) as f64;
        writeln!(svg, "<g transform=\"translate({x} {y})\">").ok();
        frame.draw(&mut svg, &panel.title, axes);
        panel.lines.iter().for_each(|line| frame.draw_line(&mut svg, line));
        frame.draw_names(&mut svg, &panel.lines);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

fn legend(svg: &mut String, names: &[&str]) {
    for (at, name) in names.iter().enumerate() {
        let x = 8.0 + 150.0 * at as f64;
        writeln!(svg, "<path d=\"M{x} 37h22\" {}/>", stroke(name)).ok();
        writeln!(svg, "<text x=\"{}\" y=\"41\">{}</text>", x + 28.0, escape(name)).ok();
    }
}

/// Returns the names of the lines, in their order.
fn drawn(panels: &[Panel]) -> Vec<&'static str> {
    let is_drawn = |name: &str| panels.iter().flat_map(|panel| &panel.lines).any(|line| line.name == name);
    STYLES.iter().map(|known| known.0).filter(|name| is_drawn(name)).collect()
}

/// The decades that all panels span, and how they are drawn.
struct Frame {
    x: (i32, i32),
    y: (i32, i32),
    width: f64,
    /// Lines have their names at their ends.
    named: bool,
}

impl Frame {
    fn around(panels: &[Panel]) -> Self {
        let decades = |values: Vec<f64>| {
            let low = values.iter().copied().fold(f64::MAX, f64::min).max(1e-9).log10().floor() as i32;
            let high = values.iter().copied().fold(0.0, f64::max).max(1e-9).log10().ceil() as i32;
            (low, high.max(low + 1))
        };
        let of = |part: fn((f64, f64)) -> f64| decades(panels.iter().flat_map(Panel::values).map(part).collect());
        Self { x: of(|point| point.0), y: of(|point| point.1), width: TOTAL, named: true }
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let part = |value: f64, (low, high): (i32, i32)| (value.log10() - f64::from(low)) / f64::from(high - low);
        (part(x, self.x) * self.width, (1.0 - part(y, self.y)) * HEIGHT)
    }

    fn draw(&self, svg: &mut String, title: &str, axes: &Axes) {
        let soft = "fill=\"#555\" font-size=\"11\"";
        let below = HEIGHT + 30.0;
        let lines = wrapped(title, self.width + LEFT);
        for (at, line) in lines.iter().rev().enumerate() {
            let (x, y, line) = (8.0 - LEFT, -24.0 - 14.0 * at as f64, escape(line));
            writeln!(svg, "<text x=\"{x}\" y=\"{y}\" font-weight=\"600\">{line}</text>").ok();
        }
        writeln!(svg, "<text x=\"{}\" y=\"-10\" {soft}>{}</text>", 8.0 - LEFT, escape(axes.y)).ok();
        writeln!(svg, "<text x=\"{}\" y=\"{below}\" text-anchor=\"end\" {soft}>{}</text>", self.width, escape(axes.x))
            .ok();
        let wide = self.x.1 - self.x.0 > 4 && !self.named;
        for decade in self.x.0..=self.x.1 {
            let x = self.place(10f64.powi(decade), 1.0).0;
            writeln!(svg, "<path d=\"M{x:.1} 0v{HEIGHT}\" stroke=\"#e4e4e4\"/>").ok();
            if wide && (decade - self.x.0) % 2 == 1 {
                continue;
            }
            let label = (axes.x_label)(10f64.powi(decade) as usize);
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", HEIGHT + 15.0).ok();
        }
        let step = if self.y.1 - self.y.0 > 6 { 2 } else { 1 };
        for decade in (self.y.0..=self.y.1).step_by(step) {
            let y = self.place(1.0, 10f64.powi(decade)).1;
            writeln!(svg, "<path d=\"M0 {y:.1}h{}\" stroke=\"#e4e4e4\"/>", self.width).ok();
            writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", y + 4.0, power(decade)).ok();
        }
        writeln!(svg, "<rect width=\"{}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>", self.width).ok();
    }

    /// A line with its points; where the side was stopped an arrow stands alone and points to where it was going.
    fn draw_line(&self, svg: &mut String, line: &Line) {
        let stroke = stroke(line.name);
        let mut path = String::new();
        for (x, y, stopped) in &line.points {
            let (x, y) = self.place(*x, *y);
            if *stopped {
                writeln!(svg, "<path d=\"M{:.1} {y:.1}l5 -9l5 9z\" fill=\"#fff\" {}/>", x - 5.0, solid(line.name)).ok();
            } else {
                write!(path, "{x:.1},{y:.1} ").ok();
                if line.name != GUIDE {
                    writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"#fff\" {}/>", solid(line.name))
                        .ok();
                }
            }
        }
        writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {stroke}/>", path.trim()).ok();
    }

    /// Names stand right of the panel, each as near to its line's last point as the others let it.
    fn draw_names(&self, svg: &mut String, lines: &[Line]) {
        let ends = lines.iter().filter(|_| self.named).filter_map(|line| {
            let (x, y, _) = line.points.last()?;
            let (x, y) = self.place(*x, *y);
            Some(Label { name: line.name, from: (x, y), y })
        });
        for Label { name, from: (x, end), y } in spread(ends.collect(), HEIGHT) {
            let (start, turn) = (x + 4.0, self.width + 4.0);
            writeln!(
                svg,
                "<path d=\"M{start:.1} {end:.1}H{turn}L{} {y:.1}\" fill=\"none\" stroke=\"#bbb\"/>",
                turn + 8.0
            )
            .ok();
            let weight = if name == STYLES[0].0 { " font-weight=\"600\"" } else { "" };
            writeln!(svg, "<text x=\"{}\" y=\"{:.1}\"{weight}>{}</text>", turn + 11.0, y + 4.0, escape(name)).ok();
        }
    }
}

/// Returns how the line of a name is drawn.
fn stroke(name: &str) -> String {
    let (_, _, dashes) = STYLES[style(name)];
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    format!("{}{dashes}", solid(name))
}

/// Returns how what belongs to a line is drawn.
fn solid(name: &str) -> String {
    let at = style(name);
    let width = if at < 2 { 2.5 } else { 1.5 };
    format!("stroke=\"{}\" stroke-width=\"{width}\"", STYLES[at].1)
}

fn style(name: &str) -> usize {
    STYLES.iter().position(|known| known.0 == name).unwrap_or_default()
}

/// A title in lines of a width.
fn wrapped(title: &str, width: f64) -> Vec<String> {
    let most = (width / (LETTER * 0.6)) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in title.split(' ') {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= most) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns a power of ten, short.
fn power(decade: i32) -> String {
    let (unit, sign) = match decade {
        9.. => (9, "G"),
        6..=8 => (6, "M"),
        3..=5 => (3, "k"),
        _ => (0, ""),
    };
    format!("{}{sign}", 10f64.powi(decade - unit))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_where_their_logarithms_are() {
        let mut panel = Panel::new("a < b");
        panel.point("toolglot", 10.0, 1.0, false);
        panel.point("toolglot", 1000.0, 100.0, false);
        let axes = Axes { x: "size", y: "MB/s", x_label: crate::table::size };
        let svg = plot("title", &axes, &[panel]);
        let right = TOTAL - LEFT - NAMES;
        assert!(svg.contains(&format!("points=\"0.0,{HEIGHT:.1} {right:.1},0.0\"")), "{svg}");
        assert!(
            svg.contains(">toolglot</text>") && svg.contains(">MB/s</text>") && svg.contains("<title>title</title>")
        );
        assert!(svg.contains("a &lt; b"));
        assert_eq!([0, 2, 3, 5, 6, 8].map(power), ["1", "100", "1k", "100k", "1M", "100M"]);
        assert_eq!(power(9), "1G");
    }
}
