//! Flags of a reference: the changes made to it, and its peculiarities. One row per flag.

use crate::bytes::simd::{self, Block};

/// A set of flags, named as in records.
#[derive(Clone, Copy, Default)]
pub struct Flags(u64);

macro_rules! flags {
    ($($(#[doc = $meaning:literal])+ $constant:ident = $name:literal;)*) => {
        /// Every flag, in the order of its bit.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Bit { $($constant,)* }

        impl Flags {
            $($(#[doc = $meaning])+ pub const $constant: Flags = Flags(1 << Bit::$constant as u64);)*

            /// The names of all flags, in the order in which records list them.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The meaning of every flag, in the same order, each line after a blank.
            pub(crate) const MEANINGS: &'static [&'static str] = &[$(concat!($($meaning),+),)*];
        }
    };
}

flags! {
    /// A line break was removed from inside the reference.
    WRAPPED = "wrapped";
    /// White space within a line was removed from inside the reference.
    INNER_SPACE = "inner-space";
    /// A line inside the reference ended in a hyphen, which was kept.
    HYPHEN = "hyphen";
    /// An invisible character (soft hyphen, zero width space) was removed from inside.
    IGNORABLE_REMOVED = "ignorable-removed";
    /// `URL:` precedes it, and is not part of it.
    URL_PREFIX = "url-prefix";
    /// A relative reference in `<URL:...>`.
    RELATIVE = "relative";
    /// `<` or a quote opened the reference, and nothing closed it.
    UNCLOSED = "unclosed";
    /// Punctuation at its end was left out.
    TRIMMED = "trimmed";
    /// Its author shortened it: dots follow.
    ELLIPSIS = "ellipsis";
    /// A footnote mark at its end was left out.
    FOOTNOTE_CUT = "footnote-cut";
    /// Letters or digits directly before its scheme were left out.
    GLUED = "glued";
    /// Its scheme is not a known one.
    UNKNOWN_SCHEME = "unknown-scheme";
    /// It has user information before the host.
    USERINFO = "userinfo";
    /// Its host has a label that no host name has: empty, too long, or with odd characters.
    ODD_HOST = "odd-host";
    /// It has characters beyond ASCII, as an IRI may (RFC 3987).
    NON_ASCII = "non-ascii";
    /// It has characters that no URI may have, such as `{`, `|` or `^`.
    NONCONFORMING = "nonconforming";
    /// It has a percent sign without two hexadecimal digits after it.
    BAD_PERCENT = "bad-percent";
    /// An invisible character ended it.
    ZERO_WIDTH = "zero-width";
    /// It fills its line, and the next line begins with text that looks like the rest of it.
    MAYBE_WRAPPED = "maybe-wrapped";
    /// It is longer than 65,536 bytes, and was cut there.
    OVERLONG = "overlong";
    /// Its scheme was not written: http:// or mailto: was assumed.
    SCHEME_GUESSED = "scheme-guessed";
    /// It, or the base that it needs, holds a placeholder of a template, such as `{{ url }}`,
    /// `{% link a.md %}` or `${VAR}`.
    TEMPLATE = "template";
    /// It is in the contents of a template element.
    INERT = "inert";
    /// It is in the srcdoc document of an iframe.
    SRCDOC = "srcdoc";
    /// It is in CSS.
    CSS = "css";
    /// It precedes the first part of a multipart body.
    PREAMBLE = "preamble";
    /// It follows the last part of a multipart body.
    EPILOGUE = "epilogue";
    /// It is in plain text that follows an encoded part.
    TRAILER = "trailer";
    /// It follows the mark of a signature, a line of `-- `.
    IN_SIGNATURE = "in-signature";
    /// Its base is a relative Content-Location, resolved against the base around it.
    BASE_CHAINED = "base-chained";
    /// It is in a custom property of CSS.
    CUSTOM_PROPERTY = "custom-property";
    /// It is a wiki link, `[[Page]]`: the extension and the form of the fragment were supplied.
    WIKI = "wiki";
    /// Its document declares no base, and the base of the entry was assumed.
    ASSUMED_BASE = "assumed-base";
    /// It is a fragment alone in a style sheet.
    LOCAL = "local";
    /// It names a context of linked data.
    CONTEXT = "context";
    /// It has more `..` than its place in the package allows; the target is still inside.
    LEAVES_PACKAGE = "leaves-package";
    /// It was made harmless by its author, and was restored.
    REFANGED = "refanged";
    /// It is an attribute of a component in MDX: `href`, `src`, `to` or `link`.
    COMPONENT = "component";
    /// Nothing but its form says that it is a reference: it is a whole string of JSON, or a whole
    /// attribute of XML, of no known kind.
    GUESSED = "guessed";
    /// It is a link of a gateway whose target only the service of the gateway knows, with --unwrap.
    OPAQUE_GATEWAY = "opaque-gateway";
    /// The text of the link is a URL or a host of another registered domain than the target.
    TEXT_HOST_DIFFERS = "text-host-differs";
    /// It is in a conditional comment of HTML, which browsers ignore and some programs for mail read.
    CONDITIONAL = "conditional";
}

/// Marks without a name, for the layers above: no record shows them, and sets that differ in them are equal.
impl Flags {
    /// The target of a `meta` element's refresh.
    pub(crate) const REFRESH: Flags = Flags(1 << 63);
    /// The reference is in RSS, which does not define bases, or in HTML inside it.
    pub(crate) const RSS: Flags = Flags(1 << 59);
    /// The reference is listed by a sitemap.
    pub(crate) const LISTED: Flags = Flags(1 << 58);
    /// The reference is in the syntax of Markdown, and not in HTML inside.
    pub(crate) const OWN_SYNTAX: Flags = Flags(1 << 57);
    /// The reference is a source of a source map.
    pub(crate) const MAPPED: Flags = Flags(1 << 56);
    /// The reference's element asks to be left out (`HtmlOptions::ignore`).
    pub const IGNORED: Flags = Flags(1 << 62);
    /// The span is a PDF object's.
    pub(crate) const OBJECT: Flags = Flags(1 << 61);
    /// The object is in a compressed stream, whose span is given.
    pub(crate) const PACKED: Flags = Flags(1 << 60);
}

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);

    /// Returns the set as a number, for storage.
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the set that [`bits`](Self::bits) gave.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Flags(bits)
    }

    /// Returns the union of both sets, in a constant.
    pub const fn union(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Returns whether all of `other` are set.
    ///
    /// ```
    /// use uriscan::Flags;
    /// let flags = Flags::WRAPPED | Flags::HYPHEN;
    /// assert!(flags.contains(Flags::HYPHEN) && !flags.contains(Flags::TRIMMED));
    /// assert_eq!(flags.names().collect::<Vec<_>>(), ["wrapped", "hyphen"]);
    /// ```
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any of `other` is set.
    pub fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether no flag is set.
    pub fn is_empty(self) -> bool {
        self.named() == 0
    }

    /// The bits of the flags that have names.
    fn named(self) -> u64 {
        self.0 & ((1 << Self::NAMES.len()) - 1)
    }

    /// Returns the set if a condition holds, else none.
    pub(crate) fn when(self, condition: bool) -> Flags {
        if condition { self } else { Flags::NONE }
    }

    /// Returns the names of the set flags, in the order of [`NAMES`](Self::NAMES).
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            Self::NAMES.get(bit as usize).copied()
        })
    }
}

