//! Makes a failing document smaller while it still fails.

use super::hostile::Hostile;
use super::oracle::Options;

/// How many documents are tried at most.
const TRIES: usize = 4_000;

/// The smallest failing document found: first pieces go, then options, then bytes.
pub(crate) fn shrink(document: &Hostile, fails: &dyn Fn(&Hostile) -> bool) -> Hostile {
    let mut tries = TRIES;
    let mut smallest = document.clone();
    remove_runs(&mut smallest, &mut tries, fails);
    simplify(&mut smallest, fails);
    // One piece for each byte.
    smallest.pieces = smallest.bytes().iter().map(|&byte| vec![byte]).collect();
    remove_runs(&mut smallest, &mut tries, fails);
    smallest
}

/// Drops runs of pieces, long ones first, until none can go.
fn remove_runs(smallest: &mut Hostile, tries: &mut usize, fails: &dyn Fn(&Hostile) -> bool) {
    let mut length = smallest.pieces.len().div_ceil(2).max(1);
    loop {
        let mut changed = false;
        let mut end = smallest.pieces.len();
        while end > 0 && *tries > 0 {
            let start = end.saturating_sub(length);
            let mut smaller = smallest.clone();
            smaller.pieces.drain(start..end);
            *tries -= 1;
            if fails(&smaller) {
                *smallest = smaller;
                changed = true;
            }
            end = start;
        }
        if length == 1 && !changed || *tries == 0 {
            return;
        }
        length = (length / 2).max(1);
    }
}

fn simplify(smallest: &mut Hostile, fails: &dyn Fn(&Hostile) -> bool) {
    let plain = Options {
        document_uri: smallest.options.document_uri.clone(),
        ..Options::default()
    };
    let simpler = Hostile {
        options: plain,
        ..smallest.clone()
    };
    if fails(&simpler) {
        *smallest = simpler;
    }
}
