//! A compiled pattern: literals with all their spellings, holes, and one body that carries data.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::slice::Iter;
use std::sync::Arc;

use crate::lead::Lead;

/// Text with holes, split at its body: the head, the body, and the closers.
///
/// White space between nodes is never kept: it is optional for the parser, and the renderer uses `source`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The pattern as written in the file.
    pub(crate) source: Cow<'static, str>,
    /// The nodes before the body.
    pub(crate) head: Vec<HeadPart>,
    /// The hole that carries data; `None` if the pattern has none.
    pub(crate) body: Option<BodyHole>,
    /// The closing literals after the body, in order.
    pub(crate) tail: Vec<Literal>,
}

/// One part of a pattern's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadPart {
    Literal(Literal),
    Hole(Hole),
    Attributes(Attributes),
}

/// A hole that is read completely before the body starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hole {
    Name,
    /// `{_}`: a name that is ignored.
    Ignored,
    Index,
    Id,
    Key,
    Type,
}

/// A run of `name="{hole}"` attributes, read in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) named: Vec<(String, Hole)>,
    /// `{attrs}`: every other attribute is a parameter.
    pub(crate) rest: bool,
}

/// The hole that carries a pattern's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyHole {
    pub(crate) kind: BodyKind,
    /// `:trim`: line breaks at the edges of the value are not data.
    pub(crate) trim: bool,
    /// `:cdata`: `<![CDATA[…]]>` is unwrapped.
    pub(crate) cdata: bool,
    /// `:entities`: the five predefined XML entities are decoded.
    pub(crate) entities: bool,
    /// What a call inside `{text}` is.
    pub(crate) inside: Inside,
    /// `\n{value}`: one line break before the value is markup.
    pub(crate) line_before: bool,
    /// `{value}\n`: one line break after the value is markup.
    pub(crate) line_after: bool,
}

/// The kind of data in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Arguments,
    Call,
    Calls,
    Params,
    Kwargs,
    Object,
    Lines,
    Content,
    Text,
    Value,
    Tree,
}

/// How a call inside a region's `{text}` is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Inside {
    /// A draft if the region closes, a call if it never does.
    #[default]
    Wait,
    /// `:opaque`: a quotation.
    Opaque,
    /// `:calls`: a call, and the region continues after it.
    Calls,
}

/// A literal with every spelling that the parser accepts; the first is the canonical one. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) spellings: Spellings,
}

/// The spellings of a literal; cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Spellings(Arc<[Spelling]>);

impl Deref for Spellings {
    type Target = [Spelling];

    fn deref(&self) -> &[Spelling] {
        &self.0
    }
}

impl<'s> IntoIterator for &'s Spellings {
    type Item = &'s Spelling;
    type IntoIter = Iter<'s, Spelling>;

    fn into_iter(self) -> Iter<'s, Spelling> {
        self.0.iter()
    }
}

impl FromIterator<Spelling> for Spellings {
    fn from_iter<I: IntoIterator<Item = Spelling>>(spellings: I) -> Self {
        Self(spellings.into_iter().collect())
    }
}

impl fmt::Debug for Spellings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// One spelling of a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub(crate) parts: Vec<SpellingPart>,
    /// The first bytes of its opener.
    lead: Lead,
    /// Strong: prose does not contain it.
    strong: bool,
    /// Prose does not contain its opener.
    strong_at_once: bool,
}

/// A part of a spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SpellingPart {
    Text(Cow<'static, str>),
    /// A place where white space may occur: at an inner space, before `<`, between two brackets, after a special token.
    Joint,
    /// The name that was read earlier in the pattern, in its spelling.
    Name,
    /// The key that was read earlier in the pattern.
    Key,
    /// `{mark}`: a suffix that is learned where it first occurs and must then repeat.
    Mark,
}

impl HeadPart {
    /// Returns the literal, if it is one.
    pub(crate) fn literal(&self) -> Option<&Literal> {
        if let Self::Literal(literal) = self { Some(literal) } else { None }
    }
}

impl Pattern {
    /// Iterates over all literals of the pattern.
    pub(crate) fn literals_mut(&mut self) -> impl Iterator<Item = &mut Literal> {
        let head = self.head.iter_mut();
        let head = head.filter_map(|part| if let HeadPart::Literal(literal) = part { Some(literal) } else { None });
        head.chain(&mut self.tail)
    }

    /// Returns whether the pattern opens with `<` and the tool's name.
    pub(crate) fn is_dynamic(&self) -> bool {
        matches!(&self.head[..], [HeadPart::Literal(open), HeadPart::Hole(Hole::Name), ..] if open.is("<"))
    }

