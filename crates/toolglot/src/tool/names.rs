//! Resolves the name in a call to a declared tool, by rules that never guess.

use std::collections::HashMap;
use std::sync::Arc;

use super::{NameLookup, Tool, ToolId};
use crate::spelling::{fold, without_markup};

/// The declared names in every spelling that is looked up.
///
/// The stages of normalisation, in order. The first one that matches decides; if it matches more than one tool,
/// the name is unknown:
///
/// 1. without a prefix such as `functions.` and a counter such as `:0`
/// 2. without case
/// 3. without anything but letters and digits
/// 4. without `file` at the end
/// 5. the last parts of a name with `:`, `.`, `/` or `__`, as many as are known, by stages 1 to 3
/// 6. without special tokens or a closing tag after it, or written twice, by stages 1 to 3
/// 7. without a prefix such as `functions_` or `functions`, and a counter such as `_0` or `0`
#[derive(Clone, Debug, Default)]
pub(super) struct ToolNames {
    pub(super) exact: HashMap<Arc<str>, ToolId>,
    /// The first bytes of names, as bits.
    pub(super) first: [u64; 4],
    /// The lengths of the names in lower case: the last six bits of each.
    lengths: u64,
    lower: SpellingIndex,
    folded: SpellingIndex,
    bare: SpellingIndex,
}

/// The tools by one form of their names; `None` if several share it.
#[derive(Clone, Debug, Default)]
struct SpellingIndex(HashMap<String, Option<ToolId>>);

impl ToolNames {
    /// Returns the names of tools, which must be distinct.
    pub(super) fn new(tools: &[Tool]) -> Self {
        let mut names = Self::default();
        for (tool, id) in tools.iter().zip((0..).map(ToolId)) {
            let folded = fold(&tool.name);
            names.exact.insert(tool.name.clone(), id);
            if let Some(first) = tool.name.bytes().next() {
                names.first[usize::from(first >> 6)] |= 1 << (first & 63);
            }
            let lower = tool.name.to_lowercase();
            names.lengths |= 1 << (lower.len() & 63);
            names.lower.insert(lower, id);
            names.bare.insert(without_file(&folded).to_owned(), id);
            names.folded.insert(folded, id);
        }
        names
    }

    pub(super) fn may_have_tag(&self, tag: &str) -> bool {
        if !tag.is_ascii() {
            return true;
        }
        let cut = tag.len().saturating_sub(FILE.len());
        let is_file = tag.as_bytes()[cut..].eq_ignore_ascii_case(FILE.as_bytes());
        let bare = if is_file { &tag[..cut] } else { tag };
        let has = |length: usize| self.lengths >> (length & 63) & 1 == 1;
        if !has(bare.len()) && !has(bare.len() + FILE.len()) {
            return false;
        }
        let name = bare.to_ascii_lowercase();
        self.lower.0.contains_key(&name) || self.lower.0.contains_key(&(name + FILE))
    }

    /// Resolves a name; allocates nothing if it is spelled as declared.
    pub(super) fn find(&self, name: &str) -> NameLookup {
        if let Some(id) = self.exact.get(name) {
            return NameLookup::Exact(*id);
        }
        match self.normalised(name) {
            Some(Some(id)) => NameLookup::Normalised(id),
            _ => NameLookup::Unknown,
        }
    }

    /// Returns the result of the first stage that matches: a tool, or several.
    fn normalised(&self, name: &str) -> Option<Option<ToolId>> {
        let core = core(name);
        let begins = |at: &usize| core[..*at].ends_with([':', '.', '/']) || core[..*at].ends_with("__");
        let mut segments = core.char_indices().map(|(at, _)| at).filter(begins).map(|at| &core[at..]);
        self.spelled(name, core)
            .or_else(|| [name, core].iter().find_map(|name| self.bare.get(without_file(&fold(name)))))
            .or_else(|| segments.find_map(|segment| self.spelled(segment, segment)))
            .or_else(|| cleared(name).and_then(|name| self.spelled(name, name)))
            .or_else(|| self.glued(&fold(name)))
    }

    /// Looks up a folded name without an attached prefix, with and without its counter.
    fn glued(&self, folded: &str) -> Option<Option<ToolId>> {
        let own = PREFIXES.iter().find_map(|prefix| folded.strip_prefix(&*fold(prefix)))?;
        self.folded.get(own).or_else(|| self.folded.get(own.trim_end_matches(|next: char| next.is_ascii_digit())))
    }

    /// Looks up a name unchanged, without case, and folded; in each stage as a whole, then its core.
    fn spelled(&self, name: &str, core: &str) -> Option<Option<ToolId>> {
        let both = [name, core];
        let exact = self.exact.get(core).map(|id| Some(*id));
        exact
            .or_else(|| both.iter().find_map(|name| self.lower.get(&name.to_lowercase())))
            .or_else(|| both.iter().find_map(|name| self.folded.get(&fold(name))))
    }
}

impl SpellingIndex {
    fn insert(&mut self, spelling: String, id: ToolId) {
        self.0.entry(spelling).and_modify(|known| *known = None).or_insert(Some(id));
    }

    fn get(&self, spelling: &str) -> Option<Option<ToolId>> {
        self.0.get(spelling).copied().filter(|_| !spelling.is_empty())
    }
}

/// Returns a name without a common namespace prefix and without a counter at its end.
fn core(name: &str) -> &str {
    let name = match name.rsplit_once(':') {
        Some((name, counter)) if !counter.is_empty() && counter.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Returns a name without special tokens or a closing tag after it, or once if it is doubled.
fn cleared(name: &str) -> Option<&str> {
    let own = without_markup(name);
    if own.len() < name.len() {
        return Some(own);
    }
    if let Some((own, token)) = name.split_once('<') {
        // A tag may hold arguments, which nobody may drop.
        return token.starts_with(|c: char| !c.is_alphanumeric() && c != '/').then_some(own);
    }
    let half = name.len() / 2;
    let (first, second) = name.split_at_checked(half)?;
    (first == second).then_some(first)
}

/// Drops `file` from the end of a folded name that says more than that (`Write_File` for `Write`).
fn without_file(folded: &str) -> &str {
    folded.strip_suffix("file").filter(|rest| !rest.is_empty()).unwrap_or(folded)
}

/// Words that models omit or add at the end of a tool's name.
const FILE: &str = "_file";

const PREFIXES: &[&str] = &["functions.", "function.", "default_api.", "tools.", "tool."];
