//! Flags of a reference: what was done to it, and what is odd about it. One row per flag.

use super::diagnostic::Explanation;
use crate::bytes::simd::{self, Block};

/// A set of flags, named as in records.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u64);

macro_rules! flags {
    ($($constant:ident = $name:literal {
        meaning: $meaning:literal,
        why: $why:literal,
        example: $example:literal,
        allow: $allow:expr,
    })*) => {
        /// Every flag, in the order of its bit.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Bit { $($constant,)* }

        impl Flags {
            $(#[doc = $meaning] pub const $constant: Flags = Flags(1 << Bit::$constant as u64);)*

            /// The names of all flags, in the order in which records list them.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];
        }

        /// The explanation of every flag, in the same order.
        pub(crate) static EXPLANATIONS: &[Explanation] = &[$(Explanation {
            name: $name,
            meaning: $meaning,
            why: $why,
            example: $example,
            allow: $allow,
        }),*];
    };
}

/// Advice for a flag of references that are right as they stand.
const KEEP: &str = "Nothing has to be done: the reference is as its author meant it.";

/// Advice for a flag of references that may be wrong.
const DOUBT: &str = "Look at the place; to leave such finds out, filter the records: jq 'select(.flags | index(\"FLAG\") | not)'.";

flags! {
    WRAPPED = "wrapped" {
        meaning: "A line break was removed from inside the reference.",
        why: "RFC 2396 Appendix E: white space between delimiters comes from breaking lines. A \
            backslash before the break marks that the line goes on; the reading with it is in \
            `alternatives`.",
        example: "<http://example.com/a/\\nlong/path>",
        allow: KEEP,
    }
    INNER_SPACE = "inner-space" {
        meaning: "White space within a line was removed from inside the reference.",
        why: "It may have come from breaking lines, or the delimiters may hold more than a \
            reference; the shorter reading is in `alternatives`.",
        example: "<http://example.com/a b>",
        allow: DOUBT,
    }
    HYPHEN = "hyphen" {
        meaning: "A line inside the reference ended in a hyphen, which was kept.",
        why: "RFC 2396 Appendix E: it may belong to the reference, or come from breaking the line. \
            The reading without it is in `alternatives`.",
        example: "<http://example.com/a-\\nb>",
        allow: DOUBT,
    }
    IGNORABLE_REMOVED = "ignorable-removed" {
        meaning: "An invisible character (soft hyphen, zero width space) was removed from inside.",
        why: "Typesetting puts it where a line may break.",
        example: "<http://example.com/a\\u{ad}b>",
        allow: KEEP,
    }
    URL_PREFIX = "url-prefix" {
        meaning: "`URL:` stood before it, and is no part of it.",
        why: "RFC 2396 Appendix E recommends it.",
        example: "<URL:http://example.com/>",
        allow: KEEP,
    }
    RELATIVE = "relative" {
        meaning: "A relative reference that stood in `<URL:...>`.",
        why: "Only there is text that has no scheme known to be a reference.",
        example: "<URL:../chapter-2.txt>",
        allow: "--absolute leaves it out.",
    }
    UNCLOSED = "unclosed" {
        meaning: "`<` or a quote opened the reference, and nothing closed it.",
        why: "It was read as one without delimiters, and may have been cut.",
        example: "<http://example.com/a b",
        allow: DOUBT,
    }
    TRIMMED = "trimmed" {
        meaning: "Punctuation at its end was left out.",
        why: "It belongs to the sentence, or is a rule drawn up to the end of the line.",
        example: "See http://example.com/a.",
        allow: KEEP,
    }
    ELLIPSIS = "ellipsis" {
        meaning: "It was cut short by its author: dots follow.",
        why: "Its target is not the whole one.",
        example: "http://example.com/a...",
        allow: DOUBT,
    }
    FOOTNOTE_CUT = "footnote-cut" {
        meaning: "A footnote mark at its end was left out.",
        why: "Converters of web pages to text append it.",
        example: "http://example.com/a[1]",
        allow: KEEP,
    }
    GLUED = "glued" {
        meaning: "Letters or digits stood directly before its scheme, and were left out.",
        why: "A blank is missing there.",
        example: "linkhttps://example.com/",
        allow: KEEP,
    }
    UNKNOWN_SCHEME = "unknown-scheme" {
        meaning: "Its scheme is not a known one.",
        why: "It may be a private scheme, or no reference at all.",
        example: "wibble://example/",
        allow: "--scheme names the ones that you want.",
    }
    USERINFO = "userinfo" {
        meaning: "It has user information before the host.",
        why: "It may show a password, or pretend another host.",
        example: "http://example.org@example.com/",
        allow: KEEP,
    }
    ODD_HOST = "odd-host" {
        meaning: "Its host has a label that no host name has: empty, too long, or with odd characters.",
        why: "It does not lead anywhere, and is often a placeholder.",
        example: "http://-example..com/",
        allow: DOUBT,
    }
    NON_ASCII = "non-ascii" {
        meaning: "It has characters beyond ASCII, as an IRI may (RFC 3987).",
        why: "A URI has them percent-encoded; older software may cut it there.",
        example: "http://example.com/caf\u{e9}",
        allow: "--non-ascii ascii ends references before such characters.",
    }
    NONCONFORMING = "nonconforming" {
        meaning: "It has characters that no URI may have, such as `{`, `|` or `^`.",
        why: "Software differs in what it makes of them; it may be a template and no reference.",
        example: "http://example.com/{id}",
        allow: DOUBT,
    }
    BAD_PERCENT = "bad-percent" {
        meaning: "It has a percent sign without two hexadecimal digits behind it.",
        why: "RFC 2396 section 2.4.1: servers may refuse it.",
        example: "http://example.com/100%",
        allow: "Write %25.",
    }
    ZERO_WIDTH = "zero-width" {
        meaning: "An invisible character ended it.",
        why: "It may have been put in to break the line or to deceive.",
        example: "http://example.com/a, U+200B, b",
        allow: DOUBT,
    }
    MAYBE_WRAPPED = "maybe-wrapped" {
        meaning: "It fills its line, and the next one begins with what looks like the rest of it.",
        why: "Nothing outside delimiters is joined (RFC 2396 Appendix E), so it may be cut.",
        example: "a reference that ends in column 76, and a line that goes on with `/more?x=1`",
        allow: DOUBT,
    }
    OVERLONG = "overlong" {
        meaning: "It is longer than 65,536 bytes, and was cut there.",
        why: "Its target is not the whole one.",
        example: "data:image/png;base64,... in text",
        allow: DOUBT,
    }
    SCHEME_GUESSED = "scheme-guessed" {
        meaning: "Its scheme was not written: http:// or mailto: was assumed.",
        why: "RFC 2396 Appendix F: such abbreviations are no URIs.",
        example: "www.example.com, with --www",
        allow: "Leave out --www and --email.",
    }
    TEMPLATE = "template" {
        meaning: "It holds a placeholder of a template, such as `{{ url }}`, `{% link a.md %}` or `${VAR}`.",
        why: "What it leads to is known when the placeholder is replaced, so it has no target.",
        example: "[x]({{site.url}}/a)",
        allow: KEEP,
    }
    INERT = "inert" {
        meaning: "It stands in the contents of a template element.",
        why: "It does nothing until a script clones it.",
        example: "<template><a href=x>x</a></template>",
        allow: KEEP,
    }
    SRCDOC = "srcdoc" {
        meaning: "It stands in the srcdoc document of an iframe.",
        why: "Its base is that of the document around it.",
        example: "<iframe srcdoc='<a href=x>x</a>'></iframe>",
        allow: KEEP,
    }
    CSS = "css" {
        meaning: "It stands in CSS.",
        why: "The browser loads it when a rule of the style sheet applies.",
        example: "<p style='background: url(x.png)'>",
        allow: "--context leaves it out: attribute,text,header and the like.",
    }
    PREAMBLE = "preamble" {
        meaning: "It stands before the first part of a multipart body.",
        why: "Readers that know MIME do not show it.",
        example: "This message needs a reader of MIME: http://example.com/",
        allow: KEEP,
    }
    EPILOGUE = "epilogue" {
        meaning: "It stands behind the last part of a multipart body.",
        why: "Readers that know MIME do not show it.",
        example: "a footer that a mailing list has put behind the closing delimiter",
        allow: KEEP,
    }
    TRAILER = "trailer" {
        meaning: "It stands in clear text behind an encoded part.",
        why: "A mailing list has put it there, and its author has not.",
        example: "aGVsbG8=\\n____\\nhttp://lists.example.com/",
        allow: KEEP,
    }
    IN_SIGNATURE = "in-signature" {
        meaning: "It stands behind the mark of a signature, a line of `-- `.",
        why: "It is about the author and not about the message.",
        example: "-- \\nAnn, http://example.com/ann",
        allow: KEEP,
    }
    BASE_CHAINED = "base-chained" {
        meaning: "Its base is a relative Content-Location, resolved against the base around it.",
        why: "RFC 2557 section 5 to the letter takes no such base; most writers of mail mean it.",
        example: "Content-Location: a/index.html inside a message with Content-Base",
        allow: "--mime-base strict follows the letter.",
    }
    CUSTOM_PROPERTY = "custom-property" {
        meaning: "It stands in a custom property of CSS.",
        why: "A browser resolves it where the property is used, in no other way than here.",
        example: ":root { --logo: url(logo.png) }",
        allow: KEEP,
    }
    WIKI = "wiki" {
        meaning: "It is a wiki link, `[[Page]]`: the extension and the form of the fragment were supplied.",
        why: "What it names is found by its name; an audit looks for it in the whole tree.",
        example: "[[Page#Heading]], with --wiki-links",
        allow: KEEP,
    }
    ASSUMED_BASE = "assumed-base" {
        meaning: "It stands in a document without a base of its own, and that of its entry was assumed.",
        why: "Feeds do not say what references in the HTML of an item are relative to; the link of \
            the item is what most readers take.",
        example: "<item><link>http://example.com/a/</link><description>&lt;a href='b'></description></item>",
        allow: KEEP,
    }
    LOCAL = "local" {
        meaning: "It is a fragment alone in a style sheet.",
        why: "It names an element of the page that uses the sheet (CSS Values 4, local URLs), so that \
            an audit does not look for it in the sheet.",
        example: "fill: url(#gradient)",
        allow: KEEP,
    }
    CONTEXT = "context" {
        meaning: "It names a context of linked data.",
        why: "A context says what the members of JSON-LD mean. It is not loaded: members get their meaning from \
            what stands in the document.",
        example: "{\"@context\": \"https://example.org/context\"}",
        allow: KEEP,
    }
    LEAVES_PACKAGE = "leaves-package" {
        meaning: "It has more `..` than its place in the package allows; the target is inside all the same.",
        why: "Nothing outside a package belongs to it (OCF 3.3, 4.2.5): reading systems stop at the root of the \
            package.",
        example: "<a href=\"../../../x.xhtml\"> in OEBPS/c.xhtml of a book",
        allow: DOUBT,
    }
    REFANGED = "refanged" {
        meaning: "It was written so that it is no link, and was restored.",
        why: "Reports of incidents write addresses of attackers so that nobody follows them by mistake.",
        example: "hxxp://example[.]com/, with --refang",
        allow: KEEP,
    }
    COMPONENT = "component" {
        meaning: "It is an attribute of a component in MDX: `href`, `src`, `to` or `link`.",
        why: "Only the component's source tells what it does with the attribute; most make a link of it.",
        example: "<Card href=\"/docs/a\">",
        allow: DOUBT,
    }
    GUESSED = "guessed" {
        meaning: "Nothing but its form says that it is a reference: it is a whole string of JSON, or a \
            whole attribute of XML, of no known kind.",
        why: "The format of the document does not tell which of its values are references.",
        example: "{\"home\": \"http://example.com/\"}",
        allow: DOUBT,
    }
}

/// Marks without a name, for the layers above: no record shows them.
impl Flags {
    /// The target of a `meta` element's refresh.
    pub const REFRESH: Flags = Flags(1 << 63);
    /// The reference stands in RSS, which says nothing of bases, or in HTML inside it.
    pub const RSS: Flags = Flags(1 << 59);
    /// The reference is one that a sitemap lists.
    pub const LISTED: Flags = Flags(1 << 58);
    /// The reference's element asks to be left out (`HtmlOptions::ignore`).
    pub const IGNORED: Flags = Flags(1 << 62);
    /// The span is that of an object of a PDF.
    pub const OBJECT: Flags = Flags(1 << 61);
    /// The object stands in a compressed stream, whose span stands for that of the object.
    pub const PACKED: Flags = Flags(1 << 60);
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
        self.0 == 0
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

/// Returns whether a template engine will replace a part of a reference. A percent sign with two
/// hexadecimal digits behind it stands for a byte, though behind a brace.
#[inline]
pub(crate) fn holds_placeholder(reference: &[u8]) -> bool {
    let starts = |block: Block| block.any_of([b'{', b'%']);
    simd::any(reference, starts, |byte| matches!(byte, b'{' | b'%')) && names_placeholder(reference)
}

/// The exact test, for references with a brace or a percent sign.
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
