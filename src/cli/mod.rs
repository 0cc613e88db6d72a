//! Layer 7: the command line. Arguments become the plain options of the layers below; then one of
//! the subcommands runs.

pub mod args;
pub mod exit;
mod extract;
mod message;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use args::extract::ExtractArgs;
pub use exit::Exit;

/// Lists the references of documents, resolved.
#[derive(Parser)]
#[command(
    name = "uriscan",
    version,
    about = "Lists the references of documents, each resolved against the right base",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do; `extract` where none is given.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What `extract` takes.
    #[command(flatten)]
    pub extract: ExtractArgs,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// List references, resolved (the default command)
    Extract(Box<ExtractArgs>),
}

/// Runs the command line and says how it ended.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Whoever closed the output does not want to know.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Error
            } else {
                Exit::Found
            };
        }
    };
    let result = match cli.command {
        None => extract::run(&cli.extract),
        Some(Command::Extract(arguments)) => extract::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        message::tell(&error);
        Exit::Error
    })
}
