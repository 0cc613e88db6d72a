//! Resolves references against a base that is prepared once.

mod fast_path;
mod prepared;
mod rfc;
mod whatwg;

use std::fmt;

use encoding_rs::{Encoding, UTF_8};

use self::fast_path::{Concatenation, UriDialect};
pub use self::prepared::ReferenceKind;
use self::prepared::{Prepared, Resolution};
pub(super) use self::rfc::remove_dot_segments;
pub(crate) use self::whatwg::{push_domain, strip, trim};
use crate::uri::byte_classes::ByteClasses;
use crate::uri::error::{BaseError, ResolveError, ResolveErrorKind};
use crate::uri::reference::Ends;
use crate::uri::rules::{Rules, SameScheme};

/// Resolves references against a base, which can be replaced.
///
/// ```
/// use uriscan::{Resolver, Rules};
///
/// let resolver = Resolver::new(b"http://example.com/a/b", Rules::Whatwg)?;
/// let mut target = Vec::new();
/// let resolved = resolver.resolve_into(b"../c?d#e", &mut target)?;
/// assert_eq!(target, b"http://example.com/c?d#e");
/// assert!(!resolved.same_document());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Resolver {
    rules: Rules,
    base: Prepared,
    has_base: bool,
    /// The rules of the fast path, if they have one and a base is set.
    dialect: Option<UriDialect>,
    encoding: &'static Encoding,
}

/// Resolves one reference against a base, which must be absolute.
///
/// [`Resolver`] prepares a base once for many references.
///
/// # Errors
///
/// When the base is unusable ([`ResolveErrorKind::InvalidBase`]), or the reference has no target.
///
/// ```
/// use uriscan::{Rules, resolve};
///
/// let target = resolve("http://a/b/c/d;p?q", "../g", Rules::RFC3986)?;
/// assert_eq!(target, b"http://a/b/g");
/// # Ok::<(), uriscan::ResolveError>(())
/// ```
pub fn resolve(
    base: impl AsRef<[u8]>,
    reference: impl AsRef<[u8]>,
    rules: Rules,
) -> Result<Vec<u8>, ResolveError> {
    let resolver =
        Resolver::new(base.as_ref(), rules).map_err(|_| ResolveErrorKind::InvalidBase)?;
    let mut target = Vec::new();
    resolver.resolve_into(reference.as_ref(), &mut target)?;
    Ok(target)
}

impl Resolver {
    /// Makes a resolver for a base, which must be absolute.
    ///
    /// # Errors
    ///
    /// When the base has no scheme or, by the WHATWG rules, does not parse.
    pub fn new(base: &[u8], rules: Rules) -> Result<Self, BaseError> {
        let mut resolver = Self::without_base(rules);
        resolver.rebase(base)?;
        Ok(resolver)
    }

    /// Makes a resolver that resolves only references that need no base.
    #[must_use]
    pub fn without_base(rules: Rules) -> Self {
        Self {
            rules,
            base: Prepared::default(),
            has_base: false,
            dialect: None,
            encoding: UTF_8,
        }
    }

    /// Replaces the base and keeps the allocation. After an error the resolver has no base.
    ///
    /// # Errors
    ///
    /// As [`Resolver::new`].
    pub fn rebase(&mut self, base: &[u8]) -> Result<(), BaseError> {
        self.has_base = false;
        self.dialect = None;
        let (rules, encoding) = (self.rules, self.encoding);
        self.base.replace(|uri| match rules {
            Rules::Whatwg => normalize_base(base, encoding, uri),
            _ if Ends::of(base).has_scheme() => {
                uri.extend_from_slice(base);
                Ok(())
            }
            _ => Err(BaseError::NOT_ABSOLUTE),
        })?;
        if rules != Rules::Rfc1808 {
            // A base has no fragment (RFC 3986 section 5.1); by RFC 1808 section 4 step 2a it may
            // be inherited.
            self.base.drop_fragment();
        }
        self.has_base = true;
        self.dialect = match rules {
            Rules::Whatwg => Some(UriDialect::Whatwg),
            Rules::Rfc3986 {
                scheme: SameScheme::Strict,
                ..
            } => Some(UriDialect::Rfc3986),
            _ => None,
        };
        Ok(())
    }

