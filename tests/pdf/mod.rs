//! PDF: files that are made with planted references, as the oracle, and cases of the rules of
//! `document/pdf`.

mod hostile;
mod made;

use std::ops::ControlFlow;

use uriscan::Format;
use uriscan::document::{AnchorReporting, FormatOptions};
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};

use crate::text::soup::Numbers;
use made::{Objects, Planted, deflate, made, stream};

/// A link that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    member: Option<String>,
    element: String,
    reference: String,
    target: String,
    /// None where it stands in a compressed stream.
    span: Option<(u64, u64)>,
}

/// The links, the anchors and the diagnostics of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    links: Vec<Row>,
    anchors: Vec<String>,
    codes: Vec<&'static str>,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!((link.attribute, link.position), (Some("uri"), None));
        self.links.push(Row {
            member: link.member.map(str::to_owned),
            element: link.element.unwrap_or_default().to_owned(),
            reference: text(link.reference),
            target: link.target.map_or_else(|_| String::new(), text),
            span: link.exact_span().map(|span| (span.start, span.end)),
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        match found {
            linker::Found::Anchor(name, _) => {
                self.anchors
                    .push(String::from_utf8_lossy(name).into_owned());
            }
            linker::Found::Diagnostic(diagnostic) => {
                self.codes.push(diagnostic.code.name);
            }
            _ => {}
        }
    }
}

/// Reads a file `window` bytes at a time.
fn read_with(pdf: &[u8], window: usize, max_document: u64) -> Found {
    let base = Base {
        uri: b"http://example.com/dir/a.pdf".to_vec(),
        source: BaseSource::RetrievalFile,
    };
    let mut formats = FormatOptions {
        anchors: AnchorReporting::Report,
        ..FormatOptions::default()
    };
    formats.html.max_document = max_document;
    let options = ExtractorOptions::default().with_formats(formats);
    let mut extractor = Extractor::new(&options.with_window(window));
    let mut found = Found::default();
    let document = Document::new(Format::named("pdf").unwrap(), Some(&base));
    let outcome = extractor.extract(&document, pdf, &mut found);
    outcome.expect("a slice reads without errors");
    found
}

/// Reads a file whole and in small windows, which give the same.
fn read(pdf: &[u8]) -> Found {
    let whole = read_with(pdf, 1 << 20, 1 << 20);
    for window in [1, 7, 4096] {
        assert_eq!(read_with(pdf, window, 1 << 20), whole);
    }
    whole
}

/// Whether any bytes give the same at any window size, and no more than they can hold: a check for
/// fuzzers.
pub(crate) fn check(pdf: &[u8], window: usize) {
    let file = [b"%PDF-1.7\n", pdf].concat();
    for pdf in [pdf, &file] {
        let whole = read_with(pdf, 1 << 20, 1 << 18);
        assert_eq!(read_with(pdf, window, 1 << 18), whole);
        let bytes: usize = whole
            .links
            .iter()
            .map(|link| link.reference.len() + 1)
            .sum();
        let most = (pdf.len() + (1 << 18)) * 64 + (1 << 20);
        assert!(
            bytes <= most,
            "{bytes} bytes of references in {}",
            pdf.len()
        );
    }
}

fn references(pdf: &[u8]) -> Vec<String> {
    let links = read(pdf).links.into_iter();
    links.map(|link| link.reference).collect()
}

