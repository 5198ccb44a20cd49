//! Reads a dialect from the text of its TOML file.

use toml::de::DeTable;

use super::check;
use super::compile::{Setting, compile};
use super::error::{DialectError, Fault};
use super::hole::{Holder, Role, is_word};
use super::pattern::{Literal, Node, Pattern};
use super::values::{File, Text, Values};
use super::{Dialect, IdPattern, Members, TypeWords, same_name};

/// A larger file is refused unread.
const MAX_FILE: usize = 256 * 1024;

const KEYS: [&str; 17] = [
    "about",
    "aliases",
    "models",
    "special",
    "reasoning",
    "content",
    "skip",
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
];

/// Reads, compiles and checks a dialect.
pub(super) fn read(name: &str, source: &str) -> Result<Dialect, DialectError> {
    let file = File { name, source };
    if source.len() > MAX_FILE {
        return Err(file.error(0..0, "the file is larger than 256 KiB", "a dialect has five to twenty-five lines"));
    }
    let table = DeTable::parse(source).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        DialectError::new(name, source, error.span().unwrap_or(0..0), Fault::new(0..0, message))
    })?;
    let values = Values { file, table: table.get_ref() };
    values.only("a dialect", &KEYS)?;
    let dialect = dialect(values)?;
    check::uses(values, &dialect)?;
    Ok(dialect)
}

fn dialect(values: Values<'_>) -> Result<Dialect, DialectError> {
    let (words, special) = (words(values)?, owned(values, "special")?);
    let id = values.text("id")?.map(|text| id(values.file, &text)).transpose()?;
    let setting = Setting { words: &words, special: &special, id_has_name: id.is_some(), params_open: false };
    let params = patterns(values, Role::Param, setting)?;
    let opens = |param: &Pattern| matches!(param.head.first(), Some(Node::Literal(open)) if !open.is_optional());
    let setting = Setting { params_open: params.iter().all(opens), ..setting };
    let calls = patterns(values, Role::Call, setting)?;
    let sections = patterns(values, Role::Section, setting)?;
    let openings = calls.iter().chain(&sections).filter_map(Pattern::opening);
    Ok(Dialect {
        openings: openings.filter_map(Literal::strong).collect(),
        name: values.file.name.into(),
        about: one(values, "about")?.unwrap_or_default(),
        aliases: aliases(values)?,
        models: owned(values, "models")?,
        calls,
        sections,
        reasoning: patterns(values, Role::Reasoning, setting)?,
        content: patterns(values, Role::Content, setting)?,
        skip: owned(values, "skip")?,
        join: one(values, "join")?.unwrap_or_else(|| "\n".to_owned()),
        one_section: one_section(values)?,
        members: members(values)?,
        types: types(values)?,
        quote: one(values, "quote")?,
        source: values.file.source.to_owned(),
        params,
        id,
        special,
        words,
    })
}

fn one(values: Values<'_>, key: &str) -> Result<Option<String>, DialectError> {
    Ok(values.text(key)?.map(|text| text.text.to_owned()))
}

/// Reads a list of texts of which none is empty.
fn owned(values: Values<'_>, key: &str) -> Result<Vec<String>, DialectError> {
    let texts = values.texts(key)?;
    match texts.iter().find(|text| text.text.is_empty()) {
        Some(text) => Err(values.file.error(text.span.clone(), format!("an empty text in `{key}`"), "take it out")),
        None => Ok(texts.into_iter().map(|text| text.text.to_owned()).collect()),
    }
}

fn aliases(values: Values<'_>) -> Result<Vec<String>, DialectError> {
    let aliases = values.texts("aliases")?;
    for (index, alias) in aliases.iter().enumerate() {
        if same_name(alias.text, values.file.name) {
            let message = format!("the alias `{}` is the dialect's own name", alias.text);
            return Err(values.file.error(
                alias.span.clone(),
                message,
                "take it out; case, `-`, `_` and `.` make no difference",
            ));
        }
        if aliases[..index].iter().any(|other| same_name(other.text, alias.text)) {
            let message = format!("the alias `{}` is given twice", alias.text);
            return Err(values.file.error(
                alias.span.clone(),
                message,
                "take it out; case, `-`, `_` and `.` make no difference",
            ));
        }
    }
    owned(values, "aliases")
}

