//! Where a text can be cut so that its pieces have the same references as the whole.

use memchr::memchr_iter;

/// The first index behind an empty line at which a text can be cut: scanning `bytes[..n]` and
/// `bytes[n..]` on their own finds what scanning `bytes` finds, because no rule reaches across an
/// empty line.
///
/// To cut a huge text into pieces of about four megabytes, call it with what follows each multiple
/// of that size. The line that `bytes` starts in is not known, so it is not taken for empty. Only
/// LF ends a line here; None where no empty line is in view.
///
/// ```
/// use uriscan::document::text::split_at;
/// let text = b"<http://example.com/a\n \t\r\nhttp://example.com/b>\n\nend";
/// assert_eq!(split_at(text), Some(26));
/// assert_eq!(&text[26..30], b"http");
/// assert_eq!(split_at(b"\nthe first line may have begun before"), None);
/// ```
pub fn split_at(bytes: &[u8]) -> Option<usize> {
    let mut line = None;
    for end in memchr_iter(b'\n', bytes) {
        if let Some(start) = line.replace(end + 1)
            && bytes[start..end]
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        {
            return Some(end + 1);
        }
    }
    None
}
