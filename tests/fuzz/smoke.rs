//! Every target on its seeds, as they are and changed at random, the same in every run.
//!
//! `FUZZ_ROUNDS=1000` changes each seed so many times.

use std::fs;
use std::path::Path;

use super::{TARGETS, Target};
use crate::text::soup::Numbers;

/// A changed seed is not longer than this: the oracles are slow.
const LONGEST: usize = 4096;

/// What a fuzzer has found comes first; most targets have found nothing.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = format!("tests/fuzz/found/{}", target.name);
    let found = top.join(&found).exists().then_some(&*found);
    let mut seeds = Vec::new();
    for folder in found.iter().chain(target.seeds) {
        let entries = fs::read_dir(top.join(folder)).expect("a folder of seeds");
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            let mut seed = fs::read(path).expect("a seed can be read");
            seed.truncate(LONGEST);
            seeds.push(seed);
        }
    }
    seeds
}

/// One of the changes that fuzzers make, with a stretch of another seed at times.
fn change(numbers: &mut Numbers, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = numbers.below(bytes.len() + 1);
    let end = (at + numbers.below(16)).min(bytes.len());
    match numbers.below(6) {
        0 => bytes.insert(at, numbers.below(256) as u8),
        1 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
        2 => drop(bytes.drain(at..end)),
        3 => bytes.truncate(at),
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        _ => {
            let from = numbers.below(other.len() + 1);
            let stretch = &other[from..(from + numbers.below(64)).min(other.len())];
            bytes.splice(at..end, stretch.iter().copied());
        }
    }
}

fn smoke(name: &str) {
    let rounds = std::env::var("FUZZ_ROUNDS").map(|rounds| rounds.parse());
    let rounds: usize = rounds
        .unwrap_or(Ok(crate::rounds(1, 4)))
        .expect("FUZZ_ROUNDS is a number");
    let target = TARGETS.iter().find(|target| target.name == name);
    let seeds = seeds(target.expect("it is a target"));
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let mut numbers = Numbers::seeded(1);
    for seed in &seeds {
        super::run(name, seed);
        for _ in 0..rounds {
            let mut bytes = seed.clone();
            for _ in 0..=numbers.below(8) {
                let other = numbers.below(seeds.len());
                change(&mut numbers, &mut bytes, &seeds[other]);
            }
            bytes.truncate(LONGEST);
            // The choices.
            bytes.extend([0; 6].map(|_| numbers.below(256) as u8));
            super::run(name, &bytes);
        }
    }
}

/// A test for each target.
macro_rules! smoke {
    ($($(#[$attribute:meta])* $name:ident)*) => {
        $(
            $(#[$attribute])*
            #[test]
            fn $name() {
                smoke(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test() {
            let tested = [$($(#[$attribute])* stringify!($name)),*];
            assert_eq!(tested.to_vec(), Vec::from_iter(TARGETS.iter().map(|target| target.name)));
        }
    };
}

smoke! {
    text html css json xml adoc rst troff mail pdf uri windows output
    #[cfg(feature = "arrow")]
    tables
    archives compressed
}
