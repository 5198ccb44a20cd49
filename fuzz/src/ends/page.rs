//! The documentation page on values whose quotes are not escaped.

use super::goals::REST;
use super::tally::{Tally, among};

/// The text above the tables; the number of messages follows.
pub(super) const INTRO: &str = "\
# Unescaped quotes

A model that puts code into an argument often forgets to escape it:

```text
<tool_call>{\"name\": \"write\", \"arguments\": {\"text\": \"const o = {\"k\": \"v\"};\"}}</tool_call>
```

Such a message is not valid, so parsing it requires repairs, which have limits. This page measures them for each dialect. Run
`cargo run --release --no-default-features --example ends -- unescaped --cases 13200 --markdown` in `fuzz/` to
regenerate it.

Each message has one or two calls. Their values are code in 23 languages, some of it in lists and objects, inserted as
follows: quotes bare, line breaks escaped (55 %); half of the quotes escaped (20 %); quotes, line breaks and tabs all bare
(25 %). Backslashes are escaped, except in the last column. Schemas are closed, silent about other members, or open, a third
each. Every dialect is pinned, with the default options. Raw values between tags need no escaping, and JSON between tags is
escaped; for these, the question is which closing tag ends them. If a dialect's reader drops a line break on each side, a
value that begins with one is written between two more, as the renderer does.

With all dialects (`--auto`), the numbers are similar except for two dialects. A fence after prose is a quotation, so xLAM's
fenced calls are text; a MiMo value that begins on a new line is parsed as Qwen3-Coder's, without that line break.

* **Whole lines**: the values are whole lines of code, contain none of the dialect's markers, and every key is declared.
* **Others**: the value starts and stops anywhere, contains the dialect's own markup, or the call has an undeclared key.
* **Unnamed**: any of these, but the value is an item of a list or has a key that the model invented. No known key marks the
  next value, and code is full of `\", \"`; if two readings close the call, it is not finished.
* **Meant**: every call is exactly as intended. **Not finished**: at least one call was not returned, and every
  returned one is correct. **Wrong**: a returned call has other arguments, or should not exist.
* **Backslashes**: neither quotes nor backslashes are escaped. To any parser, `\\n` is then a line break, so the intended
  text is often lost.

All numbers are percentages.

A second corpus shows whether the rules are overfitted to the first. With the code of other projects (`--code`: Python's library,
`/usr/share` of a Debian system, the sources of crates; 3,000 cases per dialect, 2026-11-27), whole lines were as intended in
99.3 % of messages for JSON, 98.1 % for Python and 100 % for raw values, and wrong in 0.003, 0.07 and 0 %. `ends ablate` shows
what each row of the evidence table contributes on both.

";

/// The text above the tables of damaged calls.
pub(super) const DAMAGE: &str = "\
# Damaged calls

What happens to a message in which one call is damaged: a byte is deleted, doubled or replaced, a bracket, a quote or part of a
marker is inserted, or the next call begins before the end of this one. Each message has two to four calls; every byte of a call
is damaged equally often. Every dialect is pinned, with the default options; with all dialects (`--auto`), damaged calls change
as little, and less than 0.1 % of guarded calls are lost. Run
`cargo run --release --no-default-features --example ends -- damage --cases 1560 --markdown` in `fuzz/` to regenerate it.

* **Others lost**: other calls of the message that changed. If calls begin with special tokens or paired tags (*guarded*), only
  the damaged call is lost. If only brackets and commas separate the calls, a missing quote or bracket makes the rest of the list
  part of the call, and no parser can tell.
* **Moved**: the damaged call is finished with other arguments, by a repair that decides where something ends. Often a quote is
  missing in a Python string or a JSON list, so the next quote ends the string, or the inserted part of a marker is a whole
  example call. `strict` makes no such repair.
* **Silent**: it is finished with other arguments, without a repair. The damaged text is valid: a key has one different letter,
  or the closing tag of a value is damaged in a format that allows any text.
