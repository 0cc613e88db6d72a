//! The command on hostile files: output and memory grow in proportion to the input, for each archive and for
//! each option that keeps something.

use crate::cli::Tree;
use crate::compressed::gzip;
use crate::packages::zip::{Member, tar, zip};

/// The repetitions in the shortest input.
const MANY: usize = 1_500;
/// What a run may take besides, in bytes: buffers, and what the allocator of the system keeps.
const SLACK: u64 = 6 << 20;

/// The flags, the name of a file, and its bytes for a number of repetitions.
type Row = (&'static [&'static str], &'static str, fn(usize) -> Vec<u8>);

fn repeat(part: &str, many: usize) -> String {
    (0..many)
        .map(|n| part.replace('%', &format!("{n:07}")))
        .collect()
}

fn long(many: usize) -> String {
    "x".repeat(8 * many)
}

fn record(header: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n{header}\r\n\r\n{body}\r\n\r\n"
    )
}

/// A tar of one member with a name of any length (GNU).
fn long_name_tar(name: &str, text: String) -> Vec<u8> {
    let mut bytes = tar(&[
        Member::new("././@LongLink", name),
        Member::new("a.html", text),
    ]);
    bytes[156] = b'L';
    bytes[148..156].fill(b' ');
    let sum: u32 = bytes[..512].iter().map(|&byte| u32::from(byte)).sum();
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes
}

/// An EPUB whose chapter has some text.
fn epub(head: &str, body: String) -> Vec<u8> {
    let container = "<container><rootfiles><rootfile full-path='a.opf'/></rootfiles></container>";
    let opf = format!(
        "<package><manifest>{head}<item id='c' href='c.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='c'/></spine></package>"
    );
    zip(&[
        Member::new("mimetype", "application/epub+zip"),
        Member::new("META-INF/container.xml", container),
        Member::new("a.opf", opf),
        Member::new(
            "c.xhtml",
            format!("<html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>"),
        ),
    ])
}

