//! The probe messages, and the turns that a template renders for them.

use minijinja::Value;
use toolglot::Tools;

use crate::alike::common_start;
use crate::markers::{markers, whole_before};
use crate::ordered;
use crate::said::{Said, Shape, map};
use crate::sandbox::Sandbox;
use crate::source::Template;

/// The tools of all probes: words that no template contains, described at every level, since macros read all of it.
pub(crate) const TOOLS: &str = r#"[
 {"type": "function", "function": {"name": "qzfind_river", "description": "Finds a river.", "parameters": PARAMETERS}},
 {"type": "function", "function": {"name": "qzread_note", "description": "Reads a note.", "parameters": PARAMETERS}}]"#;

const PARAMETERS: &str = r#"{"type": "object", "description": "All parameters.", "required": [], "additionalProperties": false, "properties": {
 "qzcity": {"type": "string", "description": "A city."}, "qznote": {"type": "string", "description": "A note."},
 "qzdays": {"type": "integer", "description": "Days."}, "qzratio": {"type": "number", "description": "A ratio."},
 "qzexact": {"type": "boolean", "description": "Whether it is exact."},
 "qztags": {"type": "array", "description": "Tags.", "items": {"type": "string", "description": "A tag."}},
 "qzoptions": {"type": "object", "description": "Options.", "required": [], "additionalProperties": false,
   "properties": {"depth": {"type": "integer", "description": "A depth."}, "label": {"type": "string", "description": "A label."}}}}}"#;

pub(crate) const NAMES: [&str; 2] = ["qzfind_river", "qzread_note"];
pub(crate) const TEXTS: [(&str, &str); 4] =
    [("qzcity", "Zqparis"), ("qznote", "Zqlemon"), ("qzcity", "Zqoslo"), ("qznote", "Zqmelon")];
pub(crate) const CONTENT: &str = "Zqcontent to read";
pub(crate) const REASONING: &str = "Zqreasons to think";
const USER: &str = "Zquser asks.";

/// Returns the tools as JSON text.
pub(crate) fn tools_json() -> String {
    TOOLS.replace("PARAMETERS", PARAMETERS)
}

/// Returns the tools for the parser.
pub(crate) fn tools() -> Tools {
    Tools::from_json_str(&tools_json()).unwrap_or_default()
}

/// A template with its rendered probes.
pub(crate) struct Probes {
    sandbox: Sandbox,
    pub(crate) shape: Shape,
    pub(crate) special: Vec<String>,
    /// The conversation before the turn.
    asked: String,
    /// The same, with the prompt to answer.
    prompted: String,
    /// The beginning of every turn, for templates without a prompt.
    header: String,
    /// The text after an answer without calls.
    pub(crate) end: String,
    /// All probes.
    pub(crate) rows: Vec<Probe>,
}

/// One probe.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) what: &'static str,
    pub(crate) said: Said,
    pub(crate) turn: Result<Turn, String>,
}

/// The turn that a template renders for one assistant's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// From the prompt to the end.
    pub(crate) text: String,
    /// The same, if the template writes calls next to text as a separate message.
    pub(crate) apart: Option<String>,
    /// The turn follows the whole prompt, and therefore what that has opened.
    pub(crate) is_prompted: bool,
    /// The message that the template wrote, without the parts that it drops.
    pub(crate) written: Said,
}

/// Why a template yields no probes.
pub(crate) type Refused = String;

impl Probes {
    /// Runs a template with all probes.
    pub(crate) fn new(template: &Template) -> Result<Self, Refused> {
        let sandbox = Sandbox::new(template)?;
        let special = template.special().to_vec();
        let render = |prompt| conversation(&sandbox, None, prompt);
        let (asked, prompted) = (render(false)?, render(true)?);
        let mut probes = Self {
            sandbox,
            shape: Shape::all().next().ok_or("no shape")?,
            special,
            asked,
            prompted,
            header: String::new(),
            end: String::new(),
            rows: Vec::new(),
        };
        probes.shape = probes.best_shape();
        probes.header = probes.header();
        let text = probes.turn(&Said::default().content(CONTENT)).map(|turn| turn.text).unwrap_or_default();
        probes.end = text.rfind(CONTENT).map(|at| text[at + CONTENT.len()..].to_owned()).unwrap_or_default();
        probes.rows = catalogue().into_iter().map(|(what, said)| probes.row(what, said)).collect();
        Ok(probes)
    }

    pub(crate) fn row(&self, what: &'static str, said: Said) -> Probe {
        let turn = self.turn(&said);
        Probe { what, said, turn }
    }

