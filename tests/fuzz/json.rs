//! The scanner of JSON, in windows of any size, against serde_json.

use super::Input;

pub(super) fn check(mut input: Input<'_>) {
    let window = 1 + input.below(256);
    crate::json::check(input.document(), window);
}
