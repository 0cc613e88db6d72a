//! The identifiers of titles.

use std::collections::HashSet;

use crate::document::docutils::make_id;

/// The identifiers of the titles of a document: repeated ones are numbered.
#[derive(Debug, Default)]
pub(super) struct TitleIds {
    known: HashSet<Vec<u8>>,
    numbered: u64,
}

impl TitleIds {
    pub(super) fn next(&mut self, title: &[u8]) -> Vec<u8> {
        let id = make_id(title);
        if !id.is_empty() && self.known.insert(id.clone()) {
            return id;
        }
        loop {
            self.numbered += 1;
            let id = format!("id{}", self.numbered).into_bytes();
            if self.known.insert(id.clone()) {
                return id;
            }
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/rst/ids.rs"]
mod tests;
