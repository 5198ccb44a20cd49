//! From a chat template: the markers it spells out where it writes calls of earlier turns.

use super::markers::{Chunk, Kind, Piece, chunks, ways};
use super::{Evidence, Verdict, ranked};
use crate::dialect::{BodyKind, Dialect, Dialects};

/// A word of so many letters is evidence where a dialect has no markers.
const TELLING: usize = 6;

/// Ranks the dialects whose markers stand in a chat template's text, the most specific first.
///
/// All markers of a dialect's section, call and parameter must be there. Line breaks and quotes may
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
    let plain = Plain::new(template);
    let verdict = |dialect: &Dialect| {
        let best = ways(dialect).iter().filter_map(|way| judged(dialect, way, &plain)).max_by_key(|v| v.score)?;
        (best.score > 0).then_some(best)
    };
    ranked(dialects.iter().filter_map(|dialect| verdict(dialect)).collect())
}

/// Weighs one way of writing a call; `None` if a marker is missing or none tells enough.
fn judged(dialect: &Dialect, way: &[(&'static str, Vec<Chunk>)], plain: &Plain) -> Option<Verdict> {
    let (mut evidence, mut telling) = (Vec::new(), false);
    let mut seen: Vec<&str> = Vec::new();
    for (what, chunk) in way.iter().flat_map(|(what, chunks)| chunks.iter().map(move |chunk| (*what, chunk))) {
        for piece in &chunk.pieces {
            if !seen.contains(&piece.text.as_str()) {
                seen.push(&piece.text);
                let found = weighed(what, piece, plain)?;
                telling |= found.weight > 0 && tells(piece);
                evidence.push(found);
            }
        }
        evidence.extend(exactly(chunk, plain));
    }
    evidence.extend(members(dialect, plain));
    evidence.extend(reasoning(dialect, plain));
    telling.then(|| Verdict::new(&dialect.name, evidence))
}

fn tells(piece: &Piece) -> bool {
    piece.kind != Kind::Word || piece.text.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING
}

fn weighed(what: &str, piece: &Piece, plain: &Plain) -> Option<Evidence> {
    let text = piece.text.trim_end();
    let weight = text.chars().count();
    match (plain.find(&piece.text), piece.kind) {
        (Some(span), Kind::Word) => {
            Some(Evidence::new(format!("{what} word `{text}`"), Some(span), weight.div_ceil(2)))
        }
        (Some(span), _) => Some(Evidence::new(format!("{what} marker `{text}`"), Some(span), weight)),
        (None, Kind::Marker) => None,
        (None, _) => Some(Evidence::against(format!("{what} lacks `{text}`"), weight)),
    }
}

/// Markers and the white space around them, just as the renderer would write them.
fn exactly(chunk: &Chunk, plain: &Plain) -> Option<Evidence> {
    let edges = chunk.text.chars().filter(|c| c.is_whitespace()).count();
    let joined = chunk.pieces.iter().filter(|piece| piece.kind != Kind::Word).count();
    if joined == 0 || (edges == 0 && joined < 2) {
        return None;
    }
    let span = plain.find(&chunk.text)?;
    Some(Evidence::new(format!("written exactly: {:?}", chunk.text), Some(span), edges + joined))
}

/// The member names of a JSON call.
fn members(dialect: &Dialect, plain: &Plain) -> Vec<Evidence> {
    if dialect.calls.first().and_then(|call| call.kind()) != Some(BodyKind::Call) {
        return Vec::new();
    }
    let names = [dialect.members.name.first(), dialect.members.arguments.first()];
    let weighed = |name: &String| match plain.find(&format!("\"{name}\"")) {
        Some(span) => Evidence::new(format!("member `{name}`"), Some(span), name.len() / 2),
        None => Evidence::against(format!("lacks the member `{name}`"), name.len() / 2),
    };
    names.into_iter().flatten().map(weighed).collect()
}

/// Reasoning is shared by many dialects, so it counts little.
fn reasoning(dialect: &Dialect, plain: &Plain) -> Option<Evidence> {
    let chunks = chunks(dialect, &dialect.reasoning.first()?.source);
    let piece = chunks.iter().flat_map(|chunk| &chunk.pieces).find(|piece| piece.kind == Kind::Marker)?;
    let span = plain.find(&piece.text)?;
    Some(Evidence::new(format!("reasoning marker `{}`", piece.text), Some(span), piece.text.chars().count() / 3))
}

/// A template's text without escapes, and where each byte of it stood.
struct Plain {
    text: String,
    places: Vec<usize>,
}

impl Plain {
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

    /// Finds a piece, in the template's bytes; a name that goes on is another one.
    fn find(&self, piece: &str) -> Option<std::ops::Range<usize>> {
        let goes_on = |c: char| c.is_alphanumeric() || c == '_';
        let open = piece.ends_with(goes_on) && piece.starts_with('<');
        let ends = |at: &usize| !(open && self.text[*at + piece.len()..].starts_with(goes_on));
        let at = self.text.match_indices(piece).map(|(at, _)| at).find(ends)?;
        Some(*self.places.get(at)?..*self.places.get(at + piece.len())?)
    }
}

/// Reads one escape of a string: `\n`, `\"`, `\u003c`, each perhaps escaped twice.
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
