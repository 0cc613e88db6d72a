//! The scanner of AsciiDoc, in windows of any size.

use super::Input;

pub(super) fn check(mut input: Input<'_>) {
    let window = 1 + input.below(256);
    crate::adoc::check(input.document(), window);
}
