//! The keys of the record of a link, one row each in the order of the record.

use super::column::{ColumnKind, ColumnSet};
use super::record::DocumentPath;
use crate::document::flags::Flags;
use crate::linker::{Link, LinkDescription, WebRecord};
use crate::uri::{Reference, ResolveErrorKind, host};

/// A key of the record of a link, and a column of tables.
#[derive(Debug)]
pub struct RecordField {
    /// The key, also in `--fields`, and the name of the column.
    pub name: &'static str,
    pub(super) key: JsonKey,
    /// Whether every record has the key.
    pub(super) presence: FieldPresence,
    /// The type of the column of tables, which determines the type in JSON.
    pub(crate) column: ColumnKind,
    sets: &'static [ColumnSet],
    /// The description in the JSON Schema.
    pub(super) about: &'static str,
    /// Returns the value for a link of a document.
    pub value: FieldValue,
}

type FieldValue = for<'a> fn(&'a DocumentPath, &'a Link<'a>) -> Value<'a>;

/// A key in JSON, with a comma before and a colon after it.
/// Padded, so that all are copied in the same few instructions, without a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonKey {
    padded: [u8; JsonKey::LENGTH],
    length: usize,
}

impl JsonKey {
    const LENGTH: usize = 24;

    const fn new(key: &str) -> Self {
        let mut padded = [b' '; JsonKey::LENGTH];
        let (start, _) = padded.split_at_mut(key.len());
        start.copy_from_slice(key.as_bytes());
        JsonKey {
            padded,
            length: key.len(),
        }
    }

    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.length;
        out.extend_from_slice(&self.padded);
        out.truncate(end);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldPresence {
    /// Always, and never null.
    Always,
    /// Always, null where unknown.
    Nullable,
    /// Where the value is not null.
    Appended,
    /// Where the value is not null, which it is only in messages and records of archives.
    Member,
    /// In records of mail, null where unknown.
    Mail,
    /// Where the layout names it, null where unknown: by default it does not.
    Described,
}

/// The value of a key.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Unknown or not applicable.
    Null,
    /// A number.
    Number(u64),
    /// A name from a table, which needs no escapes.
    Name(&'static str),
    /// A text.
    Text(&'a str),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// Bytes to write in base64.
    Base64(&'a [u8]),
    /// Flags, written as a list of names.
    Flags(Flags),
    /// A list of texts.
    List(&'a [&'a [u8]]),
    /// A list of words with a space between two.
    Words(&'a str),
}

impl<'a> Value<'a> {
    fn text(text: Option<&'a str>) -> Self {
        text.map_or(Value::Null, Value::Text)
    }

    fn number(number: Option<u64>) -> Self {
        number.map_or(Value::Null, Value::Number)
    }
}

/// Builds a table of keys.
macro_rules! fields {
    ($(
        $name:literal: $presence:ident $column:ident in $sets:ident, $about:literal => $value:expr,
    )*) => {
        &[$(RecordField {
            name: $name,
            key: JsonKey::new(concat!(",\"", $name, "\":")),
            presence: FieldPresence::$presence,
            column: ColumnKind::$column,
            sets: ColumnSet::$sets,
            about: $about,
            value: $value,
        }),*]
    };
}

/// All keys, in the order of the record, `type` first. New keys are only appended.
pub(crate) static FIELDS: &[RecordField] = fields! {
    "type": Always Name in NOWHERE, "The kind of record" =>
        |_, _| Value::Name("link"),
    "path": Always Name in CORE, "The file, as reached from the arguments; `-` is standard input" =>
        |path, _| Value::Bytes(path.path()),
    "member": Nullable Name in CORE,
        "The enclosed document: MESSAGE/PART, RECORD/PART, or a file in an archive" =>
        |_, link| Value::text(link.member),
    "line": Nullable Number in CORE, "The line of start, from 1" =>
        |_, link| Value::number(line(link)),
    "column": Nullable Number in CORE, "The column of start in Unicode scalar values, from 1" =>
        |_, link| Value::number(column(link)),
    "start": Nullable Number in CORE, "Offset in bytes of the start of the reference" =>
        |_, link| Value::number(link.exact_span().map(|span| span.start)),
    "end": Nullable Number in CORE, "Offset in bytes of the end of the reference" =>
        |_, link| Value::number(link.exact_span().map(|span| span.end)),
    "reference": Always Bytes in CORE, "The reference as cleaned" =>
        |_, link| Value::Bytes(link.reference),
    "target": Nullable Uri in CORE, "The absolute URI that it resolves to" =>
        |_, link| link.target.map_or(Value::Null, Value::Bytes),
    "base": Nullable SharedUri in CORE, "The base URI that resolution used" =>
        |_, link| link.base.map_or(Value::Null, |base| Value::Bytes(base.uri)),
    "base_source": Nullable Name in CORE, "The source of the base, by the layers of RFC 2396 section 5.1" =>
        |_, link| Value::text(link.base.map(|base| base.label)),
    "context": Always Name in CORE, "The syntax that surrounds the reference" =>
        |_, link| Value::Name(link.context.name()),
    "element": Nullable Name in CORE, "The element, in lower case" =>
        |_, link| Value::text(link.element),
    "attribute": Nullable Name in CORE, "The attribute or the header field, in lower case" =>
        |_, link| Value::text(link.attribute),
    "flags": Always Names in CORE, "Changes to the reference, and its peculiarities" =>
        |_, link| Value::Flags(link.flags),
    "error": Appended Name in CORE, "Why there is no target" =>
        |_, link| error(link).map_or(Value::Null, Value::Name),
    "alternatives": Appended ByteLists in CORE, "Other readings, best first" =>
        |_, link| {
            if link.alternatives.is_empty() {
                Value::Null
            } else {
                Value::List(link.alternatives)
            }
        },
    "loc": Appended Name in MEMBERS,
        "`part`: start and end are offsets in the decoded part; `object`: they are the span of an object of the file" =>
        |_, link| match link.member {
            _ if link.flags.contains(Flags::OBJECT) => Value::Name("object"),
            Some(_) => Value::Name("part"),
            None => Value::Null,
        },
    "path_bytes": Appended Bytes in CORE, "The bytes of a path that is not UTF-8, in base64" =>
        |path, _| {
            if path.is_utf8() {
                Value::Null
            } else {
                Value::Base64(path.path())
            }
        },
    "message_id": Member Name in MAIL, "The identifier of the message" =>
        |_, link| Value::text(link.part.message_id),
    "message_offset": Member Number in MEMBERS,
        "Offset in bytes of the message in the archive, decompressed" =>
        |_, link| Value::number(link.part.message_offset),
    "member_offset": Member Number in MEMBERS,
        "Offset in bytes of the gzip member or zstd frame in which the message begins" =>
        |_, link| Value::number(link.part.member_offset),
    "media_type": Member Name in MAIL, "The media type of the part" =>
        |_, link| Value::text(link.part.media_type),
    "charset": Member Name in MAIL, "The charset of the part, as declared" =>
        |_, link| Value::text(link.part.charset),
    "target_part": Member Name in MAIL, "The part of the same message that the target names" =>
        |_, link| Value::text(link.part.target_part),
    "unwrapped": Appended Uri in MAIL,
        "The target inside a link that a mail gateway has rewritten, with --unwrap" =>
        |_, link| link.unwrapped.map_or(Value::Null, Value::Bytes),
    "member_bytes": Member Bytes in MEMBERS,
        "The bytes of the name of a member of an archive that is not UTF-8, in base64" =>
        |_, link| link.part.name_bytes.map_or(Value::Null, Value::Base64),
    "member_length": Member Number in WEB,
        "The number of compressed bytes of the record, or of the gzip member that holds it" =>
        |_, link| Value::number(link.part.member_length),
    "record_id": Member Name in WEB, "The identifier of the record of a web archive" =>
        |_, link| Value::text(record(link).id),
    "target_uri": Member SharedUri in WEB, "The URI that the record of a web archive was retrieved from" =>
        |_, link| Value::text(record(link).target_uri),
    "http_status": Member Number in WEB, "The status code of the response" =>
        |_, link| Value::number(record(link).http_status.map(u64::from)),
    "content_type": Member Name in WEB, "The media type of the response, else of the record" =>
        |_, link| Value::text(record(link).content_type),
    "truncated": Member Name in WEB, "The reason why the record is incomplete" =>
        |_, link| Value::text(record(link).truncated),
    "warc_type": Member Name in WEB, "The type of the record" =>
        |_, link| Value::text(record(link).warc_type),
    "warc_date": Member Name in WEB, "The date of the retrieval, as written" =>
        |_, link| Value::text(record(link).warc_date),
    "message_date": Mail Time in MAIL, "The date of the message in UTC (RFC 3339), null if unreadable" =>
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.date)),
    "message_from": Mail Name in MAIL, "The address of the sender of the message" =>
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.from)),
    "message_subject": Mail Name in MAIL, "The subject of the message, decoded, at most 512 bytes" =>
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.subject)),
    "text": Described Text in NOWHERE,
        "The text that a reader sees of the link, at most 128 characters; null except for `a` and `area`" =>
        |_, link| Value::text(description(link).text),
    "rel": Described Names in NOWHERE, "The link types, in lower case; null without the attribute" =>
        |_, link| description(link).rel.map_or(Value::Null, Value::Words),
    "hreflang": Described Name in NOWHERE, "The language of the target, as written" =>
        |_, link| Value::text(description(link).hreflang),
    "title": Described Text in NOWHERE, "The advisory text of the element" =>
        |_, link| Value::text(description(link).title),
};