    pub(crate) fn find(&self, what: &str) -> Option<(&Probe, &Turn)> {
        let probe = self.rows.iter().find(|probe| probe.what == what)?;
        Some((probe, probe.turn.as_ref().ok()?))
    }

    /// The text that the prompt adds after the conversation: the assistant's header, and what it opens for the model.
    pub(crate) fn prompt(&self) -> &str {
        self.prompted.strip_prefix(self.asked.as_str()).unwrap_or_default()
    }

    /// Renders one turn, in the template's message shape.
    pub(crate) fn turn(&self, said: &Said) -> Result<Turn, Refused> {
        self.turn_in(self.shape, said)
    }

    fn turn_in(&self, shape: Shape, said: &Said) -> Result<Turn, Refused> {
        let whole = conversation(&self.sandbox, Some(shape.message(said)), false)?;
        let (start, is_prompted) = self.start(&whole, said);
        let start = self.without_header(&whole, start);
        let text = whole[start..].strip_prefix(self.header.as_str()).unwrap_or(&whole[start..]);
        let (one, written) = (self.in_one_turn(text, said), written(text, said));
        let apart = (one != text).then(|| text.to_owned());
        Ok(Turn { text: one, apart, is_prompted, written })
    }

    /// Without a prompt: the common beginning of a turn with text and one with calls.
    fn header(&self) -> String {
        let turn = |said: &Said| self.turn(said).map(|turn| turn.text).unwrap_or_default();
        let (text, calls) = (turn(&Said::default().content(CONTENT)), turn(&two_calls()));
        if !self.prompt().is_empty() || text.is_empty() || calls.is_empty() {
            return String::new();
        }
        let common = common_start(&text, &calls);
        let cut = whole_before(&text, common, &self.special).min(whole_before(&calls, common, &self.special));
        text[..cut].to_owned()
    }

    /// Some templates write calls next to text as a separate turn: the end of the text's turn, and the prompt again.
    fn in_one_turn(&self, text: &str, said: &Said) -> String {
        let (end, header) = (self.end.trim(), self.prompt().trim().lines().next().unwrap_or_default());
        let is_split = !said.content.is_empty() && !said.calls.is_empty() && !end.is_empty() && !header.is_empty();
        let said = text.find(said.content.trim()).filter(|_| is_split);
        let place = said.and_then(|said| Some(said + text[said..].find(end)?));
        let rest = place.and_then(|at| text[at + end.len()..].trim_start().strip_prefix(header));
        match (place, rest) {
            (Some(at), Some(rest)) => format!("{}{rest}", &text[..at]),
            _ => text.to_owned(),
        }
    }

    /// Some templates repeat the header of an assistant's message before calls.
    fn without_header(&self, whole: &str, start: usize) -> usize {
        let header = markers(self.prompt(), &self.special).into_iter().next().map(|marker| &self.prompt()[marker]);
        let rest = whole[start..].trim_start();
        header.and_then(|header| rest.strip_prefix(header)).map_or(start, |rest| whole.len() - rest.len())
    }

    /// The start of the turn.
    fn start(&self, whole: &str, said: &Said) -> (usize, bool) {
        if whole.starts_with(&self.prompted) && self.prompted.len() > self.asked.len() {
            return (self.prompted.len(), true);
        }
        let common = common_start(whole, &self.prompted);
        let cut = whole_before(whole, common, &self.special).min(whole_before(&self.prompted, common, &self.special));
        if cut >= self.asked.len() {
            return (cut, false);
        }
        // The template rewrites what precedes: the last marker of the prompt is sought in front of the message.
        let first = first_sentinel(whole, said).unwrap_or(whole.len());
        let header =
            markers(&self.prompted, &self.special).pop().map(|marker| self.prompted[marker.start..].trim_end());
        let found = header.and_then(|header| Some(whole[..first].rfind(header)? + header.len()));
        (found.unwrap_or(cut.min(first)), false)
    }

    /// The message shape with which the template writes most of a message.
    fn best_shape(&self) -> Shape {
        let said = Said::default().content(CONTENT).reasoning(REASONING);
        let (one, both) = (two_calls(), said.clone());
        let plain = two_calls().reasoning(REASONING);
        let score = |shape: Shape| {
            let text = |said: &Said| self.turn_in(shape, said).map(|turn| turn.text).unwrap_or_default();
            let (calls, reasoned, all) = (text(&one), text(&both), text(&plain));
            let mut score = 0_i32;
            for name in NAMES {
                score += 8 * i32::from(calls.contains(name));
            }
            for (key, value) in TEXTS {
                score += 4 * i32::from(calls.contains(key) && calls.contains(value));
            }
            score += i32::from(reasoned.contains(REASONING)) + i32::from(all.contains(REASONING));
            score += 2 * i32::from(!shape.named_ids);
            // Encoded twice, or printed by Python, where an object replaces text.
            score -= 24 * i32::from(calls.contains("\\\"qzcity"));
            score -= 24 * i32::from(calls.contains("'{\"qzcity\""));
            score -= 20 * i32::from(!shape.arguments_as_text && calls.contains("{'qzcity'"));
            score
        };
        // The first of the best.
        let mut best = (i32::MIN, self.shape);
        for shape in Shape::all() {
            let found = score(shape);
            if found > best.0 {
                best = (found, shape);
            }
        }
        best.1
    }
}

