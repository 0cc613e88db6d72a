//! The columns of the table of links, one row each, in their order.

use super::super::field::{RecordField, Value};
use super::super::record::DocumentPath;
use crate::resolver::Link;
use crate::uri::{Reference, host};

/// The metadata of the schema: its version, another one where a column that exists changes, and that of
/// the package.
pub(super) const METADATA: [(&str, &str); 2] = [
    ("uriscan.schema", "1"),
    ("uriscan.version", env!("CARGO_PKG_VERSION")),
];

/// A column of the table of links.
#[derive(Debug)]
pub struct Column {
    /// The name: a key of the record of a link, but for columns with a value of their own.
    pub name: &'static str,
    /// The type.
    pub kind: ColumnKind,
    /// Whether each row has a value.
    pub presence: ColumnPresence,
    /// The sets that have the column.
    sets: &'static [ColumnSet],
    /// Where no key of the record has this name: the value for a link of a document.
    own: Option<ValueOf>,
}

/// The number of columns that all tables begin with: from `path` to `alternatives`.
pub(super) const FIRST_COLUMNS: usize = 16;

/// Returns the value of a column for a link of a document.
pub(super) type ValueOf = for<'a> fn(&'a DocumentPath, &'a Link<'a>) -> Value<'a>;

impl Column {
    /// Returns whether only rows whose path or target is not UTF-8 have a value.
    pub(super) fn is_for_bytes(&self) -> bool {
        matches!(self.name, "path_bytes" | "target_bytes")
    }
}

/// The type of a column, and the form of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A number.
    Number,
    /// A time as records have it (RFC 3339), in microseconds since 1970.
    Time,
    /// One of few texts, or of texts that many rows share. Invalid UTF-8 is U+FFFD.
    Name,
    /// Such a text in lower case.
    LowerName,
    /// Such a text in lower case, with its labels in reverse order: `com.example.www`.
    ReversedName,
    /// A URI that many rows share. Bytes that are not UTF-8 are percent-encoded.
    UriName,
    /// Several texts of few.
    Names,
    /// A text. Invalid UTF-8 is U+FFFD.
    Text,
    /// A URI. Bytes that are not UTF-8 are percent-encoded.
    Uri,
    /// Any bytes.
    Bytes,
    /// Several strings of bytes.
    ByteLists,
}

impl ColumnKind {
    /// Returns the name of the Arrow type.
    pub fn type_name(self) -> &'static str {
        match self {
            ColumnKind::Number => "int64",
            ColumnKind::Time => "timestamp[us, UTC]",
            ColumnKind::Name
            | ColumnKind::LowerName
            | ColumnKind::ReversedName
            | ColumnKind::UriName => "dictionary<int32, utf8>",
            ColumnKind::Names => "list<dictionary<int32, utf8>>",
            ColumnKind::Text | ColumnKind::Uri => "utf8",
            ColumnKind::Bytes => "binary",
            ColumnKind::ByteLists => "list<binary>",
        }
    }
}

/// Whether each row of a column has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnPresence {
    /// Each has.
    Always,
    /// Null where unknown.
    Nullable,
}

/// A set of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnSet {
    /// The columns that every link can fill.
    #[default]
    Core,
    /// With the message and the part.
    Mail,
    /// With the record of a web archive.
    Web,
    /// All, and the target's host and scheme.
    All,
    /// With what markup says of links.
    Described,
}

impl ColumnSet {
    /// The sets with their names, as `--columns` takes them.
    pub(crate) const NAMES: [(ColumnSet, &'static str); 4] = [
        (ColumnSet::Core, "core"),
        (ColumnSet::Mail, "mail"),
        (ColumnSet::Web, "web"),
        (ColumnSet::All, "all"),
    ];

    /// Returns the set of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let row = Self::NAMES.iter().find(|(_, known)| *known == name);
        row.map(|(set, _)| *set)
    }
}

