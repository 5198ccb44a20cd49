//! A message for terminals: reasoning, text, and calls with indented arguments.

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

    fn shown(text: &str) -> String {
        let options = Options::default().with_id_seed(1);
        of(&toolglot::parse(text, &Dialects::builtin(), &Tools::default(), &options), Paint::OFF)
    }

    #[test]
    fn text_is_shown_as_it_is_without_what_steers_the_terminal() {
        assert_eq!(shown("one\ntwo \x1b[2J\n"), "one\ntwo ␛[2J\n\nfinish_reason stop\n");
    }

    #[test]
    fn reasoning_text_and_calls_stand_apart() {
        let call = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [1.0]}}</tool_call>";
        let view = shown(&format!("<think>why</think>so\n{call}"));
        let laid_out = "  {\n    \"a\": [\n      1.0\n    ]\n  }\n";
        let wanted = format!("> why\n\nso\n\nf call_ID\n{laid_out}\nfinish_reason tool_calls, dialect hermes\n");
        let id = view.split_once("f call_").and_then(|(_, rest)| rest.split_once('\n')).map_or("", |(id, _)| id);
        assert_eq!(view.replace(id, "ID"), wanted);
    }

    #[test]
    fn what_was_cut_off_is_marked() {
        let view = shown("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"tex");
        assert!(view.contains("f truncated, not a finished call\n"), "{view}");
    }
}
