//! Adversarial documents: steps, output and memory grow in proportion to the length.
//!
//! A row is a format, a head, a part to repeat, and a tail. Loops that could visit the same bytes
//! or entries again count their [steps](uriscan::bytes::steps).

mod allocated;
mod command;
mod growth;
mod shapes;

use std::ops::ControlFlow;

use shapes::{RELATED, SHAPES, Shape};
use uriscan::bytes::steps;
use uriscan::{Document, Extractor, ExtractorOptions, Format, Link, Sink};

/// The repetitions in the shorter document: more than any limit of depth.
const MANY: usize = 4_500;
/// The length of a `¤` for each repetition: always more than any limit on a name.
const LONG: usize = 3;
/// The most steps for twice the document, in tenths of the steps for the document.
const MAX_GROWTH: u64 = 22;

/// What a document costs: steps, bytes of output, and bytes of memory at once.
const COSTS: [&str; 3] = ["steps", "bytes of output", "bytes of memory"];
/// What the split into windows, or a buffer, may add.
const SLACK: [u64; 3] = [10_000, 10_000, 2 << 20];

/// Counts links and diagnostics as steps, and the bytes of their records.
#[derive(Default)]
struct Counted {
    steps: u64,
    output: u64,
}

impl Sink for Counted {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.steps += 1;
        let description = link.description.as_ref();
        let texts = [
            link.target.unwrap_or_default(),
            link.reference,
            link.base.unwrap_or_default().uri,
            link.member.unwrap_or_default().as_bytes(),
            link.element.unwrap_or_default().as_bytes(),
            link.attribute.unwrap_or_default().as_bytes(),
            link.unwrapped_from.unwrap_or_default(),
            link.part.message_id.unwrap_or_default().as_bytes(),
            link.part.media_type.unwrap_or_default().as_bytes(),
            link.part.charset.unwrap_or_default().as_bytes(),
            link.part.target_part.unwrap_or_default().as_bytes(),
            description
                .and_then(|all| all.text)
                .unwrap_or_default()
                .as_bytes(),
            description
                .and_then(|all| all.rel)
                .unwrap_or_default()
                .as_bytes(),
            description
                .and_then(|all| all.hreflang)
                .unwrap_or_default()
                .as_bytes(),
            description
                .and_then(|all| all.title)
                .unwrap_or_default()
                .as_bytes(),
        ];
        let texts = texts.iter().chain(link.alternatives);
        self.output += texts.map(|text| text.len() as u64).sum::<u64>();
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &uriscan::Found<'_>) {
        if let uriscan::Found::Diagnostic(_) = found {
            self.steps += 1;
        }
    }
}

fn document(shape: &Shape, many: usize) -> Vec<u8> {
    let (_, head, repeated, tail) = shape;
    let long = "x".repeat(LONG * many);
    let mut document = head.replace('¤', &long).into_bytes();
    for number in 0..many {
        let number = format!("{number:07}");
        document.extend(repeated.replace('%', &number).into_bytes());
    }
    document.extend(tail.replace('¤', &long).into_bytes());
    document
}

/// Returns what it costs to extract a document of this shape.
fn costs(shape: &Shape, many: usize, window: usize) -> [u64; 3] {
    let bytes = document(shape, many);
    let mut options = ExtractorOptions::default().with_window(window);
    options.formats.text.www = true;
    options.formats.text.email = true;
    options.formats.html.descriptions = true;
    options.formats.html.extended = true;
    let format = Format::named(shape.0).expect("the format exists");
    let document = Document::new(format, None);
    let mut sink = Counted::default();
    steps::take();
    let (read, memory) =
        allocated::peak(|| Extractor::new(&options).extract(&document, &bytes[..], &mut sink));
    assert_eq!(read.expect("a slice reads"), bytes.len() as u64);
    [steps::take() + sink.steps, sink.output, memory]
}

fn steps(shape: &Shape, many: usize, window: usize) -> u64 {
    costs(shape, many, window)[0]
}

/// Checks the shapes of the formats, each with one of the windows, or with all of them.
fn check(formats: &[&str], windows: &[usize]) {
    let shapes = SHAPES.iter().filter(|shape| formats.contains(&shape.0));
    for (number, shape) in shapes.enumerate() {
        let one = number % windows.len();
        for &window in crate::rounds(&windows[one..=one], windows) {
            check_shape(shape, window);
        }
    }
}

