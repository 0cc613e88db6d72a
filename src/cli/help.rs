//! Help: the flags of `-h`; examples, exit codes and notes for `--help` and the man pages; and hints
//! for common mistakes.

use std::path::PathBuf;

use clap::Command;

use super::message::Error;

/// The help of a subcommand besides its flags.
pub(super) struct Page {
    /// The subcommand; empty for the command itself.
    pub(super) name: &'static str,
    /// The most used flags, which `-h` shows, by their long names, with their descriptions there.
    pub(super) short: &'static [(&'static str, &'static str)],
    /// Exit codes and their meanings.
    pub(super) exits: &'static [(&'static str, &'static str)],
    /// Commands and their descriptions.
    pub(super) examples: &'static [(&'static str, &'static str)],
    /// Headings and paragraphs.
    pub(super) notes: &'static [(&'static str, &'static str)],
}

const EXTRACT_FLAGS: &[(&str, &str)] = &[
    ("type", "Only documents of a type: text, html, md, mbox ..."),
    ("glob", "Only files that match; with a `!`, leave them out"),
    ("base", "The base of documents that bring none"),
    ("root", "Where a directory is served"),
    ("scheme", "Only targets of these schemes"),
    ("include", "Only targets that match a regular expression"),
    ("unique", "Each target once"),
    ("count", "How many there are in each file"),
    ("count-by", "Count by host, scheme, target, path, date ..."),
    ("files-with-matches", "The files that have any"),
    ("line-number", "Show path, line and column"),
    ("json", "Write records, one JSON object a line"),
    ("output", "Write to a file"),
    ("stats", "Print a summary"),
    ("verbose", "Name skipped files and what is odd"),
    ("explain", "Explain a code or a flag of a record"),
];

/// The name of positional arguments in [`Page::short`].
pub(super) const PATHS: &str = "";

const EXTRACT_EXITS: &[(&str, &str)] = &[
    ("0", "something was found"),
    ("1", "nothing was found; 0 with --exit-zero"),
    (
        "2",
        "an error: a bad option, an unreadable file, a damaged container; the work goes on to the end",
    ),
];

const EXTRACT_EXAMPLES: &[(&str, &str)] = &[
    (
        "uriscan --root public=https://example.com/ public",
        "List the references of a site, as they resolve where it is served",
    ),
    (
        "uriscan --json --fields path,line,target,flags docs",
        "Write records with the place of each reference",
    ),
    (
        "uriscan --count-by host list.mbox.gz",
        "Count the references of a mailing list by host",
    ),
    (
        "uriscan --unique --scheme https -t md .",
        "List each https target of the Markdown files below once",
    ),
    (
        "curl -sL https://example.com/ | uriscan --base https://example.com/",
        "Read a page from standard input",
    ),
    (
        "uriscan --explain maybe-wrapped",
        "Explain a flag of a record",
    ),
];

const EXTRACT_NOTES: &[(&str, &str)] = &[
    (
        "Memory",
        "Input of any size is read in bounded memory. --unique and --count-by hold what they have \
         seen: 15 to 30 bytes for each target of --unique, and for each value of --count-by its \
         length and about 30 bytes. Patterns of ignore files (.gitignore, .ignore, .uriscanignore) \
         are held too, and take several hundred times their length; --no-ignore leaves them aside.",
    ),
    (
        "Spreadsheets",
        "A cell that begins with =, +, - or @ is a formula to a spreadsheet, and a hostile document \
         may hold one. --csv-safe puts an apostrophe in front of such cells, and escapes \
         control characters, as on a terminal.",
    ),
];

