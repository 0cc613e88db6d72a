//! Documents inside documents: parts of messages, raw HTML in Markdown, `srcdoc`.
//!
//! A container describes each [`Member`], without knowledge of its scanner; a scanner reports events
//! without knowledge of the container. [`NestedReader`] connects them:
//!
//! 1. the transfer encoding is undone, and compression (`compressed`), which the container asks for;
//! 2. the bytes become text, by the charset that the container declares;
//! 3. the text is scanned by the scanner of its format, from [`NestedScanners`];
//! 4. the scanner's events become events of the container (`document`). No other place maps spans,
//!    lines, flags or names.
//!
//! A container can change text before step 3, by a [`TextFilter`].
//!
//! A `srcdoc` document is a value of its host, whose offsets are mapped where values are decoded; its
//! scanner reports straight to the host's batch, between [`enter`] and
//! [`Event::Leave`](super::events::Event::Leave).

#[cfg(feature = "compression")]
pub(super) mod compressed;
mod document;
mod member;
mod reader;

pub(super) use document::NestedScanners;
pub(super) use member::{KEPT, Member, NestedScope, TextFilter, enter};
pub(super) use reader::NestedReader;
