//! Why a base is refused and why a reference has no target.

use std::{error, fmt};

use crate::uri::component::Component;

/// A base that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseError {
    message: &'static str,
}

impl BaseError {
    pub(crate) const fn not_absolute() -> Self {
        Self {
            message: "the base URI has no scheme",
        }
    }

    pub(crate) const fn unparsable() -> Self {
        Self {
            message: "the base URI does not parse",
        }
    }
}

impl fmt::Display for BaseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message)
    }
}

impl error::Error for BaseError {}

/// Why a reference has no target.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The component at fault: of the reference, or the base.
    #[must_use]
    pub fn component(&self) -> Component {
        self.component
    }

    pub(crate) const fn invalid(component: Component) -> Self {
        Self {
            kind: ResolveErrorKind::InvalidReference,
            component,
        }
    }
}

impl From<ResolveErrorKind> for ResolveError {
    fn from(kind: ResolveErrorKind) -> Self {
        let component = match kind {
            ResolveErrorKind::NoBase | ResolveErrorKind::UnsuitableBase => Component::Base,
            ResolveErrorKind::InvalidReference => Component::Host,
            ResolveErrorKind::ExcessDots => Component::Path,
        };
        Self { kind, component }
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.kind {
            ResolveErrorKind::NoBase => "the reference is relative and there is no base",
            ResolveErrorKind::UnsuitableBase => {
                "the base has no hierarchy for a relative reference"
            }
            ResolveErrorKind::InvalidReference => {
                return write!(formatter, "the {} does not parse", self.component);
            }
            ResolveErrorKind::ExcessDots => "the reference leads above the root",
        })
    }
}

impl error::Error for ResolveError {}

/// The kinds of [`ResolveError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResolveErrorKind {
    /// The reference is relative and there is no base.
    NoBase,
    /// The base has no hierarchy: `mailto:`, `about:` and the like.
    UnsuitableBase,
    /// The reference does not parse (WHATWG only: hosts and ports).
    InvalidReference,
    /// It leads above the root, and [`ExcessDots::Error`](crate::uri::ExcessDots::Error) was asked for.
    ExcessDots,
}

impl ResolveErrorKind {
    /// The name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoBase => "no-base",
            Self::UnsuitableBase => "unsuitable-base",
            Self::InvalidReference => "invalid-reference",
            Self::ExcessDots => "excess-dots",
        }
    }
}
