//! Loads a dialect from the text of its TOML file.

use toml::de::DeTable;

use super::check;
use super::compile::{PatternContext, compile};
use super::drift::unwritten;
use super::error::DialectError;
use super::hole::{Holder, PatternKey, is_word};
use super::pattern::{Pattern, param_openings, pieces, strong_openings};
use super::spell::KnownLiterals;
use super::values::{TomlSource, TomlString, TomlTable};
use super::{Dialect, IdPattern, MemberNames, TypeWords, same_name, teach};

/// A larger file is rejected unread: a dialect has 25 lines, and a program that accepts files from users should not
/// have to parse a gigabyte.
const MAX_FILE: usize = 256 * 1024;

const KEYS: [&str; 22] = [
    "about",
    "aliases",
    "models",
    "special",
    "strong",
    "weak",
    "reasoning",
    "content",
    "skip",
    "turn_end",
    "turn_start",
    "section",
    "call",
    "param",
    "join",
    "one",
    "id",
    "json",
    "types",
    "quote",
    "words",
    "teach",
];

/// The fix for an error of the TOML parser, by a part of its message.
const TOML_HELP: [(&str, &str); 4] = [
    (" string, expected `", "close the string with the quote that opens it; in a pattern, write a line break as `\\n`"),
    ("escape", "write a backslash as `\\\\`, or put the string in single quotes"),
    ("duplicate key", "write each key once; several patterns are a list: `call = [\"…\", \"…\"]`"),
    ("", "write `key = \"text\"` or `key = [\"text\", …]`, and a quote inside the text as `\\\"`"),
];

/// Parses, compiles and checks a dialect.
pub(super) fn read(name: &str, source: &str) -> Result<Dialect, DialectError> {
    let file = TomlSource { name, source };
    if source.len() > MAX_FILE {
        return Err(file.error(0..0, "the file exceeds 256 KiB", "a dialect has five to twenty-five lines"));
    }
    let table = DeTable::parse(source).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default();
        let help = TOML_HELP.iter().find(|(part, _)| message.contains(part)).map_or("", |row| row.1);
        file.error(error.span().unwrap_or(0..0), message, help)
    })?;
    let values = TomlTable { file, table: table.get_ref() };
    values.only("a dialect", &KEYS)?;
    let known = KnownLiterals::default();
    let dialect = dialect(values, &known)?;
    check::uses(values, &dialect, &known)?;
    Ok(dialect)
}

fn dialect(values: TomlTable<'_>, known: &KnownLiterals) -> Result<Dialect, DialectError> {
    let (words, special) = (words(values)?, owned(values, "special")?);
    let (strong, weak) = (markers(values, "strong")?, markers(values, "weak")?);
    let id = values.text("id")?.map(|text| id(values.file, &text)).transpose()?;
    // No white space is inside these markers either, so that all of each is looked for.
    let whole = [&special[..], &strong[..], &weak[..]].concat();
    let setting =
        PatternContext { words: &words, special: &whole, known, id_has_name: id.is_some(), params_open: false };
    let patterns = |values, role, setting| {
        let mut patterns = patterns(values, role, setting)?;
        for pattern in &mut patterns {
            pattern.weigh(&strong, &weak);
            match role {
                PatternKey::Call | PatternKey::Section => pattern.add_drift(),
                PatternKey::Param => pattern.add_closer_drift(),
                _ => {}
            }
        }
        Ok::<_, DialectError>(patterns)
    };
    let params = patterns(values, PatternKey::Param, setting)?;
    let opens = |param: &Pattern| param.opening().is_some_and(|open| !open.is_optional());
    let setting = PatternContext { params_open: params.iter().all(opens), ..setting };
    let mut calls = patterns(values, PatternKey::Call, setting)?;
    calls.extend(unwritten(&calls));
    let sections = patterns(values, PatternKey::Section, setting)?;
    Ok(Dialect {
        openings: strong_openings(&calls, &sections),
        param_openings: param_openings(&params),
        pieces: pieces(&calls, &params),
        has_call_tags: calls.iter().any(Pattern::opens_like_any_tag),
        has_param_tags: params.iter().any(Pattern::opens_like_any_tag),
        name: values.file.name.into(),
        about: one(values, "about")?.unwrap_or_default().into(),
        aliases: aliases(values)?,
        models: owned(values, "models")?,
        calls,
        sections,
        reasoning: patterns(values, PatternKey::Reasoning, setting)?,
        content: patterns(values, PatternKey::Content, setting)?,
        skip: owned(values, "skip")?,
        turn_end: owned(values, "turn_end")?,
        turn_start: owned(values, "turn_start")?,
        join: one(values, "join")?.map_or("\n".into(), Into::into),
        one_section: one_section(values)?,
        members: members(values)?,
        types: types(values)?,
        quote: one(values, "quote")?,
        teach: teach::read(values)?,
        source: values.file.source.to_owned().into(),
        params,
        id,
        special,
        words,
        strong,
        weak,
    })
}

/// Reads the literals that are declared strong or weak.
fn markers(values: TomlTable<'_>, key: &'static str) -> Result<Vec<String>, DialectError> {
    for text in values.texts(key)? {
        if text.text.contains(char::is_whitespace) {
            let message = format!("white space in the {key} marker `{}`", text.text.escape_debug());
            return Err(values.file.error(text.span, message, "use the part before or after it"));
        }
    }
    owned(values, key)
}