/// An OpenDocument text with some content.
fn odt(content: String) -> Vec<u8> {
    let namespaces = "xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0' xmlns:xlink='http://www.w3.org/1999/xlink'";
    zip(&[
        Member::new("mimetype", "application/vnd.oasis.opendocument.text"),
        Member::new(
            "content.xml",
            format!("<office:document-content {namespaces}>{content}</office:document-content>"),
        ),
    ])
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Archives: names and addresses that each link would repeat, and members without number.
    (&["-z"], "a.zip", |n| zip(&[Member::new(&"x".repeat((4 * n).min(65_535)), repeat("http://a/% ", n))])),
    (&["-z"], "a.zip", |n| zip(&[Member::new(&format!("{}.html", "x/".repeat((2 * n).min(30_000))), repeat("<a href=b>", n))])),
    (&["-z"], "a.zip", |n| zip(&(0..n).map(|n| Member::new(&format!("{n}.html"), "<a href=b>")).collect::<Vec<_>>())),
    (&["-z"], "a.zip", |n| zip(&[Member::new(&"x".repeat((2 * n).min(65_531)), zip(&[Member::new(&format!("{}.html", "x".repeat((2 * n).min(65_000))), repeat("<a href=b>", n))]))])),
    (&["-z"], "a.tar", |n| long_name_tar(&format!("{}.html", long(n)), repeat("<a href=b>", n))),
    (&["-z"], "a.tar", |n| long_name_tar(&long(n), repeat("http://a/ ", n))),
    (&["-z"], "a.tar", |n| tar(&(0..n / 4).map(|n| Member::new(&format!("{n}.html"), "<a href=b>")).collect::<Vec<_>>())),
    (&[], "a.warc", |n| record(&format!("WARC-Target-URI: http://a/{}", long(n)), &repeat("<a href=b>", n)).into_bytes()),
    (&["--json"], "a.warc", |n| record(&format!("WARC-Target-URI: http://a/\r\nWARC-Record-ID: <{0}>\r\nWARC-Date: {0}", long(n)), &repeat("<a href=b>", n)).into_bytes()),
    (&["--json"], "a.warc", |n| record("WARC-Target-URI: http://a/", "<a href=b>").repeat(n).into_bytes()),
    (&["--json"], "a.warc.gz", |n| gzip(record("WARC-Target-URI: http://a/", "<a href=b>").as_bytes()).repeat(n / 2)),
    (&["-z"], "a.gz", |n| gzip(b"http://a/ ").repeat(n)),
    (&["-z"], "a.txt.gz", |n| gzip(b"").repeat(n)),
    (&["--json"], "a.epub", |n| epub("", repeat("<a href='b'/>", n))),
    (&["--json"], "a.epub", |n| epub(&repeat("<item id='i%' href='d%.xhtml' media-type='text/css'/>", n), String::new())),
    (&["--json"], "a.docx", |n| zip(&[
        Member::new("[Content_Types].xml", "<Types><Default Extension='xml' ContentType='application/xml'/></Types>"),
        Member::new("word/document.xml", "<w:document/>"),
        Member::new("word/_rels/document.xml.rels", format!("<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>{}</Relationships>", repeat("<Relationship Id='r%' TargetMode='External' Target='http://a/%'/>", n))),
    ])),
    (&["--json"], "a.odt", |n| odt(repeat("<text:a xlink:href='http://a/%'/>", n))),
    (&["--json"], "a.odt", |n| odt(format!("<text:a xml:base='{}/'>{}</text:a>", long(n), repeat("<text:a xlink:href='b'/>", n)))),
    // Options that keep something of each link.
    (&["--unique"], "a.txt", |n| repeat("http://a/% ", n).into_bytes()),
    (&["--unique"], "a.html", |n| format!("<base href='{}/'>{}", long(n), repeat("<a href=%>", n)).into_bytes()),
    (&["--count-by=host"], "a.txt", |n| repeat("http://a%/ ", n).into_bytes()),
    (&["--count-by=host"], "a.txt", |n| format!("http://{}/ ", "a.".repeat(200)).repeat(n / 4).into_bytes()),
    (&["--count-by=target"], "a.html", |n| format!("<base href='{}/'>{}", long(n), repeat("<a href=%>", n)).into_bytes()),
    (&["--count-by=element"], "a.html", |n| repeat("<x% style='a:url(b)'>", n).into_bytes()),
    (&["--count-by=message"], "a.mbox", |n| repeat("From a@b Mon Jan  1 00:00:00 2024\nMessage-ID: <%@b>\n\nhttp://a/\n\n", n).into_bytes()),
    (&["--count-by=sender"], "a.mbox", |n| repeat("From a@b Mon Jan  1 00:00:00 2024\nFrom: a%@b\n\nhttp://a/\n\n", n).into_bytes()),
    (&["--anchor-text", "--json"], "a.html", |n| repeat("<a href=b title=%>text ", n).into_bytes()),
    (&["--anchor-text", "--json"], "a.html", |n| format!("<a title='{0}' rel='{0}' ping='{1}'>x</a>", long(n), "b ".repeat(n)).into_bytes()),
    (&["--html-text"], "a.html", |n| repeat("<p>http://a/% ", n).into_bytes()),
    (&["--html-text", "--www", "--email"], "a.html", |n| repeat("<b>www.a</b>.b <i>c@</i>d ", n).into_bytes()),
    (&["--unwrap", "--json"], "a.txt", |n| repeat("https://eur.safelinks.protection.outlook.com/?url=http%3A%2F%2Fa%2F% ", n).into_bytes()),
    (&["--unwrap", "--json"], "a.txt", |n| format!("https://urldefense.com/v3/__http://a/{}__;{}!!a$ ", "**Z".repeat(n / 4), "A".repeat(n)).into_bytes()),
    (&["--extended", "--json"], "a.html", |n| repeat("<meta property=og:image content=a%><img data-src=b>", n).into_bytes()),
    (&["--extended", "--json"], "a.html", |n| repeat("<script type=application/ld+json>{\"@context\":{\"@base\":\"b%/\"},\"url\":\"c\"}</script>", n / 2).into_bytes()),
    (&["--attachments"], "a.eml", |n| format!("Content-Type: multipart/mixed; boundary=x\n\n{}--x--", repeat("--x\nContent-Type: application/zip; name=a%.zip\n\nPK\n", n)).into_bytes()),
    (&["--attachments", "--json"], "a.eml", |n| format!("Content-Type: multipart/mixed; boundary=x\n\n{}--x--", repeat("--x\nContent-Type: application/x-a%\n\nb\n", n)).into_bytes()),
    (&["--headers=all", "--ids", "--json"], "a.eml", |n| format!("References: {}\n\n", repeat("<%@b> ", n)).into_bytes()),
    // Audits: what a finding repeats.
    (&["audit", "--json"], "a.html", |n| repeat("<a id=i%></a><a href=#j%>", n / 2).into_bytes()),
    (&["audit", "--json"], "a.html", |n| format!("<a id='{}'></a>{}", long(n), repeat("<a href=#b>", n)).into_bytes()),
    (&["audit", "--json"], "a.html", |n| format!("<base href='/{}/'>{}", long(n), repeat("<a href=b>", n)).into_bytes()),
    (&["audit", "--json", "--warn=duplicate-id"], "a.html", |n| repeat("<a id=i>", n).into_bytes()),
    (&["audit", "--json"], "a.md", |n| repeat("# a\n\n[b](#a-%)\n\n", n / 2).into_bytes()),
    (&["audit", "--json"], "a.md", |n| repeat("[a%][b%] <!-- uriscan-ignore-next-line broken-file: c -->\n\n", n / 2).into_bytes()),
];

