//! New titles of headings: the fragments of links follow the ids that the titles give.

use std::io;
use std::ops::Range;
use std::path::Path;

use super::fix::{DocumentFixes, Fix, add_fix, anchors};
use super::location::LookupCache;
use super::target::{decode_fragment, split_fragment};
use super::targets::{Inventory, with_id};
use crate::bytes::pattern::Pattern;
use crate::pipeline::bases::AbsolutePaths;
use crate::pipeline::options::{Splice, spliced};
use crate::pipeline::read::FileReader;

/// A heading of one line: the marks, the title, and marks or attributes at its end.
static HEADING: Pattern =
    Pattern::new(r"^(?:#{1,6}|={1,6})[ \t]+(.*?)(?:[ \t]+#+)?(?:[ \t]*\{#[^}]*\})?[ \t]*$");

/// Returns the changes that give the heading at an offset another title.
fn retitled(bytes: &[u8], offset: u64, title: &str) -> Option<Vec<Splice>> {
    let at = usize::try_from(offset).ok()?.min(bytes.len());
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1);
    let line = |start: usize| {
        let end = memchr::memchr(b'\n', bytes.get(start..)?).map_or(bytes.len(), |end| start + end);
        Some(start..end)
    };
    let splice = |range: Range<usize>, text: String| Splice {
        range,
        bytes: text.into_bytes(),
    };
    let own = line(start)?;
    if let Some([_, old]) = HEADING.group_at(&bytes[own.clone()], 0) {
        let range = start + old.start..start + old.end;
        return Some(vec![splice(range, title.to_owned())]);
    }
    // A title with a line of marks below it, and maybe the same above.
    let is_marks = |range: &Range<usize>| {
        let marks = bytes[range.clone()].trim_ascii_end();
        let is_mark =
            |first: &u8| first.is_ascii_punctuation() && marks.iter().all(|mark| mark == first);
        marks.first().is_some_and(is_mark)
    };
    let below = line(own.end + 1).filter(is_marks)?;
    let above = start.checked_sub(1).and_then(|end| {
        let above = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |at| at + 1)..end;
        (bytes[above.clone()] == bytes[below.clone()] && is_marks(&above)).then_some(above)
    });
    let marks = |range: &Range<usize>| {
        let mark = char::from(bytes[range.start]).to_string();
        let length = bytes[range.clone()].trim_ascii_end().len();
        let range = range.start..range.start + length;
        splice(range, mark.repeat(title.chars().count()))
    };
    let text = bytes[own.clone()].trim_ascii_start();
    let text = own.end - text.len()..own.end - text.len() + text.trim_ascii_end().len();
    let others = [splice(text, title.to_owned()), marks(&below)];
    Some(above.iter().map(marks).chain(others).collect())
}

impl Inventory {
    /// Plans the new title of the heading with an id; returns the changes of the page itself, and the fixes of all
    /// links.
    pub(crate) fn retitle(
        &self,
        reader: &mut FileReader<'_>,
        path: &Path,
        bytes: &[u8],
        id: &[u8],
        title: &str,
    ) -> io::Result<(Vec<Splice>, Vec<DocumentFixes>)> {
        let failed = |reason: &str| Err(io::Error::other(reason.to_owned()));
        let before = anchors(reader, path, bytes)?;
        let Some((_, offset)) = before.iter().find(|(name, _)| name == id) else {
            return failed("the page has no such id");
        };
        let Some(heading) = retitled(bytes, *offset, title) else {
            let reason =
                "the id is not made from a heading of Markdown, reStructuredText or AsciiDoc";
            return failed(reason);
        };
        let after = anchors(reader, path, &spliced(bytes, 0..bytes.len(), &heading))?;
        let missing = |names: &[(Vec<u8>, u64)], other: &[(Vec<u8>, u64)]| -> Vec<_> {
            let lacks = |name: &Vec<u8>| other.iter().all(|(known, _)| known != name);
            let names = names.iter().map(|(name, _)| name.clone());
            names.filter(lacks).collect()
        };
        let (gone, new) = (missing(&before, &after), missing(&after, &before));
        if gone.len() != new.len() || gone.iter().all(|name| name != id) && !gone.is_empty() {
            return failed("other ids of the page would change too");
        }
        let mut documents: Vec<DocumentFixes> = Vec::new();
        let here = &self.audit.options.reading.bases.here;
        let own = path.as_os_str().as_encoded_bytes();
        let mut names = AbsolutePaths::default();
        let absolute = names.absolute(here, own).unwrap_or(own);
        let file = self.audit.checker.walked(absolute, false);
        let mut lookups = LookupCache::new(&self.audit);
        self.visit_links(|document, link| {
            let (location, fragment) = lookups.locate_link(link, document.file);
            let name = decode_fragment(fragment.unwrap_or_default());
            let index = gone.iter().position(|gone| **gone == *name);
            let (bare, Some(_)) = split_fragment(link.reference) else {
                return;
            };
            if let (true, Some(index)) = (location.file() == Some(file), index) {
                let fix = Fix::moving(link, &with_id(bare, &new[index]));
                add_fix(&mut documents, &document.path, fix);
            }
        })?;
        Ok((heading, documents))
    }
}
