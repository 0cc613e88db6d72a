//! Comments that are remarks for those who check a document.

pub(super) const FIRST_WORD: &[u8] = b"uriscan-ignore";

/// Maximum length in bytes of the contents of a remark.
pub(super) const LONGEST_REMARK: usize = 4 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemarkCheck {
    Yes,
    No,
    Cut,
}

/// Determines whether a comment is a remark, by its known contents; `is_whole` if they end there.
pub(super) fn check_remark(contents: &[u8], is_whole: bool) -> RemarkCheck {
    let text = contents.trim_ascii_start();
    let may_be = if text.len() < FIRST_WORD.len() {
        !is_whole && FIRST_WORD.starts_with(text)
    } else {
        text.starts_with(FIRST_WORD)
    };
    match (may_be && contents.len() <= LONGEST_REMARK, is_whole) {
        (false, _) => RemarkCheck::No,
        (true, true) => RemarkCheck::Yes,
        (true, false) => RemarkCheck::Cut,
    }
}
