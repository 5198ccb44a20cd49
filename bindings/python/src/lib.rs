//! `toolglot._native`: what the Python package is made of; it only translates.

use pyo3::prelude::*;

mod array;
mod arrow;
mod event;
mod exchange;
mod inspection;
mod parser;
mod reading;
mod settings;
mod text;
mod writing;

#[pymodule(gil_used = false)]
mod _native {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::array::{MessageArray, parse_array};
    #[pymodule_export]
    use crate::event::{Arguments, CallEnd, CallStart, Diagnostic, Markup, Reasoning, Text};
    #[pymodule_export]
    use crate::exchange::{Exchange, Turn};
    #[pymodule_export]
    use crate::inspection::inspect;
    #[pymodule_export]
    use crate::parser::{ArgumentsReader, Parser};
    #[pymodule_export]
    use crate::reading::{detect, explain, near_miss, parse, parse_batch, repair};
    #[pymodule_export]
    use crate::settings::{
        Dialect, DialectError, Dialects, ExchangeError, GrammarError, Options, RenderError, ToolglotError, Tools,
    };
    #[pymodule_export]
    use crate::writing::{certify, grammar, mint, render, sketch};

    /// Returns every diagnostic code with its name, class and description.
    #[pyfunction]
    fn codes() -> Vec<(&'static str, &'static str, &'static str)> {
        let class = |class| match class {
            toolglot::Class::Repair(toolglot::Preset::Exact | toolglot::Preset::Safe) => "safe repair",
            toolglot::Class::Repair(_) => "repair",
            toolglot::Class::Value => "value",
            toolglot::Class::Policy => "policy",
            _ => "limit",
        };
        toolglot::Code::TABLE.iter().map(|row| (row.name, class(row.class), row.about)).collect()
    }

    /// Runs the command line and returns its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| toolglot_cli::run(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
