//! Numbers: JSON's own, and bounded integers digit by digit.

use toolglot_json::{Map, Value};

use crate::builder::{Builder, SchemaAt};
use crate::chars::Chars;
use crate::error::GrammarError;
use crate::node::{Node, Times};

/// The maximal number of digits of an integer: all of these are exact in every language's numbers.
const MOST_DIGITS: usize = 15;

/// The largest integer of that many digits.
const LARGEST: i64 = 999_999_999_999_999;

/// Bounds of an integer, both included.
#[derive(Clone, Copy, Debug, Default)]
struct IntegerBounds {
    least: Option<i64>,
    most: Option<i64>,
}

impl<'a> Builder<'a> {
    /// Returns an integer.
    pub(crate) fn integer(&mut self, at: &SchemaAt<'a>) -> Result<Node, GrammarError> {
        let Value::Object(schema) = at.schema else { return Ok(any_integer()) };
        if schema.get("multipleOf").is_some_and(|step| step.as_u64() != Some(1)) {
            self.unsupported(at, "multipleOf")?;
        }
        let bounds = IntegerBounds::of(schema);
        match (bounds.least, bounds.most) {
            (None, None) => Ok(any_integer()),
            (Some(least), Some(most)) if most < least => {
                Err(GrammarError::new(format!("{}: no integer is within the bounds; correct them", at.path)))
            }
            (least, most) => {
                let least = least.unwrap_or_else(|| most.map_or(-LARGEST, |most| (-LARGEST).min(most)));
                let most = most.unwrap_or_else(|| LARGEST.max(least));
                Ok(between(least, most))
            }
        }
    }

    /// Returns a number.
    pub(crate) fn number(&mut self, at: &SchemaAt<'a>) -> Result<Node, GrammarError> {
        let Value::Object(schema) = at.schema else { return Ok(any_number()) };
        let positive = schema.get("minimum").and_then(Value::as_f64).is_some_and(|least| least == 0.0);
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            let held = positive && keyword == "minimum";
            if schema.get(keyword).is_some_and(|bound| !held && bound.is_number()) {
                self.unsupported(at, keyword)?;
            }
        }
        Ok(if positive { Node::sequence([whole(), fraction(), exponent()]) } else { any_number() })
    }
}

impl IntegerBounds {
    fn of(schema: &Map) -> Self {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64).map(|bound| bound.clamp(-1e18, 1e18));
        // The bounds of schemas are small; what is not exact as a float is cut to what is.
        let exact = |key: &str, round: fn(f64) -> f64| {
            schema.get(key).and_then(Value::as_i64).or_else(|| bound(key).map(|bound| round(bound) as i64))
        };
        let (least, most) = (exact("minimum", f64::ceil), exact("maximum", f64::floor));
        let above = exact("exclusiveMinimum", f64::floor).map(|bound| bound.saturating_add(1));
        let below = exact("exclusiveMaximum", f64::ceil).map(|bound| bound.saturating_sub(1));
        Self { least: least.max(above), most: [most, below].into_iter().flatten().min() }
    }
}

/// Returns an integer without bounds.
pub(crate) fn any_integer() -> Node {
    let positive = [Node::Class(nonzero(), Times::ONCE), Node::Class(digits(), Times::between(0, MOST_DIGITS - 1))];
    Node::choice([Node::literal("0"), Node::sequence([Node::literal("-").optional(), Node::sequence(positive)])])
}

/// Returns a number without bounds; its exponent has at most two digits, so that every language can represent it.
pub(crate) fn any_number() -> Node {
    Node::sequence([Node::literal("-").optional(), whole(), fraction(), exponent()])
}

fn whole() -> Node {
    let rest = Node::Class(digits(), Times::between(0, MOST_DIGITS - 1));
    Node::choice([Node::literal("0"), Node::sequence([Node::Class(nonzero(), Times::ONCE), rest])])
}

fn fraction() -> Node {
    Node::sequence([Node::literal("."), Node::Class(digits(), Times::between(1, MOST_DIGITS))]).optional()
}

fn exponent() -> Node {
    let sign = Node::Class(Chars::of("+-"), Times::OPTIONAL);
    Node::sequence([Node::Class(Chars::of("eE"), Times::ONCE), sign, Node::Class(digits(), Times::between(1, 2))])
        .optional()
}

fn digits() -> Chars {
    Chars::ranges([('0', '9')])
}

fn nonzero() -> Chars {
    Chars::ranges([('1', '9')])
}

/// Returns the integers between two, both included.
fn between(least: i64, most: i64) -> Node {
    let mut nodes = Vec::new();
    if least < 0 {
        let from = if most < 0 { most.unsigned_abs() } else { 1 };
        nodes.push(Node::sequence([Node::literal("-"), natural(from, least.unsigned_abs())]));
    }
    if most >= 0 {
        nodes.push(natural(least.max(0).unsigned_abs(), most.unsigned_abs()));
    }
    Node::choice(nodes)
}

/// Returns the natural numbers between two, grouped by their number of digits.
fn natural(least: u64, most: u64) -> Node {
    let (mut nodes, mut from) = (Vec::new(), least);
    loop {
        let length = from.to_string().len();
        let last = 10_u64.checked_pow(u32::try_from(length).unwrap_or(u32::MAX)).map_or(u64::MAX, |next| next - 1);
        nodes.push(same_length(&from.to_string(), &last.min(most).to_string()));
        if last >= most {
            return Node::choice(nodes);
        }
        from = last + 1;
    }
}

/// Returns the natural numbers between two with the same number of digits, digit by digit.
fn same_length(least: &str, most: &str) -> Node {
    let (Some(low), Some(high)) = (least.chars().next(), most.chars().next()) else { return Node::nothing() };
    let (low_rest, high_rest) = (&least[1..], &most[1..]);
    let free = || match low_rest.len() {
        0 => Node::nothing(),
        length => Node::Class(digits(), Times::between(length, length)),
    };
    if low == high {
        return Node::sequence([Node::Literal(low.to_string()), same_length(low_rest, high_rest)]);
    }
    let (zeros, nines) = ("0".repeat(low_rest.len()), "9".repeat(low_rest.len()));
    let (mut from, mut to, mut nodes) = (u32::from(low), u32::from(high), Vec::new());
    if low_rest != zeros {
        nodes.push(Node::sequence([Node::Literal(low.to_string()), same_length(low_rest, &nines)]));
        from += 1;
    }
    let last =
        (high_rest != nines).then(|| Node::sequence([Node::Literal(high.to_string()), same_length(&zeros, high_rest)]));
    to -= u32::from(last.is_some());
    if let (true, Some(from), Some(to)) = (from <= to, char::from_u32(from), char::from_u32(to)) {
        nodes.push(Node::sequence([Node::Class(Chars::ranges([(from, to)]), Times::ONCE), free()]));
    }
    nodes.extend(last);
    Node::choice(nodes)
}
