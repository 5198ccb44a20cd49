//! Processes lines in order, on all cores, with bounded memory.
//!
//! ```text
//! reader --- batches of whole lines ---> workers --- answers ---.
//!    `------ a slot for each batch's answer, in order -------> writer
//! ```
//! The writer waits for the slots in order, and both queues are bounded, so
//! a slow line blocks the reader.

use std::io::{self, Write};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::console;
use crate::failure::{ExitStatus, Run};
use crate::input::Source;
use crate::jsonl::{self, Line};
use crate::progress::Progress;
use crate::tally::Tally;

/// Answers lines; each worker has its own copy.
pub(crate) trait Answer: Clone + Send + 'static {
    /// Writes the answer to a line; returns whether it succeeded, or why the line is invalid.
    fn answer(&mut self, line: &Line<'_>, out: &mut Vec<u8>, tally: &mut Tally) -> Result<bool, String>;
}

/// Whole lines of the input.
struct Batch {
    /// The number of the first, from 1.
    first: usize,
    bytes: Vec<u8>,
}

/// The result of a batch.
struct Answers {
    bytes: Vec<u8>,
    tally: Tally,
    lines: usize,
    read: usize,
}

/// A batch and where its answers go.
type Job = (Batch, SyncSender<Answers>);

/// Receives a batch's answers, or the error that ended the input.
type Slot = io::Result<Receiver<Answers>>;

/// Answers every line of the inputs.
pub(crate) fn run(sources: Vec<Source>, fresh: &impl Answer) -> Run {
    let mut progress = Progress::new(sources.iter().map(|source| source.size).sum());
    let mut tally = Tally::default();
    for source in sources {
        tally.add(run_one(source, fresh, &mut progress)?);
    }
    progress.end();
    console::note(format!("{}; {tally}", progress.lines()).trim_end_matches("; "));
    Ok(ExitStatus::fine_if(tally.failed == 0))
}

fn run_one(source: Source, fresh: &impl Answer, progress: &mut Progress) -> io::Result<Tally> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let (jobs, queue) = sync_channel::<Job>(threads);
    // More slots than threads, so that the others go on while the writer waits for one slow batch.
    let (slots, answers) = sync_channel::<Slot>(threads * 4);
    let queue = Arc::new(Mutex::new(queue));
    // Threads are never joined: if the output's reader goes away, the process ends while stdin still blocks.
    for _ in 0..threads {
        let (queue, fresh) = (Arc::clone(&queue), fresh.clone());
        thread::spawn(move || work(&queue, &fresh));
    }
    thread::spawn(move || read(source, &jobs, &slots));
    write(&answers, progress)
}

/// Splits the input into batches: the complete lines of each read, so that slow input is answered at once.
fn read(mut source: Source, jobs: &SyncSender<Job>, slots: &SyncSender<Slot>) {
    let (mut first, mut buffer, mut skips) = (1, Vec::new(), false);
    loop {
        let seen = buffer.len();
        let is_end = match source.read_block(&mut buffer) {
            Err(error) => return drop(slots.send(Err(error))),
            Ok(count) => count == 0,
        };
        if skips {
            // The rest of a line that is too long.
            let end = buffer.iter().position(|byte| *byte == b'\n');
            buffer.drain(..end.map_or(buffer.len(), |at| at + 1));
            (first, skips) = (first + usize::from(end.is_some()), end.is_none());
        }
        if is_end && buffer.is_empty() {
            return;
        }
        let end = match buffer.iter().skip(seen).rposition(|byte| *byte == b'\n') {
            Some(at) => seen + at + 1,
            None if is_end || buffer.len() > MAX_LINE => {
                skips = !is_end;
                buffer.len()
            }
            None => continue,
        };
        let rest = buffer.split_off(end);
        let batch = Batch { first, bytes: std::mem::replace(&mut buffer, rest) };
        first += batch.bytes.iter().filter(|byte| **byte == b'\n').count();
        // Room for the answers, so that no worker waits for its turn to be written.
        let (answers, slot) = sync_channel(1);
        if slots.send(Ok(slot)).is_err() || jobs.send((batch, answers)).is_err() {
            return;
        }
    }
}

/// Maximum bytes of a line, the same as the proxy's limit for answers; each core may hold one.
const MAX_LINE: usize = 64 << 20;

fn work(queue: &Mutex<Receiver<Job>>, fresh: &impl Answer) {
    let mut answerer = fresh.clone();
    loop {
        let job = queue.lock().map(|queue| queue.recv());
        let Ok(Ok((batch, answers))) = job else { return };
        if answers.send(answer(&mut answerer, &batch, fresh)).is_err() {
            return;
        }
    }
}

fn answer<A: Answer>(answerer: &mut A, batch: &Batch, fresh: &A) -> Answers {
    let mut done = Answers { bytes: Vec::new(), tally: Tally::default(), lines: 0, read: batch.bytes.len() };
    let text = batch.bytes.strip_suffix(b"\n").unwrap_or(&batch.bytes);
    for (number, line) in (batch.first..).zip(text.split(|byte| *byte == b'\n')) {
        done.lines += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() > MAX_LINE {
            let why = format!("the line is longer than {} MiB; split it", MAX_LINE >> 20);
            jsonl::write_error(&mut done.bytes, None, &why, number);
            done.tally.failed += 1;
            continue;
        }
        let start = done.bytes.len();
        let fine = catch_unwind(AssertUnwindSafe(|| {
            jsonl::answer(number, line, &mut done.bytes, |line, out| answerer.answer(line, out, &mut done.tally))
        }));
        let is_fine = fine.unwrap_or_else(|_| {
            // What a panic left half done is replaced: the answer's bytes, and the caches.
            done.bytes.truncate(start);
            jsonl::answer(number, line, &mut done.bytes, |_, _| Err(BUG.to_owned()));
            answerer.clone_from(fresh);
            false
        });
        if !is_fine {
            done.tally.failed += 1;
        }
    }
    done
}

const BUG: &str = "internal error; please report this line as a bug";

fn write(slots: &Receiver<Slot>, progress: &mut Progress) -> io::Result<Tally> {
    let mut out = io::stdout().lock();
    let mut tally = Tally::default();
    for slot in slots {
        let answers = slot?
            .recv()
            .map_err(|_| io::Error::other("internal error: a worker stopped; please report it as a bug"))?;
        out.write_all(&answers.bytes)?;
        out.flush()?;
        tally.add(answers.tally);
        progress.add(answers.lines, answers.read);
    }
    Ok(tally)
}
