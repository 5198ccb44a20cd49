//! Dialect files made from an example: a model's answer, including prose around its calls, and the calls expected.

use std::ops::Range;

use toolglot::{Dialect, Dialects, Example, Message, Options, SketchError, Tools, parse, sketch};
use toolglot_json::{Value as Json, json};

use crate::derive::quoted;
use crate::markers::markers;

/// An answer and the calls that should be read from it.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// The answer's text.
    pub text: &'a str,
    /// The name and the JSON arguments of each call.
    pub calls: Vec<(&'a str, &'a str)>,
}

/// A dialect file made from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// The file's text.
    pub source: String,
    /// Whether it reads the whole answer, with the prose around the calls as text.
    pub reads_answer: bool,
}

impl Answer<'_> {
    /// Makes the dialect file `name`. Prose around the calls does not become part of a pattern.
    ///
    /// # Errors
    /// If no dialect that was tried reads the calls back.
    pub fn draft(&self, name: &str, about: &str, strong: bool) -> Result<Draft, SketchError> {
        let (mut nearest, mut read) = (None, None);
        for part in self.parts() {
            let example = Example::new(&self.text[part.clone()]).with_about(about).with_strong(strong);
            let example = self.calls.iter().fold(example, |all, (name, arguments)| all.with_call(name, arguments));
            match sketch(name, &example) {
                Ok(source) => {
                    let draft = Draft { reads_answer: self.is_read_by(name, &source), source };
                    if draft.reads_answer {
                        return Ok(draft);
                    }
                    read = read.or(Some(draft));
                }
                Err(error) => nearest = nearest.or(Some(error)),
            }
            let separated = self.separated(part, about, strong).unwrap_or_default();
            if let Some(source) = separated.into_iter().find(|source| self.is_read_by(name, source)) {
                return Ok(Draft { source, reads_answer: true });
            }
        }
        read.ok_or_else(|| nearest.unwrap_or(SketchError::NotFound))
    }

    /// Parses the answer with a dialect; the tools of the calls are declared.
    pub fn read(&self, dialect: &Dialect) -> Message {
        let declared: Vec<Json> = self.calls.iter().map(|(name, _)| json!({"name": name})).collect();
        let tools = Tools::from_json(&(&Json::Array(declared)).into()).unwrap_or_default();
        parse(self.text, &Dialects::from(dialect.clone()), &tools, &Options::default())
    }

    /// Returns whether a message has the expected calls.
    pub fn is(&self, message: &Message) -> bool {
        let same = |((name, arguments), call): (&(&str, &str), &toolglot::Call)| {
            let meant = if arguments.trim().is_empty() { "{}" } else { arguments };
            let (meant, read) = (toolglot_json::from_str(meant), toolglot_json::from_str(&call.arguments));
            *name == call.name && meant.ok() == read.ok()
        };
        message.calls.len() == self.calls.len() && self.calls.iter().zip(&message.calls).all(same)
    }

    fn is_read_by(&self, name: &str, source: &str) -> bool {
        Dialect::from_toml(name, source).is_ok_and(|dialect| self.is(&self.read(&dialect)))
    }

    /// The parts of the text to try: without the prose around the calls, then all of it.
    fn parts(&self) -> Vec<Range<usize>> {
        let whole = 0..self.text.len();
        let Some(first) = self.calls.first().and_then(|(name, arguments)| first_place(self.text, name, arguments))
        else {
            return vec![whole];
        };
        let last = self.calls.last().map_or(first, |(name, arguments)| last_place(self.text, name, arguments));
        let tight = prose_before(self.text, first)..prose_behind(self.text, last);
        if tight == whole { vec![whole] } else { vec![tight, whole] }
    }

    /// Returns the files to try for parameters with a separator between them, such as `a=1;;b=2`.
    fn separated(&self, part: Range<usize>, about: &str, strong: bool) -> Option<Vec<String>> {
        let text = self.text[part].trim();
        let (name, arguments) = self.calls.iter().find(|(_, arguments)| arguments.matches(':').count() > 1)?;
        let arguments: toolglot_json::Map = serde_json::from_str(arguments).ok()?;
        let (mut at, mut places) = (text.find(name)? + name.len(), Vec::new());
        let name_end = at;
        for (key, value) in &arguments {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let key_at = at + text[at..].find(key.as_str())?;
            let value_at = key_at + key.len() + text[key_at + key.len()..].find(&value)?;
            places.push((key_at..key_at + key.len(), value_at..value_at + value.len()));
            at = value_at + value.len();
        }
        let [(first_key, first_value), (next_key, _), ..] = &places[..] else { return None };
        let (first, separator) = (&text[name_end..first_key.start], &text[first_value.end..next_key.start]);
        let middle = &text[first_key.end..first_value.start];
        let param = |before: &str| quoted(&format!("{}{{key}}{}{{value}}", braces(before), braces(middle)));
        let close = text[at..].lines().next().unwrap_or_default();
        let (hole, params) = match first == separator {
            true => ("{params}", param(separator)),
            false => ("{params:between}", format!("[{}, {}]", param(separator), param(first))),
        };
        let call = format!("{}{{name}}{hole}{}", braces(&text[..name_end - name.len()]), braces(close));
        let file = |strong: &str| {
            format!("about   = {}\n{strong}call    = {}\nparam   = {params}\n", quoted(about), quoted(&call))
        };
        // A marker that is strong by its shape must not be listed.
        let opener: String = text[..name_end - name.len()].split_whitespace().collect();
        let listed = strong.then(|| file(&format!("strong  = [{}]\n", quoted(&opener))));
        Some(listed.into_iter().chain([file("")]).collect())
    }
}

fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The position of the first call's name that is nearest to its arguments: prose may contain the word, too.
fn first_place(text: &str, name: &str, arguments: &str) -> Option<usize> {
    let members: Option<toolglot_json::Map> = serde_json::from_str(arguments).ok();
    let key = members.and_then(|members| members.keys().next().cloned());
    let Some(key) = key else { return text.find(name) };
    let places = text.match_indices(name).map(|(at, _)| at);
    let near = places.filter_map(|at| Some((text[at + name.len()..].find(&key)?, at)));
    near.min().map(|(_, at)| at).or_else(|| text.find(name))
}

/// The position of the last call's name or its last value, whichever comes later.
fn last_place(text: &str, name: &str, arguments: &str) -> usize {
    let name = text.rfind(name).map_or(0, |at| at + name.len());
    let members: Option<toolglot_json::Map> = serde_json::from_str(arguments).ok();
    let values = members.into_iter().flatten().flat_map(|(key, value)| [Some(key), value.as_str().map(str::to_owned)]);
    let spelled = values
        .flatten()
        .map(|value| text[name.min(text.len())..].find(value.trim()).map_or(0, |at| name + at + value.trim().len()));
    spelled.max().unwrap_or(0).max(name)
}

/// Whether a line is prose: most of its words consist of letters, and it has no marker.
fn is_prose(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let plain = words.iter().filter(|word| is_word(word)).count();
    let is_sentence = words.len() >= 2 || line.trim_end().ends_with(['.', '!', '?']);
    markers(line, &[]).is_empty() && is_sentence && plain == words.len() && plain > 0
}

/// A word of prose, with the punctuation that may follow it.
fn is_word(word: &str) -> bool {
    let bare = word.trim_start_matches(['"', '(', '*', '_', '\'']);
    let bare = bare.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '"', '*', '_', '\'', '…']);
    !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || "'’-".contains(c))
}

/// The start of the first call's text: after lines of prose, and after the prose of its own line.
fn prose_before(text: &str, first: usize) -> usize {
    let mut start = 0;
    for line in text[..first].split_inclusive('\n') {
        let is_left_out = line.trim().is_empty() || (is_prose(line) && line.ends_with('\n'));
        if !is_left_out {
            break;
        }
        start += line.len();
    }
    // In the same line: the words before the first other character.
    let line = &text[start..first];
    let mut at = start;
    for word in line.split_inclusive(char::is_whitespace) {
        if !is_word(word.trim()) {
            let is_sentence = line[..at - start].split_whitespace().count() >= 2
                || text[start..at].trim_end().ends_with(['.', '!', ':', ',']);
            return if is_sentence { at } else { start };
        }
        at += word.len();
    }
    start
}

/// The end of the last call's text: before lines of prose.
fn prose_behind(text: &str, last: usize) -> usize {
    let line_end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let mut end = line_end;
    for line in text[line_end..].split_inclusive('\n') {
        if is_prose(line) {
            break;
        }
        end += line.len();
    }
    // After the closer, in its own line.
    let line = &text[last..line_end];
    let tail = markers(line, &[]).last().map(|marker| marker.end).filter(|at| is_prose(&line[*at..]));
    match tail {
        Some(at) if end == line_end => last + at,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolglot::{Dialect, Renderer, Rendering, Tools};

    use super::Answer;

    fn call(text: &str, calls: Vec<(&str, &str)>) -> String {
        let draft = Answer { text, calls }.draft("mine", "mine", true).unwrap();
        draft.source.lines().find(|line| line.starts_with("call")).unwrap().to_owned()
    }

    #[test]
    fn prose_is_no_part_of_the_pattern() {
        let brew = vec![("brew", r#"{"tea": "oolong"}"#)];
        let wanted = "call    = \"@@run {name} {arguments} @@end\"";
        for text in [
            "@@run brew {\"tea\": \"oolong\"} @@end",
            "Sure, let me look that up for you: @@run brew {\"tea\": \"oolong\"} @@end\nHope that helps!\n",
            "Sure!\nI will brew some tea for you.\n\n@@run brew {\"tea\": \"oolong\"} @@end\n",
        ] {
            assert_eq!(call(text, brew.clone()), wanted, "{text}");
        }
        let tagged = "Of course. <act>brew</act><with>{\"tea\": \"oolong\"}</with> Done in a minute.";
        assert_eq!(call(tagged, brew), "call    = \"<act>{name}</act><with>{arguments}</with>\"");
    }

    #[test]
    fn parameters_between_separators_are_written_as_they_stand() {
        let calls = vec![("find", r#"{"city": "Paris", "note": "Lemon"}"#)];
        let draft =
            Answer { text: "Sure: <c>find|city=Paris;;note=Lemon</c>", calls }.draft("mine", "mine", false).unwrap();
        assert!(draft.reads_answer);
        assert!(draft.source.contains("param   = [\";;{key}={value}\", \"|{key}={value}\"]"), "{}", draft.source);
        let dialect = Arc::new(Dialect::from_toml("mine", &draft.source).unwrap());
        let calls = Rendering::new().with_call("find", r#"{"city": "Paris", "note": "Lemon", "size": 3}"#);
        let text = Renderer::new(&dialect, &Tools::default()).render(&calls).unwrap();
        assert_eq!(text, "<c>find|city=Paris;;note=Lemon;;size=3</c>");
        let calls = vec![("find", r#"{"city": "Paris", "note": "Lemon"}"#)];
        let draft =
            Answer { text: "@@call find: city=Paris;;note=Lemon@@", calls }.draft("mine", "mine", true).unwrap();
        assert!(
            draft.source.contains("strong  = [\"@@call\"]\ncall    = \"@@call {name}{params:between}@@\""),
            "{}",
            draft.source
        );
    }
}
