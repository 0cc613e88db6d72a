//! Findings that are ignored: by comments in documents, and by entries of the options.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashMap;
use regex::bytes::Regex;

use super::date::{date, days_from_today};
use super::rules::RuleId;
use crate::bytes::lines::Position;
use crate::bytes::pattern::Pattern;
use crate::document::events::Span;
use crate::linker::Remark;
use crate::output::escape::visible;

/// An entry that makes an audit ignore findings: those that match all of its conditions.
///
/// ```
/// use uriscan::{AuditOptions, IgnoreEntry};
///
/// let options = AuditOptions::default().ignore(
///     IgnoreEntry::new("made by the build")
///         .rule("broken-file")
///         .target("generated/*")
///         .until("2030-12-31"),
/// )?;
/// # Ok::<(), uriscan::AuditError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoreEntry {
    reason: String,
    rule: Option<String>,
    target: Option<String>,
    path: Option<String>,
    until: Option<String>,
    /// The file that has the entry, and the line in it.
    origin: Option<(PathBuf, u64)>,
}

impl IgnoreEntry {
    /// Makes an entry without conditions.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        IgnoreEntry {
            reason: reason.into(),
            ..IgnoreEntry::default()
        }
    }

    setters! {
        /// Sets the reason.
        reason(reason: impl Into<String>) => reason = reason.into();

        /// Sets the rule whose findings match.
        rule(rule: impl Into<String>) => rule = Some(rule.into());

        /// Sets the glob that the target matches: the reference as written, the absolute URI, or the
        /// path below the mount, each with or without its fragment. A `*` matches any characters.
        target(glob: impl Into<String>) => target = Some(glob.into());

        /// Sets the glob that the path of the document matches, as reached from the arguments or below its
        /// mount. `*` and `?` match no slash, `**` does; a glob without a slash matches the name of a file.
        path(glob: impl Into<String>) => path = Some(glob.into());

        /// Sets the last day on which the entry works, in UTC: `2030-12-31`.
        until(date: impl Into<String>) => until = Some(date.into());
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        IgnoreRule::new(self.clone()).map(|_| ())
    }

    /// Sets the file that has the entry, and the line in it.
    #[must_use]
    pub fn origin(mut self, file: impl Into<PathBuf>, line: u64) -> Self {
        self.origin = Some((file.into(), line));
        self
    }

    pub(crate) fn words(&self) -> String {
        let names = ["rule", "target", "path", "until"];
        let values = [&self.rule, &self.target, &self.path, &self.until];
        let parts = names.into_iter().zip(values);
        let part = |(name, value): (_, &Option<String>)| {
            Some(format!("{name} {}", visible(value.as_ref()?)))
        };
        let mut words: Vec<_> = parts.filter_map(part).collect();
        if !self.reason.is_empty() {
            words.push(format!("({})", visible(&self.reason)));
        }
        words.join(" ")
    }
}

/// A part of a glob: a wildcard, or a text.
static PART: Pattern = Pattern::new(r"\*\*/?|[*?]|[^*?]+");

/// Regular expressions take linear time.
fn glob(glob: &str, is_path: bool) -> Result<Regex, String> {
    let is_name = is_path && !glob.contains('/');
    let start = if is_name { "^(?:.*/)?" } else { "^" };
    let parts = PART
        .find_iter(glob.as_bytes())
        .map(|part| match (&glob[part.range()], is_path) {
            ("**/", true) => "(?:.*/)?".to_owned(),
            ("**/", false) => ".*/".to_owned(),
            ("**", _) | ("*", false) => ".*".to_owned(),
            ("*", true) => "[^/]*".to_owned(),
            ("?", true) => "[^/]".to_owned(),
            (text, _) => regex::escape(text),
        });
    let pattern: String = parts.collect();
    let built = Regex::new(&format!("(?s-u){start}{pattern}$"));
    built.map_err(|_| format!("{} is too long for a glob", visible(glob)))
}

/// The properties of a finding that entries are compared with.
pub(super) struct IgnoreCandidate<'a> {
    pub(super) rule: RuleId,
    pub(super) path: &'a [u8],
    /// The path below the mount.
    pub(super) name: &'a [u8],
    /// The forms of the target.
    pub(super) targets: &'a [&'a [u8]],
}

