//! Writes the derived parts as a dialect file.

use toolglot_json::Value;

use super::body::{BodyKind, Found, Types};
use super::{Around, ID_MARK, INDEX, KEY, NAME};
use crate::fit::Frame;
use crate::markers::markers;
use crate::probe::{CONTENT, Probes};

/// The parts of a file.
pub(super) struct DialectFile<'d> {
    pub(super) probes: &'d Probes,
    pub(super) frame: Option<&'d Frame>,
    pub(super) about: &'d str,
    pub(super) text: &'d str,
    pub(super) found: &'d Found,
    pub(super) around: Around,
}

impl DialectFile<'_> {
    /// The file, and its variants: with the text in its wrapper, with values as the template escapes them.
    pub(super) fn variants(&self) -> Vec<String> {
        let mut files = Vec::new();
        for skip in [None, self.header()] {
            for content in [self.content(), None] {
                for reasoning in [self.reasoning(true), self.reasoning(false)] {
                    let file = self.lines(content.as_deref(), reasoning.as_deref(), skip);
                    if !files.contains(&file) {
                        files.push(file);
                    }
                }
            }
        }
        files
    }

    /// The text that the template writes before every part of a turn: it separates calls, and the prompt ends with it.
    fn header(&self) -> Option<&str> {
        let join = self.around.join.trim();
        let is_header = !join.is_empty() && self.probes.prompt().trim_end().ends_with(join);
        is_header.then_some(join)
    }

    fn lines(&self, content: Option<&str>, reasoning: Option<&str>, skip: Option<&str>) -> String {
        let call = format!("{}{}{}", pattern(&self.around.call.0), self.core(), pattern(&self.around.call.1));
        let (open, close) = &self.around.section;
        let has_section = !open.trim().is_empty() || !close.trim().is_empty();
        let section = format!("{}{{calls}}{}", pattern(open.trim_start()), pattern(close.trim_end()));
        let call = if has_section { call } else { call.trim().to_owned() };
        let mut lines = vec![line("about", &self.about)];
        let literals = [section.as_str(), &call, reasoning.unwrap_or_default()].concat();
        let special: Vec<&String> =
            self.probes.special.iter().filter(|token| literals.contains(token.as_str())).collect();
        if !special.is_empty() {
            let list: Vec<String> = special.iter().map(|token| quoted(token)).collect();
            lines.push(format!("special = [{}]", list.join(", ")));
        }
        // What is skipped between the parts belongs to none of them.
        let apart = |pattern: &str| match skip.map(escaped) {
            Some(skip) => pattern.replace(&skip, ""),
            None => pattern.to_owned(),
        };
        lines.extend(reasoning.map(|pattern| line("reasoning", &apart(pattern))));
        lines.extend(content.map(|pattern| line("content", &apart(pattern))));
        lines.extend(skip.map(|skip| line("skip", skip)));
        if has_section {
            lines.push(line("section", &section));
        }
        lines.push(line("call", &call));
        lines.extend(self.body_lines(&call));
        if self.around.join != "\n" && self.found.cores.len() > 1 {
            lines.push(line("join", &self.around.join));
        }
        lines.join("\n") + "\n"
    }

    /// From the name to the body, whichever comes first.
    fn core(&self) -> String {
        let core = &self.found.cores[0];
        let hole = self.hole();
        if core.name.is_empty() {
            return hole;
        }
        let name = pattern(&self.text[core.name.clone()]);
        if core.name.end <= core.body.start {
            return format!("{name}{}{hole}", pattern(&self.text[core.name.end..core.body.start]));
        }
        format!("{hole}{}{name}", pattern(&self.text[core.body.end..core.name.start]))
    }

    fn hole(&self) -> String {
        match &self.found.kind {
            BodyKind::Call { .. } => "{call}",
            BodyKind::Arguments => "{arguments}",
            BodyKind::Kwargs => "{kwargs}",
            BodyKind::Object { .. } => "{object}",
            BodyKind::Params { .. } => "{params}",
        }
        .to_owned()
    }

    fn body_lines(&self, call: &str) -> Vec<String> {
        let mut lines = Vec::new();
        match &self.found.kind {
            BodyKind::Call { name, arguments, id } => {
                let mut members = Vec::new();
                if (name.as_str(), arguments.as_str()) != ("name", "arguments") {
                    members.push(format!("name = [{}], arguments = [{}]", quoted(name), quoted(arguments)));
                }
                members.extend(id.as_ref().map(|id| format!("id = [{}]", quoted(id))));
                if !members.is_empty() {
                    lines.push(format!("json = {{ {} }}", members.join(", ")));
                }
            }
            BodyKind::Params { params, types } => {
                let value = format!("{{value{}}}", self.options());
                let written = |param: &String| {
                    escaped(param).replace(KEY, "{key}").replace('\u{e004}', &value).replace('\u{e005}', "{type}")
                };
                let params: Vec<String> = params.iter().map(|param| quoted(&written(param))).collect();
                lines.push(match &params[..] {
                    [param] => format!("param = {param}"),
                    several => format!("param = [{}]", several.join(", ")),
                });
                lines.extend(types.as_ref().and_then(type_words));
            }
            BodyKind::Object { quote } => lines.push(line("quote", quote)),
            BodyKind::Arguments | BodyKind::Kwargs => {}
        }
        // Only ids that carry the name were marked where there is no name.
        if call.contains("{id}") && !call.contains("{name}") {
            lines.push(line("id", "functions.{name}:{index}"));
        }
        lines
    }

    /// How the template escapes a value with markup.
    fn options(&self) -> &'static str {
        let Some((_, turn)) = self.probes.find("quotes and brackets") else { return "" };
        match () {
            () if turn.text.contains("<![CDATA[") => ":trim,cdata",
            () if turn.text.contains("&lt;b&gt;") => ":entities",
            () => "",
        }
    }

    /// The text around reasoning, with or without its white space.
    fn reasoning(&self, is_exact: bool) -> Option<String> {
        let frame = self.frame?;
        let prompt = self.probes.prompt();
        let open = match frame.open.trim() {
            // The prompt has opened it: its last marker, or its last line.
            "" => match markers(prompt, &self.probes.special).pop() {
                Some(marker) if prompt[marker.end..].trim().is_empty() => &prompt[marker.start..],
                _ => prompt.trim_end().rsplit('\n').next().unwrap_or_default(),
            },
            _ => frame.open.trim_start(),
        };
        let (open, close) = (escaped(open), escaped(&frame.close));
        let is_frame = !open.trim().is_empty() && !close.trim().is_empty();
        let pattern = if is_exact {
            format!("{open}{{text}}{close}")
        } else {
            format!("{}{{text}}{}", open.trim(), close.trim())
        };
        is_frame.then_some(pattern)
    }

    /// The text around an answer, if it is a wrapper.
    fn content(&self) -> Option<String> {
        let (_, turn) = self.probes.find("text")?;
        let text = self.frame.map_or(turn.text.as_str(), |frame| frame.without(&turn.text, self.probes.prompt()));
        let at = text.find(CONTENT)?;
        let open = text[..at].trim_start();
        let behind = &text[at + CONTENT.len()..];
        let close = markers(behind, &self.probes.special).into_iter().next().map(|marker| &behind[..marker.end])?;
        (!open.trim().is_empty()).then(|| format!("{}{{text}}{}", escaped(open), escaped(close.trim_start())))
    }
}

