use super::*;
use crate::pipeline::walk::EntryKind;
use std::io::Write;

fn split(text: &[u8], size: u64) -> (tempfile::NamedTempFile, Vec<FilePiece>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    let length = text.len() as u64;
    let entry = Entry {
        path: file.path().to_path_buf(),
        kind: EntryKind::File(length),
        named: true,
    };
    let format = Format::named("text").unwrap();
    let opened = File::open(file.path()).unwrap();
    let pieces = LineSplitter::new(entry, format, opened, length, size).collect();
    (file, pieces)
}

#[test]
fn pieces_follow_one_another_behind_empty_lines() {
    let text = b"one\n\ntwo\n \t\nthree\nfour\n\n\nfive\n".repeat(9);
    for size in 1..40 {
        let (_file, pieces) = split(&text, size);
        let mut start = 0;
        for piece in &pieces {
            assert_eq!(piece.start, start, "size {size}");
            start = piece.end.unwrap_or(text.len() as u64);
            assert!(text[..start as usize].ends_with(b"\n"));
            let mut bytes = Vec::new();
            piece.range().read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, text[piece.start as usize..start as usize]);
        }
        assert_eq!(start, text.len() as u64);
        // In any order of the threads.
        let lines = std::thread::scope(|scope| {
            let spawn = |piece| scope.spawn(move || FilePiece::locate(piece, None).line);
            let threads: Vec<_> = pieces.iter().rev().map(spawn).collect();
            let lines = threads
                .into_iter()
                .rev()
                .map(|thread| thread.join().unwrap());
            lines.collect::<Vec<_>>()
        });
        for (piece, line) in pieces.iter().zip(lines) {
            let before = &text[..piece.start as usize];
            assert_eq!(line, 1 + breaks(before), "size {size}, {}", piece.index);
        }
    }
}

#[test]
fn one_piece_reports_that_the_file_became_shorter() {
    let (file, pieces) = split(&b"line\n\n".repeat(10), 12);
    assert!(pieces.len() > 3);
    let read = |piece: &FilePiece| {
        let mut bytes = Vec::new();
        piece.range().read_to_end(&mut bytes).unwrap() as u64
    };
    assert!(!pieces.iter().any(|piece| piece.has_shrunk(read(piece))));
    file.as_file().set_len(20).unwrap();
    let reporting = pieces.iter().filter(|piece| piece.has_shrunk(read(piece)));
    assert_eq!(reporting.count(), 1);
}
