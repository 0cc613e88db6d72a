//! The record of a link in JSON, with the keys in the order of [`FIELDS`](super::field::FIELDS).

use super::field::FieldList;
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
    /// The revision of the link, whether it has a base, and where its names are: if all are the same, the values are.
    place: (u64, bool, [Option<(usize, usize)>; 2]),
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
        // Alternatives are not compared.
        let (context, flags) = (link.context, link.flags.bits());
        let facts = (link.alternatives.is_empty())
            .then(|| (path.revision, context, flags, link.target.err()));
        let has_facts = facts.is_some() && self.facts == facts;
        let range = |name: &str| (name.as_ptr() as usize, name.len());
        let names = [link.element, link.attribute].map(|name| name.map(range));
        let place = (link.revision, link.base.is_some(), names);
        if has_facts && place.0 != 0 && self.place == place {
            return true;
        }
        let values = [
            link.member.map_or(NULL, str::as_bytes),
            link.base.map_or(NULL, |base| base.uri),
            link.base.map_or(NULL, |base| base.label.as_bytes()),
            link.element.map_or(NULL, str::as_bytes),
            link.attribute.map_or(NULL, str::as_bytes),
        ];
        let is_same = has_facts && self.values == values;
        (self.facts, self.place) = (facts, place);
        if !is_same {
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
    let is_repeated = last.is_repeated(path, link);
    if !is_repeated {
        last.texts.resize_with(layout.runs.len(), Vec::new);
    }
    let push = |fields: &FieldList, out: &mut _| {
        fields
            .iter()
            .for_each(|field| (field.push)(path, link, out));
    };
    for (run, text) in layout.runs.iter().zip(&mut last.texts) {
        let [shared, own, of_member] = &run.fields;
        if is_repeated {
            out.extend_from_slice(text);
        } else {
            let start = out.len();
            out.extend_from_slice(run.opening.as_bytes());
            push(shared, out);
            text.clear();
            text.extend_from_slice(&out[start..]);
        }
        push(own, out);
        if !of_member.is_empty() && link.part.is_known() {
            push(of_member, out);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/output/link_record.rs"]
mod tests;