fn type_words(types: &Types) -> Option<String> {
    let plain = (types.string.as_str(), types.integer.as_str(), types.other.as_str());
    let word = |name: &str, word: &str| format!("{name} = {}", quoted(word));
    match plain {
        ("string", "integer", "boolean") => None,
        ("string", integer, "boolean") => Some(format!("types = {{ {} }}", word("integer", integer))),
        (string, integer, other) if integer == other => {
            Some(format!("types = {{ {}, {} }}", word("string", string), word("other", other)))
        }
        (string, integer, other) => {
            let words = [word("string", string), word("integer", integer), word("other", other)];
            Some(format!("types = {{ {} }}", words.join(", ")))
        }
    }
}

/// A literal as a pattern: braces are doubled, and placeholders become holes.
fn pattern(literal: &str) -> String {
    escaped(literal).replace(NAME, "{name}").replace(ID_MARK, "{id}").replace(INDEX, "{index}")
}

fn escaped(literal: &str) -> String {
    literal.replace('{', "{{").replace('}', "}}")
}

fn line(key: &str, value: &(impl AsRef<str> + ?Sized)) -> String {
    format!("{key} = {}", quoted(value.as_ref()))
}

/// A TOML string.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = !text.contains(['\'', '\n', '\r', '\t']) && text.contains(['"', '\\']);
    if is_plain { format!("'{text}'") } else { Value::from(text).to_string() }
}