    /// Sets the encoding of the document, UTF-8 at first.
    ///
    /// The WHATWG rules use it for queries of special schemes (URL section 4.4).
    pub fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
    }

    /// The rules in force.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The absolute base URI in use.
    ///
    /// Normalised by the WHATWG rules, as given by the others; without its fragment, which only RFC
    /// 1808 may inherit.
    #[must_use]
    pub fn base(&self) -> Option<&[u8]> {
        self.has_base.then(|| self.base.uri())
    }

    /// Appends the target of a reference to `out` and returns the kind of the reference.
    ///
    /// Allocates nothing once `out` is large enough, but for a few references by the WHATWG rules:
    /// those with tabs or line breaks, bytes that are not UTF-8, or a host that is an address,
    /// percent-encoded or not ASCII.
    ///
    /// # Errors
    ///
    /// When the reference has no target; `out` is then unchanged.
    pub fn resolve_into(
        &self,
        reference: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Resolved, ResolveError> {
        let start = out.len();
        let classes = ByteClasses::of(reference);
        let copied = fast_path::find(&self.base, self.dialect, reference, classes);
        let kind = self.append(copied, reference, out)?;
        Ok(Resolved {
            kind,
            same_document: self.is_same_document(kind, &out[start..]),
        })
    }

    /// Returns the target of a reference, the classes of whose bytes are known, the kind of the reference, and
    /// whether reference and target are known to need no escape in a string and to have no blank.
    /// `buffer` holds the target unless it is the reference or the base.
    #[inline(always)]
    pub(crate) fn target<'a>(
        &'a self,
        reference: &'a [u8],
        classes: ByteClasses,
        buffer: &'a mut Vec<u8>,
    ) -> Result<(&'a [u8], ReferenceKind, bool), ResolveError> {
        let copied = fast_path::find(&self.base, self.dialect, reference, classes);
        // By the WHATWG rules no odd byte is copied.
        let is_even = self.dialect == Some(UriDialect::Whatwg) || !classes.has_suspect();
        let is_plain = copied.is_some() && is_even && self.base.is_text_plain;
        if let Some(Concatenation { front, rest, kind }) = copied
            && rest.is_empty()
        {
            return Ok((front, kind, is_plain));
        }
        buffer.clear();
        let kind = self.append(copied, reference, buffer)?;
        Ok((buffer, kind, is_plain))
    }

    #[inline(always)]
    fn append(
        &self,
        copied: Option<Concatenation<'_>>,
        reference: &[u8],
        out: &mut Vec<u8>,
    ) -> Resolution {
        if let Some(Concatenation { front, rest, kind }) = copied {
            out.reserve(front.len() + rest.len());
            out.extend_from_slice(front);
            out.extend_from_slice(rest);
            return Ok(kind);
        }
        let start = out.len();
        self.resolve_by_component(reference, out)
            .inspect_err(|_| out.truncate(start))
    }

    /// The slow path. On an error `out` may hold a part of the target.
    #[inline(never)]
    fn resolve_by_component(&self, reference: &[u8], out: &mut Vec<u8>) -> Resolution {
        let base = self.has_base.then_some(&self.base);
        match self.rules {
            Rules::Whatwg => whatwg::resolve(base, self.encoding, reference, out),
            Rules::Rfc3986 { scheme, form } => {
                rfc::resolve_3986(base, scheme, form, reference, out)
            }
            Rules::Rfc2396 {
                excess,
                scheme,
                form,
            } => rfc::resolve_2396(base, excess, scheme, form, reference, out),
            Rules::Rfc1808 => rfc::resolve_1808(base, reference, out),
        }
    }

    /// Returns whether the target is in the document that the base identifies.
    /// RFC 2396 section 4.2 and RFC 1808: the reference is empty or only a fragment. RFC 3986
    /// section 4.4: target and base are equal apart from fragments.
    fn is_same_document(&self, kind: ReferenceKind, target: &[u8]) -> bool {
        if !self.has_base || kind <= ReferenceKind::Fragment {
            return self.has_base;
        }
        match self.rules {
            Rules::Rfc2396 { .. } | Rules::Rfc1808 => false,
            Rules::Whatwg | Rules::Rfc3986 { .. } => {
                let document = self.base.document();
                matches!(target.get(document.len()), None | Some(b'#'))
                    && target.starts_with(document)
            }
        }
    }
}

/// Appends the serialised form of a base by the WHATWG rules.
fn normalize_base(
    base: &[u8],
    encoding: &'static Encoding,
    uri: &mut Vec<u8>,
) -> Result<(), BaseError> {
    let resolver = Resolver {
        dialect: Some(UriDialect::Whatwg),
        encoding,
        ..Resolver::without_base(Rules::Whatwg)
    };
    match resolver.resolve_into(base, uri) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ResolveErrorKind::NoBase => Err(BaseError::NOT_ABSOLUTE),
        Err(_) => Err(BaseError::UNPARSABLE),
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Resolver")
            .field("rules", &self.rules)
            .field("base", &self.base().map(String::from_utf8_lossy))
            .finish_non_exhaustive()
    }
}

/// Properties of a resolved reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    kind: ReferenceKind,
    same_document: bool,
}

impl Resolved {
    /// The kind of the reference.
    #[must_use]
    pub fn kind(self) -> ReferenceKind {
        self.kind
    }

    /// Returns whether the target has components of the base.
    #[must_use]
    pub fn inherits_base(self) -> bool {
        self.kind.inherits_base()
    }

    /// Returns whether the target is in the document that the base identifies.
    #[must_use]
    pub fn same_document(self) -> bool {
        self.same_document
    }
}
