//! `toolglot man`, generated from the same definitions as the help.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::failure::{ExitStatus, Failure, Run, print};
use crate::input::{unwritable, write_file};

/// Prints the manual page, or writes a page for each command to a directory.
pub(crate) fn man(args: &ManArgs) -> Run {
    let mut command = Args::command();
    command.build();
    let Some(dir) = &args.dir else {
        return print(page(&command)?);
    };
    fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    write_pages(dir, &command)?;
    Ok(ExitStatus::Fine)
}

/// Writes the page of a command and of its subcommands: `toolglot.1`, `toolglot-parse.1`.
fn write_pages(dir: &Path, command: &Command) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = dir.join(format!("{name}.1"));
    write_file(&path, page(command)?)?;
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below.into_iter().try_for_each(|below| write_pages(dir, below))
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    Man::new(command.clone().name(name)).render(&mut page)?;
    Ok(page)
}
