//! Writes a dialect as a `response_template`.

use toolglot::Dialect;
use toolglot_json::{Map, Value as Json, json};

use super::file::DialectFile;
use super::pieces::{Piece, around, blank, escaped, is_blank, one_of, pieces, spellings, trimmed, up_to};
use super::spec::{CALLS, CONTENT, Inexpressible, THINKING};

/// A dialect as a `response_template`, with notes on what is lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// The template, for the key `response_template` of a `tokenizer_config.json`.
    pub template: Json,
    /// What the template does not cover, one line each.
    pub notes: Vec<String>,
}

/// Converts a dialect to a `response_template`. `start` is the text before the assistant's message.
///
/// Without `start`, the message begins at the end of the prompt, or with the reasoning tag that the prompt ends with.
///
/// # Errors
/// If the format cannot express how a call is written.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// use toolglot_template::response_template::export;
/// let all = Dialects::builtin();
/// let found = export(all.get("hermes").unwrap(), Some("<|im_start|>assistant\n"))?;
/// assert_eq!(found.template["fields"]["tool_calls"]["open_pattern"], "<tool_call>\\s*");
/// # Ok::<(), toolglot_template::response_template::Inexpressible>(())
/// ```
pub fn export(dialect: &Dialect, start: Option<&str>) -> Result<Exported, Inexpressible> {
    let file = DialectFile::of(dialect);
    let mut notes = Vec::new();
    let mut fields = Map::new();
    fields.extend(thinking(&file).map(|field| (THINKING.to_owned(), field)));
    fields.insert(CALLS.to_owned(), calls(&file, &mut notes)?);
    fields.insert(CONTENT.to_owned(), content(&file, &mut notes));
    let mut template = Map::new();
    template.insert("version".to_owned(), 1.into());
    template.insert("defaults".to_owned(), json!({"role": "assistant"}));
    let (key, anchor) = match start {
        Some(start) => ("start_anchor", start.to_owned()),
        None => ("start_anchor_pattern", anchor(&file)),
    };
    template.insert(key.to_owned(), anchor.into());
    template.insert("fields".to_owned(), fields.into());
    Ok(Exported { template: template.into(), notes })
}

/// The end of the prompt, or the reasoning's opener there.
fn anchor(file: &DialectFile) -> String {
    let open = file.first("reasoning").and_then(|pattern| {
        let all = pieces(pattern, file);
        spellings(around(&all, &["text"])?.0)
    });
    match open {
        Some(open) => format!("(?={0}\\s*\\Z)|(?<!{0}\\s*)\\Z", one_of(&open)),
        None => "\\Z".to_owned(),
    }
}

