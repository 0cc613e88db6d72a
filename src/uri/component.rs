//! The names of components, as faults name them.

use std::fmt;

/// A component of a URI, or a part of one that a scheme defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// The base that the reference needs.
    Base,
    /// The scheme.
    Scheme,
    /// The authority of RFC 2396 and RFC 3986.
    Authority,
    /// The path.
    Path,
    /// The query.
    Query,
    /// The fragment.
    Fragment,
    /// The two slashes of RFC 1738 section 3.1.
    Slashes,
    /// User and password of RFC 1738 section 3.1.
    Login,
    /// The host.
    Host,
    /// The port.
    Port,
    /// The type code of an FTP URL, RFC 1738 section 3.2.2.
    Typecode,
    /// The search part of an HTTP or WAIS URL, RFC 1738 sections 3.3 and 3.9.
    Search,
    /// The address of a mailto URL, RFC 1738 section 3.5.
    Address,
    /// The newsgroup of a news or NNTP URL, RFC 1738 sections 3.6 and 3.7.
    Group,
    /// The article of a news or NNTP URL, RFC 1738 sections 3.6 and 3.7.
    Article,
    /// A field of a Prospero URL, RFC 1738 section 3.11.
    Field,
    /// What follows the colon of a scheme without a syntax of its own, RFC 1738 section 5.
    SchemePart,
}

impl Component {
    /// The name used in records and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Scheme => "scheme",
            Self::Authority => "authority",
            Self::Path => "path",
            Self::Query => "query",
            Self::Fragment => "fragment",
            Self::Slashes => "slashes",
            Self::Login => "login",
            Self::Host => "host",
            Self::Port => "port",
            Self::Typecode => "typecode",
            Self::Search => "search",
            Self::Address => "address",
            Self::Group => "group",
            Self::Article => "article",
            Self::Field => "field",
            Self::SchemePart => "schemepart",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
