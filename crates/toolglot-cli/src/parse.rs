//! `toolglot parse`: a whole message, its events, or one message per line.

use std::hash::BuildHasher;
use std::hash::RandomState;
use std::io::{self, BufWriter, IsTerminal, Write};

use toolglot::{Collector, Event, EventKind, Message, MissReason, Parser, seed_of};
use toolglot_wire::Transcript;

use crate::args::{Ids, MessageFlags, ParseArgs};
use crate::chunk::Chunk;
use crate::failure::{ExitStatus, Failure, Run};
use crate::input::Source;
use crate::jsonl::{Line, Setups};
use crate::options::Setup;
use crate::paint::Paint;
use crate::report::Report;
use crate::runner::{self, Answer};
use crate::saved::Given;
use crate::tally::Tally;
use crate::tokens::Piece;
use crate::{output, recorded, view};

/// Runs the command.
pub(crate) fn run(args: &ParseArgs) -> Run {
    let (known, setup) = Setup::from_flags(&args.reading, &args.message)?;
    let sources = Source::open_all(&args.files)?;
    let feeding = Feeding { ids: args.message.ids, chunk: args.message.chunk.unwrap_or_default() };
    if args.jsonl {
        let lines = ParseLines { setups: Setups::new(known, setup), feeding, flags: args.message.clone() };
        return runner::run(sources, &lines);
    }
    let is_one = sources.len() == 1;
    if args.events && !is_one {
        return Err(Failure::Usage("`--events` reads one file; run it once per file".to_owned()));
    }
    let mut has_calls = false;
    for source in sources {
        let setup = setup.clone();
        has_calls |= if args.events {
            run_events(source, setup, &args.message, feeding.chunk)?
        } else {
            run_message(source, setup, args, feeding, !is_one)?
        };
    }
    Ok(ExitStatus::fine_if(!args.exit_status || has_calls))
}

/// How a text is split, and how calls without an id get one.
#[derive(Clone, Copy)]
struct Feeding {
    ids: Ids,
    chunk: Chunk,
}

impl Feeding {
    /// Reads a whole text; deterministic ids depend on `request`.
    fn read(self, text: &[u8], setup: Setup, request: &[u8]) -> Reading {
        self.read_pieces(text, self.chunk.cuts(text).map(Piece::of_text), setup, request, |_, _| {})
    }

    /// Reads a text, and adds what a server already parsed.
    fn read_given(self, given: &Given, setup: Setup, request: &[u8]) -> Reading {
        let pieces = given.pieces(self.chunk);
        let mut reading = self.read_pieces(&given.text, pieces, setup, request, |setup, collector| {
            given.natives(setup).into_iter().for_each(|native| native.add_to(collector));
        });
        given.add_reasoning(&mut reading.message);
        reading
    }

    /// Reads the pieces of a text; `add` adds to the result before it is finished.
    fn read_pieces(
        self,
        text: &[u8],
        pieces: impl IntoIterator<Item = Piece>,
        mut setup: Setup,
        request: &[u8],
        add: impl FnOnce(&Setup, &mut Collector),
    ) -> Reading {
        setup.options = setup.options.with_id_seed(match self.ids {
            Ids::Deterministic => seed_of(request),
            Ids::Random => RandomState::new().hash_one(request.len()),
        });
        let mut parser = Parser::new(&setup.dialects, &setup.tools, &setup.options);
        let mut collector = Collector::new(&setup.options);
        for piece in pieces {
            piece.feed(&mut parser, text).for_each(|event| collector.add(&event));
        }
        parser.finish().for_each(|event| collector.add(&event));
        collector.set_dialect(parser.dialect().cloned());
        add(&setup, &mut collector);
        let mut message = collector.finish(text);
        let miss = message.add_near_miss(text, &setup.dialects, &setup.tools, &setup.options);
        Reading { message, miss }
    }
}

/// A message, and why it has no call if its text looks like one.
struct Reading {
    message: Message,
    miss: Option<MissReason>,
}

