//! Counts of links by a key, for `--count-by`.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::quality::RandomState;

use crate::bytes::interner::Interner;
use crate::linker::{Envelope, Link};
use crate::output::DocumentPath;
use crate::uri::{Reference, canonical_host, host, unicode_host};

named! {
    /// The key that links are counted by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CountKey {
        /// The host of the target, with A-labels.
        Host = "host",
        /// The host of the target, with U-labels.
        UnicodeHost = "host",
        /// The scheme of the target.
        Scheme = "scheme",
        /// The target.
        Target = "target",
        /// The path of the file.
        Path = "path",
        /// The rule of a finding; a link has none.
        Rule = "rule",
        /// The identifier of the message.
        Message = "message",
        /// The day of the message, in UTC.
        Date = "date",
        /// The month of the message, in UTC.
        Month = "month",
        /// The address of the sender of the message.
        Sender = "sender",
        /// The identifier of the mailing list.
        List = "list",
        /// The element.
        Element = "element",
        /// The attribute or the header field.
        Attribute = "attribute",
        /// The media type of the part.
        MediaType = "media-type",
    }
}

/// The length of a date, `2006-03-02`.
const DAY: usize = 10;
/// The length of a month, `2006-03`.
const MONTH: usize = 7;

/// Separates the values of several keys, none of which has it.
const SEPARATOR: u8 = 0;

impl CountKey {
    /// Returns the keys; hosts have U-labels if `has_unicode`.
    pub(crate) fn chosen(keys: &[CountKey], has_unicode: bool) -> Vec<CountKey> {
        let chosen = |&key: &CountKey| match key {
            CountKey::Host if has_unicode => CountKey::UnicodeHost,
            other => other,
        };
        keys.iter().map(chosen).collect()
    }

    /// Returns whether links are counted by a field of their message's envelope.
    pub(crate) fn needs_envelope(self) -> bool {
        use CountKey::{Date, List, Month, Sender};
        matches!(self, Date | List | Month | Sender)
    }

    /// Returns whether links are counted by more of a message than its date, sender and subject.
    pub(crate) fn needs_message(self) -> bool {
        self == CountKey::List
    }

    /// Returns the value of a link, or nothing; the reference serves as a missing target.
    pub(crate) fn of<'a>(self, path: &'a DocumentPath, link: &'a Link<'_>) -> Cow<'a, [u8]> {
        let text = |text: Option<&'a str>| text.unwrap_or_default().as_bytes();
        let part = link.part;
        let field = |field: fn(&Envelope) -> Option<&str>| text(part.envelope.and_then(field));
        let date = |length| {
            let date = field(|envelope| envelope.date.as_deref());
            // RFC 3339 section 5.6: the date comes before the time.
            date.get(..length).unwrap_or(date)
        };
        let value = match self {
            CountKey::Path => path.path(),
            CountKey::Message => text(link.part.message_id),
            CountKey::Date => date(DAY),
            CountKey::Month => date(MONTH),
            CountKey::List => field(|envelope| envelope.list_id.as_deref()),
            CountKey::Attribute => text(link.attribute),
            CountKey::MediaType => text(part.media_type),
            CountKey::Sender => field(|envelope| envelope.from.as_deref()),
            CountKey::Element => text(link.element),
            CountKey::Rule => b"",
            CountKey::Host | CountKey::UnicodeHost | CountKey::Scheme | CountKey::Target => {
                return self.of_uri(link.target.unwrap_or(link.reference));
            }
        };
        Cow::Borrowed(value)
    }

    fn of_uri(self, uri: &[u8]) -> Cow<'_, [u8]> {
        let parts = Reference::split(uri);
        match self {
            CountKey::Target => return uri.into(),
            CountKey::Scheme => return parts.scheme.unwrap_or_default().into(),
            _ => {}
        }
        let host = canonical_host(host(parts.authority.unwrap_or_default()));
        match parts.scheme {
            // Without a host the scheme, such as `mailto:`, says more.
            Some(scheme) if host.is_empty() => uri[..scheme.len() + 1].into(),
            _ if self == CountKey::UnicodeHost => unicode_host(&host).into_owned().into(),
            _ => host,
        }
    }
}

/// Returns values with NULs between them.
pub(crate) fn joined<'a>(mut parts: impl ExactSizeIterator<Item = Cow<'a, [u8]>>) -> Cow<'a, [u8]> {
    match parts.len() {
        1 => parts.next().unwrap_or_default(),
        _ => Cow::Owned(parts.collect::<Vec<_>>().join(&SEPARATOR)),
    }
}

/// Returns the values of several keys.
pub(crate) fn split<'a>(keys: &[CountKey], values: &'a [u8]) -> Vec<&'a [u8]> {
    let values = values.splitn(keys.len(), |&byte| byte == SEPARATOR);
    values.collect()
}

/// The number of links with each value, which takes its bytes and 21 to 28 more. In several parts, because a
/// table takes twice its size while it grows, and only one of them grows at a time.
#[derive(Debug, Default)]
pub(crate) struct KeyCounts {
    hasher: RandomState,
    parts: Vec<Part>,
}

/// The number of parts: a power of two.
const PARTS: usize = 64;

#[derive(Debug, Default)]
struct Part {
    values: Interner,
    counts: Vec<u64>,
}

impl KeyCounts {
    pub(crate) fn count(&mut self, value: &[u8]) {
        self.add(value, 1);
    }

    fn add(&mut self, value: &[u8], count: u64) {
        if self.parts.is_empty() {
            self.parts.resize_with(PARTS, Part::default);
        }
        let part = &mut self.parts[self.hasher.hash_one(value) as usize % PARTS];
        let number = part.values.add(value) as usize;
        if number == part.counts.len() {
            part.counts.push(0);
        }
        part.counts[number] += count;
    }

    pub(crate) fn merge(&mut self, other: KeyCounts) {
        if self.parts.is_empty() {
            *self = other;
            return;
        }
        // Frees each part before the next one is added.
        for Part { values, counts } in other.parts {
            for (number, count) in (0..).zip(counts) {
                self.add(values.name(number), count);
            }
        }
    }

    /// Calls `take` with each value, or `most` of them, and its number: from the most frequent, then in the order of the values.
    pub(crate) fn rows<E>(
        mut self,
        most: Option<usize>,
        mut take: impl FnMut(&[u8], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (at, part) in (0..).zip(&mut self.parts) {
            part.values.close();
            order.extend((0..part.counts.len() as u32).map(|number| (at, number)));
        }
        let row = |&(at, number): &(u32, u32)| {
            let part = &self.parts[at as usize];
            (part.values.name(number), part.counts[number as usize])
        };
        order.sort_unstable_by(|one, other| {
            let ((key, count), (other, others)) = (row(one), row(other));
            others.cmp(&count).then_with(|| key.cmp(other))
        });
        let mut rows = order.iter().map(row).take(most.unwrap_or(usize::MAX));
        rows.try_for_each(|(value, count)| take(value, count))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/tally.rs"]
mod tests;
