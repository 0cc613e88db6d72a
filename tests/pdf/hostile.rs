//! PDF files that are made to take time or memory, or to break the reader.

use super::{Objects, deflate, read, read_with, stream, with_actions};

/// The limit that most of these files are read with.
const LIMIT: u64 = 1 << 20;

fn codes(pdf: &[u8]) -> Vec<&'static str> {
    read_with(pdf, 1 << 16, LIMIT).codes
}

#[test]
fn streams_that_unpack_to_gigabytes_are_left_out() {
    // 64 MB, of which no more than the limit is unpacked.
    let zeros = vec![b' '; 1 << 26];
    let mut objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>", "99 0 R"]);
    objects.0.insert(
        50,
        stream("/Type/ObjStm/N 1/First 5", &[b"99 0 ", &*zeros].concat()),
    );
    let found = read_with(&objects.bare(), 1 << 16, LIMIT);
    assert_eq!(found.links.len(), 1);
    assert_eq!(found.codes, ["pdf.xref-rebuilt", "pdf.limit"]);
    // Two filters one behind the other multiply what they make.
    let twice = deflate(&deflate(&zeros));
    let keys = format!(
        "<</Type/ObjStm/N 1/First 5/Filter[/FlateDecode/FlateDecode]/Length {}>>",
        twice.len()
    );
    let body = [keys.as_bytes(), b"stream\n", &twice, b"\nendstream"].concat();
    objects.0.insert(50, body);
    let found = read_with(&objects.bare(), 1 << 16, LIMIT);
    assert_eq!(found.links.len(), 1);
    assert_eq!(found.codes, ["pdf.xref-rebuilt", "pdf.damaged"]);
}

#[test]
fn many_streams_share_one_limit() {
    let half = vec![b' '; 600 << 10];
    let mut objects = with_actions(&["70 0 R", "71 0 R"]);
    for (number, inside) in [(50, "70 0 "), (51, "71 0 ")] {
        let action = b"<</S/URI/URI(http://example.com/a)>>";
        let contents = [inside.as_bytes(), &action[..], &half].concat();
        objects
            .0
            .insert(number, stream("/Type/ObjStm/N 1/First 5", &contents));
    }
    assert_eq!(codes(&objects.bare()), ["pdf.xref-rebuilt", "pdf.limit"]);
}

#[test]
fn one_stream_is_used_by_all_objects() {
    let head: String = (0..5_000).map(|number| format!("{number} 0 ")).collect();
    let keys = format!("/Type/ObjStm/N 5000/First {}", head.len());
    let body = stream(&keys, format!("{head}<<>>").as_bytes());
    let object = [b"50 0 obj\n", &*body, b"\nendobj\n"].concat();
    let mut file = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]).bare();
    for _ in 0..500 {
        file.extend(&object);
    }
    // Two and a half million entries are more than the file has bytes for.
    assert!(
        read_with(&file, 1 << 16, 1 << 26)
            .codes
            .contains(&"pdf.limit")
    );
}

/// Each object stream needs an object of the next one to be read.
#[test]
fn streams_that_lead_from_one_to_the_next() {
    const MANY: u32 = 20_000;
    let mut objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>", "50000 0 R"]);
    for number in 0..MANY {
        let head = format!("{} 0 ", 50_000 + number);
        let keys = format!(
            "/Type/ObjStm/N 1/First {}/DecodeParms {} 0 R",
            head.len(),
            50_001 + number
        );
        let body = stream(&keys, format!("{head}<<>>").as_bytes());
        objects.0.insert(100 + number, body);
    }
    let found = read_with(&objects.bare(), 1 << 16, 1 << 26);
    assert_eq!(found.links.len(), 1);
}

#[test]
fn references_that_go_round() {
    let mut objects = with_actions(&["10 0 R", "11 0 R", "12 0 R", "13 0 R"]);
    for (number, body) in [
        (
            1,
            "<</Pages 2 0 R/Outlines 20 0 R/AcroForm<</Fields 22 0 R>>/Names<</Dests 24 0 R>>>>",
        ),
        (2, "<</Kids[2 0 R 3 0 R 5 0 R]/Parent 2 0 R>>"),
        (5, "<</Kids[2 0 R 5 0 R 3 0 R]>>"),
        (10, "<</S/URI/URI(http://example.com/a)/Next 10 0 R>>"),
        (
            11,
            "<</S/URI/URI(http://example.com/b)/Next[10 0 R 11 0 R]>>",
        ),
        (12, "13 0 R"),
        (13, "12 0 R"),
        (20, "<</First 21 0 R/Last 21 0 R>>"),
        (
            21,
            "<</A 10 0 R/First 21 0 R/Next 21 0 R/Prev 21 0 R/Parent 20 0 R>>",
        ),
        (22, "[23 0 R 22 0 R]"),
        (23, "<</A 10 0 R/Kids[23 0 R 23 0 R]/Parent 23 0 R>>"),
        (24, "<</Kids[24 0 R 25 0 R]>>"),
        (25, "<</Kids 25 0 R/Names[(a)25 0 R]>>"),
    ] {
        objects.0.insert(number, body.into());
    }
    let found = read(&objects.table());
    let references: Vec<_> = found
        .links
        .iter()
        .map(|link| &link.reference[19..])
        .collect();
    assert_eq!(references, ["a", "b", "a", "a", "a"]);
    assert_eq!(found.codes, Vec::<&str>::new());
}

