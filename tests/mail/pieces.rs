//! Mailboxes split into pieces give the links of the whole.

use std::fs;

use proptest::prelude::*;
use uriscan::extractor::Positions;
use uriscan::output::Output;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, MessageForm, PipelineOptions, Verbosity};

/// Returns the records of the file at a path, with the counts of the archive.
fn output(path: &std::path::Path, threads: usize, piece: u64) -> String {
    let mut options = PipelineOptions {
        output: Output::named("jsonl").unwrap(),
        threads,
        piece_size: piece,
        verbosity: Verbosity {
            summary: true,
            archives: Some(MessageForm::Records),
            ..Verbosity::default()
        },
        ..PipelineOptions::default()
    };
    options.extractor.positions = Positions::Lines;
    options.extractor.window = 700;
    let walk = Walk::new(
        [Ok(Root::Path(path.into()))].into_iter(),
        Default::default(),
    );
    let mut output = Vec::new();
    let outcome = pipeline::run::run(&options, walk, (&mut output, None));
    assert!(outcome.output_error.is_none());
    String::from_utf8(output).unwrap()
}

/// The lines of mailboxes: separators, lines that look like them, fields, bodies, damage.
const WORDS: &[&str] = &[
    "From a@b.example Thu Mar  2 10:11:12 2006\n",
    "\nFrom a@b.example Thu Mar  2 10:11:12 2006\n",
    "\nFrom a@b.example Thu Mar  2 10:11:12 2006\r\nSubject: http://a.example/s\r\n\r\n",
    "\nFrom a@b.example Thu Mar  2 10:11:12 2006\nA: b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/p\n--x--\n",
    "\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: y\n",
    "\nFrom someone\nSubject: one token\n\n",
    "\nFrom \nSubject: bare\n\n",
    "From -\nSubject: dash\n\n",
    "\nFrom\nSubject: the word alone\n\n",
    "\nFrom \nhttps://a.example/u: no field\n",
    "https://a.example/v: no field\n",
    "From here on it is text.\n",
    "\nFrom here on\n",
    ">From me\n",
    "From",
    "From ",
    "\n",
    "\n\n",
    "\r\n",
    "\0\0\0\0\0",
    "Subject: x\n",
    "Message-ID: <m@b.example>\n",
    " folded\n",
    "no field\n",
    "see http://a.example/x\n",
    "<http://a.example/\n y>\n",
    "text that goes on\n",
    "no line end",
];

/// Returns a mailbox of words; larger numbers make messages with a Content-Length, right or wrong.
fn mailbox(numbers: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let Some((&number, behind)) = rest.split_first() {
        rest = behind;
        if let Some(word) = WORDS.get(number) {
            text += word;
            continue;
        }
        let (words, behind) = rest.split_at(rest.len().min(number % 9));
        let body: String = words
            .iter()
            .map(|&word| WORDS[word % WORDS.len()])
            .collect();
        rest = behind;
        let length = match number % 4 {
            0 => number,
            1 => body.len() + 1,
            _ => body.len(),
        };
        let name = ["Content-Length", "content-length ", "CONTENT-LENGTH"][number % 3];
        text += "\nFrom a@b.example Thu Mar  2 10:11:12 2006\nA: b\n";
        text += &format!("{name}: {length}\n\n{body}");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mailboxes_in_pieces_give_the_links_of_the_whole(
        numbers in prop::collection::vec(0..WORDS.len() * 5 / 4, 0..80),
    ) {
        let text = mailbox(&numbers);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.mbox");
        fs::write(&path, &text).unwrap();
        let whole = output(&path, 1, u64::MAX >> 8);
        for piece in [1, 60, 400] {
            let pieces = output(&path, 2, piece);
            assert!(pieces == whole, "{text:?} by {piece}:\n{whole}\n{pieces}");
        }
    }
}

#[test]
fn claimed_length_skips_a_split_point_only_if_correct() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.mbox");
    let from = "From a@b.example Thu Mar  2 10:11:12 2006\n";
    let inner = format!("{from}Subject: inner\n\nhttp://a.example/in\n\n").repeat(40);
    let tail = format!("\n{from}Subject: tail\n\nhttp://a.example/out\n\n").repeat(40);
    let links = |text: &str| {
        fs::write(&path, text).unwrap();
        let whole = output(&path, 1, u64::MAX >> 8);
        for piece in [100, 1000] {
            assert!(output(&path, 3, piece) == whole, "{piece}");
        }
        let members = whole
            .lines()
            .filter(|line| line.contains("\"type\":\"link\""));
        let member = |line: &str| {
            line.split("\"member\":\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .to_owned()
        };
        members.map(member).collect::<Vec<_>>()
    };
    let right = format!("{from}Content-Length: {}\n\n{inner}{tail}", inner.len());
    let members = links(&right);
    assert_eq!(members[..40], vec!["1/1"; 40]);
    assert_eq!(members[40..42], ["2/1", "3/1"]);
    let wrong = format!("{from}Content-Length: {}\n\n{inner}{tail}", inner.len() - 9);
    assert_eq!(links(&wrong)[..2], ["2/1", "3/1"]);
}
