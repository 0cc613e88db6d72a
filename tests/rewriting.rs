//! References of documents, replaced by others: they are read as written, and no others change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use uriscan::rewrite::{RewriteError, replacement};
use uriscan::{Base, Document, Extractor, ExtractorOptions, Format, Link, Span};

/// The documents of a folder, without their expectations.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_none_or(|extension| extension != "links")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A link of a document, and the bytes for another reference in its place.
struct Place {
    span: Span,
    reference: Vec<u8>,
    new: Result<Vec<u8>, RewriteError>,
}

/// The links of a document, with the bytes for a reference in the place of each.
fn places(format: &'static Format, bytes: &[u8], new: impl Fn(usize) -> Vec<u8>) -> Vec<Place> {
    let mut places = Vec::new();
    let base = Base::retrieved("http://example.com/corpus/document").unwrap();
    let mut sink = |link: &Link<'_>| {
        places.push(Place {
            span: link.document_span().unwrap_or(link.span),
            reference: link.reference.to_vec(),
            new: replacement(link, &new(places.len())),
        });
    };
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    extractor.extract_bytes(&Document::new(format, Some(&base)), bytes, &mut sink);
    places
}

/// Rewrites the chosen links of a document; returns those that are read otherwise, or have changed.
fn misread(
    format: &'static Format,
    bytes: &[u8],
    new: impl Fn(usize) -> Vec<u8>,
    chosen: impl Fn(usize) -> bool,
) -> Vec<String> {
    let before = places(format, bytes, &new);
    let mut expected: Vec<Vec<u8>> = before.iter().map(|place| place.reference.clone()).collect();
    let mut order: Vec<usize> = (0..before.len()).collect();
    order.sort_by_key(|&index| (before[index].span.start, before[index].span.end));
    let (mut written, mut at) = (Vec::new(), 0);
    let mut last: Option<(Span, usize)> = None;
    for index in order {
        let Place {
            span,
            new: bytes_of,
            ..
        } = &before[index];
        // Several links may have one span, such as those by one definition.
        if let Some((_, first)) = last.filter(|(known, _)| known == span) {
            expected[index] = new(first);
        } else if chosen(index)
            && let Ok(replacement) = bytes_of
            && span.start as usize >= at
        {
            written.extend_from_slice(&bytes[at..span.start as usize]);
            written.extend_from_slice(replacement);
            at = span.end as usize;
            expected[index] = new(index);
            last = Some((*span, index));
        }
    }
    if last.is_none() {
        return Vec::new();
    }
    written.extend_from_slice(&bytes[at..]);
    let after = places(format, &written, &new);
    let mut reports = Vec::new();
    for index in 0..before.len().max(after.len()) {
        let got = after
            .get(index)
            .map_or(&b"nothing"[..], |place| &place.reference);
        let wanted = expected.get(index).map_or(&b"nothing"[..], |wanted| wanted);
        if got != wanted {
            let old = before.get(index).map(|place| shown(&place.reference));
            reports.push(format!(
                "{old:?}: {} instead of {}",
                shown(got),
                shown(wanted)
            ));
        }
    }
    reports
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// How many links of a format can be written, and how many not for each reason.
#[derive(Debug, Default)]
struct Written {
    all: usize,
    place: usize,
    form: usize,
}

impl Written {
    fn add(&mut self, places: &[Place]) {
        self.all += places.len();
        let failed = |error| {
            places
                .iter()
                .filter(|place| place.new == Err(error))
                .count()
        };
        self.place += failed(RewriteError::Place);
        self.form += failed(RewriteError::Form);
    }
}

const NEW: [&str; 3] = [
    "http://new.example/a",
    "_b/c_d.html",
    "../c d?\"x'=<1>&y=(2),*/[3]{4}|\\#\u{e9}\u{1f600}",
];

/// The documents of the corpus and of the vectors, with their names.
fn cases() -> Vec<(String, &'static Format, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["corpus", "tests/vectors/mail", "tests/vectors/documents"];
    let mut cases = Vec::new();
    for path in folders
        .iter()
        .flat_map(|folder| documents(&root.join(folder)))
    {
        let folder = path.parent().and_then(Path::file_name).unwrap();
        let by_folder = Format::named(&folder.to_string_lossy());
        if let Some(format) = by_folder.or_else(|| Format::for_path(&path)) {
            cases.push((path.display().to_string(), format, fs::read(&path).unwrap()));
        }
    }
    for (name, format) in [("html", Format::HTML), ("text", Format::TEXT)] {
        let rows = fs::read_to_string(root.join(format!("tests/vectors/{name}.jsonl"))).unwrap();
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            if let Some(document) = row[name].as_str() {
                cases.push((row["id"].to_string(), format, document.as_bytes().to_vec()));
            }
        }
    }
    cases
}

