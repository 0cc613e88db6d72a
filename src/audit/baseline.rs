//! Findings that are known and accepted: a file of keys, which survive moved lines.

use std::collections::HashSet;
use std::io::{self, BufRead};

use super::finding::Finding;
use crate::output::escape::push_visible;

/// A finding's key: its document, its rule, its reference, and which of several equal ones it is.
///
/// Lines and offsets are left out, so that an edit elsewhere in the document changes no key.
pub fn key(path: &[u8], member: Option<&str>, rule: &str, reference: &[u8], nth: u64) -> String {
    let mut hash = Fnv::default();
    for part in [
        path,
        member.unwrap_or("").as_bytes(),
        rule.as_bytes(),
        reference,
    ] {
        hash.write(&(part.len() as u64).to_le_bytes());
        hash.write(part);
    }
    hash.write(&nth.to_le_bytes());
    format!("{:016x}", hash.0)
}

/// FNV-1a: stable across versions and machines, as a stored key must be.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

/// The keys of accepted findings.
#[derive(Debug, Default)]
pub struct Baseline(HashSet<String>);

impl Baseline {
    /// Reads keys: the first word of each line that is neither empty nor a `#` comment.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn read(reader: impl BufRead) -> io::Result<Self> {
        let mut keys = HashSet::new();
        for line in reader.lines() {
            let line = line?;
            match line.split_whitespace().next() {
                Some(key) if !key.starts_with('#') => keys.insert(key.to_owned()),
                _ => false,
            };
        }
        Ok(Baseline(keys))
    }

    /// Whether a finding is accepted.
    pub fn contains(&self, key: &str) -> bool {
        self.0.contains(key)
    }
}

/// Appends one accepted finding: its key, then words for people.
pub(super) fn push(finding: &Finding<'_>, path: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(finding.key.as_bytes());
    for words in [finding.rule.name.as_bytes(), path, finding.reference()] {
        out.push(b' ');
        // A line holds one key.
        push_visible(words, out);
    }
    out.push(b'\n');
}
