//! The scanner of troff, against the slow transcription of the rules for text.

use super::Input;

pub(super) fn check(mut input: Input<'_>) {
    let window = 1 + input.below(256);
    crate::troff::check(input.document(), window);
}