#[test]
fn rewritten_links_are_read_as_written_and_change_no_others() {
    let mut counts: BTreeMap<&str, [Written; 3]> = BTreeMap::new();
    let mut reports = Vec::new();
    for (name, format, bytes) in cases() {
        for (kind, new) in NEW.iter().enumerate() {
            let new = |_| new.as_bytes().to_vec();
            let places = places(format, &bytes, new);
            counts.entry(format.name).or_default()[kind].add(&places);
            for index in 0..places.len() {
                let misread = misread(format, &bytes, new, |at| at == index);
                reports.extend(misread.iter().map(|line| format!("{name}: {line}")));
            }
        }
    }
    println!("{counts:#?}");
    assert!(
        reports.is_empty(),
        "{}:\n{}",
        reports.len(),
        reports.join("\n")
    );
    // Other references are empty, encoded, or completed by the format.
    for (format, least) in [
        ("html", 95),
        ("css", 100),
        ("markdown", 90),
        ("xml", 85),
        ("text", 80),
        ("eml", 40),
    ] {
        let Written { all, place, form } = counts[format][0];
        let written = all - place - form;
        assert!(written * 100 >= all * least, "{format}: {written} of {all}");
    }
}

/// Reads the documents of the folder that `REWRITE_TREE` names, at most a thousand.
#[test]
fn rewritten_links_of_real_documents_are_read_as_written() {
    let Ok(tree) = std::env::var("REWRITE_TREE") else {
        return;
    };
    let mut counts: BTreeMap<&str, Written> = BTreeMap::new();
    let mut reports = Vec::new();
    let paths = documents(Path::new(&tree)).into_iter();
    for path in paths
        .filter(|path| Format::for_path(path).is_some())
        .take(1000)
    {
        let format = Format::for_path(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let new = |index| format!("http://new.example/{index}/\u{e9}?a=1&b='2'").into_bytes();
        let plain = |index| format!("http://new.example/{index}/a").into_bytes();
        counts
            .entry(format.name)
            .or_default()
            .add(&places(format, &bytes, plain));
        for half in 0..2 {
            let mut misread_links = misread(format, &bytes, new, |index| index % 2 == half);
            misread_links.extend(misread(format, &bytes, plain, |index| index % 2 == half));
            reports.extend(
                misread_links
                    .iter()
                    .map(|it| format!("{}: {it}", path.display())),
            );
        }
    }
    println!("{counts:#?}");
    assert!(
        reports.is_empty(),
        "{}:\n{}",
        reports.len(),
        reports.join("\n")
    );
}

/// The references of `base` elements, with their targets, and whether they are the only links reported
/// on request.
#[test]
fn base_reference_is_a_link_on_request() {
    let cases: [(&str, &str, &[&str]); 8] = [
        (
            "html",
            "<base href=/x/><a href=a>",
            &["http://example.com/x/"],
        ),
        (
            "html",
            "<a href=a><base href='/y/?a=1&amp;b'>",
            &["http://example.com/y/?a=1&b"],
        ),
        (
            "html",
            "<base href=/x/><base href=/z/>",
            &["http://example.com/x/"],
        ),
        ("html", "<base href=''><base href=/z/>", &[]),
        (
            "html",
            "<base target=t><template><base href=/t/></template>",
            &[],
        ),
        (
            "html",
            "<table><base href=/in/></table><base href=/x/>",
            &["http://example.com/in/"],
        ),
        (
            "html",
            "<base href=/x/><iframe srcdoc=\"<base href='b/'>\">",
            &["http://example.com/x/", "http://example.com/x/b/"],
        ),
        (
            "xml",
            "<html xmlns='http://www.w3.org/1999/xhtml'><base href='/x/'/><a href='a'/></html>",
            &["http://example.com/x/"],
        ),
    ];
    for (format, page, expected) in cases {
        for report_base in [false, true] {
            let mut options = ExtractorOptions::default();
            options.formats.html.report_base = report_base;
            let base = Base::retrieved("http://example.com/docs/a.html").unwrap();
            let format = Format::named(format).unwrap();
            for window in [1, 1 << 16] {
                let (mut bases, mut others) = (Vec::new(), 0);
                let mut sink = |link: &Link<'_>| match (link.element, link.attribute) {
                    (Some("base"), Some("href")) => {
                        bases.push(link.target_str().unwrap().to_owned())
                    }
                    _ => others += 1,
                };
                let mut extractor = Extractor::new(&options.clone().with_window(window));
                let document = Document::new(format, Some(&base));
                extractor.extract_bytes(&document, page.as_bytes(), &mut sink);
                let expected = if report_base { expected } else { &[] };
                assert_eq!(bases, expected, "{page} by {window}");
                assert_eq!(others, page.matches("<a ").count(), "{page}");
            }
        }
    }
}

