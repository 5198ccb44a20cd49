//! The one table of diagnostic codes; the repairs among them can be switched.

use std::fmt;

/// What a diagnostic is about. Names and meanings are public API, see [`Code::TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
#[expect(missing_docs, reason = "each variant is documented by its row in `Code::TABLE`")]
pub enum Code {
    // JSON and literals
    InnerQuote,
    SingleQuotes,
    BackQuotes,
    TypographicQuotes,
    TripleQuotes,
    StringPrefix,
    Concatenation,
    QuoteToken,
    BareKey,
    BareString,
    RawControl,
    InvalidEscape,
    TrailingComma,
    ExtraComma,
    MissingComma,
    WrongSeparator,
    Comment,
    PythonLiteral,
    NonFinite,
    HexNumber,
    PlusNumber,
    LeadingZero,
    NumberForm,
    Tuple,
    Fence,
    LiteralNewline,
    LostBlank,
    DoubleBraces,
    Wrapper,
    DoubleEncoded,
    ExtraCloser,
    WrongBracket,
    MissingBracket,
    UnterminatedString,
    GluedObjects,
    SurroundingText,
    KeyValueLines,
    EmptyArguments,
    // Markup
    MissingOpener,
    MissingCloser,
    WrongCloser,
    DuplicateCloser,
    DuplicateOpener,
    StrayCloser,
    MissingValueCloser,
    UnclosedTag,
    JunkInCall,
    SeveralCalls,
    OrphanCloser,
    // Values
    Coerced,
    WrapScalar,
    UnwrapObject,
    TypeMismatch,
    UnknownParameter,
    DuplicateParameter,
    MissingParameter,
    NamelessParameter,
    UnknownMember,
    SchemaViolation,
    // Calls and regions
    NameNormalised,
    UnknownTool,
    Rejected,
    Truncated,
    Broken,
    CallInReasoning,
    ReasoningUnclosed,
    // Input and limits
    InvalidUtf8,
    LimitHeld,
    LimitArguments,
    LimitDepth,
    LimitCalls,
}

/// Which preset switches a repair on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Preset {
    /// On by default: it cannot change the reading of valid input.
    Safe,
    /// Only on with `all`, or by name: what it makes of the input is a guess.
    All,
}

/// What a code says about the call it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// A deviation from the dialect that is still read; switched off, it breaks the call.
    Repair(Preset),
    /// A value against the tool's schema.
    Value,
    /// A decision about a call or a region of text.
    Policy,
    /// A limit was hit.
    Limit,
}

/// One row of [`Code::TABLE`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The code.
    pub code: Code,
    /// Its name in output and options.
    pub name: &'static str,
    /// What it says about the call.
    pub class: Class,
    /// What happened, who writes such a thing, and what is made of it.
    pub about: &'static str,
}

const fn row(code: Code, name: &'static str, class: Class, about: &'static str) -> Row {
    Row { code, name, class, about }
}

const SAFE: Class = Class::Repair(Preset::Safe);
const GUESS: Class = Class::Repair(Preset::All);

