//! What is wrong with a reference, and where.

use std::{error, fmt};

use super::component::Component;
use crate::bytes::class::ByteSet;

/// The leftmost fault of a reference.
///
/// ```
/// use uriscan::uri::{Component, Grammar, validate};
///
/// let fault = validate(b"http://example.com/a b", Grammar::Rfc3986).unwrap_err();
/// assert_eq!((fault.component(), fault.at()), (Component::Path, 20));
/// assert_eq!(fault.to_string(), "path at byte 20: a space cannot stand here, only %20");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    component: Component,
    at: usize,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// This byte cannot stand there.
    Byte(u8),
    /// A percent sign without two hexadecimal digits.
    Triplet,
    /// A rule of its own.
    Sentence(&'static str),
}

impl Fault {
    pub(crate) const fn new(component: Component, at: usize, sentence: &'static str) -> Self {
        Self {
            component,
            at,
            reason: Reason::Sentence(sentence),
        }
    }

    /// The component at fault.
    #[must_use]
    pub fn component(&self) -> Component {
        self.component
    }

    /// The index of the byte at fault, or where something is missing.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// A sentence that says what is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> String {
        match self.reason {
            Reason::Byte(b' ') => "a space cannot stand here, only %20".to_owned(),
            Reason::Byte(byte @ b'!'..=b'~') => {
                format!("`{}` cannot stand here, only %{byte:02X}", char::from(byte))
            }
            Reason::Byte(byte @ 0x80..) => {
                format!("only ASCII can stand here: the byte 0x{byte:02X} is written %{byte:02X}")
            }
            Reason::Byte(byte) => format!("the control character 0x{byte:02X} cannot stand here"),
            Reason::Triplet => "`%` needs two hexadecimal digits after it".to_owned(),
            Reason::Sentence(sentence) => sentence.to_owned(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} at byte {}: {}",
            self.component,
            self.at,
            self.message()
        )
    }
}

impl error::Error for Fault {}

/// A piece of a reference, and where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentText<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> ComponentText<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// What stands before `index`, and the rest.
    pub(crate) fn split_at(self, index: usize) -> (Self, Self) {
        let (before, after) = self.bytes.split_at(index);
        (
            Self {
                bytes: before,
                at: self.at,
            },
            Self {
                bytes: after,
                at: self.at + index,
            },
        )
    }

    /// What stands before the first of these bytes, and what stands after it.
    pub(crate) fn cut(self, delimiter: u8) -> (Self, Option<Self>) {
        match memchr::memchr(delimiter, self.bytes) {
            Some(index) => (self.split_at(index).0, Some(self.split_at(index + 1).1)),
            None => (self, None),
        }
    }

    /// What stands after a prefix.
    pub(crate) fn strip_prefix(self, prefix: &[u8]) -> Option<Self> {
        self.bytes
            .starts_with(prefix)
            .then(|| self.split_at(prefix.len()).1)
    }

    /// That every byte is in the set or part of a triplet.
    pub(crate) fn check(self, component: Component, set: &ByteSet) -> Result<(), Fault> {
        let mut index = 0;
        while let Some(outside) = set.first_outside(&self.bytes[index..]) {
            index += outside;
            let rest = &self.bytes[index..];
            let reason = match rest {
                [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    index += 3;
                    continue;
                }
                [b'%', ..] => Reason::Triplet,
                _ => Reason::Byte(rest[0]),
            };
            return Err(Fault {
                component,
                at: self.at + index,
                reason,
            });
        }
        Ok(())
    }

    /// A fault at the first byte.
    pub(crate) fn fault(self, component: Component, sentence: &'static str) -> Fault {
        Fault::new(component, self.at, sentence)
    }
}