#[test]
fn references_in_several_syntaxes_have_the_escapes_of_all() {
    let new = "it's?a=1&b=\u{e9}";
    for (format, before, after) in [
        (
            "html",
            "<p style=\"background:url(a)\">",
            "<p style=\"background:url(it\\27 s?a=1&amp;b=\\e9 )\">",
        ),
        (
            "html",
            "<p style=background:url(a)>",
            "<p style=background:url(it\\27&#32;s?a&#61;1&amp;b&#61;\\e9&#32;)>",
        ),
        (
            "html",
            "<iframe srcdoc='<a href=a>'>",
            "<iframe srcdoc='<a href=it&amp;#39;s?a&amp;#61;1&amp;amp;b&amp;#61;&amp;#233;>'>",
        ),
        (
            "html",
            "<iframe srcdoc='&lt;a href=&quot;a&quot;>'>",
            "<iframe srcdoc='&lt;a href=&quot;it&amp;#39;s?a=1&amp;amp;b=&amp;#233;&quot;>'>",
        ),
        (
            "css",
            "a{background:url( 'a' )}",
            "a{background:url( 'it\\27 s?a=1&b=\\e9 ' )}",
        ),
        ("css", "@import \"a\";", "@import \"it\\27 s?a=1&b=\\e9 \";"),
        (
            "markdown",
            "[t](a \"title a\")\n",
            "[t](it&#39;s?a=1&amp;b=&#233; \"title a\")\n",
        ),
        (
            "markdown",
            "[t](<a> 'a')\n",
            "[t](<it&#39;s?a=1&amp;b=&#233;> 'a')\n",
        ),
        (
            "markdown",
            "> [t]\n\n[t]: a (a)\n",
            "> [t]\n\n[t]: it&#39;s?a=1&amp;b=&#233; (a)\n",
        ),
        (
            "ipynb",
            "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"\\\"[t](a)\\n\"]}]}",
            "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"\\\"[t](it&#39;s?a=1&amp;b=&#233;)\\n\"]}]}",
        ),
    ] {
        let format = Format::named(format).unwrap();
        let written = places(format, before.as_bytes(), |_| new.as_bytes().to_vec());
        let [place] = &written[..] else {
            panic!("{before}: {} links", written.len());
        };
        let range = place.span.start as usize..place.span.end as usize;
        let mut got = before.as_bytes().to_vec();
        got.splice(range, place.new.clone().unwrap());
        assert_eq!(shown(&got), shown(after.as_bytes()), "{before}");
        let again = places(format, &got, |_| Vec::new());
        assert_eq!(
            shown(&again[0].reference),
            shown(new.as_bytes()),
            "{before}"
        );
    }
}

#[test]
fn links_after_a_body_in_base64_keep_the_escapes_of_json() {
    let har = br#"{"log":{"entries":[
        {"request":{"url":"http://example.org/"},"response":{
         "content":{"mimeType":"text/html","text":"PGEgaHJlZj1kPg==","encoding":"base64"}}},
        {"request":{"url":"http://example.org/"},"response":{
         "headers":[{"name":"Location","value":"http://example.com/"}]}}]}}"#;
    let new = |_| b"http://example.net/".to_vec();
    let written = places(Format::named("har").unwrap(), har, new);
    let location = written
        .iter()
        .find(|one| one.reference == b"http://example.com/");
    assert_eq!(location.unwrap().new, Ok(b"http://example.net/".to_vec()));
}

