//! Layer 4: files that hold other files: tar, zip, packages, and the records of web archives.
//!
//! A [`Container`] gives one member after the other, each as a stream: none is held whole. Nothing is
//! ever written: the name of a member is never used as a path. Damage ends a member or is
//! skipped, and is reported by [`Container::faults`].
#![doc = include_str!("rules.md")]

mod container;
mod content;
pub(crate) mod git;
mod held;
mod http;
mod package;
mod tar;
mod warc;
mod zip;

use std::fmt;

use ArchiveKind::{Files, Package, Records};

use crate::document::Format;
pub(crate) use container::SharedContainer;
pub use container::{
    ArchiveFault, ArchiveMember, ArchiveOptions, ArchiveSource, Container, HttpBase,
    MemberContents, RecordHeader,
};
pub(crate) use held::HeldMembers;

/// A format of containers.
pub struct ArchiveFormat {
    /// The name of the format.
    pub name: &'static str,
    /// The kind of its members.
    pub kind: ArchiveKind,
    starts: fn(&[u8]) -> bool,
    open: fn(ArchiveSource, &ArchiveOptions) -> Box<dyn Container>,
}

/// The kinds of members that an archive has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveKind {
    /// Files of any kind: an archive is opened where that is requested.
    Files,
    /// Records of the web: a walk opens it like any document, as it does mailboxes.
    Records,
    /// Parts of one document, of this format: walks and audits open it like any other.
    Package(&'static Format),
}

const fn row(
    name: &'static str,
    kind: ArchiveKind,
    starts: fn(&[u8]) -> bool,
    open: fn(ArchiveSource, &ArchiveOptions) -> Box<dyn Container>,
) -> ArchiveFormat {
    ArchiveFormat {
        name,
        kind,
        starts,
        open,
    }
}

/// The row of a package, by the name of its kind.
macro_rules! package {
    ($kind:ident) => {
        row(
            package::$kind.format.name,
            Package(package::$kind.format),
            package::$kind.starts,
            |source, options| package::open(&package::$kind, source, options),
        )
    };
}

/// The extensions of web archives; the first is also the name of their row.
pub(crate) const WEB_ARCHIVES: [&str; 2] = ["warc", "arc"];

/// The formats of containers, one row each.
static ARCHIVES: &[ArchiveFormat] = &[
    package!(EPUB),
    package!(OOXML),
    package!(ODF),
    row("zip", Files, zip::starts, zip::open),
    row("warc", Records, warc::starts, warc::open),
    row("tar", Files, tar::starts, |source, _| {
        Box::new(tar::Tar::new(source.into_stream().0))
    }),
];

impl ArchiveFormat {
    /// Returns the format of a container with these first bytes.
    pub fn of(head: &[u8]) -> Option<&'static ArchiveFormat> {
        ARCHIVES.iter().find(|format| (format.starts)(head))
    }

    /// Returns the format of a container by its first bytes and by the format that its name says, because
    /// programs put the member that identifies a package where they like.
    pub fn of_file(
        head: &[u8],
        named: impl FnOnce() -> Option<&'static Format>,
    ) -> Option<&'static ArchiveFormat> {
        let may_be = zip::starts(head) || head.starts_with(package::COMPOUND);
        let named = may_be.then(named).flatten().map(ArchiveKind::Package);
        let by_name = named.and_then(|kind| ARCHIVES.iter().find(|format| format.kind == kind));
        by_name.or_else(|| ArchiveFormat::of(head))
    }

    /// Returns the format of a container that follows other bytes in a file of no known kind.
    pub fn after_junk(head: &[u8]) -> Option<&'static ArchiveFormat> {
        // All headers have zeros, and texts have none.
        memchr::memchr(0, head)?;
        let follows = |format: &&ArchiveFormat| match format.name {
            "zip" => zip::follows(head),
            "tar" => tar::follows(head),
            _ => false,
        };
        ARCHIVES.iter().find(follows)
    }

    /// Opens a container.
    pub fn open(&self, source: ArchiveSource, options: &ArchiveOptions) -> Box<dyn Container> {
        (self.open)(source, options)
    }
}

impl fmt::Debug for ArchiveFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}
