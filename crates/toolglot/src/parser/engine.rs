//! What all readers of one parser share: candidates, tools, options; and who is being called.

use std::sync::Arc;

use super::catalog::Catalog;
use super::head::{Head, NAME_LIMIT, Said, is_name, skip_gap};
use crate::dialect::{Body, BodyKind, Dialect, Inside, Pattern};
use crate::options::{Evidence, Options};
use crate::tool::{Found, ToolId, Tools};
use crate::view::{NotYet, View};

/// What all readers share; nothing in it changes while a message is read.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
    /// Weak evidence counts: tools are declared, or the caller named one dialect.
    pub(crate) reads_weak: bool,
    /// A declared tool's bare name may open a call.
    pub(crate) reads_names: bool,
    /// The pattern of an element of a JSON array of calls.
    element: Pattern,
}

/// Which call pattern is being read, and in which section it started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) dialect: usize,
    pub(crate) section: Option<usize>,
    /// The call pattern; `None` for an element of a JSON array.
    pub(crate) call: Option<usize>,
}

/// The tool that a call names.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// The name as declared, or as spelled if it is not declared.
    pub(crate) name: String,
    pub(crate) tool: Option<ToolId>,
    pub(crate) standing: Standing,
}

/// What the declared tools say of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Declared, or no tools are declared at all.
    Declared,
    /// Declared under another spelling.
    Normalised,
    Undeclared,
}

impl Engine {
    pub(crate) fn new(catalog: Arc<Catalog>, tools: Tools, options: Options) -> Self {
        let body = Body {
            kind: BodyKind::Call,
            trim: false,
            cdata: false,
            entities: false,
            inside: Inside::Wait,
            line_before: false,
            line_after: false,
        };
        let element = Pattern { source: "{call}".to_owned(), head: Vec::new(), body: Some(body), tail: Vec::new() };
        let wanted = options.evidence != Evidence::Strict && (!tools.is_empty() || !catalog.is_auto());
        let reads_names = wanted && !tools.is_empty() && !catalog.named.is_empty();
        let reads_weak = wanted && (reads_names || !catalog.weak.is_empty());
        Self { catalog, tools, options, reads_weak, reads_names, element }
    }

    pub(crate) fn dialect(&self, form: Form) -> &Arc<Dialect> {
        &self.catalog.dialects[form.dialect]
    }

    /// Returns the call pattern of a form.
    pub(crate) fn pattern(&self, form: Form) -> &Pattern {
        form.call.and_then(|call| self.dialect(form).calls.get(call)).unwrap_or(&self.element)
    }

    /// Returns the section pattern of a form, if the call stands in one.
    pub(crate) fn section(&self, form: Form) -> Option<&Pattern> {
        self.dialect(form).sections.get(form.section?)
    }

    /// Says whether a section holds one call and its special tokens must say so: letters in a value begin no second one.
    pub(crate) fn is_alone(&self, form: Form) -> bool {
        self.options.marked_tokens && self.dialect(form).one_section && self.catalog.is_open_to_text(form)
    }

    /// Says who is called by a name, `None` if it is no name.
    pub(crate) fn callee(&self, spelled: &str) -> Option<Callee> {
        if !is_name(spelled) {
            return None;
        }
        if self.tools.is_empty() {
            return Some(Callee { name: spelled.to_owned(), tool: None, standing: Standing::Declared });
        }
        Some(match self.tools.find(spelled) {
            Found::Exact(tool) => self.declared(tool, Standing::Declared),
            Found::Normalised(tool) => self.declared(tool, Standing::Normalised),
            Found::Unknown => Callee { name: spelled.to_owned(), tool: None, standing: Standing::Undeclared },
        })
    }

    /// Says whether a declared tool's name stands at `at` as a word of its own, and a call can go on behind it.
    pub(crate) fn names_at(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        if !self.reads_names || !view.byte(at)?.is_some_and(|first| self.tools.may_begin(first)) {
            return Ok(false);
        }
        let mut end = at;
        while end - at <= NAME_LIMIT {
            let next = view.char(end)?;
            match next.filter(|next| next.is_alphanumeric() || *next == '_') {
                Some(letter) => end += letter.len_utf8(),
                None if self.tools.is_declared(view.slice(at, end)) => {
                    let behind = view.byte(skip_gap(view, end)?)?;
                    return Ok(behind.is_some_and(|byte| self.catalog.behind_names.contains(byte)));
                }
                None if matches!(next, Some('.' | ':' | '/' | '-')) => end += 1,
                None => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Says who is called by what a head has read: a name, or an id that carries one.
    pub(crate) fn callee_of(&self, dialect: &Dialect, head: &mut Head) -> Option<Callee> {
        if head.name.is_none() {
            let id = head.id.as_ref()?;
            head.name = Some(Said::new(name_in_id(dialect, &id.text), id.span.clone()));
        }
        self.callee(head.name()?)
    }

    fn declared(&self, tool: ToolId, standing: Standing) -> Callee {
        Callee { name: self.tools.get(tool).name.clone(), tool: Some(tool), standing }
    }
}

/// Takes the name out of an id such as `functions.search:0`; the parts around it may be missing.
fn name_in_id<'i>(dialect: &Dialect, id: &'i str) -> &'i str {
    let Some(pattern) = &dialect.id else { return id };
    let rest = id.strip_prefix(pattern.before.as_str()).unwrap_or(id);
    match rest.rsplit_once(pattern.between.as_str()) {
        Some((name, index)) if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => rest,
    }
}
