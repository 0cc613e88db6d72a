//! The audit's rules: one row each, in the order in which they are tried.

use memchr::memmem;
use smart_default::SmartDefault;

use super::disk::LookupMatch;
use super::results::OnlineAnswer;
use super::target::TargetLocation::{
    self, External, File, LeftOut, Misled, NoIndex, Nothing, OutsideRoot, RedirectOut, Served,
    Skipped, SymlinkOut, Unresolved,
};
use crate::bytes::class::split_once;
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::linker::Link;
use crate::uri::{Reference, ResolveErrorKind, host};

named! {
    /// The severity of a finding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Not reported.
        Allow = "allow",
        /// Reported.
        Warning = "warning",
        /// Reported, and the audit fails.
        Error = "error",
    }
}

displayed_by_name!(Level, LinkState);

/// A rule of the audit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// The level unless an option changes it.
    pub level: Level,
    /// The message of a finding.
    pub message: &'static str,
    pub(crate) id: RuleId,
}

macro_rules! rules {
    ($($id:ident = $name:literal, $level:ident, $message:literal;)*) => {
        /// The rules, in the order of [`RULES`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum RuleId {
            $($id),*
        }

        /// Every rule. A link has at most one finding, by the first rule that applies.
        pub static RULES: &[Rule] = &[$(Rule {
            name: $name,
            level: Level::$level,
            message: $message,
            id: RuleId::$id,
        }),*];
    };
}

rules! {
    BrokenFile = "broken-file", Error, "no such file";
    BrokenIndex = "broken-index", Error, "the directory has no index file";
    BrokenFragment = "broken-fragment", Error, "no such id";
    ExternalBroken = "external-broken", Error, "the page is gone";
    ExternalUnreachable = "external-unreachable", Warning, "the page did not answer";
    ExternalMoved = "external-moved", Allow, "the page has moved";
    CaseMismatch = "case-mismatch", Warning, "the name exists only in another case or Unicode form";
    OutsideRoot = "outside-root", Warning, "the host is mounted, but not this path";
    Redirected = "redirected", Warning, "the target redirects elsewhere";
    BadReference = "bad-reference", Warning, "the reference does not parse";
    Unresolved = "unresolved", Warning, "the reference does not resolve";
    FeedRelative = "feed-relative", Warning, "a relative reference in RSS";
    EmptyHref = "empty-href", Allow, "the reference is empty";
    TrailingSlash = "trailing-slash", Allow, "a file is named as if it were a directory";
    InsecureScheme = "insecure-scheme", Allow, "the scheme does not encrypt";
    DuplicateId = "duplicate-id", Allow, "the id occurs earlier in the document";
    SeveralBases = "several-bases", Allow, "only the first base element with href is used";
    UndefinedReference = "undefined-reference", Warning, "the name that it refers to is not defined";
    LeakedLocal = "leaked-local", Warning, "the reference is to the computer of its author";
    ExternalResource = "external-resource", Allow, "a resource from a host that is not allowed";
    TextFragment = "text-fragment", Warning, "the page does not have this text";
    HreflangReturn = "hreflang-return", Allow, "the page in the other language does not link back";
    CanonicalElsewhere = "canonical-elsewhere", Allow, "the canonical page is another one";
    StalePath = "stale-path", Allow, "nothing has this path";
    UnusedIgnore = "unused-ignore", Warning, "it ignores no findings";
    SitemapMissing = "sitemap-missing", Allow, "no sitemap lists the page";
    Orphan = "orphan", Allow, "no document links to this one";
    RemovedPage = "removed-page", Error, "the page was removed";
    RemovedFile = "removed-file", Warning, "the file was removed";
    RemovedId = "removed-id", Warning, "the id was removed";
    RedirectLoop = "redirect-loop", Error, "redirects without an end";
    ChangedRedirect = "changed-redirect", Warning, "the redirect has changed";
}

/// Whether the target has the id or name of a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FragmentMatch {
    #[default]
    Found,
    /// In lower case, where GitHub finds it.
    OtherCase,
    Missing,
}

/// The input of the rules.
pub(super) struct TargetFacts<'a> {
    pub(super) link: &'a Link<'a>,
    pub(super) location: TargetLocation,
    pub(super) fragment: FragmentMatch,
    pub(super) is_route: bool,
    /// The target refreshes to another document.
    pub(super) redirects: bool,
    pub(super) online: OnlineAnswer,
    /// The rule about another page that the link breaks, or may break.
    pub(super) relation: Option<RuleId>,
}

