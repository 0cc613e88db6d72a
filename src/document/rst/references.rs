use std::ops::Range;

use super::body::BodyReader;
use super::boundary::{explicit_title, unescape};
use crate::bytes::class::run_end;
use crate::document::blocks::Line;
use crate::document::docutils::{make_id, normal_name};
use crate::document::events::{BaseSelector, Escapes, FoundReference, Quoting, RemarkKind};
use crate::document::options::RstRoles::{self, Docutils, Sphinx};
use crate::document::source_text::DecodedText;
use crate::uri::base::push_path;

impl BodyReader {
    /// Reports a reference to a file: one that begins with a slash is below the root of the tree.
    pub(super) fn file(&mut self, range: Range<usize>, path: Vec<u8>, element: &'static str) {
        // Files of docutils itself, and images in the format that the output needs.
        let is_none = path.starts_with(b"<") && path.ends_with(b">") || path.ends_with(b".*");
        if is_none || path.is_empty() {
            return;
        }
        let mut found = self.results.element(range, &path, element);
        let mut resolved = path.as_slice();
        if path.starts_with(b"/") && !path.starts_with(b"//") {
            found.base = BaseSelector::Tree;
            resolved = &path[1..];
            found.resolves_as = Some(self.results.store(resolved));
        }
        // A path is not a URI, and an image may be one.
        if !matches!(element, "image" | "figure") && !path.contains(&b':') {
            found.resolves_as = self.results.store_path(resolved).or(found.resolves_as);
            found.quoting = Quoting::of(Escapes::Name);
        }
        self.results.reference(found);
    }

    /// Reports a reference to a document: its suffix is left out.
    fn document(&mut self, range: Range<usize>, name: &[u8], element: &'static str) {
        let (base, path) = match name.strip_prefix(b"/") {
            Some(path) => (BaseSelector::Tree, path),
            None => (BaseSelector::Document, name),
        };
        let mut file = Vec::new();
        push_path(path, &mut file);
        file.extend_from_slice(b".rst");
        let found = FoundReference {
            resolves_as: Some(self.results.store(&file)),
            base,
            quoting: Quoting::of(Escapes::Name),
            ..self.results.element(range, name, element)
        };
        self.results.reference(found);
    }

    /// Reports the name of a place: its identifier in the document, and its label in the tree.
    pub(super) fn target(&mut self, range: Range<usize>, name: &[u8]) {
        if self.results.marks {
            self.results.anchor(range.start, &make_id(name));
            let label = normal_name(name);
            self.results.remark(RemarkKind::Label, range, &label);
        }
    }

    /// Reports a use of a name: the place of it and its backquotes, and the name.
    pub(super) fn name_use(&mut self, joined: &DecodedText, place: Range<usize>, name: &[u8]) {
        if self.results.marks {
            let id = make_id(&unescape(name));
            (self.results).remark(RemarkKind::NameReference, joined.range(place), &id);
        }
    }

    /// Reports the reference of a role with its contents.
    pub(super) fn role(
        &mut self,
        text: &[u8],
        contents: Range<usize>,
        name: &[u8],
        joined: &DecodedText,
    ) {
        if let Some((element, url)) = numbered(&text[contents.clone()], name, self.roles) {
            let found = (self.results).element(joined.range(contents), &url, element);
            return self.results.reference(found);
        }
        // `!` suppresses the link.
        if text[contents.start] == b'!' {
            return;
        }
        let target = explicit_title(text, contents.clone()).map_or(contents, |(_, target)| target);
        let mut written = unescape(&text[target.clone()]);
        let range = joined.range(target);
        match name {
            b"doc" | b"download" => {
                let breaks = written.iter_mut().filter(|byte| **byte == b'\n');
                breaks.for_each(|byte| *byte = b' ');
                if name == b"doc" {
                    self.document(range, &written, "doc");
                } else {
                    self.file(range, written, "download");
                }
            }
            b"ref" | b"numref" | b"std:ref" if self.results.marks => {
                let label = normal_name(&written);
                // Before a colon is the name of other documentation, or of a document.
                if !label.contains(&b':') {
                    (self.results).remark(RemarkKind::LabelReference, range, &label);
                }
            }
            _ => {}
        }
    }

