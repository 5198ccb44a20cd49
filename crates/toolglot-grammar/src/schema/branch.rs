//! The kinds of values that a schema allows, one by one.

use toolglot_json::{Map, Value};

use crate::builder::{Builder, SchemaAt};
use crate::error::GrammarError;

/// One kind of value that a schema allows.
#[derive(Clone, Debug)]
pub(crate) enum Branch<'s> {
    Any,
    Literal(&'s Value, SchemaAt<'s>),
    Boolean,
    Null,
    Integer(SchemaAt<'s>),
    Number(SchemaAt<'s>),
    String(SchemaAt<'s>),
    Array(SchemaAt<'s>),
    Object(SchemaAt<'s>),
    Reference(SchemaAt<'s>, String),
}

/// Keywords that constrain but are not enforced, for any type.
const UNSUPPORTED: [&str; 15] = [
    "allOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "contains",
    "uniqueItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
];

impl<'a> Builder<'a> {
    /// Returns the kinds of values of a schema, alternatives in their declared order.
    pub(crate) fn branches(&mut self, at: &SchemaAt<'a>) -> Result<Vec<Branch<'a>>, GrammarError> {
        let schema = match at.schema {
            Value::Object(schema) => schema,
            Value::Bool(true) | Value::Null => return Ok(vec![Branch::Any]),
            _ => return Err(GrammarError::new(format!("{}: the schema allows no value; correct it", at.path))),
        };
        for keyword in UNSUPPORTED {
            // `false` says nothing: items may repeat.
            if schema.get(keyword).is_some_and(|value| *value != Value::Bool(false)) {
                self.unsupported(at, keyword)?;
            }
        }
        let mut found = self.constrained(at, schema)?;
        if schema.get("nullable") == Some(&Value::Bool(true))
            && !found.iter().any(|branch| matches!(branch, Branch::Null))
        {
            found.push(Branch::Null);
        }
        Ok(found)
    }

    fn constrained(&mut self, at: &SchemaAt<'a>, schema: &'a Map) -> Result<Vec<Branch<'a>>, GrammarError> {
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
            return Ok(vec![Branch::Reference(at.clone(), pointer.to_owned())]);
        }
        if let Some(value) = schema.get("const") {
            return Ok(vec![Branch::Literal(value, at.clone())]);
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.listed_values(at, schema, values);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(all)) = schema.get(key) {
                let mut found = Vec::new();
                for (number, one) in all.iter().enumerate() {
                    found.extend(self.branches(&at.inner(&format!("{key}/{number}"), one))?);
                }
                return Ok(found);
            }
        }
        self.typed(at, schema)
    }

    /// Returns the values of an `enum` that are of the schema's type.
    fn listed_values(
        &mut self,
        at: &SchemaAt<'a>,
        schema: &Map,
        values: &'a [Value],
    ) -> Result<Vec<Branch<'a>>, GrammarError> {
        let types = types(schema);
        let fits = |value: &&Value| types.is_empty() || types.iter().any(|name| is_of(value, name));
        let found: Vec<_> = values.iter().filter(fits).map(|value| Branch::Literal(value, at.clone())).collect();
        if found.is_empty() {
            return Err(GrammarError::new(format!("{}: `enum` lists no value of its type; correct it", at.path)));
        }
        Ok(found)
    }

    fn typed(&mut self, at: &SchemaAt<'a>, schema: &'a Map) -> Result<Vec<Branch<'a>>, GrammarError> {
        let mut names = types(schema);
        if names.is_empty() {
            names.extend(implied(schema));
        }
        if names.is_empty() {
            return Ok(vec![Branch::Any]);
        }
        let branch = |name: &str| {
            Some(match name {
                "string" => Branch::String(at.clone()),
                "integer" => Branch::Integer(at.clone()),
                "number" => Branch::Number(at.clone()),
                "boolean" => Branch::Boolean,
                "null" => Branch::Null,
                "array" => Branch::Array(at.clone()),
                "object" => Branch::Object(at.clone()),
                "any" => Branch::Any,
                _ => return None,
            })
        };
        let unknown = |name: &str| {
            let list = "string, integer, number, boolean, null, array, object";
            GrammarError::new(format!("{}: unknown type `{name}`; types are {list}", at.path))
        };
        names.iter().map(|name| branch(name).ok_or_else(|| unknown(name))).collect()
    }
}

fn types(schema: &Map) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the type that other keywords apply to.
fn implied(schema: &Map) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(key));
    if has(&["properties", "required", "additionalProperties"]) {
        Some("object")
    } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
        Some("array")
    } else if has(&["minLength", "maxLength", "pattern"]) {
        Some("string")
    } else {
        has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]).then_some("number")
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "any" => true,
        name => kind_of(value) == name,
    }
}

/// Returns the name of a value's type.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
