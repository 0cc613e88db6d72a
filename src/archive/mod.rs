//! Layer 4: files that hold other files: tar, zip, and the records of web archives.
//!
//! A [`Container`] gives one member after the other, each as a stream: none is held whole. Nothing is
//! ever written: the name of a member is only a name, whatever it holds. Damage ends a member or is
//! passed over, and is told by [`Container::faults`].
#![doc = include_str!("rules.md")]

mod container;
mod content;
mod http;
mod tar;
mod warc;
mod zip;

pub use container::{
    ArchiveMember, ArchiveOptions, ArchiveSource, Container, HttpBase, MemberContents, RecordHeader,
};
pub use warc::WARC;

/// A format of containers.
pub struct ArchiveFormat {
    /// The name of the format.
    pub name: &'static str,
    /// Whether a walk opens it like any document, as it does mailboxes; else only where that is asked
    /// for.
    pub in_walks: bool,
    /// Returns whether a container starts with some bytes.
    starts: fn(&[u8]) -> bool,
    open: fn(ArchiveSource, &ArchiveOptions) -> Box<dyn Container>,
}

/// The formats of containers, one row each.
static ARCHIVES: &[ArchiveFormat] = &[
    ArchiveFormat {
        name: "zip",
        in_walks: false,
        starts: zip::starts,
        open: |source, _| zip::open(source),
    },
    ArchiveFormat {
        name: "warc",
        in_walks: true,
        starts: warc::starts,
        open: warc::open,
    },
    ArchiveFormat {
        name: "tar",
        in_walks: false,
        starts: tar::starts,
        open: |source, _| Box::new(tar::Tar::new(source.into_stream().0)),
    },
];

impl ArchiveFormat {
    /// Returns the format of a container with these first bytes.
    pub fn of(head: &[u8]) -> Option<&'static ArchiveFormat> {
        ARCHIVES.iter().find(|format| (format.starts)(head))
    }

    /// Opens a container of this format.
    pub fn open(&self, source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
        (self.open)(source, options)
    }
}