    /// Returns the text the pattern opens with, in its canonical spelling.
    pub(crate) fn opener(&self) -> Option<String> {
        Some(self.opening()?.spellings.first()?.plain())
    }

    /// Returns whether the pattern opens with the tool's name itself.
    pub(crate) fn opens_with_name(&self) -> bool {
        matches!(self.head.first(), Some(HeadPart::Hole(Hole::Name)))
    }

    /// Returns whether the pattern is a region that a plain word opens, glued to its text.
    pub(crate) fn opens_with_word(&self) -> bool {
        let is_word = |spelling: &Spelling| match &spelling.parts[..] {
            [SpellingPart::Text(text)] => text.chars().all(char::is_alphabetic),
            _ => false,
        };
        let word = |literal: &Literal| literal.spellings.iter().all(is_word);
        self.head.len() == 1 && self.kind() == Some(BodyKind::Text) && self.opening().is_some_and(word)
    }

    /// Returns whether a parameter pattern opens with `<` and the key.
    pub(crate) fn has_key_tag(&self) -> bool {
        matches!(&self.head[..], [HeadPart::Literal(open), HeadPart::Hole(Hole::Key), ..] if open.ends_with('<'))
    }

    /// Returns whether only the closer marks what the pattern reads.
    pub(crate) fn is_unopened(&self) -> bool {
        self.head.is_empty() && self.tail.iter().any(Literal::is_strong)
    }

    /// Returns whether a hole is in the head, alone or as an attribute.
    pub(crate) fn reads(&self, hole: Hole) -> bool {
        self.head.iter().any(|part| match part {
            HeadPart::Hole(other) => *other == hole,
            HeadPart::Attributes(attributes) => attributes.named.iter().any(|attribute| attribute.1 == hole),
            HeadPart::Literal(_) => false,
        })
    }

    /// Returns whether every attribute of its tag is a parameter.
    pub(crate) fn takes_attributes(&self) -> bool {
        self.head.iter().any(|part| matches!(part, HeadPart::Attributes(Attributes { rest: true, .. })))
    }

    /// Returns whether a parameter's opener separates it from the previous one, and nothing else ends a value.
    pub(crate) fn is_separated(&self) -> bool {
        self.tail.is_empty() && self.kind() == Some(BodyKind::Value)
    }

    /// Returns whether the parameter, or the call, may have any tag: the tag's name is the key, or the tool's name.
    pub(crate) fn opens_like_any_tag(&self) -> bool {
        let named = matches!(self.head.get(1), Some(HeadPart::Hole(Hole::Key | Hole::Name)));
        named && self.opening().is_some_and(|open| open.is("<"))
    }

    /// Returns the literal the pattern opens with, if it opens with one.
    pub(crate) fn opening(&self) -> Option<&Literal> {
        self.head.first()?.literal()
    }

    /// Returns the literal directly after the opener.
    pub(crate) fn behind_opening(&self) -> Option<&Literal> {
        self.opening().and_then(|_| self.head.get(1)?.literal())
    }

    /// Returns the literal that ends the head's last hole, if there is no body between them.
    pub(crate) fn after_head(&self) -> Option<&Literal> {
        self.tail.first().filter(|_| self.body.is_none())
    }

    /// Returns the body's kind.
    pub(crate) fn kind(&self) -> Option<BodyKind> {
        self.body.as_ref().map(|body| body.kind)
    }
}

impl Literal {
    /// Returns whether the canonical spelling is `text`.
    pub(crate) fn is(&self, text: &str) -> bool {
        let parts = self.spellings.first().map(|spelling| &spelling.parts[..]);
        matches!(parts, Some([SpellingPart::Text(only)]) if only == text)
    }

    /// Returns whether the canonical spelling ends with a character.
    pub(crate) fn ends_with(&self, last: char) -> bool {
        let part = self.spellings.first().and_then(|spelling| spelling.parts.last());
        matches!(part, Some(SpellingPart::Text(text)) if text.ends_with(last))
    }

    /// Returns the literal with only those spellings for which `may` is true.
    pub(crate) fn only(&self, may: impl Fn(&&Spelling) -> bool) -> Self {
        Self { spellings: self.spellings.iter().filter(may).cloned().collect() }
    }

    /// Returns the strong spellings with their placeholders filled in.
    pub(crate) fn filled(
        &self,
        name: Option<&str>,
        mark: Option<&str>,
        key: Option<&str>,
    ) -> impl Iterator<Item = String> {
        let filled = move |spelling: &Spelling| (spelling.strong, spelling.filled(name, mark, key));
        self.spellings.iter().map(filled).filter(|(strong, text)| *strong || is_strong(text)).map(|(_, text)| text)
    }