* **Not finished**: it was returned as incomplete, or as text. **Restored**: it is as intended. The remaining calls are read
  exactly as the damaged text is written.

All numbers are percentages.

";

pub(super) const PROSE: &str = "\
# Ordinary text

How often a call is found in lines of code, markup and data that contain none, with tools named after the tags, functions and
keys in them. Every dialect is pinned, with the default options. Run
`cargo run --release --no-default-features --example ends -- prose --markdown` in `fuzz/` to print this page.

All numbers are percentages.

";

pub(super) const PREFIX: &str = "\
# Truncated messages

Which calls are finished in a message that was truncated at any position. Each finished call is compared with the corresponding
call of the whole message. If the server's finish reason is `length` or `content_filter`, none may differ. Without a reason, a
body that is a sequence of parameters can end after any of them, and the last call is finished if all required parameters are
present; a partial marker is always incomplete. Every dialect is pinned, with the default options. Run
`cargo run --release --no-default-features --example ends -- prefix --cases 1200 --markdown` in `fuzz/` to regenerate it.

* **Quoting**: a value contains the dialect's own closing markers, and the message may be truncated after them. In a raw value,
  this looks like a whole call; elsewhere it is data.

All numbers are percentages.

";

/// The head of each table.
pub(super) const HEAD: &str = "\
| dialect | whole lines: meant | not finished | wrong | others: meant | not finished | wrong | unnamed: meant | not finished | wrong | backslashes: meant |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// Returns the head of a table with these columns, and a row of it.
pub(super) fn columns(names: &[&str]) -> String {
    format!("| dialect | {} |\n|---|{}\n", names.join(" | "), "---:|".repeat(names.len()))
}

/// Returns a row of shares.
pub(super) fn shares(name: &str, tally: &Tally, of: &[(&'static str, &[&'static str], &'static str)]) -> String {
    let cells = of.iter().map(|(_, groups, outcome)| share(among(tally, groups, outcome)));
    format!("| {name} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn share((count, all): (u64, u64)) -> String {
    match (count, all) {
        (_, 0) => "–".to_owned(),
        (0, _) => "0".to_owned(),
        _ => percent(100.0 * count as f64 / all as f64),
    }
}

/// A column of a page: its title, the groups, and the outcome that counts.
type Shares = &'static [(&'static str, &'static [&'static str], &'static str)];

pub(super) const OF_DAMAGE: Shares = &[
    ("others lost", &["others"], "lost"),
    ("guarded", &["guarded"], "lost"),
    ("moved", &["damaged"], "wrong: moved"),
    ("silent", &["damaged"], "wrong: silent"),
    ("not finished", &["damaged"], "not finished"),
    ("restored", &["damaged"], "original"),
];

pub(super) const OF_PROSE: Shares = &[("a call", &["prose"], "a call"), ("not finished", &["prose"], "not finished")];

pub(super) const OF_PREFIX: Shares = &[
    ("no reason", &["none"], "exception"),
    ("`length`", &["length"], "exception"),
    ("quoting, no reason", &["none, quoting", "none, raw quoting"], "exception"),
    ("quoting, `length`", &["length, quoting", "length, raw quoting"], "exception"),
];

/// Returns the row of a dialect.
pub(super) fn row(name: &str, tally: &Tally) -> String {
    let share = |groups: &[&str], outcome| share(among(tally, groups, outcome));
    let outcomes = ["meant", "not finished", "wrong"];
    let mut cells: Vec<String> = outcomes.map(|outcome| share(&["good"], outcome)).into();
    cells.extend(outcomes.map(|outcome| share(&REST, outcome)));
    cells.extend(outcomes.map(|outcome| share(&["unnamed"], outcome)));
    cells.push(share(&["backslashes"], "meant"));
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// Returns a number with as many decimals as small ones need.
fn percent(number: f64) -> String {
    format!("{number:.*}", if number < 1.0 { 3 } else { 1 })
}
