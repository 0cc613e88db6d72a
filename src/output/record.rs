//! The path in all records, and the records that are not links.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::escape::is_plain;
use crate::document::ArchiveCounts;
use crate::document::diagnostic::{self, Code, Effect};
use crate::document::sniff::UnreadKind;
use crate::linker::Diagnostic;

/// The path of a document, as reached from the arguments.
#[derive(Clone, Debug, Default)]
pub struct DocumentPath {
    path: Vec<u8>,
    /// A number that no other path has; 0 for an empty one.
    pub(super) revision: u64,
    /// Whether the path is UTF-8, so that a record can hold it unchanged.
    pub(super) is_utf8: bool,
    /// Whether the path is printable ASCII, so that no output escapes it.
    pub(super) is_plain: bool,
    pub(crate) facts: DocumentFacts,
}

/// The facts about a document, message or record that its row in `uriscan records` shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentFacts {
    /// The number of links.
    pub(crate) links: u64,
    /// The length in bytes, where it is known.
    pub(crate) bytes: Option<u64>,
    /// The title of a page.
    pub(crate) title: Option<String>,
    /// The media type of the format of a file.
    pub(crate) media_type: Option<&'static str>,
    /// Why it was not read.
    pub(crate) skipped: Option<String>,
    /// Why it was not read to its end.
    pub(crate) error: Option<String>,
    pub(crate) address: AddressFacts,
}

/// The facts about an address that its row in `uriscan targets` shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressFacts {
    pub(crate) kind: &'static str,
    pub(crate) page: Option<Vec<u8>>,
    pub(crate) id: Option<Box<[u8]>>,
    pub(crate) destination: Option<Vec<u8>>,
}

impl DocumentPath {
    /// Creates the path of a document; `-` is standard input.
    pub fn new(path: &[u8]) -> Self {
        let mut document = DocumentPath::default();
        document.set(path);
        document
    }

    /// Replaces the path and keeps the memory.
    pub(crate) fn set(&mut self, path: &[u8]) {
        static REVISIONS: AtomicU64 = AtomicU64::new(1);
        self.revision = REVISIONS.fetch_add(1, Ordering::Relaxed);
        self.path.clear();
        self.path.extend_from_slice(path);
        self.is_utf8 = std::str::from_utf8(path).is_ok();
        self.is_plain = is_plain(path);
    }

    /// Returns the bytes of the path.
    pub fn path(&self) -> &[u8] {
        &self.path
    }
}

/// The keys of `--count-by`, and a value of each.
pub(crate) type Counted<'a> = (&'a [&'a str], &'a [&'a [u8]]);

/// The diagnostics of an archive, one for each code: where it is first, and the number of all. In the
/// order of the pieces, and in a piece as they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiagnosticCounts(Vec<DiagnosticCount>);

/// The diagnostics of one code.
#[derive(Clone, Debug)]
struct DiagnosticCount {
    code: &'static Code,
    count: u64,
    /// The piece of the archive that has the first.
    piece: usize,
    member: Option<String>,
    offset: u64,
}

impl DiagnosticCounts {
    /// Adds a diagnostic, which follows those before it.
    pub(crate) fn add(&mut self, diagnostic: &Diagnostic<'_>) {
        self.push(DiagnosticCount {
            code: diagnostic.code,
            count: diagnostic.count,
            piece: 0,
            member: diagnostic.member.map(str::to_owned),
            offset: diagnostic.offset,
        });
    }

    fn push(&mut self, found: DiagnosticCount) {
        let known = |own: &&mut DiagnosticCount| own.code.name == found.code.name;
        match self.0.iter_mut().find(known) {
            Some(own) => own.count += found.count,
            None => self.0.push(found),
        }
    }

    pub(crate) fn set_piece(&mut self, piece: usize) {
        self.0.iter_mut().for_each(|found| found.piece = piece);
    }

    fn merge(&mut self, other: &Self) {
        let mut all = std::mem::take(&mut self.0);
        all.extend_from_slice(&other.0);
        all.sort_by_key(|found| found.piece);
        all.into_iter().for_each(|found| self.push(found));
    }

    /// Returns the number of each code, by their names.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.0.iter().map(|found| (found.code.name, found.count));
        let mut counts: Vec<_> = counts.collect();
        counts.sort_unstable();
        counts.into_iter()
    }

    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'_>> {
        self.0.iter().map(|found| Diagnostic {
            member: found.member.as_deref(),
            code: found.code,
            count: found.count,
            offset: found.offset,
        })
    }
}

