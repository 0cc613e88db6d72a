//! Which header fields hold URIs, and how: one row each.

use crate::document::mail::Headers;

/// How a field's value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldSyntax {
    /// URIs in angle brackets, between comments and commas (RFC 2369, RFC 5064).
    Brackets,
    /// Free text, by the rules for text.
    FreeText,
    /// Message identifiers, as `mid:` (RFC 2392).
    MessageIds,
    /// Names of news groups, as `news:`.
    Groups,
    /// Places of a message in news groups.
    Places,
    /// Never reported.
    Nothing,
}

/// What the field tells about the entity itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityField {
    Nothing,
    Type,
    Transfer,
    Disposition,
    Location,
    Base,
    Snapshot,
    ContentId,
    MessageId,
    Length,
    Date,
    From,
    Subject,
}

impl EntityField {
    /// Whether the entity notes it; `envelope`: the date, the sender and the subject, too.
    pub(super) fn is_wanted(self, envelope: bool) -> bool {
        match self {
            EntityField::Nothing => false,
            EntityField::Date | EntityField::From | EntityField::Subject => envelope,
            _ => true,
        }
    }
}

/// Which choice of header fields includes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reported {
    Known,
    All,
    Ids,
}

/// A header field.
#[derive(Debug)]
pub(super) struct HeaderField {
    /// Its name in lower case.
    pub(super) name: &'static str,
    pub(super) rule: FieldSyntax,
    reported: Reported,
    pub(super) tells: EntityField,
}

const fn row(
    name: &'static str,
    rule: FieldSyntax,
    reported: Reported,
    tells: EntityField,
) -> HeaderField {
    HeaderField {
        name,
        rule,
        reported,
        tells,
    }
}

/// Every field that we know, one row each.
#[rustfmt::skip]
static FIELDS: &[HeaderField] = &[
    // RFC 2369, RFC 5064.
    row("list-help", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-unsubscribe", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-subscribe", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-post", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-owner", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-archive", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("archived-at", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("x-archived-at", FieldSyntax::Brackets, Reported::Known, EntityField::Nothing),
    row("list-id", FieldSyntax::Nothing, Reported::Known, EntityField::Nothing),
    // Free text.
    row("subject", FieldSyntax::FreeText, Reported::Known, EntityField::Subject),
    row("comments", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("organization", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("openpgp", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("x-url", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("x-homepage", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    row("link", FieldSyntax::FreeText, Reported::Known, EntityField::Nothing),
    // Names of messages and groups.
    row("message-id", FieldSyntax::MessageIds, Reported::Ids, EntityField::MessageId),
    row("references", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("in-reply-to", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("supersedes", FieldSyntax::MessageIds, Reported::Ids, EntityField::Nothing),
    row("newsgroups", FieldSyntax::Groups, Reported::Ids, EntityField::Nothing),
    row("followup-to", FieldSyntax::Groups, Reported::Ids, EntityField::Nothing),
    row("xref", FieldSyntax::Places, Reported::Ids, EntityField::Nothing),
    // RFC 5322 section 3.6.
    row("date", FieldSyntax::FreeText, Reported::All, EntityField::Date),
    row("from", FieldSyntax::FreeText, Reported::All, EntityField::From),
    // What the entity is, and its bases and labels (RFC 2045, 2557, 2110).
    row("content-type", FieldSyntax::Nothing, Reported::Known, EntityField::Type),
    row("content-transfer-encoding", FieldSyntax::Nothing, Reported::Known, EntityField::Transfer),
    row("content-disposition", FieldSyntax::FreeText, Reported::All, EntityField::Disposition),
    row("content-location", FieldSyntax::Nothing, Reported::Known, EntityField::Location),
    row("content-base", FieldSyntax::Nothing, Reported::Known, EntityField::Base),
    row("snapshot-content-location", FieldSyntax::Nothing, Reported::Known, EntityField::Snapshot),
    row("content-id", FieldSyntax::Nothing, Reported::Known, EntityField::ContentId),
    row("content-length", FieldSyntax::Nothing, Reported::Known, EntityField::Length),
];

/// Any field that no row names.
pub(super) static OTHER: HeaderField = row(
    "",
    FieldSyntax::FreeText,
    Reported::All,
    EntityField::Nothing,
);

/// The longest name of a row, and one.
const LONGEST: usize = 32;

/// For each length of a name and each first letter, the rows that have them: from the first to
/// behind the last.
static ROWS: [[(u8, u8); 26]; LONGEST] = {
    let mut rows = [[(0, 0); 26]; LONGEST];
    let mut row = 0;
    while row < FIELDS.len() {
        let name = FIELDS[row].name.as_bytes();
        let found = &mut rows[name.len()][(name[0] - b'a') as usize];
        if found.1 == 0 {
            found.0 = row as u8;
        }
        found.1 = row as u8 + 1;
        row += 1;
    }
    rows
};

/// The row of a name, in any case.
pub(super) fn field(name: &[u8]) -> Option<&'static HeaderField> {
    let first = name.first()? | 0x20;
    let letter = usize::from(first.wrapping_sub(b'a'));
    // Trace fields, most of a header, have no rows.
    let &(from, to) = ROWS.get(name.len())?.get(letter)?;
    FIELDS[usize::from(from)..usize::from(to)]
        .iter()
        .find(|field| field.name.as_bytes().eq_ignore_ascii_case(name))
}

impl HeaderField {
    /// Whether references of this field are reported.
    pub(super) fn is_reported(&self, headers: Headers, ids: bool) -> bool {
        match self.reported {
            _ if self.rule == FieldSyntax::Nothing => false,
            Reported::Known => headers != Headers::None,
            Reported::All => headers == Headers::All,
            Reported::Ids => ids,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_lower_case_and_stand_once() {
        for (index, row) in FIELDS.iter().enumerate() {
            assert_eq!(row.name, row.name.to_ascii_lowercase());
            assert!(FIELDS[..index].iter().all(|other| other.name != row.name));
        }
        assert_eq!(field(b"SUBJECT").map(|field| field.name), Some("subject"));
        assert!(field(b"Received").is_none());
    }
}
