//! The rules by which servers answer requests: patterns of paths, conditions, and destinations.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use percent_encoding::percent_decode;
use regex::bytes::{Regex, RegexBuilder};

use crate::audit::disk::OptionalExtension;
use crate::bytes::lines::Position;
use crate::document::events::Span;
use crate::uri::base::push_path;

/// The size of a compiled regular expression, in bytes; larger ones are not followed.
const EXPRESSION_SIZE: usize = 64 << 10;
/// The number of expressions of all files that are kept compiled: each may take some 100 KB.
const COMPILED: usize = 256;
/// The length of a destination, in bytes; a rule that makes a longer one does not apply.
const LONGEST_DESTINATION: usize = 16 << 10;

/// The position of a rule before [`ParsedRules::locate`].
pub(super) const UNPLACED: Position = Position { line: 0, column: 0 };

/// The request for a target.
#[derive(Clone, Copy, Debug)]
pub(in crate::audit) struct Request<'a> {
    /// The path, decoded, with the slash at its start.
    pub(in crate::audit) path: &'a [u8],
    /// The query as written.
    pub(in crate::audit) query: &'a [u8],
}

/// A rule: which requests it answers, and how.
#[derive(Clone, Debug)]
pub(in crate::audit) struct ServerRule {
    pub(super) from: PathPattern,
    /// The parameters that the query must have.
    pub(super) query: Vec<QueryCondition>,
    pub(super) to: DestinationTemplate,
    pub(in crate::audit) status: u16,
    /// The rule applies even if there is a file at the path.
    pub(super) force: bool,
    /// The rule applies to some requests only, by what a document does not tell: a country, a header.
    pub(super) conditional: bool,
    /// The place of the destination in the file of the rule.
    pub(in crate::audit) position: Position,
    /// The bytes of the destination in the file.
    pub(in crate::audit) span: Span,
}

/// A parameter that a query must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QueryCondition {
    /// With this value: `key=value`.
    Literal(Box<[u8]>),
    /// With any value, which the destination has by this name.
    Named { key: Box<[u8]>, name: Box<[u8]> },
}

#[derive(Clone, Debug)]
pub(super) enum PathPattern {
    /// Segments, and perhaps any segments after them.
    Segments {
        segments: Vec<SegmentPattern>,
        /// The others, if there may be any.
        rest: Option<RestPattern>,
    },
    Expression {
        expression: LazyExpression,
        /// Does not match the path: a negative look-ahead, which `regex` lacks.
        except: Option<LazyExpression>,
    },
}

/// A regular expression that is compiled when a path is matched, as compiled ones take much memory.
#[derive(Clone, Debug)]
pub(super) struct LazyExpression {
    pattern: Box<str>,
    /// The names of the captures; most are empty.
    names: Box<[Box<str>]>,
    /// The index of the place in [`SLOTS`].
    slot: usize,
}

/// A place for a compiled expression and its pattern.
type Slot = Mutex<Option<(Box<str>, Regex)>>;

/// The expressions that are compiled.
static SLOTS: [Slot; COMPILED] = [const { Mutex::new(None) }; COMPILED];
/// The number of expressions so far, which share the slots in turn.
static EXPRESSIONS: AtomicUsize = AtomicUsize::new(0);

impl LazyExpression {
    /// Creates an expression; none if it is invalid or too large.
    fn new(pattern: &str) -> Option<Self> {
        let compiled = Self::compile(pattern)?;
        let names = compiled.capture_names().skip(1);
        Some(LazyExpression {
            pattern: pattern.into(),
            names: names.map(|name| name.unwrap_or_default().into()).collect(),
            slot: EXPRESSIONS.fetch_add(1, Ordering::Relaxed) % COMPILED,
        })
    }

    fn compile(pattern: &str) -> Option<Regex> {
        let mut builder = RegexBuilder::new(pattern);
        // Paths are bytes, and classes of Unicode make large expressions.
        builder.unicode(false).size_limit(EXPRESSION_SIZE);
        builder.dfa_size_limit(EXPRESSION_SIZE);
        builder.build().ok()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.pattern
    }

    fn with<T>(&self, run: impl FnOnce(&Regex) -> T) -> Option<T> {
        let slot = SLOTS[self.slot].lock();
        let mut slot = slot.unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*slot, Some((pattern, _)) if *pattern == self.pattern) {
            *slot = Some((self.pattern.clone(), Self::compile(&self.pattern)?));
        }
        slot.as_ref().map(|(_, expression)| run(expression))
    }
}

