//! Finds the call of each result in a conversation, for all protocols.
//!
//! | act | effect |
//! |---|---|
//! | `Begin` | later calls belong to a new turn |
//! | `Call` | waits for its result |
//! | `Result`, with an id | takes the first waiting call with this id in the latest turn that has one, or a later call |
//! | `Result`, without | takes the first waiting call in the latest turn that has one |

use std::collections::{HashMap, VecDeque};

/// An element of a conversation that concerns calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallAct<'a> {
    /// A new turn of the model begins with the next call.
    Begin,
    /// The call with this id.
    Call(&'a str),
    /// The result of the call with this id; empty if it names none.
    Result(&'a str),
}

/// Returns the place of each result's call, if there is one. A call has at most one result.
///
/// Later turns may repeat ids: some engines count from 0 in each.
pub(crate) fn partners(acts: &[CallAct<'_>]) -> Vec<Option<usize>> {
    let mut found = vec![None; acts.len()];
    let mut answered = vec![false; acts.len()];
    let (mut turn, mut all, mut by_id) = (0, WaitingCalls::default(), HashMap::<&str, WaitingCalls>::new());
    let mut left = Vec::new();
    for (at, act) in acts.iter().enumerate() {
        match *act {
            CallAct::Begin => turn += 1,
            CallAct::Call(id) => {
                all.add(turn, at);
                by_id.entry(id).or_default().add(turn, at);
            }
            CallAct::Result(id) => {
                let waiting = if id.is_empty() { Some(&mut all) } else { by_id.get_mut(id) };
                match waiting.and_then(|waiting| waiting.take(&answered)) {
                    Some(call) => (found[at], answered[call]) = (Some(call), true),
                    None => left.push((at, id)),
                }
            }
        }
    }
    // A result may come before its call; these get what the others left.
    for (at, id) in left {
        let call = by_id.get_mut(id).filter(|_| !id.is_empty()).and_then(|waiting| waiting.take(&answered));
        if let Some(call) = call {
            (found[at], answered[call]) = (Some(call), true);
        }
    }
    found
}

/// Calls that wait for their results, by turn. Each is inspected once, so the time is linear in the history.
#[derive(Default)]
struct WaitingCalls {
    turns: Vec<(usize, VecDeque<usize>)>,
}

impl WaitingCalls {
    fn add(&mut self, turn: usize, call: usize) {
        match self.turns.last_mut() {
            Some((last, calls)) if *last == turn => calls.push_back(call),
            _ => self.turns.push((turn, VecDeque::from([call]))),
        }
    }

    fn take(&mut self, answered: &[bool]) -> Option<usize> {
        while let Some((_, calls)) = self.turns.last_mut() {
            while let Some(call) = calls.pop_front() {
                if !answered[call] {
                    return Some(call);
                }
            }
            self.turns.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls of the results of a conversation: letters call, capitals answer, `-` begins a turn, `?` names no call.
    fn found(text: &str) -> String {
        let lower: Vec<String> = text.chars().map(|char| char.to_lowercase().to_string()).collect();
        let acts: Vec<CallAct<'_>> = text
            .chars()
            .zip(&lower)
            .map(|(char, id)| match char {
                '-' => CallAct::Begin,
                '?' => CallAct::Result(""),
                _ if char.is_lowercase() => CallAct::Call(id),
                _ => CallAct::Result(id),
            })
            .collect();
        let numbers = partners(&acts).into_iter().zip(&acts).filter(|(_, act)| matches!(act, CallAct::Result(_)));
        numbers.map(|(call, _)| call.map_or("x".to_owned(), |call| call.to_string())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn results_find_their_calls() {
        for (text, expected) in [
            ("abAB", "0 1"),
            ("ab-BA", "1 0"),
            ("a-bAB", "0 2"),
            ("aA-aA", "0 3"),
            ("a-aA", "2"),
            ("aaAA", "0 1"),
            ("aAA", "0 x"),
            ("ab??", "0 1"),
            ("a-b??", "2 0"),
            ("abB?", "1 0"),
            ("Aa", "1"),
            ("AaA", "x 1"),
            ("?a", "x"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
