//! The public API: auto traits, and what the root offers.

use std::io;
use std::ops::ControlFlow;

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{Diagnostic, Found, Link, Sink};
use uriscan::output::Layout;
use uriscan::pipeline;
use uriscan::{AuditOptions, Finding, audit};

fn can_be_sent<T: Send>() {}

fn can_be_shared<T: Send + Sync>() {}

fn can_be_shown<T: std::fmt::Debug>() {}

#[test]
fn types_go_where_threads_need_them() {
    can_be_sent::<Extractor>();
    can_be_shared::<ExtractorOptions>();
    can_be_shared::<Document<'_>>();
    can_be_shared::<Link<'_>>();
    can_be_shared::<Diagnostic<'_>>();
    can_be_shared::<Layout>();
    can_be_shared::<pipeline::PipelineOptions>();
    can_be_shown::<Finding<'_>>();
}

#[test]
fn an_owned_link_has_the_quoting_of_the_link() {
    let mut sink = |link: &Link<'_>| {
        assert_eq!(uriscan::OwnedLink::from(link).quoting, link.quoting);
    };
    let page = b"<a href=a><p style='background:url(b)'>";
    let document = Document::new(Format::HTML, None);
    Extractor::new(&ExtractorOptions::default()).extract_bytes(&document, page, &mut sink);
}

#[test]
fn the_root_finds_links_and_resolves() {
    use uriscan::{Base, BaseSource, Format, ResolveErrorKind, Rules, links, resolve};
    let base = Base::retrieved("http://example.com/a/index.html").unwrap();
    let page = b"<a href='\xff'><base href=/x/><a id=1 href=b>";
    let found: Vec<_> = links(page, Format::HTML, Some(&base)).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].reference_str(), Some("\u{ff}"));
    let bases: Vec<_> = found.iter().map(|link| link.base_source.clone()).collect();
    assert_eq!(bases[1], Some(BaseSource::ContentBase));
    assert_eq!(found[1].base_str(), Some("http://example.com/x/"));
    assert_eq!(found[1].target_str(), Some("http://example.com/x/b"));
    assert_eq!(links(b"", Format::TEXT, None).len(), 0);

    assert_eq!(
        resolve("http://a/b", "c", Rules::Whatwg).unwrap(),
        b"http://a/c"
    );
    for base in ["", "b", "//a/"] {
        let error = resolve(base, "http://a/", Rules::RFC3986).unwrap_err();
        assert_eq!(error.kind(), ResolveErrorKind::InvalidBase, "{base}");
    }
    let error: Box<dyn std::error::Error> = resolve("mailto:a@example.com", "b", Rules::Whatwg)
        .unwrap_err()
        .into();
    assert!(!error.to_string().is_empty());
}

/// Keeps the first references and stops.
struct First(usize, Vec<String>);

impl Sink for First {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.1.push(link.reference_str().unwrap().to_owned());
        if self.1.len() == self.0 {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, _found: &Found<'_>) {
        assert!(self.1.len() < self.0);
    }
}

#[test]
fn a_sink_stops_a_document_and_the_next_one_is_read() {
    fn passed_on(extractor: &mut Extractor, document: &Document<'_>, sink: &mut dyn Sink) {
        let page = b"<a href=a><a href=b><base href=/x/><a href='\xff'><a name=n href=c>";
        extractor.extract_bytes(document, page, sink);
    }
    let mut extractor = Extractor::new(&ExtractorOptions::default().with_window(8));
    let html = Document::new(Format::HTML, None);
    let mut first = First(2, Vec::new());
    passed_on(&mut extractor, &html, &mut first);
    assert_eq!(first.1, ["a", "b"]);
    let mut boxed: Box<dyn Sink> = Box::new(|_: &Link<'_>| ());
    passed_on(&mut extractor, &html, &mut boxed);
    let mut count = 0;
    let mut lent: Box<dyn Sink + '_> = Box::new(|_: &Link<'_>| count += 1);
    passed_on(&mut extractor, &html, &mut lent);
    drop(lent);
    assert_eq!(count, 4);
    let mut sent: Box<dyn Sink + Send> = Box::new(|_: &Link<'_>| ());
    passed_on(&mut extractor, &html, &mut sent);
    let endless = std::io::Read::chain(&b"http://a/ http://b/ http://c/ "[..], io::repeat(b' '));
    let mut first = First(1, Vec::new());
    let text = Document::new(Format::TEXT, None);
    let read = extractor.extract(&text, endless, &mut first).unwrap();
    assert_eq!(first.1, ["http://a/"]);
    assert!(read < 100_000, "{read}");
}

/// Returns the number of names that a source file exports: in `pub use`, and as items.
fn exported(path: &str) -> usize {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let source = std::fs::read_to_string(path).unwrap();
    let uses = source.split("pub use ").skip(1).map(|rest| {
        let (names, _) = rest.split_once(';').unwrap();
        let names = names.split_once('{').map_or(names, |(_, names)| names);
        names
            .trim_end_matches(['}', ',', '\n', ' '])
            .split(',')
            .count()
    });
    let items = [
        "pub fn ",
        "pub enum ",
        "pub struct ",
        "pub static ",
        "pub trait ",
    ];
    let is_item = |line: &&str| items.iter().any(|item| line.starts_with(item));
    uses.sum::<usize>() + source.lines().filter(is_item).count()
}

#[test]
fn public_items_are_at_most_120() {
    // The constants of `codes` are one item, by their table.
    let files = ["src/lib.rs", "src/audit/mod.rs", "src/rewrite.rs"];
    let items: usize = files.map(exported).iter().sum();
    assert!((80..=120).contains(&items), "{items}");
}

#[test]
fn overlay_by_an_absolute_path_is_of_a_file_reached_by_a_relative_path() {
    let path = "corpus/css/conditions.css";
    let absolute = std::env::current_dir().unwrap().join(path);
    let options = AuditOptions::default().overlay(absolute, "a { b: url(none.png) }");
    let mut references = Vec::new();
    let on_finding = |finding: &Finding<'_>| references.push(finding.reference().to_vec());
    audit(&options, [path], on_finding).unwrap();
    assert_eq!(references, [b"none.png"]);
}

#[test]
fn overlay_of_a_file_that_does_not_exist_is_not_audited() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.html");
    std::fs::write(&path, "<a href=missing.html>").unwrap();
    let audited = |options: AuditOptions| {
        let mut references = Vec::new();
        let checked = audit(&options, [directory.path()], |finding: &Finding<'_>| {
            references.push(String::from_utf8_lossy(finding.reference()).into_owned());
        });
        checked.map(|_| references)
    };
    let other = directory.path().join("other.html");
    let options = AuditOptions::default().overlay(&other, "<a href=none.html>");
    assert_eq!(audited(options).unwrap(), ["missing.html"]);
    // The contents of the file itself are not used.
    let options = AuditOptions::default().overlay(&path, "<a href=none.html>");
    assert_eq!(audited(options).unwrap(), ["none.html"]);
}