/// A pattern of one segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SegmentPattern {
    /// This segment, decoded.
    Literal(Box<[u8]>),
    /// Any segment but the empty one, by a name.
    Named(Box<[u8]>),
}

impl SegmentPattern {
    fn literal(segment: &[u8]) -> Self {
        SegmentPattern::Literal(Cow::from(percent_decode(segment)).into())
    }
}

/// The place that a segment of a written pattern is.
pub(super) enum PathPlace<'p> {
    /// No place: text.
    None,
    /// One segment, by this name.
    Segment(&'p [u8]),
    /// All further segments, by this name.
    Rest(&'p [u8]),
}

/// A pattern of the last segments of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RestPattern {
    /// The name by which the destination has the segments.
    pub(super) name: Box<[u8]>,
    /// The least number of segments, of which the last may be empty.
    pub(super) least: usize,
}

/// A destination with places for what was matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::audit) struct DestinationTemplate {
    pub(in crate::audit) text: Box<[u8]>,
    /// The way in which places are written.
    pub(super) places: TemplatePlaces,
}

/// The way in which a template refers to what was matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TemplatePlaces {
    /// `:name`.
    #[default]
    Names,
    /// `$1`.
    Numbers,
    /// `:name`, which may have a modifier, and `$1`.
    Both,
    /// The rest of the path follows the text.
    Append,
}

/// The texts that a pattern has matched, by names, in their order.
type Captures<'a> = Vec<(&'a [u8], Cow<'a, [u8]>)>;

impl ServerRule {
    /// Returns whether the rule holds for all that is below a path.
    pub(in crate::audit) fn is_prefix(&self) -> bool {
        self.to.places == TemplatePlaces::Append
    }

    /// Returns the destination if it is the same for all requests, or that of the path of a prefix.
    pub(in crate::audit) fn fixed_destination(&self) -> Option<&[u8]> {
        let text = &self.to.text;
        let has_place = match self.to.places {
            TemplatePlaces::Append => false,
            TemplatePlaces::Numbers => text.contains(&b'$'),
            TemplatePlaces::Names | TemplatePlaces::Both => {
                let after_scheme = memchr::memmem::find(text, b"://").map_or(0, |at| at + 3);
                memchr::memchr2(b':', b'$', &text[after_scheme..]).is_some()
            }
        };
        (!has_place && !text.is_empty()).then_some(text)
    }

    /// Returns whether the rule answers by sending elsewhere.
    pub(in crate::audit) fn redirects(&self) -> bool {
        (300..400).contains(&self.status)
    }

    /// Returns the destination for a request that the pattern matches; none where it does not match,
    /// the query lacks a parameter, or the destination would be too long.
    pub(super) fn destination(&self, request: &Request<'_>) -> Option<Vec<u8>> {
        let mut captures = self.from.captures(request.path)?;
        for condition in &self.query {
            let (key, name, value) = match condition {
                QueryCondition::Named { key, name } => (key.as_ref(), Some(name), None),
                QueryCondition::Literal(pair) => {
                    let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
                    (&pair[..at], None, Some(&pair[(at + 1).min(pair.len())..]))
                }
            };
            let (_, found) = parameters(request.query).find(|(known, found)| {
                **known == *key && value.is_none_or(|value| **found == *value)
            })?;
            if let Some(name) = name {
                captures.push((name, found));
            }
        }
        self.to.expand(&captures)
    }
}

/// The contents of a file with rules.
#[derive(Debug, Default)]
pub(super) struct ParsedRules {
    pub(super) rules: Vec<ServerRule>,
    /// Rules that the server follows, and this audit does not.
    pub(super) unfollowed: Occurrences,
    /// Lines that the server would not take for a rule.
    pub(super) invalid: Occurrences,
    /// Pages for paths at which nothing is.
    pub(super) error_pages: Vec<ErrorPage>,
    pub(super) settings: ServerSettings,
}

/// Settings of a server besides rules; `None` where a file does not change them.
#[derive(Debug, Default)]
pub(super) struct ServerSettings {
    /// The names of index files.
    pub(super) index: Option<Vec<String>>,
    /// Whether extensions of pages may be left out.
    pub(super) pages: Option<OptionalExtension>,
    /// Whether the slash at the end of a path is added, or removed.
    pub(super) trailing_slash: Option<bool>,
}

