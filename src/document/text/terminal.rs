//! Terminal hyperlinks, `ESC ]8;params;URI ST` (rule D14).

use super::delimited::LONGEST;
use super::reading::Candidate;
use super::start::SchemeStart;
use super::view::TextView;
use crate::document::events::Context;

/// The introducer and the parameters.
const LONGEST_OPENING: usize = 256;

/// Whether `ESC ]8;params;` ends at an index.
pub(super) fn opens(view: &TextView<'_>, at: usize) -> bool {
    if view.before(at) != Some(b';') {
        return false;
    }
    let least = view.floor.max(at.saturating_sub(LONGEST_OPENING));
    let opening = &view.bytes[least..at - 1.min(at)];
    let Some(semicolon) = memchr::memrchr(b';', opening) else {
        return false;
    };
    opening[..semicolon].ends_with(b"\x1B]8")
        && !opening[semicolon..].iter().any(u8::is_ascii_control)
}

/// The URI up to BEL or `ESC \`, exactly as it is.
pub(super) fn read(view: &TextView<'_>, start: &SchemeStart) -> Option<Candidate> {
    let mut end = start.colon;
    let limit = start.at + LONGEST;
    while !view.at(end)?.is_ascii_control() {
        end += 1;
        if end > limit {
            return None;
        }
    }
    let outer_end = match view.at(end)? {
        0x07 => end + 1,
        0x1B if view.at(end + 1) == Some(b'\\') => end + 2,
        _ => return None,
    };
    let rest = &view.bytes[start.colon + 1..end];
    super::delimited::is_acceptable(start, rest).then_some(Candidate {
        raw: start.at..end,
        outer_end,
        context: Context::Osc8,
        flags: start.flags,
        cleaned: false,
        shorter: None,
    })
}