fn one(values: TomlTable<'_>, key: &str) -> Result<Option<String>, DialectError> {
    Ok(values.text(key)?.map(|text| text.text.to_owned()))
}

/// Reads a list of texts, none of which may be empty.
fn owned(values: TomlTable<'_>, key: &str) -> Result<Vec<String>, DialectError> {
    let texts = values.texts(key)?;
    match texts.iter().find(|text| text.text.is_empty()) {
        Some(text) => Err(values.file.error(text.span.clone(), format!("empty string in `{key}`"), "remove it")),
        None => Ok(texts.into_iter().map(|text| text.text.to_owned()).collect()),
    }
}

fn aliases(values: TomlTable<'_>) -> Result<Vec<String>, DialectError> {
    let aliases = values.texts("aliases")?;
    for (index, alias) in aliases.iter().enumerate() {
        let message = match alias.text {
            own if same_name(own, values.file.name) => format!("the alias `{own}` is the dialect's own name"),
            twice if aliases[..index].iter().any(|other| same_name(other.text, twice)) => {
                format!("duplicate alias `{twice}`")
            }
            _ => continue,
        };
        let help = "remove it; case, `-`, `_` and `.` make no difference";
        return Err(values.file.error(alias.span.clone(), message, help));
    }
    owned(values, "aliases")
}

fn patterns(
    values: TomlTable<'_>,
    role: PatternKey,
    setting: PatternContext<'_>,
) -> Result<Vec<Pattern>, DialectError> {
    let texts = values.texts(role.key())?;
    let mut patterns: Vec<Pattern> = Vec::new();
    for text in &texts {
        if text.text.trim().is_empty() {
            let message = format!("empty pattern in `{}`", role.key());
            let help = "use literals and holes, such as `<run>{call}</run>`";
            return Err(values.file.error(text.span.clone(), message, help));
        }
        let pattern = compile(text.text, role, setting).map_err(|fault| values.file.error_in(text, fault))?;
        check::reached(&patterns, &pattern, role).map_err(|fault| values.file.error_in(text, fault))?;
        patterns.push(pattern);
    }
    Ok(patterns)
}

fn words(values: TomlTable<'_>) -> Result<Vec<(String, Vec<String>)>, DialectError> {
    let Some(words) = values.table("words", "`words = { bar = [\"｜\", \"|\"] }`")? else { return Ok(Vec::new()) };
    let word = |key: TomlString<'_>| {
        if !is_word(key.text) {
            let message = format!("invalid word name `{}`", key.text);
            return Err(words.file.error(key.span, message, "use letters, digits and `_`"));
        }
        if Holder::by_name(key.text).is_some() {
            let message = format!("the word `{}` has the same name as a hole", key.text);
            return Err(words.file.error(key.span, message, "choose another name"));
        }
        let spellings = words.texts(key.text)?.into_iter().map(|text| text.text.to_owned()).collect();
        Ok((key.text.to_owned(), spellings))
    };
    words.keys().into_iter().map(word).collect()
}

fn id(file: TomlSource<'_>, text: &TomlString<'_>) -> Result<IdPattern, DialectError> {
    let parts = text.text.split_once("{name}").and_then(|(before, rest)| Some((before, rest.strip_suffix("{index}")?)));
    match parts {
        Some((before, between)) if !between.is_empty() && !format!("{before}{between}").contains(['{', '}']) => {
            Ok(IdPattern { before: before.to_owned(), between: between.to_owned() })
        }
        _ => Err(file.error(
            text.span.clone(),
            "invalid `id`; expected a literal, `{name}`, a literal and `{index}`",
            "use a form such as `functions.{name}:{index}`, or remove the key if ids do not contain the name",
        )),
    }
}

fn one_section(values: TomlTable<'_>) -> Result<bool, DialectError> {
    match values.text("one")? {
        None => Ok(false),
        Some(text) if text.text == "section" => Ok(true),
        Some(text) => {
            let message = format!("invalid value `{}` for `one`", text.text);
            Err(values.file.error(text.span, message, "use `one = \"section\"`, or remove the key"))
        }
    }
}

fn members(values: TomlTable<'_>) -> Result<MemberNames, DialectError> {
    let json = values.table("json", "`json = { name = [\"tool\"], arguments = [\"parameters\"] }`")?;
    if let Some(json) = json {
        json.only("`json`", &["name", "arguments", "id"])?;
    }
    let names = |key: &str| match json.map(|json| owned(json, key)).transpose()? {
        Some(names) if !names.is_empty() => Ok(names),
        _ => Ok(vec![key.to_owned()]),
    };
    let writes_id = json.is_some_and(|json| json.key("id").is_some());
    Ok(MemberNames { name: names("name")?, arguments: names("arguments")?, id: names("id")?, writes_id })
}

fn types(values: TomlTable<'_>) -> Result<Option<TypeWords>, DialectError> {
    let example = "`types = { string = \"true\", other = \"false\" }`";
    let Some(types) = values.table("types", example)? else { return Ok(None) };
    types.only("`types`", &["string", "integer", "other"])?;
    let words =
        TypeWords { string: one(types, "string")?, integer: one(types, "integer")?, other: one(types, "other")? };
    if words.string.is_some() != words.other.is_some() {
        let (place, message) = (values.key("types").unwrap_or(0..0), "`types` needs `string` and `other` together");
        return Err(values.file.error(place, message, format!("write {example}")));
    }
    Ok(Some(words))
}
