//! Declarations and preludes of rules: the owner of a reference.

use super::lexical::{escape, is_escape, is_name};
use crate::bytes::seek::is_space;

/// Longer names of properties are not reported.
const LONGEST_NAME: usize = 1 << 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AtRule {
    #[default]
    None,
    Import,
    FontFace,
    /// Without a block it may stand before the first `@import`, but not between two.
    Layer,
    /// The rule's prelude holds no references.
    Opaque,
    Other,
}

pub(super) static AT_RULES: [(&[u8], AtRule); 8] = [
    (b"import", AtRule::Import),
    (b"font-face", AtRule::FontFace),
    (b"charset", AtRule::None),
    (b"layer", AtRule::Layer),
    (b"namespace", AtRule::Opaque),
    (b"supports", AtRule::Opaque),
    (b"document", AtRule::Opaque),
    (b"-moz-document", AtRule::Opaque),
];

/// A declaration or the prelude of a rule, up to the current byte.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) at: AtRule,
    /// The number of open brackets at its start.
    pub(super) depth: usize,
    pub(super) phase: NamePhase,
    name: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NamePhase {
    #[default]
    Before,
    /// A hyphen, which is not yet a name.
    Hyphen,
    Name,
    After,
    Known,
    None,
}

impl Statement {
    pub(super) fn begin(&mut self, depth: usize) {
        self.at = AtRule::None;
        self.depth = depth;
        self.phase = NamePhase::Before;
        self.name.clear();
    }

    /// Takes the bytes that follow, without comments. No escape is cut.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.phase {
                NamePhase::Known | NamePhase::None => return,
                NamePhase::Before | NamePhase::After if is_space(byte) => at += 1,
                NamePhase::Before if byte == b'-' => {
                    self.phase = NamePhase::Hyphen;
                    self.name.push(byte);
                    at += 1;
                }
                // A number begins no name.
                NamePhase::Before | NamePhase::Hyphen
                    if is_escape(bytes, at) || is_name(byte) && !byte.is_ascii_digit() =>
                {
                    self.phase = NamePhase::Name;
                }
                NamePhase::After if byte == b':' => self.phase = NamePhase::Known,
                NamePhase::Name if is_escape(bytes, at) && at + 1 < bytes.len() => {
                    at = escape(bytes, at + 1, &mut self.name);
                }
                NamePhase::Name if is_name(byte) => {
                    self.name.push(byte);
                    at += 1;
                }
                NamePhase::Name => self.phase = NamePhase::After,
                _ => self.phase = NamePhase::None,
            }
            if self.name.len() > LONGEST_NAME {
                self.phase = NamePhase::None;
            }
        }
    }

    pub(super) fn pass_comment(&mut self) {
        self.phase = match self.phase {
            NamePhase::Name => NamePhase::After,
            NamePhase::Hyphen => NamePhase::None,
            phase => phase,
        };
    }

    pub(super) fn property(&mut self) -> Option<&[u8]> {
        if self.phase != NamePhase::Known {
            return None;
        }
        if !self.name.starts_with(b"--") {
            self.name.make_ascii_lowercase();
        }
        Some(&self.name)
    }
}
