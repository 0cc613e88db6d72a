//! What a link's record holds: one row for each key, in the order of the record; and which of it is
//! shown.

use super::escape::Escape;
use super::record::DocumentPath;
use crate::document::flags::Flags;
use crate::resolver::Link;

/// A key of a link's record.
pub struct RecordField {
    /// The key, the column's name, and what `--fields` takes.
    pub name: &'static str,
    /// The key as it stands in JSON behind another.
    pub key: &'static str,
    /// Whether every record has it.
    pub kind: FieldPresence,
    /// What its value may be.
    pub shape: ValueShape,
    /// What it says.
    pub about: &'static str,
    /// Its value.
    pub value: for<'a> fn(&'a DocumentPath, &'a Link<'a>) -> Value<'a>,
}

/// Whether a record always has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPresence {
    /// Always, null where unknown.
    Core,
    /// Only where there is something to say.
    Appended,
    /// In those of mail, null where unknown.
    Mail,
}

/// What a key's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueShape {
    /// Always the name of the record.
    Constant(&'static str),
    /// A string.
    Text,
    /// A string, or null.
    MaybeText,
    /// A number from 0.
    Number,
    /// A number from 0, or null.
    MaybeNumber,
    /// A number with a fraction, or null.
    MaybeFraction,
    /// An array of strings.
    Texts,
    /// A number from 0 for each of several names.
    Counts,
}

/// The value of a key.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Unknown, or it does not apply.
    Null,
    /// A number.
    Number(u64),
    /// A name from a table: it needs no escaping.
    Name(&'static str),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// Bytes that are shown in base64.
    Base64(&'a [u8]),
    /// The names of flags.
    Flags(Flags),
    /// Several texts.
    List(&'a [&'a [u8]]),
}

impl<'a> Value<'a> {
    fn text(text: Option<&'a str>) -> Self {
        text.map_or(Value::Null, |text| Value::Bytes(text.as_bytes()))
    }

    fn number(number: Option<u64>) -> Self {
        number.map_or(Value::Null, Value::Number)
    }
}

macro_rules! field {
    ($name:literal, $kind:ident, $shape:expr, $about:literal, $value:expr) => {
        RecordField {
            name: $name,
            key: concat!(",\"", $name, "\":"),
            kind: FieldPresence::$kind,
            shape: $shape,
            about: $about,
            value: $value,
        }
    };
}

