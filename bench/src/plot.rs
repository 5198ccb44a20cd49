//! Plots: panels with both axes logarithmic, side by side, as one SVG.

use std::fmt::Write;

use crate::duel::Cell;
use crate::sides::Side;
use crate::table::Unit;

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

/// Sizes in pixels: a panel's plot, the room around it, and the head with title and legend.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 56.0;
const BELOW: f64 = 30.0;
const ABOVE: f64 = 30.0;
const GAP: f64 = 16.0;
const HEAD: f64 = 62.0;
const LEGEND: f64 = 160.0;

/// What has a name in plots, in the order of the legend, and its colour; the first ones are those to look at.
const COLOURS: [(&str, &str); 7] = [
    ("toolglot", "#00735c"),
    (COUNTED, "#00735c"),
    ("tool-parser", "#c4500b"),
    ("dynamo-parsers", "#2f5bd0"),
    ("dynamo-parsers-v2", "#8a3ab0"),
    ("serde_json", "#888888"),
    (GUIDE, "#aaaaaa"),
];

/// What a count is called.
pub(crate) const COUNTED: &str = "instructions";

/// What a line is called that shows how something would look that grows as its size does.
pub(crate) const GUIDE: &str = "growth as the size";

/// Draws the panels; `x_label` writes a number below the horizontal axis.
pub(crate) fn plot(title: &str, x_label: fn(usize) -> String, panels: &[Panel]) -> String {
    let names = names(panels);
    let frame = Frame::around(panels);
    let columns = if panels.len() > 9 { 4 } else { 3 };
    let rows = panels.len().div_ceil(columns);
    let width = ((LEFT + WIDTH + GAP) * columns as f64 + GAP).max(LEGEND * names.len() as f64 + 2.0 * GAP);
    let height = HEAD + (ABOVE + HEIGHT + BELOW) * rows as f64 + GAP;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"11\" fill=\"#222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{GAP}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
        escape(title)
    );
    for (at, name) in names.iter().enumerate() {
        let x = GAP + LEGEND * at as f64;
        writeln!(svg, "<path d=\"M{x} 45h22\" {}/>", stroke(name)).ok();
        writeln!(svg, "<text x=\"{}\" y=\"49\">{}</text>", x + 28.0, escape(name)).ok();
    }
    for (at, panel) in panels.iter().enumerate() {
        let x = LEFT + (LEFT + WIDTH + GAP) * (at % columns) as f64;
        let y = HEAD + ABOVE + (ABOVE + HEIGHT + BELOW) * (at / columns) as f64;
        writeln!(svg, "<g transform=\"translate({x} {y})\">").ok();
        frame.draw(&mut svg, &panel.title, x_label);
        panel.lines.iter().for_each(|line| frame.draw_line(&mut svg, line));
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// Returns what the legend has to name.
fn names(panels: &[Panel]) -> Vec<&'static str> {
    let is_drawn = |name: &str| panels.iter().flat_map(|panel| &panel.lines).any(|line| line.name == name);
    COLOURS.iter().map(|known| known.0).filter(|name| is_drawn(name)).collect()
}

/// The decades that all panels span.
struct Frame {
    x: (i32, i32),
    y: (i32, i32),
}

impl Frame {
    fn around(panels: &[Panel]) -> Self {
        let decades = |values: Vec<f64>| {
            let low = values.iter().copied().fold(f64::MAX, f64::min).max(1e-9).log10().floor() as i32;
            let high = values.iter().copied().fold(0.0, f64::max).max(1e-9).log10().ceil() as i32;
            (low, high.max(low + 1))
        };
        let of = |part: fn((f64, f64)) -> f64| decades(panels.iter().flat_map(Panel::values).map(part).collect());
        Self { x: of(|point| point.0), y: of(|point| point.1) }
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let part = |value: f64, (low, high): (i32, i32)| (value.log10() - f64::from(low)) / f64::from(high - low);
        (part(x, self.x) * WIDTH, (1.0 - part(y, self.y)) * HEIGHT)
    }

    fn draw(&self, svg: &mut String, title: &str, x_label: fn(usize) -> String) {
        writeln!(svg, "<text y=\"-8\" font-weight=\"600\" font-size=\"12\">{}</text>", escape(title)).ok();
        for decade in self.x.0..=self.x.1 {
            let x = self.place(10f64.powi(decade), 1.0).0;
            writeln!(svg, "<path d=\"M{x:.1} 0v{HEIGHT}\" stroke=\"#e4e4e4\"/>").ok();
            let label = x_label(10f64.powi(decade) as usize);
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", HEIGHT + 15.0).ok();
        }
        for decade in self.y.0..=self.y.1 {
            let y = self.place(1.0, 10f64.powi(decade)).1;
            writeln!(svg, "<path d=\"M0 {y:.1}h{WIDTH}\" stroke=\"#e4e4e4\"/>").ok();
            writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", y + 4.0, power(decade)).ok();
        }
        writeln!(svg, "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"none\" stroke=\"#999\"/>").ok();
    }

    /// A line with its points; where the side was stopped an arrow stands alone and points to where it was going.
    fn draw_line(&self, svg: &mut String, line: &Line) {
        let stroke = stroke(line.name);
        let mut path = String::new();
        for (x, y, stopped) in &line.points {
            let (x, y) = self.place(*x, *y);
            if *stopped {
                writeln!(svg, "<path d=\"M{:.1} {y:.1}l5 -9l5 9z\" fill=\"#fff\" {stroke}/>", x - 5.0).ok();
            } else {
                write!(path, "{x:.1},{y:.1} ").ok();
                if line.name != GUIDE {
                    writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"#fff\" {stroke}/>").ok();
                }
            }
        }
        writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {stroke}/>", path.trim()).ok();
    }
}

/// Returns how the line of a name is drawn.
fn stroke(name: &str) -> String {
    let at = COLOURS.iter().position(|known| known.0 == name).unwrap_or_default();
    let width = if at < 2 { 2.5 } else { 1.5 };
    let dashes = if name == GUIDE { " stroke-dasharray=\"4 3\"" } else { "" };
    format!("stroke=\"{}\" stroke-width=\"{width}\"{dashes}", COLOURS[at].1)
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
        let svg = plot("title", crate::table::size, &[panel]);
        assert!(svg.contains(&format!("points=\"0.0,{HEIGHT:.1} {WIDTH:.1},0.0\"")), "{svg}");
        assert!(svg.contains("a &lt; b"));
        assert_eq!([0, 2, 3, 5, 6, 8].map(power), ["1", "100", "1k", "100k", "1M", "100M"]);
        assert_eq!(power(9), "1G");
    }
}
