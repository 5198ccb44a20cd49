//! Finds the dialect of a template: a built-in one, or one derived from the template.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use toolglot::{Dialect, Dialects};

use crate::certificate::{Certificate, Grade};
use crate::derive::{derive, quoted};
use crate::fit::{Fit, Reader};
use crate::probe::Probes;
use crate::source::Template;

/// Number of random messages for a certificate, in addition to the fixed ones.
pub(crate) const MESSAGES: usize = 200;

/// The dialect of a template, with its certificate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inferred {
    /// The dialect.
    pub dialect: Arc<Dialect>,
    /// Whether the dialect was derived from the template rather than found among those given.
    pub is_derived: bool,
    /// The certificate.
    pub certificate: Certificate,
}

/// Why a template has no certified dialect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InferError {
    /// The template cannot be rendered.
    Template(String),
    /// The template writes no tool calls.
    NoCalls,
    /// No dialect reads even simple calls of the template back.
    Uncertified {
        /// A call as the template writes it.
        turn: String,
        /// The certificate of the closest dialect.
        nearest: Option<Box<Certificate>>,
    },
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(why) => write!(f, "cannot render the template: {why}"),
            Self::NoCalls => f.write_str("the template writes no tool calls; use a template that supports tools"),
            Self::Uncertified { turn, nearest } => {
                write!(
                    f,
                    "no dialect reads the calls of the template, which writes {turn:?}; write a dialect file for it"
                )?;
                match nearest {
                    Some(nearest) => write!(f, "\nclosest match:\n{nearest}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for InferError {}

/// Finds the dialect of a template: the best of `dialects`, or one derived from the template.
///
/// # Errors
/// If the template cannot be rendered, writes no calls, or no dialect reads them back.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// use toolglot_template::{InferError, Template, infer};
/// let plain = Template::new("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}");
/// assert_eq!(infer(&plain, &Dialects::builtin()).err(), Some(InferError::NoCalls));
/// ```
pub fn infer(template: &Template, dialects: &Dialects) -> Result<Inferred, InferError> {
    let probes = probed(template)?;
    let known = best(&probes, dialects.iter().cloned(), false);
    if let Some(found) = known.as_ref().filter(|found| found.certificate.grade <= Grade::B) {
        return Ok(found.clone());
    }
    let derived = derived(&probes, "derived");
    let best = [known, derived].into_iter().flatten().min_by_key(|found| found.certificate.grade);
    checked(&probes, best)
}

/// Returns the `dialects` that read the calls of a template, best first, at most three.
///
/// # Errors
/// If the template cannot be rendered or writes no calls.
pub fn rank(template: &Template, dialects: &Dialects) -> Result<Vec<Inferred>, InferError> {
    let mut found = ranked(&probed(template)?, dialects.iter().cloned(), false);
    found.retain(|found| found.certificate.grade < Grade::None);
    Ok(found)
}

/// Derives a dialect named `name` from a template, without trying known dialects.
///
/// # Errors
/// See [`infer`].
pub fn derive_only(template: &Template, name: &str) -> Result<Inferred, InferError> {
    let probes = probed(template)?;
    checked(&probes, derived(&probes, name))
}

/// Certifies a dialect for a template with `messages` random messages, in addition to the fixed ones.
///
/// # Errors
/// If the template cannot be rendered or writes no calls. A dialect that does not fit gets a certificate with
/// [`Grade::None`].
pub fn certify(template: &Template, dialect: &Arc<Dialect>, messages: usize) -> Result<Certificate, InferError> {
    let probes = probed(template)?;
    let reader = Reader::new(&probes, dialect);
    Ok(Certificate::new(&probes, &reader, &reader.fit(), messages))
}

fn probed(template: &Template) -> Result<Probes, InferError> {
    let probes = Probes::new(template).map_err(InferError::Template)?;
    let calls = || probes.rows.iter().filter(|probe| !probe.said.calls.is_empty());
    let writes_calls = calls().any(|probe| probe.turn.as_ref().is_ok_and(|turn| !turn.written.calls.is_empty()));
    match calls().find_map(|probe| probe.turn.as_ref().err()) {
        _ if writes_calls => Ok(probes),
        Some(why) => Err(InferError::Template(why.clone())),
        None => Err(InferError::NoCalls),
    }
}

fn checked(probes: &Probes, found: Option<Inferred>) -> Result<Inferred, InferError> {
    match found {
        Some(found) if found.certificate.grade < Grade::None => Ok(found),
        found => {
            let turn = probes.find("one call").map(|(_, turn)| turn.text.clone()).unwrap_or_default();
            Err(InferError::Uncertified { turn, nearest: found.map(|found| Box::new(found.certificate)) })
        }
    }
}

fn derived(probes: &Probes, name: &str) -> Option<Inferred> {
    let about = format!("{name}: derived from a chat template and certified against it.");
    let files = derive(probes, &about);
    let dialects = files.iter().filter_map(|file| Some(Arc::new(Dialect::from_toml(name, file).ok()?)));
    let found = best(probes, dialects, true)?;
    Some(ended(probes, &found).unwrap_or(found))
}

/// The same dialect with the ends of a turn.
fn ended(probes: &Probes, found: &Inferred) -> Option<Inferred> {
    let ends: Vec<String> = found.certificate.ends.iter().map(|end| quoted(end)).collect();
    if ends.is_empty() {
        return None;
    }
    let line = format!("\nturn_end = [{}]\ncall = ", ends.join(", "));
    let source = found.dialect.source().replacen("\ncall = ", &line, 1);
    let dialect = Dialect::from_toml(found.dialect.name(), &source).ok()?;
    let mut again = best(probes, std::iter::once(Arc::new(dialect)), true)?;
    let (new, old) = (&mut again.certificate, &found.certificate);
    new.ends.clone_from(&old.ends);
    let is_as_good = new.grade <= old.grade && new.read_back >= old.read_back && new.byte_equal >= old.byte_equal;
    is_as_good.then_some(again)
}

/// Returns the dialect that fits best; of equals, the first.
fn best(probes: &Probes, dialects: impl Iterator<Item = Arc<Dialect>>, is_derived: bool) -> Option<Inferred> {
    ranked(probes, dialects, is_derived).into_iter().next()
}

/// Returns the dialects that fit best with their certificates, the best first; equals keep their order.
fn ranked(probes: &Probes, dialects: impl Iterator<Item = Arc<Dialect>>, is_derived: bool) -> Vec<Inferred> {
    let mut fits: Vec<Fit> = Vec::new();
    for dialect in dialects {
        let reader = Reader::new(probes, &dialect);
        if reader.is_near() {
            fits.push(reader.fit());
        }
    }
    fits.sort_by_key(|fit| Reverse(fit.score()));
    fits.truncate(FINALISTS);
    let certified = fits.iter().map(|fit| {
        let reader = Reader::new(probes, &fit.dialect);
        let certificate = Certificate::new(probes, &reader, fit, MESSAGES);
        Inferred { dialect: Arc::clone(&fit.dialect), is_derived, certificate }
    });
    let mut certified: Vec<Inferred> = certified.collect();
    certified.sort_by_key(|found| (found.certificate.grade, Reverse(found.certificate.byte_equal)));
    certified
}

/// The number of dialects, those that read most fixed messages, that are tried with random ones.
const FINALISTS: usize = 3;
