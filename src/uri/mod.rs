//! URI references by RFC 1738, 1808, 2396, 3986 and the WHATWG URL standard: split, validate, resolve, normalise.
//!
//! Nothing here knows of documents. Input is bytes, any bytes; what cannot be resolved is an error value.

pub mod base;
mod component;
mod fault;
mod normalize;
mod reference;
mod resolve;
mod rules;
mod scheme;
mod validate;

pub use base::{Base, BaseSource, Mounts};
pub use component::Component;
pub use fault::Fault;
pub use normalize::{Normalization, normalize};
pub use reference::{Reference, Reference1808};
pub use resolve::{BaseError, ReferenceKind, ResolveError, ResolveErrorKind, Resolved, Resolver};
pub use rules::{ExcessDots, Form, Rules, SameScheme};
pub use validate::{AuthorityKind, Grammar, validate};
