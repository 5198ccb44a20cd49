//! Splits the text of a pattern into literals, white space, holes and runs of attributes.

use std::mem::take;
use std::ops::Range;

use super::error::ValueFault;
use super::hole::{Holder, PatternKey};
use super::pattern::{Attributes, BodyKind, Hole};

/// One part of a pattern's text, and its position.
#[derive(Clone, Debug)]
pub(super) struct PatternToken {
    pub(super) kind: PatternTokenKind,
    pub(super) at: Range<usize>,
}

/// The kinds of parts of a pattern's text.
#[derive(Clone, Debug)]
pub(super) enum PatternTokenKind {
    Literal(Vec<LiteralPiece>),
    /// White space with a line break, or at the edge of a literal.
    Blank(String),
    Hole(Hole),
    Body(BodyKind, Vec<String>),
    Attributes(Attributes),
}

/// A stretch of a literal, or a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LiteralPiece {
    Text(String),
    /// An index into the list of words.
    Word(usize),
    Mark,
    Name,
    Key,
}

/// Splits a pattern into tokens, and checks that each is allowed in its role.
pub(super) fn tokens(
    source: &str,
    role: PatternKey,
    words: &[(String, Vec<String>)],
) -> Result<Vec<PatternToken>, ValueFault> {
    let mut cut = PatternCutter { role, words, tokens: Vec::new(), runs: Vec::new(), holes: Vec::new() };
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        at = if c.is_whitespace() {
            match attributes(source, at) {
                Some((run, end)) => cut.attributes(run, at..end)?,
                None => cut.text(&rest[..c.len_utf8()], true, at..at + c.len_utf8()),
            }
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            cut.text(&rest[..1], false, at..at + 2)
        } else if c == '{' {
            cut.hole(source, at)?
        } else if c == '}' {
            return Err(ValueFault::new(at..at + 1, "a lone `}`").help("write `}}` for a literal brace"));
        } else {
            let length = rest.find(|c: char| matches!(c, '{' | '}') || c.is_whitespace()).unwrap_or(rest.len());
            cut.text(&rest[..length], false, at..at + length)
        };
    }
    cut.flush();
    Ok(cut.tokens)
}

/// The tokens so far; every step returns where the next one begins.
struct PatternCutter<'a> {
    role: PatternKey,
    words: &'a [(String, Vec<String>)],
    tokens: Vec<PatternToken>,
    /// The literal being collected.
    runs: Vec<BlankRun>,
    holes: Vec<Holder>,
}

/// A stretch of a literal that is only white space, or has none.
struct BlankRun {
    blank: bool,
    pieces: Vec<LiteralPiece>,
    at: Range<usize>,
}

