//! The options of a run: which files it reads, how, and what it reports.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{Encoding, UTF_8};
use regex::bytes::RegexSet;
use smart_default::SmartDefault;

use super::bases::Bases;
use super::tally::CountKey;
use super::walk::{Entry, EntryKind, bytes_of, path_of, read_start};
use crate::archive::{ArchiveFormat, ArchiveKind, ArchiveOptions, ArchiveSource, Container};
use crate::bytes::class::split_once;
use crate::decode::compression::Codec;
use crate::document::events::Context;
use crate::document::options::Slug;
use crate::document::sniff::{self, Content, HEAD, NamedType, UnreadKind};
use crate::document::{Format, Passes, SplitPoint};
use crate::extractor;
use crate::linker::{EmbeddedBases, Link};
use crate::output::record::{Skip, SkipReason};
use crate::output::table::TableFormat;
use crate::output::{Layout, LinkForm, Output};
use crate::uri::unwrap::covers;
use crate::uri::{Reference, Resolver, Rules, canonical_host, host};

/// The options of a run.
#[derive(Clone, Default)]
pub struct PipelineOptions {
    /// The options of extraction.
    pub extractor: extractor::ExtractorOptions,
    /// The encoding declared for all documents.
    pub declared: Option<&'static Encoding>,
    /// Decompress all compressed files, and not only named ones.
    pub decompresses_all: bool,
    /// For an audit: archives of web records are not opened, and archives in archives only where they would be outside;
    /// documents are not split, since their anchors belong together.
    pub is_audit: bool,
    /// The options of archives.
    pub archive_options: ArchiveOptions,
    /// Whether an audit reads hidden files in archives, as a walk reads those outside.
    pub hidden_members: bool,
    /// The formats to read; empty: all.
    pub formats: Vec<&'static Format>,
    /// Read documents of all formats in web archives; without other formats, nothing else.
    pub all_records: bool,
    /// The formats of files by their names, besides the extensions of formats.
    pub types: Vec<NamedType>,
    /// The base URIs of documents.
    pub bases: Bases,
    /// The dialects of Markdown of trees.
    pub dialects: Dialects,
    /// The part of the files to read.
    pub shard: Shard,
    /// The references to report.
    pub filter: Filter,
    /// The format of the output.
    pub output: &'static Output,
    /// The layout of records.
    pub layout: Layout,
    /// The report of the links.
    pub report: ReportMode,
    /// The keys of [`ReportMode::CountBy`].
    pub count_by: Vec<CountKey>,
    /// The number of values that are shown; without one all.
    pub top: Option<usize>,
    /// The report of everything besides links.
    pub verbosity: Verbosity,
    /// The form of messages on standard error.
    pub messages: MessageForm,
    /// Collect the records of everything besides links for a separate file.
    pub has_report: bool,
    /// The number of workers; 0 is 1.
    pub threads: usize,
    /// The size of the pieces of a huge file, in bytes; 0 is [`PIECE`].
    pub piece_size: u64,
    /// The order of the output.
    pub order: OutputOrder,
    /// Read streams as they come, and write each link at once.
    pub line_buffered: bool,
    /// Write each block at once, for a reader at a terminal, and not when a buffer is full.
    pub flushes_blocks: bool,
    /// Counters to raise as documents are read.
    pub progress: Option<Arc<Progress>>,
    /// Parts of files that are read as if other bytes were there.
    pub replaced: Replaced,
}

/// The size of pieces, in bytes: a piece should fit in the cache of a core.
pub const PIECE: u64 = 1 << 20;

/// The replaced parts of files, in ascending order, by the paths of the files, as reached or absolute.
pub type Replaced = Arc<BTreeMap<PathBuf, Vec<Splice>>>;

/// A part of a file, and the bytes that replace it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The part, in bytes.
    pub range: Range<usize>,
    /// The bytes that are read instead.
    pub bytes: Vec<u8>,
}

impl Splice {
    /// The range of a file as a whole, whatever its length.
    pub(crate) const WHOLE: Range<usize> = 0..usize::MAX;
}

/// Returns a part of a file with its splices, which lie in the part in ascending order.
pub(crate) fn spliced(bytes: &[u8], part: Range<usize>, splices: &[Splice]) -> Vec<u8> {
    let (mut new, mut at) = (Vec::with_capacity(part.len()), part.start);
    for splice in splices {
        // The file may have shrunk.
        new.extend_from_slice(bytes.get(at..splice.range.start).unwrap_or_default());
        new.extend_from_slice(&splice.bytes);
        at = splice.range.end;
    }
    new.extend_from_slice(bytes.get(at..part.end).unwrap_or_default());
    new
}

