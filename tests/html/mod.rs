//! HTML: an oracle for its references, cases written from the rules, and hostile documents.
//!
//! A scanner is a closure of type [`Scan`]; [`vectors::check`] puts the cases to it.

mod compare;
mod oracle;
mod vectors;

use compare::Compared;
use oracle::{Expected, Options};

/// A scanner: the document, how to read it, and how many bytes to read at a time.
pub(crate) type Scan<'a> = &'a dyn Fn(&[u8], &Options, usize) -> Vec<Expected>;

/// The window sizes that put a seam everywhere.
pub(crate) const WINDOWS: [usize; 7] = [1, 2, 3, 7, 16, 61, 1 << 18];

/// The oracle, which reads a document in one piece.
fn oracle(html: &[u8], options: &Options, _window: usize) -> Vec<Expected> {
    oracle::references(html, options)
}

#[test]
fn the_oracle_agrees_with_the_cases() {
    vectors::check(Compared::Targets, &oracle);
}

#[test]
fn the_oracle_knows_the_groups_of_the_cases() {
    for vector in vectors::all() {
        let groups = |list: &[Expected]| -> Vec<_> { list.iter().map(|one| one.group).collect() };
        let got = oracle::references(&vector.html, &vector.options);
        assert_eq!(groups(&got), groups(&vector.expected), "{}", vector.id);
    }
}
