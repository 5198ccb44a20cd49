//! `toolglot parse`: a whole message, its events, or a message a line.

use std::hash::BuildHasher;
use std::hash::RandomState;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;

use toolglot::{Collector, Event, EventKind, Message, Parser, seed_of};

use toolglot_wire::Saved;

use crate::args::{Ids, MessageFlags, ParseArgs};
use crate::chunk::Chunk;
use crate::failure::{Ending, Failure, Run};
use crate::input::Source;
use crate::jsonl::{self, Setups};
use crate::known::Known;
use crate::options::{self, Setup};
use crate::paint::Paint;
use crate::report::Report;
use crate::runner::{self, Answer};
use crate::saved::Given;
use crate::tokens::Piece;
use crate::{output, view};

/// Runs the command.
pub(crate) fn run(args: &ParseArgs) -> Run {
    let known = Known::from_flags(&args.reading.dialects)?;
    let tools = options::tools(args.reading.tools.as_deref())?;
    let setup = Setup::new(&known, tools, &args.reading, &args.message);
    let source = Source::open(args.file.as_deref())?;
    let feeding = Feeding { ids: args.message.ids, chunk: args.message.chunk.unwrap_or_default() };
    if args.jsonl {
        let known = Arc::new(known);
        runner::run(source, move || Lines { setups: Setups::new(Arc::clone(&known), setup.clone()), feeding })
    } else if args.events {
        run_events(source, setup, &args.message, feeding.chunk)
    } else {
        run_message(source, setup, &args.message, feeding)
    }
}

/// How a text is fed, and how calls without an id get one.
#[derive(Clone, Copy)]
pub(crate) struct Feeding {
    pub(crate) ids: Ids,
    pub(crate) chunk: Chunk,
}

impl Feeding {
    /// Reads a whole text; `request` is what deterministic ids depend on.
    pub(crate) fn read(self, text: &[u8], setup: Setup, request: &[u8]) -> Message {
        self.read_pieces(text, self.chunk.cuts(text).map(Piece::of_text), setup, request, |_, _| {})
    }

    /// The same of pieces of a text; what no event says is added at the end.
    fn read_pieces(
        self,
        text: &[u8],
        pieces: impl IntoIterator<Item = Piece>,
        mut setup: Setup,
        request: &[u8],
        add: impl FnOnce(&Setup, &mut Collector),
    ) -> Message {
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
        collector.finish(text)
    }
}

fn run_message(source: Source, setup: Setup, flags: &MessageFlags, feeding: Feeding) -> Run {
    let name = source.name.clone();
    let given = Given::new(source.read_all()?, flags)?;
    let (setup, input) = (given.setup(setup, flags), &given.text);
    let pieces = given.pieces(feeding.chunk);
    let mut message = feeding.read_pieces(input, pieces, setup, input, |setup, collector| {
        given.natives(setup).into_iter().for_each(|native| native.add_to(collector));
    });
    given.add_reasoning(&mut message);
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        out.write_all(view::of(&message, Paint::stdout()).as_bytes())?;
    } else {
        let mut json = Vec::new();
        output::write_message(&mut json, &message);
        json.push(b'\n');
        out.write_all(&json)?;
    }
    out.flush()?;
    Report::new(&name, input, Paint::stderr()).write(&mut io::stderr(), &message.diagnostics);
    Ok(Ending::Fine)
}

/// Events go out as soon as their bytes came in, so nothing but the parser holds anything; a saved answer, and tokens,
/// are read whole.
fn run_events(mut source: Source, setup: Setup, flags: &MessageFlags, chunk: Chunk) -> Run {
    let mut block = Vec::new();
    let mut more = source.read_block(&mut block)? > 0;
    if flags.tokens || Saved::begins(&block) && !flags.raw {
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
    let mut line = Vec::new();
    output::write_end(&mut line, &end.finish(&[]));
    out.write_all(&line)?;
    out.flush()?;
    Ok(Ending::Fine)
}

/// Only the calls' starts and ends are collected: they decide how the message ended.
fn write_event(out: &mut impl Write, end: &mut Collector, event: &Event<'_>) -> Result<(), Failure> {
    if matches!(event.kind, EventKind::CallStart { .. } | EventKind::CallEnd { .. }) {
        end.add(event);
    }
    let mut line = Vec::new();
    output::write_event(&mut line, event);
    Ok(out.write_all(&line)?)
}

/// Answers lines of `--jsonl`.
struct Lines {
    setups: Setups,
    feeding: Feeding,
}

impl Answer for Lines {
    fn answer(&mut self, number: usize, line: &[u8], out: &mut Vec<u8>) -> bool {
        jsonl::answer(number, line, out, |line, out| {
            let text = line.text("text")?;
            let setup = self.setups.of(line, line.member("tools"))?;
            let message = self.feeding.read(text.as_bytes(), setup, line.whole.as_bytes());
            output::write_answer(out, line.id(), &message);
            Ok(true)
        })
    }
}