/// The contents of an archive, so that skipped parts are visible.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArchiveRecord {
    /// Messages or members, parts that were read, and parts that were not, by media type.
    pub counts: ArchiveCounts,
    /// It has members, and not messages.
    pub is_container: bool,
    /// The number of references that were reported.
    pub links: u64,
    /// The number of bytes, decompressed.
    pub bytes: u64,
    /// The diagnostics by their codes.
    pub diagnostics: DiagnosticCounts,
}

impl ArchiveRecord {
    pub(crate) fn add(&mut self, other: &ArchiveRecord) {
        self.counts.add(&other.counts);
        self.is_container |= other.is_container;
        self.links += other.links;
        self.bytes += other.bytes;
        self.diagnostics.merge(&other.diagnostics);
    }
}

impl fmt::Display for ArchiveRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let noun = ["message", "member"][usize::from(self.is_container)];
        let (members, parts) = (counted(counts.members, noun), counted(counts.parts, "part"));
        let (links, bytes) = (counted(self.links, "link"), counted(self.bytes, "byte"));
        write!(formatter, "{members}, {parts}, {links}, {bytes}")?;
        for (name, count) in &counts.skipped {
            write!(formatter, "; {count} {name} skipped")?;
        }
        for (code, count) in self.diagnostics.counts() {
            write!(formatter, "; {count} {code}")?;
        }
        Ok(())
    }
}

/// The time and memory that a run used. Only written to standard error: they differ from run to run,
/// and the output does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The elapsed time.
    pub wall: Duration,
    /// The processor time, where known.
    pub cpu: Option<Duration>,
    /// The peak memory in bytes, where known.
    pub peak: Option<u64>,
}

impl Usage {
    /// Returns each figure in decimal digits, with its key in records.
    ///
    /// ```
    /// use std::time::Duration;
    /// use uriscan::output::record::Usage;
    ///
    /// let usage = Usage { wall: Duration::from_millis(1500), cpu: None, peak: Some(4096) };
    /// assert_eq!(usage.figures()[0], ("wall_seconds", Some("1.500000".to_owned())));
    /// assert_eq!(usage.figures()[2], ("peak_bytes", Some("4096".to_owned())));
    /// ```
    pub fn figures(&self) -> [(&'static str, Option<String>); 3] {
        let seconds = |time: Duration| format!("{:.6}", time.as_secs_f64());
        [
            ("wall_seconds", Some(seconds(self.wall))),
            ("cpu_seconds", self.cpu.map(seconds)),
            ("peak_bytes", self.peak.map(|bytes| bytes.to_string())),
        ]
    }
}

/// The reason to skip a file, and its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The reason.
    pub(crate) reason: SkipReason,
    /// The name of the format, for reasons that depend on the format.
    pub format: &'static str,
    /// Whether the file was to be decompressed, and cannot be.
    pub(crate) is_damaged: bool,
}

named! {
    /// The reason to skip a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SkipReason {
        /// Not text.
        Binary = "skipped_binary",
        /// Compressed, where only named files are decompressed.
        Compressed = "skipped_compressed",
        /// An archive of files.
        Archive = "skipped_archive",
        /// An index of a web archive.
        Index = "skipped_index",
        /// Not of a format to read.
        Type = "skipped_type",
        /// Longer than files to read.
        Size = "skipped_size",
        /// A symbolic link, where these are not followed.
        Symlink = "skipped_symlink",
        /// A pipe, a device or a socket in a tree.
        Special = "skipped_special",
        /// An index, a lock or a deleted message in a folder of mail.
        MailFolder = "skipped_mail_folder",
    }
}

impl From<UnreadKind> for SkipReason {
    fn from(kind: UnreadKind) -> Self {
        match kind {
            UnreadKind::Binary => SkipReason::Binary,
            UnreadKind::Compressed => SkipReason::Compressed,
            UnreadKind::Archive => SkipReason::Archive,
            UnreadKind::Index => SkipReason::Index,
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format;
        formatter.write_str("skipped, it is ")?;
        match self.reason {
            SkipReason::Binary => write!(formatter, "not text but {format}"),
            SkipReason::Compressed => {
                let hint = [" (see --decompress)", ""][usize::from(self.is_damaged)];
                write!(formatter, "compressed ({format}) and not read{hint}")
            }
            SkipReason::Archive => write!(formatter, "an archive of files ({format})"),
            SkipReason::Index => write!(formatter, "an index of a web archive ({format})"),
            SkipReason::Type => write!(formatter, "{format}, which --type leaves out"),
            SkipReason::Size => formatter.write_str("longer than --max-filesize"),
            SkipReason::Symlink => formatter.write_str("a symbolic link (see --follow)"),
            SkipReason::Special => formatter.write_str("a pipe, a device or a socket"),
            SkipReason::MailFolder => {
                formatter.write_str("an index, a lock or a deleted message of a mail folder")
            }
        }
    }
}

/// The totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// References that were reported.
    pub references: u64,
    /// Files that were skipped.
    pub skipped_files: u64,
    /// Files and parts that could not be read.
    pub errors: u64,
    /// Files that could not be opened, and directories that could not be listed.
    pub failed_files: u64,
    /// Documents that were read a second time, by every rule of their format.
    pub exact: u64,
    /// Documents that were read by approximation in part.
    pub approximate: u64,
    /// Bodies of messages that were not read, in the order of [`Effect::UNREAD`].
    pub unread: [u64; Effect::UNREAD.len()],
    /// Documents of other formats that were read as text, in which relative references are not seen.
    pub read_as_text: u64,
    /// Files that were skipped, in the order of [`SkipReason`].
    pub skipped: [u64; SkipReason::ALL.len()],
    /// Parts of archives and messages that were not read; records of archives have their types.
    pub unread_parts: u64,
    /// Links of gateways that could not be unwrapped.
    pub opaque_gateways: u64,
    /// Damaged containers, which records leave out.
    pub damaged: u64,
}

