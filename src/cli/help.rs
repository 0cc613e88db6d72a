//! Help: the flags of `-h`; examples, exit codes and notes for `--help` and the man pages; and hints
//! for common mistakes.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use serde::Deserialize;

use super::message::Result;
use crate::pipeline::walk::bytes_of;

/// The help of a subcommand besides its flags, as in `help.toml`.
#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) name: String,
    /// The most used flags, which `-h` shows, by their long names, with their descriptions there.
    pub(super) short: Vec<(String, String)>,
    /// Descriptions in `--help` of flags that come with shared groups and differ from them.
    #[serde(default)]
    long: Vec<(String, String)>,
    pub(super) exits: Vec<(String, String)>,
    pub(super) examples: Vec<(String, String)>,
    pub(super) notes: Vec<(String, String)>,
    /// The long names of flags of other subcommands that come with shared groups and are refused.
    #[serde(default)]
    unused: Vec<String>,
    /// The long names of flags that choose links, and need --links.
    #[serde(default)]
    with_links: Vec<String>,
    /// The line of usage, where the arguments have other names.
    usage: Option<String>,
}

/// Refuses flags that a subcommand does not use.
pub(super) fn check_used(name: &str, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some(page) = Page::named(name) else {
        return Ok(());
    };
    let is_given = |flag: &String| {
        let source = matches.value_source(&flag.replace('-', "_"));
        source == Some(ValueSource::CommandLine)
    };
    let has_links = is_given(&"links".to_owned());
    for (flags, rest) in [(&page.unused, ""), (&page.with_links, " without --links")] {
        let mut flags = flags.iter().filter(|_| rest.is_empty() || !has_links);
        if let Some(flag) = flags.find(|flag| is_given(flag)) {
            let message = format!("{name} does not use --{flag}{rest}\n");
            return Err(clap::Error::raw(ErrorKind::UnknownArgument, message));
        }
    }
    Ok(())
}

/// The pages of all subcommands; the first is also the page of the command itself.
pub(super) static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Pages {
        page: Vec<Page>,
    }
    // INVARIANT: a test reads every page.
    toml::from_str(include_str!("help.toml")).map_or(Vec::new(), |pages: Pages| pages.page)
});

pub(super) fn subcommands() -> impl Iterator<Item = &'static str> + Clone {
    PAGES.iter().map(|page| page.name.as_str())
}

/// Returns whether a subcommand refuses a flag that comes with a shared group.
pub(super) fn is_unused(subcommand: &str, flag: &str) -> bool {
    Page::named(subcommand).is_some_and(|page| page.unused.iter().any(|unused| unused == flag))
}

impl Page {
    /// Returns the page of a subcommand, or of the command itself if the name is empty.
    pub(super) fn named(name: &str) -> Option<&'static Page> {
        let mut pages = PAGES.iter();
        pages.find(|page| page.name == name || name.is_empty())
    }

    fn text(&self) -> String {
        let mut text = String::from("Exit codes:\n");
        for (code, meaning) in &self.exits {
            text += &format!("  {code}  {meaning}\n");
        }
        text += "\nExamples:";
        for (command, about) in &self.examples {
            text += &format!("\n  {about}:\n    {command}\n");
        }
        for (heading, paragraph) in &self.notes {
            text += &format!("\n{heading}: {paragraph}\n");
        }
        text
    }

    fn arrange(&'static self, command: Command) -> Command {
        command
            .mut_args(|flag| {
                let name = flag.get_long().unwrap_or_default();
                if self.unused.iter().any(|unused| unused == name) {
                    return flag.hide(true);
                }
                let row = |(known, _): &&(String, String)| known == name;
                let short = self.short.iter().find(row);
                let long = self.long.iter().find(row).map(|(_, text)| text.into());
                let own = || flag.get_long_help().or(flag.get_help()).cloned();
                // Man pages describe flags that `-h` hides by their long help alone.
                let long = long.or_else(own).unwrap_or_default();
                match short {
                    Some((_, text)) => flag.help(text).long_help(long),
                    None => flag.hide_short_help(true).long_help(long),
                }
            })
            .override_usage(self.usage.as_deref())
            .after_help("--help shows all options, examples and exit codes.")
            .after_long_help(self.text())
    }
}

