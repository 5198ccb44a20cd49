//! Compiles schemas with a work list of nodes, so that nesting cannot be too deep.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::facts::{Additional, EnumValues, SchemaFacts, SchemaSource};
use super::pattern;
use super::types::Types;
use super::{EnumValue, NodeId, OtherProperties, StoredNode, length_bit};

/// Returns the nodes of a schema, the root first.
pub(super) fn compile(root: &Value) -> Vec<StoredNode> {
    let reader = FactReader { root, active: Vec::new(), budget: BUDGET };
    let mut compiler = Compiler { reader, shapes: Vec::new(), known: HashMap::new(), queue: VecDeque::new() };
    compiler.node(SchemaSource::one(root));
    while let Some((id, source)) = compiler.queue.pop_front() {
        let facts = match source.any {
            true => compiler.reader.alternatives(&source.schemas, false),
            false => compiler.reader.all(&source.schemas),
        };
        let shape = compiler.shape(facts.unwrap_or_default());
        compiler.shapes[id.0 as usize] = shape;
    }
    compiler.shapes
}

/// The nodes so far, and those still to be made.
struct Compiler<'v> {
    reader: FactReader<'v>,
    shapes: Vec<StoredNode>,
    known: HashMap<(bool, Vec<usize>), NodeId>,
    queue: VecDeque<(NodeId, SchemaSource<'v>)>,
}

impl<'v> Compiler<'v> {
    /// Returns the node of a source, which is made once; its contents follow when its turn comes.
    fn node(&mut self, source: SchemaSource<'v>) -> NodeId {
        let mut seen = HashSet::new();
        let targets = source.schemas.into_iter().map(|schema| self.reader.target(schema));
        let schemas: Vec<_> = targets.filter(|schema| seen.insert(place(schema))).collect();
        let places = schemas.iter().map(|schema| place(schema)).collect();
        let any = source.any && schemas.len() > 1;
        let next = NodeId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        let id = *self.known.entry((any, places)).or_insert(next);
        if id == next {
            self.shapes.push(StoredNode::default());
            self.queue.push_back((id, SchemaSource { any, schemas }));
        }
        id
    }

    fn shape(&mut self, facts: SchemaFacts<'v>) -> StoredNode {
        let expressions = facts.patterns.len();
        let compiled = |(expression, source)| Some((pattern::compile(expression)?, source));
        let patterns: Vec<_> = facts.patterns.into_iter().filter_map(compiled).collect();
        let all = patterns.len() == expressions;
        let others = match facts.additional {
            Additional::Unsaid if all && !facts.properties.is_empty() => OtherProperties::Unexpected,
            Additional::Forbidden if all => OtherProperties::Forbidden,
            _ => OtherProperties::Allowed,
        };
        let choices = facts.choices.unwrap_or(EnumValues { values: Vec::new(), only_strings: false });
        StoredNode {
            types: facts.types,
            choices: chosen(&choices.values, facts.types),
            only_strings_choose: choices.only_strings,
            lengths: facts.properties.keys().fold(0, |lengths, name| lengths | length_bit(name)),
            names: facts.properties.keys().map(|name| (*name).to_owned()).collect(),
            values: facts.properties.into_values().map(|source| self.node(source)).collect(),
            patterns: patterns.into_iter().map(|(pattern, source)| (pattern, self.node(source))).collect(),
            additional: match facts.additional {
                Additional::Schema(source) => Some(self.node(source)),
                _ => None,
            },
            others,
            required: facts.required.into_iter().map(str::to_owned).collect(),
            prefix: facts.prefix.into_iter().map(|source| self.node(source)).collect(),
            items: facts.items.map(|source| self.node(source)),
        }
    }
}

/// Returns the choices of a node; null is one of them if it is a declared type, even if the `enum` omits it.
fn chosen(values: &[&Value], types: Types) -> Vec<EnumValue> {
    let forgotten = !values.is_empty() && types.has(Types::NULL) && !values.iter().any(|value| value.is_null());
    let null = forgotten.then_some(&Value::Null);
    let choice = |value: &Value| EnumValue {
        text: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        json: value.to_string(),
    };
    values.iter().copied().chain(null).map(choice).collect()
}

/// Reads facts from schemas. The budget bounds combinations of references.
struct FactReader<'v> {
    root: &'v Value,
    active: Vec<usize>,
    budget: usize,
}

