//! Schemas and what is compiled of them.

use serde_json::{Value, json};

use super::*;

/// Returns a node's types as letters: string, integer, number, boolean, null (`0`), array, object.
fn letters(node: SchemaNode<'_>) -> String {
    let all = [
        (Types::STRING, 's'),
        (Types::INTEGER, 'i'),
        (Types::NUMBER, 'n'),
        (Types::BOOLEAN, 'b'),
        (Types::NULL, '0'),
        (Types::ARRAY, 'a'),
        (Types::OBJECT, 'o'),
    ];
    all.iter().filter(|(types, _)| node.types().has(*types)).map(|(_, letter)| letter).collect()
}

#[test]
fn types_are_declared_in_many_ways() {
    let root = |schema: &Value| {
        json!({"properties": {"p": schema}, "$defs": {"int": {"type": "integer"}, "a/b~c": {"type": "boolean"},
        "loop": {"anyOf": [{"$ref": "#/$defs/loop"}, {"type": "string"}]}, "ping": {"$ref": "#/$defs/pong"}, "pong": {"$ref": "#/$defs/ping"}}})
    };
    for (schema, expected) in [
        (json!({"type": "string"}), "s"),
        (json!({"type": ["string", "null"]}), "s0"),
        (json!({"type": "STR"}), "s"),
        (json!({"type": "dict"}), "o"),
        (json!({"type": "List"}), "a"),
        (json!({"type": "any"}), ""),
        (json!({"type": "any", "properties": {}}), ""),
        (json!({"type": ["string", "strange"]}), ""),
        (json!({"type": 5}), ""),
        (json!({}), ""),
        (json!(true), ""),
        (json!({"type": "integer", "nullable": true}), "i0"),
        (json!({"nullable": true}), ""),
        (json!({"nullable": true, "allOf": [{"type": "string"}]}), "s0"),
        (json!({"enum": ["a", 1, 1.5, null, true]}), "sinb0"),
        (json!({"const": "a"}), "s"),
        (json!({"type": "string", "enum": [1]}), "s"),
        (json!({"properties": {"a": {}}}), "o"),
        (json!({"additionalProperties": false}), "o"),
        (json!({"items": {}}), "a"),
        (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), "i0"),
        (json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}), "si"),
        (json!({"anyOf": [{"type": "integer"}, {}]}), ""),
        (json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), "o"),
        (json!({"allOf": [{"type": "number"}, {"type": ["integer", "string"]}]}), "i"),
        (json!({"allOf": [{"type": ["number", "null"]}, {"description": "a"}]}), "n0"),
        (json!({"allOf": [{"type": "string"}, {"type": "integer"}]}), ""),
        (json!({"$ref": "#/$defs/int"}), "i"),
        (json!({"$ref": "#/$defs/int", "description": "a"}), "i"),
        (json!({"anyOf": [{"$ref": "#/$defs/int"}, {"type": "null"}]}), "i0"),
        (json!({"$ref": "#/$defs/a~1b~0c"}), "b"),
        (json!({"$ref": "#"}), "o"),
        (json!({"$ref": "#/$defs/missing"}), ""),
        (json!({"$ref": "https://example.com/a"}), ""),
        (json!({"$ref": "#/$defs/loop"}), "s"),
        (json!({"$ref": "#/$defs/ping"}), ""),
    ] {
        let schema = root(&schema);
        let compiled = Schema::compile(&schema);
        assert_eq!(letters(compiled.root().property("p").unwrap()), expected, "{}", schema["properties"]);
    }
}

#[test]
fn a_schema_is_closed_if_it_names_its_properties() {
    for (schema, expected) in [
        (json!({}), false),
        (json!({"type": "object"}), false),
        (json!({"type": "object", "properties": {}}), false),
        (json!({"properties": {"a": {}}}), true),
        (json!({"properties": {"a": {}}, "additionalProperties": false}), true),
        (json!({"additionalProperties": false}), true),
        (json!({"properties": {"a": {}}, "additionalProperties": true}), false),
        (json!({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}), false),
        (json!({"properties": {"a": {}}, "patternProperties": {"^x": {}}}), true),
        (json!({"properties": {"a": {}}, "patternProperties": {"^(x|y)": {}}}), true),
        (json!({"properties": {"a": {}}, "patternProperties": {"^(?!x)": {}}}), false),
        (json!({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}), true),
        (json!({"anyOf": [{"properties": {"a": {}}}, {"type": "object"}]}), false),
        (json!({"anyOf": [{"properties": {"a": {}}}, {"type": "null"}]}), true),
        (json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"type": "object"}]}), true),
        (json!({"allOf": [{"properties": {"a": {}}}, {"additionalProperties": false}]}), true),
    ] {
        assert_eq!(Schema::compile(&schema).root().is_closed(), expected, "{schema}");
    }
}