impl TargetFacts<'_> {
    pub(super) fn found_by(&self, how: LookupMatch) -> bool {
        matches!(self.location, File(_, found) if found == how)
    }
}

impl RuleId {
    pub(super) fn named(name: &str) -> Option<RuleId> {
        let rule = RULES.iter().find(|rule| rule.name == name);
        rule.map(|rule| rule.id)
    }

    pub(super) fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }

    pub(super) fn name(self) -> &'static str {
        self.rule().name
    }

    fn applies(self, facts: &TargetFacts<'_>, allowed_hosts: &[String]) -> bool {
        let location = facts.location;
        match self {
            RuleId::BrokenFile => matches!(location, Nothing | Misled),
            RuleId::BrokenIndex => matches!(location, NoIndex(_)),
            RuleId::BrokenFragment => facts.fragment == FragmentMatch::Missing,
            RuleId::ExternalBroken => facts.online == OnlineAnswer::Gone,
            RuleId::ExternalUnreachable => facts.online == OnlineAnswer::Unreachable,
            RuleId::ExternalMoved => facts.online == OnlineAnswer::Moved,
            RuleId::CaseMismatch => {
                facts.found_by(LookupMatch::OtherCase) || facts.fragment == FragmentMatch::OtherCase
            }
            RuleId::OutsideRoot => matches!(location, OutsideRoot | SymlinkOut),
            RuleId::Redirected => {
                facts.redirects
                    || facts.found_by(LookupMatch::WithoutSlash)
                    || facts.found_by(LookupMatch::Redirect)
                    || location == RedirectOut
            }
            RuleId::BadReference => location == INVALID,
            RuleId::Unresolved => matches!(location, Unresolved(_)) && location != INVALID,
            RuleId::FeedRelative => {
                facts.link.flags.contains(Flags::RSS)
                    && location != Skipped
                    && is_relative(facts.link.reference)
            }
            RuleId::EmptyHref => facts.link.reference.trim_ascii().is_empty(),
            RuleId::TrailingSlash => facts.found_by(LookupMatch::SlashAfterFile),
            RuleId::InsecureScheme => {
                let target = facts.link.target.unwrap_or_default();
                location == External
                    && (target.starts_with(b"http:") || target.starts_with(b"ftp:"))
            }
            RuleId::LeakedLocal => is_leaked(facts),
            RuleId::ExternalResource => {
                let is_allowed = |host: &[u8]| {
                    let mut allowed = allowed_hosts.iter();
                    allowed.any(|allowed| host.eq_ignore_ascii_case(allowed.as_bytes()))
                };
                location == External
                    && is_resource(facts.link)
                    && host_of(facts.link).is_some_and(|host| !is_allowed(host))
            }
            // Rules about documents apply to no link.
            _ => facts.relation == Some(self),
        }
    }
}

/// Returns whether a reference has a place of a template where a value should be.
pub(super) fn is_unfilled(link: &Link<'_>) -> bool {
    // A script fills the contents of template elements.
    let is_filled = link.flags.contains(Flags::INERT) || !link.flags.contains(Flags::TEMPLATE);
    let start = memmem::find(link.reference, b"{{");
    !is_filled && start.is_some_and(|start| memmem::find(&link.reference[start..], b"}}").is_some())
}

/// Returns whether HTML names a file, or a loopback host, of the computer where it was written, or
/// a place of a template there.
fn is_leaked(facts: &TargetFacts<'_>) -> bool {
    let link = facts.link;
    let is_file = || match link.reference.trim_ascii_start() {
        [letter, b':', b'/' | b'\\', ..] => letter.is_ascii_alphabetic(),
        reference => {
            let scheme = reference.get(..5).unwrap_or_default();
            scheme.eq_ignore_ascii_case(b"file:")
        }
    };
    let is_loopback = || {
        let host = host_of(link).unwrap_or_default();
        host.eq_ignore_ascii_case(b"localhost") || host == b"[::1]" || host.starts_with(b"127.")
    };
    let is_html = link.context == Context::Attribute
        && link.attribute.is_some()
        && !link.flags.contains(Flags::OWN_SYNTAX);
    let is_leaked = || match facts.location {
        External => is_loopback(),
        location => location == Skipped && is_unfilled(link),
    };
    is_html && (is_file() || is_leaked())
}

/// Returns whether a browser loads the target with the page.
fn is_resource(link: &Link<'_>) -> bool {
    const LOADED: [&str; 9] = [
        "audio", "embed", "frame", "iframe", "img", "object", "script", "source", "video",
    ];
    let target = link.target.unwrap_or_default();
    let path = Reference::split(target).path;
    let is_style = link.element == Some("link") && path.ends_with(b".css");
    let element = link.element.unwrap_or_default();
    is_style || LOADED.contains(&element) || link.flags.contains(Flags::CSS)
}

