//! The table of diagnostic codes; repairs among them can be switched on and off.

use std::fmt;

/// The preset that enables a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Preset {
    /// On by default: changes neither how valid input is read nor where anything ends.
    Exact,
    /// On by default, off under strict validation: it decides where a string, a value or a call ends.
    Safe,
    /// On only with `all`, or by name: the repair is a guess.
    All,
}

/// What a code means for its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// A deviation from the dialect that is still parsed; if the repair is off, it breaks the call.
    Repair(Preset),
    /// How a value relates to the tool's schema.
    Value,
    /// A decision about a call or a region of text.
    Policy,
    /// A limit was reached.
    Limit,
}

impl Class {
    /// Returns the class's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Repair(_) => "repair",
            Self::Value => "value",
            Self::Policy => "policy",
            Self::Limit => "limit",
        }
    }
}

/// One row of [`Code::TABLE`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CodeRow {
    /// The code.
    pub code: Code,
    /// Its name in output and options.
    pub name: &'static str,
    /// What it means for the call.
    pub class: Class,
    /// What happened, and how it is handled.
    pub about: &'static str,
    /// Who writes this; empty for codes that are not repairs.
    pub by: &'static str,
    /// The risk of the repair; empty for codes that are not repairs.
    pub risk: &'static str,
}

const SAFE: Class = Class::Repair(Preset::Exact);
const ENDS: Class = Class::Repair(Preset::Safe);
const GUESS: Class = Class::Repair(Preset::All);
const VALUE: Class = Class::Value;
const POLICY: Class = Class::Policy;
const LIMIT: Class = Class::Limit;

