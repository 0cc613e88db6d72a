//! Compares a scanner with the oracle: on cases, hostile documents, every prefix of a document, and
//! windows of every size. A hostile document that fails is shrunk.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compare::{Compared, differences, report};
use super::hostile::Hostile;
use super::oracle::{Expected, Options, references};
use super::{Scan, vectors};

/// Window sizes. Small ones put a boundary everywhere; the last holds any of these documents.
pub(crate) const WINDOWS: [usize; 7] = [1, 2, 3, 7, 16, 61, 1 << 18];

/// A scanner under test.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) scan: Scan<'a>,
    pub(crate) compared: Compared,
}

impl Trial<'_> {
    /// Returns the difference from `expected`; a panic is one.
    fn differs(
        &self,
        html: &[u8],
        options: &Options,
        window: usize,
        expected: &[Expected],
    ) -> Option<String> {
        match catch_unwind(AssertUnwindSafe(|| (self.scan)(html, options, window))) {
            Ok(got) => differences(self.compared, expected, &got),
            Err(panic) => {
                let message = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied());
                let message = message.unwrap_or("(no message)");
                Some(format!("    panicked: {message}\n"))
            }
        }
    }

    /// Checks the cases of `tests/vectors/html.jsonl`.
    pub(crate) fn cases(&self) {
        let mut failures = Vec::new();
        for case in vectors::all() {
            for window in WINDOWS {
                let difference = self.differs(&case.html, &case.options, window, &case.expected);
                if let Some(difference) = difference {
                    let title =
                        format!("{} ({}), window {window}: {}", case.id, case.tier, case.why);
                    failures.push(report(&title, &case.html, &case.options, &difference));
                    break;
                }
            }
        }
        none(&failures);
    }

    /// Checks hostile documents; the first that fail are shrunk and reported.
    pub(crate) fn hostile(&self, seeds: Range<u64>, generate: fn(u64) -> Hostile) {
        const MAX_REPORTS: usize = 3;
        let mut failures = Vec::new();
        let seeds = seeds_from_environment().unwrap_or(seeds);
        for seed in seeds {
            if seed % 100_000 == 99_999 {
                println!("{} documents, {} fail", seed + 1, failures.len());
            }
            let document = generate(seed);
            let uri = document.options.document_uri.as_deref();
            let is_file = uri.is_some_and(|uri| uri.starts_with("file:"));
            let trial = match is_file || document.bytes().contains(&b'\\') {
                // The oracle's resolver drops empty segments, which the standard keeps, and reads a
                // backslash as a slash in any scheme (`tests/vectors/known.tsv`).
                true => Trial {
                    compared: Compared::References,
                    ..*self
                },
                false => *self,
            };
            let sizes = [
                WINDOWS[WINDOWS.len() - 1],
                WINDOWS[seed as usize % (WINDOWS.len() - 1)],
            ];
            for window in sizes {
                let found = |document: &Hostile| {
                    let html = document.bytes();
                    let expected = references(&html, &document.options);
                    trial.differs(&html, &document.options, window, &expected)
                };
                if found(&document).is_none() {
                    continue;
                }
                let small = shrink(&document, &|smaller| found(smaller).is_some());
                let difference = found(&small).unwrap_or_default();
                let title = format!("seed {seed}, window {window}, shrunk");
                failures.push(report(&title, &small.bytes(), &small.options, &difference));
                break;
            }
            if failures.len() == MAX_REPORTS {
                break;
            }
        }
        none(&failures);
    }

    /// Checks every prefix of a document.
    pub(crate) fn prefixes(&self, html: &[u8], options: &Options) {
        for end in 0..=html.len() {
            let prefix = &html[..end];
            let expected = references(prefix, options);
            let window = WINDOWS[end % WINDOWS.len()];
            if let Some(difference) = self.differs(prefix, options, window, &expected) {
                let title = format!("the first {end} bytes, window {window}");
                none(&[report(&title, prefix, options, &difference)]);
            }
        }
    }

    /// Checks a document through windows of many sizes.
    pub(crate) fn windows(&self, html: &[u8], options: &Options) {
        let expected = references(html, options);
        for window in (1..=64).chain([html.len().max(1), html.len() + 1]) {
            if let Some(difference) = self.differs(html, options, window, &expected) {
                none(&[report(
                    &format!("window {window}"),
                    html,
                    options,
                    &difference,
                )]);
            }
        }
    }
}

/// Returns the range in `HOSTILE_SEEDS`, such as `0..1000000`.
fn seeds_from_environment() -> Option<Range<u64>> {
    let range = std::env::var("HOSTILE_SEEDS").ok()?;
    let (start, end) = range.split_once("..")?;
    Some(start.parse().ok()?..end.parse().ok()?)
}

fn none(failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} fail:\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The most documents that shrinking tries.
const MAX_TRIES: usize = 4_000;

/// Shrinks a failing document: drops pieces, then options, then bytes.
fn shrink(document: &Hostile, fails: &dyn Fn(&Hostile) -> bool) -> Hostile {
    let mut tries = MAX_TRIES;
    let mut smallest = document.clone();
    remove_runs(&mut smallest, &mut tries, fails);
    simplify(&mut smallest, fails);
    // One piece per byte.
    smallest.pieces = smallest.bytes().iter().map(|&byte| vec![byte]).collect();
    remove_runs(&mut smallest, &mut tries, fails);
    smallest
}

/// Drops runs of pieces, long ones first, while the document still fails.
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

/// Drops the options but the document's URI, if the document still fails.
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