/// Every key, in the order of the record; new ones are only appended.
pub static FIELDS: &[RecordField] = &[
    field!(
        "type",
        Core,
        ValueShape::Constant("link"),
        "The kind of record",
        |_, _| Value::Name("link")
    ),
    field!(
        "path",
        Core,
        ValueShape::Text,
        "The file, as reached from the arguments; `-` is standard input",
        |place, _| Value::Bytes(place.path())
    ),
    field!(
        "member",
        Core,
        ValueShape::MaybeText,
        "The enclosed document: MESSAGE/PART, RECORD/PART, or a file in an archive",
        |_, link| Value::text(link.member)
    ),
    field!(
        "line",
        Core,
        ValueShape::MaybeNumber,
        "The line of start, from 1",
        |_, link| Value::number(line(link))
    ),
    field!(
        "column",
        Core,
        ValueShape::MaybeNumber,
        "The column of start in Unicode scalar values, from 1",
        |_, link| Value::number(column(link))
    ),
    field!(
        "start",
        Core,
        ValueShape::Number,
        "Offset in bytes of the reference",
        |_, link| Value::Number(link.span.start)
    ),
    field!(
        "end",
        Core,
        ValueShape::Number,
        "Offset in bytes behind the reference",
        |_, link| Value::Number(link.span.end)
    ),
    field!(
        "reference",
        Core,
        ValueShape::Text,
        "The reference as cleaned",
        |_, link| Value::Bytes(link.reference)
    ),
    field!(
        "target",
        Core,
        ValueShape::MaybeText,
        "The absolute URI that it resolves to",
        |_, link| link.target.map_or(Value::Null, Value::Bytes)
    ),
    field!(
        "base",
        Core,
        ValueShape::MaybeText,
        "The base URI that resolution used",
        |_, link| link.base.map_or(Value::Null, |(uri, _)| Value::Bytes(uri))
    ),
    field!(
        "base_source",
        Core,
        ValueShape::MaybeText,
        "What named the base, by the layers of RFC 2396 section 5.1",
        |_, link| Value::text(link.base.map(|(_, source)| source))
    ),
    field!(
        "context",
        Core,
        ValueShape::Text,
        "Where the reference stands",
        |_, link| Value::Name(link.context.name())
    ),
    field!(
        "element",
        Core,
        ValueShape::MaybeText,
        "The element, in lower case",
        |_, link| Value::text(link.element)
    ),
    field!(
        "attribute",
        Core,
        ValueShape::MaybeText,
        "The attribute or the header field, in lower case",
        |_, link| Value::text(link.attribute)
    ),
    field!(
        "flags",
        Core,
        ValueShape::Texts,
        "What was done to the reference and what is odd about it",
        |_, link| Value::Flags(link.flags)
    ),
    field!(
        "error",
        Appended,
        ValueShape::Text,
        "Why there is no target",
        |_, link| link
            .target
            .err()
            .map_or(Value::Null, |kind| Value::Name(kind.name()))
    ),
    field!(
        "alternatives",
        Appended,
        ValueShape::Texts,
        "Other readings, best first",
        |_, link| {
            if link.alternatives.is_empty() {
                Value::Null
            } else {
                Value::List(link.alternatives)
            }
        }
    ),
    field!(
        "loc",
        Appended,
        ValueShape::Text,
        "`part`: start and end count the bytes of the decoded part",
        |_, link| link.member.map_or(Value::Null, |_| Value::Name("part"))
    ),
    field!(
        "path_bytes",
        Appended,
        ValueShape::Text,
        "The bytes of a path that is not UTF-8, in base64",
        |place, _| {
            if place.is_utf8() {
                Value::Null
            } else {
                Value::Base64(place.path())
            }
        }
    ),
    field!(
        "message_id",
        Appended,
        ValueShape::Text,
        "The identifier of the message",
        |_, link| Value::text(link.part.message_id)
    ),
    field!(
        "message_offset",
        Appended,
        ValueShape::Number,
        "Offset in bytes of the message in the archive, decompressed",
        |_, link| Value::number(link.part.message_offset)
    ),
    field!(
        "member_offset",
        Appended,
        ValueShape::Number,
        "Offset in bytes of the gzip member or zstd frame in which the message begins",
        |_, link| Value::number(link.part.member_offset)
    ),
    field!(
        "media_type",
        Appended,
        ValueShape::Text,
        "The media type of the part",
        |_, link| Value::text(link.part.media_type)
    ),
    field!(
        "charset",
        Appended,
        ValueShape::Text,
        "The charset of the part, as declared",
        |_, link| Value::text(link.part.charset)
    ),
    field!(
        "target_part",
        Appended,
        ValueShape::Text,
        "The part of the same message that the target names",
        |_, link| Value::text(link.part.target_part)
    ),
    field!(
        "unwrapped",
        Appended,
        ValueShape::Text,
        "The target inside a link that a mail gateway has rewritten, with --unwrap",
        |_, link| link.unwrapped.map_or(Value::Null, Value::Bytes)
    ),
    field!(
        "message_date",
        Mail,
        ValueShape::MaybeText,
        "The date of the message in UTC (RFC 3339), null if unreadable",
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.date))
    ),
    field!(
        "message_from",
        Mail,
        ValueShape::MaybeText,
        "The address of the sender of the message",
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.from))
    ),
    field!(
        "message_subject",
        Mail,
        ValueShape::MaybeText,
        "The subject of the message, decoded, at most 512 bytes",
        |_, link| Value::text(link.part.envelope.and_then(|envelope| envelope.subject))
    ),
];

fn line(link: &Link<'_>) -> Option<u64> {
    link.position.map(|position| position.line)
}

fn column(link: &Link<'_>) -> Option<u64> {
    // Columns count from 1; in header fields there is none.
    let column = link.position.map(|position| position.column);
    column.filter(|&column| column > 0)
}

impl RecordField {
    /// The field of a name.
    ///
    /// ```
    /// use uriscan::output::field::RecordField;
    /// assert!(RecordField::named("target").is_some());
    /// ```
    pub fn named(name: &str) -> Option<&'static RecordField> {
        FIELDS.iter().find(|field| field.name == name)
    }

    /// Whether its value depends on line numbers, which cost a pass over the document.
    pub fn needs_position(&self) -> bool {
        matches!(self.name, "line" | "column")
    }

    /// Whether its value depends on the envelopes of messages, which are read only when asked for.
    pub fn needs_envelope(&self) -> bool {
        self.kind == FieldPresence::Mail
    }
}

/// What a record shows, and how.
#[derive(Clone)]
pub struct Layout {
    /// The keys, in order.
    pub fields: Vec<&'static RecordField>,
    /// What stands before the target in text.
    pub location: LocationPrefix,
    /// What ends a line of text.
    pub terminator: u8,
    /// Text: which characters of paths and targets are escaped.
    pub escape: Escape,
    /// Whether locations in text are coloured.
    pub color: bool,
    /// What becomes of cells that a spreadsheet would take for a formula.
    pub formulas: Formulas,
}

/// What becomes of cells of CSV and TSV that a spreadsheet would take for a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// They stay as they are.
    #[default]
    Keep,
    /// An apostrophe is put in front.
    Protect,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            fields: FIELDS.iter().collect(),
            location: LocationPrefix::default(),
            terminator: b'\n',
            escape: Escape::default(),
            color: false,
            formulas: Formulas::default(),
        }
    }
}

/// What stands before the target in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationPrefix {
    /// The path of the file.
    pub path: bool,
    /// The line and the column.
    pub position: bool,
    /// The offset of the first byte.
    pub offset: bool,
}