    /// Returns the first byte of all spellings, if it is the same, and that of the same text.
    pub(crate) fn first_byte(&self) -> Option<u8> {
        let first = |spelling: &Spelling| spelling.opener().bytes().next();
        let all = first(self.spellings.first()?)?;
        self.spellings.iter().all(|spelling| first(spelling) == Some(all)).then_some(all)
    }

    /// Returns whether the literal may be absent.
    pub(crate) fn is_optional(&self) -> bool {
        self.spellings.iter().any(Spelling::is_empty)
    }

    /// Returns whether a spelling is strong: prose does not contain it.
    pub(crate) fn is_strong(&self) -> bool {
        self.spellings.iter().any(|spelling| spelling.strong)
    }

    /// Returns whether a spelling matches a text that begins with `lead`.
    pub(crate) fn may_stand(&self, lead: Lead) -> bool {
        self.spellings.iter().any(|spelling| spelling.may_stand(lead))
    }

    /// Returns the literal with only its strong spellings, if it has any.
    pub(crate) fn strong(&self) -> Option<Self> {
        match self.spellings.iter().filter(|spelling| spelling.strong).count() {
            0 => None,
            all if all == self.spellings.len() => Some(self.clone()),
            _ => Some(Self { spellings: self.spellings.iter().filter(|spelling| spelling.strong).cloned().collect() }),
        }
    }

    /// Returns whether a spelling may be mistaken for the end of a name.
    pub(crate) fn may_end_name(&self) -> bool {
        let first = |spelling: &Spelling| spelling.opener().chars().next();
        !self.is_optional()
            && self.spellings.iter().filter_map(first).any(|c| c.is_alphanumeric() || "_.:/-".contains(c))
    }

    /// Returns whether the canonical spelling consists of closing brackets.
    pub(crate) fn is_brackets(&self) -> bool {
        let mut bytes = self.spellings.iter().take(1).flat_map(Spelling::bytes).peekable();
        bytes.peek().is_some() && bytes.all(|byte| matches!(byte, b'}' | b']' | b')'))
    }

    /// Returns whether the canonical spelling is a closing tag.
    pub(crate) fn is_closing_tag(&self) -> bool {
        self.spellings.first().is_some_and(|spelling| spelling.opener().starts_with("</"))
    }
}

impl Pattern {
    /// Applies the file's declarations of strong and weak literals.
    pub(crate) fn weigh(&mut self, strong: &[String], weak: &[String]) {
        if strong.is_empty() && weak.is_empty() {
            return;
        }
        self.literals_mut().flat_map(|literal| Arc::make_mut(&mut literal.spellings.0)).for_each(|spelling| {
            let is = |text: &str, by_shape: bool| {
                let has = |markers: &[String]| markers.iter().any(|marker| text.contains(marker.as_str()));
                (by_shape || has(strong)) && !has(weak)
            };
            spelling.strong = is(&spelling.plain(), spelling.strong);
            spelling.strong_at_once = is(spelling.opener(), spelling.strong_at_once);
        });
    }
}

impl Spelling {
    pub(crate) fn new(parts: Vec<SpellingPart>) -> Self {
        let spelling = Self::known(parts, false, false);
        let (strong, strong_at_once) = (is_strong(&spelling.plain()), is_strong(spelling.opener()));
        Self { strong, strong_at_once, ..spelling }
    }

    /// Returns a spelling whose strength is known.
    pub(super) fn known(parts: Vec<SpellingPart>, strong: bool, strong_at_once: bool) -> Self {
        let opener = parts.first().and_then(SpellingPart::text).unwrap_or_default();
        Self { lead: Lead::of(opener.as_bytes()), parts, strong, strong_at_once }
    }

    /// Returns whether it matches a text that begins with `lead`.
    #[inline]
    pub(crate) fn may_stand(&self, lead: Lead) -> bool {
        self.lead.fits(lead)
    }

    /// Returns whether prose does not contain the spelling's opener either.
    pub(crate) fn is_strong_at_once(&self) -> bool {
        self.strong_at_once
    }

    /// Returns whether prose does not contain the spelling.
    pub(crate) fn is_strong(&self) -> bool {
        self.strong
    }

