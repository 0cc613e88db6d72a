//! URIs in text: an oracle of the rules, cases, and laws for every scanner.

use oracle::{Find, Options, find_all};

pub(crate) mod choices;
pub(crate) mod laws;
pub(crate) mod limits;
pub(crate) mod oracle;
pub(crate) mod scanner;
pub(crate) mod soup;
pub(crate) mod vectors;

fn scan(text: &[u8], options: &Options, _window: usize) -> Vec<Find> {
    find_all(text, options)
}

#[test]
fn oracle_finds_the_expected_links_of_the_cases() {
    laws::cases_hold(&scan, &[laws::WHOLE]);
}

#[test]
fn oracle_ignores_white_space_in_angle_brackets() {
    laws::white_space_in_angles_is_ignored(&scan, 0..50);
}

#[test]
fn oracle_ignores_line_prefixes() {
    laws::line_prefixes_are_ignored(&scan);
}

#[test]
fn oracle_finds_the_same_in_joined_cases() {
    laws::empty_lines_separate_cases(&scan, 0..30);
}

#[test]
fn oracle_finds_the_same_in_split_soups() {
    laws::soups_split_at_empty_lines(&scan, 0..4000);
}

#[test]
fn oracle_keeps_limits() {
    limits::limits_hold(&scan, &[laws::WHOLE]);
    limits::strict_lifts_limits(&scan);
}

#[test]
#[should_panic(expected = "soup ")]
fn a_scanner_that_loses_flags_is_noticed() {
    let forgetful = |text: &[u8], options: &Options, window: usize| {
        let mut finds = scan(text, options, window);
        finds.iter_mut().for_each(|find| find.flags.clear());
        finds
    };
    laws::soups_agree(&forgetful, 0..100, &[1, laws::WHOLE]);
}

#[test]
#[should_panic(expected = "repeated ")]
fn a_scanner_that_loses_the_last_find_is_noticed() {
    let careless = |text: &[u8], options: &Options, window: usize| {
        let mut finds = scan(text, options, window);
        finds.pop();
        finds
    };
    laws::repetitions_agree(&careless, 1 << 14, &[laws::WHOLE]);
}

#[test]
fn oracle_finds_the_expected_links_of_the_choices() {
    choices::choices_hold(&scan, &[laws::WHOLE]);
}
