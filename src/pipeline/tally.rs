//! Counts of links by a key, for `--count-by`.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::linker::{Envelope, Link};
use crate::output::DocumentPath;
use crate::uri::{Reference, canonical_host, host, unicode_host};

/// The key that links are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountKey {
    /// The host of the target, with A-labels.
    Host,
    /// The host of the target, with U-labels.
    UnicodeHost,
    /// The scheme of the target.
    Scheme,
    /// The target.
    Target,
    /// The path of the file.
    Path,
    /// The identifier of the message.
    Message,
    /// The day of the message, in UTC.
    Date,
    /// The month of the message, in UTC.
    Month,
    /// The address of the sender of the message.
    Sender,
    /// The identifier of the mailing list.
    List,
    /// The element.
    Element,
    /// The attribute or the header field.
    Attribute,
    /// The media type of the part.
    MediaType,
    /// The rule of a finding; a link has none.
    Rule,
}

/// The length of a date, `2006-03-02`.
const DAY: usize = 10;
/// The length of a month, `2006-03`.
const MONTH: usize = 7;

/// Separates the values of several keys, none of which has it.
const SEPARATOR: u8 = 0;

impl CountKey {
    /// Every key with its name on the command line.
    pub(crate) const NAMES: &'static [(CountKey, &'static str)] = &[
        (CountKey::Host, "host"),
        (CountKey::Scheme, "scheme"),
        (CountKey::Target, "target"),
        (CountKey::Path, "path"),
        (CountKey::Rule, "rule"),
        (CountKey::Message, "message"),
        (CountKey::Date, "date"),
        (CountKey::Month, "month"),
        (CountKey::Sender, "sender"),
        (CountKey::List, "list"),
        (CountKey::Element, "element"),
        (CountKey::Attribute, "attribute"),
        (CountKey::MediaType, "media-type"),
    ];

    /// Returns the key of a name.
    ///
    /// ```
    /// use uriscan::pipeline::tally::CountKey;
    /// assert_eq!(CountKey::named("host"), Some(CountKey::Host));
    /// ```
    pub fn named(name: &str) -> Option<CountKey> {
        let row = Self::NAMES.iter().find(|(_, known)| *known == name);
        row.map(|(key, _)| *key)
    }

    /// Returns the name on the command line and in records.
    pub(crate) fn name(self) -> &'static str {
        let row = Self::NAMES.iter().find(|(key, _)| *key == self);
        // The other form of a host has the name of the first.
        row.map_or("host", |(_, name)| name)
    }

    /// Returns the key whose hosts have U-labels.
    pub(crate) fn with_unicode(self) -> CountKey {
        match self {
            CountKey::Host => CountKey::UnicodeHost,
            other => other,
        }
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

/// Returns the values of a link, with NULs between those of several keys.
pub(crate) fn joined<'a>(
    keys: &[CountKey],
    path: &'a DocumentPath,
    link: &'a Link<'_>,
) -> Cow<'a, [u8]> {
    if let [key] = keys {
        return key.of(path, link);
    }
    let values = keys.iter().map(|key| key.of(path, link));
    Cow::Owned(values.collect::<Vec<_>>().join(&SEPARATOR))
}

/// Returns the values of several keys.
pub(crate) fn split<'a>(keys: &[CountKey], values: &'a [u8]) -> Vec<&'a [u8]> {
    values
        .splitn(keys.len(), |&byte| byte == SEPARATOR)
        .collect()
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
    bytes: Vec<u8>,
    rows: Vec<TallyRow>,
    /// Indices into `rows`, by the hash of the value.
    index: HashTable<u32>,
}

#[derive(Clone, Copy, Debug)]
struct TallyRow {
    /// The end of the value in `bytes`.
    end: usize,
    count: u64,
}

impl Part {
    fn value(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        &self.bytes[start..self.rows[row].end]
    }

    fn add(&mut self, value: &[u8], count: u64, hasher: &RandomState) {
        let hash = hasher.hash_one(value);
        let found = self
            .index
            .find(hash, |&row| self.value(row as usize) == value);
        if let Some(&row) = found {
            self.rows[row as usize].count += count;
            return;
        }
        // INVARIANT: fewer than 2^32 rows, which take 64 GiB without their values.
        let row = self.rows.len() as u32;
        self.bytes.extend_from_slice(value);
        let end = self.bytes.len();
        self.rows.push(TallyRow { end, count });
        let mut index = std::mem::take(&mut self.index);
        index.insert_unique(hash, row, |&row| hasher.hash_one(self.value(row as usize)));
        self.index = index;
    }
}

impl KeyCounts {
    pub(crate) fn count(&mut self, value: &[u8]) {
        self.add(value, 1);
    }

    fn add(&mut self, value: &[u8], count: u64) {
        if self.parts.is_empty() {
            self.parts.resize_with(PARTS, Part::default);
        }
        // Bits of the hash that the table of a part does not use.
        let part = (self.hasher.hash_one(value) >> 40) as usize % PARTS;
        self.parts[part].add(value, count, &self.hasher);
    }

    pub(crate) fn merge(&mut self, other: KeyCounts) {
        if self.parts.is_empty() {
            *self = other;
            return;
        }
        // Frees each part before the next one is added.
        for part in other.parts {
            for (row, TallyRow { count, .. }) in part.rows.iter().enumerate() {
                self.add(part.value(row), *count);
            }
        }
    }

    /// Calls `take` with each value and its number: from the most frequent, then in the order of the values.
    pub(crate) fn rows<E>(
        mut self,
        mut take: impl FnMut(&[u8], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (number, part) in self.parts.iter_mut().enumerate() {
            part.index = HashTable::new();
            order.extend((0..part.rows.len()).map(|row| (number as u32, row as u32)));
        }
        let row = |&(part, row): &(u32, u32)| {
            let part = &self.parts[part as usize];
            (part.value(row as usize), part.rows[row as usize].count)
        };
        order.sort_unstable_by(|one, other| {
            let ((key, count), (other, others)) = (row(one), row(other));
            others.cmp(&count).then_with(|| key.cmp(other))
        });
        order
            .iter()
            .map(row)
            .try_for_each(|(value, count)| take(value, count))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/tally.rs"]
mod tests;