impl PipelineOptions {
    /// Returns the replaced parts of a file.
    pub(crate) fn splices(&self, path: &Path) -> Option<&Vec<Splice>> {
        let of_absolute = || {
            let is_any = !self.replaced.is_empty();
            let absolute = is_any.then(|| self.bases.absolute(bytes_of(path)))?.ok()?;
            self.replaced.get(&path_of(&absolute))
        };
        self.replaced.get(path).or_else(of_absolute)
    }

    /// Returns whether records of other kinds than links are among these, and not messages.
    pub(crate) fn has_records(&self) -> bool {
        self.output.has_records() && self.messages == MessageForm::Words
    }

    pub(crate) fn table(&self) -> Option<TableFormat> {
        match self.output.links {
            LinkForm::Table(format) if self.report.is_links() => Some(format),
            _ => None,
        }
    }

    pub(super) fn piece_size(&self) -> u64 {
        [self.piece_size, PIECE][usize::from(self.piece_size == 0)]
    }

    /// Chooses the format of a file by its path, without extensions of codecs, and its first bytes; the error says
    /// why the file is not read.
    pub(crate) fn choose(
        &self,
        path: &[u8],
        named: bool,
        head: &[u8],
    ) -> Result<&'static Format, Skip> {
        let content = sniff::content(path, head, &self.types, self.declared);
        if let ([format], true) = (self.formats.as_slice(), named) {
            // A named file is of the type that the user gives.
            return Ok(format.of_shape(&sniff::marked(head, self.declared)));
        }
        let is_left_out = self.all_records && self.formats.is_empty();
        let (reason, format) = match content {
            Content::Other(name) => (sniff::unread_kind(name).into(), name),
            Content::Document(format) if self.wants(format) && !is_left_out => return Ok(format),
            Content::Document(format) => (SkipReason::Type, format.name),
        };
        Err(Skip {
            reason,
            format,
            is_damaged: reason != SkipReason::Type && (named || self.decompresses_all),
        })
    }

    /// Returns whether the types that were given, if any, have the format.
    pub(crate) fn wants(&self, format: &Format) -> bool {
        self.formats.is_empty() || self.formats.iter().any(|one| format.is_a(one))
    }

    /// Returns whether a body of a record is read if it has the format.
    pub(crate) fn wants_body(&self, format: &Format) -> bool {
        self.all_records || self.wants(format)
    }

    /// Returns whether a file would be read as a document. Reads its first bytes.
    pub(crate) fn reads(&self, entry: &Entry) -> bool {
        first_bytes(entry).is_some_and(|head| {
            self.choose(entry.bytes(), entry.named, &head).is_ok()
                || self.codec(entry, &head).is_some()
                || self.archive(entry, entry.bytes(), &head).is_some()
        })
    }

    /// Returns whether a file is a document whose references can be rewritten: not packed, and not PDF.
    pub(crate) fn rewrites(&self, entry: &Entry) -> bool {
        let chosen = |head: Vec<u8>| self.choose(entry.bytes(), entry.named, &head).ok();
        let format = first_bytes(entry).and_then(chosen);
        format.is_some_and(|format| format.reading != Passes::Held)
    }

    /// Returns the codec of a file that is to be decompressed.
    pub(crate) fn codec(&self, entry: &Entry, head: &[u8]) -> Option<&'static Codec> {
        Codec::of(head).filter(|_| self.opens(entry))
    }

    /// Returns the format of a file to open as an archive; `path` has no extension of a codec.
    pub(crate) fn archive(
        &self,
        entry: &Entry,
        path: &[u8],
        head: &[u8],
    ) -> Option<&'static ArchiveFormat> {
        let named = || match self.formats.as_slice() {
            [format] if entry.named => Some(*format),
            _ => sniff::named(path, &self.types),
        };
        let format = self.archive_of(path, head, named)?;
        let is_wanted = match format.kind {
            ArchiveKind::Package(own) => self.formats.is_empty() || self.formats.contains(&own),
            ArchiveKind::Records => !self.is_audit,
            ArchiveKind::Files => self.opens(entry),
        };
        is_wanted.then_some(format)
    }

    pub(crate) fn archive_of(
        &self,
        path: &[u8],
        head: &[u8],
        named: impl FnOnce() -> Option<&'static Format>,
    ) -> Option<&'static ArchiveFormat> {
        // Most files have no such bytes, and are not recognised twice.
        let is_binary = |_: &&_| match sniff::content(path, head, &self.types, self.declared) {
            Content::Other(name) => sniff::unread_kind(name) == UnreadKind::Binary,
            Content::Document(_) => false,
        };
        let after_junk = || ArchiveFormat::after_junk(head).filter(is_binary);
        ArchiveFormat::of_file(head, named).or_else(after_junk)
    }

    pub(crate) fn open(
        &self,
        format: &'static ArchiveFormat,
        source: ArchiveSource,
    ) -> Box<dyn Container> {
        let options = ArchiveOptions {
            ignores_bases: self.extractor.embedded_bases == EmbeddedBases::Ignore,
            max_document: self.extractor.formats.html.max_document,
            ..self.archive_options
        };
        format.open(source, &options)
    }

    fn opens(&self, entry: &Entry) -> bool {
        entry.named || self.decompresses_all
    }

    /// Returns whether each piece of a document with these first bytes can be read without those before it.
    pub(crate) fn may_split(&self, format: &Format, head: &[u8]) -> bool {
        let has_split_points = match format.split_point {
            None => false,
            Some(SplitPoint::Line(_)) => true,
            // A single worker is faster without a search for split points.
            Some(SplitPoint::Member(_)) => self.threads > 1,
        };
        has_split_points
            && !self.is_audit
            && self.report != ReportMode::Files
            && self.declared.is_none_or(|encoding| encoding == UTF_8)
            && !sniff::is_wide(head)
    }
}

