//! A message for people at a terminal: reasoning, text, calls with their arguments laid out.

use std::fmt::Write;

use toolglot::{Call, IncompleteCall, Message};

use crate::json::indented;
use crate::paint::Paint;
use crate::report::visible;

/// Returns the message as it is shown.
pub(crate) fn of(message: &Message, paint: Paint) -> String {
    let mut view = String::new();
    if !message.reasoning.is_empty() {
        let lines = visible(message.reasoning.trim_end());
        lines.lines().for_each(|line| add_line(&mut view, &paint.faint(&format!("> {line}"))));
        view.push('\n');
    }
    if !message.content.trim().is_empty() {
        add_line(&mut view, visible(&message.content).trim_end());
        view.push('\n');
    }
    message.calls.iter().for_each(|call| add_call(&mut view, call, paint));
    message.incomplete.iter().for_each(|call| add_incomplete(&mut view, call, paint));
    let dialect = message.dialect.as_deref().map(|name| format!(", dialect {name}")).unwrap_or_default();
    add_line(&mut view, &paint.faint(&format!("finish_reason {}{dialect}", message.finish_reason.name())));
    view
}

fn add_line(view: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(view, "{line}");
}

fn add_call(view: &mut String, call: &Call, paint: Paint) {
    add_line(view, &format!("{} {}", paint.name(&visible(&call.name)), paint.faint(&visible(&call.id))));
    add_line(view, &format!("  {}\n", visible(&indented(&call.arguments, "  "))));
}

fn add_incomplete(view: &mut String, call: &IncompleteCall, paint: Paint) {
    let outcome = paint.error(call.outcome.name());
    add_line(view, &format!("{} {outcome}, not a finished call", paint.name(&visible(&call.name))));
    add_line(view, &format!("  {}\n", visible(&indented(&call.arguments, "  "))));
}

#[cfg(test)]
mod tests {
    use toolglot::{Dialects, Options, Tools};

    use super::*;

    #[test]
    fn text_is_shown_as_it_is_without_what_steers_the_terminal() {
        let message =
            toolglot::parse("one\ntwo \x1b[2J\n", &Dialects::builtin(), &Tools::default(), &Options::default());
        assert_eq!(of(&message, Paint::OFF), "one\ntwo ␛[2J\n\nfinish_reason stop\n");
    }
}
