use super::*;
use crate::pipeline::walk::EntryKind;
use std::io::{Read, Write};

fn splitter(text: &[u8], size: u64) -> (tempfile::NamedTempFile, DocumentSplitter) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    let entry = Entry {
        path: file.path().to_path_buf(),
        kind: EntryKind::File(text.len() as u64),
        named: true,
    };
    let mut options = PipelineOptions {
        piece_size: size,
        ..PipelineOptions::default()
    };
    options.extractor.positions = Positions::Lines;
    let opened = File::open(file.path()).unwrap();
    let format = Format::named("text").unwrap();
    let splitter = DocumentSplitter::new(&options, &entry, format, opened);
    (file, splitter.unwrap())
}

fn rest(splitter: &mut DocumentSplitter) -> Vec<Piece> {
    std::iter::from_fn(|| splitter.next(&mut Vec::new())).collect()
}

fn part(piece: &Piece) -> &DocumentPiece {
    match &piece.contents {
        PieceContents::Lines(part) => part,
        PieceContents::Members(_) => panic!("no archive was split"),
    }
}

#[test]
fn pieces_begin_after_empty_lines() {
    let text = b"one\n\ntwo\n \t\nthree\nfour\n\n\nfive\n".repeat(9);
    for size in 1..40 {
        let (_file, mut splitter) = splitter(&text, size);
        let pieces = rest(&mut splitter);
        assert!(pieces.len() > 3);
        let mut start = 0;
        for piece in pieces.iter().map(part) {
            assert_eq!(piece.origin.offset, start, "size {size}");
            let before = &text[..start as usize];
            assert_eq!(piece.origin.line, 1 + breaks(before), "size {size}");
            start = piece.end.unwrap_or(text.len() as u64);
            assert!(text[..start as usize].ends_with(b"\n"));
            let bytes = &text[before.len()..start as usize];
            assert_eq!(piece.bytes.as_ref().unwrap().bytes(), bytes);
            let mut read = Vec::new();
            let range = piece.range();
            range
                .take(bytes.len() as u64)
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read, bytes);
        }
        assert_eq!(start, text.len() as u64);
    }
}

#[test]
fn one_piece_reports_that_the_file_became_shorter() {
    let text = b"line\n\n".repeat(100_000);
    let shrinking = |to: u64| {
        let (file, mut splitter) = splitter(&text, 60_000);
        let mut pieces = vec![splitter.next(&mut Vec::new()).unwrap()];
        file.as_file().set_len(to).unwrap();
        pieces.extend(rest(&mut splitter));
        let has_shrunk = |piece: &&Piece| {
            let part = part(piece);
            let read = part.bytes.as_ref().unwrap().bytes().len() as u64;
            piece.whole.has_shrunk(part, read)
        };
        pieces.iter().filter(has_shrunk).count()
    };
    assert_eq!(shrinking(text.len() as u64), 0);
    assert_eq!(shrinking(300_000), 1);
}