impl ParsedRules {
    /// Adds the rule at an offset, or counts why there is none.
    pub(super) fn add(&mut self, rule: Result<ServerRule, Unfit>, offset: u64) {
        match rule {
            Ok(rule) => self.rules.push(rule),
            Err(Unfit::Invalid) => self.invalid.add(offset),
            Err(Unfit::Unfollowed) => self.unfollowed.add(offset),
        }
    }

    /// Sets the positions of all destinations in the text of the file.
    pub(super) fn locate(&mut self, text: &[u8]) {
        let rules = self.rules.iter_mut();
        let rules = rules.map(|rule| (rule.span.start, &mut rule.position));
        let pages = self.error_pages.iter_mut();
        let pages = pages.map(|page| (page.span.start, &mut page.position));
        let (mut line, mut start) = (1, 0);
        for (offset, position) in rules.chain(pages) {
            let offset = (offset as usize).min(text.len());
            if offset < start {
                (line, start) = (1, 0);
            }
            let from = start;
            for end in memchr::memchr_iter(b'\n', &text[from..offset]) {
                line += 1;
                start = from + end + 1;
            }
            let before = String::from_utf8_lossy(&text[start..offset]);
            let column = before.chars().count() as u64 + 1;
            *position = Position { line, column };
        }
    }
}

/// The reason why a rule is not in the index.
pub(super) enum Unfit {
    /// The server ignores the rule too.
    Invalid,
    /// Only the server can follow the rule.
    Unfollowed,
}

/// Returns the offset of a part of a text.
pub(super) fn offset_in(text: &[u8], part: &[u8]) -> u64 {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize) as u64
}

/// A page that a server shows for paths at which nothing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::audit) struct ErrorPage {
    /// The path, with the slash at its start.
    pub(in crate::audit) path: Vec<u8>,
    /// The place in the file that names the page.
    pub(in crate::audit) position: Position,
    /// The bytes of the directive.
    pub(in crate::audit) span: Span,
}

/// The frequency of something in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::audit) struct Occurrences {
    pub(in crate::audit) count: u64,
    pub(in crate::audit) first: u64,
}

impl Occurrences {
    pub(super) fn add(&mut self, offset: u64) {
        if self.count == 0 {
            self.first = offset;
        }
        self.count += 1;
    }
}

/// Returns the parameters of a query, decoded.
pub(super) fn parameters(query: &[u8]) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    let pairs = query
        .split(|&byte| byte == b'&')
        .filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let value = &pair[(at + 1).min(pair.len())..];
        (
            percent_decode(&pair[..at]).into(),
            percent_decode(value).into(),
        )
    })
}

/// Returns the segments of a path after its first slash.
pub(super) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    // The path `/` has none.
    let count = match path.is_empty() {
        true => 0,
        false => usize::MAX,
    };
    path.split(|&byte| byte == b'/').take(count)
}

/// Returns whether bytes are the name of a place.
pub(super) fn is_name(name: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    !name.is_empty() && name.iter().all(in_name)
}

impl PathPattern {
    /// Creates the pattern of one path and, if `rest` has a name, what is below.
    pub(super) fn literal(path: &[u8], rest: Option<RestPattern>) -> Self {
        PathPattern::Segments {
            segments: segments(path).map(SegmentPattern::literal).collect(),
            rest,
        }
    }

    /// Creates the pattern of a path whose places are whole segments, as `place` finds them; `None` for
    /// other paths.
    pub(super) fn segments<'p>(
        path: &'p [u8],
        place: impl Fn(&'p [u8]) -> Option<PathPlace<'p>>,
    ) -> Option<Self> {
        let (mut patterns, mut rest) = (Vec::new(), None);
        for segment in segments(path) {
            if rest.is_some() {
                return None;
            }
            match place(segment)? {
                PathPlace::None => patterns.push(SegmentPattern::literal(segment)),
                PathPlace::Segment(name) => patterns.push(SegmentPattern::Named(name.into())),
                PathPlace::Rest(name) => {
                    let name = name.into();
                    rest = Some(RestPattern { name, least: 0 });
                }
            }
        }
        let segments = patterns;
        Some(PathPattern::Segments { segments, rest })
    }

