//! The precompiled table of the built-in dialects, so that no process has to compile them again.
//!
//! The table is a cache. A file that it does not contain, because it has just been changed, is compiled normally.
//!
//! ```text
//! table.bin   the key of a file's text, the length of what follows, the dialect     for each file
//! a dialect   its literals, then its parts; numbers in base 128, the low digits first; a list begins with its length
//! a text      where it starts and how long it is, in the file itself or behind that in texts.txt
//! ```

use std::borrow::Cow;

use super::hole::Holder;
use super::pattern::{
    Attributes, BodyHole, HeadPart, Hole, Inside, Literal, Pattern, Spelling, SpellingPart, param_openings, pieces,
    strong_openings,
};
use super::teach::PLACES;
use super::{Dialect, IdPattern, MemberNames, Teach, TypeWords};

const TABLE: &[u8] = include_bytes!("shelf/table.bin");

const TEXTS: &str = include_str!("shelf/texts.txt");

/// The kinds of parts of a spelling.
pub(super) const PLACEHOLDERS: [SpellingPart; 4] =
    [SpellingPart::Joint, SpellingPart::Name, SpellingPart::Key, SpellingPart::Mark];

pub(super) const INSIDES: [Inside; 3] = [Inside::Wait, Inside::Opaque, Inside::Calls];

/// Returns a dialect if the table contains its file.
pub(super) fn read(name: &str, source: &'static str) -> Option<Dialect> {
    let (key, mut rest) = (key(source), TABLE);
    while let Some((found, behind)) = rest.split_first_chunk() {
        let (length, behind) = behind.split_first_chunk()?;
        let (record, behind) = behind.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        if u64::from_le_bytes(*found) == key {
            return Some(ShelfReader { rest: record, source, literals: Vec::new() }.dialect(name));
        }
        rest = behind;
    }
    None
}

/// Returns a hash of a file's text.
pub(super) fn key(source: &str) -> u64 {
    let (words, rest) = source.as_bytes().as_chunks();
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    words
        .chain(rest)
        .fold(source.len() as u64, |key, word| (key ^ word).rotate_left(29).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Decodes one dialect of the table. Missing data is empty: a test proves that nothing is missing.
struct ShelfReader {
    rest: &'static [u8],
    source: &'static str,
    literals: Vec<Literal>,
}

impl ShelfReader {
    fn dialect(mut self, name: &str) -> Dialect {
        self.literals = self.list(Self::literal);
        let [calls, sections, params, reasoning, content] = [(); 5].map(|()| self.list(Self::pattern));
        let [aliases, models, special, strong, weak, skip, turn_end, turn_start] = [(); 8].map(|()| self.strings());
        Dialect {
            name: name.into(),
            about: self.text().into(),
            openings: strong_openings(&calls, &sections),
            param_openings: param_openings(&params),
            pieces: pieces(&calls, &params),
            has_call_tags: calls.iter().any(Pattern::opens_like_any_tag),
            has_param_tags: params.iter().any(Pattern::opens_like_any_tag),
            join: self.text().into(),
            one_section: self.number() == 1,
            members: MemberNames {
                name: self.strings(),
                arguments: self.strings(),
                id: self.strings(),
                writes_id: self.number() == 1,
            },
            types: self.optional(|reader| {
                let [string, integer, other] = [(); 3].map(|()| reader.optional(Self::string));
                TypeWords { string, integer, other }
            }),
            quote: self.optional(Self::string),
            id: self.optional(|reader| IdPattern { before: reader.string(), between: reader.string() }),
            words: self.list(|reader| (reader.string(), reader.strings())),
            teach: Teach {
                tools: self.text().into(),
                tool: self.text().into(),
                place: self.one_of(PLACES.map(|place| place.1)),
                result: self.text().into(),
                results: self.text().into(),
                between: self.text().into(),
            },
            source: Cow::Borrowed(self.source),
            aliases,
            models,
            special,
            strong,
            weak,
            calls,
            sections,
            params,
            reasoning,
            content,
            skip,
            turn_end,
            turn_start,
        }
    }

    fn pattern(&mut self) -> Pattern {
        Pattern {
            source: self.text().into(),
            head: self.list(Self::head_part),
            body: self.optional(Self::body),
            tail: self.list(Self::known_literal),
        }
    }

    fn head_part(&mut self) -> HeadPart {
        match self.number() {
            0 => HeadPart::Literal(self.known_literal()),
            1 => HeadPart::Attributes(Attributes {
                named: self.list(|reader| (reader.string(), reader.hole())),
                rest: self.number() == 1,
            }),
            _ => HeadPart::Hole(self.hole()),
        }
    }

    fn hole(&mut self) -> Hole {
        match Holder::by_number(self.number()) {
            Some(Holder::Head(hole)) => hole,
            _ => Hole::Ignored,
        }
    }

    fn body(&mut self) -> BodyHole {
        let kind = match Holder::by_number(self.number()) {
            Some(Holder::Body(kind)) => kind,
            _ => super::BodyKind::Content,
        };
        let flags = self.number();
        let has = |flag: usize| flags >> flag & 1 == 1;
        BodyHole {
            kind,
            trim: has(0),
            cdata: has(1),
            entities: has(2),
            line_before: has(3),
            line_after: has(4),
            inside: self.one_of(INSIDES),
        }
    }

    fn known_literal(&mut self) -> Literal {
        let number = self.number();
        self.literals.get(number).cloned().unwrap_or(Literal { spellings: [].into_iter().collect() })
    }

    fn literal(&mut self) -> Literal {
        Literal { spellings: (0..self.number()).map(|_| self.spelling()).collect() }
    }

    fn spelling(&mut self) -> Spelling {
        let (strength, parts) = (self.number(), self.list(Self::part));
        Spelling::known(parts, strength & 1 == 1, strength & 2 == 2)
    }

    fn part(&mut self) -> SpellingPart {
        let number = self.number();
        match PLACEHOLDERS.get(number) {
            Some(placeholder) => placeholder.clone(),
            None => SpellingPart::Text(self.text_of(number - PLACEHOLDERS.len()).into()),
        }
    }

    fn strings(&mut self) -> Vec<String> {
        self.list(Self::string)
    }

    fn string(&mut self) -> String {
        self.text().to_owned()
    }

    fn text(&mut self) -> &'static str {
        let length = self.number();
        self.text_of(length)
    }

    fn text_of(&mut self, length: usize) -> &'static str {
        let start = self.number();
        let (text, start) = match start.checked_sub(self.source.len()) {
            Some(start) => (TEXTS, start),
            None => (self.source, start),
        };
        text.get(start..start + length).unwrap_or_default()
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.number()).map(|_| one(self)).collect()
    }

    fn optional<T>(&mut self, one: impl Fn(&mut Self) -> T) -> Option<T> {
        (self.number() == 1).then(|| one(self))
    }

    fn one_of<T: Copy + Default, const N: usize>(&mut self, all: [T; N]) -> T {
        all.get(self.number()).copied().unwrap_or_default()
    }

    fn number(&mut self) -> usize {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else { break };
            self.rest = rest;
            number |= usize::from(byte & 127) << shift;
            if *byte < 128 {
                break;
            }
        }
        number
    }
}