const CORE: &[ColumnSet] = &[
    ColumnSet::Core,
    ColumnSet::Mail,
    ColumnSet::Web,
    ColumnSet::All,
];
const MEMBERS: &[ColumnSet] = &[ColumnSet::Mail, ColumnSet::Web, ColumnSet::All];
const MAIL: &[ColumnSet] = &[ColumnSet::Mail, ColumnSet::All];
const WEB: &[ColumnSet] = &[ColumnSet::Web, ColumnSet::All];
const ALL: &[ColumnSet] = &[ColumnSet::All];
const DESCRIBED: &[ColumnSet] = &[ColumnSet::Described];

macro_rules! column {
    ($name:literal, $kind:ident, $presence:ident, $sets:ident) => {
        column!($name, $kind, $presence, $sets, None)
    };
    ($name:literal, $kind:ident, $presence:ident, $sets:ident, $own:expr) => {
        Column {
            name: $name,
            kind: ColumnKind::$kind,
            presence: ColumnPresence::$presence,
            sets: $sets,
            own: $own,
        }
    };
}

/// All columns, in their order: that of the keys of the record, then those with values of their own.
/// The key `type` has none, since every row is a link.
static COLUMNS: &[Column] = &[
    column!("path", Name, Always, CORE),
    column!("member", Name, Nullable, CORE),
    column!("line", Number, Nullable, CORE),
    column!("column", Number, Nullable, CORE),
    column!("start", Number, Nullable, CORE),
    column!("end", Number, Nullable, CORE),
    column!("reference", Bytes, Always, CORE),
    column!("target", Uri, Nullable, CORE),
    column!("base", UriName, Nullable, CORE),
    column!("base_source", Name, Nullable, CORE),
    column!("context", Name, Always, CORE),
    column!("element", Name, Nullable, CORE),
    column!("attribute", Name, Nullable, CORE),
    column!("flags", Names, Always, CORE),
    column!("error", Name, Nullable, CORE),
    column!("alternatives", ByteLists, Nullable, CORE),
    column!("loc", Name, Nullable, MEMBERS),
    column!("path_bytes", Bytes, Nullable, CORE),
    column!("message_id", Name, Nullable, MAIL),
    column!("message_offset", Number, Nullable, MEMBERS),
    column!("member_offset", Number, Nullable, MEMBERS),
    column!("media_type", Name, Nullable, MAIL),
    column!("charset", Name, Nullable, MAIL),
    column!("target_part", Name, Nullable, MAIL),
    column!("unwrapped", Uri, Nullable, MAIL),
    column!("member_bytes", Bytes, Nullable, MEMBERS),
    column!("member_length", Number, Nullable, WEB),
    column!("record_id", Name, Nullable, WEB),
    column!("target_uri", UriName, Nullable, WEB),
    column!("http_status", Number, Nullable, WEB),
    column!("content_type", Name, Nullable, WEB),
    column!("truncated", Name, Nullable, WEB),
    column!("warc_type", Name, Nullable, WEB),
    column!("warc_date", Name, Nullable, WEB),
    column!("message_date", Time, Nullable, MAIL),
    column!("message_from", Name, Nullable, MAIL),
    column!("message_subject", Name, Nullable, MAIL),
    column!("text", Text, Nullable, DESCRIBED),
    column!("rel", Names, Nullable, DESCRIBED),
    column!("hreflang", Name, Nullable, DESCRIBED),
    column!("title", Text, Nullable, DESCRIBED),
    column!(
        "target_bytes",
        Bytes,
        Nullable,
        CORE,
        Some(|_, link| match link.target {
            Ok(target) if !is_utf8(target) => Value::Bytes(target),
            _ => Value::Null,
        })
    ),
    column!(
        "host",
        LowerName,
        Nullable,
        ALL,
        Some(|_, link| target_host(link))
    ),
    column!(
        "host_rev",
        ReversedName,
        Nullable,
        ALL,
        Some(|_, link| target_host(link))
    ),
    column!(
        "scheme",
        LowerName,
        Nullable,
        ALL,
        Some(|_, link| {
            let target = Reference::split(link.target.unwrap_or_default());
            target.scheme.map_or(Value::Null, Value::Bytes)
        })
    ),
];

