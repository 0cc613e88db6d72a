//! Identifiers: those that authors write, and those that Asciidoctor derives from the titles of sections.

use std::collections::HashMap;

use super::attributes::DocumentAttributes;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;

/// Identifiers that fragments can refer to.
pub(super) static ANCHORS: [Pattern; 3] = [
    Pattern::new(r"\[\[(?:([A-Za-z_:\x80-\xff][A-Za-z0-9_:.\x80-\xff-]*)[,\]])?"),
    Pattern::new(r"anchor:([A-Za-z_:\x80-\xff][A-Za-z0-9_:.\x80-\xff-]*)\["),
    Pattern::new(r"\[#([A-Za-z_:\x80-\xff][A-Za-z0-9_:.\x80-\xff-]*)[^\]]{0,254}\][#*_`]"),
];
/// Maximum length of `idprefix`, in bytes.
const MAX_PREFIX_LEN: usize = 256;

/// The identifiers of a document, each with the lowest number that may be free for an equal one: a
/// search never repeats.
#[derive(Debug, Default)]
pub(super) struct SectionIds(HashMap<Vec<u8>, u64>);

impl SectionIds {
    pub(super) fn reserve(&mut self, id: &[u8]) {
        self.0.entry(id.to_vec()).or_insert(2);
    }

    /// Returns the identifier of the next title: `_` and its words in lower case, or by the attributes
    /// `idprefix` and `idseparator`.
    pub(super) fn next(&mut self, title: &str, attributes: &DocumentAttributes) -> Vec<u8> {
        let prefix = attributes.get(b"idprefix");
        let prefix = prefix.filter(|prefix| prefix.len() <= MAX_PREFIX_LEN);
        let prefix = prefix.unwrap_or(b"_");
        let prefix = String::from_utf8_lossy(prefix).into_owned();
        let separator = attributes.get(b"idseparator").unwrap_or(b"_");
        let separator = String::from_utf8_lossy(separator).chars().next();
        let mut id = prefix.clone();
        for character in title.chars().flat_map(char::to_lowercase) {
            let is_gap = matches!(character, ' ' | '.' | '-') || Some(character) == separator;
            match separator {
                None if character == ' ' => {}
                Some(separator) if is_gap && id.ends_with(separator) => {}
                Some(separator) if is_gap => id.push(separator),
                _ if is_gap || character == '_' || character.is_alphanumeric() => {
                    id.push(character)
                }
                _ => {}
            }
        }
        if let Some(separator) = separator {
            if id.ends_with(separator) {
                id.pop();
            }
            if prefix.is_empty() && id.starts_with(separator) {
                id.remove(0);
            }
        }
        let separator = separator.map(String::from).unwrap_or_default();
        let mut unique = id.clone().into_bytes();
        while self.0.contains_key(&unique) {
            step(1);
            let number = self.0.entry(id.clone().into_bytes()).or_insert(2);
            unique = format!("{id}{separator}{number}").into_bytes();
            *number += 1;
        }
        self.0.insert(unique.clone(), 2);
        unique
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/adoc/ids.rs"]
mod tests;
