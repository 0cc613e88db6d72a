//! Findings that are known and accepted: a file of keys, which survive moved lines.

use std::collections::HashSet;
use std::io::{self, BufRead, Read};

use super::finding::Finding;
use crate::output::escape::push_visible;

/// A finding's key: its document, its rule, its reference, and which of several equal ones it is.
///
/// Lines and offsets are left out, so that an edit elsewhere in the document changes no key.
pub fn key(path: &[u8], member: Option<&str>, rule: &str, reference: &[u8], nth: u64) -> u64 {
    let mut hash = Fnv1a::default();
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
    hash.0
}

/// A key as it is written: 16 hexadecimal digits.
pub fn written(key: u64) -> String {
    format!("{key:016x}")
}

/// FNV-1a: stable across versions and machines, as a stored key must be.
struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Fnv1a(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv1a {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

/// The keys of accepted findings.
#[derive(Debug, Default)]
pub struct Baseline(HashSet<u64>);

/// The start of a line that is read; a key is at its beginning.
const START: u64 = 64;

impl Baseline {
    /// Reads keys: the first word of each line that is neither empty nor a `#` comment.
    ///
    /// ```
    /// use uriscan::audit::baseline::Baseline;
    /// let baseline = Baseline::read(&b"# known\n00c0ffee00c0ffee broken-file a.html b\n"[..]).unwrap();
    /// assert!(baseline.contains(0x00c0_ffee_00c0_ffee));
    /// assert!(Baseline::read(&b"<html>\n"[..]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the reader, and `InvalidData` for a line that starts with anything else.
    pub fn read(mut reader: impl BufRead) -> io::Result<Self> {
        let mut keys = HashSet::new();
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            if reader.by_ref().take(START).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                reader.skip_until(b'\n')?;
            }
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let Some(key) = read_key(line) else {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("line {number} starts with no key of a finding: it is no baseline"),
                ));
            };
            keys.insert(key);
        }
        Ok(Baseline(keys))
    }

    /// Whether a finding is accepted.
    pub fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
}

/// The key at the start of a line: 16 hexadecimal digits, then white space or nothing.
fn read_key(line: &[u8]) -> Option<u64> {
    let (word, rest) = line.split_at_checked(16)?;
    let is_key =
        word.iter().all(u8::is_ascii_hexdigit) && rest.first().is_none_or(u8::is_ascii_whitespace);
    let word = str::from_utf8(word).ok().filter(|_| is_key)?;
    u64::from_str_radix(word, 16).ok()
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
