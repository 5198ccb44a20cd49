//! What is found in templates, what is proved of it, and what is not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolglot::{Dialect, Dialects};
use toolglot_template::{Certificate, Grade, InferError, Template, certify, derive_only, infer};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates")
}

fn source(name: &str) -> String {
    std::fs::read_to_string(folder().join(name).with_extension("jinja")).unwrap_or_default()
}

/// Every template with calls, the built-in dialect that reads it, if one does, and the grade of a derived one.
const TEMPLATES: &[(&str, Option<&str>, Grade)] = &[
    ("json_in_tags", Some("hermes"), Grade::A),
    ("tokens_around_parameters", None, Grade::A),
    ("typed_attributes", None, Grade::A),
    ("numbered_headers", None, Grade::A),
    ("quoted_object", None, Grade::A),
    ("ids_with_names", None, Grade::A),
    ("prefilled_reasoning", None, Grade::A),
    ("appended_list", Some("hermes"), Grade::A),
    ("only_one_call", None, Grade::A),
    ("attributes_quoted", None, Grade::B),
    ("both_formats", None, Grade::B),
    ("braces_and_escapes", None, Grade::A),
    ("channel_recipients", None, Grade::B),
    ("comma_list", None, Grade::A),
    ("content_parts", None, Grade::A),
    ("empty_frames", None, Grade::B),
    ("escaped_markup", None, Grade::A),
    ("flattened_text", None, Grade::B),
    ("framed_answer", None, Grade::B),
    ("header_per_call", None, Grade::B),
    ("ids_behind", None, Grade::A),
    ("indented_json", None, Grade::B),
    ("lines_of_keys", None, Grade::A),
    ("macro_values", None, Grade::A),
    ("newline_params", None, Grade::A),
    ("printed_dict", None, Grade::B),
    ("python_calls", None, Grade::A),
    ("separated_pairs", None, Grade::C),
    ("tags_of_names", None, Grade::A),
    ("types_before_values", None, Grade::B),
    ("whole_calls", None, Grade::A),
];

#[test]
fn every_template_has_a_row() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "no_calls")
        .collect();
    let mut named: Vec<&str> = TEMPLATES.iter().map(|(name, ..)| *name).collect();
    found.sort();
    named.sort_unstable();
    assert_eq!(found, named);
}

#[test]
fn a_dialect_is_derived_from_every_template() {
    for (name, _, grade) in TEMPLATES {
        let found = derive_only(&Template::new(source(name)), "mine").unwrap_or_else(|error| panic!("{name}: {error}"));
        let file = found.dialect.source();
        assert_eq!(found.certificate.grade, *grade, "{name}\n{}{file}", found.certificate);
        assert!(file.lines().count() <= 25, "{name}\n{file}");
    }
}

#[test]
fn built_in_dialects_are_recognised_and_not_invented() {
    for (name, dialect, _) in TEMPLATES {
        let found = infer(&Template::new(source(name)), &Dialects::builtin()).unwrap();
        assert_eq!(found.is_derived, dialect.is_none(), "{name}: {}", found.dialect.name());
        assert_eq!(found.dialect.name(), dialect.unwrap_or("derived"), "{name}");
    }
}

#[test]
fn a_template_without_calls_says_so() {
    let found = infer(&Template::new(source("no_calls")), &Dialects::builtin());
    assert_eq!(found.err(), Some(InferError::NoCalls));
}

/// A certificate is worth something only if it fails where it must: each marker of each template is changed.
#[test]
fn no_damaged_template_keeps_its_certificate() {
    let mut changed = 0;
    for (name, _, grade) in TEMPLATES {
        let source = source(name);
        let found = derive_only(&Template::new(source.clone()), "mine").unwrap();
        for (at, literal) in markers(found.dialect.source()) {
            let damaged = source.replacen(&literal, &damage(&literal, at), 1);
            if damaged == source {
                continue;
            }
            changed += 1;
            let certificate = certify(&Template::new(damaged), &found.dialect, 20);
            let is_same = |new: &Certificate| {
                let old = &found.certificate;
                let prompt = |of: &Certificate| (of.header.clone(), of.prefill.clone());
                let limits = |of: &Certificate| (of.template_drops.clone(), of.template_refuses.clone());
                new.grade <= *grade && new.ends == old.ends && prompt(new) == prompt(old) && limits(new) == limits(old)
            };
            let is_kept = certificate.as_ref().is_ok_and(is_same);
            assert!(!is_kept, "{name}: {literal:?} was changed, and the certificate held\n{}", certificate.unwrap());
        }
    }
    assert!(changed > 2 * TEMPLATES.len(), "{changed} markers were changed");
}

