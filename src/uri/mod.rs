//! Layer 2: URI references by RFC 1738, 1808, 2396, 3986 and the WHATWG URL standard.
//!
//! Input is any bytes; a reference that cannot be resolved is an error value. No document format is
//! known here.
//!
//! | task | items |
//! |---|---|
//! | split a reference | [`Reference`], [`Reference1808`] |
//! | resolve references against a base | [`Resolver`], by [`Rules`] |
//! | validate | [`validate()`], by a [`Grammar`] |
//! | normalise for comparison | [`normalize()`], by a [`Normalization`] |
//! | convert between file names and URIs | [`base`], [`Mounts`] |
//!
//! A base is a document, not a directory: against `http://example.com/docs` the reference `x` is
//! `http://example.com/x`, against `http://example.com/docs/` it is `http://example.com/docs/x`.
//!
//! The rule sets differ; the same references against `http://a/b/c/d;p?q`:
//!
//! ```
//! use uriscan::uri::{Resolver, Rules};
//!
//! let rules = [Rules::Rfc1808, Rules::RFC2396, Rules::RFC3986, Rules::Whatwg];
//! for (reference, targets) in [
//!     ("?y", ["http://a/b/c/d;p?y", "http://a/b/c/?y", "http://a/b/c/d;p?y", "http://a/b/c/d;p?y"]),
//!     ("../../../g", ["http://a/../g", "http://a/../g", "http://a/g", "http://a/g"]),
//!     ("http:g", ["http:g", "http:g", "http:g", "http://a/b/c/g"]),
//!     ("///g", ["http://a/g", "http:///g", "http:///g", "http://g/"]),
//! ] {
//!     for (rules, expected) in rules.into_iter().zip(targets) {
//!         let resolver = Resolver::new(b"http://a/b/c/d;p?q", rules)?;
//!         let mut target = Vec::new();
//!         resolver.resolve_into(reference.as_bytes(), &mut target)?;
//!         assert_eq!(String::from_utf8_lossy(&target), expected);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where the text of an RFC has a known error, [`RuleForm`] chooses between the letter and the
//! correction.

pub mod base;
mod byte_classes;
mod error;
mod host;
mod mounts;
mod normalize;
pub(crate) mod percent;
mod reference;
mod resolve;
mod rules;
mod scheme;
#[cfg(feature = "audit")]
pub(crate) mod shown;
#[cfg(not(feature = "audit"))]
pub(crate) mod shown {
    /// Registered domains are unknown.
    pub(crate) fn names_other_host(_: &str, _: &[u8], _: &super::unwrap::Unwrapper) -> bool {
        false
    }
}
#[cfg(feature = "audit")]
mod surt;
pub mod unwrap;
mod validate;

pub use base::{Base, BaseSource};
pub use byte_classes::ByteClasses;
pub use error::{BaseError, Component, Fault, ResolveError, ResolveErrorKind};
#[cfg(feature = "audit")]
pub(crate) use host::registered_domain;
pub(crate) use host::{canonical_host, drop_root_dot, has_userinfo, host};
pub(crate) use host::{reversed_host, unicode_host, valid_host};
pub use mounts::{Mounts, Served};
pub use normalize::{Normalization, normalize};
pub use reference::{Reference, Reference1808};
pub(crate) use reference::{SCHEME, scheme_length};
pub use resolve::{ReferenceKind, Resolved, Resolver, resolve};
pub(crate) use resolve::{strip, trim};
pub use rules::{ExcessDots, RuleForm, Rules, SameScheme};
#[cfg(feature = "audit")]
pub use surt::surt;
pub use validate::{AuthorityKind, Grammar, validate};
