//! Strings: of any text, of a length, of a pattern.

use toolglot_json::Value;

use super::{count, regex};
use crate::builder::{Builder, SchemaAt};
use crate::error::GrammarError;
use crate::exclusion::Exclusion;
use crate::node::{Node, Times};
use crate::style::{ValueStyle, limited};

/// A schema's constraints on a string.
#[derive(Clone, Debug)]
pub(crate) enum StringRule<'s> {
    Any,
    Length(Times),
    Pattern(&'s str),
}

/// Longer texts are not counted: engines limit repetitions.
const MOST_COUNTED: usize = 1 << 16;

impl<'a> Builder<'a> {
    /// Returns a schema's constraints on a string.
    pub(crate) fn string_rule(&mut self, at: &SchemaAt<'a>) -> Result<StringRule<'a>, GrammarError> {
        let Value::Object(schema) = at.schema else { return Ok(StringRule::Any) };
        let (least, most) = (count(schema, "minLength").unwrap_or(0), count(schema, "maxLength"));
        if most.is_some_and(|most| most < least) {
            return Err(GrammarError::new(format!("{}: `maxLength` is below `minLength`; correct it", at.path)));
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            if regex::is_readable(pattern) {
                if least > 0 || most.is_some() {
                    self.unsupported(at, if least > 0 { "minLength" } else { "maxLength" })?;
                }
                return Ok(StringRule::Pattern(pattern));
            }
            self.unsupported(at, "pattern")?;
        }
        if least > MOST_COUNTED {
            self.unsupported(at, "minLength")?;
            return Ok(StringRule::Any);
        }
        let most = match most {
            Some(most) if most > MOST_COUNTED => {
                self.unsupported(at, "maxLength")?;
                None
            }
            most => most,
        };
        Ok(if least == 0 && most.is_none() { StringRule::Any } else { StringRule::Length(Times { least, most }) })
    }

    /// Returns a string between quotes.
    pub(crate) fn string_value(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        Ok(match self.string_rule(at)? {
            StringRule::Any => style.string(None),
            StringRule::Length(times) => style.string(Some(times)),
            StringRule::Pattern(pattern) => {
                let quote = || Node::literal(style.quote());
                let inside = self.pattern_text(at, pattern, &style.exclusion)?;
                Node::sequence([quote(), inside, quote()])
            }
        })
    }

    /// Returns bare text.
    pub(crate) fn bare_string(&mut self, at: &SchemaAt<'a>, exclusion: &Exclusion) -> Result<Node, GrammarError> {
        Ok(match self.string_rule(at)? {
            StringRule::Any => Node::Text(std::sync::Arc::new(exclusion.clone())),
            StringRule::Length(times) => limited(exclusion, times),
            StringRule::Pattern(pattern) => self.pattern_text(at, pattern, exclusion)?,
        })
    }

    fn pattern_text(&mut self, at: &SchemaAt<'a>, pattern: &str, exclusion: &Exclusion) -> Result<Node, GrammarError> {
        match regex::node(pattern, exclusion) {
            Some(node) => Ok(node),
            None => {
                self.unsupported(at, "pattern")?;
                Ok(Node::Text(std::sync::Arc::new(exclusion.clone())))
            }
        }
    }
}
