//! Layer 7: the command line. Turns arguments into the options of the layers below, and runs a
//! subcommand.

pub(crate) mod args;
mod audit;
mod changed;
mod config;
mod destination;
mod explanations;
mod extract;
mod fix;
mod help;
mod inputs;
mod manual;
mod message;
pub(crate) mod process;
mod uri;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use args::{AuditArgs, Cli, Command, command};
use config::Config;
pub(crate) use process::Exit;

use crate::output::escape::visible;
use crate::pipeline::MessageForm;

/// Runs the command line and returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (cli, matches) = match parsed(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => return print_clap_error(&error, &arguments),
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
            let command = Cli::command();
            let flags = command.find_subcommand("audit").unwrap_or(&command);
            match audit::with_config(given, &arguments, flags) {
                Ok(Some((more, config))) => {
                    return audit_with_config(&more, &config, given, audit_matches(&matches));
                }
                Ok(None) => audit::run(given, audit_matches(&matches), None),
                Err(error) => Err(error),
            }
        }
    };
    let messages = match &cli.command {
        None => cli.extract.output.messages,
        Some(Command::Extract(arguments)) => arguments.output.messages,
        Some(_) => MessageForm::Words,
    };
    exit(result, messages)
}

/// Runs an audit with the flags of a configuration among its `arguments`; `given` and `matches` are
/// those of the command line alone.
fn audit_with_config(
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
                let ran = audit::run(completed, all, Some(&notice));
                exit(ran, MessageForm::Words)
            }
            // INVARIANT: flags are added after the word `audit`.
            _ => Exit::Error,
        },
        Err(error) => {
            let file = config.file.display();
            message::report(&format!("with the configuration of {file}:"));
            print_clap_error(&error, arguments)
        }
    }
}

fn audit_matches(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand_matches("audit").unwrap_or(matches)
}

fn parsed(arguments: &[OsString]) -> Result<(Cli, ArgMatches), clap::Error> {
    let matches = Cli::command().try_get_matches_from(arguments)?;
    Ok((Cli::from_arg_matches(&matches)?, matches))
}

/// Prints the error of a command line, or the help or version that it asks for.
fn print_clap_error(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let escaped: Vec<OsString> = words
        .map(|word| visible(&word).into_owned().into())
        .collect();
    if !error.use_stderr() {
        // Only the arranged command has the whole help, which contains no arguments.
        let arranged = command().try_get_matches_from(arguments);
        let error = arranged.as_ref().err().unwrap_or(error);
        let printed = process::standard_output()
            .and_then(|_| error.print())
            .and_then(|()| io::stdout().flush());
        return match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                message::report(&format!("cannot write: {error}"));
                Exit::Error
            }
            _ => Exit::Found,
        };
    }
    // Errors on standard error are ignored.
    if escaped == arguments {
        let _ = error.print();
    } else {
        // The message quotes arguments, so it is made from escaped ones.
        match parsed(&escaped) {
            Err(error) => drop(error.print()),
            Ok(_) => message::report(error),
        }
    }
    Exit::Error
}

fn exit(result: Result<Exit, message::Error>, messages: MessageForm) -> Exit {
    result.unwrap_or_else(|error| {
        match messages {
            MessageForm::Words => message::report(&error),
            MessageForm::Records => message::report_record(&error),
        }
        Exit::Error
    })
}
