//! Markers before a declared name or a call's JSON: those that no dialect has, and what they resemble; and those after
//! which no call can be read.

use std::ops::Range;
use std::sync::Arc;

use super::{EmptyMessage, HiddenCall, MissReason, NearMiss};
use crate::dialect::{Dialects, HeadPart, Hole, distance};
use crate::tool::{Tool, Tools};

/// A marker that no dialect has.
pub(super) struct UnknownMarker {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// The marker of a dialect that it resembles, or is, if that dialect is not enabled.
    pub(super) like: Option<(String, Arc<str>)>,
}

/// Returns the first tag or token before a call that is not a marker.
pub(super) fn unknown(text: &str, dialects: &Dialects, tools: &Tools) -> Option<UnknownMarker> {
    let (known, others) = (markers(dialects), markers(&Dialects::builtin()));
    markup(text).take(MOST).find_map(|span| {
        let marker = text.get(span.clone())?;
        let behind = text.get(span.end..)?;
        let behind = &behind[..super::places::floor(behind, REACH)];
        let is_known = |known: &str| known.starts_with(marker) || begins_with(marker, known);
        if !names_a_call(behind, tools) || known.iter().any(|(known, _)| is_known(known)) {
            return None;
        }
        let found = |like| Some(UnknownMarker { text: marker.to_owned(), span: span.clone(), like });
        if let Some(other) = others.iter().find(|(other, _)| other.trim_end_matches(['=', ' ']) == marker) {
            return found(Some((marker.to_owned(), Arc::clone(&other.1))));
        }
        let like = known.iter().map(|(known, dialect)| (distance(marker, known), known, dialect));
        let like = like.min_by_key(|(distance, _, _)| *distance);
        let like = like.filter(|(distance, _, _)| *distance <= (marker.chars().count() / 3).max(2));
        let is_telling =
            ["call", "tool", "func", "invoke", "action"].iter().any(|word| marker.to_lowercase().contains(word));
        let is_around = || marker.ends_with('>') && encloses(marker, behind, tools);
        let like = like.map(|(_, known, dialect)| (known.clone(), Arc::clone(dialect)));
        if like.is_some() || is_telling || is_around() { found(like) } else { None }
    })
}

/// Returns whether a tag is around the JSON of a call to a declared tool.
fn encloses(tag: &str, behind: &str, tools: &Tools) -> bool {
    let names = super::places::json_names(behind);
    names.iter().any(|name| tools.resolve(name).is_some()) && behind.contains(&tag.replacen('<', "</", 1))
}

/// Returns whether a marker begins with a known one that is not merely the beginning of its word.
fn begins_with(marker: &str, known: &str) -> bool {
    let is_word = |text: Option<char>| text.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    marker.strip_prefix(known).is_some_and(|rest| !is_word(known.chars().next_back()) || !is_word(rest.chars().next()))
}

/// Returns the first tool name that is soon followed by one of the tool's parameters and a value, and their position.
pub(super) fn unmarked<'t>(text: &str, tools: &'t Tools) -> Option<(&'t str, &'t str, Range<usize>)> {
    tools.ids().map(|id| tools.get(id)).find_map(|tool| {
        let properties = tool.schema.as_ref()?.root().properties();
        words(text, &tool.name).take(MOST).find_map(|name| {
            let behind = &text[name.end..];
            let behind = &behind[..super::places::floor(behind, REACH / 2)];
            let is_given =
                |key: &Range<usize>| behind[key.end..].trim_start_matches(['"', '\'', ' ']).starts_with(['=', ':']);
            properties.iter().find_map(|parameter| {
                let key = words(behind, parameter).find(is_given)?;
                Some((&*tool.name, parameter.as_str(), name.start..name.end + key.end))
            })
        })
    })
}

/// Returns the places of a whole word.
fn words<'w>(text: &'w str, word: &'w str) -> impl Iterator<Item = Range<usize>> + 'w {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let places = text.match_indices(word).map(|(at, word)| at..at + word.len());
    places.filter(move |place| !text[..place.start].ends_with(is_word) && !text[place.end..].starts_with(is_word))
}

/// The marker of a call that cannot be read.
pub(super) struct UnreadBody {
    pub(super) marker: String,
    pub(super) dialect: Arc<str>,
    /// From the marker to the fault in its JSON, or only the marker.
    pub(super) span: Range<usize>,
    /// The fault in its JSON.
    pub(super) fault: Option<ObjectFault>,
}