/// The dialects of Markdown of directories and of all below them.
#[derive(Clone, Debug, Default)]
pub struct Dialects(BTreeMap<Vec<u8>, Slug>);

impl Dialects {
    /// Sets the dialect of an absolute directory.
    pub fn add(&mut self, directory: &[u8], slug: Slug) {
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        self.0.insert([directory, b"/"].concat(), slug);
    }

    /// Returns the dialect of a file, by the innermost of the directories that it is in.
    pub fn of(&self, path: &[u8]) -> Option<Slug> {
        let mut above = memchr::memrchr_iter(b'/', path).map(|at| &path[..=at]);
        above.find_map(|above| self.0.get(above).copied())
    }
}

/// The report of the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportMode {
    /// Each link.
    #[default]
    Links,
    /// The first link of each target, by a form of it.
    Unique(TargetForm),
    /// The number of links of each file that has any.
    Count,
    /// The number of links of each value of some keys.
    CountBy,
    /// Each document, message and record, with the number of its links.
    Records,
    /// The paths of files that have links.
    Paths,
    /// The paths of the files that would be read; no links are extracted.
    Files,
    /// Nothing; only the exit code is set.
    Nothing,
}

impl ReportMode {
    /// Returns whether the output has rows of the keys of the layout.
    pub(crate) fn is_links(self) -> bool {
        use ReportMode::{Links, Records, Unique};
        matches!(self, Links | Unique(_) | Records)
    }
}

/// The form in which targets are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum TargetForm {
    /// As they resolved.
    #[default]
    Target,
    /// As the URL standard writes them.
    Normalized,
    /// Without fragments.
    NoFragment,
}

impl TargetForm {
    /// Returns a target in this form.
    pub(crate) fn of(self, target: &[u8]) -> Cow<'_, [u8]> {
        let mut normal = Vec::new();
        match self {
            TargetForm::Normalized => {
                let resolver = Resolver::without_base(Rules::Whatwg);
                let resolved = resolver.resolve_into(target, &mut normal);
                resolved.map_or(target.into(), |_| normal.into())
            }
            TargetForm::NoFragment => split_once(target, b'#').0.into(),
            TargetForm::Target => target.into(),
        }
    }
}

/// The report of everything besides links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct Verbosity {
    /// Report errors on standard error.
    #[default(true)]
    pub errors: bool,
    /// Report diagnostics on standard error, where the output has no records for them.
    pub diagnostics: bool,
    /// End the output with a summary, where it has a record for it.
    pub summary: bool,
    /// Report the counts of each archive in this form, where the output has no records for them.
    pub archives: Option<MessageForm>,
}

