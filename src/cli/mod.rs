//! Layer 7: the command line. Arguments become the plain options of the layers below; then one of
//! the subcommands runs.

pub mod args;
mod destination;
pub mod exit;
mod extract;
pub mod generate;
mod list;
mod message;
mod progress;
mod schema;

use std::ffi::OsString;
use std::io::{self, Write};

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
    /// Print the JSON Schema of a record
    Schema(schema::SchemaArgs),
}

/// Prints what is no links; a reader that has had enough is fine.
fn print(bytes: &[u8]) -> Result<Exit, message::Error> {
    match io::stdout().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(message::Error::new(format!("cannot write: {error}")))
        }
        _ => Ok(Exit::Found),
    }
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
        Some(Command::Schema(arguments)) => schema::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        message::tell(&error);
        Exit::Error
    })
}
