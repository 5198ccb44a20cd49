//! Why no call was recognised: a finished message without calls is parsed again under other assumptions, and the first
//! assumption that produces a call is the reason.
//!
//! Takes a text, its message, and the settings of the first parse; returns at most one reason. This never runs while a
//! message is parsed: the caller asks once, at the end, and only for a message without calls.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialects;
use crate::event::EventKind;
use crate::message::Message;
use crate::options::{CallsInReasoning, Evidence, Options};
use crate::parser::Parser;
use crate::tool::Tools;

mod marker;
mod places;
mod unfinished;

/// Why a text that looks like a call was not read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MissReason {
    /// The text ends inside the call.
    CutOff,
    /// The call cannot be parsed to its end, or strict validation rejected it.
    Broken,
    /// The call is inside reasoning.
    InReasoning,
    /// The call is in a dialect that was not enabled.
    OtherDialect,
    /// The call is in a code span or a fence.
    InCode,
    /// The dialect needs declared tools, and there are none.
    NoTools,
    /// The tool is not declared.
    UnknownName,
    /// The marker is too weak for the call's position, such as the middle of a line.
    WeakMarker,
    /// No dialect has the marker.
    UnknownMarker,
}

impl MissReason {
    /// Returns the reason's name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::CutOff => "cut_off",
            Self::Broken => "broken",
            Self::InReasoning => "in_reasoning",
            Self::OtherDialect => "other_dialect",
            Self::InCode => "in_code",
            Self::NoTools => "no_tools",
            Self::UnknownName => "unknown_name",
            Self::WeakMarker => "weak_marker",
            Self::UnknownMarker => "unknown_marker",
        }
    }
}

/// A text that looks like a call, and why it was not read as one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NearMiss {
    /// The reason.
    pub reason: MissReason,
    /// A diagnostic with the code [`Code::NearMiss`]: the reason in words, and its position.
    pub diagnostic: Diagnostic,
    /// The tool that would be called, if known.
    pub tool: Option<String>,
}

/// Returns why no call was recognised in a text that looks like one; `None` for messages with calls, and for prose.
///
/// `message` is the result of [`parse`](crate::parse) with the same dialects, tools and options. The text is parsed
/// a bounded number of times; of a long text, only the last 64 KiB.
///
/// # Example
/// ```
/// use toolglot::{Dialects, MissReason, Options, Tools, near_miss, parse};
/// let (dialects, tools, options) = (Dialects::builtin(), Tools::default(), Options::default());
/// let text = r#"[get_weather(city="Paris")]"#;
/// let message = parse(text, &dialects, &tools, &options);
/// assert!(message.calls.is_empty());
/// let miss = near_miss(text, &message, &dialects, &tools, &options).unwrap();
/// assert_eq!(miss.reason, MissReason::NoTools);
/// assert!(miss.diagnostic.message.starts_with("looks like a call to `get_weather`, but no tools are declared"));
/// ```
pub fn near_miss(
    text: &str,
    message: &Message,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> Option<NearMiss> {
    if !message.calls.is_empty() || !text.bytes().any(|byte| SIGNS.contains(&byte)) {
        return None;
    }
    let start = places::window(text, WINDOW);
    let text = text.get(start..).unwrap_or_default();
    let options = options.clone().with_reasoning_open(false).with_marked_tokens(false);
    let options = options.with_finish_reason(Some(message.finish_reason));
    let case = EmptyMessage { text, start, message, dialects, tools, options: &options };
    case.unfinished().or_else(|| case.rejected()).or_else(|| case.first_of(&REASONS))
}

impl Message {
    /// Adds the diagnostic of [`near_miss`], if there is one. A call that began and did not end has its own
    /// diagnostic, and text that is not UTF-8 gets none.
    ///
    /// # Example
    /// ```
    /// use toolglot::{Dialects, Options, Tools, parse};
    /// let (dialects, options) = (Dialects::builtin(), Options::default());
    /// let tools = Tools::from_json_str(r#"[{"name": "ls"}]"#)?;
    /// let text = r#"<tool_call>{"name": "ls", "arguments": {"path" ~ "src"}}</tool_call>"#;
    /// let mut message = parse(text, &dialects, &tools, &options);
    /// message.add_near_miss(text.as_bytes(), &dialects, &tools, &options);
    /// assert_eq!(message.diagnostics[0].code.name(), "near_miss");
    /// # Ok::<(), toolglot::ToolsError>(())
    /// ```
    pub fn add_near_miss(
        &mut self,
        text: &[u8],
        dialects: &Dialects,
        tools: &Tools,
        options: &Options,
    ) -> Option<MissReason> {
        let text = str::from_utf8(text).ok().filter(|_| self.incomplete.is_empty())?;
        let miss = near_miss(text, self, dialects, tools, options)?;
        self.diagnostics.push(miss.diagnostic);
        Some(miss.reason)
    }
}

/// Like [`near_miss`], for a message parsed without tools, as if the tools that its JSON names were declared.
pub(crate) fn undeclared(text: &str, message: &Message, dialects: &Dialects, options: &Options) -> Option<NearMiss> {
    let names = places::json_names(text.get(places::window(text, WINDOW)..)?);
    let tools = Tools::default().with_names(names.into_iter().take(MOST_NAMES));
    let mut miss = near_miss(text, message, dialects, &tools, options).filter(|_| !tools.is_empty())?;
    miss.diagnostic.message += "; and no tools are declared";
    Some(miss)
}

/// Every call contains one of these; most prose contains none and costs nothing.
const SIGNS: &[u8] = b"<[{(:@`=";

/// At most this much of a text is parsed: a call is shorter, and fifty parses take milliseconds.
const WINDOW: usize = 64 << 10;

/// A message without calls, and what is known about it.
struct EmptyMessage<'c> {
    /// The end of the text, from `start` on.
    text: &'c str,
    start: usize,
    message: &'c Message,
    dialects: &'c Dialects,
    tools: &'c Tools,
    options: &'c Options,
}

