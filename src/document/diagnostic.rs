//! What readers of the links should know about a document: coded, counted, one row each.

/// What a diagnostic says about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Worth knowing.
    Note,
    /// A container is damaged: the exit code says so.
    Damage,
}

/// A kind of diagnostic.
#[derive(Debug)]
pub struct Code {
    /// The name in records.
    pub name: &'static str,
    /// One sentence.
    pub message: &'static str,
    /// What it means for the run.
    pub effect: Effect,
}

macro_rules! codes {
    ($($constant:ident = $name:literal, $effect:ident, $message:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $message, ".")]
            pub static $constant: Code =
                Code { name: $name, message: $message, effect: Effect::$effect };
        )*

        /// Every code.
        pub static CODES: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    BASE_AFTER_LINKS = "html.base-after-links", Note, "the base element stands behind references that it applies to";
    BASE_SECOND = "html.base-second", Note, "only the first base element with href counts";
    BASE_REFUSED = "html.base-refused", Note, "the base element's reference cannot be a base URI";
    APPROXIMATE = "html.approximate", Note, "the document is beyond the limits of exact parsing";
    VALUE_TOO_LONG = "html.value-too-long", Note, "an attribute value is longer than the limit and was left out";
    SRCDOC_DEPTH = "html.srcdoc-depth", Note, "srcdoc documents nest deeper than the limit; the innermost were left out";
    HELD_LIMIT = "html.held-limit", Note, "too many references before the base was known; they resolve against the base known so far";
}
