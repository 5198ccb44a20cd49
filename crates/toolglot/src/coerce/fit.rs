//! Checks a finished arguments object against its schema: types, choices, names and required members, at every level.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{choice, scalar_fits};
use crate::json::{decode, tokens};
use crate::schema::{SchemaNode, Types};

/// An open object or array.
struct FitLevel<'s> {
    node: Option<SchemaNode<'s>>,
    /// The position of its bracket.
    from: usize,
    /// The members so far; `None` for an array.
    members: Option<BTreeSet<String>>,
    /// The key or index of the next value.
    key: Option<String>,
    index: usize,
}

/// Checks strict JSON against a schema.
struct FitCheck<'j, 's> {
    json: &'j str,
    levels: Vec<FitLevel<'s>>,
    root: SchemaNode<'s>,
}

/// Returns the first fault of an arguments object in strict JSON; `None` if it matches.
pub(crate) fn misfit(json: &str, root: SchemaNode<'_>) -> Option<String> {
    let mut walk = FitCheck { json, levels: Vec::new(), root };
    for Range { start, end } in tokens(json) {
        let wrong = match json.as_bytes()[start] {
            b':' | b',' => None,
            b'{' => walk.open(start, Types::OBJECT),
            b'[' => walk.open(start, Types::ARRAY),
            b'}' | b']' => walk.close(end),
            b'"' if walk.wants_key() => walk.member(start + 1..end - 1),
            b'"' => walk.leaf(|node| {
                let string = node.types().is_open() || node.types().has(Types::STRING);
                string && choice::allows_string(&decode(&json[start + 1..end - 1]), node)
            }),
            _ => walk.leaf(|node| node.types().is_open() || scalar_fits(&json[start..end], node)),
        };
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}

impl<'s> FitCheck<'_, 's> {
    fn wants_key(&self) -> bool {
        self.levels.last().is_some_and(|level| level.members.is_some() && level.key.is_none())
    }

    /// Reads a quoted key.
    fn member(&mut self, span: Range<usize>) -> Option<String> {
        let key = decode(&self.json[span]).into_owned();
        let outermost = self.levels.len() == 1;
        let level = self.levels.last_mut()?;
        let foreign = level.node.is_some_and(|node| {
            (if outermost { node.is_closed() } else { node.forbids_others() }) && !node.declares(&key)
        });
        level.members.as_mut()?.insert(key.clone());
        level.key = Some(key);
        foreign.then(|| format!("the schema does not allow the property `{}`", self.path()))
    }

    /// Skips a value that is not an object or array.
    fn leaf(&mut self, fits: impl FnOnce(SchemaNode<'s>) -> bool) -> Option<String> {
        let wrong = self.node().is_some_and(|node| !fits(node)).then(|| self.wrong_type());
        self.value_end();
        wrong
    }

    fn open(&mut self, at: usize, kind: Types) -> Option<String> {
        let node = self.node();
        if node.is_some_and(|node| !node.types().is_open() && !node.types().has(kind)) {
            return Some(self.wrong_type());
        }
        let members = (kind == Types::OBJECT).then(BTreeSet::new);
        self.levels.push(FitLevel { node, from: at, members, key: None, index: 0 });
        None
    }

    fn close(&mut self, end: usize) -> Option<String> {
        let level = self.levels.pop()?;
        if let (Some(node), Some(members)) = (level.node, &level.members)
            && let Some(missing) = node.required().iter().find(|name| !members.contains(*name))
        {
            let whose = if self.levels.is_empty() { String::new() } else { format!(" in `{}`", self.path()) };
            return Some(format!("missing required property `{missing}`{whose}"));
        }
        let chosen = level.node.is_none_or(|node| choice::allows_compound(&self.json[level.from..end], node));
        let wrong = (!chosen).then(|| self.wrong_type());
        self.value_end();
        wrong
    }

    /// Returns the schema of the next value.
    fn node(&self) -> Option<SchemaNode<'s>> {
        let Some(level) = self.levels.last() else { return Some(self.root) };
        match &level.key {
            Some(key) => level.node?.property(key),
            None => level.node?.item(level.index),
        }
    }

    fn value_end(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.key = None;
            level.index += 1;
        }
    }

    fn wrong_type(&self) -> String {
        format!("the schema does not allow this value for `{}`", self.path())
    }

    /// Returns the path of the next value, such as `a.b.0`.
    fn path(&self) -> String {
        let part = |level: &FitLevel<'_>| level.key.clone().unwrap_or_else(|| level.index.to_string());
        self.levels.iter().map(part).collect::<Vec<_>>().join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::misfit;
    use crate::schema::Schema;

    fn wrong(schema: &str, json: &str) -> String {
        let schema = Schema::compile(&serde_json::from_str(schema).expect("the schema is JSON"));
        misfit(json, schema.root()).unwrap_or_default()
    }

    #[test]
    fn what_fits_has_nothing_wrong() {
        let schema = r#"{"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "enum": ["x", "\""]}, "n": {"type": "integer"}, "l": {"items": {"type": "number"}},
            "o": {"type": "object", "properties": {"p": {"type": "null"}}, "additionalProperties": false, "required": ["p"]},
            "e": {"enum": [[1, 2], {"k": 1}, "s"]}, "any": {}}}"#;
        let good = [
            r#"{"a": "x"}"#,
            r#"{"a":"\"","n":1e400,"l":[1,2.5,-3e2],"o":{"p":null}}"#,
            r#"{"a": "\u0078", "n": 1.0, "l": [], "any": {"deep": [{"a": "}"}]}, "e": [1,2]}"#,
            r#"{"a": "x", "e": {"k": 1}}"#,
        ];
        for json in good {
            assert_eq!(wrong(schema, json), "", "{json}");
        }
        let bad = [
            ("{}", "missing required property `a`"),
            (r#"{"a": "x", "b": 1}"#, "the schema does not allow the property `b`"),
            (r#"{"a": "y"}"#, "the schema does not allow this value for `a`"),
            (r#"{"a": 5}"#, "the schema does not allow this value for `a`"),
            (r#"{"a": "x", "n": 1.5}"#, "the schema does not allow this value for `n`"),
            (r#"{"a": "x", "l": [1, "2"]}"#, "the schema does not allow this value for `l.1`"),
            (r#"{"a": "x", "l": {}}"#, "the schema does not allow this value for `l`"),
            (r#"{"a": "x", "o": {}}"#, "missing required property `p` in `o`"),
            (r#"{"a": "x", "o": {"p": null, "q": 1}}"#, "the schema does not allow the property `o.q`"),
            (r#"{"a": "x", "o": null}"#, "the schema does not allow this value for `o`"),
            (r#"{"a": "x", "e": [2, 1]}"#, "the schema does not allow this value for `e`"),
            ("null", "the schema does not allow this value for ``"),
        ];
        for (json, message) in bad {
            assert_eq!(wrong(schema, json), message, "{json}");
        }
    }
}
