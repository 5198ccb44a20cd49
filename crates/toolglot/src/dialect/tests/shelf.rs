//! The table of compiled dialects: it is what the files give, and this is what writes it.

use std::{env, fs};

use crate::dialect::builtin::FILES;
use crate::dialect::shelf::{INSIDES, PLACEHOLDERS, key, read};
use crate::dialect::teach::PLACES;
use crate::dialect::{BodyHole, Dialect, HeadPart, Holder, Hole, Literal, Pattern, Spelling, SpellingPart};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialect/shelf/");

#[test]
fn the_table_is_what_the_files_give() {
    let (table, texts) = written();
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(format!("{FOLDER}table.bin"), &table).expect("the table can be written");
        fs::write(format!("{FOLDER}texts.txt"), &texts).expect("the texts can be written");
        return;
    }
    let advice = "write the table anew: UPDATE_EXPECT=1 cargo test -p toolglot --lib the_table_is";
    assert!(fs::read(format!("{FOLDER}table.bin")).expect("the table is there") == table, "{advice}");
    assert!(fs::read_to_string(format!("{FOLDER}texts.txt")).expect("the texts are there") == texts, "{advice}");
    for (name, source) in FILES {
        let kept = read(name, source).unwrap_or_else(|| panic!("{name} is not there; {advice}"));
        let made = Dialect::from_toml(name, source).expect("every file loads");
        assert_eq!(format!("{kept:#?}"), format!("{made:#?}"), "{name}; {advice}");
    }
}

#[test]
fn a_file_that_has_changed_is_not_in_the_table() {
    let (name, source) = FILES[0];
    assert!(read(name, source).is_some());
    assert!(read(name, &source[1..]).is_none());
    assert!(read(name, Box::leak(source.replacen("tool", "toll", 1).into_boxed_str())).is_none());
}

fn written() -> (Vec<u8>, String) {
    let (mut table, mut texts) = (Vec::new(), String::new());
    for (name, source) in FILES {
        let dialect = Dialect::from_toml(name, source).expect("every file loads");
        let mut writer = ShelfWriter { record: Vec::new(), source, texts, literals: Vec::new() };
        writer.dialect(&dialect);
        table.extend(key(source).to_le_bytes());
        table.extend(u16::try_from(writer.record.len()).expect("a dialect is small").to_le_bytes());
        table.extend(&writer.record);
        texts = writer.texts;
    }
    (table, texts)
}

/// Writes one dialect of the table; the texts grow by what neither they nor the file have.
struct ShelfWriter {
    record: Vec<u8>,
    source: &'static str,
    texts: String,
    literals: Vec<Literal>,
}

impl ShelfWriter {
    fn dialect(&mut self, dialect: &Dialect) {
        let patterns = [&dialect.calls, &dialect.sections, &dialect.params, &dialect.reasoning, &dialect.content];
        for literal in patterns.into_iter().flatten().flat_map(literals) {
            if !self.literals.contains(literal) {
                self.literals.push(literal.clone());
            }
        }
        self.list(&self.literals.clone(), Self::literal);
        patterns.into_iter().for_each(|patterns| self.list(patterns, Self::pattern));
        let Dialect { aliases, models, special, strong, weak, skip, turn_end, turn_start, members, teach, .. } =
            dialect;
        for texts in [aliases, models, special, strong, weak, skip, turn_end, turn_start] {
            self.strings(texts);
        }
        self.text(&dialect.about);
        self.text(&dialect.join);
        self.flag(dialect.one_section);
        [&members.name, &members.arguments, &members.id].into_iter().for_each(|names| self.strings(names));
        self.flag(members.writes_id);
        self.optional(dialect.types.as_ref(), |writer, types| {
            [&types.string, &types.integer, &types.other].into_iter().for_each(|word| {
                writer.optional(word.as_ref(), |writer, word| writer.text(word));
            });
        });
        self.optional(dialect.quote.as_ref(), |writer, quote| writer.text(quote));
        self.optional(dialect.id.as_ref(), |writer, id| {
            writer.text(&id.before);
            writer.text(&id.between);
        });
        self.list(&dialect.words, |writer, (name, spellings)| {
            writer.text(name);
            writer.strings(spellings);
        });
        [teach.tools(), teach.tool()].into_iter().for_each(|text| self.text(text));
        self.one_of(PLACES.map(|place| place.1), teach.place());
        [teach.result(), teach.results(), teach.between()].into_iter().for_each(|text| self.text(text));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.text(&pattern.source);
        self.list(&pattern.head, Self::head_part);
        self.optional(pattern.body.as_ref(), Self::body);
        self.list(&pattern.tail, Self::known_literal);
    }