#[test]
fn parts_of_mail_are_written_where_they_are_stored_unencoded() {
    let part = |transfer: &str, body: &str| {
        format!(
            "--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: {transfer}\r\n\r\n{body}\r\n"
        )
    };
    let message = [
        "List-Archive: <http://a.example/0>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
        &part("8bit", "<p>\u{e9}<a href='http://a.example/1'>"),
        &part("quoted-printable", "<a href=3D'http://a.example/2'>"),
        &part("7bit", "<a href=http://a.example/3>"),
        "--b\r\n\r\nSee http://a.example/4 here.\r\n--b--\r\n",
    ]
    .concat();
    let mailbox = |quoted: &str| format!("From a@b Mon Jan  1 00:00:00 2024\r\n{message}{quoted}");
    for (format, text) in [
        ("eml", message.clone()),
        ("mbox", mailbox("")),
        ("mbox", mailbox("").repeat(2)),
    ] {
        let format = Format::named(format).unwrap();
        let new = |index| format!("http://new.example/{index}").into_bytes();
        let written = places(format, text.as_bytes(), new);
        for (index, place) in written.iter().enumerate() {
            let range = place.span.start as usize..place.span.end as usize;
            let is_encoded = place.reference.ends_with(b"/2");
            assert_eq!(place.new.is_err(), is_encoded, "{index} of {}", format.name);
            if !is_encoded {
                assert_eq!(text.as_bytes()[range], place.reference);
            }
        }
        assert_eq!(written.len() % 5, 0);
        let reports = misread(format, text.as_bytes(), new, |_| true);
        assert!(reports.is_empty(), "{}", reports.join("\n"));
    }
    // What follows a line that the mailbox has quoted is elsewhere.
    let quoted = "From a@b Mon Jan  1 00:00:00 2024\n\n>From here\nhttp://a.example/1\n";
    let format = Format::named("mbox").unwrap();
    let written = places(format, quoted.as_bytes(), |_| {
        b"http://new.example/".to_vec()
    });
    assert_eq!(written.len(), 1);
    assert_eq!(written[0].new, Err(RewriteError::Place));
}

#[test]
fn urls_of_asciidoc_stay_urls() {
    let format = Format::named("adoc").unwrap();
    let text = b"http://a.example/1[one] and link:b.adoc[two]\n";
    for (new, fits) in [
        ("b.html", false),
        ("cid:x", false),
        ("http://b.example/", true),
    ] {
        let written = places(format, text, |_| new.into());
        let fitting: Vec<bool> = written.iter().map(|place| place.new.is_ok()).collect();
        assert_eq!(fitting, [fits, true], "{new}");
    }
}

#[test]
fn references_that_would_be_read_otherwise_are_not_written() {
    let importmap = r#"<script type=importmap>{"imports":{"a":"./a.js"}}</script>"#;
    let guid =
        "<rss version='2.0'><channel><item><guid>http://a.example/</guid></item></channel></rss>";
    let linked = r#"{"@context":{"@base":"http://a.example/"},"@id":"a"}"#;
    for (format, document, fitting, others) in [
        (
            "json",
            r#"{"a":"http://a.example/"}"#,
            "http://b.example/a%20b",
            &[
                "http://b.example/a b",
                "http://b.example/<a>",
                "http://b.example/\"",
                "http://b.example/\u{1}",
                "http://",
            ][..],
        ),
        (
            "css",
            "a{}/*# sourceMappingURL=a.map */",
            "b/*.map",
            &["b*/c.map"],
        ),
        (
            "html",
            importmap,
            "../b.js",
            &["{data:b", "!:b", ".b", "b.js"],
        ),
        (
            "xml",
            guid,
            "tag:b.example,2026:b",
            &["!:b", "{data:b", "1:b"],
        ),
        ("jsonld", linked, "b", &["@b", "_:b"]),
        (
            "adoc",
            "xref:a.adoc[a]\n",
            "b.adoc",
            &["&b.adoc", "!b.adoc", "@b.adoc", "+b.adoc", "-b.adoc"],
        ),
        ("org", "[[~/a.org]]\n", "./b.org", &["b.org", ".b", "b:c"]),
        ("org", "[[file:a.org]]\n", "b.org", &["//b.example/"]),
    ] {
        let format = Format::named(format).unwrap();
        for new in others.iter().chain([&fitting]) {
            let new = |_| new.as_bytes().to_vec();
            let written = places(format, document.as_bytes(), new);
            let [Place { new: bytes, .. }] = &written[..] else {
                panic!("{document}: {} links", written.len());
            };
            let is_fitting = new(0) == fitting.as_bytes();
            let name = shown(&new(0));
            assert_eq!(bytes.is_ok(), is_fitting, "{name} in {document}");
            let reports = misread(format, document.as_bytes(), new, |_| true);
            assert!(reports.is_empty(), "{}", reports.join("\n"));
        }
    }
}
