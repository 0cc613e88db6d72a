//! `uriscan extract`: list references, resolved.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use super::args::extract::ExtractArgs;
use super::args::output::{Reach, StatsArg};
use super::exit::Exit;
use super::message::{Error, tell};
use crate::document::FORMATS;
use crate::extractor;
use crate::output::json;
use crate::output::record::Summary;
use crate::pipeline::run::Outcome;
use crate::pipeline::walk::{Root, Walk};
use crate::pipeline::writer::Hurry;
use crate::pipeline::{self, Options, Report, Talk};

/// Runs it.
pub(super) fn run(arguments: &ExtractArgs) -> Result<Exit, Error> {
    if arguments.walk.type_list {
        return print_types();
    }
    let roots = roots(&arguments.paths);
    let options = options(arguments, &roots)?;
    let mut walking = arguments.walk.options()?;
    walking.sorted = options.order == pipeline::Order::Path;
    let walk = Walk::new(roots.into_iter().map(Ok), walking);
    let hurry = if io::stdout().is_terminal() {
        Hurry::Blocks
    } else {
        Hurry::Gathered
    };
    let outcome = pipeline::run(&options, walk, io::stdout(), hurry);
    finish(arguments, &options, &outcome)
}

fn roots(paths: &[PathBuf]) -> Vec<Root> {
    let root = |path: &PathBuf| match path.to_str() {
        Some("-") => Root::Standard,
        _ => Root::Path(path.clone()),
    };
    match paths {
        [] if io::stdin().is_terminal() => vec![Root::Here],
        [] => vec![Root::Standard],
        paths => paths.iter().map(root).collect(),
    }
}

fn options(arguments: &ExtractArgs, roots: &[Root]) -> Result<Options, Error> {
    let reach = match roots {
        [Root::Standard] => Reach::One,
        [Root::Path(path)] if !path.is_dir() => Reach::One,
        _ => Reach::Several,
    };
    let output = &arguments.output;
    let layout = output.layout(reach);
    Ok(Options {
        extractor: extractor::Options {
            formats: arguments.read.options(),
            ruling: arguments.base.ruling(),
            embedded_bases: arguments.base.embedded(),
            positions: output.positions(&layout),
            ..extractor::Options::default()
        },
        declared: arguments.read.encoding,
        formats: arguments.walk.types.clone(),
        bases: arguments.base.bases(&arguments.paths)?,
        output: output.output(),
        layout,
        report: if output.quiet {
            Report::Nothing
        } else {
            Report::Links
        },
        talk: Talk {
            errors: !output.no_messages,
            diagnostics: output.verbose,
            summary: output.stats.is_some() && !output.quiet,
        },
        threads: output.threads(),
        order: output.order(),
    })
}

fn finish(arguments: &ExtractArgs, options: &Options, outcome: &Outcome) -> Result<Exit, Error> {
    match &outcome.output_error {
        // The reader has had enough, which is no failure of ours.
        Some(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Found),
        Some(error) => return Err(Error::new(format!("cannot write: {error}"))),
        None => {}
    }
    let summary = &outcome.summary;
    if options.output.others.is_none() || options.report == Report::Nothing {
        print_stats(arguments.output.stats, summary);
    }
    if summary.files + summary.skipped_files + summary.errors == 0 {
        return Err(Error::new(
            "nothing was read: no file is of a format, and behind the filters, that were asked for",
        ));
    }
    let exit = if summary.errors + outcome.damaged > 0 {
        Exit::Error
    } else if summary.references > 0 {
        Exit::Found
    } else {
        Exit::Nothing
    };
    Ok(exit.or_zero(arguments.output.exit_zero))
}

fn print_stats(how: Option<StatsArg>, summary: &Summary) {
    let mut text = Vec::new();
    match how {
        None => return,
        Some(StatsArg::Json) => json::push_summary(summary, &mut text),
        Some(StatsArg::Text) => {
            for (name, count) in summary.counts() {
                let name = name.replace('_', " ");
                text.extend_from_slice(format!("{count} {name}\n").as_bytes());
            }
        }
    }
    // Who closes standard error does not want to know.
    let _ = io::stderr().write_all(&text);
}

fn print_types() -> Result<Exit, Error> {
    let mut text = String::new();
    for format in FORMATS {
        let globs: Vec<_> = format
            .extensions
            .iter()
            .map(|name| format!("*.{name}"))
            .collect();
        text += &format!("{}: {}\n", format.name, globs.join(", "));
    }
    print(text.as_bytes())
}

/// Prints what is no links; a reader that has had enough is fine.
fn print(bytes: &[u8]) -> Result<Exit, Error> {
    match io::stdout().write_all(bytes) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            tell(&format!("cannot write: {error}"));
            Ok(Exit::Error)
        }
        _ => Ok(Exit::Found),
    }
}
