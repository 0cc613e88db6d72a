//! Names of files, documents and labels: how each is reported.

use std::ops::Range;

use super::ids::{make_id, normal_name};
use super::inline::{explicit_title, unescape};
use crate::document::blocks::{BlockBase, BlockReference, BlockResults, JoinedText, Line};
use crate::document::events::{Context, RemarkKind};
use crate::document::flags::Flags;
use crate::document::options::RstRoles;
use crate::uri::base::push_path;

/// Returns the reference of a mail address.
pub(super) fn mail(range: Range<usize>, address: &[u8]) -> BlockReference {
    BlockReference {
        range,
        text: Some([b"mailto:", address].concat()),
        context: Some(Context::Email),
        flags: Flags::SCHEME_GUESSED,
        ..BlockReference::default()
    }
}

/// Reports a reference to a file: one that begins with a slash is below the root of the tree.
pub(super) fn file(
    range: Range<usize>,
    path: Vec<u8>,
    element: &'static str,
    results: &mut BlockResults<'_>,
) {
    // Files that docutils has itself, and images in the format that the output needs.
    let is_none = path.starts_with(b"<") && path.ends_with(b">") || path.ends_with(b".*");
    if is_none || path.is_empty() {
        return;
    }
    let mut found = BlockReference {
        range,
        element: Some(element),
        ..BlockReference::default()
    };
    let mut resolved = path.as_slice();
    if path.starts_with(b"/") && !path.starts_with(b"//") {
        found.base = BlockBase::Tree;
        resolved = &path[1..];
    }
    // A path is no URI, and an image may be one.
    let is_path = !matches!(element, "image" | "figure") && !path.contains(&b':');
    if is_path && path.iter().any(|byte| b" ?#%".contains(byte)) {
        let mut encoded = Vec::new();
        push_path(resolved, &mut encoded);
        found.resolves_as = Some(encoded);
    } else if found.base == BlockBase::Tree {
        found.resolves_as = Some(resolved.to_vec());
    }
    found.text = Some(path);
    results.reference(found);
}

/// Reports a reference to a document: its suffix is left out.
pub(super) fn document(
    range: Range<usize>,
    name: &[u8],
    element: &'static str,
    results: &mut BlockResults<'_>,
) {
    let (base, path) = match name.strip_prefix(b"/") {
        Some(path) => (BlockBase::Tree, path),
        None => (BlockBase::Document, name),
    };
    let mut file = Vec::new();
    push_path(path, &mut file);
    file.extend_from_slice(b".rst");
    results.reference(BlockReference {
        range,
        text: Some(name.to_vec()),
        resolves_as: Some(file),
        base,
        element: Some(element),
        ..BlockReference::default()
    });
}

/// Reports the name of a place: its identifier in the document, and its label in the tree.
pub(super) fn target(range: Range<usize>, name: &[u8], results: &mut BlockResults<'_>) {
    if results.marks {
        results.anchor(range.start, make_id(name));
        results.remark(RemarkKind::Label, range, normal_name(name));
    }
}

