//! The body of a call: creates the reader for its hole, and the interface of all readers.

use super::call_context::CallContext;
use super::call_object::CallObjectReader;
use super::content::ContentReader;
use super::contest::Start;
use super::kwargs::KwargsReader;
use super::lines::LinesReader;
use super::object::ArgumentsObject;
use super::params::ParamsReader;
use crate::dialect::BodyKind;
use crate::json::{Ended, JsonReader, ValueOutcome, ValuePosition};
use crate::schema::SchemaNode;
use crate::sink::Sink;
use crate::view::NotYet;

/// The reader of a body.
#[derive(Clone, Debug)]
pub(super) enum BodyReader {
    Params(ParamsReader),
    Kwargs(KwargsReader),
    Lines(LinesReader),
    Json(JsonReader),
    Call(CallObjectReader),
    Content(ContentReader),
    Done(usize),
}

impl BodyReader {
    pub(super) fn new(start: Start, context: &CallContext<'_>, sink: &mut Sink) -> Self {
        match start {
            Start::Params { at, first } => {
                let first = first.filter(|_| !context.engine.options.careful);
                Self::Params(ParamsReader::new(at, first, context, sink))
            }
            Start::Kwargs(at) => Self::Kwargs(KwargsReader::new(at)),
            Start::Lines(at) => Self::Lines(LinesReader::new(at)),
            Start::Json(at) => {
                Self::Json(JsonReader::new(at, ValuePosition::Arguments, context.root().map(SchemaNode::id)))
            }
            Start::Whole { whole, at, end } => {
                whole.write(at, end, sink);
                Self::Done(end)
            }
            Start::Call { at, arguments, .. } => Self::Call(CallObjectReader::new(at, arguments)),
            Start::Content { at, sure } => Self::Content(ContentReader::new(at, sure, context, sink)),
            Start::Nothing(at) => {
                ArgumentsObject::of_attributes(at, context, sink).end(at, context, sink);
                Self::Done(at)
            }
        }
    }

    /// Passes bytes that are certainly data; false if something needs a decision.
    #[inline]
    pub(super) fn pass_plain(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        match self {
            Self::Json(reader) => reader.pass_plain(context, sink),
            Self::Call(object) => object.pass_plain(context, sink),
            Self::Params(params) => params.pass_plain(context, sink),
            Self::Kwargs(kwargs) => kwargs.pass_plain(context, sink),
            Self::Lines(_) | Self::Content(_) | Self::Done(_) => false,
        }
    }

    /// Returns where the arguments began, if no JSON reader limits their length itself.
    pub(super) fn arguments_at(&self) -> Option<usize> {
        match self {
            Self::Params(params) => Some(params.start()),
            Self::Kwargs(kwargs) => Some(kwargs.start),
            Self::Lines(lines) => Some(lines.start),
            Self::Content(content) => Some(content.start),
            Self::Call(_) | Self::Json(_) | Self::Done(_) => None,
        }
    }

    pub(super) fn anchor(&self) -> usize {
        match self {
            Self::Params(params) => params.anchor(),
            Self::Kwargs(kwargs) => kwargs.anchor(),
            Self::Lines(lines) => lines.scan,
            Self::Json(reader) => reader.anchor(),
            Self::Call(object) => object.anchor(),
            Self::Content(content) => content.scan,
            Self::Done(at) => *at,
        }
    }

    pub(super) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        match self {
            Self::Params(params) => params.resume(context, sink),
            Self::Kwargs(kwargs) => kwargs.resume(context, sink),
            Self::Lines(lines) => lines.resume(context, sink),
            Self::Call(object) => object.resume(context, sink),
            Self::Content(content) => content.resume(context, sink),
            Self::Done(at) => Ok(ValueOutcome { at: *at, how: Ended::Complete }),
            Self::Json(reader) => {
                let relaxed = context.pattern().kind() == Some(BodyKind::Object);
                let quote = context.dialect().quote.as_deref().filter(|_| relaxed);
                reader.resume(context.view, &context.json(quote), sink)
            }
        }
    }
}
