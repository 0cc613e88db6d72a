//! Layer 7: the command line. Turns arguments into the options of the layers below, and runs a
//! subcommand.

pub(crate) mod args;
mod audit;
mod change;
mod changed;
mod config;
mod destination;
mod extract;
mod fix;
mod help;
mod inputs;
mod manual;
mod message;
pub(crate) mod process;
mod relocate;
mod uri;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Command, command};
use config::Config;
pub(crate) use process::Exit;

use crate::output::escape::visible;
use crate::output::json::push_fatal;
use crate::pipeline::MessageForm;

/// Runs the command line and returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut cli = match parsed(&arguments) {
        Ok(cli) => cli,
        Err(error) => return print_clap_error(&error, &arguments),
    };
    let config = match configure(&mut cli, &arguments) {
        Ok(config) => config,
        Err(exit) => return exit,
    };
    let messages = match &cli.command {
        None => cli.extract.output.messages,
        Some(Command::Extract(given) | Command::Records(given)) => given.output.messages,
        Some(_) => MessageForm::Words,
    };
    let result = match &cli.command {
        None => {
            help::check_words(&cli.extract.paths).and_then(|()| extract::run(&cli.extract, false))
        }
        Some(Command::Extract(arguments)) => extract::run(arguments, false),
        Some(Command::Records(arguments)) => extract::run(arguments, true),
        Some(Command::Targets(arguments)) => change::targets(arguments, config.as_ref()),
        Some(Command::Diff(arguments)) => change::diff(arguments, config.as_ref()),
        Some(Command::Mv(arguments)) => relocate::run(arguments, config.as_ref()),
        Some(Command::Resolve(arguments)) => uri::resolve(arguments),
        Some(Command::Parse(arguments)) => uri::parse(arguments),
        Some(Command::Schema(arguments)) => manual::print_schema(arguments),
        Some(Command::Audit(arguments)) => audit::run(arguments, config.as_ref()),
    };
    if let Some(config) = config.filter(|config| !config.is_quiet) {
        config.report();
    }
    exit(result, messages)
}

/// Adds the flags of a configuration to an audit, or to a subcommand that has its flags.
fn configure(cli: &mut Cli, given: &[OsString]) -> Result<Option<Config>, Exit> {
    let Some((name, before)) = cli.command.as_mut().and_then(Command::audit_mut) else {
        return Ok(None);
    };
    let completed = audit::with_config(name, before, given);
    let completed = completed.map_err(|error| exit(Err(error), MessageForm::Words))?;
    let Some((arguments, mut config)) = completed else {
        return Ok(None);
    };
    let mut completed = parsed(&arguments).map_err(|error| {
        let file = config.file.display();
        message::report(&format!("with the configuration of {file}:"));
        print_clap_error(&error, &arguments)
    })?;
    if let Some((_, after)) = completed.command.as_mut().and_then(Command::audit_mut) {
        config.compare(before, after);
    }
    *cli = completed;
    Ok(Some(config))
}

fn parsed(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(arguments)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some((name, audit)) = cli.command.as_mut().and_then(Command::audit_mut)
        && let Some((_, matches)) = matches.subcommand()
    {
        help::check_used(name, matches)?;
        audit.findings.check_format(name)?;
        audit.check.set_levels(matches);
        if let Some(Command::Diff(diff)) = &mut cli.command {
            diff.set_sides(matches);
        }
    }
    Ok(cli)
}

/// Prints the error of a command line, or the help or version that it asks for.
fn print_clap_error(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let escape = |word: &OsString| visible(&word.to_string_lossy()).into_owned().into();
    let escaped: Vec<OsString> = arguments.iter().map(escape).collect();
    if !error.use_stderr() {
        // Only the arranged command has the whole help, which contains no arguments.
        let arranged = command().try_get_matches_from(arguments);
        let error = arranged.as_ref().err().unwrap_or(error);
        let printed = process::standard_output()
            .and_then(|_| error.print())
            .and_then(|()| io::stdout().flush());
        let result = message::unless_closed(printed).map(|_| Exit::Found);
        return exit(result, MessageForm::Words);
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
    result.unwrap_or_else(|message::Error(error)| {
        match messages {
            MessageForm::Words => message::report(&error),
            MessageForm::Records => {
                let mut record = Vec::new();
                push_fatal(&error, &mut record);
                message::write_stderr(&record);
            }
        }
        Exit::Error
    })
}
