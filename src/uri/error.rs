//! Errors: the component at fault, the fault of a reference, and the reason why it has no target.

use std::fmt;

use thiserror::Error;

use crate::bytes::class::ByteSet;

named! {
    /// A component of a URI, or a part of one that a scheme defines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Component {
        /// The base that the reference needs.
        Base = "base",
        /// The scheme.
        Scheme = "scheme",
        /// The authority of RFC 2396 and RFC 3986.
        Authority = "authority",
        /// The path.
        Path = "path",
        /// The query.
        Query = "query",
        /// The fragment.
        Fragment = "fragment",
        /// The two slashes of RFC 1738 section 3.1.
        Slashes = "slashes",
        /// User and password of RFC 1738 section 3.1.
        Login = "login",
        /// The host.
        Host = "host",
        /// The port.
        Port = "port",
        /// The type code of an FTP URL, RFC 1738 section 3.2.2.
        Typecode = "typecode",
        /// The search part of an HTTP or WAIS URL, RFC 1738 sections 3.3 and 3.9.
        Search = "search",
        /// The address of a mailto URL, RFC 1738 section 3.5.
        Address = "address",
        /// The newsgroup of a news or NNTP URL, RFC 1738 sections 3.6 and 3.7.
        Group = "group",
        /// The article of a news or NNTP URL, RFC 1738 sections 3.6 and 3.7.
        Article = "article",
        /// A field of a Prospero URL, RFC 1738 section 3.11.
        Field = "field",
        /// The rest of a URL whose scheme has no specific syntax, RFC 1738 section 5.
        SchemePart = "schemepart",
    }
}

displayed_by_name!(Component);

/// The leftmost fault of a reference.
///
/// ```
/// use uriscan::{Component, Grammar, validate};
///
/// let fault = validate(b"http://example.com/a b", Grammar::Rfc3986).unwrap_err();
/// assert_eq!((fault.component(), fault.at()), (Component::Path, 20));
/// assert_eq!(fault.to_string(), "path at byte 20: a space is not allowed here, only %20");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{component} at byte {at}: {}", self.message())]
pub struct Fault {
    component: Component,
    at: usize,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// A byte that the component cannot hold.
    Byte(u8),
    /// A percent sign without two hexadecimal digits.
    Triplet,
    /// Another fault, described in words.
    Sentence(&'static str),
}

impl Fault {
    pub(crate) const fn new(component: Component, at: usize, sentence: &'static str) -> Self {
        Self {
            component,
            at,
            reason: Reason::Sentence(sentence),
        }
    }

    /// The component at fault.
    #[must_use]
    pub fn component(&self) -> Component {
        self.component
    }

    /// The index of the byte at fault, or the index at which something is missing.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// A sentence about the fault, without component and index.
    #[must_use]
    pub fn message(&self) -> String {
        match self.reason {
            Reason::Byte(b' ') => "a space is not allowed here, only %20".to_owned(),
            Reason::Byte(byte @ b'!'..=b'~') => {
                let character = char::from(byte);
                format!("`{character}` is not allowed here, only %{byte:02X}")
            }
            Reason::Byte(byte @ 0x80..) => {
                format!("only ASCII is allowed here: the byte 0x{byte:02X} is written %{byte:02X}")
            }
            Reason::Byte(byte) => format!("the control character 0x{byte:02X} is not allowed here"),
            Reason::Triplet => "`%` needs two hexadecimal digits after it".to_owned(),
            Reason::Sentence(sentence) => sentence.to_owned(),
        }
    }
}

/// A piece of a reference and its index in the reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentText<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> ComponentText<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Splits before `index`.
    pub(crate) fn split_at(self, index: usize) -> (Self, Self) {
        let (before, after) = self.bytes.split_at(index);
        let text = |bytes, at| Self { bytes, at };
        (text(before, self.at), text(after, self.at + index))
    }

    /// Splits at the first `delimiter`, which is dropped; `None` without one.
    pub(crate) fn split_once(self, delimiter: u8) -> (Self, Option<Self>) {
        match memchr::memchr(delimiter, self.bytes) {
            Some(index) => (self.split_at(index).0, Some(self.split_at(index + 1).1)),
            None => (self, None),
        }
    }

    pub(crate) fn strip_prefix(self, prefix: &[u8]) -> Option<Self> {
        let has_prefix = self.bytes.starts_with(prefix);
        has_prefix.then(|| self.split_at(prefix.len()).1)
    }

