//! How well a dialect fits a template: whether it reads each probe back, and would write the same bytes.

use std::cmp::Reverse;
use std::sync::Arc;

use toolglot::{Code, Collector, Dialect, Dialects, Message, Options, Parser, Renderer, Rendering, Tools, parse};

use crate::alike::{common_end, common_start};
use crate::markers::{markers, whole_before, whole_behind};
use crate::probe::{CONTENT, Probe, Probes, REASONING, Turn, tools};
use crate::random::Dice;
use crate::said::Said;

/// A dialect, tested on a template.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) dialect: Arc<Dialect>,
    /// The prompt opens reasoning: turns after the whole prompt begin inside it.
    pub(crate) is_prefilled: bool,
    /// One for each probe, in order.
    pub(crate) rows: Vec<Row>,
    /// Bytes that had to be removed as the end of a turn, although not every turn ends with them.
    cut: usize,
}

/// The outcome of one probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// Read back exactly; the difference from the renderer's text, and the end that was removed.
    Read { difference: Option<Difference>, end: String },
    /// The template writes two different messages identically, or does not escape.
    Lossy { why: String },
    /// The template rejects the message.
    Refused { why: String },
    /// Read as a different message.
    Misread { read: String },
}

/// The first difference between what a template and a dialect write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The template's text there.
    pub template: String,
    /// The dialect's text there.
    pub dialect: String,
}

/// Reads turns with one dialect.
pub(crate) struct Reader<'p> {
    probes: &'p Probes,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) pinned: Dialects,
    tools: Tools,
    frame: Frame,
}

/// The text around reasoning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) open: String,
    pub(crate) close: String,
}

impl Frame {
    /// Finds the frame in a probe with reasoning; if the template drops reasoning, the frame that it closes at once.
    pub(crate) fn of(probes: &Probes) -> Option<Self> {
        let turns = ["reasoning and text", "reasoning and two calls"].into_iter().filter_map(|what| probes.find(what));
        let behind = |turn: &Turn| turn.text.find(REASONING).map(|at| at + REASONING.len());
        let found: Vec<(&Turn, usize)> = turns.filter_map(|(_, turn)| Some((turn, behind(turn)?))).collect();
        let Some((turn, at)) = found.first() else { return Self::closed_at_once(probes) };
        let open = turn.text[..at - REASONING.len()].to_owned();
        let behind = &turn.text[*at..];
        let marker = markers(behind, &probes.special).into_iter().next();
        let close = match (behind.find(CONTENT), marker) {
            (Some(end), _) => &behind[..end],
            (None, Some(marker)) => &behind[..marker.end],
            (None, None) => return None,
        };
        // What text has in front of it, too, calls have not.
        let alike = found.get(1).map_or(close, |(calls, at)| {
            let common = common_start(close, &calls.text[*at..]);
            &close[..whole_before(close, common, &probes.special)]
        });
        let close = if alike.trim().is_empty() { close } else { alike };
        Some(Self { open, close: close.to_owned() })
    }

    /// The prompt opens reasoning and the turn begins with the closer: `<think>`, `</think>`.
    fn closed_at_once(probes: &Probes) -> Option<Self> {
        let prompt = probes.prompt();
        let opener = markers(prompt, &probes.special).pop()?;
        let closer = format!("</{}", prompt[opener].strip_prefix('<')?);
        let (_, turn) = probes.find("text")?;
        turn.text.trim_start().starts_with(&closer).then_some(Self { open: String::new(), close: closer })
    }

    /// Removes an empty frame from the start of a turn: templates write it if there was no reasoning.
    pub(crate) fn without<'t>(&self, text: &'t str, prompt: &str) -> &'t str {
        let close = self.close.trim();
        if close.is_empty() {
            return text;
        }
        let start = text.trim_start();
        let openers = [self.open.trim(), prompt.trim().rsplit('\n').next().unwrap_or_default()];
        let opened = openers.iter().filter(|open| !open.is_empty()).find_map(|open| start.strip_prefix(open.trim()));
        opened.unwrap_or(start).trim_start().strip_prefix(close).unwrap_or(text)
    }
}