fn thinking(file: &DialectFile) -> Option<Json> {
    let (mut open, mut close) = (Vec::new(), Vec::new());
    for pattern in file.list("reasoning") {
        let all = pieces(pattern, file);
        let Some((before, _, behind)) = around(&all, &["text"]) else { continue };
        // A word of prose opens reasoning only for a reader that looks at what follows.
        let is_marker = |text: &String| text.contains(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
        let Some((starts, ends)) = spellings(before).zip(spellings(behind)) else { continue };
        if starts.iter().all(is_marker) {
            open.extend(starts);
            close.extend(ends);
        }
    }
    open.dedup();
    close.dedup();
    let field = || json!({"open_pattern": format!("{}\\s*", one_of(&open)), "close_pattern": format!("\\s*{}\\s*", one_of(&close)), "content": "text"});
    (!open.is_empty() && !close.is_empty()).then(field)
}

fn content(file: &DialectFile, notes: &mut Vec<String>) -> Json {
    let ends: Vec<String> = [file.list("skip"), file.list("turn_end")].concat();
    let mut field = Map::new();
    let mut wrappers = Vec::new();
    let mut closers = Vec::new();
    for pattern in file.list("content") {
        let all = pieces(pattern, file);
        if let Some((before, _, behind)) = around(&all, &["text"]) {
            wrappers.push(regex(trimmed(before)));
            closers.push(regex(trimmed(behind)));
        }
    }
    if wrappers.is_empty() {
        if !ends.is_empty() {
            field.insert("close_pattern".to_owned(), format!("{}\\s*", one_of(&ends)).into());
        }
    } else {
        closers.dedup();
        field.insert("open_pattern".to_owned(), format!("(?:{})\\s*", wrappers.join("|")).into());
        field.insert("close_pattern".to_owned(), format!("\\s*(?:{})\\s*", closers.join("|")).into());
        notes.push("text outside the content wrapper is dropped".to_owned());
    }
    field.insert("content".to_owned(), "text".into());
    field.insert("repeats".to_owned(), true.into());
    field.insert("join".to_owned(), "\n".into());
    field.into()
}

/// The calls as the dialect writes them, with its first patterns.
fn calls(file: &DialectFile, notes: &mut Vec<String>) -> Result<Json, Inexpressible> {
    let (calls, sections) = (file.list("call"), file.list("section"));
    let Some((call, others)) = calls.split_first() else {
        return Err(Inexpressible::new("call", "", "there is no call pattern"));
    };
    let field = CallField::new(file, call, sections.first().map(String::as_str))?.json()?;
    notes.extend(others.iter().map(|other| format!("calls like `{other}` are not read")));
    notes.extend(sections.iter().skip(1).map(|other| format!("sections like `{other}` are not read")));
    Ok(field)
}

const BODIES: [&str; 8] = ["call", "arguments", "params", "object", "kwargs", "lines", "content", "attrs"];

/// The field of calls, while it is being built.
struct CallField<'f> {
    file: &'f DialectFile,
    pattern: &'f str,
    head: Vec<Piece>,
    body: String,
    tail: Vec<Piece>,
    section: Option<(Vec<Piece>, Vec<Piece>)>,
}

impl<'f> CallField<'f> {
    fn new(file: &'f DialectFile, pattern: &'f str, section: Option<&str>) -> Result<Self, Inexpressible> {
        let all = pieces(pattern, file);
        let no_body = || Inexpressible::new("call", pattern, "the format requires a call to have arguments");
        let (head, body, tail) = around(&all, &BODIES).ok_or_else(no_body)?;
        let Piece::Hole(body, _) = body else { return Err(no_body()) };
        let section = section.map(|section| {
            let all = pieces(section, file);
            let (open, _, close) = around(&all, &["calls"]).map_or((&[][..], (), &[][..]), |(a, _, b)| (a, (), b));
            (trimmed(open).to_vec(), trimmed(close).to_vec())
        });
        let section = section.filter(|(open, close)| !is_blank(open) || !is_blank(close));
        Ok(Self {
            file,
            pattern,
            head: trimmed(head).to_vec(),
            body: body.clone(),
            tail: trimmed(tail).to_vec(),
            section,
        })
    }

    fn refuse<T>(&self, construct: &str, why: &str) -> Result<T, Inexpressible> {
        let construct = if construct.is_empty() { self.pattern } else { construct };
        Err(Inexpressible::new("call", construct, why))
    }

    fn json(&self) -> Result<Json, Inexpressible> {
        let closer = self.section.as_ref().filter(|_| is_blank(&self.tail)).map_or(&self.tail, |(_, close)| close);
        let is_list = is_blank(&self.head);
        let brackets = |text: &String| {
            !text.is_empty() && text.chars().all(|c| "{}[]()\"' ".contains(c)) && !(is_list && text == "]")
        };
        if self.body == "kwargs" && self.is_python() {
            return self.list("python-call-list");
        }
        if spellings(closer).is_some_and(|closers| closers.iter().any(brackets))
            || (!is_list && starts_with_bracket(&self.tail))
        {
            return self.refuse("", "the call ends with a bracket, and arguments may contain brackets");
        }
        let is_bare = |pieces: &[Piece]| is_blank(pieces) || matches!(pieces, [Piece::Hole(name, _)] if name == "name");
        match self.body.as_str() {
            "call" if is_blank(&self.head) && is_blank(&self.tail) => self.list("json"),
            "kwargs" => self.refuse("{kwargs}", "the format reads `name(key=value)` only in a list, `[…]`"),
            "content" => self.refuse("{content}", "the format does not support text as the only argument"),
            "attrs" => self.refuse("{attrs}", "the format does not support attributes as arguments"),
            _ if is_bare(&self.head) && self.section.is_none() => self.refuse("", "the call has no opening marker"),
            _ if is_bare(&self.head) => self.refuse("", "the calls in a section have no opening marker of their own"),
            _ => self.each(),
        }
    }

