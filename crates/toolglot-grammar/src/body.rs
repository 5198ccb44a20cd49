//! The arguments of a call in the dialect's body: JSON, an object with the name, Python literals, relaxed braces.

use toolglot::{HolePlace, OutlinePart};

use crate::builder::{Builder, SchemaAt};
use crate::chars::Chars;
use crate::error::GrammarError;
use crate::node::{Node, Times};
use crate::schema::{Branch, MemberNode, identifier};
use crate::style::{ValueStyle, is_bare_key};

impl<'a> Builder<'a> {
    /// Returns the content of a hole in a call's pattern.
    pub(crate) fn hole(&mut self, number: usize, part: OutlinePart<'a>) -> Result<Node, GrammarError> {
        let OutlinePart::Hole { name: hole, place, .. } = part else { return Ok(Node::nothing()) };
        let name = self.tools.get(number).map_or("", |tool| tool.name.as_str());
        match hole {
            "name" | "_" => {
                Ok(Node::Literal(if place == HolePlace::Attribute { entities(name) } else { name.to_owned() }))
            }
            "id" => Ok(self.id(name)),
            "index" => Ok(Node::sequence([
                Node::Class(Chars::ranges([('1', '9')]), Times::ONCE),
                Node::Class(Chars::ranges([('0', '9')]), Times::between(0, 2)),
            ])),
            "mark" | "attrs" => Ok(Node::nothing()),
            "arguments" => self.arguments(number, &ValueStyle::json(self.string_exclusion())),
            "object" => {
                let style = ValueStyle::relaxed(self.outline.quote.unwrap_or("\""), self.string_exclusion());
                self.arguments(number, &style)
            }
            "call" => self.call_object(number),
            "kwargs" => self.kwargs(number),
            "params" => self.params(number),
            other => Err(self.refuse(&format!(
                "writes calls with `{{{other}}}`, which grammars do not support; choose another dialect"
            ))),
        }
    }

    /// Returns an id, which contains the name if the dialect's ids do.
    fn id(&self, name: &str) -> Node {
        let digits = Chars::ranges([('0', '9')]);
        match self.outline.id {
            Some([before, between]) => Node::sequence([
                Node::Literal([before, name, between].concat()),
                Node::Class(digits, Times::between(1, 3)),
            ]),
            None => {
                let signs = Chars::ranges([('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('-', '-')]);
                let first = Chars::ranges([('a', 'z'), ('A', 'Z'), ('0', '9')]);
                Node::sequence([Node::Class(first, Times::ONCE), Node::Class(signs, Times::between(0, 31))])
            }
        }
    }

    /// Returns the object of a tool's arguments.
    pub(crate) fn arguments(&mut self, number: usize, style: &ValueStyle) -> Result<Node, GrammarError> {
        match self.object_schema(number)? {
            Some(at) => self.json(&at, style),
            None => Ok(self.free_object(style)),
        }
    }

    /// Returns the schema of a tool's arguments, if arguments are constrained and it allows objects.
    pub(crate) fn object_schema(&mut self, number: usize) -> Result<Option<SchemaAt<'a>>, GrammarError> {
        let Some(at) = self.schema_of(number) else { return Ok(None) };
        let branches = self.branches(&at)?;
        let is_object = |branch: &Branch<'_>| matches!(branch, Branch::Object(_) | Branch::Reference(..));
        Ok(branches.iter().all(is_object).then_some(at))
    }

    /// Returns the object with name and arguments, and with the id if the dialect writes one.
    fn call_object(&mut self, number: usize) -> Result<Node, GrammarError> {
        let style = ValueStyle::json(self.string_exclusion());
        let name = self.tools.get(number).map_or("", |tool| tool.name.as_str());
        let quoted = |text: &str| Node::Literal(style.text(text).unwrap_or_default());
        let key = |key: &str| Node::sequence([Node::Literal(style.key(key).unwrap_or_default()), style.blank()]);
        let comma = || Node::sequence([Node::literal(","), style.blank()]);
        let mut parts = vec![Node::literal("{"), style.blank()];
        if let Some(member) = self.outline.id_member {
            parts.extend([key(member), Node::literal("\""), self.id(name), Node::literal("\""), comma()]);
        }
        let [name_member, arguments_member] = self.outline.members;
        parts.extend([key(name_member), quoted(name), comma(), key(arguments_member)]);
        parts.push(self.arguments(number, &style)?);
        parts.extend([style.blank(), Node::literal("}")]);
        Ok(Node::sequence(parts))
    }

    /// Returns `key=literal` pairs separated by commas.
    fn kwargs(&mut self, number: usize) -> Result<Node, GrammarError> {
        let style = ValueStyle::python(self.string_exclusion());
        let comma = Node::sequence([Node::literal(","), style.blank()]);
        let Some(at) = self.object_schema(number)? else {
            let any = self.any_value(&style);
            let pair = Node::sequence([identifier(), Node::literal("="), any]);
            let pair = self.rules.add("argument", pair);
            let more = Node::sequence([comma, pair.clone()]).times(Times::ANY);
            return Ok(Node::sequence([pair, more]).optional());
        };
        let at = self.dereferenced(&at)?;
        let (declared, others) = self.properties(&at);
        if declared.is_empty() && others.is_some() {
            let any = self.any_value(&style);
            let pair = Node::sequence([identifier(), Node::literal("="), any]);
            let more = Node::sequence([comma, pair.clone()]).times(Times::ANY);
            return Ok(Node::sequence([pair, more]).optional());
        }
        self.leave_out_others(&at, others.is_some());
        let mut pairs = Vec::new();
        for property in &declared {
            if !is_bare_key(property.name) {
                return Err(self.unwritable_key(property));
            }
            let value = self.value(&property.at, &style)?;
            let node = Node::sequence([Node::Literal(format!("{}=", property.name)), value]);
            pairs.push(MemberNode { name: property.name, required: property.required, node });
        }
        Ok(self.members(&at, pairs, None, &comma))
    }

    /// Returns the target of a schema that is a reference.
    pub(crate) fn dereferenced(&mut self, at: &SchemaAt<'a>) -> Result<SchemaAt<'a>, GrammarError> {
        match at.schema.get("$ref").and_then(|pointer| pointer.as_str()) {
            Some(pointer) => self.resolve(at, pointer),
            None => Ok(at.clone()),
        }
    }

    /// Warns that undeclared parameters cannot be written, if the schema allows any.
    pub(crate) fn leave_out_others(&mut self, at: &SchemaAt<'_>, open: bool) {
        if open {
            let why =
                "a grammar cannot distinguish additional parameters from declared ones; only declared ones are allowed";
            self.warn(format!("{}: {why}", at.path));
        }
    }
}

/// Returns text with markup as XML entities, as between quotes.
pub(crate) fn entities(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
