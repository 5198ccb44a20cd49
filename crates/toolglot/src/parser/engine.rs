//! What all readers of one parser share: candidates, tools and options; and the resolution of tool names.

use std::borrow::Cow;
use std::sync::Arc;

use super::catalog::{Catalog, PatternRef};
use super::head::{Head, HeadText, NAME_LIMIT, is_name, skip_gap};
use crate::coerce::misfit;
use crate::diagnostic::Code;
use crate::dialect::{BodyHole, BodyKind, Dialect, Inside, Pattern};
use crate::json::members;
use crate::options::{Evidence, Options};
use crate::schema::Schema;
use crate::tool::{NameLookup, ToolId, Tools};
use crate::view::{NotYet, View};

/// What all readers share; it does not change during a message.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
    /// Weak evidence counts: tools are declared, or one dialect is pinned.
    pub(crate) reads_weak: bool,
    /// A call may lack the closer at which its model was stopped.
    pub(crate) stops: bool,
    /// The pattern of an element of a JSON array of calls.
    element: Pattern,
}

/// The tool that a call names.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// The name as declared, or as spelled if it is not declared.
    pub(crate) name: Arc<str>,
    pub(crate) tool: Option<ToolId>,
    pub(crate) name_match: NameMatch,
    /// The call is read ahead, to find out whether it is one: its values are not searched for further calls.
    pub(crate) ahead: bool,
}

impl Callee {
    /// Returns the callee of a call whose name is not known yet.
    pub(crate) fn nobody() -> Self {
        Self { name: Arc::default(), tool: None, name_match: NameMatch::Declared, ahead: false }
    }
}

/// How a name matches the declared tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameMatch {
    /// Declared, or no tools are declared at all.
    Declared,
    /// Declared in another spelling.
    Normalised,
    Undeclared,
}

/// The word for the kind of a call, in most formats before the name; never read as the name of an undeclared tool.
const KIND: &str = "function";

impl Engine {
    pub(crate) fn new(catalog: Arc<Catalog>, tools: Tools, mut options: Options) -> Self {
        let stops = options.repairs.allow(Code::MissingCloser);
        options.repairs = options.allowed_repairs();
        let body = BodyHole {
            kind: BodyKind::Call,
            trim: false,
            cdata: false,
            entities: false,
            inside: Inside::Wait,
            line_before: false,
            line_after: false,
        };
        let element = Pattern { source: "{call}".into(), head: Vec::new(), body: Some(body), tail: Vec::new() };
        let wanted = options.evidence != Evidence::Strict && (!tools.is_empty() || !catalog.is_auto());
        let reads_names = !tools.is_empty() && !catalog.named.is_empty();
        let reads_weak = wanted && (reads_names || !catalog.weak.is_empty());
        Self { catalog, tools, options, stops, reads_weak, element }
    }

    pub(crate) fn dialect(&self, pattern_ref: PatternRef) -> &Arc<Dialect> {
        &self.catalog.dialects[pattern_ref.dialect]
    }

    /// Returns the call pattern of a form.
    pub(crate) fn pattern(&self, pattern_ref: PatternRef) -> &Pattern {
        pattern_ref.call.and_then(|call| self.dialect(pattern_ref).calls.get(call)).unwrap_or(&self.element)
    }

    /// Returns the section pattern of a form, if the call is in one.
    pub(crate) fn section(&self, pattern_ref: PatternRef) -> Option<&Pattern> {
        self.dialect(pattern_ref).sections.get(pattern_ref.section?)
    }

    /// Returns whether a section contains one call whose special tokens must be present: text in a value begins no second one.
    pub(crate) fn is_alone(&self, pattern_ref: PatternRef) -> bool {
        self.options.marked_tokens && self.dialect(pattern_ref).one_section && self.catalog.is_open_to_text(pattern_ref)
    }

    /// Returns the callee of a name, `None` if it is not a name.
    pub(crate) fn callee(&self, spelled: &str) -> Option<Callee> {
        let found = self.tools.find(spelled);
        // Only a declared name may have a token stuck to it, or quotes around it.
        let own = spelled.split('<').next().unwrap_or_default().trim_matches(['"', '\'']);
        let word = if found == NameLookup::Unknown { spelled } else { own };
        if !matches!(found, NameLookup::Exact(_)) && !is_name(word) {
            return None;
        }
        if self.tools.is_empty() {
            return Some(Callee { name: spelled.into(), tool: None, name_match: NameMatch::Declared, ahead: false });
        }
        Some(match found {
            NameLookup::Exact(tool) => self.declared(tool, NameMatch::Declared),
            NameLookup::Normalised(tool) => self.declared(tool, NameMatch::Normalised),
            NameLookup::Unknown if spelled == KIND || spelled.bytes().all(|byte| byte.is_ascii_digit()) => return None,
            NameLookup::Unknown => {
                Callee { name: spelled.into(), tool: None, name_match: NameMatch::Undeclared, ahead: false }
            }
        })
    }

    /// Returns whether a name means a declared tool, in any spelling.
    pub(crate) fn knows(&self, spelled: &str) -> bool {
        self.callee(spelled).is_some_and(|callee| callee.tool.is_some())
    }

