//! Help: the flags of `-h`, and examples, exit codes and notes for `--help` and the man pages.

use clap::Command;

/// The help of a subcommand besides its flags.
pub(super) struct Page {
    /// The subcommand; empty for the command itself.
    pub(super) name: &'static str,
    /// The flags that `-h` shows, by their long names, and what it says of them: those that most
    /// people use.
    pub(super) short: &'static [(&'static str, &'static str)],
    /// Exit codes and what they mean.
    pub(super) exits: &'static [(&'static str, &'static str)],
    /// Commands and what they do.
    pub(super) examples: &'static [(&'static str, &'static str)],
    /// What else is to be known: a heading and a paragraph.
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

/// The name of the arguments that are no flags.
const PATHS: &str = "";

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
         may hold one. --csv-safe puts an apostrophe in front of such cells.",
    ),
];

/// The help of every subcommand.
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
            ("format", "text, jsonl, sarif, junit, github"),
            ("json", "The same as --format jsonl"),
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
        examples: &[("uriscan schema link", "Print the JSON Schema of links")],
        notes: &[],
    },
];

impl Page {
    /// The page of a subcommand.
    pub(super) fn named(name: &str) -> Option<&'static Page> {
        PAGES.iter().find(|page| page.name == name)
    }

    /// What stands behind the flags in `--help`.
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

/// Adds to a command what `-h` and `--help` show besides the flags.
pub(super) fn arrange(command: Command) -> Command {
    PAGES.iter().fold(command, |command, page| match page.name {
        "" => page.arrange(command),
        name => command.mut_subcommand(name, |command| page.arrange(command)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    #[test]
    fn every_subcommand_has_a_page_and_every_flag_of_a_page_exists() {
        let command = command();
        for subcommand in command.get_subcommands() {
            assert!(Page::named(subcommand.get_name()).is_some());
        }
        for page in PAGES {
            let command = match page.name {
                "" => &command,
                name => command.find_subcommand(name).unwrap(),
            };
            for (flag, _) in page.short {
                let mut flags = command.get_arguments();
                assert!(
                    flags.any(|known| known.get_long().unwrap_or(PATHS) == *flag),
                    "{}: --{flag}",
                    page.name
                );
            }
        }
    }

    #[test]
    fn examples_are_valid_command_lines() {
        for (line, _) in PAGES.iter().flat_map(|page| page.examples) {
            let line = &line[line.find("uriscan").unwrap()..];
            let words: Vec<_> = line
                .split(' ')
                .map(|word| word.trim_matches('\''))
                .collect();
            if let Err(error) = command().try_get_matches_from(&words) {
                panic!("{line}: {error}");
            }
        }
    }
}
