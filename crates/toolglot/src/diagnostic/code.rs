//! The one table of diagnostic codes; the repairs among them can be switched.

use std::fmt;

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
    /// What happened, and what is made of it.
    pub about: &'static str,
    /// Who writes such a thing; empty for what is no repair.
    pub by: &'static str,
    /// What could go wrong where it is read; empty for what is no repair.
    pub risk: &'static str,
}

const SAFE: Class = Class::Repair(Preset::Safe);
const GUESS: Class = Class::Repair(Preset::All);
const VALUE: Class = Class::Value;
const POLICY: Class = Class::Policy;
const LIMIT: Class = Class::Limit;

/// Makes the enum, its documentation and its table from one list.
macro_rules! codes {
    ($($code:ident $name:literal $class:ident $about:literal $(by $by:literal risk $risk:literal)?;)*) => {
        /// What a diagnostic is about. Names and meanings are public API, see [`Code::TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $about, ".", $("\n\nWritten by ", $by, ". Risk: ", $risk, ".")?)]
            $code,)*
        }

        impl Code {
            /// Every code, in order of declaration.
            pub const TABLE: &[Row] = &[$(Row {
                code: Code::$code,
                name: $name,
                class: $class,
                about: $about,
                by: concat!($($by)?),
                risk: concat!($($risk)?),
            }),*];
        }
    };
}

