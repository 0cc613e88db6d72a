//! The keys of the record of a link, one row each in the order of the record.

use std::collections::HashSet;

use super::column::{ColumnKind, ColumnSet, Value};
use super::json::push_value;
use super::record::DocumentPath;
use crate::bytes::simd::is_ascii;
use crate::document::content_type;
use crate::document::flags::Flags;
use crate::linker::{Envelope, Link, LinkDescription, WebRecord};
use crate::uri::{
    Reference, ResolveErrorKind, host, registered_domain, reversed_host, surt, valid_host,
};

/// A key of the record of a link, and a column of tables.
#[derive(Debug)]
pub struct RecordField {
    /// The key, also in `--fields`, and the name of the column.
    pub name: &'static str,
    /// Appends the key and the value to a record of JSON. One function for each field: neither the type of the
    /// value nor the length of the key is looked up.
    pub(super) push: for<'a> fn(&'a DocumentPath, &'a Link<'a>, &mut Vec<u8>),
    /// Appends the value to a column of tables as a row, and returns the length of its strings.
    #[cfg(feature = "arrow")]
    pub(super) append:
        for<'a> fn(&'a DocumentPath, &'a Link<'a>, usize, &mut super::table::ColumnRows) -> usize,
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

/// Keys in the order of a record.
pub(crate) type FieldList = Vec<&'static RecordField>;

type FieldValue = for<'a> fn(&'a DocumentPath, &'a Link<'a>) -> Value<'a>;

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
    /// Of a link in markup: where the layout names it, null where unknown.
    Described,
    /// Of a message or a part: where the layout names it, null where unknown.
    Message,
    /// Where the layout names it, null where unknown.
    Requested,
}

/// Which links have the same value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueScope {
    /// Those with the same path, member, base, context, element, attribute, flags and error.
    Shared,
    /// One.
    Link,
    /// One; only in messages, records and archives is there a value.
    Member,
}

impl FieldPresence {
    /// Returns whether the record of a link shows a value.
    fn is_shown(self, link: &Link<'_>, value: &Value<'_>) -> bool {
        match self {
            FieldPresence::Appended | FieldPresence::Member => !matches!(value, Value::Null),
            FieldPresence::Mail => link.part.envelope.is_some(),
            _ => true,
        }
    }
}

