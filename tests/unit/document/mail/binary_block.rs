use super::*;

fn blank(text: &str) -> (String, Vec<&'static str>) {
    let mut bytes = text.as_bytes().to_vec();
    let length = bytes.len();
    let mut blocks = BinaryBlocks::default();
    let taken = blocks.blank(&mut bytes, true);
    assert_eq!(taken, length);
    let lines: Vec<String> = String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    (lines.join("|"), blocks.begun)
}

const YENC: &str = "=ybegin line=10 size=24 name=x";

#[test]
fn yenc_without_an_end_is_text() {
    for text in [
        format!("{YENC}|http://example.com/"),
        format!("{YENC}|http://example.com/|=yend"),
        format!("{YENC}|http://example.com/|=yendless size=1"),
        format!("{YENC}|http://example.com/|a =yend size=1"),
    ] {
        let lines = text.replace('|', "\n");
        assert_eq!(blank(&lines), (text, vec![]));
    }
    // The end is that of the second.
    let text = format!("{YENC}\nhttp://example.com/\n{YENC}\nx\n=yend size=1\nb");
    let expected = format!("{YENC}|http://example.com/||||b");
    assert_eq!(blank(&text), (expected, vec!["text/x-yenc"]));
}

#[test]
fn yenc_in_pieces_waits_for_its_end() {
    let mut blocks = BinaryBlocks::default();
    let whole = format!("a\n{YENC}\nhttp://example.com/\n=yend size=24\nb\n");
    for (end, taken) in [(2, 2), (33, 2), (53, 2), (67, 67), (69, 69)] {
        let mut bytes = whole.as_bytes()[..end].to_vec();
        assert_eq!(blocks.blank(&mut bytes, false), taken, "{end}");
    }
    // The wait is bounded; later lines of the block are recognized by their length.
    let long = [YENC, &"\n0123456789".repeat(YENC_WAIT / 10), "\n"].concat();
    let mut bytes = long.into_bytes();
    let length = bytes.len();
    assert_eq!(blocks.blank(&mut bytes, false), length);
    assert!(bytes.trim_ascii().is_empty());
    let mut rest = b"0123456789A\nhttp://example.com/\n".to_vec();
    assert_eq!(blocks.blank(&mut rest, true), rest.len());
    assert_eq!(rest.trim_ascii(), b"http://example.com/");
}

#[test]
    #[rustfmt::skip]
    fn blocks_are_blanked() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("a\nbegin 644 x.bin\n#0V%T\n`\nend\nb\n", "a|||||b", &["text/x-uuencode"]),
            ("begin 644 of prose\nthis is no code\n", "|this is no code", &["text/x-uuencode"]),
            ("we begin 644 x\n", "we begin 644 x", &[]),
            ("a\n=ybegin line=128 size=4 name=x\nhttp://x\n=yend size=4\nb", "a||||b", &["text/x-yenc"]),
            ("-----BEGIN PGP SIGNATURE-----\nVersion: x http://v\n\niQ==\n=abcd\n-----END PGP SIGNATURE-----\nb", "||||||b", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n- -x\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\nb",
             "-----BEGIN PGP SIGNED MESSAGE-----|Hash: SHA1||  -x|||||b", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP SIGNATURE-----\nhttp://a\n", "|http://a", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP SIGNATURE-----\n\na+/=\n\nhttp://a\nb", "||||http://a|b", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP MESSAGE-----\n\nabc\nlost its end\n", "|||lost its end", &["text/x-pgp-message"]),
        ];
        for (text, expected, names) in rows {
            assert_eq!(blank(text), ((*expected).to_owned(), names.to_vec()), "{text:?}");
        }
    }
