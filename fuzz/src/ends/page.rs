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

Each message has one or two calls. Their values are code in 23 languages, some of it in lists and objects, inserted as
follows: quotes bare, line breaks escaped (55 %); half of the quotes escaped (20 %); quotes, line breaks and tabs all bare
(25 %). Backslashes are escaped, except in the last column. Schemas are closed, silent about other members, or open, a third
each. Every dialect is read by name with the default options. Raw values, which stand between tags, need no escaping, and
JSON between tags has it; there the question is which closing tag ends them. Where a dialect's reader takes a line break
away on each side, a value that begins with one is written between two more, as the renderer writes it.

With all dialects (`--auto`) the numbers are alike but for two dialects. A fence behind prose quotes, so xLAM's fenced calls are
text there; and a value of MiMo that begins on a line of its own reads as Qwen3-Coder's, without that line break.

* **Whole lines**: the values are whole lines of code, contain none of the dialect's markers, and every key is declared.
* **Others**: the value starts and stops anywhere, contains the dialect's own markup, or the call has an undeclared key.
* **Unnamed**: any of these where a value is an item of a list, or stands under a key of the model's own. No key says where
  the next one begins, and code is full of `\", \"`; where both readings close the call, it is not finished.
* **Meant**: every call came out exactly as intended. **Not finished**: at least one call was not returned, and every
  returned one is right. **Wrong**: a returned call has other arguments, or should not exist.
* **Backslashes**: neither quotes nor backslashes are escaped. `\\n` is then a line break to any reader, so what was meant
  is often lost.

All numbers are percentages.

What is tuned to one corpus shows on another. With the code of other projects (`--code`: Python's library, `/usr/share` of a
Debian system, the sources of crates; 3,000 cases a dialect, 2026-11-27) whole lines came out as meant in 99.3 % of messages in
JSON, 98.1 in Python and 100 of raw values, and wrong in 0.003, 0.07 and 0. What each piece of evidence is worth on both says
`ends ablate`.

";

/// What stands above the tables on calls that were damaged, and on messages that were cut.
pub(super) const DAMAGE: &str = "\
# Damaged calls

What becomes of a message in which one call was damaged: a byte deleted, doubled or replaced, a bracket, a quote or a piece of
a marker put in, or the rest of the call cut off where the next one begins. Each message has two to four calls; every byte of
a call is damaged as often as any other. Every dialect is read by name with the default options; with all dialects (`--auto`)
a damaged call changes as little, and less than 0.1 % of guarded calls are lost. Run
`cargo run --release --no-default-features --example ends -- damage --cases 1560 --markdown` in `fuzz/` to regenerate it.

* **Others lost**: calls beside the damaged one that did not come out as they were. Where calls begin with special tokens or
  paired tags (*guarded*), a damaged call costs itself. Where nothing but brackets and commas parts the calls, a lost quote or
  bracket makes the rest of the list a part of the call, and no reader can tell.
* **Moved**: the damaged call came out finished with other arguments, by a repair that decides where something ends: often
  a quote that was lost in a Python string or in a JSON list, so that the next quote ends the string, or a whole example of a
  call that was put in as a piece of a marker. Under `strict` no such repair is accepted.
* **Silent**: it came out with other arguments and no repair. The text is one that a reader of the format takes as it
  stands: a key with another letter in the place of one, a value whose closing tag is damaged in a format that allows any text.
* **Not finished**: it was returned as incomplete, or as text. **Restored**: it came out as it was meant. The rest reads
  as the damaged text says.

All numbers are percentages.

";

pub(super) const PROSE: &str = "\
# Ordinary text

How often a call is found in lines of code, markup and data that call nothing, with tools named after the tags, functions and
keys in them. Every dialect is read by name with the default options. Run
`cargo run --release --no-default-features --example ends -- prose --markdown` in `fuzz/` to print this page.

All numbers are percentages.

";

pub(super) const PREFIX: &str = "\
# Messages that were cut

What is finished in a message that was cut off anywhere. Each finished call is compared with the whole message's call at its
place. With a reason from the server that says so, `length` or `content_filter`, none may differ. Without a reason, a body
whose parameters simply follow each other can end after any of them, and the last call is finished if all required
parameters are there; a marker that is half read is always incomplete. Every dialect is read by name with the default
options. Run
`cargo run --release --no-default-features --example ends -- prefix --cases 1200 --markdown` in `fuzz/` to regenerate it.

* **Quoting**: a value quotes what closes calls of the dialect, and the message may be cut behind it. In a raw value that is
  what a whole call is; elsewhere it is data.

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