/// Builds a table of keys.
macro_rules! fields {
    ($(
        $name:literal: $presence:ident $column:ident in $sets:ident, $about:literal => $value:expr,
    )*) => {
        &[$(RecordField {
            name: $name,
            push: |path, link, out| {
                const VALUE: FieldValue = $value;
                let value = VALUE(path, link);
                if FieldPresence::$presence.is_shown(link, &value) {
                    out.extend_from_slice(concat!(",\"", $name, "\":").as_bytes());
                    push_value(&value, out);
                }
            },
            #[cfg(feature = "arrow")]
            append: |path, link, row, rows| {
                const VALUE: FieldValue = $value;
                rows.push(row, ColumnKind::$column, &VALUE(path, link))
            },
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
        |_, _| Value::Plain(b"link"),
    "path": Always Name in CORE, "The file, as reached from the arguments; `-` is standard input" =>
        |path, _| Value::Bytes(path.path()),
    "member": Nullable Name in CORE,
        "The enclosed document: MESSAGE/PART, RECORD/PART, or a file in an archive" =>
        |_, link| Value::text(link.member),
    "line": Nullable Number in CORE, "The line of start, from 1" =>
        |_, link| Value::number(link.position.map(|position| position.line)),
    "column": Nullable Number in CORE, "The column of start in Unicode scalar values, from 1" =>
        |_, link| {
            // In header fields the column is 0, for none.
            let column = link.position.map(|position| position.column);
            Value::number(column.filter(|&column| column > 0))
        },
    "start": Nullable Number in CORE, "Offset in bytes of the start of the reference" =>
        |_, link| Value::number(link.exact_span().map(|span| span.start)),
    "end": Nullable Number in CORE, "Offset in bytes of the end of the reference" =>
        |_, link| Value::number(link.exact_span().map(|span| span.end)),
    "reference": Always Bytes in CORE, "The reference as cleaned" =>
        |_, link| Value::uri(link, link.reference),
    "target": Nullable Uri in CORE, "The absolute URI that it resolves to" =>
        |_, link| link.target.map_or(Value::Null, |target| Value::uri(link, target)),
    "base": Nullable SharedUri in CORE, "The base URI that resolution used" =>
        |_, link| link.base.map_or(Value::Null, |base| Value::Bytes(base.uri)),
    "base_source": Nullable Name in CORE, "The source of the base, by the layers of RFC 2396 section 5.1" =>
        |_, link| Value::text(link.base.map(|base| base.label)),
    "context": Always Name in CORE, "The syntax that surrounds the reference" =>
        |_, link| Value::Plain(link.context.name().as_bytes()),
    "element": Nullable Name in CORE, "The element, in lower case" =>
        |_, link| Value::text(link.element),
    "attribute": Nullable Name in CORE, "The attribute or the header field, in lower case" =>
        |_, link| Value::text(link.attribute),
    "flags": Always Names in CORE, "Changes to the reference, and its peculiarities" =>
        |_, link| Value::Flags(link.flags),
    "error": Appended Name in CORE, "Why there is no target" =>
        |_, link| match link.target {
            // The flag `template` says it.
            Ok(_) | Err(ResolveErrorKind::Template) => Value::Null,
            Err(kind) => Value::Plain(kind.name().as_bytes()),
        },
    "alternatives": Appended ByteLists in CORE, "Other readings, best first" =>
        |_, link| match link.alternatives {
            [] => Value::Null,
            alternatives => Value::List(alternatives),
        },
    "loc": Appended Name in MEMBERS,
        "`part`: start and end are offsets in the decoded part; `object`: they are the span of an object of the file" =>
        |_, link| match link.member {
            _ if link.flags.contains(Flags::OBJECT) => Value::Plain(b"object"),
            Some(_) => Value::Plain(b"part"),
            None => Value::Null,
        },
    "path_bytes": Appended Bytes in CORE, "The bytes of a path that is not UTF-8, in base64" =>
        |path, _| if path.is_utf8 { Value::Null } else { Value::Base64(path.path()) },
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
    "unwrapped_from": Requested Uri in MAIL,
        "The link of a gateway that the target was inside, as it resolved, with --unwrap" =>
        |_, link| link.unwrapped_from.map_or(Value::Null, Value::Bytes),
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
    "warc_date": Member Time in WEB, "The date of the retrieval, in UTC; as written in JSON" =>
        |_, link| Value::text(record(link).warc_date),
    "message_date": Mail Time in MAIL, "The date of the message in UTC (RFC 3339), null if unreadable" =>
        |_, link| envelope(link, |envelope| &envelope.date),
    "message_from": Mail Name in MAIL, "The address of the sender of the message" =>
        |_, link| envelope(link, |envelope| &envelope.from),
    "message_subject": Mail Name in MAIL, "The subject of the message, decoded, at most 512 bytes" =>
        |_, link| envelope(link, |envelope| &envelope.subject),
    "text": Described Text in NOWHERE,
        "The text that a reader sees of the link, at most 128 characters; null except for `a` and `area`" =>
        |_, link| Value::text(description(link).text),
    "rel": Described Names in NOWHERE, "The link types, in lower case; null without the attribute" =>
        |_, link| description(link).rel.map_or(Value::Null, Value::Words),
    "hreflang": Described Name in NOWHERE, "The language of the target, as written" =>
        |_, link| Value::text(description(link).hreflang),
    "title": Described Text in NOWHERE, "The advisory text of the element" =>
        |_, link| Value::text(description(link).title),
    "date_source": Message Name in MAIL,
        "What gave message_date: date (as RFC 5322 has it), iso8601, or from-line (the separator of a mailbox)" =>
        |_, link| {
            let source = link.part.envelope.and_then(|envelope| envelope.date_source);
            source.map_or(Value::Null, |source| Value::Plain(source.as_bytes()))
        },
    "from_name": Message Name in MAIL, "The name of the sender of the message, decoded" =>
        |_, link| envelope(link, |envelope| &envelope.from_name),
    "reply_to": Message Name in MAIL, "The first address that replies go to" =>
        |_, link| envelope(link, |envelope| &envelope.reply_to),
    "message_to": Message Names in MAIL, "The addresses of the recipients of the message" =>
        |_, link| texts(link, |envelope| &envelope.to),
    "message_cc": Message Names in MAIL, "The addresses of those who get a copy of the message" =>
        |_, link| texts(link, |envelope| &envelope.cc),
    "in_reply_to": Message Name in MAIL, "The identifier of the message that this one answers" =>
        |_, link| envelope(link, |envelope| &envelope.in_reply_to),
    "references_id": Message Names in MAIL,
        "The identifiers of the first and of the last message that this one refers to" =>
        |_, link| texts(link, |envelope| &envelope.references),
    "list_id": Message Name in MAIL, "The identifier of the mailing list (RFC 2919)" =>
        |_, link| envelope(link, |envelope| &envelope.list_id),
    "labels": Message Names in MAIL, "The labels of the message (X-Gmail-Labels)" =>
        |_, link| texts(link, |envelope| &envelope.labels),
    "filename": Message Name in MAIL, "The file name of the part" =>
        |_, link| Value::text(link.part.filename),
    "disposition": Message Name in MAIL, "The disposition of the part: inline or attachment" =>
        |_, link| Value::text(link.part.disposition),
    "host": Requested Name in EXTRA, "The host of the target, in lower case, with A-labels" =>
        |_, link| host_of(target(link), valid_host),
    "host_rev": Requested Name in EXTRA, "The labels of the host in reverse order" =>
        |_, link| host_of(target(link), reversed_host),
    "scheme": Requested Name in EXTRA, "The scheme of the target, in lower case" =>
        |_, link| {
            let lower = |scheme: &[u8]| Some(String::from_utf8_lossy(scheme).to_ascii_lowercase());
            let scheme = Reference::split(target(link)).scheme;
            scheme.map_or(Value::Null, |scheme| Value::Formed(scheme, lower))
        },
    "registered_domain": Requested Name in EXTRA,
        "The domain under a public suffix that the host of the target is, or belongs to" =>
        |_, link| host_of(target(link), registered_domain),
    "surt": Requested Text in EXTRA, "The key of the target in indexes of web archives" =>
        |_, link| link.target.map_or(Value::Null, |target| Value::Formed(target, |uri| Some(surt(uri)))),
    "page_host": Requested Name in EXTRA, "The host of target_uri" =>
        |_, link| host_of(page(link), valid_host),
    "page_host_rev": Requested Name in EXTRA, "The labels of that host in reverse order" =>
        |_, link| host_of(page(link), reversed_host),
    "content_language": Requested Name in WEB, "The language of the response, as its header has it" =>
        |_, link| Value::text(record(link).content_language),
    "reference_text": Requested Text in EXTRA, "The reference as text: invalid UTF-8 is U+FFFD" =>
        |_, link| Value::uri(link, link.reference),
    "page_domain": Requested Name in EXTRA, "The registered domain of page_host" =>
        |_, link| host_of(page(link), registered_domain),
};

/// Columns that only tables have, after the keys of the record.
pub(crate) static TABLE_FIELDS: &[RecordField] = fields! {
    "target_bytes": Appended Bytes in CORE, "The bytes of a target that is not UTF-8, in base64" =>
        |_, link| match link.target {
            Ok(target) if !link.is_plain && !is_ascii(target) && std::str::from_utf8(target).is_err() => {
                Value::Base64(target)
            }
            _ => Value::Null,
        },
};

/// The keys of the record of a document, a message or a record of a web archive (`uriscan records`).
pub(crate) static RECORD_FIELDS: &[RecordField] = fields! {
    "path": Always Name in CORE, "The file, as reached from the arguments; `-` is standard input" =>
        |path, _| Value::Bytes(path.path()),
    "member": Nullable Name in CORE, "The enclosed document" =>
        |_, link| Value::text(link.member),
    "offset": Nullable Number in CORE,
        "Offset in bytes of the message or record in the file, or of the compressed member that holds it" =>
        |_, link| Value::number(link.part.member_offset.or(link.part.message_offset)),
    "length": Nullable Number in CORE, "The number of bytes there; null for messages that are compressed" =>
        |_, link| Value::number(link.part.member_length),
    "target_uri": Nullable SharedUri in CORE, "The URI that the record was retrieved from" =>
        |_, link| Value::text(record(link).target_uri),
    "status": Nullable Number in CORE, "The status code of the response" =>
        |_, link| Value::number(record(link).http_status.map(u64::from)),
    "media_type": Nullable Name in CORE, "The media type" =>
        |path, link| Value::text(record(link).content_type.or(link.part.media_type).or(path.facts.media_type)),
    "charset": Nullable Name in CORE, "The charset, as declared" =>
        |_, link| {
            let of_web = || content_type(record(link).content_type?.as_bytes()).1.into();
            let declared = link.part.charset.map(str::as_bytes).or_else(of_web);
            declared.filter(|label| !label.is_empty()).map_or(Value::Null, Value::Bytes)
        },
    "date": Nullable Time in CORE, "The date of the retrieval, or of the message in UTC" =>
        |_, link| match record(link).warc_date {
            Some(date) => Value::Bytes(date.as_bytes()),
            None => envelope(link, |envelope| &envelope.date),
        },
    "digest": Nullable Text in CORE, "The digest of the payload, as written" =>
        |_, link| Value::text(record(link).payload_digest),
    "title": Nullable Text in CORE, "The subject of the message, or the title of the page, at most 128 characters" =>
        |path, link| match envelope(link, |envelope| &envelope.subject) {
            Value::Null => Value::text(path.facts.title.as_deref()),
            subject => subject,
        },
    "message_id": Nullable Name in CORE, "The identifier of the message" =>
        |_, link| Value::text(link.part.message_id),
    "list_id": Nullable Name in CORE, "The identifier of the mailing list (RFC 2919)" =>
        |_, link| envelope(link, |envelope| &envelope.list_id),
    "from": Nullable Name in CORE, "The address of the sender" =>
        |_, link| envelope(link, |envelope| &envelope.from),
    "links": Always Number in CORE, "The number of links" =>
        |path, _| Value::Number(path.facts.links),
    "bytes": Nullable Number in CORE, "The number of bytes that were read" =>
        |path, _| Value::number(path.facts.bytes),
    "skipped": Nullable Text in CORE, "Why it was not read" =>
        |path, _| Value::text(path.facts.skipped.as_deref()),
    "error": Nullable Text in CORE, "Why it was not read to its end" =>
        |path, _| Value::text(path.facts.error.as_deref()),
    "warc_type": Nullable Name in WEB, "The type of the record" =>
        |_, link| Value::text(record(link).warc_type),
    "record_id": Nullable Name in WEB, "The identifier of the record" =>
        |_, link| Value::text(record(link).id),
    "path_bytes": Appended Bytes in CORE, "The bytes of a path that is not UTF-8, in base64" =>
        |path, _| if path.is_utf8 { Value::Null } else { Value::Base64(path.path()) },
};

/// The keys of `uriscan targets`; the address is the target of the link.
pub(crate) static TARGET_FIELDS: &[RecordField] = fields! {
    "kind": Always Name in CORE,
        "page for the canonical address of a page, spelling for another one, id, or redirect" =>
        |path, _| Value::Plain(path.facts.address.kind.as_bytes()),
    "target": Always Uri in CORE, "The address: a URI, or a path from the root of a site without one" =>
        |_, link| Value::Bytes(target(link)),
    "page": Nullable SharedUri in CORE, "The canonical address of the page; null for a redirect" =>
        |path, _| Value::bytes(path.facts.address.page.as_deref()),
    "id": Nullable Text in CORE, "The id of a place in the page" =>
        |path, _| Value::bytes(path.facts.address.id.as_deref()),
    "path": Always Name in CORE, "The file of the page, or of the redirect" =>
        |path, _| Value::Bytes(path.path()),
    "destination": Nullable Uri in CORE, "The address that a redirect answers with" =>
        |path, _| Value::bytes(path.facts.address.destination.as_deref()),
};

/// Returns the keys of `uriscan records`: those that are named, or else all.
pub(crate) fn record_fields(choices: &[ColumnChoice]) -> Result<FieldList, String> {
    let mut chosen = Vec::new();
    for choice in choices {
        if let ColumnChoice::Field(RecordField { name, .. }) = choice {
            let known = RECORD_FIELDS.iter().find(|field| field.name == *name);
            chosen.push(known.ok_or_else(|| format!("records have no {name}"))?);
        }
    }
    if chosen.is_empty() {
        chosen.extend(RECORD_FIELDS);
    }
    Ok(chosen)
}

fn target<'a>(link: &Link<'a>) -> &'a [u8] {
    link.target.unwrap_or_default()
}

/// Returns the URI of the page that has a link, in web archives.
fn page<'a>(link: &Link<'a>) -> &'a [u8] {
    record(link).target_uri.unwrap_or_default().as_bytes()
}