/// Columns that only tables have, after the keys of the record.
pub(crate) static TABLE_FIELDS: &[RecordField] = fields! {
    "target_bytes": Appended Bytes in CORE, "The bytes of a target that is not UTF-8" =>
        |_, link| match link.target {
            Ok(target) if !target.is_ascii() && std::str::from_utf8(target).is_err() => {
                Value::Bytes(target)
            }
            _ => Value::Null,
        },
    "host": Appended Host in ALL, "The host of the target" =>
        |_, link| target_host(link),
    "host_rev": Appended ReversedHost in ALL, "The labels of the host in reverse order" =>
        |_, link| target_host(link),
    "scheme": Appended LowerName in ALL, "The scheme of the target" =>
        |_, link| target(link).scheme.map_or(Value::Null, Value::Bytes),
};

fn target<'a>(link: &Link<'a>) -> Reference<'a> {
    Reference::split(link.target.unwrap_or_default())
}

fn target_host<'a>(link: &Link<'a>) -> Value<'a> {
    let authority = target(link).authority;
    authority.map_or(Value::Null, |authority| Value::Bytes(host(authority)))
}

fn description<'a>(link: &Link<'a>) -> LinkDescription<&'a str> {
    link.description.unwrap_or_default()
}

fn record<'a>(link: &Link<'a>) -> WebRecord<&'a str> {
    link.part.record.copied().unwrap_or_default()
}