pub(super) fn arrange(mut command: Command) -> Command {
    for page in &*PAGES {
        command = command.mut_subcommand(&page.name, |command| page.arrange(command));
    }
    match Page::named("") {
        Some(page) => page.arrange(command),
        None => command,
    }
}

/// Words that people try for subcommands.
const ALIASES: [(&str, &str); 4] = [
    ("audit", "check lint verify"),
    ("extract", "list links find scan grep"),
    ("resolve", "absolutize join"),
    ("parse", "split components"),
];

/// Checks that paths are not URLs.
pub(super) fn check_paths(paths: &[PathBuf]) -> Result<()> {
    let is_url = |path: &&PathBuf| is_url(bytes_of(path)) && !path.exists();
    match paths.iter().find(is_url) {
        Some(path) => Err(fetch_first(&path.to_string_lossy()).into()),
        None => Ok(()),
    }
}

/// Checks that paths are not subcommands, where none was given.
pub(super) fn check_words(paths: &[PathBuf]) -> Result<()> {
    for (index, path) in paths.iter().enumerate() {
        let Some(word) = path.to_str().filter(|_| !path.exists()) else {
            continue;
        };
        if subcommands().any(|name| name == word) {
            let hint = format!("a subcommand comes before all options: uriscan {word} ...");
            Err(format!("{word}: no such file; {hint}"))?;
        }
        // Only the first word can be a mistyped subcommand.
        if index == 0
            && let Some(meant) = subcommand(word)
        {
            let rest = paths[1..].iter().map(|path| path.to_string_lossy());
            let mut rest = rest.collect::<Vec<_>>().join(" ");
            if paths.len() == 1 {
                rest += "...";
            }
            let hint = format!("did you mean {meant}: uriscan {meant} {rest}");
            return Err(format!("{word}: no such file; {hint}").into());
        }
    }
    Ok(())
}

fn subcommand(word: &str) -> Option<&'static str> {
    let is_alias = |aliases: &str| aliases.split(' ').any(|alias| alias == word);
    let row = ALIASES.iter().find(|(_, aliases)| is_alias(aliases));
    let meant = row.map(|(meant, _)| *meant);
    meant.or_else(|| nearest(word, subcommands()))
}

/// Returns whether bytes begin with a scheme and `://`.
pub(super) fn is_url(bytes: &[u8]) -> bool {
    let scheme = memchr::memmem::find(bytes, b"://").map(|end| &bytes[..end]);
    scheme.is_some_and(is_scheme)
}

/// Returns whether bytes are a scheme (RFC 3986 section 3.1).
pub(super) fn is_scheme(bytes: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(inner)
}

fn fetch_first(url: &str) -> String {
    if url.starts_with("file:") {
        return format!("{url}: uriscan reads files: give the path, without file://");
    }
    let is_odd = |c: char| !c.is_ascii_graphic() || c == '\'';
    let quoted = if url.contains(is_odd) {
        "URL".to_owned()
    } else {
        format!("'{url}'")
    };
    let command = format!("curl -sL {quoted} | uriscan --base {quoted}");
    format!("{url}: uriscan reads files, and never uses the network; fetch it first: {command}")
}

/// Returns the candidate with the smallest edit distance to a word, at most a third of its length.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The distance takes time by the product of both lengths.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&word, name);
    let with_distance = known.map(|name| (distance(name), name));
    let (distance, nearest) = with_distance.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= nearest.len()).then_some(nearest)
}

/// Returns the end of an error about a name: the names that exist.
pub(super) fn possible_values<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("possible values: {}", names.collect::<Vec<_>>().join(", "))
}

/// Returns the value of a name among the rows of a table; the error lists the names.
pub(super) fn named<T>(
    name: &str,
    rows: impl Iterator<Item = (&'static str, T)> + Clone,
) -> Result<T, String> {
    let row = rows.clone().find(|(known, _)| *known == name);
    row.map(|(_, value)| value)
        .ok_or_else(|| possible_values(rows.map(|(name, _)| name)))
}

#[cfg(test)]
#[path = "../../tests/unit/cli/help.rs"]
mod tests;