fn host_of<'a>(uri: &'a [u8], form: fn(&[u8]) -> Option<String>) -> Value<'a> {
    let host = Reference::split(uri).authority.map(host);
    host.map_or(Value::Null, |host| Value::Formed(host, form))
}

fn envelope<'a>(link: &Link<'a>, field: fn(&Envelope) -> &Option<String>) -> Value<'a> {
    let envelope = link.part.envelope;
    Value::text(envelope.and_then(|envelope| field(envelope).as_deref()))
}

fn texts<'a>(link: &Link<'a>, field: fn(&Envelope) -> &Vec<String>) -> Value<'a> {
    match link.part.envelope.map(field) {
        Some(texts) if !texts.is_empty() => Value::Texts(texts),
        _ => Value::Null,
    }
}

fn description<'a>(link: &Link<'a>) -> LinkDescription<&'a str> {
    link.description.unwrap_or_default()
}

fn record<'a>(link: &Link<'a>) -> WebRecord<&'a str> {
    link.part.record.copied().unwrap_or_default()
}

/// Returns the keys that are shown without further options.
pub(crate) fn default_fields() -> impl Iterator<Item = &'static RecordField> {
    FIELDS.iter().filter(|field| !field.is_requested())
}

/// All keys, and the columns that only tables have.
pub(crate) fn all_fields() -> impl Iterator<Item = &'static RecordField> {
    FIELDS.iter().chain(TABLE_FIELDS)
}

