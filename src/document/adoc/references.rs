use std::ops::Range;

use super::attributes::REFERENCE;
use crate::bytes::pattern::Pattern;
use crate::document::blocks::{BlockBase, BlockReference};
use crate::document::flags::Flags;
use crate::document::source_text::DecodedText;

pub(super) fn reference(
    text: &DecodedText,
    range: Range<usize>,
    element: &'static str,
) -> BlockReference {
    let written = text.bytes[range.clone()].to_vec();
    BlockReference {
        flags: Flags::TEMPLATE.when(REFERENCE.is_match(&written)),
        text: Some(written),
        ..BlockReference::new(text.range(range), element)
    }
}

/// Returns a reference that may be the name of a file, with blanks in it.
pub(super) fn file(
    text: &DecodedText,
    range: Range<usize>,
    element: &'static str,
    base: BlockBase,
) -> BlockReference {
    let mut found = reference(text, range, element);
    if let BlockBase::Folder(folder) = &base {
        found.flags |= Flags::TEMPLATE.when(REFERENCE.is_match(folder));
    }
    found.base = base;
    without_blanks(found)
}

/// Percent-encodes the blanks of the resolved target.
pub(super) fn without_blanks(mut found: BlockReference) -> BlockReference {
    if let Some(written) = found.text.as_deref().filter(|text| text.contains(&b' ')) {
        let parts: Vec<&[u8]> = written.split(|&byte| byte == b' ').collect();
        found.resolves_as = Some(parts.join(&b"%20"[..]));
    }
    found
}

/// The last segment of a path, if it has an extension.
static EXTENSION: Pattern = Pattern::new(r"\.[^/]*$");

/// Returns a cross reference: a fragment, or a file whose extension may be left out.
pub(super) fn cross_reference(
    text: &DecodedText,
    range: Range<usize>,
    is_macro: bool,
) -> BlockReference {
    let mut found = reference(text, range.clone(), "xref");
    // Values of attributes are not in the document here.
    found.is_completed = range.len() == found.range.len();
    let target = text.bytes[range].trim_ascii_end();
    found.text = Some(match memchr::memchr(b'#', target) {
        Some(0) => target.to_vec(),
        Some(hash) => {
            let (path, fragment) = target.split_at(hash);
            let extensions = [&b".adoc"[..], b""];
            let extension = extensions[usize::from(EXTENSION.is_match(path))];
            let fragment = if fragment.len() > 1 { fragment } else { b"" };
            [path, extension, fragment].concat()
        }
        None if is_macro && EXTENSION.is_match(target) => target.to_vec(),
        None => [b"#", target].concat(),
    });
    without_blanks(found)
}
