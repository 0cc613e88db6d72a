//! What every scanner of HTML must stand: cases, hostile documents, and every prefix of a document,
//! through windows of every size, against the oracle.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compare::{Compared, differences, report};
use super::hostile::Hostile;
use super::oracle::{Expected, Options, references};
use super::shrink::shrink;
use super::{Scan, vectors};

/// The window sizes that put a seam everywhere; the last one holds any of these documents.
pub(crate) const WINDOWS: [usize; 7] = [1, 2, 3, 7, 16, 61, 1 << 18];

/// A scanner on trial.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    pub(crate) scan: Scan<'a>,
    pub(crate) compared: Compared,
}

impl Trial<'_> {
    /// What differs from `expected`; a panic differs from everything.
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

    /// Every case must give what it says.
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

    /// Hostile documents must give what the oracle finds; the first that do not are made small.
    pub(crate) fn hostile(&self, seeds: Range<u64>) {
        const TOLD: usize = 3;
        let mut failures = Vec::new();
        let seeds = asked().unwrap_or(seeds);
        for seed in seeds {
            if seed % 100_000 == 99_999 {
                println!("{} documents, {} fail", seed + 1, failures.len());
            }
            let document = Hostile::new(seed);
            let uri = document.options.document_uri.as_deref();
            let is_file = uri.is_some_and(|uri| uri.starts_with("file:"));
            let trial = match is_file || document.bytes().contains(&b'\\') {
                // The engine behind the oracle drops empty segments, which the standard keeps, and
                // takes a backslash for a slash in any scheme (`tests/vectors/known.tsv`).
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
                let title = format!("seed {seed}, window {window}, made smaller");
                failures.push(report(&title, &small.bytes(), &small.options, &difference));
                break;
            }
            if failures.len() == TOLD {
                break;
            }
        }
        none(&failures);
    }

    /// Every prefix of a document must give what the oracle finds in it.
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

    /// A document must give the same through every window.
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

/// `HOSTILE_SEEDS=0..1000000` in the environment makes the slice of hostile documents longer.
fn asked() -> Option<Range<u64>> {
    let asked = std::env::var("HOSTILE_SEEDS").ok()?;
    let (start, end) = asked.split_once("..")?;
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
