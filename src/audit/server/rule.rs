//! The rules by which servers answer requests: patterns of paths, conditions, and destinations; with all that
//! the readers of their files use.

use std::borrow::Cow;
pub(super) use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

pub(super) use percent_encoding::percent_decode;
use regex::bytes::{Regex, RegexBuilder};

pub(super) use crate::audit::disk::OptionalExtension;
use crate::bytes::class::split_once;
use crate::bytes::lines::{LineCounter, Position};
use crate::bytes::pattern::Pattern;
use crate::bytes::window::Window;
pub(super) use crate::document::events::Span;
use crate::uri::base::push_path;

/// Maximum size of a compiled expression in bytes; larger ones are not followed.
const EXPRESSION_SIZE: usize = 64 << 10;
/// Each may take some 100 KB.
const COMPILED: usize = 256;
/// Maximum length of a destination in bytes; a rule with a longer one does not apply.
const LONGEST_DESTINATION: usize = 16 << 10;

pub(in crate::audit) struct Request<'a> {
    /// Decoded, with the slash at its start.
    pub(in crate::audit) path: &'a [u8],
    /// The query as written.
    pub(in crate::audit) query: &'a [u8],
}

pub(in crate::audit) struct ServerRule {
    pub(super) from: PathPattern,
    pub(super) query: Vec<QueryCondition>,
    pub(in crate::audit) to: DestinationTemplate,
    pub(in crate::audit) status: u16,
    /// Applies even to a file at the path.
    pub(super) force: bool,
    /// Depends on properties that no document has: a country, a header.
    pub(super) conditional: bool,
}

/// Decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryCondition {
    pub(super) key: Box<[u8]>,
    /// The value, or the name of any value.
    pub(super) value: Box<[u8]>,
    pub(super) is_named: bool,
}

pub(super) enum PathPattern {
    Segments(Vec<SegmentPattern>),
    Expression {
        expression: LazyExpression,
        /// A negative look-ahead, which `regex` lacks.
        except: Option<LazyExpression>,
    },
}

/// Compiled when a path is matched, as compiled expressions take much memory.
pub(super) struct LazyExpression {
    pub(super) pattern: Box<str>,
    /// Most are empty.
    names: Box<[Box<str>]>,
    /// An index of [`SLOTS`].
    slot: usize,
}

type Slot = Mutex<Option<(Box<str>, Regex)>>;

static SLOTS: [Slot; COMPILED] = [const { Mutex::new(None) }; COMPILED];
/// Expressions so far, which share the slots in turn.
static EXPRESSIONS: AtomicUsize = AtomicUsize::new(0);

impl LazyExpression {
    /// `None` if the pattern is invalid or too large.
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
        builder.dfa_size_limit(EXPRESSION_SIZE).build().ok()
    }

    fn with<T>(&self, run: impl FnOnce(&Regex) -> T) -> Option<T> {
        let mut slot = SLOTS[self.slot].lock();
        if !matches!(&*slot, Some((pattern, _)) if *pattern == self.pattern) {
            *slot = Some((self.pattern.clone(), Self::compile(&self.pattern)?));
        }
        slot.as_ref().map(|(_, expression)| run(expression))
    }
}

/// One segment of a path, or the last ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SegmentPattern {
    /// Decoded.
    Literal(Box<[u8]>),
    /// Any segment but the empty one.
    Named(Box<[u8]>),
    /// `least` or more segments; the last may be empty.
    Rest { name: Box<[u8]>, least: usize },
}

impl SegmentPattern {
    pub(super) fn literal(segment: &[u8]) -> Self {
        SegmentPattern::Literal(Cow::from(percent_decode(segment)).into())
    }

    pub(super) fn rest(name: &[u8]) -> Self {
        let name = name.into();
        SegmentPattern::Rest { name, least: 0 }
    }
}

/// A destination with places for captures.
pub(in crate::audit) struct DestinationTemplate {
    pub(in crate::audit) text: Box<[u8]>,
    pub(super) places: TemplatePlaces,
    /// The span in the file that has the rule.
    pub(in crate::audit) span: Span,
    /// Set by [`ParsedRules::locate`].
    pub(in crate::audit) position: Position,
}

/// The syntax of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TemplatePlaces {
    Nothing,
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

/// Captured texts with their names, in the order of the names.
type Captures<'a> = Vec<(&'a [u8], Cow<'a, [u8]>)>;

impl ServerRule {
    pub(in crate::audit) fn redirects(&self) -> bool {
        (300..400).contains(&self.status)
    }

