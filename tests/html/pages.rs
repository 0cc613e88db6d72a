//! Compares the library with the oracle on the pages of a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::compare::{self, Compared};
use super::oracle::{self, Options};
use super::scanner;

/// The most differing files that are printed.
const MAX_SHOWN: usize = 10;

/// Totals of a run.
#[derive(Default)]
struct Totals {
    documents: usize,
    bytes: usize,
    references: usize,
    different: usize,
    approximate: usize,
    /// Documents on which the simulator bailed.
    exact: usize,
    /// Number of bails by rule.
    rules: BTreeMap<&'static str, usize>,
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a directory") {
        let entry = entry.expect("an entry");
        let path = entry.path();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let kind = entry.file_type().expect("its type");
        if kind.is_dir() {
            pages(&path, found);
        } else if kind.is_file() && matches!(&*extension, "html" | "htm" | "xhtml" | "xht") {
            found.push(path);
        }
    }
}

fn compare(path: &Path, totals: &Mutex<Totals>) {
    let html = fs::read(path).expect("a readable file");
    let options = Options {
        document_uri: Some(format!("https://example.com{}", path.display()).replace(' ', "%20")),
        ..Options::default()
    };
    let expected = oracle::references(&html, &options);
    let found = scanner::read(&html, &options, 256 << 10);
    let difference = compare::differences(Compared::Targets, &expected, &found.references);
    let mut totals = totals.lock().expect("nobody panicked");
    totals.documents += 1;
    totals.bytes += html.len();
    totals.references += expected.len();
    totals.approximate += usize::from(found.approximate);
    totals.exact += usize::from(!found.rules.is_empty());
    for rule in found.rules {
        *totals.rules.entry(rule).or_default() += 1;
    }
    if let Some(difference) = difference {
        totals.different += 1;
        if totals.different <= MAX_SHOWN {
            println!("{}\n{difference}", path.display());
        }
    }
}

/// Compares the corpus, or every page in the directory that `HTML_TREE` names, and prints the bails.
#[test]
fn the_scanner_agrees_on_a_directory_of_pages() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/html");
    let tree = std::env::var_os("HTML_TREE").unwrap_or_else(|| corpus.into());
    let mut paths = Vec::new();
    pages(Path::new(&tree), &mut paths);
    let (next, totals) = (AtomicUsize::new(0), Mutex::default());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    compare(path, &totals);
                }
            });
        }
    });
    let totals: Totals = totals.into_inner().expect("nobody panicked");
    let share = 100.0 * totals.exact as f64 / totals.documents.max(1) as f64;
    println!(
        "{} documents, {} bytes, {} references, {} documents differ, {} read twice ({share:.2} %), \
         {} approximated, by rule: {:?}",
        totals.documents,
        totals.bytes,
        totals.references,
        totals.different,
        totals.exact,
        totals.approximate,
        totals.rules,
    );
    assert!(!paths.is_empty(), "no pages");
    assert_eq!(totals.different, 0);
}
