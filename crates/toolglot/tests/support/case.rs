//! Case files: what is said about a case, its settings, its input, and the events it must give.

use std::path::Path;

use toolglot::{Dialects, Limits, Options, Tools};

/// A case as its file gives it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// The path below the folder of cases, without the ending.
    pub(crate) name: String,
    /// The sections in order: the words after `---`, and the text.
    pub(crate) sections: Vec<(String, String)>,
    /// What stands before the first section: what the case is about.
    pub(crate) about: String,
}

/// What a case is run with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The dialects the case names, or those of its folder.
    pub(crate) dialects: Dialects,
    /// The declared tools.
    pub(crate) tools: Tools,
    /// The options.
    pub(crate) options: Options,
    /// Whether the case is also run with all dialects.
    pub(crate) also_auto: bool,
}

impl Case {
    /// Reads a case file.
    pub(crate) fn read(name: &str, text: &str) -> Self {
        let mut case = Self { name: name.to_owned(), ..Self::default() };
        for line in text.split_inclusive('\n') {
            match (line.strip_prefix("--- "), case.sections.last_mut()) {
                (Some(title), _) => case.sections.push((title.trim().to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => case.about.push_str(line),
            }
        }
        case
    }

    /// Returns the text of a section.
    pub(crate) fn section(&self, title: &str) -> Option<&str> {
        self.sections.iter().find(|(t, _)| t == title).map(|(_, text)| text.as_str())
    }

    /// Replaces the expectations.
    pub(crate) fn set_expect(&mut self, title: &str, text: Option<String>) {
        self.sections.retain(|(t, _)| t != title);
        self.sections.extend(text.map(|text| (title.to_owned(), text)));
    }

    /// Returns the case as its file holds it.
    pub(crate) fn write(&self) -> String {
        let sections = self.sections.iter().map(|(title, text)| format!("--- {title}\n{text}"));
        self.about.clone() + &sections.collect::<String>()
    }

    /// Returns the input; the line break that ends its section is not part of it.
    pub(crate) fn input(&self) -> Result<Vec<u8>, String> {
        if let Some(text) = self.section("input escaped") {
            return unescape(text.strip_suffix('\n').unwrap_or(text));
        }
        let text = self.section("input").ok_or("no section `input`")?;
        Ok(text.strip_suffix('\n').unwrap_or(text).as_bytes().to_vec())
    }

    /// Returns what the case is run with.
    pub(crate) fn setup(&self, shared_tools: &str) -> Result<Setup, String> {
        let folder = Path::new(&self.name).iter().next().and_then(|name| name.to_str()).unwrap_or_default();
        let builtin = Dialects::builtin();
        let mut setup = Setup {
            also_auto: builtin.get(folder).is_some_and(|dialect| dialect.name() == folder),
            dialects: builtin.only(&[folder]).unwrap_or(builtin),
            tools: tools(self.section("tools").unwrap_or(shared_tools))?,
            options: Options::default(),
        };
        let mut limits = Limits::default();
        for line in self.section("options").unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
            let (key, value) = line.split_once(" = ").ok_or_else(|| format!("no option: `{line}`"))?;
            limits = match (key, value.parse()) {
                ("held", Ok(n)) => limits.with_held(n),
                ("arguments", Ok(n)) => limits.with_arguments(n),
                ("depth", Ok(n)) => limits.with_depth(n),
                ("calls", Ok(n)) => limits.with_calls(n),
                _ => {
                    setup.set(key, value).map_err(|error| format!("option `{key}`: {error}"))?;
                    limits
                }
            };
        }
        setup.options = setup.options.with_limits(limits);
        Ok(setup)
    }
}

impl Setup {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let options = self.options.clone();
        self.options = match key {
            "dialects" if value == "auto" => {
                self.dialects = Dialects::builtin();
                self.also_auto = false;
                options
            }
            "dialects" => {
                let names: Vec<&str> = value.split(", ").collect();
                self.dialects = Dialects::builtin().only(&names).map_err(text)?;
                self.also_auto = false;
                options
            }
            "tools" if value == "none" => {
                self.tools = Tools::default();
                options
            }
            "validation" => options.with_validation(value.parse().map_err(text)?),
            "untyped" => options.with_untyped(value.parse().map_err(text)?),
            "reasoning_open" => options.with_reasoning_open(value.parse().map_err(text)?),
            "finish_reason" => options.with_finish_reason(Some(value.parse().map_err(text)?)),
            "calls_in_reasoning" => options.with_calls_in_reasoning(value.parse().map_err(text)?),
            "evidence" => options.with_evidence(value.parse().map_err(text)?),
            "unknown_tool" => options.with_unknown_tool(value.parse().map_err(text)?),
            "accept_incomplete" => options.with_accept_incomplete(value.parse().map_err(text)?),
            "repairs" => options.with_repairs(value.parse().map_err(text)?),
            _ => return Err("unknown".to_owned()),
        };
        Ok(())
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn tools(json: &str) -> Result<Tools, String> {
    Tools::from_json_str(json).map_err(|error| error.to_string())
}

/// Reads `\n`, `\r`, `\t`, `\\` and `\xNN`; line breaks of the file are not part of the input.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text.bytes().filter(|byte| *byte != b'\n');
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).map_err(|_| format!("no byte: `\\x{digits}`"))?
            }
            other => return Err(format!("no escape: `\\{}`", other.map(char::from).unwrap_or(' '))),
        });
    }
    Ok(out)
}
