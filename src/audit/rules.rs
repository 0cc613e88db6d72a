//! The audit's rules: one row each, in the order in which they are tried.

use super::disk::LookupMatch;
use super::target::{TargetFacts, TargetLocation};
use crate::document::diagnostic::Explanation;
use crate::document::flags::Flags;
use crate::uri::ResolveErrorKind;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported.
    Warning,
    /// Reported, and the audit fails.
    Error,
}

impl Level {
    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// The subject of a rule.
pub(super) enum RuleSubject {
    /// A link with its target; the function tells whether the rule applies.
    Link(fn(&TargetFacts<'_>) -> bool),
    /// A document as a whole; the passes of the audit find these.
    Document,
}

/// A rule of the audit.
#[non_exhaustive]
pub struct Rule {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// The level unless an option changes it.
    pub level: Level,
    /// The message of a finding.
    pub message: &'static str,
    /// The condition, in a sentence for `--explain`.
    pub meaning: &'static str,
    /// Why it matters, for `--explain`.
    pub why: &'static str,
    /// An input that the rule applies to, for `--explain`.
    pub example: &'static str,
    /// The way to allow it, for `--explain`.
    pub allow: &'static str,
    /// The subject and the condition.
    pub(super) subject: RuleSubject,
}

impl Rule {
    /// Returns the texts for `--explain`.
    pub(crate) fn explanation(&self) -> Explanation {
        Explanation {
            name: self.name,
            meaning: self.meaning,
            why: self.why,
            example: self.example,
            allow: self.allow,
        }
    }
}

/// Every rule. A link has at most one finding: that of the first rule that applies.
pub static RULES: &[Rule] = &[
    Rule {
        name: "broken-file",
        level: Level::Error,
        message: "no such file",
        meaning: "There is no file or directory at the target, none with an extension that may be left out, and no rule of the server leads to one.",
        why: "Readers who follow the link get an error.",
        example: "<a href=missing.html> where missing.html does not exist",
        allow: "--allow broken-file, or --try-ext html if the server adds extensions.",
        subject: RuleSubject::Link(|facts| {
            matches!(
                facts.location,
                TargetLocation::Nothing | TargetLocation::Misled
            )
        }),
    },
    Rule {
        name: "broken-index",
        level: Level::Error,
        message: "the directory has no index file",
        meaning: "The target is a directory without an index file.",
        why: "Servers answer with an error or list the files.",
        example: "<a href=images/> where images/ has no index.html",
        allow: "--allow broken-index, or --index NAMES if index files have other names.",
        subject: RuleSubject::Link(|facts| matches!(facts.location, TargetLocation::NoIndex(_))),
    },
    Rule {
        name: "broken-fragment",
        level: Level::Error,
        message: "no such id",
        meaning: "The target exists and has no such id, name, or heading of Markdown.",
        why: "Readers get to the top of the page and not to the place.",
        example: "<a href=guide.html#instal> where the page has id=install",
        allow: "--allow broken-fragment, or --fragments off if a script makes the ids.",
        subject: RuleSubject::Link(|facts| facts.fragment_missing),
    },
    Rule {
        name: "case-mismatch",
        level: Level::Warning,
        message: "only a name in other case or another Unicode form exists",
        meaning: "Only a name in other case, or in another Unicode form, exists.",
        why: "It works on the file systems of Windows and macOS, and fails on most servers.",
        example: "<a href=Guide.html> where the file is guide.html",
        allow: "--allow case-mismatch if the server ignores case.",
        subject: RuleSubject::Link(|facts| {
            facts.found_by(LookupMatch::OtherCase) || facts.fragment_in_other_case
        }),
    },
    Rule {
        name: "outside-root",
        level: Level::Warning,
        message: "the host is mounted, but not this path",
        meaning: "The host of the target is mounted, but the path lies outside every mounted directory.",
        why: "What is there is not in the tree, so nothing can be said about it; often the prefix is forgotten.",
        example: "<a href=/guide/> in a site that is served at https://example.com/docs/",
        allow: "--allow outside-root, or mount that part too: --root DIR=URI.",
        subject: RuleSubject::Link(|facts| {
            matches!(
                facts.location,
                TargetLocation::OutsideRoot | TargetLocation::SymlinkOut
            )
        }),
    },
    Rule {
        name: "redirected",
        level: Level::Warning,
        message: "the target redirects elsewhere",
        meaning: "The target is a page that refreshes to another one, a directory named without its slash, or a path from which a rule of the server redirects.",
        why: "Each visit costs a second request, and the page may go away one day.",
        example: "<a href=sub> where sub/ is a directory",
        allow: "--allow redirected.",
        subject: RuleSubject::Link(|facts| {
            facts.redirects
                || facts.found_by(LookupMatch::WithoutSlash)
                || facts.found_by(LookupMatch::Redirect)
                || facts.location == TargetLocation::RedirectOut
        }),
    },
    Rule {
        name: "bad-reference",
        level: Level::Warning,
        message: "the reference does not parse",
        meaning: "The reference does not parse.",
        why: "No browser follows it.",
        example: "<a href='http://exa mple.com/'>",
        allow: "--allow bad-reference, or --exclude if templates write such references.",
        subject: RuleSubject::Link(|facts| {
            facts.location == TargetLocation::Unresolved(ResolveErrorKind::InvalidReference)
        }),
    },
    Rule {
        name: "unresolved",
        level: Level::Warning,
        message: "the reference does not resolve",
        meaning: "The reference does not resolve: there is no base, or the base has no hierarchy.",
        why: "Nothing can be said about what it leads to.",
        example: "a relative reference in a mail without a base",
        allow: "--allow unresolved, or give a base: --base URI, --root DIR=URI.",
        subject: RuleSubject::Link(
            |facts| matches!(facts.location, TargetLocation::Unresolved(kind) if kind != ResolveErrorKind::InvalidReference),
        ),
    },
    Rule {
        name: "feed-relative",
        level: Level::Warning,
        message: "a relative reference in RSS",
        meaning: "The reference stands in RSS, or in HTML inside it, and is relative.",
        why: "RSS does not say what it is relative to: readers of feeds take the item's link, the feed, the \
              channel's link, or nothing at all.",
        example: "<description>&lt;img src='a.png'></description>",
        allow: "--allow feed-relative, or write absolute references.",
        subject: RuleSubject::Link(|facts| {
            facts.link.flags.contains(Flags::RSS) && is_relative(facts.link.reference)
        }),
    },
    Rule {
        name: "empty-href",
        level: Level::Allow,
        message: "the reference is empty",
        meaning: "The reference is empty, and so leads to the document itself.",
        why: "It is mostly a forgotten one.",
        example: "<a href=''>",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Link(|facts| facts.link.reference.trim_ascii().is_empty()),
    },
    Rule {
        name: "trailing-slash",
        level: Level::Allow,
        message: "a file is named as if it were a directory",
        meaning: "A file is named as if it were a directory.",
        why: "References in the page then resolve one level too deep.",
        example: "<a href=guide/> where guide.html exists and the server adds extensions",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Link(|facts| facts.found_by(LookupMatch::SlashAfterFile)),
    },
    Rule {
        name: "insecure-scheme",
        level: Level::Allow,
        message: "the scheme does not encrypt",
        meaning: "The target is elsewhere on the network, by http: or ftp:.",
        why: "The connection is not encrypted.",
        example: "<a href=http://www.example.org/>",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Link(|facts| {
            let target = facts.link.target.unwrap_or_default();
            facts.location == TargetLocation::External
                && (target.starts_with(b"http:") || target.starts_with(b"ftp:"))
        }),
    },
    Rule {
        name: "duplicate-id",
        level: Level::Allow,
        message: "the id stands in the document before",
        meaning: "The same id stands in the document before.",
        why: "A fragment leads to the first one only.",
        example: "<p id=a><p id=a>",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "several-bases",
        level: Level::Allow,
        message: "only the first base element with href counts",
        meaning: "More than one base element with href stands in the document.",
        why: "Only the first one counts.",
        example: "<base href=/a/><base href=/b/>",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "undefined-reference",
        level: Level::Warning,
        message: "nothing defines what the reference names",
        meaning: "A reference link of Markdown has a label that the document does not define, a `:ref:` of \
         Sphinx one that no document of the tree has, or a cell of a notebook refers to an attachment that it \
         does not have.",
        why: "Readers see the brackets, and no link.",
        example: "[the guide][guide], where no line begins with [guide]:",
        allow: "--allow undefined-reference, or define the label: [guide]: guide.md.",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "unused-ignore",
        level: Level::Warning,
        message: "nothing is ignored by it",
        meaning: "A comment or an entry of the configuration ignores findings, and there are none, or its \
         last day has passed.",
        why: "What it was for is mended or gone, and it would hide what comes later.",
        example: "<!-- uriscan-ignore-next-line broken-file --> above a line without a broken link",
        allow: "--allow unused-ignore, or remove the comment or the entry.",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "sitemap-missing",
        level: Level::Allow,
        message: "no sitemap lists the page",
        meaning: "The tree has a sitemap that lists pages of it, and none lists this one.",
        why: "Search engines may not find it, or the sitemap was not made again.",
        example: "a page that was added after sitemap.xml was written",
        allow: "It is allowed unless --warn or --deny names it.",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "orphan",
        level: Level::Allow,
        message: "no document links to this one",
        meaning: "No document of the tree links to this one.",
        why: "Readers do not find it.",
        example: "a page that was replaced and left behind",
        allow: "It is allowed unless --orphans, --warn or --deny asks for it, --orphans=all for any file; \
         --entry GLOB names those that need no link.",
        subject: RuleSubject::Document,
    },
];

/// Returns whether a reference has no scheme.
fn is_relative(reference: &[u8]) -> bool {
    let end = reference
        .iter()
        .position(|byte| matches!(byte, b':' | b'/' | b'?' | b'#'));
    end.is_none_or(|end| reference[end] != b':')
}

/// The states of which each link ends in exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// The target exists.
    Ok,
    /// The target, or the place in it that the fragment names, does not exist.
    Broken,
    /// The target is elsewhere on the network.
    External,
    /// There is no target.
    Unresolved,
    /// The link was excluded by an option, or is of a scheme with nothing to look up.
    Skipped,
}

impl LinkState {
    /// Every state with its name in records, in the order of [`StateCounts`].
    pub(crate) const NAMES: [(LinkState, &'static str); 5] = [
        (LinkState::Ok, "ok"),
        (LinkState::Broken, "broken"),
        (LinkState::External, "external"),
        (LinkState::Unresolved, "unresolved"),
        (LinkState::Skipped, "skipped"),
    ];

    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the state of a link with its finding, if any.
    #[inline]
    pub(super) fn of(facts: &TargetFacts<'_>, finding: Option<(usize, Level)>) -> Self {
        let is_error = finding.is_some_and(|(_, level)| level == Level::Error);
        match facts.location {
            TargetLocation::Nothing | TargetLocation::Misled | TargetLocation::NoIndex(_) => {
                LinkState::Broken
            }
            TargetLocation::File(..) if facts.fragment_missing || is_error => LinkState::Broken,
            TargetLocation::File(..) if facts.is_route => LinkState::Skipped,
            TargetLocation::File(..) | TargetLocation::Served | TargetLocation::RedirectOut => {
                LinkState::Ok
            }
            TargetLocation::External | TargetLocation::OutsideRoot | TargetLocation::SymlinkOut => {
                LinkState::External
            }
            TargetLocation::Unresolved(_) => LinkState::Unresolved,
            TargetLocation::Skipped | TargetLocation::LeftOut => LinkState::Skipped,
        }
    }
}

/// The number of links in each state, indexed by [`LinkState`].
pub(crate) type StateCounts = [u64; 5];

/// The level of each rule.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Indexed like [`RULES`].
    levels: Vec<Level>,
    /// A rule is on that applies to links whose target exists, or is not looked up.
    checks_intact: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Levels {
            levels: RULES.iter().map(|rule| rule.level).collect(),
            checks_intact: false,
        }
    }
}

impl Levels {
    /// Sets the level of a rule; returns false if no rule has that name.
    pub(crate) fn set(&mut self, name: &str, level: Level) -> bool {
        let index = RULES.iter().position(|rule| rule.name == name);
        if let Some(index) = index {
            self.levels[index] = level;
        }
        self.checks_intact = self.reports("empty-href") || self.reports("insecure-scheme");
        index.is_some()
    }

