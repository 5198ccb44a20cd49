//! The engines take every grammar, agree with our own matcher, and what they let through is read.

mod builders;
mod closed_loop;
#[path = "../../../crates/toolglot-grammar/tests/walks/gbnf.rs"]
mod gbnf;
#[path = "../../../crates/toolglot-grammar/tests/walks/random.rs"]
mod random;
mod setting;
mod walker;

use gbnf::Matcher;
use random::Random;
use setting::{Setting, dialects, settings};
use toolglot_grammar_tests::{Engine, Llguidance, Xgrammar};
use toolglot_json::{Value, json};

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn llguidance_agrees_with_our_matcher() {
    let mut complaints = Vec::new();
    for setting in dialects().iter().flat_map(settings) {
        let found = match Llguidance::new(&setting.grammar.to_lark()) {
            Err(error) => Some(error),
            Ok(mut engine) => (0..2).find_map(|round| {
                let text = setting.walk(round * 31 + 7);
                let refused = engine.accepts(&text).err().map(|why| format!("{why}\n  {text:?}"));
                refused.or_else(|| strays(&setting, &mut engine, &mut Random::new(round + 11)))
            }),
        };
        complaints.extend(found.map(|why| format!("{}: {why}", setting.about)));
    }
    report(&complaints);
}

/// Goes where llguidance lets us, and says where our matcher does not.
fn strays(setting: &Setting, engine: &mut Llguidance, random: &mut Random) -> Option<String> {
    engine.restart();
    let mut ours = Matcher::new(&setting.gbnf);
    let mut text = String::new();
    for steps in 0..120 {
        if engine.may_end() != ours.may_end() {
            return Some(format!("only one of both may end\n  {text:?}"));
        }
        let allowed: Vec<u8> = engine.next().into_iter().filter(u8::is_ascii).collect();
        let c = match ours.next(random, steps > 100) {
            Some(c) if allowed.is_empty() || random.below(3) > 0 => c,
            _ if allowed.is_empty() => break,
            _ => char::from(allowed[random.below(allowed.len())]),
        };
        let mut bytes = [0; 4];
        let theirs = c.encode_utf8(&mut bytes).bytes().all(|byte| engine.take(byte));
        let own = ours.step(c);
        text.push(c);
        if theirs != own {
            return Some(format!("llguidance {theirs}, ours {own}\n  {text:?}"));
        }
        if !own {
            break;
        }
    }
    None
}

/// What keeps our tags from leaving every schema to the engine: when one of these fails, the engine holds more than it did,
/// and `tag.rs` may leave it more.
#[test]
fn xgrammar_does_not_hold_lengths_and_patterns_beside_exclusions() {
    let takes = |schema: Value, excludes: &[&str], text: &str| {
        let format = json!({"type": "json_schema", "json_schema": schema, "excludes": excludes});
        Xgrammar::new(&json!({"type": "structural_tag", "format": format}).to_string()).unwrap().accepts(text).is_ok()
    };
    let short = || json!({"type": "string", "maxLength": 3});
    assert!(takes(json!({"type": "string"}), &["<end>"], r#""<en>""#));
    assert!(!takes(json!({"type": "string"}), &["<end>"], r#""<end>""#));
    assert!(!takes(short(), &[], r#""abcd""#));
    let limits = [
        ("a length gives way to an exclusion", takes(short(), &["<end>"], r#""abcd""#)),
        ("a string of a length has no escapes", !takes(short(), &[], r#""\n""#)),
        ("a string of a length has raw control characters", takes(short(), &[], "\"\u{4}\"")),
        (
            "an exclusion gives way to a pattern",
            takes(json!({"type": "string", "pattern": "^.*$"}), &["<end>"], r#""<end>""#),
        ),
        ("a pointer has bare quotes", takes(json!({"type": "string", "format": "json-pointer"}), &[], r#""/"""#)),
    ];
    let gone: Vec<&str> = limits.iter().filter(|limit| !limit.1).map(|limit| limit.0).collect();
    assert!(gone.is_empty(), "no longer so: {gone:?}");
}