#[rustfmt::skip]
codes! {
    // JSON and literals
    InnerQuote "inner_quote" SAFE "a quote inside a string was not escaped; it closes the string only if what follows can follow"
        by "small models quoting code or speech" risk "text that spells `\", \"key\":` in a string is taken for the end of it; `strict` and `repair` ask the schema";
    SingleQuotes "single_quotes" SAFE "a string in single quotes"
        by "models trained on Python dicts" risk "an apostrophe before a comma and a key ends the string";
    BackQuotes "back_quotes" SAFE "a string in back quotes"
        by "models trained on JavaScript" risk "none known: JSON has no back quotes outside strings";
    TypographicQuotes "typographic_quotes" SAFE "a string in curly quotes"
        by "chat-tuned models, and text that went through an editor" risk "a curly quote inside such a string that something valid follows ends it";
    TripleQuotes "triple_quotes" SAFE "a string in triple quotes, raw inside"
        by "models that write long text as Python" risk "an empty string glued to a quote reads as an opener";
    StringPrefix "string_prefix" SAFE "a Python string prefix such as `r` or `f` before a quote; dropped, `r` keeps backslashes"
        by "models trained on Python" risk "a lost `f` means that its braces stay text";
    Concatenation "concatenation" SAFE "two string literals in a row in Python syntax; joined"
        by "models trained on Python, for long lines" risk "a missing comma between two values would join them; keys and lists are excluded";
    QuoteToken "quote_token" SAFE "a leaked quote token such as `<|\"|>` delimits a string"
        by "Gemma behind a server without its parser" risk "the token cannot be data in such a string";
    EntityQuotes "entity_quotes" SAFE "JSON encoded for XML: `&quot;` delimits strings, and in them the five predefined entities are decoded; after a strong marker only"
        by "models that answer in markup" risk "an entity that was meant as such is decoded";
    BareKey "bare_key" SAFE "an object key without quotes"
        by "models trained on JavaScript and YAML" risk "none known: a value must follow the separator";
    BareString "bare_string" GUESS "a string value without quotes; read up to the next comma, bracket or line break"
        by "small models, and YAML habits" risk "words that stand where a comma or bracket was lost become part of the text";
    RawControl "raw_control" SAFE "a line break or control character inside a string was not escaped"
        by "models that write a file's contents as they are" risk "none known: JSON forbids them in strings";
    InvalidEscape "invalid_escape" SAFE "a backslash before a character that JSON does not escape; kept as a backslash (`\\d`, `C:\\path`)"
        by "regular expressions and Windows paths that were not escaped" risk "`\\n` or `\\t` in the same path is a valid escape and stays one";
    TrailingComma "trailing_comma" SAFE "a comma before a closing bracket; dropped"
        by "models trained on JavaScript and Python" risk "a member that was never written goes unnoticed";
    ExtraComma "extra_comma" SAFE "a comma with nothing before it; dropped"
        by "models that lose count in long lists" risk "a member that was never written goes unnoticed";
    MissingComma "missing_comma" SAFE "two members without a comma between them; inserted"
        by "models that write one member a line" risk "text with bare quotes that spells a key is split; `strict` and `repair` ask the schema";
    WrongSeparator "wrong_separator" SAFE "`=`, `=>` or `;` where JSON wants `:` or `,`"
        by "models trained on Python calls, Ruby and Lua" risk "none known: JSON has no other separators";
    Comment "comment" SAFE "a comment between values; dropped"
        by "models that explain their arguments" risk "what the comment said is lost";
    PythonLiteral "python_literal" SAFE "`True`, `False`, `None` or `undefined` for true, false, null"
        by "models trained on Python and JavaScript" risk "`undefined` may have meant that the member is absent";
    NonFinite "non_finite" SAFE "`NaN` or `Infinity`; null, or its text where the schema wants a string, never a number"
        by "models trained on Python and JavaScript" risk "the difference between the three is lost";
    HexNumber "hex_number" SAFE "a hexadecimal number; its decimal value"
        by "models writing colours and addresses" risk "where text was meant its spelling is lost; a declared string keeps it";
    PlusNumber "plus_number" SAFE "a number with a leading plus; dropped"
        by "models writing offsets and phone numbers" risk "where text was meant its plus is lost; a declared string keeps it";
    LeadingZero "leading_zero" SAFE "a number with leading zeros; text, or decimal where the schema wants a number"
        by "models writing identifiers, dates and octal modes" risk "an octal number is read as decimal where a number is declared";
    NumberForm "number_form" SAFE "a number such as `.5`, `5.` or `1_000`; completed"
        by "models trained on Python and Rust" risk "none known: the value is the same";
    Tuple "tuple" SAFE "a Python tuple; an array"
        by "models trained on Python" risk "parentheses around one value are dropped";
    Fence "fence" SAFE "a Markdown fence around JSON; dropped"
        by "chat-tuned models" risk "none known: a fence is no part of JSON";
    LiteralNewline "literal_newline" SAFE "a backslash and an `n`, or a tokenizer's `Ġ` and `Ċ`, where white space belongs; skipped"
        by "output that was escaped twice or decoded badly" risk "none known: outside strings it can mean nothing else";
    LostBlank "lost_blank" SAFE "an attribute glued to its tag's name; read as if white space stood between them"
        by "servers that decode a tokenizer's blanks badly" risk "a tag whose name begins like another's; it must be a declared one";
    DoubleBraces "double_braces" SAFE "braces doubled by a prompt template; read once"
        by "prompts whose templates were never filled in" risk "none known: `{{` cannot be JSON";
    Wrapper "wrapper" SAFE "the arguments stood inside a member such as `arguments` that the tool does not declare; unwrapped"
        by "models that copy the shape of a request into its arguments" risk "a tool that takes such a member without declaring it; an open schema keeps it";
    DoubleEncoded "double_encoded" SAFE "JSON inside a string where an object or array belongs; decoded"
        by "servers and models that encode once too often" risk "a string that happens to be JSON where no string is declared";
    ExtraCloser "extra_closer" SAFE "a closing bracket too many; dropped"
        by "models that lose count of brackets" risk "the object was meant to go on behind the bracket";
    WrongBracket "wrong_bracket" SAFE "a bracket closed by the other kind; read as the right one"
        by "models that lose count of brackets" risk "members end up one level off; the brackets that follow decide";
    MissingBracket "missing_bracket" SAFE "a closing bracket is missing before the dialect's own closer; inserted"
        by "models that lose count of brackets" risk "what was cut off before the marker goes unnoticed";
    UnterminatedString "unterminated_string" SAFE "a string ran into the dialect's closer without its quote; closed there"
        by "models that forget the last quote" risk "a marker that was data ends the string, if the call ends there too";
    GluedObjects "glued_objects" SAFE "a second object directly behind the arguments"
        by "models that repeat or correct themselves" risk "the second object may have been the better one";
    SurroundingText "surrounding_text" SAFE "text before or behind the one object of an arguments string; dropped"
        by "chat-tuned models" risk "what the text said is lost";
    KeyValueLines "key_value_lines" GUESS "lines of `key: value` where an object belongs; read as one"
        by "models that write YAML" risk "prose with a colon on every line is read as members";
    EmptyArguments "empty_arguments" SAFE "no arguments where an object belongs; `{}`"
        by "models calling a tool without parameters" risk "a call that was cut before its arguments looks like one without any";
    // Markup
    MissingOpener "missing_opener" SAFE "the wrapper around calls has no opening marker"
        by "models that skip the wrapper, and servers that strip it" risk "markup shown as an example is read as a call";
    DuplicateOpener "duplicate_opener" SAFE "an opening marker stood twice before a call"
        by "models that restart a call" risk "none known: nothing stands between the two";
    MissingCloser "missing_closer" SAFE "a call or its wrapper has no closing marker, its body is complete"
        by "models that stop early, and servers that strip the last token" risk "what was to follow goes unnoticed";
    WrongCloser "wrong_closer" SAFE "another tag closed what was open"
        by "models that mix two dialects" risk "a tag of the value's own text ends it; it must be followed by what can follow";
    DuplicateCloser "duplicate_closer" SAFE "a closing marker stood twice"
        by "models that repeat themselves" risk "none known: nothing is lost";
    StrayCloser "stray_closer" SAFE "a closing tag that closes nothing, inside a call; skipped"
        by "models that mix two dialects" risk "text that looks like a tag is dropped";
    MissingValueCloser "missing_value_closer" SAFE "a parameter has no closing marker; ended by the marker that follows"
        by "models that forget a closer among many parameters" risk "a value that quotes the next parameter's tag is cut; its key must be declared and new";
    UnclosedTag "unclosed_tag" SAFE "an opening tag without its `>`"
        by "models that write attributes over several lines" risk "text behind the tag is read as its body";
    JunkInCall "junk_in_call" SAFE "text between parameters that belongs to none; skipped"
        by "models that comment on their parameters" risk "what the text said is lost";
    SeveralCalls "several_calls" SAFE "several call objects in one pair of tags; each is a call"
        by "models that save tags" risk "none known: each object names its tool";
    OrphanCloser "orphan_closer" POLICY "a closing marker that nothing opened; markup";
    // Values
    Coerced "coerced" VALUE "a value was converted to the type that the schema declares";
    WrapScalar "wrap_scalar" GUESS "one value where the schema wants an array; an array of one"
        by "models that drop the brackets of a list of one" risk "text with commas may have been meant as several";
    UnwrapObject "unwrap_object" GUESS "an object of one member where the schema wants a scalar; the member's value"
        by "models that describe a value instead of giving it" risk "the member's name may have mattered";
    TypeMismatch "type_mismatch" VALUE "a value does not fit the type that the schema declares; unchanged";
    UnknownParameter "unknown_parameter" VALUE "the tool declares no such parameter";
    DuplicateParameter "duplicate_parameter" VALUE "a parameter was given twice; the first stands";
    MissingParameter "missing_parameter" VALUE "a required parameter is missing";
    NamelessParameter "nameless_parameter" VALUE "a parameter without a name; skipped";
    UnknownMember "unknown_member" VALUE "a call object has a member that is no part of a call; skipped";
    SchemaViolation "schema_violation" VALUE "the finished arguments break a rule of the schema, found by the optional check against the whole of JSON Schema";
    // Calls and regions
    NameNormalised "name_normalised" POLICY "the tool's name was spelled differently; exactly one declared tool fits";
    UnknownTool "unknown_tool" POLICY "a call of a tool that is not declared";
    Rejected "rejected" POLICY "a call did not pass strict validation; given back as text";
    Truncated "truncated" POLICY "the input ended inside a call; it is not returned as one";
    Broken "broken" POLICY "a call could not be read on; it is not returned as one";
    CallInReasoning "call_in_reasoning" POLICY "a call inside reasoning that was closed later; a draft, it stays reasoning";
    MarkerInText "marker_in_text" POLICY "text spells a call whose markers have to be special tokens, for the caller marks those; text";
    ReasoningUnclosed "reasoning_unclosed" POLICY "reasoning that never closed ended where a call began";
    // Input and limits
    InvalidUtf8 "invalid_utf8" POLICY "bytes that are not UTF-8; U+FFFD in their place";
    LimitHeld "limit_held" LIMIT "more bytes would have to be held than the limit allows";
    LimitArguments "limit_arguments" LIMIT "a call's arguments are longer than the limit allows";
    LimitDepth "limit_depth" LIMIT "values are nested deeper than the limit allows";
    LimitCalls "limit_calls" LIMIT "more calls in one message than the limit allows";
}

impl Code {
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
            assert_eq!(row.code.is_repair(), !row.by.is_empty() && !row.risk.is_empty(), "{}", row.name);
        }
    }
}
