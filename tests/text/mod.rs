//! URIs in text: the rules' oracle, the cases, and what every scanner of text has to hold.

pub(crate) mod oracle;
pub(crate) mod vectors;

use oracle::find_all;

#[test]
fn oracle_finds_what_the_cases_expect() {
    vectors::check(&|text, options| find_all(text, options));
}
