//! Grammars that constrain a model to a dialect, made from the same dialect file that parses the calls.
//!
//! [`Grammar::new`] takes a dialect, the declared tools and [`GrammarOptions`]. The grammar can be written as GBNF for
//! llama.cpp, Lark for llguidance, a structural tag for xgrammar, or a JSON schema for hosted APIs.
//!
//! ```
//! use toolglot::Dialects;
//! use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool, GrammarToolChoice};
//! let dialects = Dialects::builtin();
//! let dialect = dialects.get("hermes").ok_or("no such dialect")?;
//! let tools = GrammarTool::list(&toolglot_json::json!([{"name": "ls", "parameters": {
//!     "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}]))?;
//! let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Required);
//! let grammar = Grammar::new(dialect, &tools, &options)?;
//! assert!(grammar.to_gbnf().starts_with("root ::= "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// The example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct GrammarReadme;

mod body;
mod builder;
mod call;
mod chars;
mod declared;
mod error;
mod exclusion;
mod gbnf;
mod grammar;
mod json_schema;
mod lark;
mod markers;
mod message;
mod node;
mod options;
mod param;
mod request;
mod schema;
mod style;
mod tag;
mod tree;

pub use declared::GrammarTool;
pub use error::{GrammarError, GrammarWarning};
pub use grammar::Grammar;
pub use options::{
    ArgumentsLevel, GrammarOptions, GrammarReasoning, GrammarToolChoice, MarkerSpelling, UnsupportedKeywords,
};
pub use request::{GrammarForm, GrammarRequest, WrittenGrammar};
