//! The documents of the corpus give the links that their files name, on every target.
#![cfg(feature = "documents")]

use std::fs;
use std::path::Path;

use uriscan::{Base, BaseSource, Document, Extractor, ExtractorOptions, Format, Link, Positions};

/// The line of a link in the files of expectations.
fn line(link: &Link<'_>) -> String {
    let element = match (link.element, link.attribute) {
        (None, None) => "-".to_owned(),
        (element, attribute) => format!("{}@{}", element.unwrap_or(""), attribute.unwrap_or("")),
    };
    let flags: Vec<&str> = link.flags.names().collect();
    let mut fields = vec![
        link.position
            .map_or("-".to_owned(), |at| format!("{}:{}", at.line, at.column)),
        format!("{}-{}", link.span.start, link.span.end),
        link.context.to_string(),
        element,
        if flags.is_empty() {
            "-".to_owned()
        } else {
            flags.join(",")
        },
        shown(link.reference),
        (link.target).map_or_else(|error| error.name().to_owned(), shown),
        (link.base)
            .map_or("-", |base| base.source_name())
            .to_owned(),
    ];
    fields.extend(link.alternatives.iter().map(|other| shown(other)));
    fields.join("\t")
}

fn shown(bytes: &[u8]) -> String {
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

#[test]
fn documents_of_the_corpus_give_the_links_of_their_files() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let options = ExtractorOptions::default().with_positions(Positions::Lines);
    let mut extractor = Extractor::new(&options);
    let mut count = 0;
    for format in Format::all() {
        let Ok(folder) = fs::read_dir(corpus.join(format.name)) else {
            continue;
        };
        for entry in folder {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let links = path.with_file_name(format!("{name}.links"));
            // The other files, and the folders of packages, have no links of their own.
            let Ok(expected) = fs::read_to_string(links) else {
                continue;
            };
            if path.is_dir() {
                continue;
            }
            let uri = format!("http://example.com/corpus/{}/{name}", format.name);
            let base = Base {
                uri: uri.into_bytes(),
                source: BaseSource::RetrievalRoot,
            };
            let mut got = Vec::new();
            let mut sink = |link: &Link<'_>| got.push(line(link));
            let document = Document::new(format, Some(&base));
            extractor.extract_bytes(&document, &fs::read(&path).unwrap(), &mut sink);
            let expected: Vec<&str> = expected.lines().skip(1).collect();
            assert_eq!(got, expected, "{name}");
            count += 1;
        }
    }
    assert!(count >= 30, "{count}");
}
