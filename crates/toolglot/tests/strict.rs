//! Under strict validation each finished call fits its tool's schema, whatever was written, in every dialect.
//!
//! The schema is read by a crate of its own. `STRICT_SEED=n STRICT_RUNS=n` replays a failure and runs longer.

use jsonschema::Validator;
use serde_json::Value;
use toolglot::{Dialects, Options, Renderer, Rendering, Tools, Validation, parse};

use random::{Random, from_env};

#[path = "support/random.rs"]
mod random;

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["city", "days"], "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}, "exact": {"type": "boolean"},
    "unit": {"enum": ["celsius", "kelvin"]}, "hours": {"type": "array", "items": {"type": "integer"}},
    "note": {"type": ["string", "null"]}, "ratio": {"type": "number"},
    "place": {"type": "object", "required": ["lat"], "additionalProperties": false,
              "properties": {"lat": {"type": "number"}, "name": {"type": "string"}}}}}"#;

/// Members that fit, and members that do not.
const GOOD: &[&[&str]] = &[
    &[r#""city": "Oslo""#, r#""city": "0x1F""#, r#""city": """#],
    &[r#""days": 5"#, r#""days": 1.0"#, r#""days": -2"#],
    &[r#""exact": true"#, r#""unit": "kelvin""#, r#""note": null"#, r#""ratio": 1.5"#],
    &[r#""hours": [1, 2]"#, r#""place": {"lat": 1.5, "name": "x"}"#, r#""hours": []"#],
];
const BAD: &[&str] = &[
    r#""city": null"#,
    r#""city": {"a": 1}"#,
    r#""days": "many""#,
    r#""days": 1.5"#,
    r#""days": [1]"#,
    r#""exact": "perhaps""#,
    r#""unit": "feet""#,
    r#""unit": 5"#,
    r#""hours": [1, "x"]"#,
    r#""hours": {"a": 1}"#,
    r#""hours": "1, 2""#,
    r#""place": {"name": "x"}"#,
    r#""place": {"lat": "north"}"#,
    r#""place": {"lat": 1, "extra": 2}"#,
    r#""extra": 1"#,
    r#""ratio": null"#,
];

/// What stands for the arguments of a damaged call, or is put anywhere.
const PIECES: &[&str] =
    &["null", "\"\"", "{}", "[]", "\"{}\"", "", "{", "}", "\"", "None", "+5", "007", "TRUE", ",", "<"];

fn arguments(random: &mut Random) -> (String, bool) {
    let mut members: Vec<&str> =
        GOOD.iter().take(2 + random.below(3)).map(|row| row[random.below(row.len())]).collect();
    let mut good = true;
    match random.below(4) {
        0 => {}
        1 => drop((members.remove(random.below(2)), good = false)),
        2 => {
            members.push(BAD[random.below(BAD.len())]);
            good = false;
        }
        _ => {
            members.truncate(random.below(2));
            good = false;
        }
    }
    (format!("{{{}}}", members.join(", ")), good)
}

/// Puts something else in the place of the arguments, or of anything.
fn damage(random: &mut Random, text: &str, arguments: &str) -> String {
    let piece = PIECES[random.below(PIECES.len())];
    if random.below(2) == 0 && text.contains(arguments) {
        return text.replacen(arguments, piece, 1);
    }
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.below(letters.len() + 1);
    let end = (at + random.below(8)).min(letters.len());
    letters.splice(at..end, piece.chars());
    letters.into_iter().collect()
}

#[test]
fn what_goes_out_fits_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let oracle: Validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let tools = Tools::from_json(&serde_json::json!([{"name": "forecast", "parameters": schema}])).expect("tools");
    let strict = Options::default().with_validation(Validation::Strict);
    let seed = from_env("STRICT_SEED", 1);
    let mut wrong = Vec::new();
    for dialect in &Dialects::builtin() {
        let alone: Dialects = [dialect.clone()].into_iter().collect();
        let renderer = Renderer::new(dialect, &Tools::default()).with_check(false);
        let (mut written, mut finished) = (0, 0);
        for seed in seed..seed + from_env("STRICT_RUNS", 200) {
            let mut random = Random::new(seed);
            let (arguments, good) = arguments(&mut random);
            let rendering = Rendering::new().with_call("forecast", &arguments);
            let Ok(mut text) = renderer.render(&rendering) else { continue };
            let damaged = random.below(2) == 0;
            if damaged {
                text = damage(&mut random, &text, &arguments);
            }
            let dialects = if random.below(4) == 0 { Dialects::builtin() } else { alone.clone() };
            let read = parse(&text, &dialects, &tools, &strict);
            let fits = |json: &str| serde_json::from_str(json).is_ok_and(|value| oracle.is_valid(&value));
            for call in read.calls.iter().filter(|call| !fits(&call.arguments)) {
                wrong.push(format!("{} STRICT_SEED={seed}: {text:?} gives {}", dialect.name(), call.arguments));
            }
            if good && !damaged {
                written += 1;
                finished += read.calls.len();
            }
        }
        assert!(finished * 10 >= written * 9 && written > 10, "{}: {finished} of {written}", dialect.name());
    }
    assert!(wrong.is_empty(), "{} calls do not fit:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn a_call_without_its_required_arguments_is_none() {
    let tools = Tools::from_json_str(&format!(r#"[{{"name": "forecast", "parameters": {SCHEMA}}}]"#)).expect("tools");
    let strict = Options::default().with_validation(Validation::Strict);
    for dialect in &Dialects::builtin() {
        let alone: Dialects = [dialect.clone()].into_iter().collect();
        let renderer = Renderer::new(dialect, &Tools::default()).with_check(false);
        let arguments = r#"{"city": "Oslo"}"#;
        let Ok(text) = renderer.render(&Rendering::new().with_call("forecast", arguments)) else { continue };
        let empty = renderer.render(&Rendering::new().with_call("forecast", "{}")).unwrap_or_default();
        let mut texts = vec![text.clone(), empty];
        texts.extend(["null", "\"\"", "\"{}\"", "[]", "{}", ""].map(|piece| text.replacen(arguments, piece, 1)));
        for text in texts {
            let read = parse(&text, &alone, &tools, &strict);
            assert!(read.calls.is_empty(), "{}: {text:?} gives {:?}", dialect.name(), read.calls);
        }
    }
}