    fn head_part(&mut self, part: &HeadPart) {
        match part {
            HeadPart::Literal(literal) => {
                self.number(0);
                self.known_literal(literal);
            }
            HeadPart::Attributes(attributes) => {
                self.number(1);
                self.list(&attributes.named, |writer, (name, hole)| {
                    writer.text(name);
                    writer.hole(*hole);
                });
                self.flag(attributes.rest);
            }
            HeadPart::Hole(hole) => {
                self.number(2);
                self.hole(*hole);
            }
        }
    }

    fn hole(&mut self, hole: Hole) {
        self.number(Holder::Head(hole).number());
    }

    fn body(&mut self, body: &BodyHole) {
        self.number(Holder::Body(body.kind).number());
        let flags = [body.trim, body.cdata, body.entities, body.line_before, body.line_after];
        self.number((0..).zip(flags).map(|(at, flag)| usize::from(flag) << at).sum());
        self.one_of(INSIDES, body.inside);
    }

    fn known_literal(&mut self, literal: &Literal) {
        let number = self.literals.iter().position(|known| known == literal);
        self.number(number.expect("every literal is listed"));
    }

    fn literal(&mut self, literal: &Literal) {
        self.list(&literal.spellings, Self::spelling);
    }

    fn spelling(&mut self, spelling: &Spelling) {
        self.number(usize::from(spelling.is_strong()) | usize::from(spelling.is_strong_at_once()) << 1);
        self.list(&spelling.parts, Self::part);
    }

    fn part(&mut self, part: &SpellingPart) {
        match (PLACEHOLDERS.iter().position(|placeholder| placeholder == part), part.text()) {
            (Some(number), _) => self.number(number),
            (None, text) => self.text_from(PLACEHOLDERS.len(), text.expect("all else are placeholders")),
        }
    }

    fn strings(&mut self, texts: &[String]) {
        self.list(texts, |writer, text| writer.text(text));
    }

    fn text(&mut self, text: &str) {
        self.text_from(0, text);
    }

    /// Writes a text; its length begins with a number.
    fn text_from(&mut self, first: usize, text: &str) {
        self.number(first + text.len());
        let known = self.source.find(text).or_else(|| Some(self.source.len() + self.texts.find(text)?));
        self.number(known.unwrap_or(self.source.len() + self.texts.len()));
        if known.is_none() {
            self.texts.push_str(text);
        }
    }

    fn list<T>(&mut self, list: &[T], one: impl Fn(&mut Self, &T)) {
        self.number(list.len());
        list.iter().for_each(|item| one(self, item));
    }

    fn optional<T>(&mut self, value: Option<&T>, one: impl Fn(&mut Self, &T)) {
        self.flag(value.is_some());
        value.into_iter().for_each(|value| one(self, value));
    }

    fn flag(&mut self, flag: bool) {
        self.number(usize::from(flag));
    }

    fn one_of<T: PartialEq, const N: usize>(&mut self, all: [T; N], one: T) {
        self.number(all.iter().position(|other| *other == one).expect("all are listed"));
    }

    fn number(&mut self, mut number: usize) {
        while number > 127 {
            self.record.push((number & 127) as u8 | 128);
            number >>= 7;
        }
        self.record.push(number as u8);
    }
}

fn literals(pattern: &Pattern) -> impl Iterator<Item = &Literal> {
    let head = pattern.head.iter().filter_map(|part| match part {
        HeadPart::Literal(literal) => Some(literal),
        _ => None,
    });
    head.chain(&pattern.tail)
}