/// A file with one page, whose annotations have these actions.
fn with_actions(actions: &[&str]) -> Objects {
    let annotations = actions
        .iter()
        .map(|action| format!("<</Subtype/Link/A {action}>>"));
    let annotations = annotations.collect::<Vec<_>>().join(" ");
    Objects::of(&[
        (1, "<</Type/Catalog/Pages 2 0 R>>"),
        (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
        (3, &format!("<</Type/Page/Annots[{annotations}]>>")),
    ])
}

fn planted(found: &Found) -> Vec<Planted> {
    let links = found.links.iter();
    let element = |link: &Row| {
        if link.element == "action" {
            "action"
        } else {
            "annotation"
        }
    };
    links
        .map(|link| (link.member.clone(), element(link), link.reference.clone()))
        .collect()
}

#[test]
fn generated_files_in_every_structure() {
    for seed in 0..30 {
        let mut numbers = Numbers::seeded(seed);
        let made = made(&mut numbers);
        let table = made.objects.table();
        let found = read(&table);
        assert_eq!(planted(&found), made.planted, "seed {seed}");
        assert_eq!(found.codes, Vec::<&str>::new(), "seed {seed}");
        for link in &found.links {
            let (start, end) = link.span.unwrap();
            let object = &table[start as usize..end as usize];
            assert!(object.starts_with(b"(") && object.ends_with(b")") || object.starts_with(b"<"));
        }
        for (each, has_predictor) in [(1, false), (5, true), (1000, true)] {
            let found = read(&made.objects.packed(each, has_predictor));
            assert_eq!(
                planted(&found),
                made.planted,
                "seed {seed}, {each} in a stream"
            );
            assert!(found.links.iter().all(|link| link.span.is_none()));
            assert_eq!(found.codes, Vec::<&str>::new(), "seed {seed}");
        }
        // What is written behind the file or before it moves nothing that counts.
        let moved = [b"\r\n\r\n", &*table, b"\n"].concat();
        assert_eq!(planted(&read(&moved)), made.planted, "seed {seed}, moved");
        let bare = read(&made.objects.bare());
        assert_eq!(
            planted(&bare),
            made.planted,
            "seed {seed}, without cross references"
        );
        assert_eq!(bare.codes, ["pdf.xref-rebuilt"]);
    }
}

#[test]
fn broken_cross_references_are_rebuilt() {
    let objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
    let table = String::from_utf8_lossy(&objects.table()).into_owned();
    // A byte more in front of everything but the header.
    let late = table.replacen("1 0 obj", "\n\n1 0 obj", 1);
    let nowhere = table.replacen("startxref\n", "startxref\n9", 1);
    let to_text = table.replacen("xref\n0 1", "xxxx\n0 1", 1);
    let packed = objects.packed(2, true);
    let cut = packed[..packed.len() - 40].to_vec();
    // Without its last object, which has the only trailer.
    let last = packed.windows(10).position(|part| part == b"/Type/XRef");
    let no_root = packed[..last.unwrap()].to_vec();
    for pdf in [
        late.as_bytes(),
        nowhere.as_bytes(),
        to_text.as_bytes(),
        &cut,
        &no_root,
    ] {
        let found = read(pdf);
        assert_eq!(found.links.len(), 1, "{}", String::from_utf8_lossy(pdf));
        assert_eq!(found.codes, ["pdf.xref-rebuilt"]);
    }
}

#[test]
fn an_update_replaces_and_deletes_objects() {
    let mut objects = with_actions(&["4 0 R", "5 0 R"]);
    objects.add("<</S/URI/URI(http://example.com/old)>>");
    objects.add("<</S/URI/URI(http://example.com/deleted)>>");
    let mut file = objects.table();
    let text = String::from_utf8_lossy(&file).into_owned();
    let previous = text.split("startxref\n").nth(1).unwrap();
    let previous = previous.lines().next().unwrap().to_owned();
    let at = String::from_utf8_lossy(&file)
        .find("trailer")
        .map(|_| file.len() + 1)
        .unwrap();
    file.extend(b"\n4 0 obj\n<</S/URI/URI(http://example.com/new)>>\nendobj\n");
    let start = file.len();
    file.extend(format!("xref\n4 2\n{at:010} 00000 n \n0000000000 00001 f \n").bytes());
    file.extend(
        format!("trailer\n<</Root 1 0 R/Prev {previous}>>\nstartxref\n{start}\n%%EOF").bytes(),
    );
    assert_eq!(references(&file), ["http://example.com/new"]);
}

#[test]
fn strings_are_decoded_as_their_kind_asks() {
    let objects = with_actions(&[
        "<</S/URI/URI(http://example.com/\\\n\\101\\5)>>",
        "<</S/URI/URI<687474703A2F2F61 2>>>",
        "<</S/URI/URI(http://example.com/caf\\351)>>",
        "<</S/URI/URI<FEFF0068007400740070003A002F002F00E9>>>",
        "<</S/Launch/F<</UF(r\\351sum\\351 1.pdf)>>>>",
        "<</S/Launch/F<</UF<FEFF00E9002E007000640066>>>>>",
        "<</S/Launch/F<</UF<EFBBBFC3A92E706466>/F(e.pdf)>>>>",
        "<</S/Launch/F<</UF(\\204.pdf)>>>>",
        "<</S/Launch/F(a#b?c%d.pdf)>>",
        "<</S/Launch/F(a:b.pdf)>>",
    ]);
    let expected = [
        "http://example.com/A\u{5}",
        "http://a ",
        "http://example.com/caf\u{FFFD}",
        "http://é",
        "r%C3%A9sum%C3%A9%201.pdf",
        "%C3%A9.pdf",
        "%C3%A9.pdf",
        "%E2%80%94.pdf",
        "a%23b%3Fc%25d.pdf",
        "./a:b.pdf",
    ];
    assert_eq!(references(&objects.table()), expected);
}

#[test]
fn targets_of_file_specifications() {
    let mut objects = with_actions(&[
        "<</S/GoToR/F(b.pdf)/D[4/Fit]>>",
        "<</S/GoToR/F(b.pdf)/D(chapter.1 x)>>",
        "<</S/GoToR/F(b.pdf)/D/name>>",
        "<</S/GoToR/F(../b.pdf)>>",
        "<</S/GoToE/F(c.pdf)/T<</R/C/N(x)>>>>",
        "<</S/GoToE/T<</R/C/N(x)>>>>",
        "<</S/SubmitForm/F<</FS/URL/F(http://example.net/cgi)>>>>",
        "<</S/ImportData/F(d.fdf)>>",
        "<</S/Launch/Win<</F(e.exe)>>>>",
        "<</S/Launch/F(http://example.net/f)>>",
        "<</S/URI/URI(g.html)>>",
    ]);
    let catalog = "<</Pages 2 0 R/URI<</Base(http://example.org/base/)>>>>";
    objects.0.insert(1, catalog.into());
    let found = read(&objects.table());
    let targets: Vec<_> = found
        .links
        .iter()
        .map(|link| link.target.as_str())
        .collect();
    let expected = [
        "http://example.com/dir/b.pdf#page=5",
        "http://example.com/dir/b.pdf#nameddest=chapter.1%20x",
        "http://example.com/dir/b.pdf#nameddest=name",
        "http://example.com/b.pdf",
        "http://example.com/dir/c.pdf",
        "http://example.net/cgi",
        "http://example.com/dir/d.fdf",
        "http://example.com/dir/e.exe",
        "http://example.net/f",
        "http://example.org/base/g.html",
    ];
    assert_eq!(targets, expected);
    assert_eq!(found.links[0].reference, "b.pdf");
}

#[test]
fn pages_and_destinations_are_anchors() {
    let objects = Objects::of(&[
        (
            1,
            "<</Pages 2 0 R/Dests<</old#20one[3 0 R/Fit]>>/Names<</Dests 4 0 R>>>>",
        ),
        (2, "<</Kids[3 0 R 3 0 R 5 0 R]>>"),
        (3, "<<>>"),
        (
            4,
            "<</Kids[<</Names[(a)[3 0 R/Fit](caf\\351)null]>> <</Names[(a)1<FEFF00E8>2]>>]>>",
        ),
        (5, "<<>>"),
    ]);
    let mut anchors = read(&objects.table()).anchors;
    anchors.sort();
    let expected = [
        "nameddest=a",
        "nameddest=café",
        "nameddest=old one",
        "nameddest=è",
        "page=1",
        "page=2",
    ];
    assert_eq!(anchors, expected);
}

#[test]
fn damaged_objects_are_diagnosed() {
    let uri = "<</Subtype/Link/A<</S/URI/URI(http://example.com/a)>>>>";
    let page = format!("<</Type/Page/Annots[{uri}]>>");
    let file = |kids: &str, other: &str| {
        let pages = format!("<</Type/Pages/Kids[{kids}]>>");
        let objects = [
            (1, "<</Type/Catalog/Pages 2 0 R>>"),
            (2, &pages),
            (3, &page),
            (4, other),
        ];
        let found = read(&Objects::of(&objects).table());
        (found.links.len(), found.codes)
    };
    assert_eq!(file("3 0 R 4 0 R", &page), (2, vec![]));
    let title = "<</Type/Page/Title(an object ends with endobj, and 2 0 obj begins one)>>";
    assert_eq!(file("3 0 R 4 0 R", title), (1, vec![]));
    for other in [
        // A bracket that was another byte, a string without an end, and a dictionary without one.
        &format!("<</Type/Page/AA<</O<</S/X>./Annots[{uri}]>>>>"),
        &format!("<</Type/Page/Title(a/Annots[{uri}]>>"),
        "<</Type/Page/Title 1",
        "[]",
    ] {
        assert_eq!(
            file("4 0 R 3 0 R", other),
            (1, vec!["pdf.damaged"]),
            "{other}"
        );
    }
    assert_eq!(file("9 0 R 3 0 R", &page), (1, vec!["pdf.damaged"]));
}

#[test]
fn links_before_the_cut_of_a_file_are_read() {
    let uris = ["http://example.com/a", "http://example.com/b"];
    let actions = uris.map(|uri| format!("<</S/URI/URI({uri})>>"));
    let file = with_actions(&[&actions[0], &actions[1]]).table();
    let end = |uri: &str| memchr::memmem::find(&file, uri.as_bytes()).unwrap() + uri.len() + 1;
    let ends = uris.map(end);
    for cut in ends[0]..=file.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(
            references(&file[..cut]),
            uris[..whole],
            "{:?}",
            String::from_utf8_lossy(&file[..cut])
        );
    }
}

