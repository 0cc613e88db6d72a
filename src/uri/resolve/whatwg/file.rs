//! `file:` URLs, WHATWG URL section 4.4: the file, file slash and file host states.

use super::{Component, TargetBuilder, end_of, host};
use crate::uri::resolve::prepared::Prepared;
use crate::uri::resolve::{ReferenceKind, ResolveError};

impl TargetBuilder<'_> {
    /// What follows `file:`, or a whole reference against a `file:` base.
    pub(super) fn file(
        &mut self,
        base: Option<&Prepared>,
        rest: &[u8],
    ) -> Result<ReferenceKind, ResolveError> {
        let base = base.filter(|base| base.scheme() == b"file:");
        let inherited = |kind| {
            if base.is_some() {
                kind
            } else {
                ReferenceKind::Absolute
            }
        };
        match (rest, base) {
            ([b'/' | b'\\', b'/' | b'\\', rest @ ..], _) => {
                self.file_host(rest)?;
                Ok(ReferenceKind::NetworkPath)
            }
            ([b'/' | b'\\', rest @ ..], _) => {
                self.file_root(base);
                if let Some(base) = base
                    && !starts_with_drive(rest)
                    && let [b'/', drive @ ..] = base.path()
                    && starts_with_drive(drive)
                {
                    self.out.extend_from_slice(&base.path()[..3]);
                }
                self.path(rest);
                Ok(inherited(ReferenceKind::AbsolutePath))
            }
            (_, Some(base)) if starts_with_drive(rest) => {
                self.file_root(Some(base));
                self.path(rest);
                Ok(ReferenceKind::AbsolutePath)
            }
            (_, Some(base)) => self.relative(base, rest),
            (_, None) => {
                self.file_root(None);
                self.path(rest);
                Ok(ReferenceKind::Absolute)
            }
        }
    }

    /// The scheme and the host that the base has, or none.
    fn file_root(&mut self, base: Option<&Prepared>) {
        self.out
            .extend_from_slice(base.map_or(b"file://", Prepared::root));
        self.path = self.out.len();
    }

    /// The file host state; `rest` begins after the two slashes.
    fn file_host(&mut self, rest: &[u8]) -> Result<(), ResolveError> {
        self.out.extend_from_slice(b"file://");
        let end = end_of(rest, b"/\\?#");
        let name = &rest[..end];
        let drive = is_drive(name);
        if !drive && !name.is_empty() {
            let at = self.out.len();
            host::push_domain(name, self.out)
                .map_err(|_| ResolveError::invalid(Component::Host))?;
            if &self.out[at..] == b"localhost" {
                self.out.truncate(at);
            }
        }
        self.path = self.out.len();
        if drive {
            self.path(rest);
        } else {
            self.path_start(&rest[end..]);
        }
        Ok(())
    }
}

/// Whether a segment is a Windows drive letter.
pub(super) fn is_drive(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Whether text starts with a Windows drive letter.
fn starts_with_drive(text: &[u8]) -> bool {
    let end = end_of(text, b"/\\?#");
    is_drive(&text[..end])
}