impl<'p> Reader<'p> {
    pub(crate) fn new(probes: &'p Probes, dialect: &Arc<Dialect>) -> Self {
        let pinned = [Arc::clone(dialect)].into_iter().collect();
        let frame = Frame::of(probes).unwrap_or_default();
        Self { probes, dialect: Arc::clone(dialect), pinned, tools: tools(), frame }
    }

    /// Tries all probes, first without reasoning that the prompt opened, then with it.
    pub(crate) fn fit(&self) -> Fit {
        let tried = |is_prefilled| {
            let rows: Vec<Row> = self.probes.rows.iter().map(|probe| self.row(probe, is_prefilled)).collect();
            let cut = rows.iter().map(|row| self.cut(row)).sum();
            Fit { dialect: Arc::clone(&self.dialect), is_prefilled, rows, cut }
        };
        let plain = tried(false);
        if plain.rows.iter().all(|row| !matches!(row, Row::Misread { .. })) {
            return plain;
        }
        let opened = tried(true);
        if opened.score() > plain.score() { opened } else { plain }
    }

    /// The number of bytes removed besides the common end of all turns.
    fn cut(&self, row: &Row) -> usize {
        let Row::Read { end, .. } = row else { return 0 };
        let (end, plain) = (end.trim(), self.probes.end.trim());
        let alike = common_end(end, plain);
        whole_behind(end, end.len() - alike, &self.probes.special)
    }

    /// Whether the dialect reads the simplest calls; most dialects do not, and need no further tests.
    pub(crate) fn is_near(&self) -> bool {
        let first = ["one call", "two calls", "one parameter"].iter().filter_map(|what| self.probes.find(what)).next();
        first.is_some_and(|(_, turn)| [false, true].into_iter().any(|open| self.read(turn, open).is_ok()))
    }

    pub(crate) fn row(&self, probe: &Probe, is_prefilled: bool) -> Row {
        let turn = match &probe.turn {
            Ok(turn) => turn,
            Err(why) => return Row::Refused { why: why.clone() },
        };
        match self.read(turn, is_prefilled) {
            Ok(end) => {
                let (difference, end) = self.difference(turn, end, is_prefilled);
                Row::Read { difference, end }
            }
            Err(message) => self.apart(turn, is_prefilled).unwrap_or_else(|| self.blamed(turn, &message)),
        }
    }

    /// Reads a turn whose calls are a separate message, unchanged.
    fn apart(&self, turn: &Turn, is_prefilled: bool) -> Option<Row> {
        let turn = Turn { text: turn.apart.clone()?, ..turn.clone() };
        let end = self.read(&turn, is_prefilled).ok()?;
        let (difference, end) = self.difference(&turn, end, is_prefilled);
        Some(Row::Read { difference, end })
    }

    /// The same, and the turn is read again in random pieces, which must not matter.
    pub(crate) fn row_in_pieces(&self, probe: &Probe, is_prefilled: bool, dice: &mut Dice) -> Row {
        let row = self.row(probe, is_prefilled);
        let (Row::Read { end, .. }, Ok(turn)) = (&row, &probe.turn) else { return row };
        let apart = turn.apart.as_ref().filter(|_| self.read(turn, is_prefilled).is_err());
        let turn = &apart.map_or_else(|| turn.clone(), |text| Turn { text: text.clone(), ..turn.clone() });
        let (text, options) = self.input(turn, turn.text.len() - end.len(), is_prefilled);
        let mut parser = Parser::new(&self.pinned, &self.tools, &options);
        let (mut collector, mut at) = (Collector::new(&options), 0);
        while at < text.len() {
            let mut next = (at + 1 + dice.below(9)).min(text.len());
            next += (next..text.len()).take_while(|at| !text.is_char_boundary(*at)).count();
            collector.feed(&mut parser, &text[at..next]);
            at = next;
        }
        let message = collector.complete(&mut parser);
        if turn.written.is(&message) {
            row
        } else {
            Row::Misread { read: format!("in pieces: {}", described(&message)) }
        }
    }