/// What `--columns` lists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ColumnChoice {
    Set(ColumnSet),
    Field(&'static RecordField),
}

impl ColumnChoice {
    /// Returns the set or the key of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let set = ColumnSet::ALL.iter().find(|set| set.name() == name);
        let set = set.map(|&set| ColumnChoice::Set(set));
        set.or_else(|| RecordField::named(name).map(ColumnChoice::Field))
    }
}

/// Returns the chosen columns, each once, by default [`ColumnSet::Core`].
pub(crate) fn chosen_fields(choices: &[ColumnChoice], described: bool) -> FieldList {
    let core = [ColumnChoice::Set(ColumnSet::Core)];
    let choices = [choices, &core][usize::from(choices.is_empty())];
    let fields = choices.iter().flat_map(|choice| match choice {
        ColumnChoice::Set(set) => table_fields(*set, described),
        ColumnChoice::Field(field) => vec![*field],
    });
    let mut seen = HashSet::new();
    fields.filter(|field| seen.insert(field.name)).collect()
}

/// Returns the columns of a set, with the descriptions of links in markup if `described`.
pub(crate) fn table_fields(set: ColumnSet, described: bool) -> FieldList {
    let is_wanted =
        |field: &&RecordField| field.sets.contains(&set) || described && field.needs_description();
    all_fields().filter(is_wanted).collect()
}