    /// Creates the pattern of a regular expression; none if it is invalid or too large.
    pub(super) fn expression(pattern: &str, except: Option<&str>) -> Option<Self> {
        Some(PathPattern::Expression {
            expression: LazyExpression::new(pattern)?,
            except: match except {
                Some(pattern) => Some(LazyExpression::new(pattern)?),
                None => None,
            },
        })
    }

    /// Matches a path; returns what the names stand for.
    fn captures<'a>(&'a self, path: &'a [u8]) -> Option<Captures<'a>> {
        let (patterns, rest) = match self {
            PathPattern::Segments { segments, rest } => (segments, rest),
            PathPattern::Expression { expression, except } => {
                let except = except.as_ref();
                if except.and_then(|except| except.with(|except| except.is_match(path)))
                    == Some(true)
                {
                    return None;
                }
                let captures = expression.with(|compiled| compiled.captures(path))??;
                // The whole comes first in expressions, and is no capture.
                let names = expression.names.iter().zip(captures.iter().skip(1));
                let named = names.map(|(name, found)| {
                    let found = found.map_or(&b""[..], |found| found.as_bytes());
                    (name.as_bytes(), Cow::Borrowed(found))
                });
                return Some(named.collect());
            }
        };
        let mut captures = Vec::new();
        let mut at = path.len().min(1);
        let mut found = segments(path);
        for pattern in patterns {
            let segment = found.next()?;
            at += segment.len() + 1;
            match pattern {
                SegmentPattern::Literal(literal) if **literal == *segment => {}
                SegmentPattern::Named(name) if !segment.is_empty() => {
                    captures.push((name.as_ref(), Cow::Borrowed(segment)));
                }
                _ => return None,
            }
        }
        let left = found.count();
        match rest {
            None if left > 0 => return None,
            None => {}
            Some(rest) if left < rest.least => return None,
            // A path that ends with the pattern has no slash behind it.
            Some(rest) => captures.push((&rest.name, Cow::Borrowed(path.get(at..).unwrap_or(b"")))),
        }
        Some(captures)
    }
}

/// The places of templates.
static PLACES: [LazyLock<Regex>; 3] = [
    LazyLock::new(|| places(r":(?<name>\w+)")),
    LazyLock::new(|| places(r"\$(?<number>\d)")),
    LazyLock::new(|| places(r":(?<name>\w+)[*+?]?|\$(?<number>\d)")),
];

fn places(pattern: &str) -> Regex {
    let mut builder = RegexBuilder::new(pattern);
    // INVARIANT: the patterns are valid.
    builder.unicode(false).build().expect("a valid pattern")
}

impl DestinationTemplate {
    /// Replaces the places by what was matched; `None` if the result is too long.
    fn expand(&self, captures: &Captures<'_>) -> Option<Vec<u8>> {
        let (mut out, mut end) = (Vec::new(), 0);
        let places = match self.places {
            TemplatePlaces::Names => &PLACES[0],
            TemplatePlaces::Numbers => &PLACES[1],
            TemplatePlaces::Both => &PLACES[2],
            TemplatePlaces::Append => {
                out.extend_from_slice(&self.text);
                let rest = captures.last().map_or(&b""[..], |(_, rest)| rest);
                if !rest.is_empty() && out.last() != Some(&b'/') {
                    out.push(b'/');
                }
                push_path(rest, &mut out);
                return (out.len() <= LONGEST_DESTINATION).then_some(out);
            }
        };
        for place in places.captures_iter(&self.text) {
            let value = match (place.name("name"), place.name("number")) {
                (Some(name), _) => {
                    let mut named = captures.iter();
                    named.find(|(known, _)| *known == name.as_bytes())
                }
                (None, number) => number
                    .and_then(|number| usize::from(number.as_bytes()[0] - b'0').checked_sub(1))
                    .and_then(|index| captures.get(index)),
            };
            let whole = place.get_match();
            out.extend_from_slice(&self.text[end..whole.start()]);
            match value {
                Some((_, value)) => push_path(value, &mut out),
                None => out.extend_from_slice(whole.as_bytes()),
            }
            end = whole.end();
            if out.len() > LONGEST_DESTINATION {
                return None;
            }
        }
        out.extend_from_slice(&self.text[end..]);
        (out.len() <= LONGEST_DESTINATION).then_some(out)
    }
}
