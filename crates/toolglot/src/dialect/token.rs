//! Cuts the text of a pattern into literals, blanks, holes and runs of attributes.

use std::mem::take;
use std::ops::Range;

use super::error::Fault;
use super::hole::{Holder, Role};
use super::pattern::{Attributes, BodyKind, Hole};

/// One part of a pattern's text, and where it stands there.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Literal(Vec<Piece>),
    /// White space with a line break in it, or at the edge of a literal.
    Blank(String),
    Hole(Hole),
    Body(BodyKind, Vec<String>),
    Attributes(Attributes),
}

/// One character of a literal, or what takes the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Char(char),
    /// A place in the list of words.
    Word(usize),
    Mark,
    Name,
    Key,
}

/// Cuts a pattern into tokens, each checked to be allowed in its role.
pub(super) fn tokens(source: &str, role: Role, words: &[(String, Vec<String>)]) -> Result<Vec<Token>, Fault> {
    let mut cut = Cut { role, words, tokens: Vec::new(), pieces: Vec::new(), holes: Vec::new() };
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        at = if let Some((run, end)) = attributes(source, at) {
            cut.attributes(run, at..end)?
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            cut.piece(Piece::Char(c), at..at + 2)
        } else if c == '{' {
            cut.hole(source, at)?
        } else if c == '}' {
            return Err(Fault::new(at..at + 1, "a lone `}`").help("write `}}` for a brace that closes no hole"));
        } else {
            cut.piece(Piece::Char(c), at..at + c.len_utf8())
        };
    }
    cut.flush();
    Ok(cut.tokens)
}

/// What has been cut so far; every step returns where the next one begins.
struct Cut<'a> {
    role: Role,
    words: &'a [(String, Vec<String>)],
    tokens: Vec<Token>,
    /// The literal being collected, each piece with its place.
    pieces: Vec<(Piece, Range<usize>)>,
    holes: Vec<Holder>,
}