    /// Returns the decoded path of a redirect of one path, or of a prefix, to one destination.
    pub(super) fn fixed_path(&self) -> Option<Vec<u8>> {
        let PathPattern::Segments(patterns) = &self.from else {
            return None;
        };
        let is_fixed = self.redirects() && self.to.is_fixed();
        if !is_fixed || self.conditional || !self.query.is_empty() {
            return None;
        }
        let literals = patterns.iter().map(|pattern| match pattern {
            SegmentPattern::Literal(segment) => Some([b"/", &**segment].concat()),
            SegmentPattern::Rest { .. } if self.to.is_prefix() => Some(Vec::new()),
            _ => None,
        });
        let path = literals.collect::<Option<Vec<_>>>()?.concat();
        Some(if path.is_empty() { b"/".to_vec() } else { path })
    }

    /// `None` where the pattern does not match, the query lacks a parameter, or the destination
    /// would be too long.
    pub(super) fn destination(&self, request: &Request<'_>) -> Option<Vec<u8>> {
        let mut captures = self.from.captures(request.path)?;
        for condition in &self.query {
            let (_, value) = parameters(request.query).find(|(key, value)| {
                **key == *condition.key && (condition.is_named || **value == *condition.value)
            })?;
            if condition.is_named {
                captures.push((&condition.value, value));
            }
        }
        self.to.expand(&captures)
    }
}

#[derive(Default)]
pub(super) struct ParsedRules {
    pub(super) rules: Vec<ServerRule>,
    /// The offsets of rules that only the server follows.
    pub(super) unfollowed: Vec<u64>,
    /// The offsets of lines without a rule.
    pub(super) invalid: Vec<u64>,
    /// The length that was read of a longer file.
    pub(super) cut: Option<u64>,
    /// Paths of error pages, with the slash at their start.
    pub(super) error_pages: Vec<DestinationTemplate>,
    pub(super) settings: ServerSettings,
}

/// `None` where a file does not change them.
#[derive(Debug, Default)]
pub(super) struct ServerSettings {
    pub(super) index: Option<Arc<[String]>>,
    pub(super) pages: Option<OptionalExtension>,
    /// The slash at the end of a path is added, or removed.
    pub(super) trailing_slash: Option<bool>,
}

impl ParsedRules {
    pub(super) fn add(&mut self, rule: Result<ServerRule, Unfit>, offset: u64) {
        match rule {
            Ok(rule) => self.rules.push(rule),
            Err(Unfit::Invalid) => self.invalid.push(offset),
            Err(Unfit::Unfollowed) => self.unfollowed.push(offset),
        }
    }

    /// Sets the positions of all destinations.
    pub(super) fn locate(&mut self, text: &[u8]) {
        let rules = self.rules.iter_mut().map(|rule| &mut rule.to);
        let mut destinations: Vec<_> = rules.chain(&mut self.error_pages).collect();
        destinations.sort_by_key(|to| to.span.start);
        let mut lines = LineCounter::new();
        for to in destinations {
            to.position = lines.position(&Window::whole(text), to.span.start);
        }
    }
}

pub(super) enum Unfit {
    /// The server ignores the rule too.
    Invalid,
    /// Only the server can follow the rule.
    Unfollowed,
}

pub(super) fn offset_in(text: &[u8], part: &[u8]) -> u64 {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize) as u64
}

pub(super) fn parameters(query: &[u8]) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    let pairs = query.split(|&byte| byte == b'&');
    pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = split_once(pair, b'=');
        let value = value.unwrap_or_default();
        (percent_decode(key).into(), percent_decode(value).into())
    })
}

/// The path `/` has no segments.
pub(super) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    let count = if path.is_empty() { 0 } else { usize::MAX };
    path.split(|&byte| byte == b'/').take(count)
}

pub(super) static NAME: Pattern = Pattern::new(r"^\w+$");

impl PathPattern {
    /// `None` for paths whose places are not whole segments, as `pattern` finds them.
    pub(super) fn segments(
        path: &[u8],
        pattern: impl Fn(&[u8]) -> Option<SegmentPattern>,
    ) -> Option<Self> {
        let patterns: Vec<_> = segments(path).map(pattern).collect::<Option<_>>()?;
        let mut before_last = patterns.iter().rev().skip(1);
        let has_end = before_last.all(|one| !matches!(one, SegmentPattern::Rest { .. }));
        has_end.then_some(PathPattern::Segments(patterns))
    }

    /// `None` if a pattern is invalid or too large.
    pub(super) fn expression(pattern: &str, except: Option<&str>) -> Option<Self> {
        let expression = LazyExpression::new(pattern)?;
        let except = except.map_or(Some(None), |pattern| LazyExpression::new(pattern).map(Some))?;
        Some(PathPattern::Expression { expression, except })
    }