impl Summary {
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        [
            ("files", self.files),
            ("bytes", self.bytes),
            ("references", self.references),
            ("skipped_files", self.skipped_files),
            ("errors", self.errors),
            ("exact", self.exact),
            ("approximate", self.approximate),
        ]
        .into_iter()
    }

    /// Returns the numbers of skipped files, unread bodies and parts, and failed files, which records have last.
    pub(crate) fn skips(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let unread = [
            ("unread_bodies", self.unread.iter().sum()),
            ("unread_parts", self.unread_parts),
            ("opaque_gateways", self.opaque_gateways),
            ("failed_files", self.failed_files),
        ];
        let names = SkipReason::ALL.iter().map(|reason| reason.name());
        names.zip(self.skipped).chain(unread)
    }

    pub(crate) fn diagnose(&mut self, code: &'static Code, count: u64) {
        self.approximate += u64::from(std::ptr::eq(code, &diagnostic::HTML_APPROXIMATE));
        self.damaged += u64::from(code.effect == Effect::Damage);
        let mut unread = Effect::UNREAD.iter().zip(&mut self.unread);
        if let Some((_, unread)) = unread.find(|((effect, _), _)| *effect == code.effect) {
            *unread += count;
        }
    }

    /// Returns a sentence for each kind of bodies that were not read.
    pub(crate) fn unread(&self) -> impl Iterator<Item = String> + use<> {
        let counts = Effect::UNREAD.iter().zip(self.unread);
        let counts = counts.filter(|(_, count)| *count > 0);
        counts.map(|((_, noun), count)| {
            let verb = if count == 1 { "was" } else { "were" };
            format!("{} {verb} not read", counted(count, noun))
        })
    }

    pub(crate) fn count_unread(&mut self, counts: &ArchiveCounts) {
        self.unread_parts += counts.skipped.values().sum::<u64>();
    }

    pub(crate) fn skip(&mut self, reason: SkipReason) {
        self.skipped_files += 1;
        self.skipped[reason as usize] += 1;
    }

    /// Returns whether no file was opened: all were skipped for their names, sizes and kinds.
    pub(crate) fn is_empty(&self) -> bool {
        use SkipReason::{Archive, Binary, Compressed, Index};
        let unread = [Binary, Compressed, Archive, Index];
        let unread = unread.map(|reason| self.skipped[reason as usize]);
        self.files + self.errors + unread.iter().sum::<u64>() == 0
    }

    /// Returns whether something could not be read, or not to its end.
    pub(crate) fn has_failures(&self) -> bool {
        self.errors + self.damaged > 0
    }

    pub(crate) fn add(&mut self, other: &Summary) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.references += other.references;
        self.skipped_files += other.skipped_files;
        self.errors += other.errors;
        self.failed_files += other.failed_files;
        self.exact += other.exact;
        self.approximate += other.approximate;
        for (count, other) in self.unread.iter_mut().zip(other.unread) {
            *count += other;
        }
        self.read_as_text += other.read_as_text;
        for (count, other) in self.skipped.iter_mut().zip(other.skipped) {
            *count += other;
        }
        self.unread_parts += other.unread_parts;
        self.opaque_gateways += other.opaque_gateways;
        self.damaged += other.damaged;
    }
}

/// Returns a number with its noun, in the plural where necessary.
///
/// ```
/// use uriscan::output::record::counted;
/// assert_eq!(counted(1, "file"), "1 file");
/// assert_eq!(counted(0, "file"), "0 files");
/// ```
pub fn counted(count: u64, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{end}")
}