    /// Checks that every byte is in the set or part of a triplet.
    pub(crate) fn check(self, component: Component, set: &ByteSet) -> Result<(), Fault> {
        let mut index = 0;
        while let Some(outside) = set.first_outside(&self.bytes[index..]) {
            index += outside;
            let rest = &self.bytes[index..];
            let reason = match rest {
                [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    index += 3;
                    continue;
                }
                [b'%', ..] => Reason::Triplet,
                _ => Reason::Byte(rest[0]),
            };
            return Err(Fault {
                component,
                at: self.at + index,
                reason,
            });
        }
        Ok(())
    }

    /// Checks that every byte is in the set.
    pub(crate) fn consists_of(
        self,
        set: &ByteSet,
        component: Component,
        sentence: &'static str,
    ) -> Result<(), Fault> {
        match set.first_outside(self.bytes) {
            Some(index) => Err(Fault::new(component, self.at + index, sentence)),
            None => Ok(()),
        }
    }

    /// Makes a fault at the first byte.
    pub(crate) fn require(
        self,
        holds: bool,
        component: Component,
        sentence: &'static str,
    ) -> Result<(), Fault> {
        if holds {
            return Ok(());
        }
        Err(self.fault(component, sentence))
    }

    /// Fails if the text is empty.
    pub(crate) fn needed(self, component: Component, sentence: &'static str) -> Result<(), Fault> {
        self.require(!self.bytes.is_empty(), component, sentence)
    }

    pub(crate) fn fault(self, component: Component, sentence: &'static str) -> Fault {
        Fault::new(component, self.at, sentence)
    }
}

/// A base that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct BaseError {
    message: &'static str,
}

impl BaseError {
    pub(crate) const NOT_ABSOLUTE: Self = Self {
        message: "the base URI has no scheme",
    };
    pub(crate) const UNPARSABLE: Self = Self {
        message: "the base URI does not parse",
    };
}

/// The reason why a reference has no target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ResolveError {
    kind: ResolveErrorKind,
    component: Component,
}

impl ResolveError {
    /// The reason.
    #[must_use]
    pub fn kind(&self) -> ResolveErrorKind {
        self.kind
    }

    /// The component of the reference at fault, or [`Component::Base`].
    #[must_use]
    pub fn component(&self) -> Component {
        self.component
    }

    pub(crate) const fn invalid(component: Component) -> Self {
        let kind = ResolveErrorKind::InvalidReference;
        Self { kind, component }
    }
}

impl From<ResolveErrorKind> for ResolveError {
    fn from(kind: ResolveErrorKind) -> Self {
        use ResolveErrorKind::{InvalidBase, InvalidReference, NoBase, UnsuitableBase};
        let component = match kind {
            NoBase | UnsuitableBase | InvalidBase => Component::Base,
            InvalidReference => Component::Host,
            ResolveErrorKind::ExcessDots | ResolveErrorKind::Template => Component::Path,
        };
        Self { kind, component }
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ResolveErrorKind::InvalidReference => {
                write!(formatter, "the {} does not parse", self.component)
            }
            kind => kind.fmt(formatter),
        }
    }
}

named! {
    /// The kinds of [`ResolveError`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
    #[non_exhaustive]
    pub enum ResolveErrorKind {
        /// The reference is relative, and the base is missing.
        #[error("the reference is relative and there is no base")]
        NoBase = "no-base",
        /// The base has no hierarchy: `mailto:`, `about:` and the like.
        #[error("the base has no hierarchy for a relative reference")]
        UnsuitableBase = "unsuitable-base",
        /// The reference does not parse (WHATWG only: hosts and ports).
        #[error("the reference does not parse")]
        InvalidReference = "invalid-reference",
        /// The base is not absolute, or does not parse: only [`resolve()`](super::resolve()) returns it.
        #[error("the base is not absolute or does not parse")]
        InvalidBase = "invalid-base",
        /// The reference escapes the root, by [`ExcessDots::Error`](crate::uri::ExcessDots::Error).
        #[error("the reference escapes the root")]
        ExcessDots = "excess-dots",
        /// The reference holds a placeholder of a template: its final text is unknown.
        #[error("the reference holds a placeholder of a template")]
        Template = "template",
    }
}