fn patterns(values: Values<'_>, role: Role, setting: Setting<'_>) -> Result<Vec<Pattern>, DialectError> {
    let texts = values.texts(role.key())?;
    let mut patterns: Vec<Pattern> = Vec::new();
    for text in &texts {
        if text.text.trim().is_empty() {
            let message = format!("an empty pattern in `{}`", role.key());
            return Err(values.file.error(
                text.span.clone(),
                message,
                "write literals and holes, such as `<run>{call}</run>`",
            ));
        }
        let pattern = compile(text.text, role, setting).map_err(|fault| values.file.error_in(text, fault))?;
        check::reached(&patterns, &pattern, role).map_err(|fault| values.file.error_in(text, fault))?;
        patterns.push(pattern);
    }
    Ok(patterns)
}

fn words(values: Values<'_>) -> Result<Vec<(String, Vec<String>)>, DialectError> {
    let Some(words) = values.table("words", "`words = { bar = [\"｜\", \"|\"] }`")? else { return Ok(Vec::new()) };
    let word = |key: Text<'_>| {
        if !is_word(key.text) {
            let message = format!("`{}` cannot be a word's name", key.text);
            return Err(words.file.error(key.span, message, "use letters, digits and `_`"));
        }
        if Holder::by_name(key.text).is_some() {
            let message = format!("the word `{}` has the name of a hole", key.text);
            return Err(words.file.error(key.span, message, "choose another name"));
        }
        let spellings = words.texts(key.text)?.into_iter().map(|text| text.text.to_owned()).collect();
        Ok((key.text.to_owned(), spellings))
    };
    words.keys().into_iter().map(word).collect()
}

fn id(file: File<'_>, text: &Text<'_>) -> Result<IdPattern, DialectError> {
    let parts = text.text.split_once("{name}").and_then(|(before, rest)| Some((before, rest.strip_suffix("{index}")?)));
    match parts {
        Some((before, between)) if !between.is_empty() && !format!("{before}{between}").contains(['{', '}']) => {
            Ok(IdPattern { before: before.to_owned(), between: between.to_owned() })
        }
        _ => Err(file.error(
            text.span.clone(),
            "an `id` that is not a literal, `{name}`, a literal and `{index}`",
            "write it as in `functions.{name}:{index}`, or leave the key out if ids do not carry the name",
        )),
    }
}

fn one_section(values: Values<'_>) -> Result<bool, DialectError> {
    match values.text("one")? {
        None => Ok(false),
        Some(text) if text.text == "section" => Ok(true),
        Some(text) => {
            let message = format!("`one` cannot be `{}`", text.text);
            Err(values.file.error(text.span, message, "write `one = \"section\"`, or leave the key out"))
        }
    }
}

fn members(values: Values<'_>) -> Result<Members, DialectError> {
    let json = values.table("json", "`json = { name = [\"tool\"], arguments = [\"parameters\"] }`")?;
    if let Some(json) = json {
        json.only("`json`", &["name", "arguments", "id"])?;
    }
    let names = |key: &str| match json.map(|json| owned(json, key)).transpose()? {
        Some(names) if !names.is_empty() => Ok(names),
        _ => Ok(vec![key.to_owned()]),
    };
    let writes_id = json.is_some_and(|json| json.key("id").is_some());
    Ok(Members { name: names("name")?, arguments: names("arguments")?, id: names("id")?, writes_id })
}

fn types(values: Values<'_>) -> Result<Option<TypeWords>, DialectError> {
    let example = "`types = { string = \"true\", other = \"false\" }`";
    let Some(types) = values.table("types", example)? else { return Ok(None) };
    types.only("`types`", &["string", "other"])?;
    let word = |key: &str| {
        let missing = || {
            values.file.error(
                values.key("types").unwrap_or(0..0),
                format!("`types` needs `{key}`"),
                format!("write {example}"),
            )
        };
        types.text(key)?.map(|text| text.text.to_owned()).ok_or_else(missing)
    };
    Ok(Some(TypeWords { string: word("string")?, other: word("other")? }))
}
