//! Checks that hold between the parts of a dialect: nothing missing, nothing unused, nothing out of reach.

use super::compile::reads;
use super::error::{DialectError, Fault};
use super::hole::Role;
use super::pattern::{BodyKind, Hole, Node, Pattern};
use super::values::{Text, Values};
use super::{Dialect, token};

/// Refuses a pattern that an earlier one of the same list already reads.
pub(super) fn reached(earlier: &[Pattern], pattern: &Pattern, role: Role) -> Result<(), Fault> {
    let Some(index) = earlier.iter().position(|other| covers(other, pattern)) else { return Ok(()) };
    let all = 0..pattern.source.len();
    let key = role.key();
    if earlier[index].source == pattern.source {
        return Err(Fault::new(all, format!("the same pattern twice in `{key}`")).help("take one out"));
    }
    let fault = Fault::new(all, format!("never reached: pattern {} of `{key}` opens and reads the same", index + 1));
    Err(fault.help("take it out; where only closers differ, give them as a word"))
}

fn covers(earlier: &Pattern, later: &Pattern) -> bool {
    let covered = |(a, b): (&Node, &Node)| match (a, b) {
        (Node::Literal(a), Node::Literal(b)) => b.spellings.iter().all(|spelling| a.spellings.contains(spelling)),
        _ => a == b,
    };
    earlier.kind() == later.kind()
        && earlier.head.len() == later.head.len()
        && earlier.head.iter().zip(&later.head).all(covered)
}

/// Checks that what the patterns need is there, and that what is there is used.
pub(super) fn uses(values: Values<'_>, dialect: &Dialect) -> Result<(), DialectError> {
    if dialect.calls.is_empty() {
        let help = "write `call = \"…\"` with the pattern of one call";
        return Err(values.file.error(0..0, "a dialect needs `call`", help));
    }
    let needed = Needed::of(dialect);
    if let (Some(call), true) = (needed.params, dialect.params.is_empty()) {
        no_param(values, call)?;
    }
    let given = [
        ("param", needed.params.is_some(), "`{params}` in `call`"),
        ("types", needed.types, "`{type}` in `param`"),
        ("quote", needed.object, "`{object}` in `call`"),
        ("json", needed.call, "`{call}` in `call`"),
        ("id", needed.id, "`{id}` in `call`"),
        ("one", !dialect.sections.is_empty(), "`section`"),
    ];
    for (key, used, by) in given {
        if let Some(place) = values.key(key).filter(|_| !used) {
            return Err(values.file.error(
                place,
                format!("`{key}` is never used"),
                format!("it is for {by}: write that, or take it out"),
            ));
        }
    }
    opened(values, dialect)?;
    every_word(values, dialect)
}

fn no_param(values: Values<'_>, call: usize) -> Result<(), DialectError> {
    let calls = values.texts("call")?;
    let Some(text) = calls.get(call) else { return Ok(()) };
    let start = text.text.rfind("{params}").unwrap_or_default();
    let fault = Fault::new(start..start + "{params}".len(), "`{params}` needs `param`");
    Err(values.file.error_in(text, fault.help("write `param = \"…\"` with the pattern of one parameter")))
}

/// What the patterns ask of the rest of the file.
struct Needed {
    /// The first call with `{params}`.
    params: Option<usize>,
    types: bool,
    object: bool,
    call: bool,
    id: bool,
}

impl Needed {
    fn of(dialect: &Dialect) -> Self {
        let has = |kind| dialect.calls.iter().any(|call| call.kind() == Some(kind));
        Self {
            params: dialect.calls.iter().position(|call| call.kind() == Some(BodyKind::Params)),
            types: dialect.params.iter().any(|param| reads(&param.head, Hole::Type)),
            object: has(BodyKind::Object),
            call: has(BodyKind::Call),
            id: dialect.calls.iter().any(|call| reads(&call.head, Hole::Id)),
        }
    }
}

/// Refuses calls that start with a hole other than the name where no section leads to them.
fn opened(values: Values<'_>, dialect: &Dialect) -> Result<(), DialectError> {
    let bare = |pattern: &Pattern| !matches!(pattern.head.first(), Some(Node::Literal(_)));
    let headless = |call: &Pattern| bare(call) && !call.head.is_empty() && !call.opens_with_name();
    let Some(index) = dialect.calls.iter().position(headless) else { return Ok(()) };
    if dialect.sections.iter().any(|section| !bare(section)) {
        return Ok(());
    }
    match values.texts("call")?.get(index) {
        Some(Text { span, .. }) => {
            let help = "start the pattern with a literal, or add a `section` that does";
            Err(values.file.error(span.clone(), "nothing opens this call", help))
        }
        None => Ok(()),
    }
}

fn every_word(values: Values<'_>, dialect: &Dialect) -> Result<(), DialectError> {
    let Some(words) = values.table("words", "")? else { return Ok(()) };
    let lists = [
        (Role::Call, &dialect.calls),
        (Role::Section, &dialect.sections),
        (Role::Param, &dialect.params),
        (Role::Reasoning, &dialect.reasoning),
        (Role::Content, &dialect.content),
    ];
    let patterns = lists.into_iter().flat_map(|(role, list)| list.iter().map(move |pattern| (role, pattern)));
    let used: Vec<usize> =
        patterns.flat_map(|(role, pattern)| token::words(&pattern.source, role, &dialect.words)).collect();
    let unused = words.keys().into_iter().enumerate().find(|word| !used.contains(&word.0)).map(|word| word.1);
    match unused {
        None => Ok(()),
        Some(word) => {
            let help = format!("write `{{{}}}` in a pattern, or take it out", word.text);
            Err(values.file.error(word.span, format!("the word `{}` is never used", word.text), help))
        }
    }
}