/// Renders the conversation: a question, and optionally the assistant's turn or the prompt for it.
fn conversation(sandbox: &Sandbox, turn: Option<Value>, prompt: bool) -> Result<String, Refused> {
    let tools = tools_json();
    let declared = ordered::value(&tools);
    let user = map([("role", Value::from("user")), ("content", Value::from(USER))]);
    let messages: Value = std::iter::once(user).chain(turn).collect();
    sandbox.render(&[
        ("messages", messages),
        ("tools", declared),
        ("functions", Value::from(tools)),
        ("add_generation_prompt", Value::from(prompt)),
    ])
}

/// The parts of a message that occur in its turn: templates drop reasoning, ids, all calls but the first.
fn written(text: &str, said: &Said) -> Said {
    let stands = |part: &str| {
        let part = part.trim();
        let head: String = part.chars().take(24).collect();
        part.is_empty() || text.contains(head.trim_end())
    };
    let mut at = 0;
    let calls = said.calls.iter().filter(|call| {
        let found = text[at..].find(&call.name);
        at += found.map_or(0, |found| found + call.name.len());
        found.is_some()
    });
    Said {
        reasoning: if stands(&said.reasoning) { said.reasoning.clone() } else { String::new() },
        content: if stands(&said.content) { said.content.clone() } else { String::new() },
        calls: calls.cloned().collect(),
    }
}

fn first_sentinel(text: &str, said: &Said) -> Option<usize> {
    let words = [said.content.as_str(), said.reasoning.as_str()].into_iter();
    let names = said.calls.iter().map(|call| call.name.as_str());
    words.chain(names).filter(|word| !word.is_empty()).filter_map(|word| text.rfind(word)).min()
}

fn two_calls() -> Said {
    let arguments = |texts: &[(&str, &str)]| {
        format!("{{\"{}\": \"{}\", \"{}\": \"{}\"}}", texts[0].0, texts[0].1, texts[1].0, texts[1].1)
    };
    Said::default().call(NAMES[0], &arguments(&TEXTS[..2])).call(NAMES[1], &arguments(&TEXTS[2..]))
}

/// The names and contents of the probes.
fn catalogue() -> Vec<(&'static str, Said)> {
    let said = Said::default;
    let one = |arguments: &str| said().call(NAMES[0], arguments);
    vec![
        ("text", said().content(CONTENT)),
        ("reasoning and text", said().content(CONTENT).reasoning(REASONING)),
        ("two calls", two_calls()),
        ("one call", one(r#"{"qzcity": "Zqparis", "qznote": "Zqlemon"}"#)),
        ("text and two calls", two_calls().content(CONTENT)),
        ("reasoning and two calls", two_calls().reasoning(REASONING)),
        ("reasoning, text and two calls", two_calls().reasoning(REASONING).content(CONTENT)),
        ("one parameter", one(r#"{"qzcity": "Zqparis"}"#)),
        (
            "all types",
            one(
                r#"{"qzcity": "Zqparis", "qzdays": 3, "qzratio": 0.5, "qzexact": true, "qztags": ["Zqa", "Zqb"], "qzoptions": {"depth": 1, "label": "Zqc"}}"#,
            ),
        ),
        ("an integer and a boolean", one(r#"{"qzdays": 71, "qzexact": false}"#)),
        ("no arguments", one("{}")),
        ("an empty string", one(r#"{"qzcity": "", "qzdays": 3}"#)),
        ("quotes and brackets", one(r#"{"qzcity": "say \"hi\", {x: [1]} <b> & it's\tok"}"#)),
        ("several lines", one(r#"{"qzcity": "Zqone\n  Zqtwo\n\nZqthree", "qznote": "Zqlemon"}"#)),
        ("line breaks around", one(r#"{"qzcity": "\nZqparis\n", "qznote": "Zqlemon"}"#)),
        ("a back slash and other letters", one(r#"{"qzcity": "C:\\new\\table é 世 😀"}"#)),
        ("a string that looks like a number", one(r#"{"qzcity": "42", "qznote": "true"}"#)),
    ]
}