#[test]
fn links_before_a_lost_page_tree_are_read_once() {
    let link = |uri: &str| format!("<</Subtype/Link/A<</S/URI/URI(http://example.com/{uri})>>>>");
    let objects = [
        (5, link("a")),
        (6, link("b")),
        (3, format!("<</Type/Page/Annots[5 0 R {}]>>", link("c"))),
    ];
    let objects = objects.map(|(number, object)| format!("{number} 0 obj\n{object}\nendobj\n"));
    let file = format!("%PDF-1.7\n{}2 0 obj\n<</Type/Pages/Ki", objects.concat());
    let uris = ["a", "c", "b"].map(|uri| format!("http://example.com/{uri}"));
    assert_eq!(references(file.as_bytes()), uris);
    let catalog = format!("{file}\n1 0 obj\n<</Type/Catalog/Pages 9 0 R>>\nendobj\n");
    assert_eq!(references(catalog.as_bytes()), uris);
}

#[test]
fn links_of_objects_whose_holders_were_cut_off_are_read_once() {
    let action = |uri: &str| format!("<</S/URI/URI(http://example.com/{uri})>>");
    let link = |action: &str| format!("<</Subtype/Link/A {action}>>");
    let file = |objects: &[(u32, String)], end: &str| {
        let object = |(number, object): &_| format!("{number} 0 obj\n{object}\nendobj\n");
        let objects: String = objects.iter().map(object).collect();
        references(format!("%PDF-1.7\n{objects}{end}").as_bytes())
    };
    let uris = |names: &str| -> Vec<String> {
        let names = names.chars();
        names
            .map(|name| format!("http://example.com/{name}"))
            .collect()
    };
    // Actions and arrays of annotations before the annotations and the pages that name them.
    let next = "<</S/URI/URI(http://example.com/b)/Next 5 0 R>>";
    let mut objects = vec![
        (5, action("a")),
        (6, next.to_owned()),
        (7, format!("[8 0 R {} 1 2]", link(&action("c")))),
    ];
    let end = "2 0 obj\n<</Type/Pages/Ki";
    assert_eq!(file(&objects, end), uris("cab"));
    objects.push((8, link("6 0 R")));
    assert_eq!(file(&objects, end), uris("bac"));
    objects.push((9, "<</Type/Page/Annots 7 0 R>>".to_owned()));
    assert_eq!(file(&objects, end), uris("bac"));
    // A whole page tree, but without a page, its annotations, or the root or an item of the outline.
    let tree = |page: &str, outlines: &str| {
        vec![
            (1, format!("<</Type/Catalog/Pages 2 0 R{outlines}>>")),
            (2, "<</Type/Pages/Kids[3 0 R]>>".to_owned()),
            (3, page.to_owned()),
            (5, link(&action("a"))),
            (6, format!("<</Title(b)/Next 7 0 R/A{}>>", action("b"))),
        ]
    };
    let page = "<</Type/Page/Annots[5 0 R]>>";
    assert_eq!(
        file(&tree(page, "/Outlines 9 0 R"), "9 0 obj\n"),
        uris("ab")
    );
    assert_eq!(
        file(&tree(page, "/Outlines<</First 7 0 R>>"), ""),
        uris("ab")
    );
    assert_eq!(
        file(&tree("<</Type/Page/Annots 9 0 R>>", ""), ""),
        uris("ab")
    );
    assert_eq!(file(&tree(page, "")[..2], ""), uris(""));
    let mut unread = tree(page, "");
    unread.remove(2);
    assert_eq!(file(&unread, ""), uris("ab"));
    // Objects that nothing names are not read in a file that is whole.
    assert_eq!(file(&tree(page, ""), ""), uris("a"));
}

