//! The documentation page on values whose quotes are not escaped.

use super::goals::REST;
use super::tally::{Tally, among};

/// What stands above the tables; the number of messages follows.
pub(super) const INTRO: &str = "\
# Unescaped quotes

A model that puts code into an argument often forgets to escape it:

```text
<tool_call>{\"name\": \"write\", \"arguments\": {\"text\": \"const o = {\"k\": \"v\"};\"}}</tool_call>
```

Such a message is not valid, so reading it is repair, and repair has limits. This page measures them for each dialect. Run
`cargo run --release --no-default-features --example ends -- unescaped --cases 13200 --markdown` in `fuzz/` to
regenerate it.

Each message has one or two calls. Their values are code in 23 languages, inserted as follows: quotes bare, line breaks
escaped (55 %); half of the quotes escaped (20 %); quotes, line breaks and tabs all bare (25 %). Backslashes are escaped,
except in the last column. Schemas are closed, silent about other members, or open, a third each. Every dialect is read by
name with the default options. Raw values, which stand between tags, need no escaping; there the question is which closing
tag ends them. Where a dialect's reader takes a line break away on each side, a value that begins with one is written between
two more, as the renderer writes it.

* **Whole lines**: the values are whole lines of code, contain none of the dialect's markers, and every key is declared.
* **Others**: the value starts and stops anywhere, contains the dialect's own markup, or the call has an undeclared key.
* **Meant**: every call came out exactly as intended. **Not finished**: at least one call was not returned, and every
  returned one is right. **Wrong**: a returned call has other arguments, or should not exist.
* **Backslashes**: neither quotes nor backslashes are escaped. `\\n` is then a line break to any reader, so what was meant
  is often lost.

All numbers are percentages.

";

/// The head of each table.
pub(super) const HEAD: &str = "\
| dialect | whole lines: meant | not finished | wrong | others: meant | not finished | wrong | backslashes: meant |
|---|---:|---:|---:|---:|---:|---:|---:|
";

/// Returns the row of a dialect.
pub(super) fn row(name: &str, tally: &Tally) -> String {
    let share = |groups: &[&str], outcome| match among(tally, groups, outcome) {
        (_, 0) => "–".to_owned(),
        (0, _) => "0".to_owned(),
        (count, all) => percent(100.0 * count as f64 / all as f64),
    };
    let outcomes = ["meant", "not finished", "wrong"];
    let mut cells: Vec<String> = outcomes.map(|outcome| share(&["good"], outcome)).into();
    cells.extend(outcomes.map(|outcome| share(&REST, outcome)));
    cells.push(share(&["backslashes"], "meant"));
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// Returns a number with as many decimals as small ones need.
fn percent(number: f64) -> String {
    format!("{number:.*}", if number < 1.0 { 3 } else { 1 })
}
