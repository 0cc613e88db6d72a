//! The audit's rules: one row each, in the order in which they are tried.

use super::disk::LookupMatch;
use super::target::{TargetFacts, TargetLocation};
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
    /// The subject and the condition.
    pub(super) subject: RuleSubject,
}

/// Every rule. A link has at most one finding: that of the first rule that applies.
pub static RULES: &[Rule] = &[
    Rule {
        name: "broken-file",
        level: Level::Error,
        message: "no such file",
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
        subject: RuleSubject::Link(|facts| matches!(facts.location, TargetLocation::NoIndex(_))),
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
        subject: RuleSubject::Link(|facts| {
            facts.found_by(LookupMatch::OtherCase) || facts.fragment_in_other_case
        }),
    },
    Rule {
        name: "outside-root",
        level: Level::Warning,
        message: "the host is mounted, but not this path",
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
        subject: RuleSubject::Link(|facts| {
            facts.location == TargetLocation::Unresolved(ResolveErrorKind::InvalidReference)
        }),
    },
    Rule {
        name: "unresolved",
        level: Level::Warning,
        message: "the reference does not resolve",
        subject: RuleSubject::Link(
            |facts| matches!(facts.location, TargetLocation::Unresolved(kind) if kind != ResolveErrorKind::InvalidReference),
        ),
    },
    Rule {
        name: "feed-relative",
        level: Level::Warning,
        message: "a relative reference in RSS",
        subject: RuleSubject::Link(|facts| {
            facts.link.flags.contains(Flags::RSS) && is_relative(facts.link.reference)
        }),
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
            facts.location == TargetLocation::External
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
        name: "undefined-reference",
        level: Level::Warning,
        message: "nothing defines what the reference names",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "unused-ignore",
        level: Level::Warning,
        message: "nothing is ignored by it",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "sitemap-missing",
        level: Level::Allow,
        message: "no sitemap lists the page",
        subject: RuleSubject::Document,
    },
    Rule {
        name: "orphan",
        level: Level::Allow,
        message: "no document links to this one",
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