#[test]
fn an_update_that_was_cut_before_its_trailer_is_read() {
    let file = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]).table();
    let page = "<</Type/Page/Annots[9 0 R]>>";
    let link = "<</Subtype/Link/A<</S/URI/URI(http://example.com/b)>>>>";
    let update = format!("\n3 0 obj\n{page}\nendobj\n9 0 obj\n{link}\nendobj\nxref\n0 1\n");
    let updated = [&file[..], update.as_bytes()].concat();
    assert_eq!(references(&updated), ["http://example.com/b"]);
    let other = [&file[..], b"\n<html>an object</html>\n"].concat();
    assert_eq!(references(&other), ["http://example.com/a"]);
    assert_eq!(read(&other).codes, [""; 0]);
}

#[test]
fn encrypted_pdf_is_diagnosed() {
    let objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
    let found = read(&objects.table_with("/Encrypt<</Filter/Standard>>"));
    assert_eq!(
        (found.links.len(), found.codes),
        (0, vec!["package.encrypted"])
    );
}

#[test]
fn the_start_of_a_longer_file_is_read() {
    let mut objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
    objects.add(format!("({})", "x".repeat(10_000)));
    let file = objects.table();
    for window in [1, 100, 1 << 20] {
        let found = read_with(&file, window, 5_000);
        assert_eq!(found.links.len(), 1);
        assert_eq!(found.codes, ["pdf.xref-rebuilt", "pdf.too-long"]);
    }
    // Where a file ends inside an object, none is damaged.
    let many = with_actions(&["<</S/URI/URI(http://example.com/a)>>"; 60]).table();
    for length in 1000..1100 {
        let found = read_with(&many, 100, length);
        assert!(!found.codes.contains(&"pdf.damaged"), "{length}");
    }
}