/// Returns the first marker of a dialect outside code that precedes what looks like a call.
pub(super) fn unreadable(text: &str, dialects: &Dialects, tools: &Tools) -> Option<UnreadBody> {
    let (known, code) = (markers(dialects), super::places::code(text));
    markup(text).take(MOST).find_map(|span| {
        let marker = text.get(span.clone())?;
        let behind = text.get(span.end..)?;
        let like = &behind[..super::places::floor(behind, REACH)];
        if !names_a_call(like, tools) || code.iter().any(|place| place.contains(&span.start)) {
            return None;
        }
        let dialect = known.iter().find(|(known, _)| known == marker).map(|known| Arc::clone(&known.1))?;
        let json = span.end + behind.len() - behind.trim_start().len();
        let members = dialects.get(&dialect).map(|dialect| &dialect.members.name[..]).unwrap_or_default();
        let fault = ObjectFault::find(text, json).or_else(|| ObjectFault::nameless(text, json, members));
        let end = fault.as_ref().map_or(span.end, |fault| fault.end(text));
        Some(UnreadBody { marker: marker.to_owned(), dialect, span: span.start..end, fault })
    })
}

/// The fault of a JSON object that should be a call.
pub(super) struct ObjectFault {
    at: usize,
    what: String,
}

impl ObjectFault {
    /// Returns the position and the kind of the fault in the object that begins at `start`.
    pub(super) fn find(text: &str, start: usize) -> Option<Self> {
        let object = text.get(start..).filter(|object| object.starts_with('{'))?;
        let error = first_value(object)?.err()?;
        let line: usize = object.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
        let told = error.to_string();
        let words = told.split(" at line ").next().unwrap_or_default();
        let what = match words.strip_prefix("EOF while parsing ") {
            Some(part) => format!("{part} that is not closed; the answer may be cut off"),
            None => words.to_owned(),
        };
        let at = match open_string(object).filter(|_| error.is_eof()) {
            Some(open) => start + open,
            None => super::places::floor(text, (start + line + error.column()).saturating_sub(1)),
        };
        Some(Self { at, what })
    }

    /// Returns the fault of an object at `start` that has none of the keys with which calls name their tool.
    fn nameless(text: &str, start: usize, keys: &[String]) -> Option<Self> {
        let object = text.get(start..).filter(|object| object.starts_with('{'))?;
        let value = first_value(object)?.ok()?;
        let names = |key: &str| value.get(key).is_some();
        let is_named = NAMES.iter().any(|key| names(key)) || keys.iter().any(|key| names(key));
        let expected = keys.first().filter(|_| !is_named)?;
        Some(Self { at: start, what: format!("no key `{expected}` with the tool's name") })
    }

    /// Returns the fault in words; `before` bytes of the text were omitted.
    pub(super) fn words(&self, before: usize) -> String {
        format!("is invalid at byte {}: {}", before + self.at, self.what)
    }

    fn end(&self, text: &str) -> usize {
        self.at + text[self.at..].chars().next().map_or(0, char::len_utf8)
    }
}

impl EmptyMessage<'_> {
    /// Finds a JSON object that is the whole text and matches the parameters of one declared tool.
    pub(super) fn nameless(&self) -> Option<NearMiss> {
        let start = self.text.len() - self.text.trim_start().len();
        let value = first_value(self.text.get(start..).filter(|text| text.starts_with('{'))?)?.ok()?;
        let given = value.as_object().filter(|given| !given.is_empty())?;
        let fits = |tool: &&Tool| {
            let root = tool.schema.as_ref().map(|schema| schema.root());
            root.is_some_and(|root| {
                let has_all = root.required().iter().all(|key| given.contains_key(key));
                has_all && given.keys().all(|key| root.properties().contains(key))
            })
        };
        let mut fitting = self.tools.ids().map(|id| self.tools.get(id)).filter(fits);
        let (Some(tool), None) = (fitting.next(), fitting.next()) else { return None };
        let words = format!(
            "looks like the arguments of `{}`, but the text does not name the tool; prompt the model to write its name",
            tool.name
        );
        let seen = HiddenCall { name: tool.name.to_string(), span: start..self.text.trim_end().len(), dialect: None };
        Some(self.miss(MissReason::UnknownMarker, &seen, words))
    }
}

/// Keys with which the JSON of any dialect may name a tool.
const NAMES: [&str; 5] = ["name", "function", "tool", "tool_name", "function_name"];

fn first_value(text: &str) -> Option<serde_json::Result<serde_json::Value>> {
    serde_json::Deserializer::from_str(text).into_iter().next()
}

/// Describes the unclosed string of a text, or the fault in its JSON after `at`; `before` bytes were omitted.
pub(super) fn fault(text: &str, around: Range<usize>, at: usize, before: usize) -> Option<String> {
    let text = &text[..around.end];
    if let Some(open) = open_string(&text[around.start..]) {
        return Some(format!("the string that begins at byte {} is not closed", before + around.start + open));
    }
    let fault = ObjectFault::find(text, at + text[at..].find('{')?)?;
    Some(format!("its JSON {}", fault.words(before)))
}

