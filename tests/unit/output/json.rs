use super::*;

#[test]
fn strings_round_trip_through_serde_json_without_controls() {
    let mut cases: Vec<Vec<u8>> = (0..=255).map(|byte| vec![b'a', byte, b'z']).collect();
    cases.push("déjà \u{2028} \u{10FFFF} \u{7f}".into());
    cases.push(b"\xE2\x82 cut, \xED\xA0\x80 surrogate, \xF0\x9F\x98 cut".to_vec());
    cases.push(b"http://example.com/a/long/enough/path?with=query#fragment \" ".to_vec());
    for case in cases {
        let mut out = Vec::new();
        push_string(&case, &mut out);
        let written = String::from_utf8(out).unwrap();
        let expected = String::from_utf8_lossy(&case);
        let read: String = serde_json::from_str(&written).unwrap();
        assert_eq!(read, expected, "{case:?}");
        let is_kept = |c: char| !is_control(c) && !c.is_ascii();
        assert!(
            expected
                .chars()
                .filter(|&c| is_kept(c))
                .all(|c| written.contains(c))
        );
        assert!(!written.contains(is_control), "{written:?}");
    }
}
