//! Keyword arguments in their most common form, in one pass: complete, each as the tool declares it, and without anything in
//! their strings that needs a decision.

use super::call_context::CallContext;
use super::plain_call::{PLAIN, PlainText};
use crate::coerce;
use crate::json::{MEMBERS, Markers, clean_run, is_number, is_token, plain_content};
use crate::schema::SchemaNode;
use crate::sink::Sink;

/// Complete keyword arguments.
pub(super) struct PlainKwargs<'v> {
    /// Each name and its value, which is JSON except for the quotes of a string.
    keywords: [(&'v str, PlainValue<'v>); MEMBERS],
    count: usize,
    /// Where their parenthesis is.
    pub(super) end: usize,
}

/// The value of one of them.
#[derive(Clone, Copy)]
enum PlainValue<'v> {
    Token(&'v str),
    Text(&'v str),
}

impl<'v> PlainKwargs<'v> {
    /// Returns the arguments that begin at `at`; `None` if they need a decision.
    pub(super) fn at(at: usize, context: &CallContext<'v>) -> Option<Self> {
        let view = context.view.limited(at.saturating_add(PLAIN));
        if context.engine.options.careful || view.has_marks() || context.bounded {
            return None;
        }
        let root = context.root();
        let mut text = PlainText { view, at };
        let mut plain = Self { keywords: [("", PlainValue::Token("")); MEMBERS], count: 0, end: at };
        loop {
            let name = text.keyword(context)?;
            let declared = root.is_none_or(|root| root.declares(name));
            (declared && !plain.has(name)).then_some(())?;
            let value = text.keyword_value(root.and_then(|root| root.property(name)), context)?;
            *plain.keywords.get_mut(plain.count)? = (name, value);
            plain.count += 1;
            text.skip_blanks();
            plain.end = text.at;
            match view.rest(text.at).first()? {
                b',' => text.at += 1,
                b')' => break,
                _ => return None,
            }
        }
        let mut required = root.map_or(&[][..], SchemaNode::required).iter();
        required.all(|name| plain.has(name)).then_some(())?;
        let string = matches!(plain.keywords[plain.count - 1].1, PlainValue::Text(_));
        (!string || matches!(context.ends_call(view, plain.end), Ok(Some(_)))).then_some(plain)
    }

    fn has(&self, name: &str) -> bool {
        self.keywords[..self.count].iter().any(|keyword| keyword.0 == name)
    }

    /// Emits the arguments.
    pub(super) fn write(&self, sink: &mut Sink) {
        for (number, (name, value)) in self.keywords[..self.count].iter().enumerate() {
            let mut say = |json| sink.arguments(self.end, json);
            [if number == 0 { "{\"" } else { ", \"" }, name, "\": "].into_iter().for_each(&mut say);
            match value {
                PlainValue::Token(token) => say(token),
                PlainValue::Text(text) => ["\"", text, "\""].into_iter().for_each(say),
            }
        }
        sink.arguments(self.end, "}");
    }
}

impl<'v> PlainText<'v> {
    /// Passes `name=` and returns the name.
    fn keyword(&mut self, context: &CallContext<'_>) -> Option<&'v str> {
        self.skip_blanks();
        let rest = self.view.rest(self.at);
        let length = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
        let first = *rest.first()?;
        let plain = length > 0 && !first.is_ascii_digit() && !context.markers().contains(first);
        (plain && rest[length] == b'=').then_some(())?;
        let start = self.at;
        self.at += length + 1;
        Some(self.view.slice(start, start + length))
    }

    /// Skips a value that may stay unchanged.
    fn keyword_value(&mut self, node: Option<SchemaNode<'_>>, context: &CallContext<'_>) -> Option<PlainValue<'v>> {
        let (rest, start) = (self.view.rest(self.at), self.at);
        let quote = *rest.first()?;
        if !matches!(quote, b'"' | b'\'') {
            self.at += rest.iter().position(|byte| !is_token(*byte))?;
            let token = match self.view.slice(start, self.at) {
                "True" => "true",
                "False" => "false",
                number => is_number(number.as_bytes()).then_some(number)?,
            };
            return node.is_none_or(|node| coerce::is_declared(token, node)).then_some(PlainValue::Token(token));
        }
        (!node.is_some_and(SchemaNode::holds_strings)).then_some(())?;
        let inside = &rest[1..];
        let length = if quote == b'"' { plain_content(inside)? } else { python_text(inside, context)? };
        self.at += length + 2;
        Some(PlainValue::Text(self.view.slice(start + 1, start + 1 + length)))
    }
}

/// Returns the length of a string in Python's own quotes that is valid in JSON's quotes, without a marker in it.
fn python_text(inside: &[u8], context: &CallContext<'_>) -> Option<usize> {
    let clean = &inside[..clean_run(inside)];
    let length = memchr::memchr(b'\'', clean)?;
    context.markers().find(&clean[..length]).is_none().then_some(length)
}
