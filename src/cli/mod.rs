//! Layer 7: the command line. Arguments become the plain options of the layers below; then one of
//! the subcommands runs.

pub mod args;
mod audit;
mod config;
mod destination;
mod extract;
mod help;
mod inputs;
mod manual;
mod message;
pub mod process;
mod uri;

use std::ffi::OsString;

use clap::{ArgMatches, FromArgMatches};

use args::{AuditArgs, Cli, Command, command};
use config::Config;
pub use process::Exit;

use crate::output::escape::visible;

/// Runs the command line and says how it ended.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (cli, matches) = match parsed(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error, &arguments),
    };
    let result = match &cli.command {
        None => {
            help::check_paths(&cli.extract.paths, true).and_then(|()| extract::run(&cli.extract))
        }
        Some(Command::Extract(arguments)) => extract::run(arguments),
        Some(Command::Resolve(arguments)) => uri::resolve(arguments),
        Some(Command::Parse(arguments)) => uri::parse(arguments),
        Some(Command::Schema(arguments)) => manual::print_schema(arguments),
        Some(Command::Audit(given)) => {
            let command = command();
            let flags = command.find_subcommand("audit").unwrap_or(&command);
            match audit::with_config(given, &arguments, flags) {
                Ok(Some((more, config))) => {
                    return configured(&more, &config, given, audit_matches(&matches));
                }
                Ok(None) => audit::run(given, audit_matches(&matches), None),
                Err(error) => Err(error),
            }
        }
    };
    end(result)
}

/// Runs an audit whose command line has been completed from a configuration; `given` and `matches`
/// are what it was before.
fn configured(
    arguments: &[OsString],
    config: &Config,
    given: &AuditArgs,
    matches: &ArgMatches,
) -> Exit {
    match parsed(arguments) {
        Ok((cli, all)) => match &cli.command {
            Some(Command::Audit(completed)) => {
                let all = audit_matches(&all);
                let notice = audit::Notice::of(config, (given, matches), (completed, all));
                end(audit::run(completed, all, Some(&notice)))
            }
            // INVARIANT: what was added stands behind `audit`.
            _ => Exit::Error,
        },
        Err(error) => {
            let file = config.file.display();
            message::tell(&format!("with the configuration of {file}:"));
            refuse(&error, arguments)
        }
    }
}

fn audit_matches(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand_matches("audit").unwrap_or(matches)
}

fn parsed(arguments: &[OsString]) -> Result<(Cli, ArgMatches), clap::Error> {
    let matches = command().try_get_matches_from(arguments)?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// Tells why the command line was refused, or prints the help that it asks for.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let escaped: Vec<OsString> = words
        .map(|word| visible(&word).into_owned().into())
        .collect();
    // Errors of the terminal are ignored.
    if escaped == arguments || !error.use_stderr() {
        let _ = error.print();
    } else {
        // The message quotes arguments: it is made from escaped ones.
        match parsed(&escaped) {
            Err(error) => drop(error.print()),
            Ok(_) => message::tell(error),
        }
    }
    match error.use_stderr() {
        true => Exit::Error,
        false => Exit::Found,
    }
}

fn end(result: Result<Exit, message::Error>) -> Exit {
    result.unwrap_or_else(|error| {
        message::tell(&error);
        Exit::Error
    })
}
