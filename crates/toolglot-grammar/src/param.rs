//! Parameters, each between its own markers, with values as bare text.

use std::sync::Arc;

use toolglot::{HolePlace, OutlinePart};
use toolglot_json::Value;

use crate::body::entities;
use crate::builder::{Builder, SchemaAt};
use crate::declared::GrammarTool;
use crate::error::GrammarError;
use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::node::{Node, Times};
use crate::schema::{Branch, any_integer, any_number, identifier};
use crate::style::{ValueStyle, is_bare_key};

/// How values of parameters are written.
#[derive(Clone, Debug)]
pub(crate) struct ValueHole {
    pub(crate) is_tree: bool,
    trim: bool,
    /// A line break follows the value.
    ends_line: bool,
    /// Nothing follows it.
    is_line: bool,
    cdata: bool,
    /// The dialect writes the type of each value.
    pub(crate) typed: bool,
    /// The text that bare text excludes.
    exclusion: Arc<Exclusion>,
    /// The style of values that are not text.
    pub(crate) style: ValueStyle,
}

/// A possible value of a parameter: its JSON type, and how it is written.
type TypedValue = (&'static str, Node);

impl<'a> Builder<'a> {
    /// Returns the parameters of a tool.
    pub(crate) fn params(&mut self, number: usize) -> Result<Node, GrammarError> {
        let separates =
            |part: &OutlinePart<'_>| matches!(part, OutlinePart::Hole { name: "params", options: "between", .. });
        if self.outline.calls.first().is_some_and(|call| call.iter().any(separates)) {
            let why =
                "writes a separator only between parameters, which grammars do not support; choose another dialect";
            return Err(self.refuse(why));
        }
        let hole = self.value_hole()?;
        let schema = self.object_schema(number)?;
        let Some(at) = schema else { return self.free_params(number, &hole) };
        let at = self.dereferenced(&at)?;
        if at.schema.get("anyOf").or_else(|| at.schema.get("oneOf")).is_some() {
            return self.params_of_branches(number, &at, &hole);
        }
        self.params_of(number, &at, &hole)
    }

    fn params_of_branches(&mut self, number: usize, at: &SchemaAt<'a>, hole: &ValueHole) -> Result<Node, GrammarError> {
        let mut nodes = Vec::new();
        for branch in self.branches(at)? {
            let at = match branch {
                Branch::Object(at) => at,
                Branch::Reference(at, pointer) => self.resolve(&at, &pointer)?,
                _ => continue,
            };
            nodes.push(self.params_of(number, &at, hole)?);
        }
        Ok(Node::choice(nodes))
    }

    /// Returns the parameters of a schema, in their declared order.
    fn params_of(&mut self, number: usize, at: &SchemaAt<'a>, hole: &ValueHole) -> Result<Node, GrammarError> {
        let (declared, others) = self.properties(at);
        if declared.is_empty() && others.is_some() {
            return self.free_params(number, hole);
        }
        self.leave_out_others(at, others.is_some());
        let mut nodes = Vec::new();
        for property in &declared {
            if !self.is_writable(property.name) {
                return Err(self.unwritable_key(property));
            }
            let values = self.bare_values(Some(&property.at), hole)?;
            let node = self.param(&Node::literal(property.name), values, hole)?;
            let node = self.rules.add(property.name, node);
            nodes.push(if property.required { node } else { node.optional() });
        }
        Ok(Node::sequence(nodes))
    }

    /// Returns parameters with any value: the declared ones, or any name.
    fn free_params(&mut self, number: usize, hole: &ValueHole) -> Result<Node, GrammarError> {
        let tool: Option<&'a GrammarTool> = self.tools.get(number).copied();
        let schema =
            tool.and_then(|tool| tool.parameters.as_ref()).and_then(|schema| schema.get("properties")?.as_object());
        let names: Vec<&String> = schema.into_iter().flat_map(|declared| declared.keys()).collect();
        let mut nodes = Vec::new();
        for name in names.into_iter().filter(|name| self.is_writable(name)).map(Node::literal).collect::<Vec<_>>() {
            let values = self.bare_values(None, hole)?;
            nodes.push(self.param(&name, values, hole)?);
        }
        if schema.is_none() {
            if self.repeats_key() {
                let tool = tool.map_or("", |tool| &tool.name);
                let why = "closes each parameter with its name, which a grammar supports only for declared names";
                return Err(self.refuse(&format!("{why}; declare the parameters of tool `{tool}`")));
            }
            let values = self.bare_values(None, hole)?;
            nodes.push(self.param(&identifier(), values, hole)?);
        }
        if nodes.is_empty() {
            return Ok(Node::nothing());
        }
        Ok(self.rules.add("parameter", Node::choice(nodes)).times(Times::ANY))
    }

    /// Returns whether a parameter's name is also at its end.
    fn repeats_key(&self) -> bool {
        let pattern = self.outline.params.first().map(Vec::as_slice).unwrap_or_default();
        pattern.iter().filter(|part| matches!(part, OutlinePart::Hole { name: "key", .. })).count() > 1
    }

    /// Returns whether a key can be in its place in the pattern.
    pub(crate) fn is_writable(&self, key: &str) -> bool {
        let pattern = self.outline.params.first().map(Vec::as_slice).unwrap_or_default();
        let tag = matches!(pattern, [OutlinePart::Text(open), OutlinePart::Hole { name: "key", .. }, ..] if open.ends_with('<'));
        !key.is_empty()
            && if tag { is_bare_key(key) } else { key.trim() == key && !key.contains(['\n', '<', '>', '"', '=']) }
    }

    /// Returns how the dialect writes values.
    fn value_hole(&mut self) -> Result<ValueHole, GrammarError> {
        let pattern = self.outline.params.first().cloned().unwrap_or_default();
        let body = pattern.iter().position(|part| matches!(part, OutlinePart::Hole { name: "value" | "tree", .. }));
        let Some((at, OutlinePart::Hole { name, options, place, .. })) = body.map(|at| (at, pattern[at])) else {
            return Err(self.refuse("has no parameter pattern with `{value}`; choose another dialect"));
        };
        if pattern.get(at + 1).is_none() {
            let why =
                "ends a value where the next parameter begins, which grammars do not support; choose another dialect";
            return Err(self.refuse(why));
        }
        let has = |option: &str| options.split(',').any(|one| one.trim() == option);
        let mut exclusion = Arc::clone(self.value_exclusion());
        let also = |signs: &[&str]| {
            let signs = signs.iter().map(|sign| Excluded::anywhere(*sign));
            exclusion.literals().iter().cloned().chain(signs).collect::<Vec<_>>()
        };
        if has("cdata") {
            exclusion = Arc::new(Exclusion::new(Quoting::Bare, also(&["<"])));
        } else if has("entities") || place == HolePlace::Attribute {
            exclusion = Arc::new(Exclusion::new(Quoting::Attribute, also(&["<", "&", ">"])));
        }
        let typed = pattern.iter().any(|part| matches!(part, OutlinePart::Hole { name: "type", .. }));
        let close = match pattern.get(at + 1) {
            Some(OutlinePart::Text(close)) => *close,
            _ => "",
        };
        let style = ValueStyle::json(&exclusion);
        Ok(ValueHole {
            is_tree: name == "tree",
            trim: has("trim") || name == "tree",
            ends_line: close.starts_with('\n'),
            is_line: close == "\n" && at + 2 == pattern.len(),
            cdata: has("cdata"),
            typed,
            exclusion,
            style,
        })
    }

    /// Returns a parameter with one of several values.
    pub(crate) fn param(
        &mut self,
        key: &Node,
        values: Vec<TypedValue>,
        hole: &ValueHole,
    ) -> Result<Node, GrammarError> {
        let pattern = self.outline.params.first().cloned().unwrap_or_default();
        let mut nodes = Vec::new();
        for (kind, value) in values {
            let word = self.outline.type_word(kind);
            let parts = pattern.iter().map(|part| match part {
                OutlinePart::Hole { name: "key", place, .. } => match key {
                    Node::Literal(key) if *place == HolePlace::Attribute => Node::Literal(entities(key)),
                    key => key.clone(),
                },
                OutlinePart::Hole { name: "type", .. } => Node::literal(word),
                OutlinePart::Hole { name: "value" | "tree", .. } => value.clone(),
                OutlinePart::Text(text) => Node::literal(*text),
                OutlinePart::Word(spellings) => self.word(spellings),
                _ => Node::nothing(),
            });
            nodes.push(Node::sequence(parts.collect::<Vec<_>>()));
        }
        debug_assert!(!hole.typed || !nodes.is_empty(), "every schema has a value");
        Ok(Node::choice(nodes))
    }

    /// Returns the values of a schema as bare text: strings unchanged, anything else as JSON.
    pub(crate) fn bare_values(
        &mut self,
        at: Option<&SchemaAt<'a>>,
        hole: &ValueHole,
    ) -> Result<Vec<TypedValue>, GrammarError> {
        let branches = match at {
            Some(at) => self.flat_branches(at)?,
            None => vec![Branch::Any],
        };
        let mut values = Vec::new();
        for branch in branches {
            self.bare_value(branch, hole, &mut values)?;
        }
        let free = values.iter().position(|(_, node)| matches!(node, Node::Text(_)));
        if let (Some(at), false, false) = (free, hole.typed, hole.is_tree) {
            // A reader converts text by its schema, so that text says all.
            let cdata = values.iter().position(|(_, node)| node.leading() == CDATA[0]);
            let cdata = cdata.map(|at| values.swap_remove(at).1);
            let text = values.get(at).map_or_else(Node::nothing, |value| value.1.clone());
            values = [Some(text), cdata].into_iter().flatten().map(|node| ("string", node)).collect();
        }
        if values.is_empty() {
            let path = at.map_or("a value", |at| &at.path);
            return Err(self.refuse(&format!("cannot write any value of {path}; change the schema")));
        }
        Ok(values)
    }

    /// Returns the kinds of values that a schema allows, with references resolved.
    fn flat_branches(&mut self, at: &SchemaAt<'a>) -> Result<Vec<Branch<'a>>, GrammarError> {
        let (mut open, mut found, mut steps) = (self.branches(at)?, Vec::new(), 0);
        open.reverse();
        while let Some(branch) = open.pop() {
            match branch {
                Branch::Reference(at, pointer) => {
                    steps += 1;
                    if steps > 64 {
                        return Err(GrammarError::new(format!("{}: `$ref` refers to itself; remove it", at.path)));
                    }
                    let target = self.resolve(&at, &pointer)?;
                    let further = self.branches(&target)?;
                    open.extend(further.into_iter().rev());
                }
                branch => found.push(branch),
            }
        }
        Ok(found)
    }

    fn bare_value(
        &mut self,
        branch: Branch<'a>,
        hole: &ValueHole,
        out: &mut Vec<TypedValue>,
    ) -> Result<(), GrammarError> {
        let word = |word: &'static str| Node::literal(word);
        let boolean = || ("boolean", Node::choice([word("true"), word("false")]));
        match branch {
            Branch::Literal(Value::String(text), at) => match self.literal_text(text, hole) {
                Some(node) => out.push(("string", node)),
                None => self.warn(format!(
                    "{}: `{}` is left out, because it contains a marker that ends the value",
                    at.path, text
                )),
            },
            Branch::Literal(value, _) => {
                let text = hole.style.value(value).unwrap_or_default();
                out.push((kind_of(value), Node::Literal(text)));
            }
            Branch::String(at) => {
                let exclusion = self.exact_exclusion(hole);
                let node = self.bare_string(&at, &exclusion)?;
                let free = matches!(node, Node::Text(_));
                out.push(("string", if free { Node::Text(Arc::clone(&hole.exclusion)) } else { node }));
                if hole.cdata {
                    let inside = self.bare_string(&at, &end_of_cdata(Quoting::Bare))?;
                    out.push(("string", wrapped(inside)));
                }
            }
            Branch::Any => {
                out.push(("string", Node::Text(Arc::clone(&hole.exclusion))));
                out.extend(hole.cdata.then(|| ("string", wrapped(Node::Text(Arc::new(end_of_cdata(Quoting::Bare)))))));
                if hole.typed {
                    let any = self.free_object(&hole.style);
                    out.extend([("object", any), ("array", self.free_array(&hole.style)), ("number", any_number())]);
                    out.extend([("integer", any_integer()), boolean(), ("null", word("null"))]);
                }
            }
            Branch::Boolean => out.push(boolean()),
            Branch::Null => out.push(("null", word("null"))),
            Branch::Integer(at) => out.push(("integer", self.integer(&at)?)),
            Branch::Number(at) => {
                let number = self.number(&at)?;
                if hole.typed && self.outline.type_word("integer") != self.outline.type_word("number") {
                    out.push(("integer", if number == any_number() { any_integer() } else { number.clone() }));
                }
                out.push(("number", number));
            }
            Branch::Array(at) => self.nested("array", &at, hole, out)?,
            Branch::Object(at) => self.nested("object", &at, hole, out)?,
            Branch::Reference(..) => {}
        }
        Ok(())
    }

    /// Returns the characters that text of a length or pattern excludes: line breaks, which may be data, part of it, or the end.
    fn exact_exclusion(&self, hole: &ValueHole) -> Exclusion {
        let blanks = [("\n", hole.trim || hole.is_line), ("\r", hole.trim || hole.ends_line)];
        let blanks = blanks.into_iter().filter(|blank| blank.1);
        let blanks = blanks.map(|blank| Excluded::anywhere(blank.0));
        Exclusion::new(hole.exclusion.quoting(), hole.exclusion.literals().iter().cloned().chain(blanks))
    }

    /// Returns a listed text, unless it would end its own value.
    fn literal_text(&self, text: &str, hole: &ValueHole) -> Option<Node> {
        if hole.exclusion.quoting() != Quoting::Bare {
            return Some(Node::Literal(entities(text)));
        }
        let cut = hole.trim && text.trim_matches(['\n', '\r']) != text || hole.ends_line && text.ends_with('\r');
        let plain = !cut && !hole.exclusion.refuses(text);
        let wrapped = hole.cdata && !text.contains(CDATA[1]);
        let wrapped = wrapped.then(|| Node::Literal([CDATA[0], text, CDATA[1]].concat()));
        let all: Vec<Node> = plain.then(|| Node::literal(text)).into_iter().chain(wrapped).collect();
        (!all.is_empty()).then(|| Node::choice(all))
    }

    /// Returns an array or object: as JSON, or as nested elements.
    fn nested(
        &mut self,
        kind: &'static str,
        at: &SchemaAt<'a>,
        hole: &ValueHole,
        out: &mut Vec<TypedValue>,
    ) -> Result<(), GrammarError> {
        if hole.is_tree {
            out.extend(self.elements(kind, at, hole)?.map(|node| (kind, node)));
        }
        out.push((kind, self.json(at, &hole.style)?));
        if hole.cdata {
            let json = self.json(at, &ValueStyle::json(&end_of_cdata(Quoting::Json)))?;
            out.push((kind, wrapped(json)));
        }
        Ok(())
    }
}

/// The markers around text that contains markup.
const CDATA: [&str; 2] = ["<![CDATA[", "]]>"];

/// Returns a value in which markup is text.
fn wrapped(inside: Node) -> Node {
    Node::sequence([Node::literal(CDATA[0]), inside, Node::literal(CDATA[1])])
}

/// Returns the text that such a value excludes.
fn end_of_cdata(quoting: Quoting) -> Exclusion {
    Exclusion::new(quoting, [Excluded::anywhere(CDATA[1])])
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
