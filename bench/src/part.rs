//! What every reader says, and the clock for all of them.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

/// What a reader says.
pub(crate) enum Part<'a> {
    Text(&'a str),
    Call(&'a str),
    Arguments(&'a str),
}

impl Part<'_> {
    /// Takes the words, as a caller would, and does nothing with them.
    pub(crate) fn take(&self) {
        let (Self::Text(text) | Self::Call(text) | Self::Arguments(text)) = self;
        black_box(text);
    }
}

/// Returns the time that so many runs take.
pub(crate) fn clocked(times: usize, mut run: impl FnMut() -> Result<(), String>) -> Result<Duration, String> {
    let start = ThreadTime::now();
    for _ in 0..times {
        run()?;
    }
    Ok(start.elapsed())
}