/// A role whose text is the number of a document.
struct NumberRole {
    name: &'static str,
    system: RstRoles,
    /// The URL of a document, before and after the number.
    url: [&'static str; 2],
    /// The least number of digits.
    digits: usize,
}

const fn number_role(
    name: &'static str,
    system: RstRoles,
    url: [&'static str; 2],
    digits: usize,
) -> NumberRole {
    NumberRole {
        name,
        system,
        url,
        digits,
    }
}

/// The templates of docutils (`pep_base_url`, `rfc_base_url`) and of Sphinx (`sphinx.roles`).
#[rustfmt::skip]
static NUMBER_ROLES: [NumberRole; 6] = [
    number_role("pep", RstRoles::Docutils, ["https://peps.python.org/pep-", ""], 4),
    number_role("rfc", RstRoles::Docutils, ["https://tools.ietf.org/html/rfc", ".html"], 1),
    number_role("pep", RstRoles::Sphinx, ["https://peps.python.org/pep-", "/"], 4),
    number_role("rfc", RstRoles::Sphinx, ["https://datatracker.ietf.org/doc/html/rfc", ".html"], 1),
    number_role("cve", RstRoles::Sphinx, ["https://www.cve.org/CVERecord?id=CVE-", ""], 1),
    number_role("cwe", RstRoles::Sphinx, ["https://cwe.mitre.org/data/definitions/", ".html"], 1),
];

/// Returns the URL that a role makes of the number in its text, and the name of the role.
pub(super) fn numbered(
    text: &[u8],
    contents: Range<usize>,
    name: Range<usize>,
    system: RstRoles,
) -> Option<(&'static str, Vec<u8>)> {
    let name = text[name].to_ascii_lowercase();
    let name = name.strip_suffix(b"-reference").unwrap_or(&name);
    let mut rows = NUMBER_ROLES.iter();
    let row = rows.find(|row| row.system == system && row.name.as_bytes() == name)?;
    let target = match system {
        // docutils knows no titles, and no sections of PEPs.
        RstRoles::Docutils => contents,
        RstRoles::Sphinx => explicit_title(text, contents.clone()).map_or(contents, |t| t.1),
    };
    let target = unescape(&text[target]);
    let (number, section) = match memchr::memchr(b'#', &target) {
        Some(hash) if system == RstRoles::Sphinx || row.name == "rfc" => target.split_at(hash),
        _ => (&target[..], &b""[..]),
    };
    let number = number.trim_ascii();
    let is_digits =
        |digits: &[u8]| (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let mut parts = number.split(|&byte| byte == b'-');
    let is_number = match row.name {
        "cve" => parts.all(is_digits),
        _ => is_digits(number),
    };
    // As a number, without its zeros.
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    let number = &number[zeros.min(number.len().saturating_sub(1))..];
    let zeros = "0".repeat(row.digits.saturating_sub(number.len()));
    let [before, after] = row.url.map(str::as_bytes);
    let url = [before, zeros.as_bytes(), number, after, section].concat();
    is_number.then_some((row.name, url))
}

/// Reports the reference of a role.
pub(super) fn role(
    text: &[u8],
    contents: Range<usize>,
    name: Range<usize>,
    joined: &JoinedText,
    results: &mut BlockResults<'_>,
) {
    // `!` asks for no link.
    if text[contents.start] == b'!' {
        return;
    }
    let is_document = match &text[name] {
        b"doc" => true,
        b"download" => false,
        b"ref" | b"numref" | b"std:ref" if results.marks => {
            return label(text, contents, joined, results);
        }
        _ => return,
    };
    let target = explicit_title(text, contents.clone()).map_or(contents, |(_, target)| target);
    let range = joined.range(target.clone());
    let mut name = unescape(&text[target]);
    name.iter_mut()
        .filter(|byte| **byte == b'\n')
        .for_each(|byte| *byte = b' ');
    if is_document {
        document(range, &name, "doc", results);
    } else {
        file(range, name, "download", results);
    }
}

/// Reports a reference to a label of the tree.
fn label(text: &[u8], contents: Range<usize>, joined: &JoinedText, results: &mut BlockResults<'_>) {
    // Labels that Sphinx makes.
    const MADE: [&[u8]; 4] = [b"genindex", b"modindex", b"py-modindex", b"search"];
    let target = explicit_title(text, contents.clone()).map_or(contents, |(_, target)| target);
    let name = normal_name(&unescape(&text[target.clone()]));
    // Before a colon stands the name of other documentation, or of a document.
    if !MADE.contains(&&*name) && !name.contains(&b':') {
        results.remark(RemarkKind::LabelReference, joined.range(target), name);
    }
}

/// Reports an entry of a table of contents.
pub(super) fn entry(line: Line<'_>, glob: bool, results: &mut BlockResults<'_>) {
    let text = line.text();
    let target = explicit_title(results.bytes, line.range()).map_or(line.range(), |t| t.1);
    let name = &results.bytes[target.clone()];
    // Names of documents that Sphinx makes.
    const MADE: [&[u8]; 4] = [b"self", b"genindex", b"modindex", b"search"];
    if name.is_empty() || MADE.contains(&name) || text.starts_with(b":") {
        return;
    }
    if glob && name.iter().any(|byte| b"*?[".contains(byte)) {
        return;
    }
    if name.starts_with(b"http://") || name.starts_with(b"https://") {
        results.reference(BlockReference {
            range: target,
            element: Some("toctree"),
            ..BlockReference::default()
        });
        return;
    }
    match [&b".rst"[..], b".md", b".txt"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
    {
        true => file(target, name.to_vec(), "toctree", results),
        false => document(target, name, "toctree", results),
    }
}