/// Returns whether bytes are UTF-8, soon for ASCII of the length of URIs.
///
/// The standard library tests the last bytes of a string one by one; here they are in a chunk that
/// overlaps the one before.
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    const HIGH_BITS: u128 = u128::from_ne_bytes([0x80; 16]);
    let is_ascii = bytes.last_chunk::<16>().is_some_and(|&last| {
        let mut bits = u128::from_ne_bytes(last);
        for &chunk in bytes.as_chunks::<16>().0 {
            bits |= u128::from_ne_bytes(chunk);
        }
        bits & HIGH_BITS == 0
    });
    is_ascii || std::str::from_utf8(bytes).is_ok()
}

/// Returns the host of the target, or null if there is none.
fn target_host<'a>(link: &Link<'a>) -> Value<'a> {
    let target = Reference::split(link.target.unwrap_or_default());
    match host(target.authority.unwrap_or_default()) {
        b"" => Value::Null,
        host => Value::Bytes(host),
    }
}

/// A column, and how its values are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableColumn {
    pub(crate) column: &'static Column,
    /// The key of the record that has the same value.
    pub(crate) field: Option<&'static RecordField>,
    pub(super) value: ValueOf,
}

/// Returns the columns of a set, with what markup says of links if that is asked for.
pub(crate) fn columns(set: ColumnSet, described: bool) -> Vec<TableColumn> {
    let is_wanted = |column: &&Column| {
        column.sets.contains(&set) || described && column.sets.contains(&ColumnSet::Described)
    };
    let found = |column: &'static Column| {
        let field = RecordField::named(column.name);
        let value = column.own.or(field.map(|field| field.value))?;
        Some(TableColumn {
            column,
            field,
            value,
        })
    };
    COLUMNS.iter().filter(is_wanted).filter_map(found).collect()
}

/// Appends the names of columns with their types, one a line, and then the metadata of the schema.
pub(crate) fn push_schema(columns: &[TableColumn], out: &mut Vec<u8>) {
    for TableColumn { column, .. } in columns {
        let (name, kind) = (column.name, column.kind.type_name());
        let presence = match column.presence {
            ColumnPresence::Always => " not null",
            ColumnPresence::Nullable => "",
        };
        out.extend_from_slice(format!("{name}: {kind}{presence}\n").as_bytes());
    }
    for (key, value) in METADATA {
        out.extend_from_slice(format!("{key}={value}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::field::FIELDS;
    use super::*;

    #[test]
    fn every_key_but_the_type_has_a_column_in_the_order_of_the_record() {
        let keys = FIELDS.iter().map(|field| field.name);
        let keys: Vec<_> = keys.filter(|name| *name != "type").collect();
        let names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names[..keys.len()], keys);
        assert!(
            COLUMNS[keys.len()..]
                .iter()
                .all(|column| column.own.is_some())
        );
        assert_eq!(columns(ColumnSet::All, true).len(), COLUMNS.len());
        let core = columns(ColumnSet::Core, false);
        let core: Vec<_> = core.iter().map(|column| column.column.name).collect();
        assert_eq!(core[..FIRST_COLUMNS], names[..FIRST_COLUMNS]);
        assert_eq!(core[FIRST_COLUMNS - 1], "alternatives");
    }

    #[test]
    fn any_byte_that_is_not_utf_8_is_found() {
        for length in 0..50 {
            let text = vec![b'x'; length];
            assert!(is_utf8(&text), "{length}");
            for at in 0..length {
                let mut bytes = text.clone();
                bytes[at] = 0xe4;
                assert!(!is_utf8(&bytes), "{at} of {length}");
            }
        }
        assert!(is_utf8("http://example.com/ä/ö/ü".as_bytes()));
    }
}
