//! JSON: serde_json as the oracle, and cases of the rules of `document/json`.

mod http_archive;
mod linked_data;
mod notebook;
mod oracle;

use std::ops::ControlFlow;

use uriscan::Format;
use uriscan::document::FormatOptions;
use uriscan::document::flags::Flags;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};

use crate::html::oracle::json::Json;
use crate::text::soup::Numbers;

/// A link that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    member: Option<String>,
    reference: String,
    target: String,
    context: &'static str,
    attribute: Option<String>,
    span: (u64, u64),
    flags: Flags,
}

/// The links that the library finds, and its diagnostics with the offset of each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    links: Vec<Row>,
    codes: Vec<(&'static str, u64)>,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.links.push(Row {
            reference: text(link.reference),
            target: link.target.map_or_else(|_| String::new(), text),
            member: link.member.map(str::to_owned),
            context: link.context.name(),
            attribute: link.attribute.map(str::to_owned),
            span: (link.span.start, link.span.end),
            flags: link.flags,
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        if let linker::Found::Diagnostic(diagnostic) = found {
            self.codes.push((diagnostic.code.name, diagnostic.offset));
        }
    }
}

/// Reads a document of a format `window` bytes at a time.
fn read(format: &str, json: &[u8], window: usize) -> Found {
    read_with(format, json, window, FormatOptions::default())
}

fn read_with(format: &str, json: &[u8], window: usize, formats: FormatOptions) -> Found {
    let base = Base {
        uri: b"http://example.com/dir/a.json".to_vec(),
        source: BaseSource::RetrievalFile,
    };
    let options = ExtractorOptions::default()
        .with_formats(formats)
        .with_window(window);
    let mut extractor = Extractor::new(&options);
    let mut found = Found::default();
    let document = Document::new(Format::named(format).unwrap(), Some(&base));
    let outcome = extractor.extract(&document, json, &mut found);
    outcome.expect("a slice reads without errors");
    found
}

/// Reads a document whole and in small windows, which give the same.
fn both(format: &str, json: &str) -> Found {
    let whole = read(format, json.as_bytes(), 1 << 20);
    for window in [1, 7] {
        assert_eq!(read(format, json.as_bytes(), window), whole, "{json}");
    }
    whole
}

fn references(format: &str, json: &str) -> Vec<String> {
    let links = both(format, json).links.into_iter();
    links.map(|link| link.reference).collect()
}

fn targets(format: &str, json: &str) -> Vec<String> {
    let links = both(format, json).links.into_iter();
    links.map(|link| link.target).collect()
}

fn codes(json: &str) -> Vec<(&'static str, u64)> {
    both("json", json).codes
}

/// The strings of a value that are wholly URIs of HTTP, with their JSON Pointers.
fn expected(value: &Json, pointer: &str, found: &mut Vec<(String, String)>) {
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                expected(value, &format!("{pointer}/{name}"), found);
            }
        }
        Json::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                expected(value, &format!("{pointer}/{index}"), found);
            }
        }
        Json::String(text) => {
            let rest = text.strip_prefix("http://");
            let is_whole = !text.contains(|c: char| c <= ' ' || "<>\"\x7f".contains(c));
            if is_whole && rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')) {
                found.push((pointer.to_owned(), text.clone()));
            }
        }
        Json::Other => {}
    }
}

/// Returns whether an error of serde_json is about what the grammar allows.
fn is_limit(error: &serde_json::Error) -> bool {
    let message = error.to_string();
    [
        "recursion",
        "surrogate",
        "out of range",
        "unexpected end of hex escape",
    ]
    .iter()
    .any(|limit| message.contains(limit))
}

/// Formats of known kinds.
const KINDS: [&str; 5] = ["webmanifest", "sourcemap", "jsonfeed", "ipynb", "har"];

