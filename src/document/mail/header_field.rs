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
            Self::None => false,
            Self::Date | Self::From | Self::Subject | Self::Separator => options.envelope,
            property if property as usize > Self::Separator as usize => options.message_fields,
            _ => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderField {
    pub(super) syntax: FieldSyntax,
    pub(super) property: EntityProperty,
}

/// The fields that are known, with their names as most mailers write them.
#[rustfmt::skip]
static FIELDS: &[(FieldSyntax, EntityProperty, &[&str])] = {
    use EntityProperty as Property;
    use FieldSyntax::*;
    &[
        // RFC 2369, RFC 5064.
        (Brackets, Property::None, &["List-Help", "List-Unsubscribe", "List-Subscribe", "List-Post"]),
        (Brackets, Property::None, &["List-Owner", "List-Archive", "Archived-At", "X-Archived-At"]),
        (Ignored, Property::ListId, &["List-ID"]),
        (FreeText, Property::None, &["Comments", "Organization", "OpenPGP"]),
        (FreeText, Property::None, &["X-URL", "X-Homepage", "Link"]),
        // RFC 5322 section 3.6.
        (FreeText, Property::Subject, &["Subject"]),
        (OtherText, Property::Date, &["Date"]),
        (OtherText, Property::From, &["From"]),
        (OtherText, Property::To, &["To"]),
        (OtherText, Property::Cc, &["Cc"]),
        (OtherText, Property::ReplyTo, &["Reply-To"]),
        (OtherText, Property::Labels, &["X-Gmail-Labels"]),
        // Identifiers of messages and groups.
        (MessageIds, Property::MessageId, &["Message-ID"]),
        (MessageIds, Property::References, &["References"]),
        (MessageIds, Property::InReplyTo, &["In-Reply-To"]),
        (MessageIds, Property::None, &["Supersedes"]),
        (Groups, Property::None, &["Newsgroups", "Followup-To"]),
        (GroupPositions, Property::None, &["Xref"]),
        // The type, the bases and the labels of an entity (RFC 2045, 2557, 2110).
        (Ignored, Property::Type, &["Content-Type"]),
        (Ignored, Property::Transfer, &["Content-Transfer-Encoding"]),
        (OtherText, Property::Disposition, &["Content-Disposition"]),
        (Ignored, Property::Location, &["Content-Location"]),
        (Ignored, Property::Base, &["Content-Base"]),
        (Ignored, Property::Snapshot, &["Snapshot-Content-Location"]),
        (Ignored, Property::ContentId, &["Content-ID"]),
        (Ignored, Property::Length, &["Content-Length"]),
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
        let known = known.as_bytes();
        if known == name || known.eq_ignore_ascii_case(name) {
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
