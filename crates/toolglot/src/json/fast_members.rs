//! Parameters at full speed: members of the arguments whose keys and strings are as the tool declares them.

use super::ValuePosition;
use super::fast_path::FastPass;
use super::key::is_bare_key;
use super::reader::ReaderStep;
use super::state::{Bracket, Expect, Token};
use crate::coerce;
use crate::schema::{Schema, SchemaNode};

impl ReaderStep<'_> {
    /// Says whether the reader stands among the arguments, where a member may pass.
    pub(super) fn is_among_parameters(&self) -> bool {
        let reader = &self.reader;
        let [frame] = reader.state.open() else { return false };
        let object = frame.bracket == Bracket::Object && !frame.doubled && !frame.wrapped;
        let member = matches!(reader.state.expect(), Expect::Key | Expect::After);
        let plain = !reader.declared_keys && reader.ends.is_empty();
        let known = reader.place == ValuePosition::Arguments && (!reader.deferred.is_on() || self.holds_head());
        member && object && plain && known
    }

    /// Passes a member: a key that may stand here and was not given before, and its value if that is a string or a scalar.
    ///
    /// Where the value is neither, the careful reader reads it and knows its schema.
    pub(super) fn pass_parameter(&mut self, pass: &mut FastPass<'_>) -> Option<()> {
        let base = self.at();
        let mut comma = None;
        if self.reader.state.expect() == Expect::After {
            (pass.token()? == b',').then_some(())?;
            comma = Some(base + pass.at);
            pass.at += 1;
        }
        pass.token()?;
        let key = base + pass.at;
        pass.string()?;
        let name = self.view.slice(key + 1, base + pass.at - 1);
        (pass.token()? == b':').then_some(())?;
        self.pass_name(name)?;
        comma.into_iter().for_each(|comma| self.reader.cursor.note_comma(comma));
        (self.reader.key_at, self.reader.colon) = (key, base + pass.at + 1);
        self.reader.state.step(Token::Key);
        self.reader.state.step(Token::Colon);
        pass.settle(pass.at + 1);
        let (first, node) = (pass.token()?, self.node(self.reader.node));
        let from = pass.at;
        if first == b'"' {
            (!node.is_some_and(SchemaNode::holds_strings)).then_some(())?;
            pass.string()?;
        } else {
            pass.scalar(first)?;
            let token = self.view.slice(base + from, base + pass.at);
            node.is_none_or(|node| coerce::is_declared(token, node)).then_some(())?;
        }
        let end = pass.at;
        if first == b'"' {
            self.ends_string(pass)?
        } else {
            matches!(pass.token()?, b',' | b'}').then_some(())?
        }
        self.reader.state.step(Token::Value);
        pass.settle(end);
        Some(())
    }

    /// Takes the name of a parameter that may go out as it stands, and finds its schema.
    fn pass_name(&mut self, name: &str) -> Option<()> {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (plain && !self.reader.seen.contains(name)).then_some(())?;
        let root = self.context.schema.map(Schema::root);
        let asks = |root: SchemaNode<'_>| !root.properties().is_empty() || self.holds_head() || root.is_closed();
        let unasked = |root: SchemaNode<'_>| asks(root) && !root.declares(name);
        (!root.is_some_and(unasked)).then_some(())?;
        self.reader.undeclared = false;
        if self.holds_head() {
            self.release_held();
        }
        self.reader.node = self.property(name);
        self.reader.state.innermost_mut()?.members += 1;
        self.reader.seen.insert(name);
        Some(())
    }

    /// Says whether the string that was passed ends, by the next key with its colon or by all that closes the call.
    fn ends_string(&self, pass: &mut FastPass<'_>) -> Option<()> {
        match pass.token()? {
            b'}' => self.closes_all(self.at() + pass.at).ok().filter(|closes| *closes).map(|_| ()),
            b',' => {
                pass.at += 1;
                pass.token()?;
                let key = self.at() + pass.at;
                pass.string()?;
                is_bare_key(self.view.slice(key + 1, self.at() + pass.at - 1)).then_some(())?;
                (pass.token()? == b':').then_some(())
            }
            _ => None,
        }
    }
}
