//! Values, the schemas that direct them, and what happens to them.

use super::Conversion::{self, Coerced, Fits, Mismatch};
use super::*;
use crate::diagnostic::Code;
use crate::json::write_string;
use crate::schema::Schema;
use serde_json::Value;

mod json;

/// Stands for the exact text as a JSON string.
const SAME: &str = "(same)";

const STRING: &str = r#"{"type": "string"}"#;
const INTEGER: &str = r#"{"type": "integer"}"#;
const NUMBER: &str = r#"{"type": "number"}"#;
const BOOLEAN: &str = r#"{"type": "boolean"}"#;
const NULL: &str = r#"{"type": "null"}"#;
const ARRAY: &str = r#"{"type": "array"}"#;
const OBJECT: &str = r#"{"type": "object"}"#;
const STRING_NULL: &str = r#"{"type": ["string", "null"]}"#;
const STRING_INTEGER: &str = r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#;
const STRING_ARRAY: &str = r#"{"type": ["string", "array"]}"#;
const STRING_BOOLEAN: &str = r#"{"type": ["string", "boolean"]}"#;
const INTEGER_NULL: &str = r#"{"type": "integer", "nullable": true}"#;
const INTEGER_NUMBER: &str = r#"{"type": ["integer", "number"]}"#;
const UNIT: &str = r#"{"enum": ["celsius", "Fahrenheit", "K"]}"#;
const ORDER: &str = r#"{"enum": ["asc", "ASC"]}"#;
const LEVEL: &str = r#"{"enum": [1, 2, 3]}"#;
const MIXED: &str = r#"{"enum": ["auto", 1, null, "2"]}"#;
const UNIT_NULL: &str = r#"{"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}"#;
const OPEN: &str = "{}";

fn schema(text: &str) -> Schema {
    Schema::compile(&serde_json::from_str(text).unwrap())
}

fn check(what: &str, found: (Conversion, &str), same: &str, expected: (&str, Conversion)) {
    let expected_json = if expected.0 == SAME { same } else { expected.0 };
    assert_eq!((found.1, found.0), (expected_json, expected.1), "{what}");
}

fn check_text(rows: &[(&str, &str, &str, Conversion)], hint: Hint, options: &Options) {
    for (declared, raw, json, verdict) in rows {
        let (schema, mut out, mut same) = (schema(declared), String::new(), String::new());
        write_string(raw, &mut same);
        let found = text(raw, Some(schema.root()), hint, options, &mut out, &mut Vec::new());
        check(&format!("`{raw}` for {declared}"), (found, &out), &same, (json, *verdict));
    }
}

#[test]
fn a_declared_string_is_never_touched() {
    let raws = [
        "020", "0003000", "4", "1.10", " 5 ", "null", "None", "true", "True", "[label]", "[1, 2]", "{}", "", " ", "\t",
        "1e5", "+4912345", "NaN", "0x10",
    ];
    for raw in raws {
        check_text(&[(STRING, raw, SAME, Fits)], Hint::None, &Options::default());
        check_text(&[(STRING, raw, SAME, Fits)], Hint::String, &Options::default());
    }
}

#[test]
fn bare_text_becomes_a_declared_number() {
    let rows = [
        (INTEGER, "42", "42", Fits),
        (INTEGER, " -7\n", "-7", Fits),
        (INTEGER, "0", "0", Fits),
        (INTEGER, "-0", "-0", Fits),
        (INTEGER, "1.0", "1", Coerced),
        (INTEGER, "-1.000", "-1", Coerced),
        (INTEGER, "5.", "5", Coerced),
        (INTEGER, "+5", "5", Coerced),
        (INTEGER, "007", "7", Coerced),
        (INTEGER, "-007", "-7", Coerced),
        (INTEGER, "000", "0", Coerced),
        (INTEGER, "\"5\"", "5", Coerced),
        (INTEGER, "123456789012345678901234567890", "123456789012345678901234567890", Fits),
        (INTEGER, "1.5", "1.5", Mismatch),
        (INTEGER, "1e2", "1e2", Fits),
        (INTEGER, "abc", SAME, Mismatch),
        (INTEGER, "", SAME, Mismatch),
        (INTEGER, "5 apples", SAME, Mismatch),
        (INTEGER, "1_000", SAME, Mismatch),
        (INTEGER, "--5", SAME, Mismatch),
        (INTEGER, "٣", SAME, Mismatch),
        (INTEGER, "null", "null", Mismatch),
        (INTEGER, "True", "true", Mismatch),
        (INTEGER, ".", SAME, Mismatch),
        (NUMBER, "1.10", "1.10", Fits),
        (NUMBER, "1e400", "1e400", Fits),
        (NUMBER, "1180591620717411303424", "1180591620717411303424", Fits),
        (NUMBER, "-1.5E-3", "-1.5E-3", Fits),
        (NUMBER, ".5", "0.5", Coerced),
        (NUMBER, "-.5", "-0.5", Coerced),
        (NUMBER, "5.", "5.0", Coerced),
        (NUMBER, "5.e3", "5.0e3", Coerced),
        (NUMBER, "007.50", "7.50", Coerced),
        (NUMBER, "+1.5", "1.5", Coerced),
        (NUMBER, "NaN", SAME, Mismatch),
        (NUMBER, "Infinity", SAME, Mismatch),
        (NUMBER, "1e", SAME, Mismatch),
        (INTEGER_NUMBER, "1.0", "1.0", Fits),
    ];
    check_text(&rows, Hint::None, &Options::default());
    check_text(&rows, Hint::None, &Options::default().with_validation(Validation::Lenient));
}