    fn is_python(&self) -> bool {
        let open =
            matches!(&self.head[..], [Piece::Hole(name, _), Piece::Literal(open)] if name == "name" && open == "(");
        open && matches!(&self.tail[..], [Piece::Literal(close)] if close == ")")
    }

    /// All calls of a section are one list.
    fn list(&self, content: &str) -> Result<Json, Inexpressible> {
        let Some((open, close)) = &self.section else { return self.refuse("", "the call has no opening marker") };
        let Some((open, close)) = spellings(open).zip(spellings(close)) else {
            return self.refuse("", "the section contains placeholders");
        };
        let inner = |text: &String| Some(text.trim_end().strip_suffix('[')?.trim().to_owned());
        let outer = |text: &String| Some(text.trim_start().strip_prefix(']')?.trim().to_owned());
        let opens: Option<Vec<String>> = open.iter().map(inner).collect();
        let closes: Option<Vec<String>> = close.iter().map(outer).collect();
        let Some((open, close)) = opens.zip(closes) else {
            return self.refuse("", "several calls in a section must be a list, `[…]`");
        };
        if open.iter().any(String::is_empty) {
            return self.refuse("", "the list has no opening marker");
        }
        let (name, arguments) = match content {
            "json" => self.members(),
            _ => ("name".to_owned(), "arguments".to_owned()),
        };
        let mut field = Map::new();
        field.insert("open_pattern".to_owned(), format!("{}\\s*(?=\\[)", one_of(&open)).into());
        let mut close: Vec<String> = close.into_iter().filter(|text| !text.is_empty()).collect();
        close.extend(self.file.list("turn_end").iter().cloned());
        if !close.is_empty() {
            field.insert("close_pattern".to_owned(), format!("{}\\s*", one_of(&close)).into());
        }
        field.insert("content".to_owned(), content.into());
        field.insert("transform".to_owned(), function(&format!("{{{name}}}"), &format!("{{{arguments}}}")));
        field.insert("transform_each".to_owned(), true.into());
        Ok(field.into())
    }

    /// The members of a call's object.
    fn members(&self) -> (String, String) {
        let member = |name: &str| self.file.row("json", name).and_then(<[String]>::first).cloned();
        (
            member("name").unwrap_or_else(|| "name".to_owned()),
            member("arguments").unwrap_or_else(|| "arguments".to_owned()),
        )
    }

    /// Each call is a separate region; the section's markers may surround it.
    fn each(&self) -> Result<Json, Inexpressible> {
        let (content, arguments) = self.content()?;
        let mut field = Map::new();
        let head = self.head_pattern()?;
        let (before, behind) = match &self.section {
            Some((open, close)) => (optional(&regex(open), false), optional(&regex(close), true)),
            None => (String::new(), String::new()),
        };
        field.insert("open_pattern".to_owned(), format!("{before}{head}\\s*").into());
        if let Some(close) = self.close(&behind) {
            field.insert("close_pattern".to_owned(), close.into());
        }
        field.insert("repeats".to_owned(), true.into());
        field.insert("content".to_owned(), content.into());
        field.extend(arguments.map(|arguments| ("content_args".to_owned(), arguments)));
        let transform = match self.body.as_str() {
            "call" => {
                let (name, arguments) = self.members();
                function(&format!("{{content.{name}}}"), &format!("{{content.{arguments}}}"))
            }
            _ => function("{name}", "{content}"),
        };
        field.insert("transform".to_owned(), transform);
        Ok(field.into())
    }

