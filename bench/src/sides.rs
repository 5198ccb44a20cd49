//! The sides of a comparison: toolglot, the peers, and the bounds that no reader can beat.

use std::hint::black_box;
use std::time::Duration;

use memchr::memmem;
use serde_json::Value;
use toolglot::{Dialects, Event, EventKind, Limits, Options, Parser, Tools};

use crate::job::{Found, Job, tools};
use crate::part::{Part, clocked};
#[cfg(feature = "peers")]
use crate::peers::{dynamo, dynamo_v2, tool_parser};

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The dialect pinned.
    Toolglot,
    /// All dialects.
    Auto,
    ToolParser,
    Dynamo,
    DynamoV2,
    /// Looks for a marker that is not there.
    Memmem,
    /// Reads the arguments alone, as JSON, into a `Value`.
    SerdeJson,
}

/// Every side and what it is called.
const NAMES: [(Side, &str); 7] = [
    (Side::Toolglot, "toolglot"),
    (Side::Auto, "toolglot, auto"),
    (Side::ToolParser, "tool-parser"),
    (Side::Dynamo, "dynamo-parsers"),
    (Side::DynamoV2, "dynamo-parsers-v2"),
    (Side::Memmem, "memmem"),
    (Side::SerdeJson, "serde_json"),
];

/// toolglot and the peers.
pub(crate) const READERS: [Side; 4] = [Side::Toolglot, Side::ToolParser, Side::Dynamo, Side::DynamoV2];

impl Side {
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|known| known.0 == self).map_or("", |found| found.1)
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|known| known.1 == name).map(|found| found.0)
    }

    /// Whether this side reads messages and can be wrong.
    fn is_reader(self) -> bool {
        !matches!(self, Self::Memmem | Self::SerdeJson)
    }

    /// Returns what this side finds, if anything is to be found.
    pub(crate) fn find(self, job: &Job) -> Result<Option<Found>, String> {
        let mut found = Found::default();
        self.run(job, 1, |part| match part {
            Part::Text(text) => found.text.push_str(text),
            Part::Call(name) => found.calls.push((name.to_owned(), String::new())),
            Part::Arguments(json) => {
                if let Some(call) = found.calls.last_mut() {
                    call.1.push_str(json);
                }
            }
        })?;
        Ok(self.is_reader().then_some(found))
    }

    /// Returns the time that this side takes to do the job so many times.
    pub(crate) fn time(self, job: &Job, times: usize) -> Result<Duration, String> {
        self.run(job, times, |part| part.take())
    }

    /// Does the job so many times; what each side needs before its first byte counts, except for its list of tools.
    fn run(self, job: &Job, times: usize, take: impl FnMut(Part<'_>)) -> Result<Duration, String> {
        match self {
            Self::Toolglot => toolglot(&pinned(&job.dialect)?, job, times, take),
            Self::Auto => toolglot(&Dialects::builtin(), job, times, take),
            Self::Memmem => clocked(times, || {
                black_box(memmem::find(job.text.as_bytes(), b"<tool_call>~"));
                Ok(())
            }),
            Self::SerdeJson => {
                let call = job.meant.as_ref().and_then(|meant| meant.calls.first()).ok_or("there are no arguments")?;
                let arguments = call.1.as_str();
                clocked(times, || serde_json::from_str::<Value>(arguments).map(drop).map_err(|error| error.to_string()))
            }
            #[cfg(feature = "peers")]
            Self::ToolParser => tool_parser::run(job, times, take),
            #[cfg(feature = "peers")]
            Self::Dynamo => dynamo::run(job, times, take),
            #[cfg(feature = "peers")]
            Self::DynamoV2 => dynamo_v2::run(job, times, take),
            #[cfg(not(feature = "peers"))]
            Self::ToolParser | Self::Dynamo | Self::DynamoV2 => Err("built without it".to_owned()),
        }
    }
}

/// Returns one dialect alone.
pub(crate) fn pinned(dialect: &str) -> Result<Dialects, String> {
    Dialects::builtin().only(&[dialect]).map_err(|error| error.to_string())
}

/// Returns the options of all measurements: as they come, but for messages of thousands of calls.
pub(crate) fn options() -> Options {
    Options::default().with_limits(Limits::default().with_calls(1 << 20))
}

fn toolglot(dialects: &Dialects, job: &Job, times: usize, mut take: impl FnMut(Part<'_>)) -> Result<Duration, String> {
    let tools = Tools::from_json(&tools()).map_err(|error| error.to_string())?;
    let options = options();
    // The first message of a set makes what all later ones share, as the list of tools is made once.
    drop(toolglot::parse(&job.text, dialects, &tools, &options));
    clocked(times, || {
        let Some(pieces) = &job.pieces else {
            let message = toolglot::parse(&job.text, dialects, &tools, &options);
            take(Part::Text(&message.content));
            for call in &message.calls {
                take(Part::Call(&call.name));
                take(Part::Arguments(&call.arguments));
            }
            return Ok(());
        };
        let mut parser = Parser::new(dialects, &tools, &options);
        for piece in pieces {
            parser.push(piece).for_each(|event| pass(&event, &mut take));
        }
        parser.finish().for_each(|event| pass(&event, &mut take));
        Ok(())
    })
}

/// Takes what an event says.
pub(crate) fn take(event: &Event<'_>) {
    pass(event, &mut |part| part.take());
}

fn pass(event: &Event<'_>, take: &mut impl FnMut(Part<'_>)) {
    match event.kind {
        EventKind::Text(text) => take(Part::Text(text)),
        EventKind::CallStart { name, .. } => take(Part::Call(name)),
        EventKind::Arguments { json, .. } => take(Part::Arguments(json)),
        _ => {}
    }
}