/// Writes the message of an input, with its name if there are several; returns whether it has calls.
fn run_message(
    source: Source,
    setup: Setup,
    args: &ParseArgs,
    feeding: Feeding,
    is_named: bool,
) -> Result<bool, Failure> {
    let (name, flags) = (source.name.clone(), &args.message);
    let given = Given::new(source.read_all()?, flags)?;
    let (setup, input) = (given.setup(setup, flags), &given.text);
    let message = feeding.read_given(&given, setup, input).message;
    let mut out = io::stdout().lock();
    if args.format.is_pretty(out.is_terminal()) {
        if is_named {
            writeln!(out, "{}", Paint::stdout().name(&name))?;
        }
        out.write_all(view::of(&message, Paint::stdout()).as_bytes())?;
    } else {
        let mut json = Vec::new();
        output::write_message(&mut json, is_named.then_some(name.as_str()), &message);
        json.push(b'\n');
        out.write_all(&json)?;
    }
    out.flush()?;
    Report::new(&name, input, Paint::stderr()).write(&mut io::stderr(), &message.diagnostics);
    Ok(!message.calls.is_empty())
}

/// Writes events as soon as their bytes arrive; only a saved response, and tokens, are read whole.
fn run_events(mut source: Source, setup: Setup, flags: &MessageFlags, chunk: Chunk) -> Result<bool, Failure> {
    let mut block = Vec::new();
    let mut more = source.read_block(&mut block)? > 0;
    if flags.tokens || recorded::begins(&block) && !flags.raw {
        block.append(&mut source.read_all()?);
        source = Source::empty();
    }
    let given = Given::new(block, flags)?;
    let setup = given.setup(setup, flags);
    let (mut block, mut pieces) = (given.text.clone(), given.pieces(chunk));
    let mut out = BufWriter::new(io::stdout().lock());
    let mut parser = Parser::new(&setup.dialects, &setup.tools, &setup.options);
    let mut end = Collector::new(&setup.options);
    while more {
        for piece in pieces {
            piece.feed(&mut parser, &block).try_for_each(|event| write_event(&mut out, &mut end, &event))?;
        }
        out.flush()?;
        block.clear();
        more = source.read_block(&mut block)? > 0;
        pieces = chunk.cuts(&block).map(Piece::of_text).collect();
    }
    parser.finish().try_for_each(|event| write_event(&mut out, &mut end, &event))?;
    end.set_dialect(parser.dialect().cloned());
    for native in given.natives(&setup) {
        let mut line = Vec::new();
        output::write_native(&mut line, &native);
        out.write_all(&line)?;
        native.add_to(&mut end);
    }
    let (mut line, message) = (Vec::new(), end.finish(&[]));
    output::write_end(&mut line, &message);
    out.write_all(&line)?;
    out.flush()?;
    Ok(!message.calls.is_empty())
}

/// Writes an event; only the starts and ends of calls, which decide the finish reason, are collected.
fn write_event(out: &mut impl Write, end: &mut Collector, event: &Event<'_>) -> Result<(), Failure> {
    if matches!(event.kind, EventKind::CallStart { .. } | EventKind::CallEnd { .. }) {
        end.add(event);
    }
    let mut line = Vec::new();
    output::write_event(&mut line, event);
    Ok(out.write_all(&line)?)
}

/// Answers lines of `--jsonl`.
#[derive(Clone)]
struct ParseLines {
    setups: Setups,
    feeding: Feeding,
    flags: MessageFlags,
}

impl Answer for ParseLines {
    fn answer(&mut self, line: &Line<'_>, out: &mut Vec<u8>, tally: &mut Tally) -> Result<bool, String> {
        let Reading { message, miss } = match line.recorded() {
            None => {
                let text = line.text("text")?;
                let setup = self.setups.of(line, line.member("tools"))?;
                self.feeding.read(text.as_bytes(), setup, line.whole.as_bytes())
            }
            Some(saved) => self.read_recorded(saved, line)?,
        };
        tally.message(&message, miss);
        output::write_answer(out, line.id(), &message);
        Ok(true)
    }
}

impl ParseLines {
    fn read_recorded(&mut self, saved: Transcript, line: &Line<'_>) -> Result<Reading, String> {
        if let Some(fault) = saved.fault {
            return Err(format!("the recorded response is an error: {}", fault.message));
        }
        let given = Given::of_saved(saved, self.flags.choice)?;
        let setup = given.setup(self.setups.of(line, line.member("tools"))?, &self.flags);
        Ok(self.feeding.read_given(&given, setup, line.whole.as_bytes()))
    }
}