impl PartialEq for Flags {
    fn eq(&self, other: &Flags) -> bool {
        self.named() == other.named()
    }
}

impl Eq for Flags {}

impl std::hash::Hash for Flags {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.named().hash(state);
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.names()).finish()
    }
}

/// The starts of placeholders that a template engine replaces.
const PLACEHOLDERS: [&[u8]; 5] = [b"{{", b"{%", b"${", b"<%", b"#{"];

/// Returns whether a template engine will replace a part of a reference. A percent sign before two
/// hexadecimal digits is an escape, except after a brace.
#[inline]
pub(crate) fn holds_placeholder(reference: &[u8]) -> bool {
    let starts = |block: Block| block.any_of([b'{', b'<']);
    simd::any(reference, starts, |byte| matches!(byte, b'{' | b'<')) && names_placeholder(reference)
}

/// The exact test, for references with a brace or an angle bracket.
#[cold]
fn names_placeholder(reference: &[u8]) -> bool {
    memchr::memchr2_iter(b'{', b'%', reference).any(|at| {
        let is_start = |range: std::ops::Range<usize>| {
            let pair = reference.get(range);
            pair.is_some_and(|pair| PLACEHOLDERS.contains(&pair))
        };
        let is_byte = reference[at] == b'%'
            && (reference.get(at + 1..at + 3))
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let is_brace = reference[at] == b'{' && reference.get(at + 1) != Some(&b'%');
        !is_byte && is_start(at.saturating_sub(1)..at + 1) || is_brace && is_start(at..at + 2)
    })
}
