//! A committed call: its body, its closers, the further calls of its section.
//!
//! ```text
//!           body ends            closers read             another call
//!   Body ──────────────▶ Closing ───────────────▶ Between ─────────────▶ Body
//!    │                                              │  │
//!    │ the input or a limit ended it                │  └─ closers of the section: one level out
//!    └──────────────────▶ Over ◀────────────────────┘ nothing of the section stands here
//! ```

use super::call_object::CallObject;
use super::closing::{close, extra_braces, glued, stray_bracket, wrong_tag};
use super::content::Content;
use super::contest::{Ground, Start, Trial, Win, try_call};
use super::engine::{Callee, Engine, Form, Standing};
use super::head::{Head, Said, skip_gap};
use super::kwargs::Kwargs;
use super::lane::Lane;
use super::lines::Lines;
use super::params::{Params, note_head};
use super::scene::Scene;
use super::scope::Scope;
use crate::diagnostic::Code;
use crate::dialect::BodyKind;
use crate::event::Outcome;
use crate::json::{End, Ended, Place, Reader};
use crate::options::FinishReason;
use crate::schema::Node;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads a call that was committed, and all calls of its section after it.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    form: Form,
    head: Head,
    callee: Callee,
    start: Start,
    phase: Phase,
    /// What stands around the call, innermost last.
    scopes: Vec<Scope>,
    /// Stop after the first call.
    one: bool,
    fenced: bool,
    /// The body is plain text: a wrong closer that ended it has been consumed.
    plain: bool,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The call was committed and not yet announced.
    Committed,
    Body(Box<Body>),
    Closing {
        at: usize,
        how: Ended,
    },
    Between(usize),
    Over(usize),
}

/// The reader of a body.
#[derive(Clone, Debug)]
enum Body {
    Params(Params),
    Kwargs(Kwargs),
    Lines(Lines),
    Json(Reader, bool),
    Call(CallObject),
    Content(Content),
    Done(usize),
}

impl Reading {
    pub(crate) fn new(win: Win, one: bool) -> Self {
        let mut reading = Self {
            form: win.form,
            head: win.head,
            callee: win.callee,
            start: win.start,
            phase: Phase::Committed,
            scopes: Vec::new(),
            one,
            fenced: false,
            plain: false,
        };
        reading.scopes.extend(win.form.section.map(|_| Scope::Section));
        reading
    }

    /// Returns the number of the dialect that is being read.
    pub(crate) fn dialect(&self) -> usize {
        self.form.dialect
    }

    /// Returns the call's closers that repeat its name or mark, filled in.
    pub(crate) fn named_closers(&self, engine: &Engine) -> Vec<String> {
        let dialect = engine.dialect(self.form);
        let closers = dialect.calls.iter().chain(&dialect.sections).flat_map(|pattern| &pattern.tail);
        let spelled = closers.flat_map(|closer| &closer.spellings).filter(|spelling| !spelling.is_fixed());
        spelled.map(|spelling| spelling.filled(self.head.name(), self.head.mark.as_deref())).collect()
    }

    /// Returns the place from which bytes are still undecided.
    pub(crate) fn anchor(&self) -> usize {
        match &self.phase {
            Phase::Committed => 0,
            Phase::Body(body) => body.anchor(),
            Phase::Closing { at, .. } | Phase::Between(at) | Phase::Over(at) => *at,
        }
    }

