//! The layers of the house: a module uses what stands below it, or beside it without cycles.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every module under `src` and the layer it stands in.
const LAYERS: [(&str, u8); 12] = [
    ("bytes", 1),
    ("uri", 2),
    ("decode", 2),
    ("document", 3),
    ("resolver", 4),
    ("extractor", 5),
    ("links", 5),
    ("hostile", 6),
    ("output", 5),
    ("pipeline", 6),
    ("audit", 6),
    ("cli", 7),
];

fn layer(module: &str) -> u8 {
    let row = LAYERS.iter().find(|(name, _)| *name == module);
    row.unwrap_or_else(|| panic!("{module} stands in no layer"))
        .1
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Pairs of a module and another that it uses.
fn uses() -> BTreeSet<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&source, &mut found);
    let mut uses = BTreeSet::new();
    for path in found {
        let inner = path.strip_prefix(&source).unwrap().to_str().unwrap();
        let module = inner.split(['/', '.']).next().unwrap();
        if matches!(module, "lib" | "main") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for used in line.split("crate::").skip(1) {
                let name = used
                    .split(|c: char| !c.is_ascii_lowercase())
                    .next()
                    .unwrap();
                if name != module {
                    uses.insert((module.to_owned(), name.to_owned()));
                }
            }
        }
    }
    uses
}

#[test]
fn no_module_uses_what_stands_above_it() {
    let uses = uses();
    assert!(uses.len() > 10, "{uses:?}");
    for (module, used) in &uses {
        assert!(layer(used) <= layer(module), "{module} uses {used}");
        let back = (used.clone(), module.clone());
        assert!(!uses.contains(&back), "{module} and {used} use each other");
    }
}
