//! How sure a find is.

use crate::document::events::{Context, FoundReference};
use crate::document::flags::Flags;

/// How sure it is that a reference reads as its author meant it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// Something had to be guessed; there may be another reading.
    Doubtful,
    /// Something was removed or left out by a rule that is nearly always right.
    Likely,
    /// Its ends are marked, or nothing about it is in doubt.
    Exact,
}

const DOUBTFUL_INSIDE: Flags = Flags::HYPHEN.union(Flags::INNER_SPACE);
const LIKELY_INSIDE: Flags = Flags::WRAPPED.union(Flags::IGNORABLE_REMOVED);
const DOUBTFUL: Flags = DOUBTFUL_INSIDE
    .union(Flags::ELLIPSIS)
    .union(Flags::UNCLOSED)
    .union(Flags::MAYBE_WRAPPED)
    .union(Flags::OVERLONG)
    .union(Flags::UNKNOWN_SCHEME)
    .union(Flags::ODD_HOST)
    .union(Flags::SCHEME_GUESSED);
const LIKELY: Flags = LIKELY_INSIDE
    .union(Flags::TRIMMED)
    .union(Flags::GLUED)
    .union(Flags::FOOTNOTE_CUT);

impl Certainty {
    /// The certainty of a reference found in a context with these flags.
    ///
    /// ```
    /// use uriscan::document::{events::Context, flags::Flags, text::Certainty};
    /// assert_eq!(Certainty::of(Context::Bare, Flags::TRIMMED), Certainty::Likely);
    /// assert_eq!(Certainty::of(Context::Angle, Flags::ODD_HOST), Certainty::Exact);
    /// assert!(Certainty::of(Context::Quoted, Flags::HYPHEN) < Certainty::Likely);
    /// ```
    pub fn of(context: Context, flags: Flags) -> Self {
        let (doubtful, likely) = match context {
            Context::Osc8 => (Flags::NONE, Flags::NONE),
            Context::Angle | Context::Quoted => (DOUBTFUL_INSIDE, LIKELY_INSIDE),
            _ => (DOUBTFUL, LIKELY),
        };
        if flags.intersects(doubtful) {
            Certainty::Doubtful
        } else if flags.intersects(likely) {
            Certainty::Likely
        } else {
            Certainty::Exact
        }
    }

    /// The name: `exact`, `likely` or `doubtful`.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::Likely => "likely",
            Certainty::Doubtful => "doubtful",
        }
    }
}

impl FoundReference {
    /// How sure it is that the reference reads as its author meant it.
    pub fn certainty(&self) -> Certainty {
        Certainty::of(self.context, self.flags)
    }
}