    /// Passes what is data for certain in the middle of a string or a value; false if something needs a decision.
    pub(crate) fn pass_plain(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> bool {
        let Phase::Body(body) = &mut self.phase else { return false };
        let lane = Lane { view, engine, form: self.form, tool: self.callee.tool };
        match &mut **body {
            Body::Json(reader, _) => reader.pass_plain(&lane, sink),
            Body::Call(object) => object.pass_plain(&lane, sink),
            Body::Params(params) => params.pass_plain(&lane, sink),
            Body::Kwargs(kwargs) => kwargs.pass_plain(&lane, sink),
            Body::Lines(_) | Body::Content(_) | Body::Done(_) => false,
        }
    }

    /// Reads on; returns where everything that belongs to the call is over.
    pub(crate) fn resume(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<usize, NotYet> {
        loop {
            match self.phase {
                Phase::Committed => self.announce(engine, view, sink),
                Phase::Body(_) => {
                    let end = self.read_body(engine, view, sink)?;
                    self.end_body(end, sink);
                }
                Phase::Closing { at, how } => self.close(engine, view, at, how, sink)?,
                Phase::Between(at) => self.between(engine, view, at, sink)?,
                Phase::Over(at) => return Ok(at),
            }
        }
    }

    /// Starts the call and its body. A call object starts the call itself, where its arguments begin.
    fn announce(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) {
        sink.set_dialect(Some(engine.dialect(self.form).name.clone()));
        let start = std::mem::replace(&mut self.start, Start::Nothing(0));
        self.fenced = matches!(start, Start::Call { fenced: true, .. });
        self.plain = matches!(start, Start::Content { .. });
        let at = start.at();
        let place = sink.cursor()..at.max(sink.cursor());
        if !matches!(start, Start::Call { .. }) {
            sink.call_start(&self.callee.name, self.head.id(), at);
        }
        note_head(&self.head, place.clone(), sink);
        if self.head.unclosed_tag {
            sink.repair(Code::UnclosedTag, place.clone(), "the opening tag has no `>`");
        }
        if self.lacks_wrapper(engine) {
            sink.repair(
                Code::MissingOpener,
                place.start..place.start,
                "the wrapper around the call has no opening marker",
            );
        }
        let place = self.head.name.as_ref().map_or(place, |name| name.span.clone());
        match self.callee.standing {
            Standing::Declared => {}
            Standing::Normalised => {
                let spelled = self.head.name().unwrap_or_default();
                sink.diagnose(Code::NameNormalised, place, format!("`{spelled}` was read as `{}`", self.callee.name));
            }
            Standing::Undeclared => {
                sink.diagnose(Code::UnknownTool, place, format!("no tool `{}` is declared", self.callee.name));
            }
        }
        if let Start::Call { array: true, .. } = start {
            self.scopes.push(Scope::Array { call: self.form.call, bracket: true });
        }
        let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
        self.phase = Phase::Body(Box::new(Body::new(start, &scene, sink)));
    }

    /// Says whether the call stands alone though its dialect always wraps calls.
    fn lacks_wrapper(&self, engine: &Engine) -> bool {
        let sections = &engine.dialect(self.form).sections;
        self.form.section.is_none() && !sections.is_empty() && sections.iter().all(|section| !section.head.is_empty())
    }

    /// Reads on in the body, within the limits.
    fn read_body(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        let limits = &engine.options.limits;
        let Phase::Body(body) = &mut self.phase else { return Err(NotYet) };
        let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
        loop {
            let cursor = sink.cursor();
            let held = cursor.saturating_add(limits.held);
            let arguments = body.arguments_at().map_or(usize::MAX, |at| at.saturating_add(limits.arguments));
            let limit = held.min(arguments);
            if let Ok(end) = body.resume(&Scene { view: view.limited(limit), ..scene }, &self.callee, sink) {
                return Ok(end);
            }
            if view.end() <= limit {
                return Err(NotYet);
            }
            if sink.cursor() > cursor && limit < arguments {
                continue;
            }
            let end = body.resume(&Scene { view: view.closed_at(limit), ..scene }, &self.callee, sink)?;
            let code = if limit == arguments { Code::LimitArguments } else { Code::LimitHeld };
            sink.diagnose(code, end.at..end.at, code.row().about);
            return Ok(End { at: end.at, how: Ended::Truncated });
        }
    }

    fn end_body(&mut self, end: End, sink: &mut Sink) {
        if sink.written() == 0 {
            sink.arguments(end.at, "{}");
        }
        match end.how {
            Ended::Complete => {}
            Ended::Cut => sink.note(Outcome::Repaired),
            Ended::Truncated => {
                sink.note(Outcome::Truncated);
                let message = format!("the call of `{}` was cut off", self.callee.name);
                sink.diagnose(Code::Truncated, end.at..end.at, message);
            }
            Ended::Broken => {
                sink.note(Outcome::Broken);
                let message = format!("the call of `{}` cannot be read on", self.callee.name);
                sink.diagnose(Code::Broken, end.at..end.at, message);
            }
        }
        if let Phase::Body(body) = &mut self.phase
            && let Body::Call(object) = &mut **body
        {
            self.head.id = object.id.take().map(|id| Said { text: id, span: 0..0 });
        }
        self.phase = Phase::Closing { at: end.at, how: end.how };
    }

    fn close(&mut self, engine: &Engine, view: View<'_>, at: usize, how: Ended, sink: &mut Sink) -> Result<(), NotYet> {
        if matches!(how, Ended::Truncated | Ended::Broken) {
            sink.call_end(self.head.id(), at);
            self.phase = Phase::Over(at);
            return Ok(());
        }
        let glued = glued(at, &Scene::new(engine, view, self.form, &self.callee, &self.head))?;
        if glued > at {
            sink.repair(Code::GluedObjects, at..glued, "a second object behind the arguments was skipped");
            self.phase = Phase::Closing { at: glued, how };
        }
        let at = glued;
        let mut end = at;
        let array = self.scopes.last().filter(|scope| matches!(scope, Scope::Array { .. }));
        if let Some(array) = array {
            let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
            if let Some(after) = extra_braces(at, array.tail(engine, self.form), &scene)? {
                sink.repair(Code::ExtraCloser, at..after, "brackets that close nothing");
                end = after;
            }
        }
        let closed = array.is_some() || self.plain && how == Ended::Cut;
        if !closed && !self.another_follows(engine, view, at, sink)? {
            let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
            let closing = close(at, self.fenced, &scene)?;
            for (code, span, message) in closing.repairs {
                sink.repair(code, span, message);
            }
            if closing.cut && engine.options.finish_reason == Some(FinishReason::Length) {
                sink.note(Outcome::Truncated);
            }
            end = closing.at;
        }
        sink.call_end(self.head.id(), end);
        self.phase = if self.one { Phase::Over(end) } else { Phase::Between(end) };
        Ok(())
    }

    /// Says whether another object stands in the same pair of tags; their closers then follow the last.
    fn another_follows(&mut self, engine: &Engine, view: View<'_>, at: usize, sink: &mut Sink) -> Result<bool, NotYet> {
        let pattern = engine.pattern(self.form);
        if pattern.kind() != Some(BodyKind::Call) || pattern.tail.is_empty() || self.form.section.is_some() {
            return Ok(false);
        }
        let mut next = skip_gap(view, at)?;
        if matches!(view.byte(next)?, Some(b',' | b';')) {
            next = skip_gap(view, next + 1)?;
        }
        let follows = view.byte(next)? == Some(b'{');
        if follows {
            sink.repair(Code::SeveralCalls, next..next, "another call in the same tags");
            self.scopes.push(Scope::Array { call: self.form.call, bracket: false });
        }
        Ok(follows)
    }

    /// Looks for the section's closers or its next call.
    fn between(&mut self, engine: &Engine, view: View<'_>, at: usize, sink: &mut Sink) -> Result<(), NotYet> {
        let Some(&scope) = self.scopes.last() else {
            self.phase = Phase::Over(at);
            return Ok(());
        };
        let mut next = skip_gap(view, at)?;
        let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
        if let Some(end) = stray_bracket(next, &scene)? {
            sink.diagnose(Code::ExtraCloser, next..end, "a bracket closed the list before its last call");
            sink.markup(end);
            self.phase = Phase::Between(end);
            return Ok(());
        }
        if matches!(view.byte(next)?, Some(b',' | b';')) {
            next = skip_gap(view, next + 1)?;
        }
        if let Some((end, wrong)) = scope.closers(next, &scene)? {
            if let Some((code, span)) = wrong {
                sink.diagnose(code, span, code.row().about);
            }
            sink.markup(end);
            self.scopes.pop();
            self.phase = Phase::Between(end);
            return Ok(());
        }
        for form in scope.forms(engine, self.form) {
            if self.try_next(engine, view, next, form, sink)? {
                return Ok(());
            }
        }
        let twice = self.closer_again(engine, view, next)?;
        if let Some(end) = twice.filter(|_| matches!(scope, Scope::Section)) {
            sink.diagnose(Code::DuplicateCloser, next..end, Code::DuplicateCloser.row().about);
            sink.markup(end);
            self.phase = Phase::Between(end);
            return Ok(());
        }
        self.end_section(engine, view, at, next, sink)
    }

    /// Returns the end of a closer of the call at `at`, which has been closed before.
    fn closer_again(&self, engine: &Engine, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
        scene.any(at, scene.pattern().tail.iter().filter(|closer| closer.is_strong()))
    }

    /// Commits the call at `at` if one of this form begins there.
    fn try_next(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        at: usize,
        form: Form,
        sink: &mut Sink,
    ) -> Result<bool, NotYet> {
        if sink.calls() >= engine.options.limits.calls {
            return Ok(false);
        }
        let head = Head { name: None, ..self.head.inner() };
        let ground = Ground { in_section: true, ..Ground::default() };
        let Trial::Ready(win) = try_call(engine, view, at, form, head, ground)? else { return Ok(false) };
        sink.markup(at);
        (self.form, self.head, self.callee, self.start) = (win.form, win.head, win.callee, win.start);
        self.phase = Phase::Committed;
        Ok(true)
    }

    /// Nothing of the section stands here: it is over, perhaps by another tag.
    fn end_section(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        at: usize,
        next: usize,
        sink: &mut Sink,
    ) -> Result<(), NotYet> {
        let mut over = at;
        let scene = Scene::new(engine, view, self.form, &self.callee, &self.head);
        let must_close = self.scopes.last().is_some_and(|scope| scope.must_close(engine, self.form));
        // A bare name says too little to take another's closer for the end of its section.
        let may_close = must_close || !engine.pattern(self.form).opens_with_name();
        if may_close && let Some(end) = wrong_tag(next, &scene)? {
            sink.diagnose(Code::WrongCloser, next..end, format!("`{}` closed the section", view.slice(next, end)));
            sink.markup(end);
            over = end;
        } else if must_close {
            sink.diagnose(Code::MissingCloser, at..at, "the wrapper around the calls has no closer");
        }
        self.phase = Phase::Over(over);
        Ok(())
    }
}

impl Start {
    /// Returns where the body starts.
    pub(crate) fn at(&self) -> usize {
        match self {
            Self::Params(at) | Self::Kwargs(at) | Self::Lines(at) | Self::Nothing(at) => *at,
            Self::Json { at, .. } | Self::Whole { at, .. } => *at,
            Self::Call { at, .. } | Self::Content { at, .. } => *at,
        }
    }
}

impl Body {
    fn new(start: Start, scene: &Scene<'_>, sink: &mut Sink) -> Self {
        match start {
            Start::Params(at) => Self::Params(Params::new(at)),
            Start::Kwargs(at) => Self::Kwargs(Kwargs::new(at)),
            Start::Lines(at) => Self::Lines(Lines::new(at)),
            Start::Json { at, relaxed } => {
                Self::Json(Reader::new(at, Place::Arguments, scene.root().map(Node::id)), relaxed)
            }
            Start::Whole { whole, at, end } => {
                whole.write(at, end, sink);
                Self::Done(end)
            }
            Start::Call { at, .. } => Self::Call(CallObject::new(at)),
            Start::Content { at, sure } => Self::Content(Content::new(at, sure)),
            Start::Nothing(at) => {
                Params::new(at).end_at_once(scene, sink);
                Self::Done(at)
            }
        }
    }

    /// Returns where the arguments began, where no JSON reader watches over their length itself.
    fn arguments_at(&self) -> Option<usize> {
        match self {
            Self::Params(params) => Some(params.start()),
            Self::Kwargs(kwargs) => Some(kwargs.start()),
            Self::Lines(lines) => Some(lines.start()),
            Self::Content(content) => Some(content.start()),
            Self::Call(_) | Self::Json(..) | Self::Done(_) => None,
        }
    }

    fn anchor(&self) -> usize {
        match self {
            Self::Params(params) => params.anchor(),
            Self::Kwargs(kwargs) => kwargs.anchor(),
            Self::Lines(lines) => lines.anchor(),
            Self::Json(reader, _) => reader.anchor(),
            Self::Call(object) => object.anchor(),
            Self::Content(content) => content.anchor(),
            Self::Done(at) => *at,
        }
    }

    fn resume(&mut self, scene: &Scene<'_>, callee: &Callee, sink: &mut Sink) -> Result<End, NotYet> {
        match self {
            Self::Params(params) => params.resume(scene, sink),
            Self::Kwargs(kwargs) => kwargs.resume(scene, sink),
            Self::Lines(lines) => lines.resume(scene, sink),
            Self::Call(object) => object.resume(scene, callee, sink),
            Self::Content(content) => content.resume(scene, sink),
            Self::Done(at) => Ok(End { at: *at, how: Ended::Complete }),
            Self::Json(reader, relaxed) => {
                let quote = scene.dialect().quote.as_deref().filter(|_| *relaxed);
                reader.resume(scene.view, &scene.json(quote), sink)
            }
        }
    }
}
