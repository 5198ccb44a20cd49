//! Calls that began and did not finish: the cause, its position, and what would change it.

use super::marker::ObjectFault;
use super::{EmptyMessage, HiddenCall, MissReason, NearMiss, miss};
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::event::Outcome;
use crate::message::IncompleteCall;
use crate::options::Validation;

impl EmptyMessage<'_> {
    /// A call that began and did not finish was recognised so far.
    pub(super) fn unfinished(&self) -> Option<NearMiss> {
        let call = self.message.incomplete.first()?;
        let (code, reason) = match call.outcome {
            Outcome::Truncated => (Code::Truncated, MissReason::CutOff),
            _ => (Code::Broken, MissReason::Broken),
        };
        let found = self.message.diagnosed(code).next();
        let words = match (self.limit(), reason) {
            (Some(limit), _) => format!("a call to `{}` reached a limit: {limit}", call.name),
            (None, MissReason::CutOff) => self.cut(call),
            _ => self.broken(call, found),
        };
        let span = found.map_or(0..0, |found| found.span.clone());
        let seen = HiddenCall { name: call.name.clone(), span, dialect: self.message.dialect.clone() };
        Some(miss(reason, &seen, words))
    }

    /// A call that strict validation rejected has a diagnostic of its own.
    pub(super) fn rejected(&self) -> Option<NearMiss> {
        let found = self.message.diagnosed(Code::Rejected).next()?;
        let lenient = self.options.clone().with_validation(Validation::Lenient);
        let read = self.read(self.text, self.dialects, self.tools, &lenient);
        let (name, advice) = match read {
            Some(call) => (call.name, "; set `validation` to `lenient` to accept it"),
            None => (String::new(), ""),
        };
        let seen = HiddenCall { name, span: found.span.clone(), dialect: found.dialect.clone() };
        Some(miss(MissReason::Broken, &seen, format!("{}{advice}", found.message)))
    }

    /// Returns the limit that was reached, and where.
    pub(super) fn limit(&self) -> Option<String> {
        let found = self.message.diagnostics.iter().find(|found| found.code.row().class == Class::Limit)?;
        Some(format!("{} (byte {}); raise the limit", found.message, found.span.start))
    }

    /// Describes the string in which a call was cut off, and its doubtful quote.
    fn cut(&self, call: &IncompleteCall) -> String {
        let place = open_member(&call.arguments).map(|key| format!(", in the string `{key}`")).unwrap_or_default();
        let cause = self.last(|found| found.code == Code::InnerQuote);
        let name = &call.name;
        format!("the text ends inside a call to `{name}`{place}{cause}; set `accept_incomplete` to use it as it is")
    }

    /// Describes why a call is broken: the repair that it would need or that is doubtful, or where its JSON is invalid.
    fn broken(&self, call: &IncompleteCall, broken: Option<&Diagnostic>) -> String {
        let (name, repairs) = (&call.name, self.options.repairs);
        let why = match broken {
            None => self.last(|found| found.code.is_repair() && !repairs.allow(found.code)),
            Some(broken) if !broken.message.ends_with("cannot be parsed to its end") => {
                let repair = self.last(|found| found.code.is_repair() && found.span.start <= broken.span.start);
                format!(": {} (byte {}){repair}", broken.message, broken.span.start)
            }
            Some(broken) => match self.last(|found| found.code == Code::InnerQuote) {
                cause if cause.is_empty() => self.invalid(call, broken.span.start),
                cause => cause,
            },
        };
        let all = self.options.clone().with_repairs(crate::Repairs::all());
        let advice = match self.read(self.text, self.dialects, self.tools, &all) {
            Some(_) => "; set `repairs` to `all` to accept it",
            None => "",
        };
        format!("a call to `{name}` cannot be parsed to its end{why}{advice}")
    }

    /// Describes the last diagnostic of a kind.
    fn last(&self, is: impl Fn(&Diagnostic) -> bool) -> String {
        let found = self.message.diagnostics.iter().rev().find(|found| is(found));
        found.map_or_else(String::new, |Diagnostic { code, span, message, .. }| {
            format!("; `{}` at byte {}: {message}", code.name(), span.start)
        })
    }

    /// Describes the fault in a call's JSON, or only where parsing stopped.
    fn invalid(&self, call: &IncompleteCall, stopped: usize) -> String {
        let start = self.text.find(&call.text).and_then(|at| Some(at + self.text[at..].find('{')?));
        let fault = start.and_then(|start| ObjectFault::find(self.text, start));
        match fault {
            Some(fault) => format!(": its JSON {}", fault.words(self.start)),
            None => format!(": parsing stopped at byte {stopped}"),
        }
    }
}

/// Returns the key of the string in which truncated arguments end.
fn open_member(json: &str) -> Option<&str> {
    let (mut start, mut word, mut key, mut escaped) = (None, None, None, false);
    for (at, byte) in json.bytes().enumerate() {
        match (byte, start) {
            _ if escaped => escaped = false,
            (b'\\', Some(_)) => escaped = true,
            (b'"', Some(from)) => (start, word) = (None, Some(&json[from..at])),
            (b'"', None) => start = Some(at + 1),
            (b':', None) => key = word,
            _ => {}
        }
    }
    key.filter(|_| start.is_some())
}

#[cfg(test)]
mod tests {
    use super::open_member;

    #[test]
    fn the_string_that_is_open_is_named() {
        assert_eq!(open_member(r#"{"a": "x", "b\"c": "y"#), Some(r#"b\"c"#));
        assert_eq!(open_member(r#"{"a": "x", "b": 3"#), None);
        assert_eq!(open_member(r#"{"a"#), None);
    }
}
