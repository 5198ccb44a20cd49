//! A call that began and did not finish: what keeps it from its end, where, and what would change that.

use super::marker::ObjectFault;
use super::{EmptyMessage, HiddenCall, MissReason, NearMiss, miss};
use crate::diagnostic::{Code, Diagnostic};
use crate::event::Outcome;
use crate::message::IncompleteCall;

impl EmptyMessage<'_> {
    /// A call that began and did not finish was recognised as far as it goes.
    pub(super) fn unfinished(&self) -> Option<NearMiss> {
        let call = self.message.incomplete.first()?;
        let (code, reason) = match call.outcome {
            Outcome::Truncated => (Code::Truncated, MissReason::CutOff),
            _ => (Code::Broken, MissReason::Broken),
        };
        let told = self.message.diagnosed(code).next();
        let words = match reason {
            MissReason::CutOff => self.cut(call),
            _ => self.broken(call, told),
        };
        let span = told.map_or(0..0, |told| told.span.clone());
        let seen = HiddenCall { name: call.name.clone(), span, dialect: self.message.dialect.clone() };
        Some(miss(reason, &seen, words))
    }

    /// Says in which string a call was cut off, and which quote of it is in doubt.
    fn cut(&self, call: &IncompleteCall) -> String {
        let place = open_member(&call.arguments).map(|key| format!(", in the string `{key}`")).unwrap_or_default();
        let doubt = self.told(|told| told.code == Code::InnerQuote);
        let name = &call.name;
        format!("the text ends inside a call to `{name}`{place}{doubt}; set `accept_incomplete` to use it as it is")
    }

    /// Says why a call is broken: the repair that it would need or that is in doubt, or where its JSON is invalid.
    fn broken(&self, call: &IncompleteCall, told: Option<&Diagnostic>) -> String {
        let own = format!("call of `{}` cannot be parsed to its end", call.name);
        let repairs = self.options.repairs;
        let why = match told {
            None => self.told(|told| told.code.is_repair() && !repairs.allow(told.code)),
            Some(told) if told.message != own => {
                let repair = self.told(|other| other.code.is_repair() && other.span.start <= told.span.start);
                format!(": {} (byte {}){repair}", told.message, told.span.start)
            }
            Some(told) => match self.told(|told| told.code == Code::InnerQuote) {
                doubt if doubt.is_empty() => self.invalid(call, told.span.start),
                doubt => doubt,
            },
        };
        let all = self.options.clone().with_repairs(crate::Repairs::all());
        let advice = match self.read(self.text, self.dialects, self.tools, &all) {
            Some(_) => "; set `repairs` to `all` to accept it",
            None => "",
        };
        format!("a {own}{why}{advice}").replacen("a call of", "a call to", 1)
    }

    /// Returns the last diagnostic of a kind with its place.
    fn told(&self, is: impl Fn(&Diagnostic) -> bool) -> String {
        let told = self.message.diagnostics.iter().rev().find(|told| is(told));
        let words =
            |told: &Diagnostic| format!("; `{}` at byte {}: {}", told.code.name(), told.span.start, told.message);
        told.map(words).unwrap_or_default()
    }

    /// Says what is wrong with a call's JSON, or only where parsing stopped.
    fn invalid(&self, call: &IncompleteCall, stopped: usize) -> String {
        let start = self.text.find(&call.text).and_then(|at| Some(at + self.text[at..].find('{')?));
        let fault = start.and_then(|start| ObjectFault::find(self.text, start));
        match fault {
            Some(fault) => format!(": its JSON {}", fault.words(self.start)),
            None => format!(": parsing stopped at byte {stopped}"),
        }
    }
}

/// Returns the key of the string that cut arguments end in.
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