/// Returns the bytes of output, and the most bytes of memory of a run.
fn costs((flags, name, bytes): &Row, many: usize) -> [u64; 2] {
    let tree = Tree::new(&[]);
    tree.write(name, &bytes(many));
    // The name of the directory is in each record.
    let mut arguments = vec!["-j1"];
    arguments.extend(*flags);
    if flags.first() == Some(&"audit") {
        arguments.rotate_left(1);
        arguments.push(name);
        let ran = tree.run(&arguments);
        assert!(ran.code <= 2, "{}", ran.err);
        return [ran.out.len() as u64, 0];
    }
    arguments.extend(["--stats=json", name]);
    let ran = tree.run(&arguments);
    let last = ran.err.lines().last().unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_str(last).expect("a summary");
    let peak = summary["peak_bytes"].as_u64().unwrap_or_default();
    [ran.out.len() as u64, peak]
}

#[test]
fn output_and_memory_of_the_command_grow_in_proportion_to_the_input() {
    let mut worst = Vec::new();
    for row in ROWS {
        let [once, twice] = [MANY, 2 * MANY].map(|many| costs(row, many));
        // The longest input takes most of the time.
        let is_suspect = |cost: usize| twice[cost] * 10 > once[cost] * 22;
        if !crate::rounds((0..2).any(is_suspect), true) {
            continue;
        }
        let again = costs(row, 4 * MANY);
        for (cost, name) in ["output", "memory"].iter().enumerate() {
            let [first, second] = [(once, twice), (twice, again)]
                .map(|(less, more)| more[cost].saturating_sub(less[cost]));
            let slack = if cost == 0 { 2_000 } else { SLACK };
            // A document may have crossed a limit on what is repeated.
            let has_grown = again[cost] * 10 > twice[cost] * 22;
            if has_grown && second * 10 > first * 22 + slack * 10 {
                let [once, twice, again] = [once, twice, again].map(|costs| costs[cost]);
                worst.push(format!(
                    "{name} {once}, {twice}, {again}: {:?} {}",
                    row.0, row.1
                ));
            }
        }
    }
    assert!(worst.is_empty(), "{}", worst.join("\n"));
}