impl PatternCutter<'_> {
    fn text(&mut self, text: &str, blank: bool, at: Range<usize>) -> usize {
        let run = self.run(blank, &at);
        match run.pieces.last_mut() {
            Some(LiteralPiece::Text(before)) => before.push_str(text),
            _ => run.pieces.push(LiteralPiece::Text(text.to_owned())),
        }
        at.end
    }

    fn piece(&mut self, piece: LiteralPiece, at: &Range<usize>) -> usize {
        self.run(false, at).pieces.push(piece);
        at.end
    }

    /// Returns the extended run that continues at a place.
    fn run(&mut self, blank: bool, at: &Range<usize>) -> &mut BlankRun {
        if self.runs.last().is_none_or(|run| run.blank != blank) {
            self.runs.push(BlankRun { blank, pieces: Vec::new(), at: at.clone() });
        }
        let last = self.runs.len() - 1;
        let run = &mut self.runs[last];
        run.at.end = at.end;
        run
    }

    fn token(&mut self, kind: PatternTokenKind, at: Range<usize>) -> usize {
        self.flush();
        let end = at.end;
        self.tokens.push(PatternToken { kind, at });
        end
    }

    fn attributes(&mut self, run: Vec<Attribute>, at: Range<usize>) -> Result<usize, ValueFault> {
        for attribute in &run {
            self.once(Holder::Head(attribute.hole), attribute.at.clone())?;
        }
        let named = run.into_iter().map(|attribute| (attribute.name, attribute.hole)).collect();
        Ok(self.token(PatternTokenKind::Attributes(Attributes { named, rest: false }), at))
    }

    fn hole(&mut self, source: &str, start: usize) -> Result<usize, ValueFault> {
        let inside = &source[start + 1..];
        let length = inside.find(['{', '}']).filter(|&length| inside[length..].starts_with('}'));
        let Some(length) = length else {
            let fault = ValueFault::new(start..start + 1, "unclosed `{`");
            return Err(fault.help("close the hole with `}`, or write `{{` for a brace"));
        };
        let at = start..start + length + 2;
        let (name, options) = inside[..length].split_once(':').unwrap_or((&inside[..length], ""));
        if let Some(word) = self.words.iter().position(|word| word.0 == name) {
            options_of(name, options, &[], at.clone())?;
            return Ok(self.piece(LiteralPiece::Word(word), &at));
        }
        let Some(holder) = Holder::by_name(name) else {
            let fault = ValueFault::new(at, format!("unknown hole `{{{name}}}`"));
            return Err(fault.help(self.role.advice(name, self.words)));
        };
        let options = options_of(name, options, holder.options(), at.clone())?;
        match holder {
            Holder::Mark => return Ok(self.piece(LiteralPiece::Mark, &at)),
            Holder::Head(Hole::Name) if self.holes.contains(&holder) => return Ok(self.piece(LiteralPiece::Name, &at)),
            Holder::Head(Hole::Key) if self.holes.contains(&holder) => return Ok(self.piece(LiteralPiece::Key, &at)),
            _ => self.once(holder, at.clone())?,
        }
        Ok(match holder {
            Holder::Body(kind) => self.token(PatternTokenKind::Body(kind, options), at),
            Holder::Head(hole) => self.token(PatternTokenKind::Hole(hole), at),
            Holder::Attrs | Holder::Mark => self.rest(at),
        })
    }

    /// Adds `{attrs}`, which joins the run of attributes directly before it.
    fn rest(&mut self, at: Range<usize>) -> usize {
        if let (Some(PatternToken { kind: PatternTokenKind::Attributes(run), .. }), true) =
            (self.tokens.last_mut(), self.runs.is_empty())
        {
            run.rest = true;
            return at.end;
        }
        self.token(PatternTokenKind::Attributes(Attributes { named: Vec::new(), rest: true }), at)
    }

    /// Checks that a hole is allowed here and not repeated.
    fn once(&mut self, holder: Holder, at: Range<usize>) -> Result<(), ValueFault> {
        let key = self.role.key();
        if !self.role.allows(holder) {
            let name = holder.name();
            let fault = ValueFault::new(at, format!("`{{{name}}}` is not allowed in `{key}`"));
            return Err(fault.help(self.role.advice(name, self.words)));
        }
        if self.holes.contains(&holder) && holder != Holder::Head(Hole::Ignored) {
            return Err(ValueFault::new(at, format!("duplicate hole `{{{}}}`", holder.name())).help("use it once"));
        }
        self.holes.push(holder);
        Ok(())
    }

    /// Ends the literal: splits off the white space at its edges.
    fn flush(&mut self) {
        let runs = take(&mut self.runs);
        let last = runs.len().saturating_sub(1);
        for (number, BlankRun { blank, pieces, at }) in runs.into_iter().enumerate() {
            let edge = number == 0 || number == last;
            let kind = match (&pieces[..], self.tokens.last_mut()) {
                ([LiteralPiece::Text(text)], _) if blank && (edge || text.contains('\n')) => {
                    PatternTokenKind::Blank(text.clone())
                }
                (_, Some(PatternToken { kind: PatternTokenKind::Literal(whole), at: grown }))
                    if grown.end == at.start =>
                {
                    whole.extend(pieces);
                    grown.end = at.end;
                    continue;
                }
                _ => PatternTokenKind::Literal(pieces),
            };
            self.tokens.push(PatternToken { kind, at });
        }
    }
}

fn options_of(name: &str, given: &str, known: &[&str], at: Range<usize>) -> Result<Vec<String>, ValueFault> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let options: Vec<String> = given.split(',').filter(|option| !option.is_empty()).map(str::to_owned).collect();
    let Some(option) = options.iter().find(|option| !known.contains(&option.as_str())) else { return Ok(options) };
    let help = match known {
        [] => format!("`{{{name}}}` takes no options"),
        known => format!("options of `{{{name}}}` are {}", known.join(", ")),
    };
    Err(ValueFault::new(at, format!("unknown option `{option}`")).help(help))
}

/// One `name="{hole}"`, and the position of the hole.
struct Attribute {
    name: String,
    hole: Hole,
    at: Range<usize>,
}

/// Reads white space and `NAME="{hole}"` as often as they repeat.
fn attributes(source: &str, start: usize) -> Option<(Vec<Attribute>, usize)> {
    let (mut run, mut end) = (Vec::new(), start);
    while let Some(attribute) = attribute(source, end) {
        end = attribute.at.end + 1;
        run.push(attribute);
    }
    (!run.is_empty()).then_some((run, end))
}

fn attribute(source: &str, start: usize) -> Option<Attribute> {
    // A run of blanks is tried once, at its first, so that long files take linear time.
    if source[..start].ends_with(char::is_whitespace) || !source[start..].starts_with(char::is_whitespace) {
        return None;
    }
    let rest = source[start..].trim_start();
    let place = source.len() - rest.len();
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
    let (name, value) = rest.split_at(length);
    let inside = value.strip_prefix("=\"{")?;
    let (word, _) = inside.split_at(inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?);
    let Some(Holder::Head(hole)) = Holder::by_name(word) else { return None };
    let at = place + length + 2..place + length + 4 + word.len();
    let whole = !name.is_empty() && inside[word.len()..].starts_with("}\"");
    whole.then(|| Attribute { name: name.to_owned(), hole, at })
}