/// The form of messages on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum MessageForm {
    /// Words.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "text"))]
    Words,
    // JSON Lines, with all diagnostics.
    /// Records.
    #[cfg_attr(feature = "cli", value(name = "json"))]
    Records,
}

/// The order of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum OutputOrder {
    // The same for any number of workers.
    /// The order of the paths.
    #[default]
    Path,
    /// The order in which documents are ready.
    None,
    /// The order of the lines, by their bytes, of an index (cdxj); all are held in memory.
    Line,
}

/// The references to report: those that pass every test.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Schemes of targets, in lower case; empty: all.
    pub schemes: Vec<String>,
    /// Patterns; the target must match one of them.
    pub include: Option<RegexSet>,
    /// Patterns; the target must not match any of them.
    pub exclude: Option<RegexSet>,
    /// Elements, in lower case; empty: all.
    pub elements: Vec<String>,
    /// Contexts; empty: all.
    pub contexts: Vec<Context>,
    /// References that are absolute as written (RFC 3986 section 4), or that are relative; `None`: all.
    pub absolute: Option<bool>,
    /// Attributes and header fields, in lower case; empty: all.
    pub attributes: Vec<String>,
    /// Hosts of targets, with a leading dot for any host under one; empty: all.
    pub hosts: Vec<String>,
    /// The messages of the links.
    pub messages: MessageFilter,
}

/// The messages and parts whose links are reported: those that pass every test. Patterns match in any case.
#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    /// Patterns one of which the name or the address of the sender must match.
    pub from: Option<RegexSet>,
    /// Patterns one of which the field To must match.
    pub to: Option<RegexSet>,
    /// Patterns one of which the subject must match.
    pub subject: Option<RegexSet>,
    /// Patterns one of which the identifier of the mailing list must match.
    pub list: Option<RegexSet>,
    /// The first time, in UTC, or the start of one.
    pub since: Option<String>,
    /// The last time, or the start of one.
    pub until: Option<String>,
    /// Kinds of parts; empty: all.
    pub parts: Vec<PartKind>,
}

/// A kind of parts of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PartKind {
    /// A body that is not HTML.
    Text,
    /// A body that is HTML.
    Html,
    /// A file.
    Attachment,
    /// A header block.
    Header,
}

impl PartKind {
    /// Returns the kind of the part of a link; `None` outside messages.
    fn of(link: &Link<'_>) -> Option<Self> {
        let part = link.part;
        part.envelope?;
        let is_inside = link.member.is_some_and(|member| member.contains('!'));
        let is_file = match part.disposition {
            Some("inline") => is_inside,
            Some(_) => true,
            None => is_inside || part.filename.is_some(),
        };
        Some(match part.media_type {
            _ if link.context == Context::Header => PartKind::Header,
            _ if is_file => PartKind::Attachment,
            Some("text/html" | "application/xhtml+xml") => PartKind::Html,
            _ => PartKind::Text,
        })
    }
}

impl MessageFilter {
    /// Returns whether any test needs the envelope of messages.
    pub(crate) fn needs_envelope(&self) -> bool {
        let texts = [&self.from, &self.to, &self.subject, &self.list];
        let times = [&self.since, &self.until];
        texts.into_iter().any(Option::is_some)
            || times.into_iter().any(Option::is_some)
            || !self.parts.is_empty()
    }

    fn admits(&self, link: &Link<'_>) -> bool {
        if !self.needs_envelope() {
            return true;
        }
        let Some(envelope) = link.part.envelope else {
            return false;
        };
        let matches = |set: &Option<RegexSet>, texts: &[&Option<String>]| {
            let mut texts = texts.iter().filter_map(|text| text.as_ref());
            let mut any = |set: &RegexSet| texts.any(|text| set.is_match(text.as_bytes()));
            set.as_ref().is_none_or(&mut any)
        };
        let date = envelope.date.as_deref();
        // Times of one form are in the order of their bytes.
        let start = |bound: &String| date.and_then(|date| date.get(..bound.len()));
        let is_after = |bound| start(bound).is_some_and(|date| date >= bound.as_str());
        let is_before = |bound| start(bound).is_some_and(|date| date <= bound.as_str());
        matches(&self.from, &[&envelope.from, &envelope.from_name])
            && matches(&self.to, &[&envelope.to_text])
            && matches(&self.subject, &[&envelope.subject])
            && matches(&self.list, &[&envelope.list_id])
            && self.since.as_ref().is_none_or(is_after)
            && self.until.as_ref().is_none_or(is_before)
            && (self.parts.is_empty()
                || PartKind::of(link).is_some_and(|kind| self.parts.contains(&kind)))
    }
}