/// Compares what the library finds, whole and in windows, with what serde_json reads.
pub(crate) fn check(json: &[u8], window: usize) {
    let kind = KINDS[window % KINDS.len()];
    for format in ["json", "jsonl", "jsonld", kind] {
        let whole = read(format, json, 64 << 10);
        assert_eq!(
            read(format, json, window),
            whole,
            "{format} in windows of {window}"
        );
    }
    // The oracle reads text without a mark.
    let Some(text) = str::from_utf8(json)
        .ok()
        .filter(|text| !text.starts_with(['\u{feff}', ')']) && !text.contains('\0'))
    else {
        return;
    };
    let found = read("json", json, window);
    let is_faulty = found
        .codes
        .iter()
        .any(|code| code.0 == "json.not-well-formed");
    let value = match serde_json::from_str::<Json>(text) {
        Err(error) => return assert!(is_faulty || is_limit(&error), "{error}: {text:?}"),
        Ok(value) => value,
    };
    assert!(!is_faulty, "{text:?}");
    let mut wanted = Vec::new();
    expected(&value, "", &mut wanted);
    let http =
        |link: &Row| link.flags.contains(Flags::GUESSED) && link.reference.starts_with("http://");
    let got: Vec<_> = (found.links.into_iter().filter(http))
        .map(|link| (link.attribute.unwrap_or_default(), link.reference))
        .collect();
    wanted
        .iter_mut()
        .filter(|(pointer, _)| pointer.len() > 1024)
        .for_each(|row| row.0.clear());
    assert_eq!(got, wanted, "{text:?}");
    // Base64 is decoded by a lenient decoder, which has tests of its own.
    if !text.to_ascii_lowercase().contains("base64") {
        let found = read(kind, json, window).links.into_iter();
        let found: Vec<_> = found.map(|link| (link.attribute, link.reference)).collect();
        assert_eq!(found, oracle::expected(kind, &value), "{kind}: {text:?}");
    }
}

const STRINGS: &[&str] = &[
    "\"http://example.com/\"",
    "\"http:\\/\\/example.com\\/\\u00e9\"",
    "\"a\\\"b\"",
    "\"\"",
    "\"see http://example.com/x.\"",
    "\"http://example.com/\\ud83d\\ude00\"",
    "\"b/c~d\"",
    "\"start_url\"",
    "\"id\"",
    "\"sources\"",
    "\"sourceRoot\"",
    "\"items\"",
    "\"content_html\"",
    "\"url\"",
    "\"<a href='x.html'>x</a>\"",
    "\"\\\\\"",
    "\"\u{e9}\"",
    "\"http:///\"",
];
const OTHER: &[&str] = &[
    "1",
    "-0.5e+3",
    "true",
    "false",
    "null",
    "12345678901234567890",
];
const BROKEN: &[&str] = &[
    ",",
    ":",
    "}",
    "]",
    "{",
    "[",
    "\"",
    "\\",
    "01",
    "nul",
    "// x\n",
    "/* \" */",
    "'",
    "\n",
    "\"\\x\"",
    "\"a\nb\"",
    "\"\\u12\"",
    "\"\t\"",
    "/",
];

