//! Man pages and completions of shells, made from the flags.

use std::fs;
use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::command;
use super::destination::OutputTarget;
use super::help::Page;
use super::message::Error;
use super::{Exit, print};
use crate::audit::explain::RULES;
use crate::audit::rules;
use crate::document::explain::{CODES, Explanation, FLAGS};

/// A page or a script that `--generate` makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeneratedKind {
    /// The man page of the command; all pages where a folder is given.
    Man,
    /// The man page of a subcommand.
    ManOf(&'static str),
    /// Completions for a shell.
    Complete(Shell),
}

/// Shells with the names of their completions.
const SHELLS: [(&str, Shell); 4] = [
    ("complete-bash", Shell::Bash),
    ("complete-zsh", Shell::Zsh),
    ("complete-fish", Shell::Fish),
    ("complete-powershell", Shell::PowerShell),
];

/// The kind of a name.
pub(super) fn kind(name: &str) -> Result<GeneratedKind, String> {
    if let Some(subcommand) = name.strip_prefix("man=") {
        let page = Page::named(subcommand).filter(|page| !page.name.is_empty());
        return page
            .map(|page| GeneratedKind::ManOf(page.name))
            .ok_or_else(|| {
                let names = super::help::PAGES.iter().map(|page| page.name);
                let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
                format!("man= takes {}", names.join(", "))
            });
    }
    if name == "man" {
        return Ok(GeneratedKind::Man);
    }
    let shell = SHELLS.iter().find(|(known, _)| *known == name);
    shell
        .map(|(_, shell)| GeneratedKind::Complete(*shell))
        .ok_or_else(|| {
            let names: Vec<_> = SHELLS.iter().map(|(name, _)| *name).collect();
            format!("there are man, man=SUBCOMMAND, {}", names.join(", "))
        })
}

/// Makes it and writes it to the output.
pub(super) fn run(kind: &GeneratedKind, output: Option<&Path>) -> Result<Exit, Error> {
    let made = match (kind, output) {
        (GeneratedKind::Man, Some(folder)) => {
            let written = write_pages(folder).map(|()| Exit::Found);
            return written.map_err(|error| {
                Error::new(format!("cannot write {}: {error}", folder.display()))
            });
        }
        (GeneratedKind::Man, None) => man(""),
        (GeneratedKind::ManOf(name), _) => man(name),
        (GeneratedKind::Complete(shell), _) => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut command(), "uriscan", &mut out);
            Ok(out)
        }
    };
    let made = made.map_err(|error| Error::new(error.to_string()))?;
    let Some(path) = output else {
        return print(&made);
    };
    let mut destination = OutputTarget::of(Some(path))?.open()?;
    let written = std::io::Write::write_all(&mut destination, &made);
    match written.and_then(|()| destination.finish()) {
        Ok(()) => Ok(Exit::Found),
        Err(error) => Err(Error::new(format!(
            "cannot write {}: {error}",
            path.display()
        ))),
    }
}

/// Writes the page of the command and that of each subcommand into a folder.
fn write_pages(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for page in super::help::PAGES {
        let name = match page.name {
            "" => "uriscan.1".to_owned(),
            name => format!("uriscan-{name}.1"),
        };
        fs::write(folder.join(name), man(page.name)?)?;
    }
    Ok(())
}

/// The man page of a subcommand, or of the command itself where the name is empty.
fn man(name: &str) -> std::io::Result<Vec<u8>> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    if let Some(subcommand) = command.find_subcommand(name) {
        command = subcommand.clone();
    }
    let version = format!("uriscan {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(version);
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let mut roff = Roff::new();
    push_tables(name, &mut roff);
    if let Some(page) = Page::named(name) {
        push_page(page, &mut roff);
    }
    push_see_also(name, &mut roff);
    roff.to_writer(&mut out)?;
    Ok(out)
}

/// Rules for an audit; diagnostics and flags for everything that reads documents.
fn push_tables(name: &str, roff: &mut Roff) {
    if name == "audit" {
        roff.control("SH", ["RULES"]);
        roff.text([roman(
            "A link has one finding: the first rule that applies, in this order.",
        )]);
        for row in RULES {
            let rule = rules::RULES.iter().find(|rule| rule.name == row.name);
            let level = rule.map_or("", |rule| rule.level.name());
            push_row(row, &format!(" ({level} by default)"), roff);
        }
    }
    if matches!(name, "" | "extract" | "audit") {
        for (heading, rows) in [("DIAGNOSTICS", CODES), ("FLAGS OF RECORDS", FLAGS)] {
            roff.control("SH", [heading]);
            for row in rows {
                push_row(row, "", roff);
            }
        }
    }
}

fn push_row(row: &Explanation, note: &str, roff: &mut Roff) {
    roff.control("TP", []);
    roff.text([bold(row.name), roman(note)]);
    let allow = row.allow.replace("FLAG", row.name);
    let text = format!(
        "{} {} For example: {}. {allow}",
        row.meaning, row.why, row.example
    );
    roff.text([roman(text)]);
}

fn push_page(page: &Page, roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in page.exits {
        roff.control("TP", []);
        roff.text([bold(*code)]);
        roff.text([roman(*meaning)]);
    }
    for (heading, paragraph) in page.notes {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        roff.text([roman(*paragraph)]);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (command, about) in page.examples {
        roff.control("TP", []);
        roff.text([roman(format!("{about}:"))]);
        roff.text([bold(*command)]);
    }
}

fn push_see_also(name: &str, roff: &mut Roff) {
    let mut pages: Vec<String> = super::help::PAGES
        .iter()
        .filter(|page| page.name != name)
        .map(|page| match page.name {
            "" => "uriscan(1)".to_owned(),
            name => format!("uriscan-{name}(1)"),
        })
        .collect();
    pages.sort();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(pages.join(", "))]);
}