    /// Returns the byte after a declared tool's name that is a separate word at `at`, apart from white space, if a call can
    /// continue with it.
    pub(crate) fn behind_name(&self, view: View<'_>, at: usize) -> Result<Option<u8>, NotYet> {
        let reads_names = self.reads_weak && !self.catalog.named.is_empty() && !self.tools.is_empty();
        if !reads_names || !view.byte(at)?.is_some_and(|first| self.tools.may_begin(first)) {
            return Ok(None);
        }
        let mut end = at;
        while end - at <= NAME_LIMIT {
            let next = view.char(end)?;
            match next.filter(|next| next.is_alphanumeric() || *next == '_') {
                Some(letter) => end += letter.len_utf8(),
                None if view.starts_with(end, "\\_")? => end += 2,
                None if self.tools.is_declared(&view.slice(at, end).replace("\\_", "_")) => {
                    let behind = view.byte(skip_gap(view, end)?)?;
                    return Ok(behind.filter(|byte| self.catalog.behind_names.contains(*byte)));
                }
                None if matches!(next, Some('.' | ':' | '/' | '-')) => end += 1,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the callee that a head contains: a name, or an id with a name.
    pub(crate) fn callee_of(&self, dialect: &Dialect, head: &mut Head) -> Option<Callee> {
        if head.name.is_none() {
            let id = head.id.as_ref()?;
            head.name = Some(HeadText::new(name_in_id(dialect, &id.text), id.span.clone()));
        }
        let name = head.name()?;
        if head.spaced {
            return match self.tools.find(name) {
                NameLookup::Exact(tool) => Some(self.declared(tool, NameMatch::Declared)),
                _ => None,
            };
        }
        self.callee(name)
    }

    /// Returns whether a header is a bare counter or an API's id, although the dialect's ids contain the name.
    pub(crate) fn is_counter(&self, dialect: &Dialect, head: &Head) -> bool {
        let counts = |name: &str| match name.strip_prefix("call_") {
            Some(id) => id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()),
        };
        dialect.id.is_some() && head.name().is_some_and(counts) && self.options.repairs.allow(Code::InferredTool)
    }

    /// Returns the declared tool that the arguments name, or the only one that they match: it declares all their keys, and they
    /// have all required ones.
    pub(crate) fn inferred(&self, arguments: &str) -> Option<Callee> {
        let members = members(arguments);
        if let Some(callee) = self.named_in(&members) {
            return Some(callee);
        }
        let fits = |tool: &ToolId| {
            let root = self.tools.get(*tool).schema.as_ref().map(Schema::root);
            root.is_some_and(|root| {
                members.iter().all(|(key, _)| root.declares(key)) && misfit(arguments, root).is_none()
            })
        };
        let mut fitting = self.tools.ids().filter(fits);
        let tool = fitting.next().filter(|_| !members.is_empty() && fitting.next().is_none())?;
        Some(self.declared(tool, NameMatch::Declared))
    }

    /// Returns the tool that the first of the members names, before its arguments.
    fn named_in(&self, members: &[(Cow<'_, str>, &str)]) -> Option<Callee> {
        let ((key, name), arguments) = members.split_first().filter(|(_, arguments)| !arguments.is_empty())?;
        let callee = self.callee(name.trim_matches('"')).filter(|_| key == "name")?;
        let root = self.tools.get(callee.tool?).schema.as_ref()?.root();
        let belongs = |(key, _): &(Cow<'_, str>, &str)| root.declares(key) || key == "arguments";
        (!root.declares(key) && arguments.iter().all(belongs)).then_some(callee)
    }

    fn declared(&self, tool: ToolId, name_match: NameMatch) -> Callee {
        Callee { name: self.tools.get(tool).name.clone(), tool: Some(tool), name_match, ahead: false }
    }
}

/// Extracts the name from an id such as `functions.search:0`; the parts around it may be missing, and another mark may stand
/// before the counter.
fn name_in_id<'i>(dialect: &Dialect, id: &'i str) -> &'i str {
    let Some(pattern) = &dialect.id else { return id };
    let rest = id.strip_prefix(pattern.before.as_str()).unwrap_or(id);
    let counted = rest.trim_end_matches(|last: char| last.is_ascii_digit());
    let separates = |mark: char| mark.is_ascii_punctuation() && !"_-.".contains(mark);
    let name = counted.strip_suffix(pattern.between.as_str()).or_else(|| counted.strip_suffix(separates));
    name.filter(|_| counted.len() < rest.len()).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_holds_the_name_before_its_own_mark_or_another() {
        let rows = [
            (":", "functions.search:0", "search"),
            (":", "search!12", "search"),
            (":", "search", "search"),
            (":", "search_2", "search_2"),
            ("--", "functions.search--0", "search"),
            ("_", "functions.search_2", "search"),
        ];
        for (between, id, name) in rows {
            let file = format!("call = '<c>{{id}}<a>{{arguments}}'\nid = 'functions.{{name}}{between}{{index}}'");
            let dialect = Dialect::from_toml("mine", &file).unwrap();
            assert_eq!(name_in_id(&dialect, id), name, "{between} {id}");
        }
    }
}