    /// Reads a turn; returns where its content ends, followed by the end of the turn.
    pub(crate) fn read(&self, turn: &Turn, is_prefilled: bool) -> Result<usize, Box<Message>> {
        let mut first = None;
        for end in self.ends(turn) {
            let message = self.message(turn, end, is_prefilled);
            if turn.written.is(&message) && is_clean(&message) {
                return Ok(end);
            }
            first.get_or_insert(message);
        }
        Err(Box::new(first.unwrap_or_else(|| self.message(turn, 0, false))))
    }

    /// Reads a turn up to a position, without the frame that templates write if there was no reasoning.
    fn message(&self, turn: &Turn, end: usize, is_prefilled: bool) -> Message {
        let (text, options) = self.input(turn, end, is_prefilled);
        parse(text, &self.pinned, &self.tools, &options)
    }

    fn input<'t>(&self, turn: &'t Turn, end: usize, is_prefilled: bool) -> (&'t str, Options) {
        let text = &turn.text[..end];
        // History may leave out what the prompt opens.
        let close = self.frame.close.trim();
        let is_closed = !close.is_empty() && text.trim_start().starts_with(close);
        let is_inside = !turn.written.reasoning.is_empty() && self.frame.open.trim().is_empty();
        let is_open = is_prefilled && (turn.is_prompted || is_inside || is_closed);
        let is_framed = !is_open && turn.written.reasoning.is_empty();
        let framed = if is_framed { self.frame.without(text, self.probes.prompt()) } else { text };
        (framed, Options::default().with_reasoning_open(is_open))
    }

    /// Possible ends of the turn's own text: the whole turn first, then before one marker after another.
    fn ends(&self, turn: &Turn) -> Vec<usize> {
        let text = turn.text.as_str();
        let said = turn.written.calls.iter().map(|call| call.name.as_str());
        let words = said.chain([turn.written.content.trim(), turn.written.reasoning.trim()]);
        let last = words.filter(|word| !word.is_empty()).filter_map(|word| text.rfind(word)).max().unwrap_or(0);
        let mut ends = vec![text.len()];
        let found = markers(&text[last..], &self.probes.special);
        ends.extend(found.iter().rev().take(DEEPEST_END).map(|marker| last + marker.start));
        // It may be no marker.
        let end = self.probes.end.trim();
        let without = text.trim_end().strip_suffix(end).map(str::len);
        ends.extend(without.filter(|at| !end.is_empty() && *at >= last));
        ends
    }

    /// The difference between the template's turn and the renderer's, ignoring white space around it, the empty frame of
    /// reasoning, what the prompt has opened, and the end of the turn, which is also returned.
    fn difference(&self, turn: &Turn, end: usize, is_prefilled: bool) -> (Option<Difference>, String) {
        let said = &turn.written;
        let cut = turn.text[end..].to_owned();
        let rendered = match self.rendered(said) {
            Ok(text) => text,
            Err(why) => return (Some(Difference { template: shown(&turn.text), dialect: why }), cut),
        };
        let (mut template, mut written) = (turn.text[..end].trim_start(), rendered.trim());
        if said.reasoning.is_empty() {
            template = self.frame.without(template, self.probes.prompt()).trim_start();
        } else if is_prefilled && (turn.is_prompted || self.frame.open.trim().is_empty()) {
            let opener = written.find(said.reasoning.trim()).unwrap_or(0);
            written = written[opener..].trim();
        }
        // The dialect may have read the end of the turn, which the renderer does not write.
        if let Some(rest) = template.strip_prefix(written).filter(|rest| !rest.trim().is_empty())
            && self.is_end(turn, end - rest.len(), is_prefilled)
        {
            return (None, format!("{rest}{cut}"));
        }
        (first_difference(template.trim_end(), written), cut)
    }

    /// Whether a turn has the same content without the text from a position on, which consists of markers.
    fn is_end(&self, turn: &Turn, from: usize, is_prefilled: bool) -> bool {
        let message = self.message(turn, from, is_prefilled);
        let rest = turn.text[from..].trim();
        let marked: usize = markers(rest, &self.probes.special).into_iter().map(|marker| marker.len()).sum();
        turn.written.is(&message) && is_clean(&message) && (marked > 0 || rest.is_empty())
    }

    fn rendered(&self, said: &Said) -> Result<String, String> {
        let ids: Vec<String> = (0..).zip(&said.calls).map(|(at, call)| self.probes.shape.id(at, &call.name)).collect();
        let mut rendering = Rendering::new().with_reasoning(&said.reasoning).with_content(&said.content);
        for (call, id) in said.calls.iter().zip(&ids) {
            rendering = rendering.with_identified_call(&call.name, &call.arguments, id);
        }
        let renderer = Renderer::new(&self.dialect, &self.tools).with_check(false);
        renderer.render(&rendering).map_err(|error| error.to_string())
    }

    /// Decides who is at fault for a misread turn: the template, if it writes the misread message identically.
    fn blamed(&self, turn: &Turn, message: &Message) -> Row {
        let read = Said::from(message);
        if read != turn.written && !read.calls.is_empty() && is_clean(message) {
            let again = self.probes.turn(&read);
            if again.is_ok_and(|again| again.text == turn.text) {
                let why = "the template writes another message identically".to_owned();
                return Row::Lossy { why };
            }
        }
        Row::Misread { read: described(message) }
    }
}