    fn head_pattern(&self) -> Result<String, Inexpressible> {
        let (mut out, mut named) = (String::new(), self.body == "call");
        for (at, piece) in self.head.iter().enumerate() {
            let rest = &self.head[at + 1..];
            match piece {
                Piece::Hole(name, _) => match name.as_str() {
                    "name" if named => out.push_str("(?P=name)"),
                    "name" => {
                        out.push_str(&format!("(?P<name>{})", up_to(rest, self.body_start())));
                        named = true;
                    }
                    "id" if self.file.first("id").is_some_and(|id| id.contains("{name}")) => {
                        let id = pieces(self.file.first("id").unwrap_or_default(), self.file);
                        for (at, piece) in id.iter().enumerate() {
                            match piece {
                                Piece::Literal(text) => out.push_str(&escaped(text)),
                                Piece::Hole(name, _) if name == "name" => {
                                    out.push_str(&format!("(?P<name>{})", up_to(&id[at + 1..], None)));
                                    named = true;
                                }
                                _ => out.push_str("\\d+"),
                            }
                        }
                    }
                    "index" => out.push_str("\\d+"),
                    "id" | "_" => out.push_str(&up_to(rest, self.body_start())),
                    "mark" => {}
                    _ => return self.refuse(&format!("{{{name}}}"), "the format does not support this before a call"),
                },
                piece => out.push_str(&plain(piece, at.checked_sub(1).map(|at| &self.head[at]), rest.first())),
            }
        }
        if named { Ok(out) } else { self.refuse("", "the name must come before the arguments") }
    }

    /// The beginning of the body.
    fn body_start(&self) -> Option<char> {
        let param = || Some(pieces(self.file.first("param")?, self.file));
        match self.body.as_str() {
            "params" => param()?.iter().find_map(|piece| match piece {
                Piece::Literal(text) => text.chars().next(),
                Piece::Word(spellings) => spellings.first()?.chars().next(),
                _ => None,
            }),
            _ => Some('{'),
        }
    }

    /// The end of a call: its closer, possibly the section's, or the next call if it may have no closer.
    fn close(&self, behind: &str) -> Option<String> {
        let required = |piece: &Piece| match piece {
            Piece::Word(spellings) => spellings.iter().all(|text| !text.is_empty()),
            _ => true,
        };
        let mut named: Vec<Piece> = Vec::new();
        for piece in &self.tail {
            match piece {
                Piece::Word(spellings) => {
                    // What surrounds strings cannot close the call.
                    let is_closer =
                        |text: &&String| !text.is_empty() && self.file.first("quote") != Some(text.as_str());
                    named.push(Piece::Word(spellings.iter().filter(is_closer).cloned().collect()));
                }
                Piece::Hole(name, _) if name == "mark" => {}
                Piece::Hole(..) => return Some(format!("\\s*{}[^<>]*>", regex(trimmed(&named)))),
                piece => named.push(piece.clone()),
            }
        }
        let mut ways = Vec::new();
        if !is_blank(&named) {
            ways.push(format!("{}{behind}\\s*", regex(trimmed(&named))));
        } else if !behind.is_empty() {
            ways.push(format!("{}\\s*", behind.trim_end_matches('?')));
        }
        if is_blank(&named) || !self.tail.iter().all(required) {
            let start =
                self.head.iter().take_while(|piece| !matches!(piece, Piece::Hole(..))).cloned().collect::<Vec<_>>();
            ways.push(format!("(?={})", regex(trimmed(&start))));
            let ends: Vec<String> = [self.file.list("skip"), self.file.list("turn_end")].concat();
            if !ends.is_empty() {
                ways.push(format!("{}\\s*", one_of(&ends)));
            }
        }
        ways.dedup();
        (!ways.is_empty()).then(|| ways.join("|"))
    }

    /// The parser of the arguments, and its parameters.
    fn content(&self) -> Result<(&'static str, Option<Json>), Inexpressible> {
        match self.body.as_str() {
            "params" => Ok(("xml-inline", Some(json!({"tag_pattern": self.tag_pattern()?})))),
            "object" => {
                let mut arguments = Map::new();
                arguments.insert("unquoted_keys".to_owned(), true.into());
                if let Some(quote) = self.file.first("quote") {
                    arguments.insert("string_delims".to_owned(), json!([[quote, quote]]));
                }
                Ok(("json", Some(arguments.into())))
            }
            "lines" => Ok(("kv-lines", None)),
            _ => Ok(("json", None)),
        }
    }

