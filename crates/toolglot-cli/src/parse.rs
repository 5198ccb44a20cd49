//! `toolglot parse`: a whole message, its events, or one message per line.

use std::hash::BuildHasher;
use std::hash::RandomState;
use std::io::{self, BufWriter, IsTerminal, Write};

use toolglot::{Collector, Event, EventKind, Message, MissReason, Parser, seed_of};
use toolglot_wire::Transcript;

use crate::args::{Ids, MessageFlags, ParseArgs};
use crate::failure::{ExitStatus, Failure, Run};
use crate::input::Source;
use crate::jsonl::{Line, Setups};
use crate::options::Setup;
use crate::paint::Paint;
use crate::runner::{self, Answer};
use crate::saved::Given;
use crate::tally::Tally;
use crate::tokens::Piece;
use crate::{output, recorded, report, view};

/// Runs the command.
pub(crate) fn run(args: &ParseArgs) -> Run {
    let (known, setup) = Setup::from_flags(&args.reading, &args.message)?;
    let sources = Source::open_all(&args.files)?;
    if args.jsonl {
        let lines = ParseLines { setups: Setups::new(known, setup), flags: args.message.clone() };
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
            run_events(source, setup, &args.message)?
        } else {
            run_message(source, setup, args, !is_one)?
        };
    }
    Ok(ExitStatus::fine_if(!args.exit_status || has_calls))
}

/// A message, and why it has no call if its text looks like one.
struct Reading {
    message: Message,
    miss: Option<MissReason>,
}

impl Reading {
    /// Reads a text, with what a server already parsed of it; deterministic ids depend on `request`.
    fn of(given: &Given, mut setup: Setup, flags: &MessageFlags, request: &[u8]) -> Self {
        setup.options = setup.options.with_id_seed(match flags.ids {
            Ids::Deterministic => seed_of(request),
            // The standard library seeds it from the system, which is enough for ids that are no secrets.
            Ids::Random => RandomState::new().hash_one(request.len()),
        });
        let mut parser = Parser::new(&setup.dialects, &setup.tools, &setup.options);
        let mut collector = Collector::new(&setup.options);
        for piece in given.pieces(flags) {
            piece.feed(&mut parser, &given.text).for_each(|event| collector.add(&event));
        }
        parser.finish().for_each(|event| collector.add(&event));
        collector.set_dialect(parser.dialect().cloned());
        given.natives(&setup).into_iter().for_each(|native| native.add_to(&mut collector));
        let mut message = collector.finish(&given.text);
        let miss = message.add_near_miss(&given.text, &setup.dialects, &setup.tools, &setup.options);
        given.add_reasoning(&mut message);
        Self { message, miss }
    }
}

/// Writes the message of an input, with its name if there are several; returns whether it has calls.
fn run_message(source: Source, setup: Setup, args: &ParseArgs, is_named: bool) -> Result<bool, Failure> {
    let (name, flags) = (source.name.clone(), &args.message);
    let given = Given::new(source.read_all()?, flags)?;
    let (setup, input) = (given.setup(setup, flags), &given.text);
    let message = Reading::of(&given, setup, flags, input).message;
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
    report::print(&name, input, &message.diagnostics);
    Ok(!message.calls.is_empty())
}

/// Writes events as soon as their bytes arrive; only a saved response, and tokens, are read whole.
fn run_events(mut source: Source, setup: Setup, flags: &MessageFlags) -> Result<bool, Failure> {
    let mut block = Vec::new();
    let mut more = source.read_block(&mut block)? > 0;
    if flags.tokens || recorded::begins(&block) && !flags.raw {
        block.append(&mut source.read_all()?);
        source = Source::empty();
    }
    let given = Given::new(block, flags)?;
    let setup = given.setup(setup, flags);
    let (mut block, mut pieces) = (given.text.clone(), given.pieces(flags));
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
        pieces = flags.chunk.unwrap_or_default().cuts(&block).map(Piece::of_text).collect();
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
    flags: MessageFlags,
}

impl Answer for ParseLines {
    fn answer(&mut self, line: &Line<'_>, out: &mut Vec<u8>, tally: &mut Tally) -> Result<bool, String> {
        let given = match line.recorded() {
            None => Given::of_text(line.text("text")?.into_bytes()),
            Some(Transcript { fault: Some(fault), .. }) => {
                return Err(format!("the recorded response is an error: {}", fault.message));
            }
            Some(saved) => Given::of_saved(saved, self.flags.choice)?,
        };
        let setup = given.setup(self.setups.of(line, line.member("tools"))?, &self.flags);
        let Reading { message, miss } = Reading::of(&given, setup, &self.flags, line.whole.as_bytes());
        tally.message(&message, miss);
        output::write_answer(out, line.id(), &message);
        Ok(true)
    }
}