#[test]
fn bare_text_becomes_any_other_declared_type() {
    let rows = [
        (BOOLEAN, "true", "true", Fits),
        (BOOLEAN, "True", "true", Fits),
        (BOOLEAN, "FALSE", "false", Coerced),
        (BOOLEAN, "yes", SAME, Mismatch),
        (BOOLEAN, "1", "1", Mismatch),
        (BOOLEAN, "\"true\"", "true", Coerced),
        (NULL, "null", "null", Fits),
        (NULL, "None", "null", Fits),
        (NULL, "NULL", "null", Coerced),
        (NULL, "none", SAME, Mismatch),
        (INTEGER_NULL, "None", "null", Fits),
        (INTEGER_NULL, "4", "4", Fits),
        (ARRAY, " [1, \"a\"]\n", "[1, \"a\"]", Fits),
        (ARRAY, "\"[1]\"", "[1]", Coerced),
        (ARRAY, r#""\"[1]\"""#, "[1]", Coerced),
        (ARRAY, "{\"a\":1}", "{\"a\":1}", Mismatch),
        (ARRAY, "a, b", SAME, Mismatch),
        (ARRAY, "[1e400, 1e999]", "[1e400, 1e999]", Fits),
        (ARRAY, "['a', True, None]", r#"["a", true, null]"#, Fits),
        (OBJECT, "{ \"a\" : 1.50 }", "{ \"a\" : 1.50 }", Fits),
        (OBJECT, "{\"__proto__\":1}", "{\"__proto__\":1}", Fits),
        (OBJECT, "5", "5", Mismatch),
    ];
    check_text(&rows, Hint::None, &Options::default());
    check_text(&rows, Hint::None, &Options::default().with_validation(Validation::Lenient));
}

#[test]
fn where_a_string_is_declared_too_only_exact_spellings_convert() {
    let rows = [
        (STRING_NULL, "null", "null", Fits),
        (STRING_NULL, "None", SAME, Fits),
        (STRING_NULL, "4", SAME, Fits),
        (STRING_INTEGER, "4", "4", Fits),
        (STRING_INTEGER, "007", SAME, Fits),
        (STRING_INTEGER, "+5", SAME, Fits),
        (STRING_INTEGER, "1.0", SAME, Fits),
        (STRING_INTEGER, "\"5\"", SAME, Fits),
        (STRING_BOOLEAN, "True", "true", Fits),
        (STRING_BOOLEAN, "TRUE", SAME, Fits),
        (STRING_ARRAY, "[1]", "[1]", Fits),
        (STRING_ARRAY, "[label]", SAME, Fits),
        (STRING_ARRAY, "['a']", SAME, Fits),
        (STRING_ARRAY, "{}", SAME, Fits),
    ];
    check_text(&rows, Hint::None, &Options::default());
}

#[test]
fn text_is_matched_with_an_enum() {
    let rows = [
        (UNIT, "celsius", "\"celsius\"", Fits),
        (UNIT, "\ncelsius ", "\"celsius\"", Coerced),
        (UNIT, "FAHRENHEIT", "\"Fahrenheit\"", Coerced),
        (UNIT, "k", "\"K\"", Coerced),
        (UNIT, "kelvin", SAME, Mismatch),
        (UNIT, "cel", SAME, Mismatch),
        (ORDER, "asc ", "\"asc\"", Coerced),
        (ORDER, "Asc", SAME, Mismatch),
        (LEVEL, "2", "2", Fits),
        (LEVEL, "2.0", "2", Coerced),
        (LEVEL, "7", "7", Mismatch),
        (MIXED, "1", "1", Fits),
        (MIXED, "2", "\"2\"", Fits),
        (r#"{"enum": [1, "1"]}"#, "1", "\"1\"", Fits),
        (MIXED, "null", "null", Fits),
        (MIXED, "Auto", "\"auto\"", Coerced),
        (UNIT_NULL, "A", "\"a\"", Coerced),
        (UNIT_NULL, "null", "null", Fits),
    ];
    check_text(&rows, Hint::None, &Options::default());
    check_text(
        &[(UNIT, "CELSIUS", SAME, Mismatch)],
        Hint::None,
        &Options::default().with_validation(Validation::Lenient),
    );
}

#[test]
fn a_hint_comes_before_the_schema() {
    let options = Options::default().with_untyped(Untyped::String);
    check_text(
        &[
            (OPEN, "5", SAME, Fits),
            (INTEGER, "5", "5", Coerced),
            (INTEGER, "x", SAME, Mismatch),
            (STRING_INTEGER, "5", SAME, Fits),
        ],
        Hint::String,
        &options,
    );
    let rows = [
        (OPEN, " 5 ", "5", Fits),
        (OPEN, "1e999", "1e999", Fits),
        (OPEN, "\"a\"", "\"a\"", Fits),
        (OPEN, "[1, 2]", "[1, 2]", Fits),
        (OPEN, "plain text ", SAME, Fits),
        (STRING, "1.10", "\"1.10\"", Coerced),
        (STRING, "[1]", "\"[1]\"", Coerced),
        (STRING, "a b", SAME, Fits),
        (STRING, "\"a\"", "\"a\"", Fits),
        (INTEGER, "\"5\"", "5", Coerced),
        (INTEGER, "5", "5", Fits),
        (BOOLEAN, "True", "true", Fits),
        (ARRAY, "[1]", "[1]", Fits),
    ];
    check_text(&rows, Hint::Json, &options);
}

#[test]
fn without_a_type_only_exact_values_are_inferred() {
    let rows = [
        (OPEN, "42", "42", Fits),
        (OPEN, " 1.10\n", "1.10", Fits),
        (OPEN, "12345678901234567890", "12345678901234567890", Fits),
        (OPEN, "1e999", SAME, Fits),
        (OPEN, "-1e999", SAME, Fits),
        (OPEN, "007", SAME, Fits),
        (OPEN, "+5", SAME, Fits),
        (OPEN, ".5", SAME, Fits),
        (OPEN, "5.", SAME, Fits),
        (OPEN, "0x10", SAME, Fits),
        (OPEN, "true", "true", Fits),
        (OPEN, "False", "false", Fits),
        (OPEN, "TRUE", SAME, Fits),
        (OPEN, "null", "null", Fits),
        (OPEN, "None", "null", Fits),
        (OPEN, "none", SAME, Fits),
        (OPEN, "NaN", SAME, Fits),
        (OPEN, "-Infinity", SAME, Fits),
        (OPEN, "\"quoted\"", "\"quoted\"", Fits),
        (OPEN, "[1, {\"a\": null}]", "[1, {\"a\": null}]", Fits),
        (OPEN, "[label]", SAME, Fits),
        (OPEN, "[x] done", SAME, Fits),
        (OPEN, "[1] see below", SAME, Fits),
        (OPEN, "[INFO] started", SAME, Fits),
        (OPEN, "[2024-01-01]", SAME, Fits),
        (OPEN, "{name}", SAME, Fits),
        (OPEN, "{{name}}", SAME, Fits),
        (OPEN, "{foo: bar}", SAME, Fits),
        (OPEN, "{% if a %}", SAME, Fits),
        (OPEN, "\"a\" and \"b\"", SAME, Fits),
        (OPEN, "  some text ", SAME, Fits),
        (OPEN, "", SAME, Fits),
        (OPEN, "  ", SAME, Fits),
    ];
    check_text(&rows, Hint::None, &Options::default());
    for (_, raw, _, _) in rows {
        check_text(&[(OPEN, raw, SAME, Fits)], Hint::None, &Options::default().with_untyped(Untyped::String));
    }
}

#[test]
fn whatever_the_text_the_value_is_json() {
    let letters = ["5", "0", ".", "-", "+", "e", "\"", "'", "[", "]", "{", "}", ",", ":", "\\", " ", "é"];
    let schemas =
        [STRING, INTEGER, NUMBER, BOOLEAN, ARRAY, OBJECT, STRING_INTEGER, STRING_ARRAY, UNIT_NULL, MIXED, OPEN]
            .map(schema);
    for at in 0..letters.len().pow(3) {
        let raw: String =
            [at, at / letters.len(), at / letters.len().pow(2)].map(|at| letters[at % letters.len()]).concat();
        for (schema, hint) in
            schemas.iter().flat_map(|schema| [Hint::None, Hint::String, Hint::Json].map(|hint| (schema, hint)))
        {
            let mut out = String::new();
            text(&raw, Some(schema.root()), hint, &Options::default(), &mut out, &mut Vec::new());
            assert!(serde_json::from_str::<Value>(&out).is_ok(), "`{raw}` became `{out}`, with {hint:?}");
        }
    }
}

#[test]
fn repairs_inside_a_value_are_told_with_their_place() {
    let (schema, mut out, mut repairs) = (schema(ARRAY), String::new(), Vec::new());
    let verdict = text("\n ['a']", Some(schema.root()), Hint::None, &Options::default(), &mut out, &mut repairs);
    assert_eq!((verdict, out.as_str()), (Fits, "[\"a\"]"));
    assert_eq!(
        repairs.iter().map(|repair| (repair.code, repair.span.start)).collect::<Vec<_>>(),
        [(Code::SingleQuotes, 3)]
    );
}