impl Code {
    /// Every code, in order of declaration.
    #[rustfmt::skip]
    pub const TABLE: &[Row] = &[
        row(Code::InnerQuote, "inner_quote", SAFE, "a quote inside a string was not escaped; it closes the string only if what follows can follow (small models quoting code)"),
        row(Code::SingleQuotes, "single_quotes", SAFE, "a string in single quotes (models trained on Python dicts)"),
        row(Code::BackQuotes, "back_quotes", SAFE, "a string in back quotes (models trained on JavaScript)"),
        row(Code::TypographicQuotes, "typographic_quotes", SAFE, "a string in curly quotes (chat-tuned models)"),
        row(Code::TripleQuotes, "triple_quotes", SAFE, "a string in triple quotes, raw inside (Python writers of long text)"),
        row(Code::StringPrefix, "string_prefix", SAFE, "a Python string prefix such as `r` or `f` before a quote; dropped, `r` keeps backslashes"),
        row(Code::Concatenation, "concatenation", SAFE, "two string literals in a row in Python syntax; joined"),
        row(Code::QuoteToken, "quote_token", SAFE, "a leaked quote token such as `<|\"|>` delimits a string (Gemma behind the wrong parser)"),
        row(Code::BareKey, "bare_key", SAFE, "an object key without quotes (JavaScript style)"),
        row(Code::BareString, "bare_string", GUESS, "a string value without quotes; read up to the next comma, bracket or line break"),
        row(Code::RawControl, "raw_control", SAFE, "a line break or control character inside a string was not escaped (multi-line file contents)"),
        row(Code::InvalidEscape, "invalid_escape", SAFE, "a backslash before a character that JSON does not escape; kept as a backslash (`\\d`, `C:\\path`)"),
        row(Code::TrailingComma, "trailing_comma", SAFE, "a comma before a closing bracket; dropped"),
        row(Code::ExtraComma, "extra_comma", SAFE, "a comma with nothing before it; dropped"),
        row(Code::MissingComma, "missing_comma", SAFE, "two members without a comma between them; inserted"),
        row(Code::WrongSeparator, "wrong_separator", SAFE, "`=`, `=>` or `;` where JSON wants `:` or `,`"),
        row(Code::Comment, "comment", SAFE, "a comment between values; dropped"),
        row(Code::PythonLiteral, "python_literal", SAFE, "`True`, `False`, `None` or `undefined` for true, false, null"),
        row(Code::NonFinite, "non_finite", SAFE, "`NaN` or `Infinity`; null, or its text where the schema wants a string, never a number"),
        row(Code::HexNumber, "hex_number", SAFE, "a hexadecimal number; its decimal value"),
        row(Code::PlusNumber, "plus_number", SAFE, "a number with a leading plus; dropped"),
        row(Code::LeadingZero, "leading_zero", SAFE, "a number with leading zeros; text, or decimal where the schema wants a number"),
        row(Code::NumberForm, "number_form", SAFE, "a number such as `.5`, `5.` or `1_000`; completed"),
        row(Code::Tuple, "tuple", SAFE, "a Python tuple; an array"),
        row(Code::Fence, "fence", SAFE, "a Markdown fence around JSON; dropped"),
        row(Code::LiteralNewline, "literal_newline", SAFE, "a backslash and an `n`, or a tokenizer's `Ġ` and `Ċ`, where white space belongs; skipped (doubly escaped or badly decoded output)"),
        row(Code::LostBlank, "lost_blank", SAFE, "an attribute glued to its tag's name; read as if white space stood between them"),
        row(Code::DoubleBraces, "double_braces", SAFE, "braces doubled by a prompt template; read once"),
        row(Code::Wrapper, "wrapper", SAFE, "the arguments stood inside a member such as `arguments` that the tool does not declare; unwrapped"),
        row(Code::DoubleEncoded, "double_encoded", SAFE, "JSON inside a string where an object or array belongs; decoded"),
        row(Code::ExtraCloser, "extra_closer", SAFE, "a closing bracket too many; dropped"),
        row(Code::WrongBracket, "wrong_bracket", SAFE, "a bracket closed by the other kind; read as the right one"),
        row(Code::MissingBracket, "missing_bracket", SAFE, "a closing bracket is missing before the dialect's own closer; inserted"),
        row(Code::UnterminatedString, "unterminated_string", SAFE, "a string ran into the dialect's closer without its quote; closed there"),
        row(Code::GluedObjects, "glued_objects", SAFE, "a second object directly behind the arguments"),
        row(Code::SurroundingText, "surrounding_text", SAFE, "text before or behind the one object of an arguments string; dropped (chat-tuned models)"),
        row(Code::KeyValueLines, "key_value_lines", GUESS, "lines of `key: value` where an object belongs; read as one"),
        row(Code::EmptyArguments, "empty_arguments", SAFE, "no arguments where an object belongs; `{}`"),
        row(Code::MissingOpener, "missing_opener", SAFE, "the wrapper around calls has no opening marker"),
        row(Code::MissingCloser, "missing_closer", SAFE, "a call or its wrapper has no closing marker, its body is complete"),
        row(Code::WrongCloser, "wrong_closer", SAFE, "another tag closed what was open"),
        row(Code::DuplicateCloser, "duplicate_closer", SAFE, "a closing marker stood twice"),
        row(Code::DuplicateOpener, "duplicate_opener", SAFE, "an opening marker stood twice before a call (models that restart a call)"),
        row(Code::StrayCloser, "stray_closer", SAFE, "a closing tag that closes nothing, inside a call; skipped"),
        row(Code::MissingValueCloser, "missing_value_closer", SAFE, "a parameter has no closing marker; ended by the marker that follows"),
        row(Code::UnclosedTag, "unclosed_tag", SAFE, "an opening tag without its `>`"),
        row(Code::JunkInCall, "junk_in_call", SAFE, "text between parameters that belongs to none; skipped"),
        row(Code::SeveralCalls, "several_calls", SAFE, "several call objects in one pair of tags; each is a call"),
        row(Code::OrphanCloser, "orphan_closer", Class::Policy, "a closing marker that nothing opened; markup"),
        row(Code::Coerced, "coerced", Class::Value, "a value was converted to the type that the schema declares"),
        row(Code::WrapScalar, "wrap_scalar", GUESS, "one value where the schema wants an array; an array of one"),
        row(Code::UnwrapObject, "unwrap_object", GUESS, "an object of one member where the schema wants a scalar; the member's value"),
        row(Code::TypeMismatch, "type_mismatch", Class::Value, "a value does not fit the type that the schema declares; unchanged"),
        row(Code::UnknownParameter, "unknown_parameter", Class::Value, "the tool declares no such parameter"),
        row(Code::DuplicateParameter, "duplicate_parameter", Class::Value, "a parameter was given twice; the first stands"),
        row(Code::MissingParameter, "missing_parameter", Class::Value, "a required parameter is missing"),
        row(Code::NamelessParameter, "nameless_parameter", Class::Value, "a parameter without a name; skipped"),
        row(Code::UnknownMember, "unknown_member", Class::Value, "a call object has a member that is no part of a call; skipped"),
        row(Code::SchemaViolation, "schema_violation", Class::Value, "the finished arguments break a rule of the schema, found by the optional check against the whole of JSON Schema"),
        row(Code::NameNormalised, "name_normalised", Class::Policy, "the tool's name was spelled differently; exactly one declared tool fits"),
        row(Code::UnknownTool, "unknown_tool", Class::Policy, "a call of a tool that is not declared"),
        row(Code::Rejected, "rejected", Class::Policy, "a call did not pass strict validation; given back as text"),
        row(Code::Truncated, "truncated", Class::Policy, "the input ended inside a call; it is not returned as one"),
        row(Code::Broken, "broken", Class::Policy, "a call could not be read on; it is not returned as one"),
        row(Code::CallInReasoning, "call_in_reasoning", Class::Policy, "a call inside reasoning that was closed later; a draft, it stays reasoning"),
        row(Code::ReasoningUnclosed, "reasoning_unclosed", Class::Policy, "reasoning that never closed ended where a call began"),
        row(Code::InvalidUtf8, "invalid_utf8", Class::Policy, "bytes that are not UTF-8; U+FFFD in their place"),
        row(Code::LimitHeld, "limit_held", Class::Limit, "more bytes would have to be held than the limit allows"),
        row(Code::LimitArguments, "limit_arguments", Class::Limit, "a call's arguments are longer than the limit allows"),
        row(Code::LimitDepth, "limit_depth", Class::Limit, "values are nested deeper than the limit allows"),
        row(Code::LimitCalls, "limit_calls", Class::Limit, "more calls in one message than the limit allows"),
    ];

    /// Returns the code's row.
    pub fn row(self) -> &'static Row {
        &Self::TABLE[self as usize]
    }

    /// Returns the code's name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the code of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|row| row.name == name).map(|row| row.code)
    }

    /// Says whether the code is a repair, which can be switched.
    pub fn is_repair(self) -> bool {
        matches!(self.row().class, Class::Repair(_))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_at_its_own_row() {
        for (at, row) in Code::TABLE.iter().enumerate() {
            assert_eq!(row.code as usize, at, "{}", row.name);
            assert_eq!(Code::by_name(row.name), Some(row.code));
        }
    }
}
