//! The targets elsewhere on the network, each once with its places, as JSON Lines.

use foldhash::HashMap;

use crate::bytes::lines::Position;
use crate::output::json::{open, push_count, push_key, push_number, push_text};

/// In the order of the first places.
#[derive(Default)]
pub(super) struct ExternalTargets {
    by_target: HashMap<Box<[u8]>, usize>,
    /// The targets, the numbers of their places, and the places as JSON.
    targets: Vec<(Box<[u8]>, u64, Vec<u8>)>,
}

impl ExternalTargets {
    pub(super) fn add(
        &mut self,
        target: &[u8],
        path: &[u8],
        member: Option<&str>,
        position: Option<Position>,
    ) {
        let next = self.targets.len();
        let index = *self.by_target.entry(target.into()).or_insert(next);
        if index == next {
            self.targets.push((target.into(), 0, Vec::new()));
        }
        let (_, number, places) = &mut self.targets[index];
        *number += 1;
        let start = places.len();
        push_text("path", Some(path), places);
        push_text("member", member.map(str::as_bytes), places);
        push_number("line", position.map(|position| position.line), places);
        push_number("column", position.map(|position| position.column), places);
        // The comma before the first key.
        places[start] = b'{';
        places.extend_from_slice(b"},");
    }

    pub(super) fn push(&self, out: &mut Vec<u8>) {
        for (target, number, places) in &self.targets {
            open("external", out);
            push_text("target", Some(target), out);
            push_count("count", *number, out);
            push_key("places", out);
            out.push(b'[');
            out.extend_from_slice(&places[..places.len() - 1]);
            out.extend_from_slice(b"]}\n");
        }
    }
}