impl Filter {
    /// Returns whether any link may be left out.
    pub(crate) fn is_set(&self) -> bool {
        let lists = [&self.schemes, &self.elements, &self.attributes, &self.hosts];
        lists.iter().any(|list| !list.is_empty())
            || self.include.is_some()
            || self.exclude.is_some()
            || !self.contexts.is_empty()
            || self.absolute.is_some()
            || self.messages.needs_envelope()
    }

    /// Returns whether a link is reported. The reference serves as a missing target.
    pub(crate) fn admits(&self, link: &Link<'_>) -> bool {
        let uri = link.target.unwrap_or(link.reference);
        let written = || Reference::split(link.reference.trim_ascii());
        let has_scheme = || {
            let scheme = Reference::split(uri).scheme.unwrap_or_default();
            let mut schemes = self.schemes.iter();
            schemes.any(|one| one.as_bytes().eq_ignore_ascii_case(scheme))
        };
        let admits = |names: &[String], name: Option<&str>| {
            names.is_empty() || names.iter().any(|one| Some(one.as_str()) == name)
        };
        let has_host = || {
            let authority = Reference::split(uri).authority.unwrap_or_default();
            let host = canonical_host(host(authority));
            self.hosts.iter().any(|known| covers(known, &host))
        };
        let is_written_so = |absolute| written().scheme.is_some() == absolute;
        self.absolute.is_none_or(is_written_so)
            && (self.schemes.is_empty() || has_scheme())
            && (self.contexts.is_empty() || self.contexts.contains(&link.context))
            && admits(&self.elements, link.element)
            && admits(&self.attributes, link.attribute)
            && (self.hosts.is_empty() || has_host())
            && self.messages.admits(link)
            && self.admits_target(uri)
    }

    /// Returns whether the patterns of targets admit one.
    pub(crate) fn admits_target(&self, uri: &[u8]) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(uri))
            && !self.exclude.as_ref().is_some_and(|set| set.is_match(uri))
    }
}

/// One of several parts of the files, by a hash of the path that never changes.
///
/// ```
/// use uriscan::pipeline::Shard;
/// let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
/// let holders = shards.iter().filter(|shard| shard.holds(b"site/a.html"));
/// assert_eq!(holders.count(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct Shard {
    /// The index of the part, from 0.
    index: u64,
    #[default(1)]
    count: u64,
}

impl Shard {
    /// Returns whether a path belongs to this part.
    pub fn holds(self, path: &[u8]) -> bool {
        self.count == 1 || hash(path) % self.count == self.index
    }
}

/// Returns the 64-bit FNV-1a hash with its high half folded in.
fn hash(bytes: &[u8]) -> u64 {
    let hash = fnv1a(FNV1A_START, bytes);
    hash ^ hash >> 32
}

/// The FNV-1a hash of no bytes.
pub(crate) const FNV1A_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds bytes to a 64-bit FNV-1a hash, which never changes from one version or machine to another.
pub(crate) fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(hash, step)
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let number = |text: &str| text.parse::<u64>().ok();
        match numbers.and_then(|(one, other)| number(one).zip(number(other))) {
            Some((number @ 1.., count)) if number <= count => {
                let index = number - 1;
                Ok(Shard { index, count })
            }
            _ => Err("expected I/N with 1 <= I <= N".to_owned()),
        }
    }
}

/// Counters that workers raise document by document.
#[derive(Debug, Default)]
pub struct Progress {
    /// Documents that have been read.
    pub files: AtomicU64,
    /// Bytes that have been read.
    pub bytes: AtomicU64,
    /// References that have been reported.
    pub references: AtomicU64,
}

impl Progress {
    pub(crate) fn add(&self, files: u64, bytes: u64, references: u64) {
        self.files.fetch_add(files, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.references.fetch_add(references, Ordering::Relaxed);
    }
}

/// Returns the first bytes of a file that the walk does not leave out, if it can be read.
fn first_bytes(entry: &Entry) -> Option<Vec<u8>> {
    if matches!(entry.kind, EntryKind::LeftOut(_)) {
        return None;
    }
    read_start(&entry.path, HEAD as u64).ok()
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/options.rs"]
mod tests;