/// The pages of all subcommands.
pub(super) static PAGES: &[Page] = &[
    Page {
        name: "",
        short: EXTRACT_FLAGS,
        exits: EXTRACT_EXITS,
        examples: EXTRACT_EXAMPLES,
        notes: EXTRACT_NOTES,
    },
    Page {
        name: "extract",
        short: EXTRACT_FLAGS,
        exits: EXTRACT_EXITS,
        examples: EXTRACT_EXAMPLES,
        notes: EXTRACT_NOTES,
    },
    Page {
        name: "audit",
        short: &[
            (PATHS, "Files and directories [default: .]"),
            ("type", "Only documents of a type: text, html, md, mbox ..."),
            ("glob", "Only files that match; with a `!`, leave them out"),
            ("root", "Where a directory is served"),
            ("exclude", "Do not check targets that match"),
            ("deny", "Make findings of a rule errors"),
            ("warn", "Make findings of a rule warnings"),
            ("allow", "Leave a rule out"),
            ("try-ext", "Extensions that references may leave out"),
            ("format", "text, jsonl, sarif, html ..."),
            ("json", "The same as --format jsonl"),
            ("group", "By target, rule, file or none"),
            ("report", "Write findings to a file too"),
            ("external", "List targets on the network instead"),
            ("fail-on", "error, warning or never"),
            ("baseline", "Leave out the findings that a file lists"),
            ("write-baseline", "List all findings in such a file"),
            ("touching", "Only findings that have to do with a file"),
            ("quiet", "Print nothing: only the exit code counts"),
            ("verbose", "Name skipped files and what is odd"),
            ("explain", "Explain a rule, a code or a flag"),
        ],
        exits: &[
            ("0", "no finding at or above --fail-on"),
            ("1", "findings at or above --fail-on; 0 with --exit-zero"),
            (
                "2",
                "an error: a bad option, an unreadable file, a damaged container; it wins over 1",
            ),
        ],
        examples: &[
            (
                "uriscan audit --root public=https://example.com/docs/",
                "Check a site against where it is served",
            ),
            (
                "uriscan audit --deny case-mismatch --allow redirected site",
                "Change the levels of rules",
            ),
            (
                "uriscan audit --format github --report sarif=findings.sarif docs",
                "Annotate a pull request, and write a report besides",
            ),
            (
                "uriscan audit --report html=links.html docs",
                "Write a page to show: findings by rule, target and folder",
            ),
            (
                "uriscan audit --write-baseline known.txt docs",
                "Accept the findings of today; --baseline known.txt leaves them out from then on",
            ),
            (
                "uriscan audit --touching docs/a.md --touching docs/b.md docs",
                "Check the whole tree, and show what comes from or leads to two files",
            ),
            (
                "uriscan audit --count-by rule docs",
                "Count the findings by rule",
            ),
            ("uriscan audit --explain broken-fragment", "Explain a rule"),
        ],
        notes: &[(
            "Memory",
            "An audit holds the names of all files, what their fragments can name, and the findings. \
             Patterns of ignore files take several hundred times their length.",
        )],
    },
    Page {
        name: "resolve",
        short: &[
            (
                PATHS,
                "References; without any, the lines of standard input",
            ),
            ("base", "The base"),
            ("rules", "whatwg, rfc3986, rfc2396 or rfc1808"),
            ("tab", "Lines of input may hold a base behind a tab"),
            ("json", "Print one JSON object for each reference"),
        ],
        exits: &[
            ("0", "all references resolve"),
            ("1", "one does not resolve, or there is none"),
            ("2", "an error: a bad option or a bad base"),
        ],
        examples: &[
            (
                "uriscan resolve --base http://example.com/a/b ../c '?d'",
                "Resolve two references",
            ),
            (
                "uriscan resolve --rules rfc2396 --base http://example.com/a/b ../../c",
                "Resolve to the letter of RFC 2396",
            ),
        ],
        notes: &[],
    },
    Page {
        name: "parse",
        short: &[
            (
                PATHS,
                "References; without any, the lines of standard input",
            ),
            ("rules", "rfc1738, rfc1808, rfc2396, rfc3986 or whatwg"),
            ("json", "Print one JSON object for each reference"),
        ],
        exits: &[
            ("0", "all references are valid"),
            ("1", "one is not valid, or there is none"),
            ("2", "an error: a bad option"),
        ],
        examples: &[
            (
                "uriscan parse 'http://example.com/a?b#c'",
                "Show components",
            ),
            (
                "uriscan parse --rules rfc1738 --json 'ftp://example.com/a;type=i'",
                "Check the syntax of a scheme, as JSON",
            ),
        ],
        notes: &[],
    },
    Page {
        name: "schema",
        short: &[(PATHS, "link, finding, summary, archive or count")],
        exits: &[
            ("0", "the schema was printed"),
            ("2", "an error: no such record"),
        ],
        examples: &[
            ("uriscan schema link", "Print the JSON Schema of links"),
            (
                "uriscan schema link --format arrow --columns all",
                "Print the columns of tables",
            ),
        ],
        notes: &[],
    },
];

