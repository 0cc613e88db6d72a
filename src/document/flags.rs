//! What was done to a reference, and what is odd about it.

/// A set of flags, named as in records.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(u64);

macro_rules! flags {
    ($($(#[$doc:meta])* $constant:ident = $name:literal,)*) => {
        /// Every flag, in the order of its bit.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Bit { $($constant,)* }

        impl Flags {
            $($(#[$doc])* pub const $constant: Flags = Flags(1 << Bit::$constant as u64);)*

            /// The names of all flags, in the order in which records list them.
            pub const NAMES: &'static [&'static str] = &[$($name,)*];
        }
    };
}

flags! {
    /// A line break was removed from inside the reference.
    WRAPPED = "wrapped",
    /// White space within a line was removed.
    INNER_SPACE = "inner-space",
    /// A line ended in a hyphen that may or may not belong (RFC 2396 Appendix E).
    HYPHEN = "hyphen",
    /// An invisible character was removed.
    IGNORABLE_REMOVED = "ignorable-removed",
    /// `URL:` stood before it.
    URL_PREFIX = "url-prefix",
    /// A relative reference, found in `<URL:...>`.
    RELATIVE = "relative",
    /// A delimiter opened it and none closed it.
    UNCLOSED = "unclosed",
    /// Punctuation at its end was left out.
    TRIMMED = "trimmed",
    /// It was cut short by an ellipsis.
    ELLIPSIS = "ellipsis",
    /// A footnote mark at its end was left out.
    FOOTNOTE_CUT = "footnote-cut",
    /// Letters or digits stood directly before its scheme.
    GLUED = "glued",
    /// Its scheme is not a known one.
    UNKNOWN_SCHEME = "unknown-scheme",
    /// It has user information.
    USERINFO = "userinfo",
    /// Its host has an odd label.
    ODD_HOST = "odd-host",
    /// It has characters beyond ASCII.
    NON_ASCII = "non-ascii",
    /// It has characters that no URI may have.
    NONCONFORMING = "nonconforming",
    /// A percent sign without two hexadecimal digits.
    BAD_PERCENT = "bad-percent",
    /// An invisible character ended it.
    ZERO_WIDTH = "zero-width",
    /// It may go on in the next line.
    MAYBE_WRAPPED = "maybe-wrapped",
    /// It was cut at the longest length.
    OVERLONG = "overlong",
    /// Its scheme was not written.
    SCHEME_GUESSED = "scheme-guessed",
    /// It stands in the contents of a template.
    INERT = "inert",
    /// It stands in a srcdoc document.
    SRCDOC = "srcdoc",
    /// It stands in CSS.
    CSS = "css",
    /// It stands before the first part of a multipart body.
    PREAMBLE = "preamble",
    /// It stands behind the last part of a multipart body.
    EPILOGUE = "epilogue",
    /// It stands in clear text behind an encoded part.
    TRAILER = "trailer",
    /// It stands behind a signature mark.
    IN_SIGNATURE = "in-signature",
    /// Its base is a relative Content-Location, resolved against the enclosing base.
    BASE_CHAINED = "base-chained",
}

/// Marks that have no name: they tell the layers above something that no record shows.
impl Flags {
    /// It is where a `meta` element sends the readers of the document.
    pub const REFRESH: Flags = Flags(1 << 63);
    /// Its element asks that it be left out ([`Options::ignore`](super::html::HtmlOptions::ignore)).
    pub const IGNORED: Flags = Flags(1 << 62);
}

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);

    /// The set as a number, for those who store it.
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The set of a number.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Flags(bits)
    }

    /// Both sets together, in a constant.
    pub const fn union(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether all of `other` are set.
    ///
    /// ```
    /// use uriscan::document::flags::Flags;
    /// let flags = Flags::WRAPPED | Flags::HYPHEN;
    /// assert!(flags.contains(Flags::HYPHEN) && !flags.contains(Flags::TRIMMED));
    /// assert_eq!(flags.names().collect::<Vec<_>>(), ["wrapped", "hyphen"]);
    /// ```
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is set.
    pub fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether no flag is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names of the set flags.
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
