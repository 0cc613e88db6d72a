//! The record of a link in JSON, with the keys in the order of [`FIELDS`](super::field::FIELDS).

use super::field::ValueScope;
use super::layout::Layout;
use super::record::DocumentPath;
use crate::document::events::Context;
use crate::linker::Link;
use crate::uri::ResolveErrorKind;

/// The text of the fields that links in a row share, as the last record had it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastRecord {
    /// The values that are strings.
    values: [Vec<u8>; 5],
    /// The revision of the path, and the other values, with flags that have no name; `None` at first, and after
    /// a link with alternatives.
    facts: Option<(u64, Context, u64, Option<ResolveErrorKind>)>,
    /// The text of each run of shared fields.
    texts: Vec<Vec<u8>>,
}

impl LastRecord {
    /// Returns whether a link has the same shared values as the last one, and keeps its values.
    pub(super) fn is_repeated(&mut self, path: &DocumentPath, link: &Link<'_>) -> bool {
        // Neither a name nor a base.
        const NULL: &[u8] = b"\xFF";
        let base = link.base;
        let values = [
            link.member.map_or(NULL, str::as_bytes),
            base.map_or(NULL, |base| base.uri),
            base.map_or(NULL, |base| base.label.as_bytes()),
            link.element.map_or(NULL, str::as_bytes),
            link.attribute.map_or(NULL, str::as_bytes),
        ];
        // Alternatives are not compared.
        let (context, flags) = (link.context, link.flags.bits());
        let facts = (link.alternatives.is_empty())
            .then(|| (path.revision, context, flags, link.target.err()));
        let mut pairs = self.values.iter().zip(values);
        let is_same =
            facts.is_some() && self.facts == facts && pairs.all(|(known, value)| known == value);
        if !is_same {
            self.facts = facts;
            for (known, value) in self.values.iter_mut().zip(values) {
                known.clear();
                known.extend_from_slice(value);
            }
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
    out.extend_from_slice(layout.opening.as_bytes());
    let is_repeated = last.is_repeated(path, link);
    if !is_repeated {
        last.texts.resize_with(layout.runs.len(), Vec::new);
    }
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
