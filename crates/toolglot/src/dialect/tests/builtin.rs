//! The built-in files: all load, all are listed, no name is given twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::dialect::builtin::{FILES, QUOTE_TOKENS};
use crate::dialect::{Dialect, Dialects, folded};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/dialects");

#[test]
fn every_file_loads() {
    let errors = FILES.iter().filter_map(|(name, source)| Dialect::from_toml(name, source).err());
    let errors: Vec<String> = errors.map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n\n"));
    assert_eq!(Dialects::builtin().len(), FILES.len());
}

#[test]
fn every_file_is_listed() {
    let files = fs::read_dir(FOLDER).expect("the folder is there").map(|file| file.expect("readable").path());
    let mut names: Vec<String> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let mut listed: Vec<&str> = FILES.iter().map(|file| file.0).collect();
    listed.sort_unstable();
    assert_eq!(listed, names);
}

#[test]
fn every_quote_token_is_listed() {
    let all = Dialects::builtin();
    let mut tokens: Vec<&str> = all.iter().filter_map(|dialect| dialect.quote.as_deref()).collect();
    let mut listed: Vec<&str> = QUOTE_TOKENS.into_iter().filter(|token| *token != "<|\">").collect();
    tokens.sort_unstable();
    tokens.dedup();
    listed.sort_unstable();
    assert_eq!(listed, tokens);
}

#[test]
fn every_name_is_given_once() {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let all = Dialects::builtin();
    for dialect in &all {
        for name in dialect.names() {
            let other = owners.insert(folded(name), dialect.name());
            assert_eq!(other, None, "`{name}` is a name of `{}` too", dialect.name());
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    for dialect in &Dialects::builtin() {
        assert!(dialect.about().ends_with('.'), "{} says nothing", dialect.name());
    }
}

#[test]
fn names_of_engines_resolve() {
    let names = [
        ("qwen3_json", "hermes"),
        ("xiaomi-mimo", "hermes"),
        ("granite-20b-fc", "granite_20b_fc"),
        ("jamba", "tool_calls_array"),
        ("cohere_command4", "cohere_command"),
        ("apertus2509", "apertus"),
        ("openai_json", "openai_json"),
        ("deepseekv31", "deepseek_v3_1"),
        ("kimi-k2", "kimi_k2"),
        ("gpt-oss", "harmony"),
        ("functionary", "functionary_v3"),
        ("Qwen3.5", "qwen3_coder"),
        ("GLM-4.5", "glm45"),
        ("glm47_moe", "glm47"),
        ("minimax-m3", "minimax_m3"),
        ("nanogpt", "use_tool"),
        ("liquid", "lfm2"),
    ];
    let all = Dialects::builtin();
    for (name, expected) in names {
        assert_eq!(all.get(name).map(|dialect| dialect.name()), Some(expected), "{name}");
    }
    assert!(all.get("nothing").is_none());
}

#[test]
fn every_name_finds_its_dialect_though_nothing_has_been_read() {
    for (name, source) in &FILES {
        let dialect = Dialect::from_toml(name, source).expect("tests prove that it loads");
        for known in dialect.names().flat_map(|name| [name.to_owned(), name.to_uppercase().replace('_', "-")]) {
            assert_eq!(Dialects::builtin().get(&known).map(|found| found.name()), Some(*name), "{known}");
        }
    }
}

#[test]
fn what_a_file_says_of_other_things_is_no_alias() {
    let all = Dialects::builtin();
    assert!(all.get("hermes").expect("it is there").source().contains("\"<think>\""));
    for other in ["<think>", "<tool_call>", "QwQ-*", ""] {
        assert!(all.get(other).is_none(), "{other}");
    }
}

#[test]
fn a_dialect_that_is_pinned_is_made_ready_once() {
    let pinned = |name: &str| Dialects::builtin().only(&[name]).expect("it is known").catalog(false);
    assert!(std::sync::Arc::ptr_eq(&pinned("hermes"), &pinned("qwen25")));
    assert!(!std::sync::Arc::ptr_eq(&pinned("hermes"), &pinned("glm45")));
}

#[test]
fn a_choice_keeps_its_order() {
    let chosen = Dialects::builtin().only(&["qwen", "bare_json", "hermes"]).expect("all are known");
    assert_eq!(chosen.iter().map(|dialect| dialect.name()).collect::<Vec<_>>(), ["hermes", "bare_json"]);
    assert!(Dialects::builtin().only(&[""; 0]).expect("nothing is unknown").is_empty());
}

#[test]
fn an_unknown_name_lists_near_ones() {
    let error = |name: &str| Dialects::builtin().only(&[name]).expect_err("it is unknown").to_string();
    assert_eq!(error("hermse"), "unknown dialect `hermse`; did you mean `hermes`?");
    assert_eq!(error("zzzzzz"), "unknown dialect `zzzzzz`; run `toolglot dialects list` to list all");
}

#[test]
fn a_dialect_of_the_same_name_gives_way() {
    let mine = Dialect::from_toml("HERMES", "call = '<mine>{call}</mine>'").expect("the file is right");
    let all = Dialects::builtin();
    let with = all.with(mine);
    assert_eq!(with.len(), all.len());
    assert_eq!(with.list().first().map(|dialect| dialect.name()), Some("HERMES"));
}

#[test]
fn damaged_files_are_refused_or_read() {
    for (name, source) in FILES {
        for cut in (0..source.len()).step_by(7).filter(|&cut| source.is_char_boundary(cut)) {
            let rest = source[cut..].char_indices().nth(1 + cut % 3).map_or("", |(at, _)| &source[cut + at..]);
            let damaged = source[..cut].to_owned() + rest;
            if let Err(error) = Dialect::from_toml(name, &damaged) {
                assert!(error.to_string().contains(error.message()));
            }
        }
    }
}

#[test]
fn the_examples_of_the_guide_load() {
    let guide = fs::read_to_string(Path::new(FOLDER).join("README.md")).expect("the guide is there");
    let examples: Vec<&str> = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        Dialect::from_toml("example", example).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// What makes a marker evidence is its shape; only these are strong by signs beyond ASCII.
#[test]
fn strong_markers_are_told_by_their_shape() {
    for (literal, strong) in [
        ("<｜tool▁calls▁begin｜>", true),
        ("◁think▷", true),
        ("]<]minimax[>[", true),
        ("[TOOL_CALLS]", true),
        ("[/THINK]", true),
        ("<tool", true),
        ("✿FUNCTION✿: ", false),
        ("{\"name\"", false),
        ("[{", false),
        ("Action:", false),
        ("a < b", false),
        ("été", false),
        ("答え", false),
    ] {
        assert_eq!(crate::dialect::is_strong(literal), strong, "{literal}");
    }
}
