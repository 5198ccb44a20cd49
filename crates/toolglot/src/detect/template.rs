//! Matches a chat template against the markers that dialects write around calls.

use super::markers::{MarkerKind, MarkerPiece, PatternText, chunks, has_hole, ways};
use super::{Reason, Verdict, ranked, with_ties};
use crate::{Dialect, Dialects, Outline};

/// A way to write a call: its patterns, each with a description.
type Way = Vec<(&'static str, Vec<PatternText>)>;

/// A word of this many letters is evidence if a dialect has no markers.
const TELLING: usize = 6;

/// A lower score is noise: words and tokens that occur in any template.
const NOISE: i32 = 5;

/// Ranks the dialects whose markers occur in the text of a chat template, the most specific first.
///
/// A dialect that shares little but common words with the template is not listed. If several have the same score, the
/// first lists the others as `alike`. The text alone does not distinguish them, nor does it show whether the markers are
/// ever written: the crate `toolglot-template` runs the template to find out.
///
/// All markers of a dialect's section, call and parameter must occur. Line breaks and quotes may
/// be escaped, as in the strings of a template or of the JSON file around it.
///
/// # Example
/// ```
/// use toolglot::{Dialects, detect};
/// let template = r#"{{ '<tool_call>\n<function=' + call.name + '>\n' }}
///     {%- for key, value in call.arguments %}{{ '<parameter=' + key + '>\n' + value + '\n</parameter>\n' }}{% endfor %}</function>\n</tool_call>"#;
/// let verdicts = detect::from_template(template, &Dialects::builtin());
/// assert_eq!(&*verdicts[0].dialect, "qwen3_coder");
/// ```
pub fn from_template(template: &str, dialects: &Dialects) -> Vec<Verdict> {
    let plain = PlainTemplate::new(template);
    let outlines: Vec<(&Dialect, Outline<'_>)> =
        dialects.iter().map(|dialect| (&**dialect, dialect.outline())).collect();
    let turns: Vec<&str> =
        outlines.iter().flat_map(|(_, outline)| outline.turns).flatten().map(String::as_str).collect();
    let verdict = |(dialect, outline): &(&Dialect, Outline<'_>)| {
        let judge = |way: &Way| judged(dialect, outline, way, &plain, &turns);
        let best = ways(dialect, outline).iter().filter_map(judge).max_by_key(|v| v.score)?;
        (best.score >= NOISE).then_some(best)
    };
    with_ties(ranked(outlines.iter().filter_map(verdict).collect()))
}

/// Scores one way of writing a call; `None` if a marker is missing or none is significant.
///
/// Every template of the family contains the tokens between `turns`.
fn judged(
    dialect: &Dialect,
    outline: &Outline<'_>,
    way: &Way,
    plain: &PlainTemplate,
    turns: &[&str],
) -> Option<Verdict> {
    let (mut evidence, mut telling) = (Vec::new(), false);
    let mut seen: Vec<&str> = Vec::new();
    for (what, chunk) in way.iter().flat_map(|(what, chunks)| chunks.iter().map(move |chunk| (*what, chunk))) {
        for piece in &chunk.pieces {
            if !seen.contains(&piece.text.as_str()) {
                seen.push(&piece.text);
                if turns.contains(&piece.text.trim_end()) {
                    continue;
                }
                let found = weighed(what, piece, plain).or_else(|| assembled(what, piece, dialect, plain))?;
                telling |= found.weight > 0 && tells(piece);
                evidence.push(found);
            }
        }
        evidence.extend(exactly(chunk, plain));
    }
    evidence.extend(members(outline, plain));
    evidence.extend(reasoning(dialect, outline, plain));
    telling.then(|| Verdict::new(dialect.name(), evidence))
}

fn tells(piece: &MarkerPiece) -> bool {
    piece.kind != MarkerKind::Word || piece.text.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING
}

fn weighed(what: &str, piece: &MarkerPiece, plain: &PlainTemplate) -> Option<Reason> {
    let text = piece.text.trim_end();
    let weight = text.chars().count();
    match (plain.find(&piece.text), piece.kind) {
        (Some(span), MarkerKind::Word) => {
            Some(Reason::new(format!("{what} word `{text}`"), Some(span), weight.div_ceil(2)))
        }
        (Some(span), _) => Some(Reason::new(format!("{what} marker `{text}`"), Some(span), weight)),
        (None, MarkerKind::Marker) => None,
        (None, _) => Some(Reason::against(format!("{what} lacks `{text}`"), weight)),
    }
}

/// Scores a marker that the template composes at run time, from a special token and a name in a string of its own.
fn assembled(what: &str, piece: &MarkerPiece, dialect: &Dialect, plain: &PlainTemplate) -> Option<Reason> {
    let text = piece.text.trim_end();
    let token = dialect.special().iter().find(|token| text.contains(token.as_str()) && text != token.as_str())?;
    let name = text.split(token.as_str()).last()?.trim_matches(|c: char| !c.is_alphanumeric());
    let span = plain.find(token)?;
    let quoted = ["'", "\""].iter().any(|quote| plain.find(&format!("{quote}{name}")).is_some());
    let stands = name.is_empty() || quoted;
    stands.then(|| Reason::new(format!("{what} marker `{text}` in parts"), Some(span), name.chars().count()))
}

/// Markers and the white space around them, as the renderer would write them.
fn exactly(chunk: &PatternText, plain: &PlainTemplate) -> Option<Reason> {
    let edges = chunk.text.chars().filter(|c| c.is_whitespace()).count();
    let joined = chunk.pieces.iter().filter(|piece| piece.kind != MarkerKind::Word).count();
    if joined == 0 || (edges == 0 && joined < 2) {
        return None;
    }
    let span = plain.find(&chunk.text)?;
    Some(Reason::new(format!("written exactly: {:?}", chunk.text), Some(span), edges + joined))
}

/// The member names of a JSON call.
fn members(outline: &Outline<'_>, plain: &PlainTemplate) -> Vec<Reason> {
    if !outline.calls.first().is_some_and(|call| has_hole(call, "call")) {
        return Vec::new();
    }
    let weighed = |name: &str| match plain.find(&format!("\"{name}\"")) {
        Some(span) => Reason::new(format!("member `{name}`"), Some(span), name.len() / 2),
        None => Reason::against(format!("lacks the member `{name}`"), name.len() / 2),
    };
    outline.members.into_iter().map(weighed).collect()
}

/// Reasoning is shared by many dialects, so its weight is low.
fn reasoning(dialect: &Dialect, outline: &Outline<'_>, plain: &PlainTemplate) -> Option<Reason> {
    let chunks = chunks(dialect, outline.reasoning.first()?);
    let piece = chunks.iter().flat_map(|chunk| &chunk.pieces).find(|piece| piece.kind == MarkerKind::Marker)?;
    let span = plain.find(&piece.text)?;
    Some(Reason::new(format!("reasoning marker `{}`", piece.text), Some(span), piece.text.chars().count() / 3))
}

/// A template's text without escapes, and the original position of each byte.
struct PlainTemplate {
    text: String,
    places: Vec<usize>,
}

impl PlainTemplate {
    fn new(template: &str) -> Self {
        let mut plain = Self { text: String::with_capacity(template.len()), places: Vec::new() };
        let mut at = 0;
        while let Some(c) = template[at..].chars().next() {
            let (c, length) = unescaped(&template[at..]).unwrap_or((c, c.len_utf8()));
            plain.text.push(c);
            plain.places.resize(plain.text.len(), at);
            at += length;
        }
        plain.places.push(template.len());
        plain
    }

    /// Finds a piece in the template's bytes; a longer name does not match.
    fn find(&self, piece: &str) -> Option<std::ops::Range<usize>> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let open = piece.ends_with(is_word) && piece.starts_with('<');
        let ends = |at: &usize| !(open && self.text[*at + piece.len()..].starts_with(is_word));
        let at = self.text.match_indices(piece).map(|(at, _)| at).find(ends)?;
        Some(*self.places.get(at)?..*self.places.get(at + piece.len())?)
    }
}

/// Decodes one escape of a string: `\n`, `\"`, `\u003c`, each possibly escaped twice.
fn unescaped(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix('\\')?.trim_start_matches('\\');
    let length = text.len() - inside.len();
    let c = match inside.chars().next()? {
        'n' => '\n',
        quote @ ('"' | '\'') => quote,
        'u' => {
            let code = u32::from_str_radix(inside.get(1..5)?, 16).ok().and_then(char::from_u32)?;
            return Some((code, length + 5));
        }
        _ => return None,
    };
    Some((c, length + 1))
}
