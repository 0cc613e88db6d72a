//! The reader of PDF: the same at every window size, and no more than the bytes can hold.

use super::Input;

pub(super) fn check(mut input: Input<'_>) {
    let window = 1 + input.below(256);
    crate::pdf::check(input.document(), window);
}
