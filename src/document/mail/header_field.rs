//! The header fields that are known: their syntax, and the properties that they set (rules M10 and M13).

use super::{Headers, MailOptions};

/// The syntax of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldSyntax {
    /// URIs in angle brackets, between comments and commas (RFC 2369, RFC 5064).
    Brackets,
    /// Free text, which follows the rules for text.
    FreeText,
    OtherText,
    /// Message identifiers, as `mid:` (RFC 2392).
    MessageIds,
    Groups,
    /// Positions of a message in news groups (Xref).
    GroupPositions,
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityProperty {
    None,
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
    Separator,
    ReplyTo,
    To,
    Cc,
    InReplyTo,
    References,
    ListId,
    Labels,
}

impl EntityProperty {
    pub(super) const COUNT: usize = EntityProperty::Labels as usize + 1;

    /// Returns whether the property is kept; fields of the envelope only where the options ask for it.
    pub(super) fn is_wanted(self, options: &MailOptions) -> bool {
        match self {
            EntityProperty::None => false,
            EntityProperty::Date
            | EntityProperty::From
            | EntityProperty::Subject
            | EntityProperty::Separator => options.envelope,
            property if property as usize > EntityProperty::Separator as usize => {
                options.message_fields
            }
            _ => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderField {
    pub(super) syntax: FieldSyntax,
    pub(super) property: EntityProperty,
}

/// The fields that are known, with their names in lower case.
#[rustfmt::skip]
static FIELDS: &[(FieldSyntax, EntityProperty, &[&str])] = {
    use EntityProperty as Property;
    use FieldSyntax::*;
    &[
        // RFC 2369, RFC 5064.
        (Brackets, Property::None, &["list-help", "list-unsubscribe", "list-subscribe", "list-post"]),
        (Brackets, Property::None, &["list-owner", "list-archive", "archived-at", "x-archived-at"]),
        (Ignored, Property::ListId, &["list-id"]),
        (FreeText, Property::None, &["comments", "organization", "openpgp"]),
        (FreeText, Property::None, &["x-url", "x-homepage", "link"]),
        // RFC 5322 section 3.6.
        (FreeText, Property::Subject, &["subject"]),
        (OtherText, Property::Date, &["date"]),
        (OtherText, Property::From, &["from"]),
        (OtherText, Property::To, &["to"]),
        (OtherText, Property::Cc, &["cc"]),
        (OtherText, Property::ReplyTo, &["reply-to"]),
        (OtherText, Property::Labels, &["x-gmail-labels"]),
        // Identifiers of messages and groups.
        (MessageIds, Property::MessageId, &["message-id"]),
        (MessageIds, Property::References, &["references"]),
        (MessageIds, Property::InReplyTo, &["in-reply-to"]),
        (MessageIds, Property::None, &["supersedes"]),
        (Groups, Property::None, &["newsgroups", "followup-to"]),
        (GroupPositions, Property::None, &["xref"]),
        // The type, the bases and the labels of an entity (RFC 2045, 2557, 2110).
        (Ignored, Property::Type, &["content-type"]),
        (Ignored, Property::Transfer, &["content-transfer-encoding"]),
        (OtherText, Property::Disposition, &["content-disposition"]),
        (Ignored, Property::Location, &["content-location"]),
        (Ignored, Property::Base, &["content-base"]),
        (Ignored, Property::Snapshot, &["snapshot-content-location"]),
        (Ignored, Property::ContentId, &["content-id"]),
        (Ignored, Property::Length, &["content-length"]),
    ]
};

pub(super) const SLOT_COUNT: usize = 128;

/// Returns which slots hold names of wanted fields, known or not: most fields are skipped by their hash.
pub(super) fn wanted_fields(options: &MailOptions) -> [bool; SLOT_COUNT] {
    let are_others_wanted = HeaderField::OTHER.is_wanted(options);
    (SLOTS.each_ref()).map(|(_, field)| are_others_wanted || field.is_wanted(options))
}

/// The known names, each in the slot of its hash.
static SLOTS: [(&str, HeaderField); SLOT_COUNT] = {
    let mut slots = [("", HeaderField::OTHER); SLOT_COUNT];
    let mut row = 0;
    while row < FIELDS.len() {
        let (syntax, property, names) = FIELDS[row];
        let mut index = 0;
        while index < names.len() {
            let slot = slot(names[index].as_bytes());
            assert!(slots[slot].0.is_empty(), "two names in one slot");
            slots[slot] = (names[index], HeaderField { syntax, property });
            index += 1;
        }
        row += 1;
    }
    slots
};

/// Hashes the first and the last bytes of a name, in lower case, and its length. The multiplier was found by
/// trial: no two known names share a slot.
pub(super) const fn slot(name: &[u8]) -> usize {
    let (&[first, ..], &[.., before, last]) = (name, name) else {
        return 0;
    };
    let bytes = [first | 0x20, before | 0x20, last | 0x20, name.len() as u8];
    (u32::from_le_bytes(bytes).wrapping_mul(0x9DA4_EF01) >> 25) as usize
}

impl HeaderField {
    const OTHER: Self = HeaderField {
        syntax: FieldSyntax::OtherText,
        property: EntityProperty::None,
    };

    #[inline]
    pub(super) fn named(name: &[u8]) -> Self {
        let (known, field) = &SLOTS[slot(name)];
        let is_same = |(known, &byte)| known == byte | 0x20;
        if known.len() == name.len() && known.bytes().zip(name).all(is_same) {
            *field
        } else {
            Self::OTHER
        }
    }

    pub(super) fn is_wanted(self, options: &MailOptions) -> bool {
        self.property.is_wanted(options) || self.is_reported(options)
    }

    pub(super) fn is_reported(self, options: &MailOptions) -> bool {
        match self.syntax {
            FieldSyntax::Ignored => false,
            FieldSyntax::Brackets | FieldSyntax::FreeText => options.headers != Headers::None,
            FieldSyntax::OtherText => options.headers == Headers::All,
            _ => options.ids,
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/header_field.rs"]
mod tests;