    /// Returns the spelling with its placeholders filled in.
    pub(crate) fn filled(&self, name: Option<&str>, mark: Option<&str>, key: Option<&str>) -> String {
        let fill = |part: &SpellingPart| match part {
            SpellingPart::Text(text) => text.clone().into_owned(),
            SpellingPart::Name => name.unwrap_or_default().to_owned(),
            SpellingPart::Mark => mark.unwrap_or_default().to_owned(),
            SpellingPart::Key => key.unwrap_or_default().to_owned(),
            SpellingPart::Joint => String::new(),
        };
        self.parts.iter().map(fill).collect()
    }

    /// Returns whether the spelling is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns whether the spelling is the same in every call: it has no placeholders.
    pub(crate) fn is_fixed(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, SpellingPart::Text(_) | SpellingPart::Joint))
    }

    /// Returns the spelling without its joints and placeholders.
    pub(crate) fn plain(&self) -> String {
        self.filled(None, None, None)
    }

    /// Returns the bytes of that text.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.parts.iter().filter_map(SpellingPart::text).flat_map(str::bytes)
    }

    /// Returns the number of characters without joints and placeholders.
    pub(crate) fn weight(&self) -> usize {
        self.plain().chars().count()
    }

    /// Returns the text up to the first joint or placeholder: the text that the scanner searches for.
    pub(crate) fn opener(&self) -> &str {
        self.parts.first().and_then(SpellingPart::text).unwrap_or_default()
    }

    /// Returns whether it is a closing tag with the name of the call or the parameter.
    pub(crate) fn is_named_closer(&self) -> bool {
        let behind = self.parts.iter().skip(1).find(|part| **part != SpellingPart::Joint);
        self.opener() == "</" && matches!(behind, Some(SpellingPart::Name | SpellingPart::Key))
    }
}

impl SpellingPart {
    /// Returns a part that is text, `None` for joints and placeholders.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Returns the strong openers of calls and sections, each once: strong by themselves, or by the next line.
pub(super) fn strong_openings(calls: &[Pattern], sections: &[Pattern]) -> Vec<Literal> {
    let by_line = |pattern: &Pattern| {
        pattern.behind_opening().filter(|next| next.is_strong()).and_then(|_| pattern.opening().cloned())
    };
    let sure = |pattern: &Pattern| pattern.opening().and_then(Literal::strong).or_else(|| by_line(pattern));
    each_once(calls.iter().chain(sections).filter_map(sure))
}

/// Returns the openers of parameters, each once, except tags named after the key.
pub(super) fn param_openings(params: &[Pattern]) -> Vec<Literal> {
    each_once(params.iter().filter(|param| !param.has_key_tag()).filter_map(Pattern::opening).cloned())
}

/// Returns the first and the last third of each marker around values that nothing else ends.
pub(super) fn pieces(calls: &[Pattern], params: &[Pattern]) -> Vec<String> {
    let around = calls.iter().chain(params.iter().filter(|param| param.is_separated()));
    let literals = around.flat_map(|pattern| pattern.opening().into_iter().chain(&pattern.tail));
    let spellings = literals.filter_map(|literal| literal.spellings.first()).filter(|it| it.strong && it.is_fixed());
    let both = |marker: String| {
        let (letters, all) = (marker.trim().chars(), marker.trim().chars().count());
        [letters.clone().take(all / 3).collect(), letters.skip(all - all / 3).collect::<String>()]
    };
    let is_mark = |piece: &String| piece.len() > 3 && !piece.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match params.iter().any(Pattern::is_separated) {
        true => spellings.map(Spelling::plain).flat_map(both).filter(is_mark).collect(),
        false => Vec::new(),
    }
}

/// Returns the items in order, each once.
pub(crate) fn each_once<T: PartialEq>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    things.into_iter().fold(Vec::new(), |mut once, thing| {
        if !once.contains(&thing) {
            once.push(thing);
        }
        once
    })
}

/// Returns whether a literal is strong: a tag, a special token, a bracketed marker, or one between two signs
/// outside ASCII that are not letters, such as a pair of brackets.
pub(crate) fn is_strong(literal: &str) -> bool {
    let bytes = literal.as_bytes();
    let bracketed = bytes.windows(3).any(|three| matches!(three, [b'[', b'/', c] if c.is_ascii_uppercase()));
    let tag = bytes.windows(2).any(|pair| match pair {
        [b'<', next] => next.is_ascii_alphabetic() || matches!(next, b'|' | b'/' | b']') || !next.is_ascii(),
        [b'[', next] => next.is_ascii_uppercase(),
        _ => false,
    });
    let mut signs = literal.chars().filter(|letter| !letter.is_ascii() && !letter.is_alphanumeric());
    tag || bracketed || signs.next().is_some_and(|first| signs.any(|other| other != first))
}