/// Makes the enum, its documentation and its table from one list.
macro_rules! codes {
    ($($code:ident $name:literal $class:ident $about:literal $(by $by:literal risk $risk:literal)?;)*) => {
        /// What a diagnostic reports. Names and meanings are public API, see [`Code::TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $about, ".", $("\n\nWritten by ", $by, ". Risk: ", $risk, ".")?)]
            $code,)*
        }

        impl Code {
            /// Every code, in order of declaration.
            pub const TABLE: &[CodeRow] = &[$(CodeRow {
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
    InnerQuote "inner_quote" ENDS "an unescaped quote inside a string; it ends the string only if what follows is valid there"
        by "small models quoting code or speech" risk "text such as `\", \"key\":` inside a string ends it; `strict` and `repair` consult the schema";
    SingleQuotes "single_quotes" SAFE "a single-quoted string"
        by "models trained on Python dicts" risk "an apostrophe before a comma and a key ends the string";
    BackQuotes "back_quotes" SAFE "a back-quoted string"
        by "models trained on JavaScript" risk "none known: JSON has no back quotes outside strings";
    TypographicQuotes "typographic_quotes" SAFE "a string in curly quotes"
        by "chat-tuned models, and text edited in a word processor" risk "a curly quote inside such a string ends it if valid JSON follows";
    TripleQuotes "triple_quotes" SAFE "a triple-quoted string, read as raw text"
        by "models that write long text as Python" risk "an empty string directly before a quote looks like an opening triple quote";
    StringPrefix "string_prefix" SAFE "a Python string prefix such as `r` or `f` before a quote; dropped, `r` keeps backslashes"
        by "models trained on Python" risk "without the `f`, its braces stay text";
    Concatenation "concatenation" SAFE "adjacent string literals, or with a plus between them; joined"
        by "models trained on Python, for long lines" risk "a missing comma between two values would join them; keys and lists are excluded";
    QuoteToken "quote_token" SAFE "a leaked quote token such as `<|\"|>` delimits a string"
        by "Gemma behind a server without its parser" risk "the token cannot be data in such a string";
    EntityQuotes "entity_quotes" SAFE "JSON encoded for XML: `&quot;` delimits strings, and the five predefined entities are decoded inside them; only after a strong marker"
        by "models that answer in markup" risk "an entity intended as literal text is decoded";
    BareKey "bare_key" SAFE "an object key without quotes"
        by "models trained on JavaScript and YAML" risk "none known: a value must follow the separator";
    MissingQuote "missing_quote" SAFE "a key with a missing or doubled quote, a keyword in quotes, or a declared string without one or both of its quotes, if it can end in one place only"
        by "models that mix two dialects, and servers that drop the first chunk of an answer" risk "none known: the separator or bracket that follows a complete key or string must be there";
    BareString "bare_string" GUESS "an unquoted string; read up to the next comma, bracket or line break"
        by "small models, and YAML habits" risk "where a comma or bracket is missing, the words after it become part of the string";
    RawControl "raw_control" SAFE "an unescaped line break or control character inside a string"
        by "models that write a file's contents unescaped" risk "none known: JSON forbids them in strings";
    InvalidEscape "invalid_escape" SAFE "a backslash before a character that has no JSON escape; kept as a literal backslash (`\\d`, `C:\\path`)"
        by "models writing regular expressions and Windows paths" risk "`\\n` or `\\t` in a path amid other text is a valid escape and is decoded";
    TrailingComma "trailing_comma" SAFE "a comma before a closing bracket; dropped"
        by "models trained on JavaScript and Python" risk "a member that was never written goes unnoticed";
    ExtraComma "extra_comma" SAFE "a comma with nothing before it; dropped"
        by "models that lose track in long lists" risk "a member that was never written goes unnoticed";
    MissingComma "missing_comma" SAFE "a missing comma between two members; inserted"
        by "models that write one member per line" risk "text with unescaped quotes that looks like a key is split; `strict` and `repair` consult the schema";
    MissingValue "missing_value" SAFE "a key without a value; read as null, unless the schema declares something else"
        by "models that leave out what they do not know" risk "the value may have been lost in transit";
    WrongSeparator "wrong_separator" SAFE "`=`, `=>`, `;` or nothing where JSON requires `:` or `,`"
        by "models trained on Python calls, Ruby and Lua" risk "none known: JSON has no other separators";
    Comment "comment" SAFE "a comment between values; dropped"
        by "models that explain their arguments" risk "the comment is lost";
    PythonLiteral "python_literal" SAFE "`True`, `False`, `None` or `undefined` for true, false, null"
        by "models trained on Python and JavaScript" risk "`undefined` may have meant an absent member";
    NonFinite "non_finite" SAFE "`NaN` or `Infinity`; read as null, or as text where the schema declares a string, never as a number"
        by "models trained on Python and JavaScript" risk "the difference between them is lost";
    HexNumber "hex_number" SAFE "a hexadecimal number; converted to decimal"
        by "models writing colours and addresses" risk "if text was meant, its spelling is lost; a declared string keeps it";
    PlusNumber "plus_number" SAFE "a number with a leading plus, which is dropped"
        by "models writing offsets and phone numbers" risk "if text was meant, the plus is lost; a declared string keeps it";
    LeadingZero "leading_zero" SAFE "a number with leading zeros; read as text, or as decimal where the schema declares a number"
        by "models writing identifiers, dates and octal modes" risk "an octal number is read as decimal where a number is declared";
    NumberForm "number_form" SAFE "a number such as `.5`, `5.` or `1_000`; completed"
        by "models trained on Python and Rust" risk "none known: the value is the same";
    Tuple "tuple" SAFE "a Python tuple or set; read as an array"
        by "models trained on Python" risk "parentheses around one value are dropped";
    MarkdownEscape "markdown_escape" SAFE "underscores escaped as in Markdown in a name; unescaped there and in the strings of the same call"
        by "chat-tuned models" risk "none known in names; a backslash in a string of the same call may have been intended";
    PositionalArgument "positional_argument" SAFE "a value without a keyword in a call to a tool with one parameter, or a list or string instead of the arguments of a tool with one required parameter; assigned to that parameter"
        by "small models, for tools with one parameter" risk "none known: there is only one parameter it can belong to";
    DictArgument "dict_argument" SAFE "a dict as the only argument of a Python call; its members become the arguments"
        by "models that mix JSON and Python" risk "none known: a dict that is a value would follow a keyword";
    Fence "fence" SAFE "a Markdown fence around JSON; dropped"
        by "chat-tuned models" risk "none known: a fence is not part of JSON";
    LiteralNewline "literal_newline" SAFE "a literal `\\n`, a tokenizer's `Ġ` or `Ċ`, or a no-break or zero-width space where white space belongs; skipped"
        by "output that was escaped twice or decoded incorrectly, and models that copy from web pages" risk "none known: it has no other meaning outside strings";
    LostBlank "lost_blank" SAFE "missing white space between a tag's name and an attribute; inserted"
        by "servers that decode a tokenizer's spaces incorrectly" risk "one tag name may be the beginning of another; only declared tags are considered";
    DoubleBraces "double_braces" SAFE "braces doubled by a prompt template; read as single braces"
        by "prompts whose templates were not filled in" risk "none known: `{{` cannot be JSON";
    Wrapper "wrapper" SAFE "arguments inside a member such as `arguments` that the tool does not declare, or a value inside an object that repeats its schema; unwrapped"
        by "models that copy the shape of a request into its arguments" risk "the tool may accept such a member without declaring it; with an open schema, it is kept";
    ArgumentsKey "arguments_key" SAFE "arguments under a different key, such as `Arguments` or `kwargs`; it must be the only unknown member with an object as its value, and the first key of that object must be a declared parameter"
        by "models that misspell the key, and prompts that use another name for it" risk "if the arguments were never written, an unrelated object may be read as the arguments";
    Envelope "envelope" SAFE "a call object with missing or doubled quotes, colons or braces around its name and arguments, as in `{\"name=\"f\"`; only after a marker or a doubled brace"
        by "models that mix two dialects, and prompts whose templates were not filled in" risk "none known: the name must be that of a declared tool, and the arguments must follow it";
    FlatArguments "flat_arguments" SAFE "a call object without an arguments member whose other members are declared parameters; they become the arguments"
        by "small models on prompts that show no example" risk "none known: members that may belong to the call itself, such as `id`, are never parameters, and a call that has one is text";
    InferredTool "inferred_tool" SAFE "a counter or an API's id instead of the tool's name; read as a call to the declared tool that the arguments name, or the only one that they match"
        by "Kimi K2, which writes `0` for `functions.search:0`" risk "an undeclared tool may have been intended; all keys, types and required parameters must match exactly one tool";
    DoubleEncoded "double_encoded" SAFE "JSON inside a string where an object or array belongs; decoded"
        by "servers and models that encode twice" risk "a string that happens to be valid JSON is decoded, if no string is declared";
    ExtraCloser "extra_closer" ENDS "an extra closing bracket; dropped"
        by "models that lose count of brackets" risk "the object may have been meant to continue after the bracket";
    WrongBracket "wrong_bracket" ENDS "a closing bracket of the wrong kind; read as the right one"
        by "models that lose count of brackets" risk "members end up one level off; the brackets that follow decide";
    MissingBracket "missing_bracket" ENDS "a missing closing bracket before the dialect's closing marker; inserted"
        by "models that lose count of brackets" risk "missing content before the marker goes unnoticed";
    GluedObjects "glued_objects" ENDS "a second object directly after the arguments; skipped"
        by "models that repeat or correct themselves" risk "the second object may have been the better one";
    SurroundingText "surrounding_text" SAFE "text around the only object of an arguments string; dropped"
        by "chat-tuned models" risk "the text is lost";
    KeyValueLines "key_value_lines" GUESS "lines of `key: value` where an object belongs; read as one"
        by "models that write YAML" risk "prose with a colon on every line is read as an object";
    EmptyArguments "empty_arguments" SAFE "no arguments where an object belongs; read as `{}`"
        by "models calling a tool without parameters" risk "a call that was cut off before its arguments looks like a call without any";
    // Markup
    MissingOpener "missing_opener" SAFE "a section, a declared parameter, or a JSON call that its closing tag still marks, without its opening marker"
        by "models that skip the wrapper, and servers that strip it" risk "markup shown as an example is read as a call";
    DuplicateOpener "duplicate_opener" SAFE "a doubled opening marker before a call; dropped"
        by "models that restart a call" risk "none known: the two markers are adjacent";
    MissingCloser "missing_closer" ENDS "a call or section without its closing marker; its body is complete"
        by "models that stop early, and servers that strip the last token" risk "a missing continuation goes unnoticed";
    WrongCloser "wrong_closer" ENDS "a closing tag of a different name; read as the expected one"
        by "models that mix two dialects" risk "a closing tag inside a value ends it; the text after the tag must be valid after a value";
    DuplicateCloser "duplicate_closer" SAFE "a doubled closing marker; dropped"
        by "models that repeat themselves" risk "none known: nothing is lost";
    StrayCloser "stray_closer" ENDS "a closing tag that closes nothing, inside a call; skipped"
        by "models that mix two dialects" risk "text that looks like a tag is dropped";
    MissingValueCloser "missing_value_closer" ENDS "a parameter without its closing marker; ended by the next marker"
        by "models that forget a closer among many parameters" risk "a value that quotes the next parameter's tag is cut; its key must be declared and new";
    UnclosedTag "unclosed_tag" ENDS "an opening tag without `>`"
        by "models that write attributes over several lines" risk "text after the tag is read as its body";
    JunkInCall "junk_in_call" ENDS "text between opening markers, between parameters, or between the body and its closing marker; skipped"
        by "models that comment on their calls" risk "the text is lost";
    SeveralCalls "several_calls" SAFE "several call objects in one pair of tags; each is read as a call"
        by "models that save tokens" risk "none known: each object names its tool";
    OrphanCloser "orphan_closer" POLICY "a closing marker without an opening one; read as markup";
    // Values
    Coerced "coerced" VALUE "a value was converted to the type that the schema declares";
    WrapScalar "wrap_scalar" GUESS "a single value where the schema declares an array; wrapped in one"
        by "models that omit the brackets of a one-element list" risk "text with commas may have been meant as several elements";
    UnwrapObject "unwrap_object" GUESS "an object with one member where the schema declares a scalar; replaced by the member's value"
        by "models that describe a value instead of giving it" risk "the member's name may have mattered";
    TypeMismatch "type_mismatch" VALUE "a value does not match the declared type; passed on unchanged";
    UnknownParameter "unknown_parameter" VALUE "the tool does not declare this parameter";
    ParameterNormalised "parameter_normalised" POLICY "a different spelling of a parameter's name; exactly one declared parameter matches";
    DuplicateParameter "duplicate_parameter" VALUE "a duplicate parameter; in tags each is an item if an array is declared, else the first one counts; in JSON both are kept, and most readers use the last";
    MissingParameter "missing_parameter" VALUE "a required parameter is missing";
    NamelessParameter "nameless_parameter" VALUE "a parameter without a name; skipped";
    UnknownMember "unknown_member" VALUE "an unknown member of a call object; skipped";
    SchemaViolation "schema_violation" VALUE "finished arguments violate the schema; found by the optional check against full JSON Schema";
    // Calls and regions
    NameNormalised "name_normalised" POLICY "a different spelling of a tool's name; exactly one declared tool matches";
    UnknownTool "unknown_tool" POLICY "a call to an undeclared tool";
    Rejected "rejected" POLICY "a call failed strict validation; returned as text";
    Truncated "truncated" POLICY "the input ended inside a call or a marker; not returned as a finished call or as text";
    Broken "broken" POLICY "a call could not be parsed to its end; not returned as a finished call";
    CallInReasoning "call_in_reasoning" POLICY "a call inside reasoning that closes later; treated as a draft";
    MarkerInText "marker_in_text" POLICY "a call whose markers are plain text but must be special tokens, which the caller marks; treated as text";
    ReasoningUnclosed "reasoning_unclosed" POLICY "unclosed reasoning, ended where a call began";
    NearMiss "near_miss" POLICY "text that looks like a call but was not read as one; the message says why";
    // Input and limits
    InvalidUtf8 "invalid_utf8" POLICY "invalid UTF-8; replaced by U+FFFD";
    LimitHeld "limit_held" LIMIT "more bytes would have to be held back than the limit `held` allows";
    LimitArguments "limit_arguments" LIMIT "a call's arguments exceed the limit `arguments`";
    LimitDepth "limit_depth" LIMIT "values are nested deeper than the limit `depth`";
    LimitCalls "limit_calls" LIMIT "more calls in one message than the limit `calls`";
}

impl Code {
    /// Returns the code's row.
    pub fn row(self) -> &'static CodeRow {
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

    /// Returns whether the code is a repair that decides where something ends.
    pub(crate) fn moves_end(self) -> bool {
        self.row().class == Class::Repair(Preset::Safe)
    }

    /// Returns whether the code is a repair, which can be switched on and off.
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