fn line(link: &Link<'_>) -> Option<u64> {
    link.position.map(|position| position.line)
}

fn column(link: &Link<'_>) -> Option<u64> {
    // In header fields the column is 0, for none.
    let column = link.position.map(|position| position.column);
    column.filter(|&column| column > 0)
}

fn error(link: &Link<'_>) -> Option<&'static str> {
    let error = link.target.err();
    // The flag `template` says it.
    let error = error.filter(|kind| *kind != ResolveErrorKind::Template);
    error.map(ResolveErrorKind::name)
}

/// Returns the keys that are shown without further options.
pub(crate) fn default_fields() -> impl Iterator<Item = &'static RecordField> {
    FIELDS.iter().filter(|field| !field.needs_description())
}

/// Returns the columns of a set, with the descriptions of links in markup if `described`.
pub(crate) fn table_fields(set: ColumnSet, described: bool) -> Vec<&'static RecordField> {
    let is_wanted =
        |field: &&RecordField| field.sets.contains(&set) || described && field.needs_description();
    let all = FIELDS.iter().chain(TABLE_FIELDS);
    all.filter(is_wanted).collect()
}

impl RecordField {
    pub(crate) fn is_nullable(&self) -> bool {
        self.presence != FieldPresence::Always
    }

    pub(crate) fn is_core(&self) -> bool {
        matches!(
            self.presence,
            FieldPresence::Always | FieldPresence::Nullable
        )
    }

    /// Returns the field of a name.
    ///
    /// ```
    /// use uriscan::output::field::RecordField;
    /// assert!(RecordField::named("target").is_some());
    /// ```
    pub fn named(name: &str) -> Option<&'static RecordField> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// Returns whether the value depends on line numbers, which take a pass over the document.
    pub(crate) fn needs_position(&self) -> bool {
        matches!(self.name, "line" | "column")
    }

    /// Returns whether the value depends on the envelopes of messages, which are read on demand.
    pub(crate) fn needs_envelope(&self) -> bool {
        self.presence == FieldPresence::Mail
    }

    /// Returns whether the value depends on descriptions in markup, which are read on demand.
    pub(crate) fn needs_description(&self) -> bool {
        self.presence == FieldPresence::Described
    }
}