impl RecordField {
    /// Returns whether only documents, messages and records have the key, and no link.
    pub(crate) fn is_of_record(&self) -> bool {
        RECORD_FIELDS.iter().any(|field| std::ptr::eq(field, self))
    }

    pub(crate) fn is_nullable(&self) -> bool {
        self.presence != FieldPresence::Always
    }

    pub(crate) fn is_core(&self) -> bool {
        use FieldPresence::{Always, Nullable};
        matches!(self.presence, Always | Nullable)
    }

    /// Returns the field of a name.
    ///
    /// ```
    /// use uriscan::output::field::RecordField;
    /// assert!(RecordField::named("target").is_some());
    /// ```
    pub fn named(name: &str) -> Option<&'static RecordField> {
        let mut fields = all_fields().chain(RECORD_FIELDS);
        fields.find(|field| field.name == name)
    }

    /// Returns whether records have the key only where the layout names it; it may be null.
    pub(crate) fn is_requested(&self) -> bool {
        use FieldPresence::{Described, Message, Requested};
        matches!(self.presence, Described | Message | Requested)
    }

    /// Returns which links have the same value.
    pub(super) fn scope(&self) -> ValueScope {
        use ColumnKind::{Bytes, Number, Uri};
        use FieldPresence::{Always, Appended, Mail, Member, Nullable};
        let is_of_links = FIELDS.iter().any(|field| std::ptr::eq(field, self));
        match self.presence {
            Mail | Member => ValueScope::Member,
            Appended if is_of_links => ValueScope::Shared,
            Always | Nullable if is_of_links => match self.column {
                Number | Uri | Bytes => ValueScope::Link,
                _ => ValueScope::Shared,
            },
            _ => ValueScope::Link,
        }
    }

    /// Returns whether the value depends on line numbers, which take a pass over the document.
    pub(crate) fn needs_position(&self) -> bool {
        matches!(self.name, "line" | "column")
    }

    /// Returns whether the value depends on the envelopes of messages, which are read on demand.
    pub(crate) fn needs_envelope(&self) -> bool {
        matches!(self.presence, FieldPresence::Mail | FieldPresence::Message)
    }

    /// Returns whether the value depends on more of a message than its date, sender and subject.
    pub(crate) fn needs_message(&self) -> bool {
        self.presence == FieldPresence::Message
    }

    /// Returns whether the value depends on descriptions in markup, which are read on demand.
    pub(crate) fn needs_description(&self) -> bool {
        self.presence == FieldPresence::Described
    }
}
