//! The rule sets of resolution, and the choices that their texts leave open.

/// The rules by which references are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rules {
    /// The WHATWG URL standard: the target that a browser would fetch.
    Whatwg,
    /// RFC 3986 section 5.2.
    Rfc3986 {
        /// Section 5.2.2: whether a scheme equal to the base's is ignored.
        scheme: SameScheme,
        /// Whether the known errors of the text are followed.
        form: RuleForm,
    },
    /// RFC 2396 section 5.2.
    Rfc2396 {
        /// Section 5.2 step 6g: the treatment of `..` above the root.
        excess: ExcessDots,
        /// Section 5.2 step 3: whether a scheme equal to the base's is ignored.
        scheme: SameScheme,
        /// Whether the known errors of the text are followed.
        form: RuleForm,
    },
    /// RFC 1808 section 4.
    Rfc1808,
}

displayed_by_name!(Rules);

impl Rules {
    /// RFC 3986 to the letter, with strict schemes.
    pub const RFC3986: Self = Self::Rfc3986 {
        scheme: SameScheme::Strict,
        form: RuleForm::Letter,
    };
    /// RFC 3986 for citations in text and mail: an absolute reference stays as written.
    pub const CITATION: Self = Self::Rfc3986 {
        scheme: SameScheme::Strict,
        form: RuleForm::Corrected,
    };
    /// RFC 2396 to the letter, with strict schemes; excess `..` are kept (Appendix C.2).
    pub const RFC2396: Self = Self::Rfc2396 {
        excess: ExcessDots::Keep,
        scheme: SameScheme::Strict,
        form: RuleForm::Letter,
    };

    /// The name used on the command line and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whatwg => "whatwg",
            Self::Rfc3986 { .. } => "rfc3986",
            Self::Rfc2396 { .. } => "rfc2396",
            Self::Rfc1808 => "rfc1808",
        }
    }
}

/// Whether `http:g` is absolute or, against an `http` base, the same as `g`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SameScheme {
    // RFC 3986 section 5.2.2, "strict".
    /// It is.
    #[default]
    Strict,
    // RFC 2396 section 5.2 step 3; RFC 3986 section 5.2.2, not "strict".
    /// It is not, against an http base.
    Compat,
}

/// The treatment of `..` segments above the root, RFC 2396 section 5.2 step 6g.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ExcessDots {
    /// It stays.
    #[default]
    Keep,
    /// It is removed.
    Remove,
    /// The reference does not resolve.
    Error,
}

/// The letter of an RFC, or the correction of a known error.
///
/// The corrected form differs in four places. RFC 2396 section 5.2 step 6a joins `http://a` and `g`
/// to `http://ag`: corrected, a slash is between them (RFC 3986 section 5.2.3). RFC 3986
/// section 5.2.2 removes dot segments from opaque URIs (`urn:a/../b` becomes `urn:/b`): corrected,
/// an absolute reference stays as written. The same section replaces the last segment of an opaque
/// base (`mailto:a@b` and `g` make `mailto:g`): corrected, such a base is unsuitable. Both turn
/// `a:/b` and `.//x` into `a://x`, whose path has become an authority: corrected, the result is
/// `a:/.//x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleForm {
    /// The text as published.
    #[default]
    Letter,
    /// The text with its errors corrected.
    Corrected,
}