/// The number of markers that may follow the content of a turn.
const DEEPEST_END: usize = 4;

impl Fit {
    /// The order of results: how much was read, how much is equal, and how little was removed as the end of a turn.
    pub(crate) fn score(&self) -> (usize, usize, Reverse<usize>) {
        let read = self.count(|row| !matches!(row, Row::Misread { .. }));
        (read, self.count(Row::is_equal), Reverse(self.cut))
    }

    pub(crate) fn count(&self, is: impl Fn(&Row) -> bool) -> usize {
        self.rows.iter().filter(|row| is(row)).count()
    }
}

impl Row {
    pub(crate) fn is_equal(&self) -> bool {
        matches!(self, Self::Read { difference: None, .. })
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self, Self::Read { .. })
    }
}

/// Whether the only repairs are for deliberate output of templates: a printed list or `True` is Python.
pub(crate) fn is_clean(message: &Message) -> bool {
    message.diagnostics.iter().all(|found| HARMLESS.contains(&found.code))
}

const HARMLESS: [Code; 3] = [Code::SingleQuotes, Code::PythonLiteral, Code::NearMiss];

fn described(message: &Message) -> String {
    let calls = message.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    let mut parts: Vec<String> = calls.collect();
    parts.extend(message.incomplete.iter().map(|call| format!("{}(…), incomplete", call.name)));
    for (what, text) in [("text", &message.content), ("reasoning", &message.reasoning)] {
        if !text.trim().is_empty() {
            parts.push(format!("{what} {:?}", shown(text.trim())));
        }
    }
    parts.extend(message.diagnostics.iter().take(2).map(|found| format!("{}: {}", found.code.name(), found.message)));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
}

pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn first_difference(template: &str, dialect: &str) -> Option<Difference> {
    let at = common_start(template, dialect);
    if at == template.len() && at == dialect.len() {
        return None;
    }
    // A little of what is alike shows the place.
    let from = template[..at].char_indices().rev().nth(11).map_or(0, |(from, _)| from);
    Some(Difference { template: shown(&template[from..]), dialect: shown(&dialect[from.min(dialect.len())..]) })
}
