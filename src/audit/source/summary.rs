//! The summary of a book, which names its chapters.

use percent_encoding::percent_decode;

use super::paths::join;
use crate::bytes::pattern::Pattern;

/// A link, or a comment, in which links name nothing.
static LINK: Pattern = Pattern::new(r"(?s)<!--.*?-->|\]\([ \t]*<?([^)>#\n]*)");

/// Returns the files of the chapters of a summary, in their order.
pub(super) fn chapters(text: &[u8]) -> Vec<Vec<u8>> {
    let (mut chapters, mut at) = (Vec::new(), 0);
    while let Some([whole, path]) = LINK.group_at(text, at) {
        let path: Vec<u8> = percent_decode(text[path].trim_ascii()).collect();
        if !path.is_empty() && memchr::memmem::find(&path, b"://").is_none() {
            chapters.push(join(b"/", &path)[1..].to_vec());
        }
        at = whole.end;
    }
    chapters
}
