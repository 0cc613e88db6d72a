use super::*;
use crate::pipeline::walk::EntryKind;
use std::thread;

fn pieces(count: usize) -> Vec<Piece> {
    let whole = SplitFile::new(&Entry {
        path: "a.tar".into(),
        kind: EntryKind::File(1),
        named: true,
    });
    let piece = |index| {
        let format = ArchiveFormat::of(b"PK\x03\x04").unwrap();
        let contents = PieceContents::Members(ArchivePiece {
            format,
            members: None,
            ended: None,
        });
        whole.piece(index + 1 == count, contents)
    };
    (0..count).map(piece).collect()
}

#[test]
fn the_last_piece_has_the_faults_of_all_in_their_order() {
    let mut pieces = pieces(4);
    pieces[..3].reverse();
    let added: Vec<_> = pieces
        .iter_mut()
        .map(|piece| piece.add_faults(vec![piece.index as u8]))
        .collect();
    assert_eq!(added, [None, None, None, Some(vec![0, 1, 2, 3])]);
}

#[test]
fn the_last_piece_does_not_wait_for_one_whose_worker_panics() {
    let mut pieces = pieces(2);
    let mut last = pieces.pop().unwrap();
    let first = pieces.pop().unwrap();
    let waiting = thread::spawn(move || last.add_faults(vec![1]));
    let panicking = thread::spawn(move || {
        let _piece = first;
        panic!("while the piece is read");
    });
    assert!(panicking.join().is_err());
    assert_eq!(waiting.join().unwrap(), Some(vec![1]));
}
