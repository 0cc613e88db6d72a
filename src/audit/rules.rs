//! The audit's rules: one row each, in the order in which they are tried.

use super::check::{TargetFacts, TargetLocation};
use super::disk::LookupMatch;
use crate::uri::ResolveErrorKind;

/// How much a finding matters.
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
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// What a rule looks at.
pub enum RuleSubject {
    /// A link and what stands at its target.
    Link(fn(&TargetFacts<'_>) -> bool),
    /// A document as a whole; the audit itself finds these.
    Document,
}

/// A rule of the audit.
pub struct Rule {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// The level unless the user says otherwise.
    pub level: Level,
    /// What a finding says.
    pub message: &'static str,
    /// What it looks at.
    pub subject: RuleSubject,
}

/// Every rule. A link has one finding: the first that applies.
pub static RULES: &[Rule] = &[
    Rule {
        name: "broken-file",
        level: Level::Error,
        message: "no such file",
        subject: RuleSubject::Link(|facts| facts.place == TargetLocation::Nothing),
    },
    Rule {
        name: "broken-index",
        level: Level::Error,
        message: "the directory has no index file",
        subject: RuleSubject::Link(|facts| matches!(facts.place, TargetLocation::NoIndex(_))),
    },
    Rule {
        name: "broken-fragment",
        level: Level::Error,
        message: "no such id",
        subject: RuleSubject::Link(|facts| facts.fragment_missing),
    },
    Rule {
        name: "case-mismatch",
        level: Level::Warning,
        message: "only a name in other case or another Unicode form exists",
        subject: RuleSubject::Link(|facts| facts.found_by(LookupMatch::OtherCase)),
    },
    Rule {
        name: "outside-root",
        level: Level::Warning,
        message: "the host is mounted, but not this path",
        subject: RuleSubject::Link(|facts| {
            matches!(
                facts.place,
                TargetLocation::OutsideRoot | TargetLocation::SymlinkOut
            )
        }),
    },
    Rule {
        name: "redirected",
        level: Level::Warning,
        message: "the target redirects elsewhere",
        subject: RuleSubject::Link(|facts| {
            facts.redirects || facts.found_by(LookupMatch::WithoutSlash)
        }),
    },
    Rule {
        name: "bad-reference",
        level: Level::Warning,
        message: "the reference does not parse",
        subject: RuleSubject::Link(|facts| {
            facts.place == TargetLocation::Unresolved(ResolveErrorKind::InvalidReference)
        }),
    },
    Rule {
        name: "unresolved",
        level: Level::Warning,
        message: "the reference does not resolve",
        subject: RuleSubject::Link(
            |facts| matches!(facts.place, TargetLocation::Unresolved(kind) if kind != ResolveErrorKind::InvalidReference),
        ),
    },
    Rule {
        name: "empty-href",
        level: Level::Allow,
        message: "the reference is empty",
        subject: RuleSubject::Link(|facts| facts.link.reference.trim_ascii().is_empty()),
    },
    Rule {
        name: "trailing-slash",
        level: Level::Allow,
        message: "a file is named as if it were a directory",
        subject: RuleSubject::Link(|facts| facts.found_by(LookupMatch::SlashAfterFile)),
    },
    Rule {
        name: "insecure-scheme",
        level: Level::Allow,
        message: "the scheme does not encrypt",
        subject: RuleSubject::Link(|facts| {
            let target = facts.link.target.unwrap_or_default();
            facts.place == TargetLocation::External
                && (target.starts_with(b"http:") || target.starts_with(b"ftp:"))
        }),
    },
    Rule {
        name: "duplicate-id",
        level: Level::Allow,
        message: "the id stands in the document before",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "several-bases",
        level: Level::Allow,
        message: "only the first base element with href counts",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "orphan",
        level: Level::Allow,
        message: "no document links to this one",
        subject: RuleSubject::Document,
    },
];

/// The level of each rule.
///
/// ```
/// use uriscan::audit::rules::{Level, Levels};
/// let mut levels = Levels::default();
/// assert!(levels.set("orphan", Level::Error));
/// assert!(!levels.set("no-such-rule", Level::Error));
/// ```
#[derive(Clone, Debug)]
pub struct Levels {
    levels: Vec<Level>,
    /// A rule about links applies even where the target is there, or not looked for.
    picky: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Levels {
            levels: RULES.iter().map(|rule| rule.level).collect(),
            picky: false,
        }
    }
}

impl Levels {
    /// Changes the level of a rule; false when there is none of that name.
    pub fn set(&mut self, name: &str, level: Level) -> bool {
        let index = RULES.iter().position(|rule| rule.name == name);
        if let Some(index) = index {
            self.levels[index] = level;
        }
        let wanted = |name| {
            self.named(name)
                .is_some_and(|(_, level)| level > Level::Allow)
        };
        self.picky = wanted("empty-href") || wanted("insecure-scheme");
        index.is_some()
    }

    /// The finding of a link: the first rule that applies and is not allowed.
    #[inline]
    pub fn judge(&self, facts: &TargetFacts<'_>) -> Option<(usize, Level)> {
        let unremarkable = match facts.place {
            TargetLocation::File(_, how) => {
                matches!(
                    how,
                    LookupMatch::Exact | LookupMatch::Extension | LookupMatch::Index
                ) && !facts.fragment_missing
                    && !facts.redirects
            }
            TargetLocation::External | TargetLocation::Skipped => true,
            _ => false,
        };
        if unremarkable && !self.picky || facts.place == TargetLocation::LeftOut {
            return None;
        }
        self.first(facts)
    }

    fn first(&self, facts: &TargetFacts<'_>) -> Option<(usize, Level)> {
        let rows = RULES.iter().zip(&self.levels).enumerate();
        rows.filter(|(_, (_, level))| **level > Level::Allow)
            .find_map(|(index, (rule, &level))| match rule.subject {
                RuleSubject::Link(applies) if applies(facts) => Some((index, level)),
                _ => None,
            })
    }

    /// The place of a name in the table, with its level.
    pub fn named(&self, name: &str) -> Option<(usize, Level)> {
        let index = RULES.iter().position(|rule| rule.name == name)?;
        Some((index, self.levels[index]))
    }
}