#[derive(Clone, Debug)]
pub(super) struct IgnoreRule {
    entry: IgnoreEntry,
    rule: Option<RuleId>,
    target: Option<Regex>,
    path: Option<Regex>,
    is_past: bool,
}

impl IgnoreRule {
    /// The error is the reason why the entry is invalid.
    pub(super) fn new(entry: IgnoreEntry) -> Result<Self, String> {
        if entry.rule.is_none() && entry.target.is_none() && entry.path.is_none() {
            return Err("an entry of `ignore` needs a rule, a target or a path".to_owned());
        }
        let named = |name: &String| {
            RuleId::named(name).ok_or_else(|| format!("unknown rule {}", visible(name)))
        };
        let last = |text: &String| {
            date(text).ok_or_else(|| {
                let text = visible(text);
                format!("`until` is a date such as 2030-12-31: {text} is not a valid date")
            })
        };
        let glob = |text: &Option<String>, is_path| {
            text.as_ref().map(|text| glob(text, is_path)).transpose()
        };
        let last = entry.until.as_ref().map(last).transpose()?;
        Ok(IgnoreRule {
            rule: entry.rule.as_ref().map(named).transpose()?,
            target: glob(&entry.target, false)?,
            path: glob(&entry.path, true)?,
            is_past: last.is_some_and(|day| days_from_today(day) < 0),
            entry,
        })
    }

    /// Returns the file that has the entry, empty if it is not known, and the line in it.
    pub(super) fn origin(&self) -> (&Path, Option<u64>) {
        let origin = self.entry.origin.as_ref();
        origin.map_or((Path::new(""), None), |(file, line)| (file, Some(*line)))
    }

    pub(super) fn words(&self) -> String {
        self.entry.words() + ["", ": its last day has passed"][usize::from(self.is_past)]
    }

    fn matches(&self, candidate: &IgnoreCandidate<'_>) -> bool {
        let is_any = |glob: &Option<Regex>, texts: &[&[u8]]| {
            let is_match = |glob: &Regex| texts.iter().any(|text| glob.is_match(text));
            glob.as_ref().is_none_or(is_match)
        };
        !self.is_past
            && self.rule.is_none_or(|rule| rule == candidate.rule)
            && is_any(&self.path, &[candidate.path, candidate.name])
            && is_any(&self.target, candidate.targets)
    }
}

/// Returns the first entry whose path is an old path of a document, if no other applies to its new paths.
pub(super) fn first_lost<'r>(
    rules: &'r [IgnoreRule],
    old: &[Cow<'_, [u8]>],
    new: &[Cow<'_, [u8]>],
) -> Option<&'r IgnoreRule> {
    // The path of an entry with wildcards may apply to other documents alone.
    let names = |rule: &IgnoreRule| {
        let written = rule.entry.path.as_ref();
        written.is_some_and(|written| old.iter().any(|path| **path == *written.as_bytes()))
    };
    let applies = |rule: &IgnoreRule| {
        let glob = rule.path.as_ref();
        glob.is_some_and(|glob| new.iter().any(|path| glob.is_match(path)))
    };
    let key = |rule: &'r IgnoreRule| (rule.rule, &rule.entry.target);
    rules.iter().find(|lost| {
        let mut others = rules.iter().filter(|rule| key(rule) == key(lost));
        !lost.is_past && names(lost) && !others.any(applies)
    })
}

/// The entries, and whether each has matched; shared by the workers.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules(Vec<(IgnoreRule, AtomicBool)>);

impl IgnoreRules {
    pub(super) fn new(rules: &[IgnoreRule]) -> Self {
        let rules = rules.iter().cloned();
        IgnoreRules(rules.map(|rule| (rule, AtomicBool::new(false))).collect())
    }

    /// All entries that match are marked as used.
    pub(super) fn ignores(&self, candidate: &IgnoreCandidate<'_>) -> bool {
        let mut ignores = false;
        for (rule, used) in &self.0 {
            if rule.matches(candidate) {
                ignores = true;
                used.store(true, Ordering::Relaxed);
            }
        }
        ignores
    }

    pub(super) fn unused(&self) -> impl Iterator<Item = &IgnoreRule> {
        let unused = (self.0.iter()).filter(|(_, used)| !used.load(Ordering::Relaxed));
        unused.map(|(rule, _)| rule)
    }
}