    /// The least number of segments after the pattern, if there may be any.
    pub(super) fn rest(&self) -> Option<usize> {
        let PathPattern::Segments(patterns) = self else {
            return None;
        };
        match patterns.last()? {
            SegmentPattern::Rest { least, .. } => Some(*least),
            _ => None,
        }
    }

    /// Returns the texts that the names match.
    fn captures<'a>(&'a self, path: &'a [u8]) -> Option<Captures<'a>> {
        let patterns = match self {
            PathPattern::Segments(patterns) => patterns,
            PathPattern::Expression { expression, except } => {
                let is_match =
                    |except: &LazyExpression| except.with(|except| except.is_match(path));
                if except.as_ref().and_then(is_match) == Some(true) {
                    return None;
                }
                let captures = expression.with(|compiled| compiled.captures(path))??;
                // The whole match comes first.
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
            if let SegmentPattern::Rest { name, least } = pattern {
                // A path that ends with the pattern has no slash after it.
                captures.push((&**name, path.get(at..).unwrap_or_default().into()));
                return (found.count() >= *least).then_some(captures);
            }
            let segment = found.next()?;
            at += segment.len() + 1;
            match pattern {
                SegmentPattern::Literal(literal) if **literal == *segment => {}
                SegmentPattern::Named(name) if !segment.is_empty() => {
                    captures.push((name, segment.into()));
                }
                _ => return None,
            }
        }
        found.next().is_none().then_some(captures)
    }
}

static PLACES: Pattern = Pattern::new(r":(?<name>\w+)(?<modifier>[*+?]?)|\$(?<number>\d)");
/// A backslash escapes the next character (`ap_pregsub` of Apache httpd).
static NUMBERS: Pattern = Pattern::new(r"\\(?<escaped>.)|\$(?<number>\d)");

impl DestinationTemplate {
    pub(super) fn new(text: impl Into<Box<[u8]>>, places: TemplatePlaces, span: Span) -> Self {
        DestinationTemplate {
            text: text.into(),
            places,
            span,
            position: Position { line: 0, column: 0 },
        }
    }

    pub(in crate::audit) fn is_prefix(&self) -> bool {
        self.places == TemplatePlaces::Append
    }

    /// Returns whether the destination is the same for all requests, or for all with the path of a prefix.
    pub(in crate::audit) fn is_fixed(&self) -> bool {
        let text = &self.text;
        let has_place = match self.places {
            TemplatePlaces::Nothing | TemplatePlaces::Append => false,
            TemplatePlaces::Numbers => memchr::memchr2(b'$', b'\\', text).is_some(),
            TemplatePlaces::Names | TemplatePlaces::Both => {
                let after_scheme = memchr::memmem::find(text, b"://").map_or(0, |at| at + 3);
                memchr::memchr2(b':', b'$', &text[after_scheme..]).is_some()
            }
        };
        !has_place && !text.is_empty()
    }

    /// `None` if the result is too long.
    fn expand(&self, captures: &Captures<'_>) -> Option<Vec<u8>> {
        use TemplatePlaces::{Append, Both, Names, Nothing, Numbers};
        let (mut out, mut end) = (Vec::new(), 0);
        let places = [&PLACES, &NUMBERS][usize::from(self.places == Numbers)];
        let places = places.captures_iter(&self.text);
        for place in places.take_while(|_| ![Nothing, Append].contains(&self.places)) {
            let whole = place.get_match();
            if let Some(escaped) = place.name("escaped") {
                out.extend_from_slice(&self.text[end..whole.start()]);
                end = escaped.start();
                continue;
            }
            // A number names a group, too.
            let name = place.name("name").or(place.name("number"));
            let name = name.map_or(&b""[..], |name| name.as_bytes());
            let number = str::from_utf8(name).ok().and_then(|name| name.parse().ok());
            let number = number.filter(|&number: &usize| number > 0 && self.places != Names);
            let named = captures.iter().find(|(known, _)| *known == name);
            let value = named.or_else(|| captures.get(number? - 1));
            let Some((_, value)) = value else { continue };
            out.extend_from_slice(&self.text[end..whole.start()]);
            push_path(value, &mut out);
            let modifier = place.name("modifier").filter(|_| self.places != Both);
            end = modifier.map_or(whole.end(), |modifier| modifier.start());
            if out.len() > LONGEST_DESTINATION {
                return None;
            }
        }
        out.extend_from_slice(&self.text[end..]);
        if self.places == Append {
            let rest = captures.last().map_or(&b""[..], |(_, rest)| rest);
            if !rest.is_empty() && out.last() != Some(&b'/') {
                out.push(b'/');
            }
            push_path(rest, &mut out);
        }
        (out.len() <= LONGEST_DESTINATION).then_some(out)
    }
}
