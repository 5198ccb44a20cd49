//! Fences: what they quote is text, unless they are left of a call that died.

use super::Scanner;
use crate::parser::engine::Engine;
use crate::parser::head::skip_gap;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Closers of one call that stand in a row: those of a value, the call, its section, and as many that are doubled. The bound keeps
/// each from being read again for every one before it.
const CLOSERS: usize = 6;

/// How much of a fence is passed at first: a line.
const STRETCH: usize = 64;

/// Whose a fence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FenceOwner {
    /// A call that never began.
    Lost,
    /// The call that opens here, or the text that quotes it.
    Call,
}

impl Scanner {
    /// Passes what a fence quotes: no call there is looked at.
    pub(super) fn pass_quoted(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<(), NotYet> {
        if let Some(mark) = self.place.fence_mark() {
            let marks = view.rest(self.at).iter().take_while(|byte| **byte == mark).count();
            self.pass(view, self.at + marks, sink);
        }
        self.forget_own_fence(engine, view)?;
        if self.place.is_in_fence() && !engine.catalog.strays.is_empty(self.tried_call) && self.place.may_be_torn() {
            self.pass_torn_fence(engine, view, sink)?;
        }
        let passed = self.place.pass_fence(view.rest(self.at));
        self.pass_in_fence(passed, sink);
        Ok(())
    }

    /// Says whether a fence quotes `rest` whatever words stand in it.
    pub(super) fn quotes_words(&self, engine: &Engine, rest: &[u8]) -> bool {
        self.place.is_quoted_words(rest)
            && (engine.catalog.strays.is_empty(self.tried_call) || !self.place.may_be_torn())
    }

    /// Passes a fence up to what says whose it is.
    ///
    /// What is behind the fence is not to be looked through, so it is passed stretch by stretch, each twice as long.
    fn pass_torn_fence(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<(), NotYet> {
        let mut length = STRETCH;
        loop {
            let rest = view.rest(self.at);
            let in_char = |byte: &&u8| **byte & 0xc0 == 0x80;
            length = length.min(rest.len());
            length += rest[length..].iter().take_while(in_char).count();
            let mut behind = self.place;
            let passed = behind.pass_fence(&rest[..length]);
            let mut from = 0;
            while let Some(ahead) = engine.catalog.stops.find(&rest[from..passed]) {
                from += ahead;
                let owner = fence_owner(engine, view, self.at + from, self.tried_call);
                if owner != Ok(None) {
                    self.place.pass_fence(&rest[..from]);
                    self.pass_in_fence(from, sink);
                    match owner? {
                        Some(FenceOwner::Lost) => self.place.leave_fence(),
                        _ => self.place.open_in_fence(self.tried_call && writes_fences(engine)),
                    }
                    return Ok(());
                }
                from += 1;
            }
            self.place = behind;
            self.pass_in_fence(passed, sink);
            if passed < length || passed == rest.len() {
                return Ok(());
            }
            length *= 2;
        }
    }

    fn pass_in_fence(&mut self, bytes: usize, sink: &mut Sink) {
        if bytes > 0 {
            self.at += bytes;
            sink.text(self.at);
        }
    }

    /// A fence that a call's closer follows is what is left of that call, and quotes nothing.
    pub(super) fn forget_own_fence(&mut self, engine: &Engine, view: View<'_>) -> Result<(), NotYet> {
        let (strays, tried_call) = (&engine.catalog.strays, self.tried_call);
        let opened = !strays.is_empty(tried_call) && self.place.fence_mark().is_some();
        if opened && strays.stands_behind(view, self.at, tried_call)?.is_some() {
            self.place.forget_fence();
        }
        Ok(())
    }

    /// Notes the last fence in the head of a call that died, whose body would have begun at `body`.
    pub(super) fn note_own_fence(&mut self, view: View<'_>, body: Option<usize>) {
        let head = body.map(|body| view.slice(self.at, body)).filter(|head| head.as_bytes().contains(&b'`'));
        let fence = head.and_then(|head| head.rfind("```"));
        self.own_fence = self.own_fence.max(fence.map(|fence| self.at + fence + "```".len()));
    }
}

/// Says whose a fence is that what stands at `at` in it tells. Closers, and behind them the next call: it is left of a call
/// that never began, and quotes nothing. An opener that touches its marks: so it is in a dialect that writes fences, if the
/// call before was cut in its head. Any other opener: it quotes a whole call.
fn fence_owner(engine: &Engine, view: View<'_>, at: usize, tried_call: bool) -> Result<Option<FenceOwner>, NotYet> {
    if ends_torn_quote(engine, view, at, tried_call)? {
        return Ok(Some(FenceOwner::Lost));
    }
    Ok(opens(engine, view, at)?.then_some(FenceOwner::Call))
}

/// Says whether the closers of a call stand at `at`, and behind them the next call opens.
pub(super) fn ends_torn_quote(engine: &Engine, view: View<'_>, at: usize, tried_call: bool) -> Result<bool, NotYet> {
    // A closer in a quotation proves nothing unless a call began before.
    if !tried_call {
        return Ok(false);
    }
    let mut end = at;
    for _ in 0..CLOSERS {
        let Some(after) = engine.catalog.strays.stands_behind(view, end, tried_call)? else { break };
        end = skip_gap(view, after)?;
    }
    Ok(end > at && opens(engine, view, end)?)
}

/// Says whether a call opens at `at` with a marker.
fn opens(engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
    let mut opened = Vec::new();
    engine.catalog.opened(view, at, false, &mut opened)?;
    Ok(!opened.is_empty())
}

/// Says whether the pinned dialect writes its calls with fences.
fn writes_fences(engine: &Engine) -> bool {
    let [pinned] = &engine.catalog.dialects[..] else { return false };
    pinned.calls.iter().any(|call| call.source.contains("```"))
}