/// A call that is found under another assumption.
struct HiddenCall {
    name: String,
    span: Range<usize>,
    dialect: Option<Arc<str>>,
}

/// The assumptions, most certain first.
const REASONS: [fn(&EmptyMessage<'_>) -> Option<NearMiss>; 7] = [
    |case| case.cut_off(),
    |case| case.in_reasoning(),
    |case| case.other_dialect(),
    |case| case.in_code(),
    |case| case.first_of(&OUTSIDE),
    |case| case.unmarked(),
    |case| case.nameless(),
];

/// The assumptions that are more specific than a call inside code.
const OUTSIDE: [fn(&EmptyMessage<'_>) -> Option<NearMiss>; 6] = [
    |case| case.escaped(),
    |case| case.unknown_marker(),
    |case| case.by_name(),
    |case| case.weak(),
    |case| case.tool_as_parameter(),
    |case| case.unreadable(),
];

impl EmptyMessage<'_> {
    /// Completes the text in the ways in which a call can continue.
    fn cut_off(&self) -> Option<NearMiss> {
        let text = self.text.trim_end();
        let header = text.get(places::window(text, HEADER)..).unwrap_or_default();
        if !header.contains(['<', '[', '{']) {
            return None;
        }
        ENDS.iter().find_map(|end| {
            let whole = format!("{text}{end}");
            let read = |tools: &Tools| self.read(&whole, self.dialects, tools, self.options);
            // The name may be cut off, too.
            let mut seen = read(self.tools).or_else(|| read(&Tools::default()))?;
            // A call that is whole without the added end was not cut off.
            if seen.span.end <= text.len() {
                return None;
            }
            seen.span = seen.span.start..text.len();
            let words = format!("the text ends inside a call to `{}`, before its arguments", seen.name);
            Some(self.miss(MissReason::CutOff, &seen, words))
        })
    }

    /// Reads the reasoning as if it were text.
    fn in_reasoning(&self) -> Option<NearMiss> {
        let reasoning = &self.message.reasoning;
        let at = self.text.find(reasoning.as_str()).filter(|_| !reasoning.is_empty())?;
        let mut seen = self.read(reasoning, self.dialects, self.tools, self.options)?;
        seen.span = at + seen.span.start..at + seen.span.end;
        let is_closed = self.message.diagnosed(Code::CallInReasoning).next().is_some();
        let name = &seen.name;
        let words = if is_closed || !self.message.content.trim().is_empty() {
            format!("a call to `{name}` is inside reasoning that closes later; it is treated as a draft")
        } else {
            let reads = |setting: &CallsInReasoning| {
                let options = self.options.clone().with_calls_in_reasoning(*setting);
                self.read(self.text, self.dialects, self.tools, &options).is_some()
            };
            let others = [CallsInReasoning::Wait, CallsInReasoning::End];
            let mut others = others.iter().filter(|setting| **setting != self.options.calls_in_reasoning);
            let advice = match others.find(|setting| reads(setting)) {
                Some(setting) => format!("set `calls_in_reasoning` to `{}`", setting.name()),
                None => "prompt the model to close its reasoning before a call".to_owned(),
            };
            format!("a call to `{name}` is inside reasoning that never closes; {advice}")
        };
        Some(self.miss(MissReason::InReasoning, &seen, words))
    }

    /// Parses with every built-in dialect.
    fn other_dialect(&self) -> Option<NearMiss> {
        let all = Dialects::builtin();
        if all.iter().all(|dialect| self.dialects.get(dialect.name()).is_some()) {
            return None;
        }
        let seen = self.read(self.text, &all, self.tools, self.options)?;
        let dialect = seen.dialect.clone()?;
        let words = format!(
            "looks like a call to `{}` in the dialect `{dialect}`, which is not enabled; add it, or use `auto`",
            seen.name
        );
        Some(self.miss(MissReason::OtherDialect, &seen, words))
    }

    /// Parses code as if it were text; faults outside code take precedence.
    fn in_code(&self) -> Option<NearMiss> {
        let code = places::code(self.text);
        let seen = code.iter().take(MOST_PLACES).find_map(|place| {
            let mut seen = self.read(self.text.get(place.clone())?, self.dialects, self.tools, self.options)?;
            seen.span = place.start + seen.span.start..place.start + seen.span.end;
            Some(seen)
        })?;
        let outside = places::without(self.text, &code);
        let case = EmptyMessage { text: &outside, ..*self };
        if let Some(miss) = case.first_of(&OUTSIDE) {
            return Some(miss);
        }
        let eager = self.options.clone().with_evidence(Evidence::Eager);
        let name = &seen.name;
        let undeclared = match self.tools.resolve(name) {
            None if !self.tools.is_empty() => format!("; the tool is not declared{}", self.declared_near(name)),
            _ => String::new(),
        };
        let advice = match self.read(self.text, self.dialects, self.tools, &eager) {
            Some(_) => "set `evidence` to `eager` if the model writes calls like this",
            None => "prompt the model to write its calls without a fence or back quotes",
        };
        let words = format!(
            "a call to `{name}` is inside Markdown code, which is quoted text and not a call; {advice}{undeclared}"
        );
        Some(self.miss(MissReason::InCode, &seen, words))
    }

    /// Parses the text without its HTML escapes.
    fn escaped(&self) -> Option<NearMiss> {
        let start = self.text.find("&lt;")?;
        let plain = ENTITIES.iter().fold(self.text.to_owned(), |text, (entity, sign)| text.replace(entity, sign));
        let mut seen = self.read(&plain, self.dialects, self.tools, self.options)?;
        seen.span = start..self.text.len();
        let words =
            format!("a call to `{}` is escaped for HTML (`&lt;`); find out what escapes the model's text", seen.name);
        Some(self.miss(MissReason::UnknownMarker, &seen, words))
    }

    /// Declares every word that may be a name.
    fn by_name(&self) -> Option<NearMiss> {
        let names = places::names(self.text).into_iter().filter(|name| self.tools.resolve(name).is_none());
        let tools = self.tools.with_names(names.take(MOST_NAMES));
        let options = self.options.clone().with_unknown_tool(crate::options::UnknownTool::Call);
        let seen = self.read(self.text, self.dialects, &tools, &options)?;
        if self.tools.resolve(&seen.name).is_some() {
            return None;
        }
        let name = &seen.name;
        if self.tools.is_empty() {
            let words = format!(
                "looks like a call to `{name}`, but no tools are declared; declare the tool to have this read as a call"
            );
            return Some(self.miss(MissReason::NoTools, &seen, words));
        }
        let words = format!("looks like a call to `{name}`, which is not declared{}", self.declared_near(name));
        Some(self.miss(MissReason::UnknownName, &seen, words))
    }

    fn declared_near(&self, name: &str) -> String {
        match crate::dialect::nearest(name, self.tools.names()) {
            Some(like) => format!("; did you mean `{like}`?"),
            None => {
                let names: Vec<&str> = self.tools.names().take(5).collect();
                let more = if self.tools.len() > names.len() { ", …" } else { "" };
                format!("; declared tools: `{}`{more}", names.join("`, `"))
            }
        }
    }

    /// Parses the text from each possible start of a call, as if the message began there.
    fn weak(&self) -> Option<NearMiss> {
        let eager = self.options.clone().with_evidence(Evidence::Eager);
        // Where no tools are declared, only a dialect that the caller chose has weak calls.
        let known = |seen: &HiddenCall| self.tools.is_empty() || self.tools.resolve(&seen.name).is_some();
        places::beginnings(self.text).take(MOST_PLACES).find_map(|at| {
            let rest = self.text.get(at..)?;
            let rest = rest.get(..places::floor(rest, LONGEST)).unwrap_or(rest);
            let mut seen = self.read(rest, self.dialects, self.tools, &eager).filter(known)?;
            if seen.span.start > 0 {
                return None;
            }
            seen.span = at..at + seen.span.end;
            let words = self.too_weak(&seen, &eager);
            Some(self.miss(MissReason::WeakMarker, &seen, words))
        })
    }

    /// Reports a call whose marker is too weak for its position, and what would make it count.
    fn too_weak(&self, seen: &HiddenCall, eager: &Options) -> String {
        let (before, behind) = (&self.text[..seen.span.start], &self.text[seen.span.end..]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let here = match (line.trim().is_empty(), behind.trim().is_empty()) {
            (false, true) => "in the middle of a line",
            (true, false) => "with text after it",
            _ => "in the middle of a line and with text after it",
        };
        let dialect = seen.dialect.as_deref().unwrap_or_default();
        let alone = self.text.get(seen.span.clone()).unwrap_or_default();
        let reads = |text: &str, options: &Options| self.read(text, self.dialects, self.tools, options).is_some();
        let advice = if reads(self.text, eager) {
            "set `evidence` to `eager` if the model writes calls like this"
        } else if reads(alone, self.options) {
            "prompt the model to write the call and nothing else, or to use a dialect with tags; no option changes this"
        } else {
            "prompt the model to use a dialect with tags; no option changes this"
        };
        let name = &seen.name;
        format!("looks like a call to `{name}` in the dialect `{dialect}`, whose marker is too weak {here}; {advice}")
    }

    /// Looks for a parameter's opener with the name of a tool.
    fn tool_as_parameter(&self) -> Option<NearMiss> {
        let found = marker::tool_as_parameter(self.text, self.dialects, self.tools)?;
        let marker::MisplacedTool { name, text, span, dialect, call } = found;
        let words = format!(
            "`{text}` has the name of the tool `{name}` where the name of a parameter belongs; a call in the dialect \
             `{dialect}` begins with `{call}`"
        );
        let seen = HiddenCall { name, span, dialect: Some(dialect) };
        Some(self.miss(MissReason::UnknownMarker, &seen, words))
    }

    /// Looks for an unknown marker that seems to open a call.
    fn unreadable(&self) -> Option<NearMiss> {
        let found = marker::unreadable(self.text, self.dialects, self.tools)?;
        let fault = match found.fault {
            Some(fault) => format!("; its JSON {}", fault.words(self.start)),
            None => self.limit().map(|limit| format!(": {limit}")).unwrap_or_default(),
        };
        let words = format!(
            "`{}` opens a call in the dialect `{}`, but the text after it cannot be parsed as one{fault}",
            found.marker, found.dialect
        );
        let seen = HiddenCall { name: String::new(), span: found.span, dialect: Some(found.dialect) };
        Some(self.miss(MissReason::Broken, &seen, words))
    }

    /// Looks for a marker that is almost one of a dialect, or one of a dialect that is not enabled.
    fn unknown_marker(&self) -> Option<NearMiss> {
        let found = marker::unknown(self.text, self.dialects, self.tools)?;
        let marker = &found.text;
        let (reason, dialect, words) = match found.like {
            Some((like, dialect)) if like == *marker => {
                let words = format!(
                    "`{marker}` is a marker of the dialect `{dialect}`, which is not enabled; add it, or use `auto`"
                );
                (MissReason::OtherDialect, Some(dialect), words)
            }
            Some((like, dialect)) => {
                let words =
                    format!("`{marker}` is not a marker of any enabled dialect; the nearest is `{like}` (`{dialect}`)");
                (MissReason::UnknownMarker, None, words)
            }
            None => {
                let words =
                    format!("`{marker}` is not a marker of any enabled dialect; describe the format in a dialect file");
                (MissReason::UnknownMarker, None, words)
            }
        };
        Some(self.miss(reason, &HiddenCall { name: String::new(), span: found.span, dialect }, words))
    }

    /// Looks for the name of a tool next to one of its parameters.
    fn unmarked(&self) -> Option<NearMiss> {
        let (tool, parameter, span) = marker::unmarked(self.text, self.tools)?;
        let code = places::code(self.text).into_iter().find(|place| place.contains(&span.start));
        let line = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let around = code.clone().unwrap_or(line..self.text.len());
        let inside = if code.is_some() { " inside Markdown code" } else { "" };
        let fault = marker::fault(self.text, around, span.start, self.start);
        let advice = fault.unwrap_or_else(|| "describe the format in a dialect file".to_owned());
        let words = format!(
            "`{tool}` appears with its parameter `{parameter}`{inside}, but not in the format of any enabled dialect; \
             {advice}"
        );
        let seen = HiddenCall { name: tool.to_owned(), span, dialect: None };
        Some(self.miss(MissReason::UnknownMarker, &seen, words))
    }

    fn first_of(&self, reasons: &[fn(&EmptyMessage<'_>) -> Option<NearMiss>]) -> Option<NearMiss> {
        reasons.iter().find_map(|reason| reason(self))
    }

    /// Returns the first finished call that a text has under other assumptions.
    fn read(&self, text: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Option<HiddenCall> {
        let mut parser = Parser::new(dialects, tools, options);
        let (mut began, mut finished) = (None, None);
        let mut look = |event: crate::event::Event<'_>| match event.kind {
            EventKind::CallStart { name, .. } if finished.is_none() => began = Some((name.to_owned(), event.span)),
            EventKind::CallEnd { outcome, .. } if outcome.is_call() && finished.is_none() => {
                finished = began.take().map(|(name, start)| (name, start.start..event.span.end));
            }
            _ => {}
        };
        parser.push(text).for_each(&mut look);
        parser.finish().for_each(&mut look);
        let (name, span) = finished?;
        Some(HiddenCall { name, span, dialect: parser.dialect().cloned() })
    }

    /// A miss whose span counts from the start of the examined part.
    fn miss(&self, reason: MissReason, seen: &HiddenCall, words: String) -> NearMiss {
        let span = self.start + seen.span.start..self.start + seen.span.end;
        miss(reason, &HiddenCall { name: seen.name.clone(), span, dialect: seen.dialect.clone() }, words)
    }
}

/// HTML escapes, the ampersand last.
const ENTITIES: [(&str, &str); 5] = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];

/// A call's header, from its opener to its arguments, is shorter.
const HEADER: usize = 256;

/// The possible continuations of a call that was cut off in its header.
const ENDS: [&str; 8] = [
    ", \"arguments\": {}}",
    "\", \"arguments\": {}}",
    "\": {}}",
    ": {}}",
    " {}}",
    "{}",
    ">{}",
    ">\n</parameter>\n</function>",
];

fn miss(reason: MissReason, seen: &HiddenCall, message: String) -> NearMiss {
    let diagnostic =
        Diagnostic { code: Code::NearMiss, span: seen.span.clone(), message, dialect: seen.dialect.clone() };
    let tool = Some(seen.name.clone()).filter(|name| !name.is_empty());
    NearMiss { reason, diagnostic, tool }
}

/// Places of one kind that are tried. Each costs a parse, and a text with more of them is not a single misread call.
const MOST_PLACES: usize = 24;

/// Words that are tried as names; more than the tools of any known agent.
const MOST_NAMES: usize = 256;

/// Bytes that are parsed from a place in the middle of a text.
const LONGEST: usize = 8 << 10;

#[cfg(test)]
mod tests;