/// The words of the patterns of a dialect file.
fn markers(file: &str) -> Vec<(usize, String)> {
    let dialect = file.lines().filter(|line| !line.starts_with("about")).collect::<Vec<_>>().join("\n");
    let words = dialect.split(|c: char| !c.is_alphanumeric() && c != '_');
    let holes = ["call", "calls", "param", "section", "name", "id", "index", "key", "value", "arguments", "params"];
    let keys = ["json", "types", "join", "quote", "object", "text", "type", "reasoning", "string", "other", "input"];
    let is_word = |word: &&str| word.len() > 1 && !holes.contains(word) && !keys.contains(word) && *word != "n";
    let mut words: Vec<String> = words.filter(is_word).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words.into_iter().enumerate().collect()
}

fn damage(word: &str, at: usize) -> String {
    let place = at % word.len();
    word.char_indices().map(|(i, c)| if i == place { 'Q' } else { c }).collect()
}

#[test]
fn the_certificate_of_another_format_names_what_is_not_read() {
    let hermes = Dialects::builtin().get("hermes").cloned().unwrap();
    let certificate = certify(&Template::new(source("typed_attributes")), &hermes, 5).unwrap();
    assert_eq!(certificate.grade, Grade::None);
    assert!(certificate.not_certified.iter().any(|one| one.probe == "one call" && !one.is_template));
}

#[test]
fn a_value_that_a_dialect_loses_lowers_its_grade() {
    // Blank lines around a value are trimmed here, and the template keeps them.
    let lossy = "call = '<|act|>{name}{params}<|done|>'\nparam = '<|key|>{key}<|is|>{value:trim}<|ok|>'\njoin = ''";
    let lossy = Arc::new(Dialect::from_toml("lossy", lossy).unwrap());
    let certificate = certify(&Template::new(source("tokens_around_parameters")), &lossy, 50).unwrap();
    assert_eq!(certificate.grade, Grade::C, "{certificate}");
    assert!(certificate.not_certified.iter().any(|one| one.probe == "line breaks around"), "{certificate}");
}

#[test]
fn what_the_template_refuses_and_drops_is_named() {
    let found = infer(&Template::new(source("only_one_call")), &Dialects::builtin()).unwrap();
    let refused = &found.certificate.template_refuses;
    assert!(
        refused.iter().any(|why| why.starts_with("two calls: ") && why.contains("one call at a time")),
        "{refused:?}"
    );
    assert!(found.certificate.template_drops.iter().any(|what| what == "reasoning"));
}

#[test]
fn prefill_and_the_end_of_a_turn_are_found() {
    let found = infer(&Template::new(source("prefilled_reasoning")), &Dialects::builtin()).unwrap();
    assert_eq!(found.certificate.prefill, "<muse>");
    assert_eq!(found.certificate.ends, ["<|end|>"]);
}

#[test]
fn tokens_of_the_tokenizer_become_special() {
    let config = toolglot_json::json!({"chat_template": source("tokens_around_parameters"),
        "added_tokens_decoder": {"7": {"content": "<|act|>"}, "8": {"content": "<|unused|>"}}});
    let found = derive_only(&Template::from_config(&config.to_string()).unwrap(), "mine").unwrap();
    assert_eq!(found.dialect.special(), ["<|act|>"]);
}

#[test]
fn hostile_templates_end() {
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}";
    let long = "{% for a in range(9999) %}{{ 'a' * 100000 }}{% endfor %}";
    let deep = "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(1) }}";
    for (template, why) in [(endless, "limit of instructions"), (long, "more than 1 MiB"), (deep, "recursion limit")] {
        match infer(&Template::new(template), &Dialects::builtin()) {
            Err(InferError::Template(said)) => assert!(said.contains(why), "{said}"),
            other => panic!("{other:?}"),
        }
    }
}

/// The same template always gets the same certificate.
#[test]
fn certificates_are_reproducible() {
    let template = Template::new(source("typed_attributes"));
    let once = infer(&template, &Dialects::builtin()).unwrap().certificate;
    assert_eq!(once, infer(&template, &Dialects::builtin()).unwrap().certificate);
}
