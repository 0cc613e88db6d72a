//! The formats of what a notebook holds (nbformat 4, "Top-level structure").

use crate::document::Format;

/// Returns the format of a cell's source by the type of the cell.
pub(super) fn cell_format(kind: &[u8]) -> &'static Format {
    match kind {
        b"markdown" | b"heading" => markdown(),
        _ => Format::TEXT,
    }
}

/// Returns the format of an output by its media type; nbformat 3 has names without slashes.
pub(super) fn output_format(name: &[u8]) -> &'static Format {
    match name {
        b"text/html" | b"html" => Format::HTML,
        b"text/markdown" => markdown(),
        _ => Format::TEXT,
    }
}

/// Returns whether references in a format have a colon or a bracket.
pub(super) fn needs_mark(format: &Format) -> bool {
    *format == *markdown()
}

#[cfg(feature = "markdown")]
pub(super) fn markdown() -> &'static Format {
    Format::MARKDOWN_CELL
}

#[cfg(not(feature = "markdown"))]
pub(super) fn markdown() -> &'static Format {
    Format::TEXT
}
