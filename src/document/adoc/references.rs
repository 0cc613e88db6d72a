use std::ops::Range;

use super::attributes::REFERENCE;
use crate::bytes::pattern::Pattern;
use crate::document::blocks::BlockResults;
use crate::document::events::{Escapes, FoundReference, Quoting};
use crate::document::flags::Flags;
use crate::document::source_text::DecodedText;

/// The last segment of a path, if it has an extension.
static EXTENSION: Pattern = Pattern::new(r"\.[^/]*$");

impl BlockResults {
    /// Returns the reference in a range of a text.
    pub(super) fn target(
        &mut self,
        text: &DecodedText,
        range: Range<usize>,
        element: &'static str,
    ) -> FoundReference {
        let written = &text.bytes[range.clone()];
        FoundReference {
            flags: Flags::TEMPLATE.when(REFERENCE.is_match(written)),
            ..self.element(text.range(range), written, element)
        }
    }

    /// Reports a reference that may be the name of a file, with blanks in it.
    pub(super) fn file(&mut self, mut found: FoundReference) {
        let written = self.stored(found.text);
        if written.contains(&b' ') {
            let parts: Vec<&[u8]> = written.split(|&byte| byte == b' ').collect();
            let encoded = parts.join(&b"%20"[..]);
            found.resolves_as = Some(self.store(&encoded));
        }
        self.reference(found);
    }

    /// Reports a cross reference: a fragment, or a file whose extension may be left out.
    pub(super) fn cross_reference(
        &mut self,
        text: &DecodedText,
        range: Range<usize>,
        is_macro: bool,
    ) {
        let mut found = self.target(text, range.clone(), "xref");
        // Values of attributes are not in the document here.
        if found.span.end - found.span.start == range.len() as u64 {
            found.quoting = Quoting::of(Escapes::CrossReference);
        }
        let target = text.bytes[range].trim_ascii_end();
        let written = match memchr::memchr(b'#', target) {
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
        };
        found.text = self.store(&written);
        self.file(found);
    }
}
