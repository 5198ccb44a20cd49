//! JSON strings and scalars, and what a schema makes of them.

use super::*;

#[test]
fn json_strings_convert_only_where_no_string_is_declared() {
    let rows = [
        (STRING, "5", SAME, Fits),
        (STRING, "null", SAME, Fits),
        (STRING_NULL, "null", SAME, Fits),
        (STRING_NULL, "4", SAME, Fits),
        (STRING_INTEGER, "4", SAME, Fits),
        (OPEN, "4", SAME, Fits),
        (INTEGER, "5", "5", Coerced),
        (INTEGER, "1.0", "1", Coerced),
        (INTEGER, "1.5", SAME, Mismatch),
        (INTEGER, "five", SAME, Mismatch),
        (INTEGER, "", SAME, Mismatch),
        (NUMBER, "1.10", "1.10", Coerced),
        (NUMBER, "Infinity", SAME, Mismatch),
        (BOOLEAN, "True", "true", Coerced),
        (BOOLEAN, "1", SAME, Mismatch),
        (INTEGER_NULL, "null", "null", Coerced),
        (INTEGER, "null", SAME, Mismatch),
        (ARRAY, "[1, 2]", "[1, 2]", Coerced),
        (ARRAY, "[1, 2] and more", SAME, Mismatch),
        (OBJECT, "{}", "{}", Coerced),
        (OBJECT, "[]", SAME, Mismatch),
        (UNIT, "celsius", SAME, Fits),
        (UNIT, " Celsius", "\"celsius\"", Coerced),
        (UNIT, "rankine", SAME, Mismatch),
        (LEVEL, "2", "2", Coerced),
        (LEVEL, "7", SAME, Mismatch),
        (MIXED, "1", "1", Coerced),
        (MIXED, "2", SAME, Fits),
    ];
    for (declared, content, json, verdict) in rows {
        let (schema, mut out, source) = (schema(declared), String::new(), format!("\"{content}\""));
        let found = string(content, &source, schema.root(), &Options::default(), &mut out);
        check(&format!("string `{content}` for {declared}"), (found, &out), &source, (json, verdict));
        out.clear();
        let lenient = Options::default().with_validation(Validation::Lenient);
        let found = string(content, &source, schema.root(), &lenient, &mut out);
        let unconverted = if verdict == Coerced { Mismatch } else { verdict };
        check(&format!("lenient string `{content}` for {declared}"), (found, &out), &source, (SAME, unconverted));
    }
}

#[test]
fn scalars_convert_to_what_is_declared() {
    let rows = [
        (OPEN, "5", "5", Fits),
        (INTEGER, "5", "5", Fits),
        (INTEGER, "1.0", "1.0", Fits),
        (INTEGER, "1.5", "1.5", Mismatch),
        (INTEGER, "1e2", "1e2", Fits),
        (INTEGER, "1.50e1", "1.50e1", Fits),
        (INTEGER, "1.5e0", "1.5e0", Mismatch),
        (INTEGER, "1e-2", "1e-2", Mismatch),
        (INTEGER, "true", "true", Mismatch),
        (INTEGER, "null", "null", Mismatch),
        (NUMBER, "5", "5", Fits),
        (NUMBER, "1e400", "1e400", Fits),
        (STRING, "1.10", "\"1.10\"", Coerced),
        (STRING, "true", "\"true\"", Coerced),
        (STRING, "null", "null", Mismatch),
        (STRING_NULL, "null", "null", Fits),
        (STRING_NULL, "5", "\"5\"", Coerced),
        (STRING_INTEGER, "1.5", "\"1.5\"", Coerced),
        (BOOLEAN, "0", "0", Mismatch),
        (BOOLEAN, "false", "false", Fits),
        (LEVEL, "2", "2", Fits),
        (LEVEL, "2.0", "2.0", Fits),
        (LEVEL, "7", "7", Mismatch),
        (MIXED, "2", "\"2\"", Coerced),
        (UNIT, "5", "5", Mismatch),
        (ARRAY, "5", "5", Mismatch),
    ];
    for (declared, token, json, verdict) in rows {
        let (schema, mut out) = (schema(declared), String::new());
        let found = scalar(token, schema.root(), &Options::default(), &mut out);
        check(&format!("`{token}` for {declared}"), (found, &out), token, (json, verdict));
        out.clear();
        let found = scalar(token, schema.root(), &Options::default().with_validation(Validation::Lenient), &mut out);
        let unconverted = if verdict == Coerced { Mismatch } else { verdict };
        check(&format!("lenient `{token}` for {declared}"), (found, &out), token, (SAME, unconverted));
    }
}
