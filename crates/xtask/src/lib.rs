//! The project's own tools: checks of the sources, generated documents. Run `cargo xtask`.

use std::path::{Path, PathBuf};

pub mod cases;
pub mod docs;
pub mod files;
pub mod grammars;
pub mod names;
pub mod policies;
pub mod quick;
pub mod readme;
pub mod tidy;
pub mod version;

#[path = "../../toolglot/tests/support/case.rs"]
mod case;
#[expect(dead_code, reason = "tests need the rest")]
#[path = "../../toolglot/tests/support/record.rs"]
mod record;
#[expect(dead_code, reason = "tests need the rest")]
#[path = "../../toolglot/tests/support/setup.rs"]
mod setup;

/// The README's examples, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The example on the library's own page, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../toolglot/README.md")]
struct Library;

/// The examples of the policies, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/policies.md")]
struct Policies;

/// What a tool found wrong; nothing if all is well.
pub type Complaints = Vec<String>;

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").components().collect()
}
