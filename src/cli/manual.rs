//! Documentation that the command prints: explanations of rules, codes and flags, JSON Schemas, the
//! formats, man pages and completions.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use toml::Table;

use super::args::input::AddedTypes;
use super::args::output::GeneratedKind;
use super::args::{SchemaArgs, SchemaFormatArg, command};
use super::destination::{OutputTarget, cannot_write};
use super::help::{Page, nearest, subcommands};
use super::message::{Result, print};
use super::process::Exit;
use crate::archive::WEB_ARCHIVES;
use crate::audit::rules::RULES;
use crate::document::Format;
use crate::document::diagnostic::CODES;
use crate::document::flags::Flags;
use crate::output::escape::visible;
use crate::output::table::push_schema;

pub(super) fn explain(name: &str) -> Result<Exit> {
    let tables = tables();
    let mut rows = tables.iter().flatten();
    match rows.find(|row| row.name.eq_ignore_ascii_case(name)) {
        Some(row) => print(explanation(row).as_bytes()),
        None => Err(unknown(name, &tables).into()),
    }
}

fn explanation(row: &Explanation) -> String {
    let level = RULES.iter().find(|rule| rule.name == row.name);
    let level = level.map(|rule| format!(", {} by default", rule.level.name()));
    let level = level.unwrap_or_default();
    format!(
        "{} ({}{level})\n\n{}\n\n\
         Why it matters: {}\n\n\
         Example:\n    {}\n\n\
         To allow it: {}\n",
        row.name, row.kind, row.meaning, row.why, row.example, row.allow
    )
}

fn unknown(name: &str, tables: &[Vec<Explanation>]) -> String {
    if let Some(near) = nearest(name, tables.iter().flatten().map(|row| row.name)) {
        return format!("--explain: unknown name {name}; did you mean {near}?");
    }
    let lists = tables.iter().map(|rows| {
        let names: Vec<_> = rows.iter().map(|row| row.name).collect();
        format!("{}s: {}", rows[0].kind, names.join(", "))
    });
    let lists = lists.collect::<Vec<_>>().join("; ");
    format!("--explain: unknown name {name}; {lists}")
}

pub(super) fn print_schema(arguments: &SchemaArgs) -> Result<Exit> {
    if arguments.format == SchemaFormatArg::Json {
        if !arguments.columns.is_empty() || arguments.dictionaries {
            return Err("--columns and --dictionaries go with --format arrow".into());
        }
        return print(arguments.record.text().as_bytes());
    }
    let Some(fields) = arguments.record.fields else {
        let hint = "uriscan schema link --format arrow";
        return Err(format!("only link, record and target have tables: {hint}").into());
    };
    let (fields, mut table) = (fields(&arguments.columns)?, Vec::new());
    push_schema(&fields, arguments.dictionaries, &mut table);
    print(&table)
}

/// Prints all formats with the extensions of their files, and those that were added.
pub(super) fn print_types(added: &[AddedTypes]) -> Result<Exit> {
    let mut text = String::new();
    for format in Format::all() {
        let glob = |name: &str, is_extension| {
            format!("{}{}", if is_extension { "*." } else { "" }, visible(name))
        };
        let own = format.extensions.iter().map(|name| glob(name, true));
        let own = own.chain(format.file_names.iter().map(|name| glob(name, false)));
        let added = added.iter().flat_map(|one| &one.0);
        let added = added.filter(|one| one.format == format);
        let added = added.map(|one| glob(&one.name, one.is_extension));
        let globs: Vec<_> = own.chain(added).collect();
        text += &format!("{}: {}\n", format.name, globs.join(", "));
    }
    let [name, other] = WEB_ARCHIVES;
    text += &format!("{name}: *.{name}, *.{other}\n");
    print(text.as_bytes())
}

pub(super) fn generate(kind: &GeneratedKind, output: Option<&Path>) -> Result<Exit> {
    let text = match (kind, output) {
        (GeneratedKind::Man(""), Some(folder)) => return write_pages(folder),
        (GeneratedKind::Man(name), _) => man(name),
        (GeneratedKind::Complete(shell), _) => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut command(), "uriscan", &mut out);
            Ok(out)
        }
    };
    match output {
        Some(path) => write_file(path, &text?).map(|()| Exit::Found),
        None => print(&text?),
    }
}

/// Writes the pages of the command and of all subcommands into a folder.
fn write_pages(folder: &Path) -> Result<Exit> {
    let failed = |error| cannot_write(folder, &error);
    fs::create_dir_all(folder).map_err(failed)?;
    for name in std::iter::once("").chain(subcommands()) {
        let file = folder.join(format!("{}.1", page_name(name)));
        write_file(&file, &man(name).map_err(failed)?)?;
    }
    Ok(Exit::Found)
}

