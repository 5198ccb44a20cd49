//! What became of every byte, and when.

use pyo3::prelude::*;
use toolglot::{Arrival, Mending, Stretch, WhyNot};

use crate::reading::{MessageParts, StepParts, parts, step};
use crate::settings::{Dialects, Options, Tools};
use crate::text::Text;

/// Bytes of the same kind: kind, call, start, end.
type StretchParts = (&'static str, Option<usize>, usize, usize);

/// A repair: code, class, message, before, after, start, end.
type MendingParts = (&'static str, &'static str, String, String, String, usize, usize);

/// An event: bytes received, type, call, text.
type ArrivalParts = (usize, &'static str, Option<usize>, String);

/// Why a call is missing or incomplete: reason, message, start, end, and the change that helps.
type WhyParts = (&'static str, String, usize, usize, Option<(&'static str, String)>);

/// An inspection: message, spans, repairs, steps, arrivals, bytes decided for bytes received, reasons.
type InspectionParts = (
    MessageParts,
    Vec<StretchParts>,
    Vec<MendingParts>,
    Vec<StepParts>,
    Vec<ArrivalParts>,
    Vec<(usize, usize)>,
    Vec<WhyParts>,
);

/// Reads a whole text and returns how every byte was read, and when each event was emitted.
#[pyfunction]
pub(crate) fn inspect(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> PyResult<InspectionParts> {
    let text = Text::of(text)?;
    let found = py.detach(|| toolglot::inspect(text.bytes(), &dialects.0, &tools.0, &options.0));
    Ok((
        parts(py, found.message)?,
        found.spans.iter().map(stretch).collect(),
        found.repairs.into_iter().map(mending).collect(),
        found.steps.into_iter().map(step).collect(),
        found.arrivals.into_iter().map(arrival).collect(),
        found.held,
        found.why.into_iter().map(why).collect(),
    ))
}

fn stretch(stretch: &Stretch) -> StretchParts {
    (stretch.kind.name(), stretch.call, stretch.span.start, stretch.span.end)
}

fn mending(found: Mending) -> MendingParts {
    let Mending { code, class, span, message, before, after, .. } = found;
    (code.name(), class.name(), message, before, after, span.start, span.end)
}

fn arrival(arrival: Arrival) -> ArrivalParts {
    (arrival.at, arrival.event, arrival.call, arrival.text)
}

fn why(why: WhyNot) -> WhyParts {
    let reason = why.reason.map_or("nothing", |reason| reason.name());
    (reason, why.message, why.span.start, why.span.end, why.fix.map(|fix| (fix.kind, fix.value)))
}