/// Writes a value, now and then with something in it that is not JSON.
fn generate(random: &mut Numbers, depth: usize, faults: bool, out: &mut String) {
    let pick = |random: &mut Numbers, list: &[&'static str]| list[random.below(list.len())];
    if faults && random.below(12) == 0 {
        out.push_str(pick(random, BROKEN));
    }
    if random.below(5) == 0 {
        out.push_str(pick(random, &[" ", "\n", "\t", "\r\n", "  "]));
    }
    match random.below(if depth == 0 { 2 } else { 5 }) {
        0 => out.push_str(pick(random, STRINGS)),
        1 => out.push_str(pick(random, OTHER)),
        2 => {
            out.push('[');
            for item in 0..random.below(4) {
                out.push_str(if item > 0 { "," } else { "" });
                generate(random, depth - 1, faults, out);
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            for member in 0..random.below(4) {
                out.push_str(if member > 0 { ", " } else { "" });
                out.push_str(pick(random, STRINGS));
                out.push(':');
                generate(random, depth - 1, faults, out);
            }
            out.push('}');
        }
    }
}

/// Values at the paths of known kinds; a digit stands for a generated value.
const SHAPES: [&str; 7] = [
    r#"{"cells": [{"cell_type": "markdown", "source": 0}, {"outputs": [{"data": {"text/html": 1, "x": 2}, "text": 3}], "source": 4, "cell_type": 5}]}"#,
    r#"{"worksheets": [{"cells": [{"source": 0, "cell_type": 1, "outputs": [{"html": 2, "text": 3}]}]}]}"#,
    r#"{"log": {"entries": [{"response": {"content": {"text": 0, "mimeType": "text/html; charset=x"}, "redirectURL": 1}, "request": {"url": 2, "headers": [{"value": 3, "name": "Link"}, {"name": 4, "value": 5}]}}]}}"#,
    r#"{"log": {"entries": [{"request": {"url": 0}, "response": {"headers": [{"name": "Location", "value": 1}], "content": {"mimeType": 2, "text": 3}}}, 4]}}"#,
    r#"{"items": [{"content_html": 0, "url": 1}, 2], "start_url": 3, "id": 4, "icons": [{"src": 5}]}"#,
    r#"{"@id": 0, "url": [1, {"@id": 2, "@context": {"@base": 3, "p": 4}}], "@context": [5, {"@base": 0}]}"#,
    r#"{"sources": [0, 1], "sections": [{"url": 2, "map": {"sources": [3], "sourceRoot": 4}}], "sourceRoot": 5}"#,
];

/// Strings that mean something in documents of known kinds.
const MEANINGS: &[&str] = &[
    "\"markdown\"",
    "\"code\"",
    "\"text/html\"",
    "\"text/css\"",
    "\"text/plain\"",
    "\"location\"",
    "\"<http:\\/\\/example.com\\/x>; rel=next, <y>\"",
    "[\"[a](b.html)\\n\", \"<a href=\\\"c\\\">\", 1, \" <http://example.com/d\", \">\"]",
    "\"p { x: url(y) }\"",
    "[]",
];

/// Writes a document of a known shape, with generated values in it.
fn generate_shape(random: &mut Numbers, faults: bool, out: &mut String) {
    let shape = SHAPES[random.below(SHAPES.len())];
    let mut is_string = false;
    for byte in shape.chars() {
        is_string ^= byte == '"';
        match byte {
            '0'..='9' if !is_string && random.below(3) > 0 => {
                out.push_str(MEANINGS[random.below(MEANINGS.len())]);
            }
            '0'..='9' if !is_string => generate(random, 2, faults, out),
            _ => out.push(byte),
        }
    }
}

/// `JSON_SEEDS=100000` in the environment runs more documents.
#[test]
fn generated_documents_agree_with_serde_json() {
    let seeds = std::env::var("JSON_SEEDS").map(|seeds| seeds.parse());
    let seeds: u64 = seeds.unwrap_or(Ok(1_000)).expect("JSON_SEEDS is a number");
    for seed in 0..seeds {
        let mut random = Numbers::seeded(seed);
        let mut json = String::new();
        match seed % 4 {
            0 | 1 => generate(&mut random, 5, seed % 2 == 1, &mut json),
            _ => generate_shape(&mut random, seed % 8 == 7, &mut json),
        }
        check(json.as_bytes(), 1 + random.below(40));
    }
}

#[test]
fn absolute_uris_are_those_of_known_schemes_or_with_an_authority() {
    for (text, is_guessed) in [
        ("http://example.com/", true),
        ("mailto:a@example.com", true),
        ("wibble://example/", true),
        ("urn:isbn:0451450523", true),
        ("http:example.com", false),
        ("wibble:example", false),
        ("12:30", false),
        ("c://x", false),
        ("see http://example.com/", false),
        ("a/b.html", false),
    ] {
        let links = both("json", &format!("[\"{text}\"]")).links;
        let guessed = links
            .iter()
            .filter(|link| link.flags.contains(Flags::GUESSED));
        assert_eq!(guessed.count() == 1, is_guessed, "{text}");
    }
}

#[test]
fn spans_cover_the_source_of_decoded_text() {
    let json = r#"["\u00e9 http:\/\/example.com\/ x"]"#;
    let links = both("json", json).links;
    let (start, end) = links[0].span;
    assert_eq!(links[0].reference, "http://example.com/");
    assert_eq!(
        &json[start as usize..end as usize],
        r"http:\/\/example.com\/"
    );
}

#[test]
fn long_pointers_are_left_out() {
    let name = "n".repeat(1022);
    let pointer = |name: &str| {
        let json = format!(r#"{{"{name}": "http://example.com/"}}"#);
        both("json", &json).links[0].attribute.clone()
    };
    assert_eq!(pointer(&name), Some(format!("/{name}")));
    assert_eq!(pointer(&name.repeat(2)), None);
    let deep = format!(
        "{}\"http://example.com/\"{}",
        "[".repeat(2000),
        "]".repeat(2000)
    );
    assert_eq!(both("json", &deep).links[0].attribute, None);
}

#[test]
fn lines_are_values_of_their_own() {
    let lines = "{\"a\": \"http://example.com/1\"}\n{\"a\": [\"http://example.com/2\"\nno value\n\n[\"http://example.com/3\"]\n";
    let found = both("jsonl", lines);
    let pointers: Vec<_> = found
        .links
        .iter()
        .map(|link| link.attribute.as_deref())
        .collect();
    assert_eq!(pointers, [Some("/0/a"), Some("/1/a/0"), Some("/4/0")]);
    assert_eq!(found.codes, [("json.not-well-formed", 59)]);
    assert_eq!(both("jsonl", "1\n2\n").codes, []);
    assert_eq!(codes("1\n2\n"), [("json.not-well-formed", 2)]);
}

/// Faults are diagnosed once, with the first offset, and what stands behind them is read.
#[test]
fn faults_do_not_stop_the_reading() {
    let uri = "http://example.com/";
    for (json, at) in [
        (r#"{"a": 1,, "b": "URI"}"#, 8),
        (r#"{"a": 1 "b": "URI"}"#, 8),
        (r#"{"a" "URI"}"#, 5),
        (r#"{"a": nope, "b": "URI"}"#, 6),
        (r#"{a: "URI"}"#, 1),
        (r#"["URI",]"#, 27 - 1),
        (r#"["URI"}"#, 22),
        (r#"["URI""#, 22),
        (r#"["URI"#, 21),
        (r#"]["URI"]"#, 0),
        ("// \"x\n[\"URI\"]", 0),
        ("/* \" */[\"URI\"]", 0),
        ("[\"cut\n, \"URI\"]", 5),
        (r#"["\x", "URI"]"#, 2),
        (r#"["URI"] x"#, 24),
    ] {
        let json = json.replace("URI", uri);
        let at = if json.starts_with("[\"http") && json.ends_with(",]") {
            23
        } else {
            at
        };
        let found = both("json", &json);
        assert_eq!(found.codes, [("json.not-well-formed", at)], "{json}");
        assert_eq!(found.links.len(), 1, "{json}");
        assert_eq!(found.links[0].reference, uri, "{json}");
    }
    assert_eq!(codes(""), [("json.not-well-formed", 0)]);
    assert_eq!(codes("\u{feff}{}"), []);
}

#[test]
fn uris_without_quotes_are_faults_and_strings() {
    for (format, json, attributes) in [
        ("json", r#"{"a": URI, "b": "URI"}"#, ["/a", "/b"]),
        ("json", r#"[1,URI,"URI"]"#, ["/1", "/2"]),
        ("json", r#"{'a': 'URI', 'b': 'URI'}"#, ["/a", "/b"]),
        ("jsonl", "{\"a\": URI}\n{\"b\": \"URI\"}", ["/0/a", "/1/b"]),
        (
            "webmanifest",
            r#"{"id": URI, "start_url": "URI"}"#,
            ["/id", "/start_url"],
        ),
        (
            "webmanifest",
            r#"{"id":'URI', "start_url": "URI"}"#,
            ["/id", "/start_url"],
        ),
    ] {
        let uri = "http://example.com/";
        let found = both(format, &json.replace("URI", uri));
        let links = found
            .links
            .iter()
            .map(|link| (&*link.reference, link.attribute.as_deref().unwrap()));
        assert_eq!(
            Vec::from_iter(links),
            attributes.map(|it| (uri, it)),
            "{json}"
        );
        assert_eq!(found.codes.len(), 1, "{json}");
    }
    assert_eq!(
        references("json", "[1:2, true:false, \"http://example.com/\"]").len(),
        1
    );
    let twice = r#"{"a": b: "http://example.com/", "c": d::"http://example.com/"}"#;
    assert_eq!(references("json", twice), ["http://example.com/"; 2]);
    let escaped = r#"["a", http:\/\/example.com\/, 1]"#;
    assert_eq!(references("json", escaped), ["http://example.com/"]);
    let long = format!(
        "[http://example.com/{}, \"http://example.com/\"]",
        "a".repeat(2000)
    );
    assert_eq!(references("json", &long), ["http://example.com/"]);
}

#[test]
fn long_strings_and_deep_values_are_bounded() {
    let long = format!(
        "[\"{}\", \"http://example.com/\"]",
        "x\\n".repeat((4 << 20) / 3 + 2)
    );
    for window in [64 << 10, 64 << 20] {
        let found = read("json", long.as_bytes(), window);
        assert_eq!(found.codes, [("json.string-too-long", 1)]);
        assert_eq!(found.links.len(), 1);
    }
    let deep = 1_100_000;
    let deep = format!(
        "[{}{}, \"http://example.com/\"]",
        "[".repeat(deep),
        "]".repeat(deep)
    );
    for window in [64 << 10, 64 << 20] {
        let found = read("json", deep.as_bytes(), window);
        assert_eq!(found.codes, [("json.too-deep", 1 << 20)]);
        assert_eq!(found.links.len(), 1);
        assert_eq!(found.links[0].attribute.as_deref(), Some("/1"));
    }
    for open in ["{\"a\":", "[", "{"] {
        read("json", open.repeat(300_000).as_bytes(), 64 << 10);
    }
}

/// A member counts wherever it stands in its object.
#[test]
fn the_order_of_members_does_not_matter() {
    let map = r#"{"version": 3, "sources": ["a.js", "http://example.org/b.js", "/c.js"], "x": [{"sourceRoot": "no/"}], "sourceRoot": "s"}"#;
    // ECMA-426, "DecodeSourceMapSources": the prefix and the source are concatenated, then parsed.
    let expected = [
        "http://example.com/dir/s/a.js",
        "http://example.com/dir/s/http://example.org/b.js",
        "http://example.com/dir/s//c.js",
    ];
    assert_eq!(targets("sourcemap", map), expected);
    let index = r#"{"sections": [{"map": {"sources": ["a"], "sourceRoot": "x/y"}}, {"url": "m.map", "map": {"sources": ["b"]}}]}"#;
    let expected = [
        "http://example.com/dir/x/a",
        "http://example.com/dir/m.map",
        "http://example.com/dir/b",
    ];
    assert_eq!(targets("sourcemap", index), expected);
    let manifest = r#"{"id": "a", "start_url": "https://example.org:8080/x/y?z"}"#;
    assert_eq!(
        targets("webmanifest", manifest)[0],
        "https://example.org:8080/a"
    );
    let guarded = ")]}'\n{\"sources\": [\"a\"]}";
    assert_eq!(references("sourcemap", guarded), ["a"]);
}

/// What is looked for behind a string is not looked for further than 8 MiB away.
#[test]
fn the_search_for_a_member_is_bounded() {
    let far = "[1234567890123],".repeat(9 << 16);
    let map = format!(r#"{{"sources": ["a", "b"], "x": [{far}1], "sourceRoot": "no/"}}"#);
    for window in [64 << 10, 64 << 20] {
        let found = read("sourcemap", map.as_bytes(), window);
        assert_eq!(found.codes, [("json.held-limit", 13)]);
        assert_eq!(found.links[1].target, "http://example.com/dir/b");
    }
}

#[test]
fn feeds_hold_documents() {
    let feed = r#"{"version": "https://jsonfeed.org/version/1.1", "home_page_url": "/", "title": "http://example.com/no",
        "items": [{"id": "http://example.com/no", "content_html": "<p>\u00e9<a href=\"x.html\">x</a><a href=y>", "url": "http://example.org/p/"},
        {"content_html": "<base href='/b/'><a href=z>", "attachments": [{"url": "a.mp3"}]}]}"#;
    let expected = [
        "http://example.com/",
        "http://example.org/p/x.html",
        "http://example.org/p/y",
        "http://example.org/p/",
        "http://example.com/b/z",
        "http://example.com/dir/a.mp3",
    ];
    let links = both("jsonfeed", feed).links;
    let got: Vec<_> = links
        .iter()
        .map(|link| link.target.as_str())
        .filter(|target| !target.ends_with("/b/"))
        .collect();
    assert_eq!(got, expected);
    let (start, end) = links[1].span;
    assert_eq!(&feed[start as usize..end as usize], "x.html");
}