fn write_file(path: &Path, text: &[u8]) -> Result<()> {
    let mut destination = OutputTarget::of(Some(path))?.open()?;
    let written = destination.write_all(text);
    let written = written.and_then(|()| destination.finish());
    written.map_err(|error| cannot_write(path, &error))
}

/// An empty name is the command itself.
fn man(name: &str) -> io::Result<Vec<u8>> {
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

/// Adds the rules to the page of `audit`, and codes and flags to the pages of `extract` and `audit`.
fn push_tables(name: &str, roff: &mut Roff) {
    let [rules, codes, flags] = tables();
    if name == "audit" {
        roff.control("SH", ["RULES"]);
        let order = "A link has one finding: the first rule that applies, in this order.";
        roff.text([roman(order)]);
        for (rule, row) in RULES.iter().zip(rules) {
            push_row(&row, &format!(" ({} by default)", rule.level.name()), roff);
        }
    }
    if matches!(name, "" | "extract" | "audit") {
        for (heading, rows) in [("DIAGNOSTICS", codes), ("FLAGS OF RECORDS", flags)] {
            roff.control("SH", [heading]);
            for row in &rows {
                push_row(row, "", roff);
            }
        }
    }
}

fn push_row(row: &Explanation, note: &str, roff: &mut Roff) {
    roff.control("TP", []);
    roff.text([bold(row.name), roman(note)]);
    let Explanation { meaning, why, .. } = row;
    let (example, allow) = (row.example, &row.allow);
    let text = format!("{meaning} {why} For example: {example}. {allow}");
    roff.text([roman(text)]);
}

fn push_page(page: &Page, roff: &mut Roff) {
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in &page.exits {
        roff.control("TP", []);
        roff.text([bold(code)]);
        roff.text([roman(meaning)]);
    }
    for (heading, paragraph) in &page.notes {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        roff.text([roman(paragraph)]);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (command, about) in &page.examples {
        roff.control("TP", []);
        roff.text([roman(format!("{about}:"))]);
        roff.text([bold(command)]);
    }
}

fn push_see_also(name: &str, roff: &mut Roff) {
    let others = std::iter::once("").chain(subcommands());
    let others = others.filter(|other| *other != name);
    let mut pages: Vec<_> = others.map(|name| page_name(name) + "(1)").collect();
    pages.sort();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman(pages.join(", "))]);
}

fn page_name(name: &str) -> String {
    let hyphen = ["-", ""][usize::from(name.is_empty())];
    format!("uriscan{hyphen}{name}")
}

/// The explanation of a name in records, for `--explain` and the man pages.
struct Explanation {
    /// `rule`, `diagnostic` or `flag`.
    kind: &'static str,
    name: &'static str,
    meaning: &'static str,
    why: &'static str,
    example: &'static str,
    /// Advice to allow or to avoid it.
    allow: String,
}

/// The contents of `explanations.toml`: a table for each kind, and the advice that many names share.
static TEXTS: LazyLock<Table> = LazyLock::new(|| {
    // INVARIANT: a test reads every explanation.
    toml::from_str(include_str!("explanations.toml")).unwrap_or_default()
});

fn text(kind: &str, name: &str, key: &str) -> Option<&'static str> {
    TEXTS.get(kind)?.get(name)?.get(key)?.as_str()
}

impl Explanation {
    fn new(kind: &'static str, name: &'static str, meaning: Option<&'static str>) -> Self {
        let text = |key| text(kind, name, key).unwrap_or_default();
        let allow = text("allow");
        let shared = TEXTS.get("advice").and_then(|advice| advice.get(allow));
        let allow = shared.and_then(|shared| shared.as_str()).unwrap_or(allow);
        Explanation {
            kind,
            name,
            meaning: meaning.unwrap_or_else(|| text("meaning")),
            why: text("why"),
            example: text("example"),
            allow: allow.replace("FLAG", name),
        }
    }
}

/// Returns the explanations of all rules in order, of all diagnostic codes, and of all flags.
fn tables() -> [Vec<Explanation>; 3] {
    let rules = RULES.iter().map(|rule| ("rule", rule.name, None));
    let codes = CODES.iter().map(|code| ("diagnostic", code.name, None));
    let flags = Flags::NAMES.iter().zip(Flags::MEANINGS);
    let flags = flags.map(|(name, meaning)| ("flag", *name, Some(meaning.trim_start())));
    let tables: [Vec<_>; 3] = [rules.collect(), codes.collect(), flags.collect()];
    let explained = |(kind, name, meaning)| Explanation::new(kind, name, meaning);
    tables.map(|rows| rows.into_iter().map(explained).collect())
}

#[cfg(test)]
#[path = "../../tests/unit/cli/manual.rs"]
mod tests;