fn check_shape(shape: &Shape, window: usize) {
    let many = crate::rounds(MANY / 3, MANY);
    let [once, twice] = [many, 2 * many].map(|many| costs(shape, many, window));
    let grows = |cost: usize, once: &[u64; 3], twice: &[u64; 3]| {
        twice[cost] * 10 > once[cost] * MAX_GROWTH + SLACK[cost]
    };
    let mut suspects = (0..3).filter(|&cost| grows(cost, &once, &twice)).peekable();
    if suspects.peek().is_none() {
        return;
    }
    // The document may have crossed a limit that selects another algorithm.
    let again = costs(shape, 4 * many, window);
    let rises = |cost: usize| {
        let [first, second] = [(once, twice), (twice, again)]
            .map(|(less, more)| more[cost].saturating_sub(less[cost]));
        second * 10 > first * MAX_GROWTH + SLACK[cost]
    };
    let worst: Vec<_> = suspects.filter(|&cost| rises(cost)).collect();
    assert!(
        worst.is_empty(),
        "{:?} grow, {once:?}, {twice:?}, {again:?}: {shape:?}",
        worst.iter().map(|&cost| COSTS[cost]).collect::<Vec<_>>()
    );
}

/// Short windows show repeated reading; long ones are those of files.
const WINDOWS: [usize; 2] = [1 << 10, 256 << 10];

#[test]
fn text_takes_steps_in_proportion_to_its_length() {
    check(&["text"], &WINDOWS);
}

#[test]
fn html_takes_steps_in_proportion_to_its_length() {
    check(&["html"], &WINDOWS);
}

#[test]
fn xml_takes_steps_in_proportion_to_its_length() {
    check(&["xml"], &WINDOWS);
}

#[test]
fn markdown_takes_steps_in_proportion_to_its_length() {
    check(&["markdown", "mdx", "qmd"], &WINDOWS[1..]);
}

#[test]
fn mail_takes_steps_in_proportion_to_its_length() {
    let formats = ["eml", "mbox", "mmdf", "news", "emlx", "mhtml"];
    check(&formats, &WINDOWS);
}

#[test]
fn pdf_takes_steps_in_proportion_to_its_length() {
    // The windows of a document that is held double, so that only one of them shows the reader alone.
    check(&["pdf"], &[WINDOWS[0], 4 << 20]);
}

#[test]
fn json_takes_steps_in_proportion_to_its_length() {
    let formats = [
        "json",
        "json5",
        "jsonl",
        "jsonld",
        "sourcemap",
        "har",
        "ipynb",
        "jsonfeed",
        "webmanifest",
        "wat",
    ];
    check(&formats, &WINDOWS);
}

#[test]
fn style_sheets_take_steps_in_proportion_to_their_length() {
    check(&["css"], &WINDOWS);
}

#[test]
fn manuals_take_steps_in_proportion_to_their_length() {
    let formats = ["rst", "adoc", "troff", "org", "latex"];
    check(&formats, &WINDOWS);
}

#[test]
fn cells_and_folded_lines_take_steps_in_proportion_to_their_length() {
    check(&["csv", "tsv", "ics"], &WINDOWS);
}

#[test]
fn every_format_but_packages_has_two_shapes() {
    let is_package = |format: &&Format| ["epub", "ooxml", "odf"].contains(&format.name);
    for format in Format::all().filter(|format| !is_package(format)) {
        let shapes = SHAPES.iter().filter(|shape| shape.0 == format.name).count();
        assert!(shapes >= 2, "{}: {shapes}", format.name);
    }
}

/// Documents in values, or parts, with so many pending references that some are released early.
///
/// Each document that ends must not visit all closed scopes again.
#[test]
fn closed_scopes_are_visited_once() {
    let scopes = crate::rounds(10_000, 30_000);
    let window = WINDOWS[1];
    for shape in [
        ("html", "", "<iframe srcdoc='<a href=x>'></iframe>", ""),
        (
            "eml",
            RELATED,
            "--x\nContent-Type: text/html\n\n<a href=x>\n",
            "--x--",
        ),
    ] {
        let (once, twice) = (
            steps(&shape, scopes, window),
            steps(&shape, 2 * scopes, window),
        );
        assert!(
            twice * 10 <= once * MAX_GROWTH,
            "{once} steps, then {twice}: {shape:?}"
        );
    }
}

/// Many texts of one entry that need its link, which is looked for behind the first alone.
#[test]
fn the_link_of_an_entry_is_looked_for_once() {
    const TEXTS: usize = 6_000;
    let text = format!("<description>{}</description>", "x".repeat(1_000));
    let picture = format!("{text}<image><link>a</link></image>");
    for unit in [&*text, &*picture] {
        let unit: &'static str = String::from(unit).leak();
        let shape = ("xml", "<rss><channel>", unit, "");
        let window = WINDOWS[1];
        let (once, twice) = (
            steps(&shape, TEXTS, window),
            steps(&shape, 2 * TEXTS, window),
        );
        assert!(
            twice * 10 <= once * MAX_GROWTH,
            "{once} steps, then {twice}"
        );
    }
}