    /// Returns the index in [`RULES`] and the level of the first rule that applies to a link and is
    /// not allowed.
    #[inline]
    pub(super) fn first_finding(&self, facts: &TargetFacts<'_>) -> Option<(usize, Level)> {
        let is_intact = match facts.location {
            TargetLocation::File(_, how) => {
                matches!(
                    how,
                    LookupMatch::Exact | LookupMatch::Extension | LookupMatch::Index
                ) && !facts.fragment_missing
                    && !facts.fragment_in_other_case
                    && !facts.redirects
            }
            TargetLocation::External | TargetLocation::Skipped => true,
            _ => false,
        };
        let is_checked = self.checks_intact || facts.link.flags.contains(Flags::RSS);
        if is_intact && !is_checked || facts.location == TargetLocation::LeftOut {
            return None;
        }
        self.try_rules(facts)
    }

    fn try_rules(&self, facts: &TargetFacts<'_>) -> Option<(usize, Level)> {
        let rows = RULES.iter().zip(&self.levels).enumerate();
        rows.filter(|(_, (_, level))| **level > Level::Allow)
            .find_map(|(index, (rule, &level))| match rule.subject {
                RuleSubject::Link(applies) if applies(facts) => Some((index, level)),
                _ => None,
            })
    }

    /// Returns the index in [`RULES`] and the level of a rule.
    pub(crate) fn named(&self, name: &str) -> Option<(usize, Level)> {
        let index = RULES.iter().position(|rule| rule.name == name)?;
        Some((index, self.levels[index]))
    }

    /// Returns the name and the level of each rule.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, Level)> {
        let levels = self.levels.iter().copied();
        RULES.iter().map(|rule| rule.name).zip(levels)
    }

    /// Returns whether findings of a rule are reported.
    pub(super) fn reports(&self, rule: &str) -> bool {
        let named = self.named(rule);
        named.is_some_and(|(_, level)| level > Level::Allow)
    }
}
