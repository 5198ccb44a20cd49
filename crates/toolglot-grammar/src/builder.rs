//! The inputs of a grammar, and the parts that are already built.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use toolglot::Outline;
use toolglot_json::Value;

use crate::declared::GrammarTool;
use crate::error::{GrammarError, GrammarWarning};
use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::markers::Markers;
use crate::node::{Node, RuleId, Rules};
use crate::options::{ArgumentsLevel, GrammarOptions, UnsupportedKeywords};
use crate::style::ValueStyle;

/// A grammar that is being built.
pub(crate) struct Builder<'a> {
    pub(crate) outline: Outline<'a>,
    pub(crate) dialect: &'a str,
    pub(crate) options: &'a GrammarOptions,
    pub(crate) tools: Vec<&'a GrammarTool>,
    pub(crate) markers: Markers,
    /// Text that values of parameters and strings in arguments exclude, once it is needed.
    pub(crate) in_values: OnceCell<Arc<Exclusion>>,
    pub(crate) in_strings: OnceCell<Exclusion>,
    pub(crate) rules: Rules,
    pub(crate) warnings: Vec<GrammarWarning>,
    /// Values of any kind, one for each style.
    pub(crate) any: BTreeMap<ValueStyle, RuleId>,
    /// The targets of `$ref`, one for each style and root.
    pub(crate) references: BTreeMap<(ValueStyle, usize, String), RuleId>,
}

/// A schema, its position in the tool's schema, and the root of its references.
#[derive(Clone, Debug)]
pub(crate) struct SchemaAt<'s> {
    pub(crate) schema: &'s Value,
    /// The whole schema of the tool, and its index.
    pub(crate) root: (&'s Value, usize),
    /// Its position in words: `tool "ls": /properties/path`.
    pub(crate) path: String,
}

impl<'s> SchemaAt<'s> {
    /// Returns a nested schema.
    pub(crate) fn inner(&self, step: &str, schema: &'s Value) -> Self {
        Self { schema, root: self.root, path: format!("{}/{step}", self.path) }
    }
}

impl<'a> Builder<'a> {
    /// Reports a part of a schema that the grammar omits; an error if nothing may be omitted.
    pub(crate) fn unsupported(&mut self, at: &SchemaAt<'_>, keyword: &str) -> Result<(), GrammarError> {
        let what = format!("{}: grammars do not support `{keyword}`", at.path);
        match self.options.unsupported {
            UnsupportedKeywords::Strict => {
                Err(GrammarError::new(format!("{what}; remove it from the schema, or choose `lenient` to ignore it")))
            }
            UnsupportedKeywords::Lenient => {
                self.warn(format!("{what}; it is ignored, so validate the arguments"));
                Ok(())
            }
        }
    }

    pub(crate) fn warn(&mut self, message: String) {
        let warning = GrammarWarning::new(message);
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Returns the text that values of parameters exclude.
    pub(crate) fn value_exclusion(&self) -> &Arc<Exclusion> {
        let literals = || self.markers.calls.iter().chain(&self.markers.params).cloned();
        self.in_values.get_or_init(|| Arc::new(Exclusion::new(Quoting::Bare, literals())))
    }

    /// Returns the text that strings in the arguments of a call exclude.
    pub(crate) fn string_exclusion(&self) -> &Exclusion {
        let strong = || self.markers.calls.iter().filter(|marker| !marker.at_line_start).cloned();
        self.in_strings.get_or_init(|| Exclusion::new(Quoting::Json, strong()))
    }

    /// Returns the text that text between calls excludes.
    pub(crate) fn text_exclusion(&self) -> Exclusion {
        let markers = &self.markers;
        let weak = markers.calls.iter().filter(|marker| marker.at_line_start);
        let others = weak.chain(&markers.regions).chain(&markers.turns).cloned();
        Exclusion::new(Quoting::Bare, self.call_markers().chain(others))
    }

    /// Returns the strong openers and closers of calls; the parser accepts them in any case.
    pub(crate) fn call_markers(&self) -> impl Iterator<Item = Excluded> {
        self.markers.calls.iter().filter(|marker| !marker.at_line_start).cloned().map(Excluded::in_any_case)
    }

    pub(crate) fn text(&self) -> Node {
        Node::Text(Arc::new(self.text_exclusion()))
    }

    /// Returns the schema that constrains a tool's arguments, if any.
    pub(crate) fn schema_of(&self, number: usize) -> Option<SchemaAt<'a>> {
        let tool: &'a GrammarTool = self.tools.get(number).copied()?;
        let held = tool.strict || self.options.arguments == ArgumentsLevel::Schema;
        let schema = tool.parameters.as_ref().filter(|_| held)?;
        Some(SchemaAt { schema, root: (schema, number), path: format!("tool `{}`: ", tool.name) })
    }

    pub(crate) fn refuse(&self, why: &str) -> GrammarError {
        GrammarError::new(format!("`{}` {why}", self.dialect))
    }
}
