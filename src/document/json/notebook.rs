//! Notebooks: the formats of their cells and outputs (nbformat 4, "Top-level structure"), and the
//! attachments of a cell (nbformat 4.1), which its Markdown refers to by `attachment:NAME`.

use crate::document::Format;
use crate::document::events::{Event, Events, RemarkKind, Span};

pub(super) fn cell_format(kind: &[u8]) -> &'static Format {
    match kind {
        b"markdown" | b"heading" => Format::MARKDOWN_CELL,
        _ => Format::TEXT,
    }
}

/// Returns the format of an output by its media type; nbformat 3 has names without slashes.
pub(super) fn output_format(name: &[u8]) -> &'static Format {
    match name {
        b"text/html" | b"html" => Format::HTML,
        b"text/markdown" => Format::MARKDOWN_CELL,
        _ => Format::TEXT,
    }
}

pub(super) fn needs_mark(format: &Format) -> bool {
    *format == *Format::MARKDOWN_CELL
}

const SCHEME: &[u8] = b"attachment:";
const MAX_ATTACHMENT_LEN: usize = 1024;
/// Maximum number of kept attachments, and of references to attachments, of a cell.
const MAX_ATTACHMENTS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct CellAttachments {
    names: Vec<Vec<u8>>,
    references: Vec<(Vec<u8>, Span)>,
}

impl CellAttachments {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.references.is_empty() && self.names.is_empty()
    }

    pub(super) fn add(&mut self, name: &[u8]) {
        if self.names.len() <= MAX_ATTACHMENTS && name.len() <= MAX_ATTACHMENT_LEN {
            self.names.push(name.to_vec());
        }
    }

    /// Keeps the references to attachments among the events from an index on.
    pub(super) fn add_references(&mut self, events: &Events, start: usize) {
        for event in &events.list[start..] {
            if let Event::Reference(found) = event
                // Text of a decoded document is stored.
                && let text = events.bytes(found.text, &[])
                && text.starts_with(SCHEME)
                && text.len() <= MAX_ATTACHMENT_LEN
                && self.references.len() <= MAX_ATTACHMENTS
            {
                self.references.push((text.to_vec(), found.span));
            }
        }
    }

    /// Ends the cell: reports the references to missing attachments.
    pub(super) fn end(&mut self, events: &mut Events) {
        // Of a cell with more than is kept nothing is known.
        let is_known =
            self.names.len() <= MAX_ATTACHMENTS && self.references.len() <= MAX_ATTACHMENTS;
        self.names.sort_unstable();
        for (reference, span) in self.references.iter().filter(|_| is_known) {
            let name = &reference[SCHEME.len()..];
            let decoded: Vec<u8> = percent_encoding::percent_decode(name).collect();
            let has = |name: &[u8]| self.names.binary_search_by(|own| (**own).cmp(name)).is_ok();
            if has(name) || has(&decoded) {
                continue;
            }
            let text = events.store(reference);
            events.push(Event::remark(RemarkKind::UndefinedLabel, text, *span));
        }
        *self = CellAttachments::default();
    }
}
