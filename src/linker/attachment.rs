//! Files in messages that no scanner reads, and the reader that opens them.

use std::fmt;

use super::link::{LinkMember, Sink};
use crate::document::ArchiveCounts;
use crate::uri::Base;

/// A file in a message.
pub(crate) struct Attachment<'a> {
    /// The part that holds the file.
    pub(crate) member: &'a str,
    /// The decoded bytes.
    pub(crate) contents: &'a [u8],
    /// The name that the message gives the file; empty if it has none.
    pub(crate) file_name: &'a [u8],
    /// The declared media type.
    pub(crate) media_type: &'a str,
    /// The URI of the directory that the file is in, by the base of the part.
    pub(crate) directory: Option<Base>,
    /// The message.
    pub(crate) message: LinkMember<'a>,
    /// The number of archives around the message.
    pub(crate) depth: usize,
}

/// Opens files in messages.
pub(crate) trait AttachmentReader: fmt::Debug + Send {
    /// Reads a file, and passes its links to `sink`; returns what was read, and what was not.
    fn read(&mut self, attachment: &Attachment<'_>, sink: &mut dyn Sink) -> ArchiveCounts;
}
