//! Keyword arguments as most models write them, in one pass: all there, each as the tool declares it, and nothing in their
//! strings that takes a decision.

use super::call_context::CallContext;
use super::plain_call::PlainText;
use crate::coerce;
use crate::json::{Markers, is_number, is_token};
use crate::schema::SchemaNode;

/// Keywords that may pass at once: each is compared with those before it.
const KEYWORDS: usize = 16;

/// Room for the JSON of most calls.
const USUAL: usize = 256;

/// Returns the JSON of the arguments that begin at `at`, and where their parenthesis stands; `None` if anything in them
/// takes another look.
pub(super) fn plain_kwargs(context: &CallContext<'_>, at: usize) -> Option<(String, usize)> {
    let view = context.view;
    if context.engine.options.careful || view.has_marks() || context.near {
        return None;
    }
    let root = context.root();
    let mut text = PlainText { view, at };
    let mut given: [&str; KEYWORDS] = [""; KEYWORDS];
    let mut json = String::with_capacity(USUAL);
    json.push('{');
    for count in 0..KEYWORDS {
        let name = text.keyword(context)?;
        let new = !given[..count].contains(&name) && root.is_none_or(|root| root.declares(name));
        new.then(|| given[count] = name)?;
        json.extend([if count == 0 { "\"" } else { ", \"" }, name, "\": "]);
        let node = root.and_then(|root| root.property(name));
        let is_string = text.keyword_value(node, context, &mut json)?;
        text.skip_blanks();
        match view.rest(text.at).first()? {
            b',' => text.at += 1,
            b')' if is_string && !matches!(context.ends_call(view, text.at), Ok(Some(_))) => return None,
            b')' => {
                let mut required = root.map_or(&[][..], SchemaNode::required).iter();
                required.all(|name| given[..=count].contains(&name.as_str())).then_some(())?;
                json.push('}');
                return Some((json, text.at));
            }
            _ => return None,
        }
    }
    None
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

    /// Passes a value that may stand as it is, and writes its JSON; says whether it is a string.
    fn keyword_value(
        &mut self,
        node: Option<SchemaNode<'_>>,
        context: &CallContext<'_>,
        json: &mut String,
    ) -> Option<bool> {
        let rest = self.view.rest(self.at);
        let quote = *rest.first()?;
        let start = self.at;
        if !matches!(quote, b'"' | b'\'') {
            self.at += rest.iter().position(|byte| !is_token(*byte))?;
            let token = match self.view.slice(start, self.at) {
                "True" => "true",
                "False" => "false",
                number => is_number(number.as_bytes()).then_some(number)?,
            };
            node.is_none_or(|node| coerce::is_declared(token, node)).then_some(())?;
            json.push_str(token);
            return Some(false);
        }
        let length = rest[1..].iter().position(|byte| !is_plain(*byte))?;
        let text = self.view.slice(start + 1, start + 1 + length);
        let ends = rest[length + 1] == quote && context.markers().find(text.as_bytes()).is_none();
        (ends && !node.is_some_and(SchemaNode::holds_strings)).then_some(())?;
        json.extend(["\"", text, "\""]);
        self.at += length + 2;
        Some(true)
    }
}

/// Says whether a byte is itself in a string of Python's and of JSON's.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\'' | b'\\')
}
