//! Numbers and words: those that are JSON, and those that a repair turns into JSON.

use crate::diagnostic::Code;
use crate::schema::Types;

/// A token that is not JSON: its JSON, and the repairs that were needed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RepairedScalar {
    pub(super) json: String,
    pub(super) codes: Vec<Code>,
}

/// Returns whether a byte can belong to a number or a word.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.' | b'$') || byte >= 0x80
}

/// Returns whether a token is a JSON number, boolean or null.
pub(super) fn is_json(token: &str) -> bool {
    matches!(token, "true" | "false" | "null") || is_number(token.as_bytes())
}

/// Returns whether bytes are a JSON number.
pub(crate) fn is_number(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(bytes);
    if whole == 0 || (whole > 1 && bytes[0] == b'0') {
        return false;
    }
    let mut rest = &bytes[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"-").or_else(|| exponent.strip_prefix(b"+")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Reads a token that is not JSON; `types` are those that the schema declares for it.
///
/// The schema decides first: a declared string keeps the token's text, unless its value is also declared, or is null.
pub(super) fn fix(token: &str, types: Types) -> Option<RepairedScalar> {
    let fixed = literal(token, types)?;
    let spelled = match fixed.json.as_str() {
        "null" if !is_non_finite(token) => return Some(fixed),
        "null" => Types::STRING,
        "true" | "false" => Types::BOOLEAN,
        _ => Types::NUMBER | Types::INTEGER,
    };
    let text = types.has(Types::STRING) && (spelled == Types::STRING || !types.has(spelled));
    Some(if text { RepairedScalar { json: quoted(token), ..fixed } } else { fixed })
}

/// Reads a token as what it spells.
fn literal(token: &str, types: Types) -> Option<RepairedScalar> {
    let one = |json: &str, code| Some(RepairedScalar { json: json.to_owned(), codes: vec![code] });
    match token {
        "True" | "TRUE" => one("true", Code::PythonLiteral),
        "False" | "FALSE" => one("false", Code::PythonLiteral),
        "None" | "undefined" | "NULL" | "Null" => one("null", Code::PythonLiteral),
        _ if is_non_finite(token) => one("null", Code::NonFinite),
        _ => number(token, types),
    }
}

fn is_non_finite(token: &str) -> bool {
    let name = token.strip_prefix(['-', '+']).unwrap_or(token);
    matches!(name, "NaN" | "nan" | "Infinity" | "infinity" | "Inf" | "inf" | "INF" | "NAN")
}

/// Reads a number that is not valid JSON; its source text is kept where possible.
fn number(token: &str, types: Types) -> Option<RepairedScalar> {
    let mut codes = Vec::new();
    let (sign, mut rest) = match token.as_bytes().first()? {
        b'+' => {
            codes.push(Code::PlusNumber);
            ("", &token[1..])
        }
        b'-' => ("-", &token[1..]),
        _ => ("", token),
    };
    if rest.starts_with(['-', '+']) {
        return None;
    }
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        codes.push(Code::HexNumber);
        let value = u128::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?;
        return Some(RepairedScalar { json: format!("{sign}{value}"), codes });
    }
    let plain = without_underscores(rest)?;
    if plain.len() < rest.len() {
        codes.push(Code::NumberForm);
        rest = &plain;
    }
    if rest.starts_with('0') && digits(rest.as_bytes()) > 1 {
        return leading_zero(token, sign, rest, types, codes);
    }
    let completed = complete(rest);
    if completed.len() > rest.len() && !codes.contains(&Code::NumberForm) {
        codes.push(Code::NumberForm);
    }
    is_number(completed.as_bytes()).then(|| RepairedScalar { json: format!("{sign}{completed}"), codes })
}

/// `007` is more likely an identifier than seven, unless the schema declares a number.
fn leading_zero(token: &str, sign: &str, rest: &str, types: Types, mut codes: Vec<Code>) -> Option<RepairedScalar> {
    let trimmed = rest.trim_start_matches('0');
    let zero = if trimmed.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
    let decimal = format!("{sign}{}", complete(&format!("{zero}{trimmed}")));
    if !is_number(decimal.as_bytes()) {
        return None;
    }
    codes.push(Code::LeadingZero);
    let json = if types.has(Types::NUMBER | Types::INTEGER) { decimal } else { quoted(token) };
    Some(RepairedScalar { json, codes })
}

/// Removes the underscores between two digits; `None` if there are others.
fn without_underscores(token: &str) -> Option<String> {
    let bytes = token.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let fits = |(at, &byte): (usize, &u8)| byte != b'_' || (digit(at.checked_sub(1)) && digit(Some(at + 1)));
    bytes.iter().enumerate().all(fits).then(|| token.replace('_', ""))
}

/// Adds a zero if a decimal point has a digit on one side only.
fn complete(number: &str) -> String {
    let Some((whole, fraction)) = number.split_once('.') else { return number.to_owned() };
    let bare = digits(fraction.as_bytes()) == 0;
    if whole.is_empty() && bare {
        return number.to_owned();
    }
    format!("{}.{}{fraction}", if whole.is_empty() { "0" } else { whole }, if bare { "0" } else { "" })
}

fn quoted(text: &str) -> String {
    let mut json = String::new();
    super::write::write_string(text, &mut json);
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_json_exactly_when_serde_json_says_so() {
        for token in [
            "0", "-0", "1", "10", "1.5", "1e5", "1E+5", "1.0e-7", "-12.50", "01", "1.", ".5", "+1", "1e", "1e+", "-",
            "", "1.5.5", "0x1",
        ] {
            assert_eq!(is_json(token), serde_json::from_str::<serde_json::Value>(token).is_ok(), "{token}");
        }
    }

    #[test]
    fn tokens_are_fixed() {
        let fixed = |token, types| fix(token, types).map(|fixed| fixed.json).unwrap_or_default();
        let cases = [
            ("True", "true"),
            ("None", "null"),
            ("NaN", "null"),
            ("-Infinity", "null"),
            ("0x1F", "31"),
            ("-0xff", "-255"),
            ("+5", "5"),
            ("+.5", "0.5"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("5.e3", "5.0e3"),
            ("1_000", "1000"),
            ("1_000.5", "1000.5"),
            ("007", "\"007\""),
            ("1__0", ""),
            ("_1", ""),
            (".", ""),
            ("2024-01-01", ""),
            ("1.2.3", ""),
            ("+", ""),
            ("abc", ""),
            ("0x", ""),
            ("0b1", ""),
            ("-.5", "-0.5"),
            ("--5", ""),
            ("+-5", ""),
            ("-0x-1", ""),
        ];
        for (token, json) in cases {
            assert_eq!(fixed(token, Types::OPEN), json, "{token}");
        }
        for (token, json) in [("007", "7"), ("-007", "-7"), ("00.5", "0.5"), ("000", "0")] {
            assert_eq!(fixed(token, Types::INTEGER), json, "{token}");
        }
        for token in ["NaN", "+49170", "0x1F", "1_000", ".5", "5.", "007", "TRUE", "False", "-.5"] {
            assert_eq!(fixed(token, Types::STRING), format!("\"{token}\""));
            assert_eq!(fixed(token, Types::STRING | Types::NULL), format!("\"{token}\""));
        }
        assert_eq!(fixed("NaN", Types::STRING | Types::NUMBER), "\"NaN\"");
        assert_eq!(fixed("+5", Types::STRING | Types::NUMBER), "5");
        assert_eq!(fixed("TRUE", Types::STRING | Types::BOOLEAN), "true");
        assert_eq!(fixed("None", Types::STRING), "null");
    }
}
