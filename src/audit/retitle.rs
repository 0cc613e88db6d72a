//! New titles of headings: the fragments of links follow the ids that the titles give.

use std::io;
use std::ops::Range;
use std::path::Path;

use super::fix::{DocumentFixes, Fix, ReadLinks, add_fix};
use super::site::name_on_github;
use super::target::{percent_decoded, required_name, split_fragment};
use super::targets::{Inventory, with_id};
use crate::bytes::pattern::Pattern;
use crate::document::events::Span;
use crate::pipeline::options::{Splice, spliced};
use crate::pipeline::read::FileReader;

/// A heading of one line: the marks, the title, and marks or attributes at its end.
static HEADING: Pattern =
    Pattern::new(r"^(?:#{1,6}|={1,6})[ \t]+(.*?)(?:[ \t]+#+)?(?:[ \t]*\{#[^}]*\})?[ \t]*$");

const NO_HEADING: &str =
    "the id is not made from a heading of Markdown, reStructuredText or AsciiDoc";

fn splice(range: Range<usize>, text: String) -> Splice {
    let bytes = text.into_bytes();
    Splice { range, bytes }
}

/// Returns the changes that give the heading at an offset another title.
fn retitled(bytes: &[u8], offset: u64, title: &str) -> Option<Vec<Splice>> {
    let at = usize::try_from(offset).ok()?.min(bytes.len());
    let start_of = |end: usize| {
        let found = memchr::memrchr2(b'\r', b'\n', &bytes[..end]);
        found.map_or(0, |at| at + 1)
    };
    let start = start_of(at);
    let line = |start: usize| {
        let found = memchr::memchr2(b'\r', b'\n', bytes.get(start..)?);
        Some(start..found.map_or(bytes.len(), |end| start + end))
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
    let break_len = 1 + usize::from(bytes[own.end..].starts_with(b"\r\n"));
    let below = line(own.end + break_len).filter(is_marks)?;
    if HEADING.is_match(title.as_bytes()) {
        return None;
    }
    let above = start.checked_sub(break_len).and_then(|end| {
        let above = start_of(end)..end;
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
        let read = ReadLinks::read(reader, path, bytes, &[])?;
        let (before, uses) = (&read.anchors, &read.uses);
        let Some((_, offset)) = before.iter().find(|(name, _)| name == id) else {
            return failed("the page has no such id");
        };
        let Some(mut heading) = retitled(bytes, *offset, title) else {
            return failed(NO_HEADING);
        };
        // reStructuredText names titles: `` `title`_ ``, or `` `text <title_>`_ ``.
        heading.extend(uses.iter().filter(|(name, _)| name == id).map(|(_, span)| {
            let range = span.start as usize..span.end as usize;
            let is_alias = bytes.get(range.start) == Some(&b'<');
            let [open, end] = if is_alias { ["<", "_>"] } else { ["`"; 2] };
            splice(range, format!("{open}{title}{end}"))
        }));
        heading.sort_by_key(|splice| splice.range.start);
        let new_bytes = spliced(bytes, 0..bytes.len(), &heading);
        let after = ReadLinks::read(reader, path, &new_bytes, &[])?;
        let pairs = before.iter().zip(&after.anchors);
        let changed: Vec<_> = pairs.filter(|(old, new)| old.0 != new.0).collect();
        let is_known = |id: &[u8]| before.iter().any(|(known, _)| known == id);
        let mut ids = changed.iter();
        let is_other = ids.any(|(old, new)| old.1 != *offset || is_known(&new.0));
        if before.len() != after.anchors.len() || is_other {
            return failed("other ids of the page would change too, or be the same");
        }
        let named = |uses: &[(Vec<u8>, Span)], id: &[u8]| {
            uses.iter().filter(|(name, _)| name == id).count()
        };
        let new_id = changed.first().map_or(id, |(_, new)| &new.0);
        if uses.len() != after.uses.len() || named(uses, id) != named(&after.uses, new_id) {
            return failed("the references to the title cannot name the new one");
        }
        let mut documents: Vec<DocumentFixes> = Vec::new();
        let absolute = self.audit.absolute(path.as_os_str().as_encoded_bytes());
        let file = self.audit.checker.walked(&absolute, false);
        let on_github = (self.site.anchors(file)).is_some_and(|anchors| anchors.on_github);
        self.visit_links(|document, link, (location, fragment)| {
            let (bare, Some(written)) = split_fragment(link.reference) else {
                return;
            };
            let Some(required) = fragment.and_then(required_name) else {
                return;
            };
            let name = percent_decoded(required);
            let on_github = on_github.then(|| name_on_github(&name));
            let names = [Some(name.as_ref()), on_github.as_deref().map(str::as_bytes)];
            let mut names = names.into_iter().flatten();
            let change = names.find_map(|name| changed.iter().find(|(old, _)| old.0 == name));
            if let (true, Some((_, (new, _)))) = (location.file() == Some(file), change) {
                let directive = memchr::memmem::find(written, b":~:").unwrap_or(written.len());
                let new = [&with_id(bare, new), &written[directive..]].concat();
                add_fix(&mut documents, &document.path, Fix::moving(link, &new));
            }
        })?;
        Ok((heading, documents))
    }
}