/// The depth of regions, and the number of comments of one line: the search for a comment takes
/// constant time.
const DEEPEST: usize = 64;

static DIRECTIVE: Pattern = Pattern::new("^uriscan-ignore([a-z-]*)");

#[derive(Default)]
pub(super) struct IgnoreComments {
    comments: Vec<IgnoreComment>,
    /// Indices of the comments on the line before, by the number of a line.
    lines: HashMap<u64, Vec<usize>>,
    /// The regions in the order of their starts.
    regions: Vec<IgnoreRegion>,
    /// Indices of the open regions, the innermost last.
    open: Vec<usize>,
}

struct IgnoreRegion {
    start: u64,
    end: u64,
    comment: usize,
    outer: Option<usize>,
}

pub(super) struct IgnoreComment {
    pub(super) span: Span,
    pub(super) position: Option<Position>,
    pub(super) text: Box<[u8]>,
    /// `None` for any rule.
    rules: Option<Vec<RuleId>>,
    used: bool,
}

impl IgnoreComment {
    fn covers(&self, rule: RuleId) -> bool {
        let rules = self.rules.as_ref();
        rules.is_none_or(|rules| rules.contains(&rule))
    }
}

impl IgnoreComments {
    pub(super) fn add(&mut self, remark: &Remark<'_>) {
        let text = remark.text.trim_ascii();
        let Some([whole, kind]) = DIRECTIVE.group_at(text, 0) else {
            return;
        };
        let (kind, rest) = (&text[kind], &text[whole.end..]);
        let comment = self.comments.len();
        match kind {
            b"-next-line" => {
                let line = remark.position.map_or(0, |position| position.line);
                let before = self.lines.entry(line + 1).or_default();
                if before.len() < DEEPEST {
                    before.push(comment);
                }
            }
            b"" if self.open.len() < DEEPEST => {
                self.open.push(self.regions.len());
                self.regions.push(IgnoreRegion {
                    start: remark.span.end,
                    end: u64::MAX,
                    comment,
                    outer: self.open.iter().rev().nth(1).copied(),
                });
            }
            b"-end" => {
                if let Some(region) = self.open.pop() {
                    self.regions[region].end = remark.span.start;
                    return;
                }
            }
            // An unknown directive, or one too deep, is reported as unused.
            _ => {}
        }
        self.comments.push(IgnoreComment {
            span: remark.span,
            position: remark.position,
            text: text.into(),
            rules: rules(rest),
            used: false,
        });
    }

    /// Marks the comment that ignores a finding as used.
    pub(super) fn ignores(&mut self, rule: RuleId, offset: u64, line: Option<u64>) -> bool {
        let before = line.and_then(|line| self.lines.get(&line));
        let before = before.into_iter().flatten().copied();
        // INVARIANT: the region that starts last before the offset is the innermost that can contain
        // it, or lies in it, as regions nest.
        let started = (self.regions).partition_point(|region| region.start <= offset);
        let innermost = started.checked_sub(1).map(|index| &self.regions[index]);
        let regions = std::iter::successors(innermost, |region| {
            region.outer.map(|outer| &self.regions[outer])
        });
        let around = regions.filter(|region| offset < region.end);
        let mut comments = before.chain(around.map(|region| region.comment));
        let found = comments.find(|&comment| self.comments[comment].covers(rule));
        if let Some(comment) = found {
            self.comments[comment].used = true;
        }
        found.is_some()
    }

    pub(super) fn unused(&self) -> impl Iterator<Item = &IgnoreComment> {
        self.comments.iter().filter(|comment| !comment.used)
    }
}

/// Reads `RULE, RULE: reason`; `None` without a name. An unknown name matches no finding.
fn rules(text: &[u8]) -> Option<Vec<RuleId>> {
    let end = memchr::memchr(b':', text);
    let text = text[..end.unwrap_or(text.len())].trim_ascii();
    if text.is_empty() {
        return None;
    }
    let names = text.split(|byte| *byte == b',' || byte.is_ascii_whitespace());
    let named = names.filter_map(|name| RuleId::named(str::from_utf8(name).ok()?));
    Some(named.collect())
}

#[cfg(test)]
#[path = "../../tests/unit/audit/ignored.rs"]
mod tests;
