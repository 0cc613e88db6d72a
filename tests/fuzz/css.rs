//! The scanner of style sheets, in windows of any size, against the tokens of cssparser.

use super::Input;

pub(super) fn check(mut input: Input<'_>) {
    let window = 1 + input.below(256);
    crate::css::check(input.document(), window);
}