/// Returns where the last string of a text begins, if it is not closed.
fn open_string(text: &str) -> Option<usize> {
    let (mut open, mut escaped) = (None, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => open = if open.is_some() { None } else { Some(at) },
            _ => {}
        }
    }
    open
}

/// A tool's name in the place of a parameter's.
pub(super) struct MisplacedTool {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) span: Range<usize>,
    pub(super) dialect: Arc<str>,
    /// The opener with which the dialect begins a call to the tool.
    pub(super) call: String,
}

/// Returns the first parameter's opener that has the name of a declared tool instead of a parameter's.
pub(super) fn tool_as_parameter(text: &str, dialects: &Dialects, tools: &Tools) -> Option<MisplacedTool> {
    dialects.iter().find_map(|dialect| {
        let named = |head: &[HeadPart], hole| match head {
            [HeadPart::Literal(open), HeadPart::Hole(found), ..] if *found == hole && open.is_strong() => {
                Some(open.spellings.first()?.opener().trim().to_owned())
            }
            _ => None,
        };
        let call = dialect.calls.iter().find_map(|call| named(&call.head, Hole::Name))?;
        let open = dialect.params.iter().find_map(|param| named(&param.head, Hole::Key))?;
        let mut places = text.match_indices(&open).take(MOST);
        places.find_map(|(start, _)| {
            let name = &text[start + open.len()..];
            let name = &name[..name.find(|c: char| !is_name(c)).unwrap_or(name.len())];
            let end = start + open.len() + name.len();
            tools.resolve(name)?;
            let end = end + usize::from(text[end..].starts_with('>'));
            let shown = text[start..end].to_owned();
            let call = format!("{call}{}", &shown[open.len()..]);
            let dialect = Arc::clone(&dialect.name);
            Some(MisplacedTool { name: name.to_owned(), text: shown, span: start..end, dialect, call })
        })
    })
}

/// Markers that are examined; a text with more of them is markup.
const MOST: usize = 64;

/// The distance from a marker to a call's name.
const REACH: usize = 128;

/// Returns whether a call's name follows: a declared one, also as an attribute, or that in a call's JSON.
fn names_a_call(behind: &str, tools: &Tools) -> bool {
    let json = behind.trim_start().starts_with('{')
        && (["\"name", "\"function", "\"tool", "\"arguments\""].iter().any(|key| behind.contains(key))
            || tools.names().any(|name| behind.contains(&format!("\"{name}\""))));
    let (word, rest) = first_word(behind);
    let is_attribute = matches!(word, "name" | "tool" | "function") && rest.starts_with('=');
    let name = if is_attribute { first_word(rest).0 } else { word };
    json || tools.resolve(name).is_some()
}

/// Returns the first word of a text that is a possible name, and the text after it.
fn first_word(text: &str) -> (&str, &str) {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    start.split_at(start.find(|c: char| !is_name(c)).unwrap_or(start.len()))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Returns the places of opening tags, tokens in angle brackets, and words in capitals in square brackets.
fn markup(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(['<', '[', '@']).filter_map(|(start, open)| {
        let rest = &text[start..];
        let end = match open {
            "<" => {
                rest.find(['>', ' ', '\n', '{', '=', '"']).map(|end| end + usize::from(rest[end..].starts_with('>')))?
            }
            "[" => rest.find(']')? + 1,
            _ => rest.find([' ', '\n', '{', '(', '<', '"'])?,
        };
        let inside = rest[1..end].trim_end_matches(['>', ']']);
        let is_marker = match open {
            "[" => inside.len() > 2 && inside.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '/'),
            _ => inside.len() > 2 && !inside.starts_with(['/', '!', '?']) && end <= LONGEST,
        };
        is_marker.then_some(start..start + end)
    })
}

/// No marker of any dialect is longer.
const LONGEST: usize = 48;

/// Returns the openers of the dialects' sections and calls.
fn markers(dialects: &Dialects) -> Vec<(String, Arc<str>)> {
    let mut markers = Vec::new();
    for dialect in dialects {
        for pattern in dialect.sections.iter().chain(&dialect.calls) {
            let Some(HeadPart::Literal(literal)) = pattern.head.first() else { continue };
            let texts = literal.spellings.iter().map(|spelling| spelling.opener().trim().to_owned());
            markers.extend(texts.filter(|text| text.len() > 2).map(|text| (text, Arc::clone(&dialect.name))));
        }
    }
    markers
}