impl<'v> FactReader<'v> {
    /// Returns the facts of a schema; `None` if it is being read already, since it then adds nothing.
    ///
    /// Beyond the depth and the budget, a schema declares nothing.
    fn facts(&mut self, schema: &'v Value) -> Option<SchemaFacts<'v>> {
        let schema = self.target(schema);
        let Some(map) = schema.as_object() else { return Some(SchemaFacts::default()) };
        let cost = 1 + ["properties", "patternProperties", "required", "enum"]
            .iter()
            .map(|key| size(map.get(*key)))
            .sum::<usize>();
        if self.active.contains(&place(schema)) {
            return None;
        }
        if self.active.len() >= MAX_DEPTH || self.budget < cost {
            return Some(SchemaFacts::default());
        }
        self.budget -= cost;
        self.active.push(place(schema));
        let facts = self.parts(map);
        self.active.pop();
        Some(facts)
    }

    fn parts(&mut self, map: &'v Map<String, Value>) -> SchemaFacts<'v> {
        let mut facts = own(map);
        let reference = map.get("$ref").and_then(|reference| resolve(self.root, reference));
        let all: Vec<_> = reference.into_iter().chain(list(map, "allOf")).collect();
        facts = self.all(&all).into_iter().fold(facts, SchemaFacts::meet);
        for keyword in ["anyOf", "oneOf"] {
            let schemas: Vec<_> = list(map, keyword).collect();
            let alternatives = self.alternatives(&schemas, !facts.properties.is_empty());
            facts = alternatives.into_iter().fold(facts, SchemaFacts::meet);
        }
        let dependent = map.get("dependentSchemas").and_then(Value::as_object);
        for schema in ["then", "else"]
            .iter()
            .filter_map(|keyword| map.get(*keyword))
            .chain(dependent.into_iter().flat_map(Map::values))
        {
            let children = self.facts(schema).unwrap_or_default();
            facts = facts.merge(children, true);
        }
        if !facts.types.is_open() && map.get("nullable") == Some(&Value::Bool(true)) {
            facts.types = facts.types | Types::NULL;
        }
        facts
    }

    fn all(&mut self, schemas: &[&'v Value]) -> Option<SchemaFacts<'v>> {
        schemas.iter().filter_map(|schema| self.facts(schema)).reduce(SchemaFacts::meet)
    }

    /// Returns the facts of several alternatives together.
    ///
    /// One that allows any object opens all of them, unless it only restricts the keywords next to it.
    fn alternatives(&mut self, schemas: &[&'v Value], declared: bool) -> Option<SchemaFacts<'v>> {
        let open = |mut facts: SchemaFacts<'v>| {
            if !declared && facts.allows_any_object() {
                facts.additional = Additional::Anything;
            }
            facts
        };
        schemas.iter().filter_map(|schema| self.facts(schema).map(open)).reduce(SchemaFacts::join)
    }

    /// Follows references without other keywords, so that they share the node of their target.
    fn target(&self, mut schema: &'v Value) -> &'v Value {
        for _ in 0..MAX_DEPTH {
            let Some(map) = schema.as_object() else { break };
            if !map.keys().all(|key| key == "$ref" || ANNOTATIONS.contains(&key.as_str())) {
                break;
            }
            match map.get("$ref").and_then(|reference| resolve(self.root, reference)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }
}

/// Returns a schema's own facts, without those of references and combinations.
fn own(map: &Map<String, Value>) -> SchemaFacts<'_> {
    let values = map.get("const").map(std::slice::from_ref).or_else(|| map.get("enum")?.as_array().map(Vec::as_slice));
    let values: Vec<&Value> = values.unwrap_or_default().iter().collect();
    let (items, beyond) = (map.get("items"), map.get("additionalItems"));
    let tuple = items.filter(|items| items.is_array());
    SchemaFacts {
        types: map.get("type").map_or_else(|| implied(map, &values), Types::declared),
        choices: (!values.is_empty()).then_some(EnumValues { values, only_strings: false }),
        required: list(map, "required").filter_map(Value::as_str).collect(),
        properties: named(map, "properties"),
        patterns: named(map, "patternProperties"),
        additional: match map.get("additionalProperties").or_else(|| map.get("unevaluatedProperties")) {
            None => Additional::Unsaid,
            Some(Value::Bool(false)) => Additional::Forbidden,
            Some(schema @ Value::Object(_)) => Additional::Schema(SchemaSource::one(schema)),
            Some(_) => Additional::Anything,
        },
        prefix: list(map, if tuple.is_some() { "items" } else { "prefixItems" }).map(SchemaSource::one).collect(),
        items: if tuple.is_some() { beyond } else { items }.filter(|items| items.is_object()).map(SchemaSource::one),
    }
}

/// Returns the types of a schema without `type`: those of its values, or those that its keywords apply to.
fn implied(map: &Map<String, Value>, values: &[&Value]) -> Types {
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| map.contains_key(*keyword));
    let object =
        if has(&["properties", "patternProperties", "additionalProperties"]) { Types::OBJECT } else { Types::OPEN };
    let array = if has(&["items", "prefixItems"]) { Types::ARRAY } else { Types::OPEN };
    match values {
        [] => object | array,
        _ => values.iter().fold(Types::OPEN, |types, value| types | Types::of(value)),
    }
}

fn named<'v>(map: &'v Map<String, Value>, keyword: &str) -> std::collections::BTreeMap<&'v str, SchemaSource<'v>> {
    let schemas = map.get(keyword).and_then(Value::as_object);
    schemas.into_iter().flatten().map(|(name, schema)| (name.as_str(), SchemaSource::one(schema))).collect()
}

fn list<'v>(map: &'v Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    map.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the target of a local reference such as `#/$defs/a`.
fn resolve<'v>(root: &'v Value, reference: &Value) -> Option<&'v Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

fn size(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Object(map)) => map.len(),
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    }
}

/// Schemas are identified by their address, which is stable while the schema is borrowed.
fn place(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// Nested schemas, by references or `allOf`, that are read at once; a reference to itself would never end.
/// Real schemas combine a handful.
const MAX_DEPTH: usize = 64;
/// The cost of reading one tool's schema. `allOf` over references doubles with each level; a quarter of a million
/// steps take milliseconds, and anything beyond them declares nothing.
const BUDGET: usize = 1 << 18;
const ANNOTATIONS: &[&str] = &["title", "description", "default", "examples", "deprecated", "$comment"];
