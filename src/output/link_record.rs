//! The record of a link in JSON, with the keys in the order of [`FIELDS`](super::field::FIELDS).

use super::field::ValueScope;
use super::json;
use super::layout::Layout;
use super::record::DocumentPath;
use crate::document::events::Context;
use crate::linker::Link;
use crate::uri::ResolveErrorKind;

/// The text of the fields that links in a row share, as the last record had it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastRecord {
    /// The values that are strings, one after the other, and their lengths.
    values: Vec<u8>,
    lengths: [usize; 6],
    /// The other values, with flags that have no name; `None` at first, and after a link with alternatives.
    facts: Option<(Context, u64, Option<ResolveErrorKind>)>,
    /// The text of each run of shared fields.
    texts: Vec<Vec<u8>>,
}

impl LastRecord {
    /// Returns whether a link has the same shared values as the last one, and keeps its values.
    pub(super) fn is_repeated(&mut self, path: &DocumentPath, link: &Link<'_>) -> bool {
        let values = [
            Some(path.path()),
            link.member.map(str::as_bytes),
            link.base.map(|base| base.uri),
            link.base.map(|base| base.label.as_bytes()),
            link.element.map(str::as_bytes),
            link.attribute.map(str::as_bytes),
        ];
        // No string has the length of null.
        let length = |value: &Option<&[u8]>| value.map_or(usize::MAX, <[u8]>::len);
        // Alternatives are not compared.
        let facts = (link.alternatives.is_empty())
            .then(|| (link.context, link.flags.bits(), link.target.err()));
        let mut known = self.values.as_slice();
        let mut pairs = values.iter().zip(&self.lengths);
        let is_same = facts.is_some()
            && self.facts == facts
            && pairs.all(|(value, &known_length)| {
                let is_of_length = length(value) == known_length;
                let value = value.unwrap_or_default();
                is_of_length && known.split_off(..value.len()) == Some(value)
            });
        if !is_same {
            self.facts = facts;
            self.lengths = values.map(|value| length(&value));
            self.values.clear();
            let keep = |value: &[u8]| self.values.extend_from_slice(value);
            values.into_iter().flatten().for_each(keep);
        }
        is_same
    }
}

/// Appends the keys of a link, and leaves the object open for further keys.
pub(crate) fn open_link(
    layout: &Layout,
    path: &DocumentPath,
    link: &Link<'_>,
    last: &mut LastRecord,
    out: &mut Vec<u8>,
) {
    json::open(layout.kind, out);
    let is_repeated = last.is_repeated(path, link);
    last.texts.resize_with(layout.runs.len(), Vec::new);
    for (run, text) in layout.runs.iter().zip(&mut last.texts) {
        match run.scope {
            ValueScope::Shared if is_repeated => {
                out.extend_from_slice(text);
                continue;
            }
            ValueScope::Member if !link.part.is_known() => continue,
            ValueScope::Message if link.part.envelope.is_none() => continue,
            _ => {}
        }
        let start = out.len();
        for field in &run.fields {
            (field.push)(path, link, out);
        }
        if run.scope == ValueScope::Shared {
            text.clear();
            text.extend_from_slice(&out[start..]);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/output/link_record.rs"]
mod tests;
