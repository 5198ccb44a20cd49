//! The fast path for parameters: members of the arguments whose keys and strings are as the tool declares; and for whole
//! arguments, if they consist of nothing else and are complete.

use super::ValuePosition;
use super::fast_path::FastPass;
use super::key::is_bare_key;
use super::reader::ReaderStep;
use super::state::{Bracket, Expect, Token};
use crate::coerce;
use crate::schema::{Schema, SchemaNode};
use crate::view::View;

/// Members or keywords that may pass at once: each is compared with the earlier ones.
pub(crate) const MEMBERS: usize = 16;

/// Returns the end of the object at `at` if the careful reader would pass it unchanged: a few
/// parameters, strings and scalars, all as declared, with all required ones. The call's closers must
/// follow.
#[inline]
pub(crate) fn plain_object(view: View<'_>, at: usize, root: Option<SchemaNode<'_>>) -> Option<usize> {
    let mut pass = FastPass::new(view.rest(at));
    let mut names: [&str; MEMBERS] = [""; MEMBERS];
    let mut given = 0;
    (pass.token()? == b'{').then_some(())?;
    loop {
        pass.settle(pass.at + 1);
        pass.token()?;
        let key = at + pass.at;
        pass.string()?;
        let name = view.slice(key + 1, at + pass.at - 1);
        let new = is_plain(name) && !names[..given].contains(&name);
        (new && root.is_none_or(|root| root.declares(name))).then_some(())?;
        *names.get_mut(given)? = name;
        given += 1;
        (pass.token()? == b':').then_some(())?;
        pass.at += 1;
        pass.declared(root.and_then(|root| root.property(name)))?;
        match pass.token()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    let mut required = root.map_or(&[][..], SchemaNode::required).iter();
    required.all(|name| names[..given].contains(&name.as_str())).then_some(at + pass.at + 1)
}

/// Returns whether a key needs no further decision.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl ReaderStep<'_> {
    /// Returns whether the reader is in the arguments, where a member may pass.
    pub(super) fn is_among_parameters(&self) -> bool {
        let reader = &self.reader;
        let [frame] = reader.state.open() else { return false };
        let object = frame.bracket == Bracket::Object && !frame.doubled && !frame.wrapped;
        let member = matches!(reader.state.expect(), Expect::Key | Expect::After);
        let known = reader.place == ValuePosition::Arguments && (!reader.deferred.is_on() || self.holds_head());
        member && object && known && !reader.declared_keys
    }

    /// Passes a member: a key that is allowed here and new, and its value if that is a string or a scalar.
    ///
    /// If the value is neither, the careful reader reads it with its schema.
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
        let Some(is_string) = pass.declared(self.node(self.reader.node)) else {
            self.keep_content(pass);
            return None;
        };
        let end = pass.at;
        if is_string {
            self.ends_string(pass)?
        } else {
            matches!(pass.token()?, b',' | b'}').then_some(())?
        }
        self.reader.state.step(Token::Value);
        pass.settle(end);
        Some(())
    }

    /// Takes the name of a parameter that may be emitted unchanged, and finds its schema.
    fn pass_name(&mut self, name: &str) -> Option<()> {
        (is_plain(name) && !self.reader.seen.contains(name)).then_some(())?;
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

    /// Returns whether the passed string ends, proven by the next key with its colon or by all closers of the call.
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

impl FastPass<'_> {
    /// Passes a string or a scalar that may stay unchanged where a node is declared; returns whether it is a string.
    fn declared(&mut self, node: Option<SchemaNode<'_>>) -> Option<bool> {
        let first = self.token()?;
        if first == b'"' {
            (!node.is_some_and(SchemaNode::holds_strings)).then_some(())?;
            self.string()?;
            return Some(true);
        }
        let token = self.scalar(first)?;
        node.is_none_or(|node| coerce::is_declared(token, node)).then_some(false)
    }
}