/// Returns the host of an external target.
fn host_of<'l>(link: &'l Link<'_>) -> Option<&'l [u8]> {
    let target: &'l [u8] = link.target.as_ref().ok()?;
    let after = split_once(target, b':').1?.strip_prefix(b"//")?;
    let end = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
    Some(host(&after[..end]))
}

const INVALID: TargetLocation = Unresolved(ResolveErrorKind::InvalidReference);

fn is_relative(reference: &[u8]) -> bool {
    reference.iter().find(|byte| b":/?#".contains(byte)) != Some(&b':')
}

named! {
    /// The states of links; each link ends in exactly one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LinkState {
        /// The target exists.
        Ok = "ok",
        /// The target, or the place in it that the fragment names, does not exist.
        Broken = "broken",
        /// The target is elsewhere on the network.
        External = "external",
        /// The link has no target.
        Unresolved = "unresolved",
        /// The link was excluded by an option, or is of a scheme with nothing to look up.
        Skipped = "skipped",
    }
}

impl LinkState {
    pub(super) fn of(facts: &TargetFacts<'_>, finding: Option<(RuleId, Level)>) -> Self {
        let is_error = finding.is_some_and(|(_, level)| level == Level::Error);
        match facts.location {
            Nothing | Misled | NoIndex(_) => LinkState::Broken,
            File(..) if facts.fragment == FragmentMatch::Missing || is_error => LinkState::Broken,
            File(..) if facts.is_route => LinkState::Skipped,
            File(..) | Served | RedirectOut => LinkState::Ok,
            External | OutsideRoot | SymlinkOut => LinkState::External,
            Unresolved(_) => LinkState::Unresolved,
            Skipped | LeftOut => LinkState::Skipped,
        }
    }
}

/// Indexed by [`LinkState`].
pub(crate) type StateCounts = [u64; 5];

pub(super) fn add_counts(total: &mut StateCounts, counts: &StateCounts) {
    for (total, count) in total.iter_mut().zip(counts) {
        *total += count;
    }
}

#[derive(Clone, Debug, SmartDefault)]
pub(crate) struct Levels {
    /// Indexed by [`RuleId`].
    #[default(RULES.iter().map(|rule| rule.level).collect())]
    levels: Vec<Level>,
    /// A rule is on that applies to intact links.
    checks_intact: bool,
    /// Hosts that pages may load resources from.
    pub(super) allowed_hosts: Vec<String>,
}

impl Levels {
    /// Returns false if no rule has that name.
    pub(crate) fn set(&mut self, name: &str, level: Level) -> bool {
        let rule = RuleId::named(name);
        if let Some(rule) = rule {
            self.levels[rule as usize] = level;
        }
        use RuleId::{EmptyHref, ExternalResource, InsecureScheme};
        let mut of_intact = [EmptyHref, ExternalResource, InsecureScheme].into_iter();
        self.checks_intact = of_intact.any(|rule| self.reports(rule));
        rule.is_some()
    }

    pub(super) fn first_finding(&self, facts: &TargetFacts<'_>) -> Option<(RuleId, Level)> {
        // Most links are intact, and few rules are about those.
        let is_intact = match facts.location {
            File(_, how) => {
                how.is_final() && facts.fragment == FragmentMatch::Found && !facts.redirects
            }
            External => matches!(facts.online, OnlineAnswer::Unknown | OnlineAnswer::Fine),
            Skipped => true,
            _ => false,
        };
        let is_checked =
            self.checks_intact || facts.relation.is_some() || facts.link.flags.contains(Flags::RSS);
        if is_intact && !is_checked && !is_leaked(facts) {
            return None;
        }
        let rows = RULES.iter().zip(&self.levels);
        let rows = rows.filter(|_| facts.location != LeftOut);
        let mut rows = rows.map(|(rule, &level)| (rule.id, level));
        rows.find(|(rule, level)| *level > Level::Allow && rule.applies(facts, &self.allowed_hosts))
    }

    pub(crate) fn of(&self, rule: RuleId) -> Level {
        self.levels[rule as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, Level)> {
        let levels = self.levels.iter().copied();
        RULES.iter().map(|rule| rule.name).zip(levels)
    }

    pub(super) fn reports(&self, rule: RuleId) -> bool {
        self.of(rule) > Level::Allow
    }
}
