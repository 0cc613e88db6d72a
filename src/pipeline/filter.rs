//! Which references are reported.

use regex::bytes::RegexSet;

use crate::document::events::Context;
use crate::resolver::Link;
use crate::uri::Reference;

/// Which references are reported: those that pass every test.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Schemes of targets, in lower case; empty: all.
    pub schemes: Vec<String>,
    /// Patterns one of which the target matches, if there are any.
    pub include: Option<RegexSet>,
    /// Patterns none of which the target matches.
    pub exclude: Option<RegexSet>,
    /// Elements, in lower case; empty: all.
    pub elements: Vec<String>,
    /// Contexts; empty: all.
    pub contexts: Vec<Context>,
    /// How the reference is written.
    pub written: Written,
}

/// How a reference is written (RFC 3986 section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// In any way.
    #[default]
    Any,
    /// Without a scheme.
    Relative,
    /// With a scheme.
    Absolute,
}

impl Filter {
    /// Whether every link is reported.
    pub fn admits_everything(&self) -> bool {
        let Filter {
            schemes,
            include,
            exclude,
            elements,
            contexts,
            written,
        } = self;
        let lists = schemes.is_empty() && elements.is_empty() && contexts.is_empty();
        lists && include.is_none() && exclude.is_none() && *written == Written::Any
    }

    /// Whether a link is reported. What has no target is judged by its reference.
    pub fn admits(&self, link: &Link<'_>) -> bool {
        let uri = link.target.unwrap_or(link.reference);
        self.admits_writing(link.reference)
            && self.admits_scheme(uri)
            && (self.contexts.is_empty() || self.contexts.contains(&link.context))
            && (self.elements.is_empty() || self.admits_element(link.element))
            && self.include.as_ref().is_none_or(|set| set.is_match(uri))
            && !self.exclude.as_ref().is_some_and(|set| set.is_match(uri))
    }

    fn admits_writing(&self, reference: &[u8]) -> bool {
        let is_absolute = || Reference::split(reference.trim_ascii()).scheme.is_some();
        match self.written {
            Written::Any => true,
            Written::Relative => !is_absolute(),
            Written::Absolute => is_absolute(),
        }
    }

    fn admits_scheme(&self, uri: &[u8]) -> bool {
        if self.schemes.is_empty() {
            return true;
        }
        let scheme = Reference::split(uri).scheme.unwrap_or_default();
        self.schemes
            .iter()
            .any(|one| one.as_bytes().eq_ignore_ascii_case(scheme))
    }

    fn admits_element(&self, element: Option<&str>) -> bool {
        element.is_some_and(|element| self.elements.iter().any(|one| one == element))
    }
}
