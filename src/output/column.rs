//! The types of columns in tables of links, and the sets that `--columns` chooses from.

use crate::document::flags::Flags;
use crate::linker::Link;

/// The metadata of the schema of tables: its version, another one where a column that exists changes, and the
/// version of the package.
pub(super) const METADATA: [(&str, &str); 3] = [
    // The public suffix list of `registered_domain`: the version of the crate `psl`, and its date.
    ("uriscan.psl", "2.1.247, 2026-11-05"),
    ("uriscan.schema", "1"),
    ("uriscan.version", env!("CARGO_PKG_VERSION")),
];

/// The type of a column, and the form of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A number.
    Number,
    /// A time as records have it (RFC 3339), in microseconds since 1970.
    Time,
    /// A text. Invalid UTF-8 is U+FFFD.
    Text,
    /// A text that many rows share.
    Name,
    /// A URI. Bytes that are not UTF-8 are percent-encoded.
    Uri,
    /// A URI that many rows share.
    SharedUri,
    /// Any bytes.
    Bytes,
    /// Several texts that many rows share.
    Names,
    /// Several strings of bytes.
    ByteLists,
}

/// The value of a key.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Unknown or not applicable.
    Null,
    /// A number.
    Number(u64),
    /// Printable ASCII that needs no escapes in a string.
    Plain(&'a [u8]),
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
    /// A list of texts.
    Texts(&'a [String]),
    /// A text that is made of bytes; null if it has none.
    Formed(&'a [u8], fn(&[u8]) -> Option<String>),
}

impl<'a> Value<'a> {
    pub(super) fn text(text: Option<&'a str>) -> Self {
        Value::bytes(text.map(str::as_bytes))
    }

    pub(super) fn bytes(bytes: Option<&'a [u8]>) -> Self {
        bytes.map_or(Value::Null, Value::Bytes)
    }

    /// Returns a reference or a target of a link.
    #[inline(always)]
    pub(super) fn uri(link: &Link<'a>, text: &'a [u8]) -> Self {
        if link.is_plain {
            return Value::Plain(text);
        }
        Value::Bytes(text)
    }

    pub(super) fn number(number: Option<u64>) -> Self {
        number.map_or(Value::Null, Value::Number)
    }
}

impl ColumnKind {
    /// Returns whether a dictionary may hold the strings.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, ColumnKind::Name | ColumnKind::SharedUri)
    }

    /// Returns the name of the Arrow type.
    pub(crate) fn type_name(self, has_dictionaries: bool) -> &'static str {
        match self {
            ColumnKind::Number => "int64",
            ColumnKind::Time => "timestamp[us, UTC]",
            ColumnKind::Bytes => "binary",
            ColumnKind::Names => "list<utf8>",
            ColumnKind::ByteLists => "list<binary>",
            _ if self.is_shared() && has_dictionaries => "dictionary<int32, utf8>",
            _ => "utf8",
        }
    }
}

named! {
    /// A set of columns, as `--columns` takes it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ColumnSet {
        /// The columns that every link can fill.
        #[default]
        Core = "core",
        /// With the message and the part.
        Mail = "mail",
        /// With the record of a web archive.
        Web = "web",
        /// All, and the target's host and scheme.
        All = "all",
    }
}

impl ColumnSet {
    /// The sets of a column: in all tables.
    pub(super) const CORE: &'static [Self] = &[Self::Core, Self::Mail, Self::Web, Self::All];
    /// Of messages and of web archives.
    pub(super) const MEMBERS: &'static [Self] = &[Self::Mail, Self::Web, Self::All];
    pub(super) const MAIL: &'static [Self] = &[Self::Mail, Self::All];
    pub(super) const WEB: &'static [Self] = &[Self::Web, Self::All];
    pub(super) const EXTRA: &'static [Self] = &[Self::All];
    /// In no set.
    pub(super) const NOWHERE: &'static [Self] = &[];
}
