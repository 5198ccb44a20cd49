//! Properties that hold for every input, each a function of bytes: for the coverage-guided runner and for any other.

mod abi;
mod answers;
mod dialect_file;
mod differential;
pub mod ends;
mod generate;
mod json;
mod message;
mod pieces;
mod protocol;
mod reading;
mod round_trip;
pub mod seeds;
mod setup;
mod strict;
mod wire;

#[path = "../../crates/toolglot/tests/support/case.rs"]
mod case;
#[path = "../../crates/toolglot/tests/support/diff.rs"]
mod diff;
#[path = "../../crates/toolglot/tests/support/feed.rs"]
mod feed;
#[expect(dead_code, reason = "only the tests take numbers from the environment")]
#[path = "../../crates/toolglot/tests/support/random.rs"]
mod random;
#[path = "../../crates/toolglot/tests/support/record.rs"]
mod record;
#[path = "../../crates/toolglot/tests/render_roundtrip/same.rs"]
mod same;
#[path = "../../crates/toolglot/tests/support/texts.rs"]
mod texts;

pub use abi::abi;
pub use dialect_file::dialect_file;
pub use differential::differential;
pub use json::{arguments, repair};
pub use protocol::protocol;
pub use reading::{chunks, fast, lossless, parse};
pub use round_trip::round_trip;
pub use wire::sse;

/// A property: it panics where it does not hold, and says on what.
pub type Property = fn(&[u8]);

/// All properties, by the names of their targets.
pub const TARGETS: [(&str, Property); 12] = [
    ("chunks", chunks),
    ("fast", fast),
    ("lossless", lossless),
    ("parse", parse),
    ("round_trip", round_trip),
    ("repair", repair),
    ("arguments", arguments),
    ("sse", sse),
    ("protocol", protocol),
    ("dialect_file", dialect_file),
    ("differential", differential),
    ("abi", abi),
];