impl Page {
    /// Returns the page of a subcommand.
    pub(super) fn named(name: &str) -> Option<&'static Page> {
        PAGES.iter().find(|page| page.name == name)
    }

    /// Returns the text after the flags in `--help`.
    fn text(&self) -> String {
        let mut text = String::from("Exit codes:\n");
        for (code, meaning) in self.exits {
            text += &format!("  {code}  {meaning}\n");
        }
        text += "\nExamples:\n";
        for (index, (command, about)) in self.examples.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n" };
            text += &format!("{gap}  {about}:\n    {command}\n");
        }
        for (heading, paragraph) in self.notes {
            text += &format!("\n{heading}: {paragraph}\n");
        }
        text
    }

    fn arrange(&self, command: Command) -> Command {
        command
            .mut_args(|flag| {
                let name = flag.get_long().unwrap_or(PATHS);
                let Some((_, text)) = self.short.iter().find(|(known, _)| *known == name) else {
                    return flag.hide_short_help(true);
                };
                let whole = flag.get_long_help().or(flag.get_help()).cloned();
                flag.help(*text).long_help(whole.unwrap_or_default())
            })
            .after_help("--help shows all options, examples and exit codes.")
            .after_long_help(self.text())
    }
}

/// Adds the pages to the help of a command and its subcommands.
pub(super) fn arrange(command: Command) -> Command {
    PAGES.iter().fold(command, |command, page| match page.name {
        "" => page.arrange(command),
        name => command.mut_subcommand(name, |command| page.arrange(command)),
    })
}

/// Names of the subcommands in other tools.
const ALIASES: [(&str, &str); 12] = [
    ("check", "audit"),
    ("lint", "audit"),
    ("verify", "audit"),
    ("list", "extract"),
    ("links", "extract"),
    ("find", "extract"),
    ("scan", "extract"),
    ("grep", "extract"),
    ("absolutize", "resolve"),
    ("join", "resolve"),
    ("split", "parse"),
    ("components", "parse"),
];

/// Returns the names of the subcommands.
pub(super) fn subcommands() -> impl Iterator<Item = &'static str> {
    let names = PAGES.iter().map(|page| page.name);
    names.filter(|name| !name.is_empty())
}

/// Checks that paths are not URLs, nor subcommands where none was given (`is_default`).
pub(super) fn check_paths(paths: &[PathBuf], is_default: bool) -> Result<(), Error> {
    let is_url = |path: &PathBuf| is_url(path.as_os_str().as_encoded_bytes());
    if let Some(path) = paths.iter().find(|path| is_url(path) && !path.exists()) {
        return Err(Error::new(fetch_first(&path.to_string_lossy())));
    }
    if !is_default {
        return Ok(());
    }
    for (index, path) in paths.iter().enumerate() {
        let Some(word) = path.to_str().filter(|_| !path.exists()) else {
            continue;
        };
        if subcommands().any(|name| name == word) {
            return Err(Error::new(format!(
                "{word}: no such file; as a subcommand it stands before all options: uriscan {word} ..."
            )));
        }
        // Only the first word can be a mistyped subcommand.
        if index == 0
            && let Some(meant) = subcommand(word)
        {
            let rest: Vec<_> = paths[1..]
                .iter()
                .map(|path| path.to_string_lossy())
                .collect();
            let rest = match rest.is_empty() {
                true => "...".to_owned(),
                false => rest.join(" "),
            };
            return Err(Error::new(format!(
                "{word}: no such file; did you mean {meant}: uriscan {meant} {rest}"
            )));
        }
    }
    Ok(())
}

fn subcommand(word: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word);
    alias
        .map(|(_, meant)| *meant)
        .or_else(|| nearest(word, subcommands()))
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
    let quotable = |c: char| c.is_ascii_graphic() && c != '\'';
    let command = match url.chars().all(quotable) {
        true => format!("curl -sL '{url}' | uriscan --base '{url}'"),
        false => "curl -sL URL | uriscan --base URL".to_owned(),
    };
    format!("{url}: uriscan reads files, and never uses the network; fetch it first: {command}")
}

/// Returns the candidate with the smallest edit distance to a word, at most a third of its length.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    // The distance takes time by the product of both lengths.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let with_distance =
        candidates.map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate));
    let (distance, nearest) = with_distance.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= nearest.len()).then_some(nearest)
}

/// Returns the end of an error about a name: the names that exist.
pub(super) fn there_are<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("there are {}", names.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[path = "../../tests/unit/cli/help.rs"]
mod tests;