#[test]
fn properties_are_merged() {
    let schema = json!({
        "properties": {"a": {"type": "string"}},
        "allOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]}],
        "anyOf": [
            {"properties": {"kind": {"const": "x"}, "c": {"type": "string"}}, "required": ["kind", "c"]},
            {"properties": {"kind": {"const": "y"}, "c": {"type": "null"}}, "required": ["kind"]},
        ],
        "then": {"properties": {"d": {"type": "array"}}},
        "patternProperties": {"^x-": {"type": "boolean"}},
        "additionalProperties": {"type": "number"},
        "required": ["a"],
    });
    let compiled = Schema::compile(&schema);
    let root = compiled.root();
    assert_eq!(root.properties(), ["a", "b", "c", "d", "kind"]);
    assert_eq!(root.required(), ["a", "b", "kind"]);
    for (key, expected) in
        [("a", "s"), ("b", "i"), ("c", "s0"), ("d", "a"), ("kind", "s"), ("x-1", "b"), ("other", "n")]
    {
        assert_eq!(letters(root.property(key).unwrap()), expected, "{key}");
    }
    let kinds: Vec<_> = root.property("kind").unwrap().choices().iter().map(|choice| choice.text.as_str()).collect();
    assert_eq!(kinds, ["x", "y"]);
    assert!(root.declares("x-1") && !root.declares("other"));
}

#[test]
fn items_are_found_by_place() {
    for (schema, expected) in [
        (json!({"items": {"type": "string"}}), ["s", "s"]),
        (json!({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}), ["i", "s"]),
        (json!({"prefixItems": [{"type": "integer"}], "items": false}), ["i", "none"]),
        (json!({"items": [{"type": "integer"}], "additionalItems": {"type": "null"}}), ["i", "0"]),
        (json!({"anyOf": [{"items": {"type": "integer"}}, {"items": {"type": "string"}}]}), ["si", "si"]),
        (json!({"type": "array"}), ["none", "none"]),
    ] {
        let compiled = Schema::compile(&schema);
        let item = |index| compiled.root().item(index).map_or("none".to_owned(), letters);
        assert_eq!([item(0), item(1)], expected, "{schema}");
    }
}

#[test]
fn strings_are_held_where_they_may_become_something_else() {
    for (schema, holds, streams) in [
        (json!({}), false, false),
        (json!({"type": "string"}), false, true),
        (json!({"type": "string", "enum": ["a"]}), true, false),
        (json!({"type": ["string", "null"]}), false, false),
        (json!({"type": "integer"}), true, false),
        (json!({"type": ["integer", "string"]}), false, false),
        (json!({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}), true, false),
        (json!({"anyOf": [{"enum": ["a"]}, {"type": "string"}]}), false, true),
        (json!({"anyOf": [{"enum": ["a"]}, {"type": "integer"}]}), true, false),
    ] {
        let compiled = Schema::compile(&schema);
        assert_eq!((compiled.root().holds_strings(), compiled.root().streams_text()), (holds, streams), "{schema}");
    }
}

#[test]
fn a_recursive_schema_is_a_graph() {
    let schema = json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {
        "children": {"items": {"$ref": "#/$defs/tree"}}, "size": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]},
    }}}});
    let compiled = Schema::compile(&schema);
    let mut node = compiled.root();
    for _ in 0..100 {
        node = node.property("next").unwrap().property("children").unwrap().item(3).unwrap();
    }
    assert_eq!(letters(node.property("size").unwrap()), "i");
    assert!(compiled.shapes.len() < 10, "{}", compiled.shapes.len());
}

#[test]
fn nesting_is_no_danger() {
    let mut nested = json!({"type": "string"});
    let mut combined = json!({"type": "string"});
    for _ in 0..100_000 {
        let child = Value::Object([("a".to_owned(), nested)].into_iter().collect());
        nested = Value::Object([("properties".to_owned(), child)].into_iter().collect());
        combined = Value::Object([("anyOf".to_owned(), Value::Array(vec![combined]))].into_iter().collect());
    }
    assert_eq!(letters(Schema::compile(&nested).root()), "o");
    assert_eq!(letters(Schema::compile(&combined).root()), "");
    std::mem::forget((nested, combined));
}

#[test]
fn combinations_do_not_multiply() {
    let mut defs = serde_json::Map::new();
    for at in 0..60 {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        defs.insert(
            format!("d{at}"),
            json!({"anyOf": [{"allOf": [next]}, {"allOf": [next]}], "properties": {"p": next}}),
        );
    }
    let compiled = Schema::compile(&json!({"$ref": "#/$defs/d0", "$defs": defs}));
    assert!(compiled.root().types().only(Types::OBJECT));
}

#[test]
fn a_schema_of_usual_size_is_read_to_its_end() {
    let fields = (0..300).map(|at| (format!("p{at}"), json!({"properties": {"size": {"type": "integer"}}})));
    let compiled = Schema::compile(&json!({"type": "object", "properties": Value::Object(fields.collect())}));
    let last = compiled.root().property("p299").and_then(|node| node.property("size"));
    assert_eq!(letters(last.unwrap()), "i");
}