#[test]
fn cross_references_that_go_round() {
    let objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
    let at = String::from_utf8_lossy(&objects.table())
        .rfind("xref\n0")
        .unwrap();
    // The mark of the header is four bytes that are not UTF-8, each of which was replaced by three.
    let at = at - 4 * 2;
    for keys in [
        format!("/Prev {at}"),
        format!("/XRefStm {at}"),
        "/Prev 99999999999".to_owned(),
    ] {
        let found = read(&objects.table_with(&keys));
        assert_eq!(found.links.len(), 1, "{keys}");
    }
}

#[test]
fn nesting_beyond_measure() {
    for (open, close) in [("[", "]"), ("<</A", ">>"), ("(", ")")] {
        let deep = crate::rounds(200_000, 1_000_000);
        for closes in [0, deep] {
            let mut objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
            let nested = format!("{}{}", open.repeat(deep), close.repeat(closes));
            objects.0.insert(
                1,
                format!("<</Pages 2 0 R/OpenAction {nested}>>").into_bytes(),
            );
            let found = read_with(&objects.table(), 1 << 16, 1 << 26);
            assert!(closes == 0 || found.links.len() == 1, "{open}");
        }
    }
    // Trees of pages, outlines and fields, each a list of objects a hundred thousand deep.
    let mut objects = Objects::of(&[(
        1,
        "<</Pages 2 0 R/Outlines 2 0 R/AcroForm<</Fields[2 0 R]>>>>",
    )]);
    for number in 2..100_000 {
        let next = number + 1;
        let body = format!("<</Kids[{next} 0 R]/First {next} 0 R>>");
        objects.0.insert(number, body.into_bytes());
    }
    objects
        .0
        .insert(100_000, b"<</A<</URI(http://example.com/a)>>>>".to_vec());
    let found = read_with(&objects.table(), 1 << 16, 1 << 26);
    assert_eq!((found.links.len(), found.codes.len()), (2, 0));
}

#[test]
fn counts_beyond_measure() {
    let huge = "99999999999999999999999";
    for (from, to) in [
        ("/Count 1", &*format!("/Count {huge}")),
        ("/N 3", &format!("/N {huge}")),
        ("/N 3", "/N 4294967295"),
        ("/First ", &format!("/First {huge}")),
        ("/First ", "/First 9"),
        ("/Size ", "/Size 9999"),
        ("/W[1 4 2]", "/W[8 8 8]"),
        ("/W[1 4 2]", "/W[0 1 0]"),
        ("/W[1 4 2]", "/W[0 0 0]"),
        ("/W[1 4 2]", "/W[1 4]"),
        ("/W[1 4 2]", &format!("/W[{huge} 4 2]")),
        (
            "/W[1 4 2]",
            "/W[1 4 2]/Index[0 4294967295 7 18446744073709551615]",
        ),
        ("/Columns 7", &format!("/Columns {huge}")),
        (
            "/Columns 7",
            "/Columns 18446744073709551615/Colors 18446744073709551615",
        ),
        ("/Columns 7", "/Columns 0"),
        ("/Length ", &format!("/Length {huge}")),
        ("/Length ", "/Length 1"),
    ] {
        let mut objects = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]);
        objects
            .0
            .insert(2, b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec());
        let packed = objects.packed(3, true);
        let file: Vec<u8> = replaced(&packed, from.as_bytes(), to.as_bytes());
        // The file is longer, so that its cross references are found by a search.
        let found = read(&file);
        assert!(found.links.len() <= 1, "{to}");
    }
    let table = with_actions(&["<</S/URI/URI(http://example.com/a)>>"]).table();
    for entries in ["0 18446744073709551615", "0 4294967295", "4294967295 9"] {
        let file = replaced(
            &table,
            b"0 1\n00000",
            format!("{entries}\n00000").as_bytes(),
        );
        assert_eq!(read(&file).links.len(), 1, "{entries}");
    }
}

/// Replaces the first occurrence of some bytes.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|part| part == from);
    let Some(at) = at else { return bytes.to_vec() };
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn actions_that_all_lead_to_one_long_chain() {
    let mut objects = with_actions(&["1000 0 R"; 2_000]);
    for number in 1000..3_000 {
        let body = format!(
            "<</S/URI/URI(http://example.com/a)/Next {} 0 R>>",
            number + 1
        );
        objects.0.insert(number, body.into_bytes());
    }
    let file = objects.table();
    let found = read_with(&file, 1 << 16, LIMIT);
    // Four million references stand for two thousand; what was left out is said.
    assert!(found.links.len() < 100_000, "{}", found.links.len());
    assert_eq!(found.codes, ["pdf.limit"]);
}

#[test]
fn every_start_and_every_change_of_a_byte() {
    let objects =
        with_actions(&["<</S/URI/URI(http://example.com/a)/Next<</S/GoToR/F(b)/D[1]>>>>"]);
    for file in [objects.table(), objects.packed(2, true)] {
        for end in 0..file.len() {
            let found = read_with(&file[..end], 1 << 16, LIMIT);
            assert!(found.links.len() <= 2);
            assert!(!found.codes.is_empty() || found.links.len() == 2, "{end}");
        }
        for at in 0..file.len() {
            for byte in [b'9', b'(', b'>', 0xFF] {
                let mut changed = file.clone();
                changed[at] = byte;
                read_with(&changed, 1 << 16, LIMIT);
            }
        }
    }
}
