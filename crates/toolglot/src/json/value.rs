//! Values: which one begins, how the schema affects it, and whole scalars.

use std::ops::Range;

use super::deferred::DeferReason;
use super::look::Ahead;
use super::quote::Quote;
use super::reader::ReaderStep;
use super::state::{Bracket, Expect, Token};
use super::text::RunningString;
use super::write::write_string;
use super::{Ended, ValueOutcome, ValuePosition, scalar};
use crate::coerce::{self, Conversion};
use crate::diagnostic::{Code, excerpt};
use crate::options::Validation;
use crate::parser::LOOK;
use crate::schema::{NodeId, SchemaNode, Types};
use crate::view::NotYet;

/// A single-line string with a doubtful quote is examined up to this length.
pub(super) const LINE: usize = 1 << 10;

impl ReaderStep<'_> {
    /// Reads the input where a value is expected.
    pub(super) fn value(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let element = self.reader.state.expect() == Expect::Element;
        match byte {
            b'}' | b']' | b')' if element => self.closing(byte),
            b',' if element => Ok(self.extra_comma()),
            b',' | b'}' if self.may_lack_value() => Ok(self.missing_value()),
            b'{' if self.is_set()? => {
                let at = self.at();
                match self.admit(Code::Tuple, at..at + 1, "read a set as an array") {
                    true => self.bracket(Bracket::Set),
                    false => Ok(self.ended(Ended::Broken)),
                }
            }
            b'{' => self.bracket(Bracket::Object),
            b'[' if !self.is_root() => self.bracket(Bracket::Array),
            b'(' if !self.is_root() => self.parenthesis(),
            _ => self.leaf(),
        }
    }

    /// Returns whether the arguments object itself is expected.
    pub(super) fn is_root(&self) -> bool {
        self.reader.place == ValuePosition::Arguments && self.reader.state.open().is_empty()
    }

    /// Returns whether a nullable value of no other declared type is expected.
    fn may_lack_value(&self) -> bool {
        let types = self.node(self.reader.node).map_or(Types::OPEN, SchemaNode::types);
        self.reader.state.expect() == Expect::Member && (types.is_open() || types.has(Types::NULL))
    }

    /// A key without a value.
    fn missing_value(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        self.repaired(Code::MissingValue, at..at, "read a missing value as null", |turn| {
            turn.put("null");
            turn.reader.state.step(Token::Value);
        })
    }

    fn parenthesis(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let (bracket, message) = match self.look().is_group(at)? {
            true => (Bracket::Group, "dropped the parentheses around a single value"),
            false => (Bracket::Tuple, "read a tuple as an array"),
        };
        if !self.admit(Code::Tuple, at..at + 1, message) {
            return Ok(self.ended(Ended::Broken));
        }
        if bracket == Bracket::Tuple || self.reader.state.depth() >= self.context.options.limits.depth {
            return self.bracket(bracket);
        }
        let node = self.value_begin();
        self.reader.node = node;
        Ok(self.open(bracket, node))
    }

    /// Returns whether the current brace opens a Python set: its first value is plain, and no colon follows it.
    fn is_set(&self) -> Result<bool, NotYet> {
        if self.reader.place != ValuePosition::Keyword {
            return Ok(false);
        }
        let (look, first) = (self.look(), self.look().gap(self.at() + 1)?);
        let end = match look.opens(first)? {
            Some((quote, length)) => look.string(quote, first + length, LOOK)?,
            None => look.word(first)?,
        };
        let Ahead::Found(end) = end else { return Ok(false) };
        Ok(matches!(self.view.byte(look.gap(end)?)?, Some(b',' | b'}')))
    }

    fn bracket(&mut self, bracket: Bracket) -> Result<Option<ValueOutcome>, NotYet> {
        if self.reader.state.depth() >= self.context.options.limits.depth {
            return Ok(self.open(bracket, None));
        }
        if self.is_root() && bracket == Bracket::Object {
            let node = self.value_begin();
            self.defer_head();
            return Ok(self.open(bracket, node));
        }
        let kind = if bracket == Bracket::Object { Types::OBJECT } else { Types::ARRAY };
        let takes = |node: &SchemaNode<'_>| node.types().is_open() || node.types().has(kind);
        let misfit = self.node(self.value_node()).filter(|known| !takes(known));
        let wrapper = misfit.filter(|_| bracket == Bracket::Object).and_then(|known| {
            coerce::wraps(known, self.context.options).filter(|item| item.as_ref().is_none_or(takes))
        });
        let markers = self.context.markers;
        // No call begins with a tuple or a set, and to read one has been reported.
        let json = matches!(bracket, Bracket::Object | Bracket::Array);
        let another = json && misfit.is_some() && wrapper.is_none() && markers.begins_in_string(self.at())?;
        if another || bracket == Bracket::Array && markers.opens(self.view, self.at())?.is_some() {
            return Ok(self.ended(Ended::Broken));
        }
        let node = self.value_begin();
        match (wrapper, misfit) {
            (Some(item), _) => Ok(self.open_wrapped(item.map(SchemaNode::id))),
            (None, Some(known)) => Ok(self.open_misfit(bracket, known, kind)),
            (None, None) => Ok(self.open(bracket, node)),
        }
    }

    /// Opens a bracket where the schema allows none.
    fn open_misfit(&mut self, bracket: Bracket, node: SchemaNode<'_>, kind: Types) -> Option<ValueOutcome> {
        self.misfit_bracket(node, kind);
        let opened = self.open(bracket, None);
        if let Some(frame) = self.reader.state.innermost_mut() {
            frame.misfit = true;
        }
        opened
    }

    fn open_wrapped(&mut self, node: Option<NodeId>) -> Option<ValueOutcome> {
        let at = self.at();
        self.sink().repair(Code::WrapScalar, at..at + 1, "wrapped an object in the array that the schema declares");
        self.put("[");
        let opened = self.open(Bracket::Object, node);
        if let Some(frame) = self.reader.state.innermost_mut() {
            frame.wrapped = true;
        }
        opened
    }

    /// Reads an object or array where none is declared: as text if a string is, as its only member, or as a mismatch.
    fn misfit_bracket(&mut self, node: SchemaNode<'_>, kind: Types) {
        let (at, types) = (self.at(), node.types());
        let text = types.has(Types::STRING) && types.only(Types::STRING | Types::NULL);
        let scalars = Types::STRING | Types::INTEGER | Types::NUMBER | Types::BOOLEAN;
        let member = kind == Types::OBJECT && types.has(scalars) && self.sink.allows(Code::UnwrapObject);
        if self.converts() && (text || member) {
            self.defer(DeferReason::Bracket, Some(node.id()));
        } else {
            let message = "the schema allows neither an object nor an array here";
            self.sink().diagnose(Code::TypeMismatch, at..at + 1, message);
        }
    }

    /// Begins a value: the comma before it was valid. Returns its schema.
    fn value_begin(&mut self) -> Option<NodeId> {
        let node = self.value_node();
        if self.reader.state.expect() == Expect::Element {
            self.member_start();
        }
        self.put_pending();
        node
    }

    pub(super) fn value_node(&self) -> Option<NodeId> {
        let schema = self.context.schema?;
        match self.reader.state.innermost() {
            None if self.reader.place == ValuePosition::Arguments => {
                Some(self.reader.node.unwrap_or(schema.root().id()))
            }
            Some(frame) if matches!(frame.bracket, Bracket::Array | Bracket::Tuple | Bracket::Set) => {
                Some(schema.node(frame.node?).item(frame.members)?.id())
            }
            _ => self.reader.node,
        }
    }

    pub(super) fn converts(&self) -> bool {
        self.context.options.validation != Validation::Lenient
    }

    fn leaf(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if let Some((quote, length)) = self.look().opens(at)? {
            return self.string(at, false, quote, length);
        }
        if let Some((start, raw)) = self.prefix(at)? {
            self.triple(start)?;
            return match self.look().opens(start)? {
                Some((quote, length)) if self.admit(Code::StringPrefix, at..start, "dropped a string prefix") => {
                    self.string(start, raw, quote, length)
                }
                _ => Ok(self.ended(Ended::Broken)),
            };
        }
        if self.lines_ahead()? {
            return self.lines();
        }
        if self.stands_stop(at)? {
            return self.stop_or_broken();
        }
        match self.unopened()? {
            Some(quote) => self.string(at, false, quote, 0),
            None => self.bare(),
        }
    }

    /// Returns the byte that occurs three times at `at`, if it is a quote.
    fn triple(&self, at: usize) -> Result<Option<u8>, NotYet> {
        let first = self.view.byte(at)?;
        if !matches!(first, Some(b'"' | b'\'')) || self.view.byte(at + 1)? != first || self.view.byte(at + 2)? != first
        {
            return Ok(None);
        }
        // Four are the quote of a string that begins with three of its own.
        let four = self.reader.place != ValuePosition::Keyword && self.view.byte(at + 3)? == first;
        Ok(first.filter(|_| !four))
    }

    /// Returns whether four quotes begin a string of one line and four end it: one on each side is either its own, and the rest
    /// its text, or the other way round.
    fn is_doubly_quoted(&self, quote: u8, at: usize) -> Result<bool, NotYet> {
        if self.view.byte(at + 3)? != Some(quote) {
            return Ok(false);
        }
        let Ahead::Found(end) = self.look().string(Quote::Triple(quote), at + 4, LINE)? else { return Ok(false) };
        Ok(self.view.rest(end - 4).starts_with(&[quote; 4]))
    }

    fn string(&mut self, at: usize, raw: bool, quote: Quote, length: usize) -> Result<Option<ValueOutcome>, NotYet> {
        let triple = self.triple(at)?;
        if let Some(byte) = triple
            && (!self.reader.ends.is_empty() || self.is_doubly_quoted(byte, at)?)
        {
            let message = "quotes in a row, which can be read in two ways";
            self.sink().repair(Code::InnerQuote, at..at + 3, message);
            return Ok(self.ended(Ended::Broken));
        }
        let (quote, length) = match triple {
            Some(byte) if !matches!(quote, Quote::Token | Quote::Escaped) => (Quote::Triple(byte), 3),
            _ => (quote, length),
        };
        if !self.admit_quote(quote, at..at + length) {
            return Ok(self.ended(Ended::Broken));
        }
        let from = self.at();
        let node = self.value_begin();
        let held = self.node(node).is_some_and(|node| node.holds_strings());
        if self.is_root() || (held && self.converts()) {
            if !self.reader.deferred.is_on() {
                self.defer(DeferReason::String, node);
            }
        } else if held && self.node(node).is_some_and(|node| !node.types().has(Types::STRING)) {
            self.sink().diagnose(Code::TypeMismatch, at..at + length, "the schema does not allow a string here");
        }
        self.text_start(RunningString::new(quote, false, raw, from), at + length);
        Ok(None)
    }

    pub(super) fn admit_quote(&mut self, quote: Quote, span: Range<usize>) -> bool {
        match quote {
            Quote::Double | Quote::Token | Quote::Escaped => true,
            Quote::Single => self.admit(Code::SingleQuotes, span, "read a single-quoted string"),
            Quote::Back => self.admit(Code::BackQuotes, span, "read a back-quoted string"),
            Quote::Curly | Quote::CurlySingle => {
                self.admit(Code::TypographicQuotes, span, "read a string in curly quotes")
            }
            Quote::Triple(_) => self.admit(Code::TripleQuotes, span, "read a triple-quoted string"),
            Quote::Entity => self.admit(Code::EntityQuotes, span, "read an entity as a quote"),
            Quote::Leaked(_) => self.admit(Code::QuoteToken, span, "read a quote token as a quote"),
        }
    }

    pub(super) fn scalar(&mut self, word: &str, end: usize, code: Option<Code>) -> Option<ValueOutcome> {
        let span = self.at()..end;
        if scalar::is_json(word) {
            return self.put_scalar(word, end);
        }
        let types = match (self.context.schema, self.value_node()) {
            (Some(schema), Some(node)) => schema.node(node).types(),
            _ => Types::OPEN,
        };
        if let Some(fixed) = scalar::fix(word, types) {
            let message = format!("read `{word}` as `{}`", fixed.json);
            if !fixed.codes.iter().all(|code| self.admit(*code, span.clone(), &message)) {
                return self.ended(Ended::Broken);
            }
            if types.has(Types::STRING)
                && fixed.json.starts_with('"')
                && fixed.codes.iter().all(|code| self.is_native(*code))
            {
                self.sink().diagnose(Code::Coerced, span, message);
            }
            return self.put_scalar(&fixed.json, end);
        }
        let message = format!("read `{word}` as a string");
        if !code.is_some_and(|code| self.admit(code, span, &message)) {
            return self.ended(Ended::Broken);
        }
        let mut json = String::new();
        write_string(word, &mut json);
        self.put_scalar(&json, end)
    }

    /// Emits a scalar, or a string that was held whole, as the schema requires.
    pub(super) fn put_scalar(&mut self, json: &str, end: usize) -> Option<ValueOutcome> {
        let span = self.at()..end;
        let node = self.value_begin();
        self.skip_to(end);
        self.put_converted(json, node, span);
        self.value_end()
    }

    pub(super) fn put_converted(&mut self, json: &str, node: Option<NodeId>, span: Range<usize>) {
        let Some(node) = self.node(node) else { return self.put(json) };
        let mut out = String::new();
        let options = self.context.options;
        match coerce::value(json, node, options, &mut out) {
            Conversion::Fits => {}
            Conversion::Coerced => {
                let message = format!("converted `{}` to `{}`", excerpt(json), excerpt(&out));
                self.sink().diagnose(Code::Coerced, span, message);
            }
            Conversion::Mismatch => match coerce::wrapped(json, node, options) {
                Some(array) => {
                    let message = format!("wrapped `{}` in the array `{}`", excerpt(json), excerpt(&array));
                    self.sink().repair(Code::WrapScalar, span, message);
                    out = array;
                }
                None => {
                    let message = format!("`{}` does not match any type that the schema declares", excerpt(json));
                    self.sink().diagnose(Code::TypeMismatch, span, message);
                }
            },
        }
        self.put(&out);
    }
}

impl<'t> ReaderStep<'t> {
    /// Returns the schema with which a value is checked and converted; held values are checked later.
    pub(super) fn node(&self, node: Option<NodeId>) -> Option<SchemaNode<'t>> {
        if self.reader.deferred.is_on() { None } else { Some(self.context.schema?.node(node?)) }
    }
}