    fn tag_pattern(&self) -> Result<String, Inexpressible> {
        let mut refused = None;
        for pattern in self.file.list("param") {
            match self.tag(pattern) {
                Ok(tag) => return Ok(tag),
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        Err(refused.unwrap_or_else(|| Inexpressible::new("param", "", "there is no parameter pattern")))
    }

    fn tag(&self, pattern: &str) -> Result<String, Inexpressible> {
        let refuse = |construct: &str, why: &str| Err(Inexpressible::new("param", construct, why));
        let all = pieces(pattern, self.file);
        let all = trimmed(&all);
        let (mut out, mut has_key) = (String::new(), false);
        let Some((_, Piece::Hole(_, options), behind)) = around(all, &["value"]) else {
            return refuse("{tree}", "the format does not support nested elements");
        };
        if is_blank(behind) {
            return refuse(pattern, "a value needs a closing marker");
        }
        let closer: Vec<&Piece> = trimmed(behind).iter().collect();
        if matches!(closer[..], [Piece::Literal(quote)] if quote == "\"" || quote == "'") {
            return refuse(pattern, "the value ends with a quote and may contain quotes");
        }
        let has = |option: &str| options.iter().any(|one| one == option);
        if has("entities") {
            return refuse("{value:entities}", "the format does not decode entities");
        }
        let is_value = |piece: Option<&Piece>| matches!(piece, Some(Piece::Hole(name, _)) if name == "value");
        for (at, piece) in all.iter().enumerate() {
            let (before, rest) = (at.checked_sub(1).map(|at| &all[at]), &all[at + 1..]);
            match piece {
                // Nothing else ends a key.
                Piece::Blank(_) if is_value(rest.first()) && matches!(before, Some(Piece::Hole(..))) => {
                    out.push_str("\\n")
                }
                Piece::Blank(_) if is_value(rest.first()) || is_value(before) => out.push_str("\\n?"),
                Piece::Hole(name, _) => match name.as_str() {
                    "key" if has_key => out.push_str("(?P=key)"),
                    "key" => {
                        out.push_str(&format!("(?P<key>{})", up_to(rest, None)));
                        has_key = true;
                    }
                    "value" => {
                        let (open, close) =
                            if has("cdata") { ("(?:<!\\[CDATA\\[)?", "(?:\\]\\]>)?") } else { ("", "") };
                        let line = if has("trim") { "\\n?" } else { "" };
                        out.push_str(&format!("{line}{open}(?P<value>.*?){close}{line}"));
                    }
                    "mark" => {}
                    _ => out.push_str(&up_to(rest, None)),
                },
                piece => out.push_str(&plain(piece, before, rest.first())),
            }
        }
        Ok(out)
    }
}

fn starts_with_bracket(pieces: &[Piece]) -> bool {
    matches!(pieces.first(), Some(Piece::Literal(text)) if text.chars().all(|c| "{}[]()\"'".contains(c)))
}

/// The transform's result for a call.
fn function(name: &str, arguments: &str) -> Json {
    json!({"type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A literal, a word or white space as a regular expression.
fn plain(piece: &Piece, before: Option<&Piece>, behind: Option<&Piece>) -> String {
    match piece {
        Piece::Literal(text) => escaped(text),
        Piece::Word(spellings) => one_of(spellings),
        Piece::Blank(_) => blank(before, behind).to_owned(),
        Piece::Hole(..) => String::new(),
    }
}

fn regex(all: &[Piece]) -> String {
    let part = |(at, piece): (usize, &Piece)| match piece {
        Piece::Hole(name, _) if name != "mark" => up_to(&all[at + 1..], None),
        piece => plain(piece, at.checked_sub(1).map(|at| &all[at]), all.get(at + 1)),
    };
    all.iter().enumerate().map(part).collect()
}

fn optional(pattern: &str, is_behind: bool) -> String {
    match (pattern.is_empty(), is_behind) {
        (true, _) => String::new(),
        (false, false) => format!("(?:{pattern}\\s*)?"),
        (false, true) => format!("(?:\\s*{pattern})?"),
    }
}
