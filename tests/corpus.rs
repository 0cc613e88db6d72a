//! Every document of `corpus/` gives the links that stand beside it, through windows of any size.
//!
//! The folder below `corpus/` names the format. Beside `NAME` stands `NAME.links`, written by hand
//! from the rules: a first line, after `#`, says what the document shows; then comes one line for
//! each link in document order, its fields separated by tabs:
//!
//! 1. line and column, `LINE:COLUMN`
//! 2. the byte span, `START-END`
//! 3. the context
//! 4. `ELEMENT@ATTRIBUTE`
//! 5. the flags, separated by commas
//! 6. the reference
//! 7. the target, or the name of the error
//! 8. the base's source
//! 9. and so on: the other readings, best first
//!
//! `-` stands for what is not there. In references and targets `\n`, `\r`, `\t` and `\\` stand for
//! themselves, `\x1B` for another control, and `\xE9` for a byte that is not UTF-8. The document's
//! own location is `http://example.com/corpus/FORMAT/NAME`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions, Positions};
use uriscan::linker::Link;
use uriscan::uri::{Base, BaseSource};

/// Ends the name of a file of expectations.
const LINKS: &str = ".links";

/// One document with what it should give.
struct Case {
    name: String,
    format: &'static Format,
    bytes: Vec<u8>,
    expected: Vec<String>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The names of all files, `FORMAT/NAME`.
fn files() -> BTreeSet<String> {
    let names = |path: &Path| -> Vec<(String, bool)> {
        fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (
                    entry.file_name().into_string().unwrap(),
                    entry.path().is_dir(),
                )
            })
            .collect()
    };
    let mut files = BTreeSet::new();
    for (folder, is_folder) in names(&corpus()) {
        // These hold no documents: trees of audits, members of packages, and queries of tables.
        let is_other = ["audit", "epub", "odf", "ooxml", "queries"].contains(&folder.as_str());
        if is_folder && !is_other {
            let inside = names(&corpus().join(&folder));
            files.extend(inside.iter().map(|(name, _)| format!("{folder}/{name}")));
        }
    }
    files
}

fn cases() -> Vec<Case> {
    let files = files();
    let documents = files.iter().filter(|name| !name.ends_with(LINKS));
    documents.map(|name| case(name)).collect()
}

fn case(name: &str) -> Case {
    let (folder, _) = name.split_once('/').unwrap();
    let path = corpus().join(name);
    let links = fs::read_to_string(corpus().join(format!("{name}{LINKS}"))).unwrap();
    let mut lines = links.lines().map(str::to_owned);
    let heading = lines.next().unwrap();
    assert!(heading.starts_with("# "), "{name}: says what it shows");
    Case {
        name: name.to_owned(),
        format: Format::named(folder).unwrap(),
        bytes: fs::read(path).unwrap(),
        expected: lines.collect(),
    }
}

/// How a document comes to the extractor.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// In memory, scanned so many bytes at a time.
    Window(usize),
    /// In chunks of so many bytes.
    Chunks(usize),
}

/// The links of a document as lines.
fn links(case: &Case, input: Input) -> Vec<String> {
    let window = match input {
        Input::Window(bytes) => bytes,
        Input::Chunks(_) => ExtractorOptions::default().window,
    };
    let base = Base {
        uri: format!("http://example.com/corpus/{}", case.name).into_bytes(),
        source: BaseSource::RetrievalRoot,
    };
    let mut extractor = Extractor::new(
        &ExtractorOptions::default()
            .with_positions(Positions::Lines)
            .with_window(window),
    );
    let mut lines = Vec::new();
    let document = Document::new(case.format, Some(&base));
    let mut sink = |link: &Link<'_>| lines.push(line(link));
    match input {
        Input::Window(_) => extractor.extract_bytes(&document, &case.bytes, &mut sink),
        Input::Chunks(bytes) => {
            let mut stream = extractor.stream(&document, &mut sink);
            for chunk in case.bytes.chunks(bytes) {
                stream.write(chunk).unwrap();
            }
            let length = stream.finish().unwrap();
            assert_eq!(length, case.bytes.len() as u64, "{}", case.name);
        }
    }
    lines
}

fn line(link: &Link<'_>) -> String {
    let element = match (link.element, link.attribute) {
        (None, None) => "-".to_owned(),
        (element, attribute) => format!("{}@{}", element.unwrap_or(""), attribute.unwrap_or("")),
    };
    let flags: Vec<&str> = link.flags.names().collect();
    let mut fields = vec![
        link.position.map_or("-".to_owned(), |position| {
            format!("{}:{}", position.line, position.column)
        }),
        format!("{}-{}", link.span.start, link.span.end),
        link.context.name().to_owned(),
        element,
        if flags.is_empty() {
            "-".to_owned()
        } else {
            flags.join(",")
        },
        escaped(link.reference),
        link.target
            .map_or_else(|error| error.name().to_owned(), escaped),
        link.base.map_or("-", |base| base.source_name()).to_owned(),
    ];
    fields.extend(link.alternatives.iter().map(|other| escaped(other)));
    fields.join("\t")
}

fn escaped(bytes: &[u8]) -> String {
    let mut line = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => line.push_str("\\n"),
                '\r' => line.push_str("\\r"),
                '\t' => line.push_str("\\t"),
                '\\' => line.push_str("\\\\"),
                '\0'..='\x1F' | '\x7F' => line.push_str(&format!("\\x{:02X}", character as u32)),
                _ => line.push(character),
            }
        }
        for byte in chunk.invalid() {
            line.push_str(&format!("\\x{byte:02X}"));
        }
    }
    line
}

/// What is expected and what came, line by line, if they differ.
fn difference(case: &Case, input: Input) -> Option<String> {
    let got = links(case, input);
    if got == case.expected {
        return None;
    }
    let mut report = format!("{}, {input:?}:\n", case.name);
    for index in 0..got.len().max(case.expected.len()) {
        let expected = case.expected.get(index).map_or("nothing", String::as_str);
        let got = got.get(index).map_or("nothing", String::as_str);
        let mark = if expected == got { " " } else { "!" };
        report.push_str(&format!("{mark} expected {expected}\n"));
        if expected != got {
            report.push_str(&format!("{mark} got      {got}\n"));
        }
    }
    Some(report)
}

fn check(inputs: impl Iterator<Item = Input> + Clone) {
    // One report a document is enough to find out what is wrong with it.
    let reports: Vec<String> = cases()
        .iter()
        .filter_map(|case| inputs.clone().find_map(|input| difference(case, input)))
        .collect();
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

#[test]
fn every_document_has_its_expectations_and_they_their_document() {
    let files = files();
    for name in &files {
        let other = match name.strip_suffix(LINKS) {
            Some(document) => document.to_owned(),
            None => format!("{name}{LINKS}"),
        };
        assert!(files.contains(&other), "{name} stands without {other}");
    }
    assert!(files.len() >= 2 * 30, "{} files are too few", files.len());
}

#[test]
fn documents_give_the_links_that_stand_beside_them() {
    check(std::iter::once(Input::Window(
        ExtractorOptions::default().window,
    )));
}

#[test]
fn windows_of_any_size_give_the_same_links() {
    let powers = (8..=16).map(|power| 1 << power);
    let sizes = (1..=200).step_by(crate::rounds(7, 1));
    check(sizes.chain(powers).map(Input::Window));
}

#[test]
fn documents_in_chunks_of_any_size_give_the_same_links() {
    let sizes = (1..=40).step_by(crate::rounds(3, 1));
    check(sizes.chain([1000, 1 << 20]).map(Input::Chunks));
}