impl Cut<'_> {
    fn piece(&mut self, piece: Piece, at: Range<usize>) -> usize {
        let end = at.end;
        self.pieces.push((piece, at));
        end
    }

    fn token(&mut self, kind: Kind, at: Range<usize>) -> usize {
        self.flush();
        let end = at.end;
        self.tokens.push(Token { kind, at });
        end
    }

    fn attributes(&mut self, run: Vec<Attribute>, at: Range<usize>) -> Result<usize, Fault> {
        for attribute in &run {
            self.once(Holder::Head(attribute.hole), attribute.at.clone())?;
        }
        let named = run.into_iter().map(|attribute| (attribute.name, attribute.hole)).collect();
        Ok(self.token(Kind::Attributes(Attributes { named, rest: false }), at))
    }

    fn hole(&mut self, source: &str, start: usize) -> Result<usize, Fault> {
        let inside = &source[start + 1..];
        let length = inside.find(['{', '}']).filter(|&length| inside[length..].starts_with('}'));
        let Some(length) = length else {
            let fault = Fault::new(start..start + 1, "unclosed `{`");
            return Err(fault.help("close the hole with `}`, or write `{{` for a brace"));
        };
        let at = start..start + length + 2;
        let (name, options) = inside[..length].split_once(':').unwrap_or((&inside[..length], ""));
        if let Some(word) = self.words.iter().position(|word| word.0 == name) {
            options_of(name, options, &[], at.clone())?;
            return Ok(self.piece(Piece::Word(word), at));
        }
        let Some(holder) = Holder::by_name(name) else {
            let fault = Fault::new(at, format!("unknown hole `{{{name}}}`"));
            return Err(fault.help(self.role.advice(name, self.words)));
        };
        let options = options_of(name, options, holder.options(), at.clone())?;
        match holder {
            Holder::Mark => Ok(self.piece(Piece::Mark, at)),
            Holder::Head(Hole::Name) if self.holes.contains(&holder) => Ok(self.piece(Piece::Name, at)),
            Holder::Head(Hole::Key) if self.holes.contains(&holder) => Ok(self.piece(Piece::Key, at)),
            _ => {
                self.once(holder, at.clone())?;
                Ok(self.placed(holder, options, at))
            }
        }
    }

    fn placed(&mut self, holder: Holder, options: Vec<String>, at: Range<usize>) -> usize {
        let kind = match holder {
            Holder::Body(kind) => Kind::Body(kind, options),
            Holder::Head(hole) => Kind::Hole(hole),
            Holder::Attrs | Holder::Mark => return self.rest(at),
        };
        self.token(kind, at)
    }

    /// Adds `{attrs}`, which joins the run of attributes right before it.
    fn rest(&mut self, at: Range<usize>) -> usize {
        if let (Some(Token { kind: Kind::Attributes(run), .. }), true) =
            (self.tokens.last_mut(), self.pieces.is_empty())
        {
            run.rest = true;
            return at.end;
        }
        self.token(Kind::Attributes(Attributes { named: Vec::new(), rest: true }), at)
    }

    /// Checks that a hole may stand here and was not read before.
    fn once(&mut self, holder: Holder, at: Range<usize>) -> Result<(), Fault> {
        let (name, key) = (holder.name(), self.role.key());
        if !self.role.allows(holder) {
            let fault = Fault::new(at, format!("`{{{name}}}` does not belong in `{key}`"));
            return Err(fault.help(self.role.advice(name, self.words)));
        }
        if self.holes.contains(&holder) && holder != Holder::Head(Hole::Ignored) {
            return Err(Fault::new(at, format!("`{{{name}}}` is read twice")).help("write it once"));
        }
        self.holes.push(holder);
        Ok(())
    }

    /// Ends the literal: splits off its blanks, keeps the rest.
    fn flush(&mut self) {
        let pieces = take(&mut self.pieces);
        let is_blank = |piece: &(Piece, Range<usize>)| matches!(piece.0, Piece::Char(c) if c.is_whitespace());
        let mut start = 0;
        for run in pieces.chunk_by(|a, b| is_blank(a) == is_blank(b)) {
            let first = start == 0;
            start += run.len();
            let text: String = run.iter().filter_map(|piece| piece.0.char()).collect();
            let edge = first || start == pieces.len() || text.contains('\n');
            self.run(run, if is_blank(&run[0]) && edge { Some(text) } else { None });
        }
    }

    fn run(&mut self, run: &[(Piece, Range<usize>)], blank: Option<String>) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let at = first.1.start..last.1.end;
        let new = run.iter().map(|piece| piece.0);
        match (blank, self.tokens.last_mut()) {
            (Some(blank), _) => self.tokens.push(Token { kind: Kind::Blank(blank), at }),
            (None, Some(Token { kind: Kind::Literal(pieces), at: whole })) if whole.end == at.start => {
                pieces.extend(new);
                whole.end = at.end;
            }
            (None, _) => self.tokens.push(Token { kind: Kind::Literal(new.collect()), at }),
        }
    }
}

impl Piece {
    pub(super) fn char(self) -> Option<char> {
        match self {
            Self::Char(c) => Some(c),
            _ => None,
        }
    }
}

fn options_of(name: &str, given: &str, known: &[&str], at: Range<usize>) -> Result<Vec<String>, Fault> {
    let options: Vec<String> = given.split(',').filter(|option| !option.is_empty()).map(str::to_owned).collect();
    match options.iter().find(|option| !known.contains(&option.as_str())) {
        None => Ok(options),
        Some(option) if known.is_empty() => {
            Err(Fault::new(at, format!("unknown option `{option}`")).help(format!("`{{{name}}}` takes no options")))
        }
        Some(option) => {
            let fault = Fault::new(at, format!("unknown option `{option}`"));
            Err(fault.help(format!("options of `{{{name}}}` are {}", known.join(", "))))
        }
    }
}

/// One `name="{hole}"`, and where the hole stands.
struct Attribute {
    name: String,
    hole: Hole,
    at: Range<usize>,
}

/// Reads blanks and `NAME="{hole}"` as often as they follow each other.
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

/// Returns the places in the list of words of those that a pattern spells.
pub(super) fn words(source: &str, role: Role, words: &[(String, Vec<String>)]) -> Vec<usize> {
    let word = |piece: &Piece| match piece {
        Piece::Word(index) => Some(*index),
        _ => None,
    };
    let tokens = tokens(source, role, words).unwrap_or_default();
    let literals = tokens.iter().filter_map(|token| match &token.kind {
        Kind::Literal(pieces) => Some(pieces),
        _ => None,
    });
    literals.flatten().filter_map(word).collect()
}
