//! Which header fields hold URIs, and how: one row each.

use crate::document::mail::Headers;

/// How a field's value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
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
pub(super) enum Tells {
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

impl Tells {
    /// Whether the entity notes it; `envelope`: the date, the sender and the subject, too.
    pub(super) fn is_wanted(self, envelope: bool) -> bool {
        match self {
            Tells::Nothing => false,
            Tells::Date | Tells::From | Tells::Subject => envelope,
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
pub(super) struct Field {
    /// Its name in lower case.
    pub(super) name: &'static str,
    pub(super) rule: Rule,
    reported: Reported,
    pub(super) tells: Tells,
}

const fn row(name: &'static str, rule: Rule, reported: Reported, tells: Tells) -> Field {
    Field {
        name,
        rule,
        reported,
        tells,
    }
}

/// Every field that we know, one row each.
#[rustfmt::skip]
static FIELDS: &[Field] = &[
    // RFC 2369, RFC 5064.
    row("list-help", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-unsubscribe", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-subscribe", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-post", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-owner", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-archive", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("archived-at", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("x-archived-at", Rule::Brackets, Reported::Known, Tells::Nothing),
    row("list-id", Rule::Nothing, Reported::Known, Tells::Nothing),
    // Free text.
    row("subject", Rule::FreeText, Reported::Known, Tells::Subject),
    row("comments", Rule::FreeText, Reported::Known, Tells::Nothing),
    row("organization", Rule::FreeText, Reported::Known, Tells::Nothing),
    row("openpgp", Rule::FreeText, Reported::Known, Tells::Nothing),
    row("x-url", Rule::FreeText, Reported::Known, Tells::Nothing),
    row("x-homepage", Rule::FreeText, Reported::Known, Tells::Nothing),
    row("link", Rule::FreeText, Reported::Known, Tells::Nothing),
    // Names of messages and groups.
    row("message-id", Rule::MessageIds, Reported::Ids, Tells::MessageId),
    row("references", Rule::MessageIds, Reported::Ids, Tells::Nothing),
    row("in-reply-to", Rule::MessageIds, Reported::Ids, Tells::Nothing),
    row("supersedes", Rule::MessageIds, Reported::Ids, Tells::Nothing),
    row("newsgroups", Rule::Groups, Reported::Ids, Tells::Nothing),
    row("followup-to", Rule::Groups, Reported::Ids, Tells::Nothing),
    row("xref", Rule::Places, Reported::Ids, Tells::Nothing),
    // RFC 5322 section 3.6.
    row("date", Rule::FreeText, Reported::All, Tells::Date),
    row("from", Rule::FreeText, Reported::All, Tells::From),
    // What the entity is, and its bases and labels (RFC 2045, 2557, 2110).
    row("content-type", Rule::Nothing, Reported::Known, Tells::Type),
    row("content-transfer-encoding", Rule::Nothing, Reported::Known, Tells::Transfer),
    row("content-disposition", Rule::FreeText, Reported::All, Tells::Disposition),
    row("content-location", Rule::Nothing, Reported::Known, Tells::Location),
    row("content-base", Rule::Nothing, Reported::Known, Tells::Base),
    row("snapshot-content-location", Rule::Nothing, Reported::Known, Tells::Snapshot),
    row("content-id", Rule::Nothing, Reported::Known, Tells::ContentId),
    row("content-length", Rule::Nothing, Reported::Known, Tells::Length),
];

/// Any field that no row names.
pub(super) static OTHER: Field = row("", Rule::FreeText, Reported::All, Tells::Nothing);

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
pub(super) fn field(name: &[u8]) -> Option<&'static Field> {
    let first = name.first()? | 0x20;
    let letter = usize::from(first.wrapping_sub(b'a'));
    // Trace fields, most of a header, have no rows.
    let &(from, to) = ROWS.get(name.len())?.get(letter)?;
    FIELDS[usize::from(from)..usize::from(to)]
        .iter()
        .find(|field| field.name.as_bytes().eq_ignore_ascii_case(name))
}

impl Field {
    /// Whether references of this field are reported.
    pub(super) fn is_reported(&self, headers: Headers, ids: bool) -> bool {
        match self.reported {
            _ if self.rule == Rule::Nothing => false,
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