    /// Reports an entry of a table of contents.
    pub(super) fn entry(&mut self, line: Line<'_>, glob: bool) {
        // Names of documents that Sphinx makes.
        const MADE: [&[u8]; 4] = [b"self", b"genindex", b"modindex", b"search"];
        let text = line.text();
        let whole = 0..text.len();
        let target = explicit_title(text, whole.clone()).map_or(whole, |(_, target)| target);
        let name = &text[target.clone()];
        let range = line.start + target.start..line.start + target.end;
        let is_pattern = glob && name.iter().any(|byte| b"*?[".contains(byte));
        if MADE.contains(&name) || text.starts_with(b":") || is_pattern || name.is_empty() {
            return;
        }
        let suffixes = [&b".rst"[..], b".md", b".txt"];
        if name.starts_with(b"http://") || name.starts_with(b"https://") {
            let found = self.results.element(range, name, "toctree");
            self.results.reference(found);
        } else if suffixes.iter().any(|suffix| name.ends_with(suffix)) {
            self.file(range, name.to_vec(), "toctree");
        } else {
            self.document(range, name, "toctree");
        }
    }
}

/// A role whose text is the number of a document: its name, the URL with `*` for the number, and the least
/// number of digits.
struct NumberRole(&'static str, RstRoles, &'static str, usize);

/// The templates of docutils (`pep_base_url`, `rfc_base_url`) and of Sphinx (`sphinx.roles`).
#[rustfmt::skip]
static NUMBER_ROLES: [NumberRole; 6] = [
    NumberRole("pep", Docutils, "https://peps.python.org/pep-*", 4),
    NumberRole("rfc", Docutils, "https://tools.ietf.org/html/rfc*.html", 1),
    NumberRole("pep", Sphinx, "https://peps.python.org/pep-*/", 4),
    NumberRole("rfc", Sphinx, "https://datatracker.ietf.org/doc/html/rfc*.html", 1),
    NumberRole("cve", Sphinx, "https://www.cve.org/CVERecord?id=CVE-*", 1),
    NumberRole("cwe", Sphinx, "https://cwe.mitre.org/data/definitions/*.html", 1),
];

/// Returns the URL that a role makes of the number in its text, and the name of the role.
fn numbered(text: &[u8], name: &[u8], system: RstRoles) -> Option<(&'static str, Vec<u8>)> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(b"-reference").unwrap_or(&name);
    let mut rows = NUMBER_ROLES.iter();
    let NumberRole(role, _, url, digits) =
        rows.find(|row| row.1 == system && row.0.as_bytes() == name)?;
    // docutils knows no titles, and no sections of PEPs.
    let is_sphinx = system == Sphinx;
    let titled = explicit_title(text, 0..text.len()).filter(|_| is_sphinx);
    let target = unescape(titled.map_or(text, |(_, target)| &text[target]));
    let (number, section) = match memchr::memchr(b'#', &target) {
        Some(hash) if is_sphinx || *role == "rfc" => target.split_at(hash),
        _ => (&target[..], &b""[..]),
    };
    let number = number.trim_ascii();
    let is_digits =
        |digits: &[u8]| (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let mut parts = number.split(|&byte| byte == b'-');
    let is_number = match *role {
        "cve" => parts.all(is_digits),
        _ => is_digits(number),
    };
    // Without the number's leading zeros.
    let zeros = run_end(number, 0, |byte| byte == b'0');
    let number = &number[zeros.min(number.len().saturating_sub(1))..];
    let zeros = "0".repeat(digits.saturating_sub(number.len()));
    let (before, after) = url.split_once('*')?;
    let number = [zeros.as_bytes(), number].concat();
    let url = [before.as_bytes(), &number, after.as_bytes(), section].concat();
    is_number.then_some((role, url))
}
