use super::*;

#[test]
fn scalars_are_decoded_as_the_standard_library_does() {
    let mut bytes = Vec::new();
    let leads = [
        0x41, 0x80, 0xC1, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
    ];
    for lead in leads {
        for second in [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] {
            for third in [0x41, 0x80, 0xBF, 0xC2] {
                bytes.extend_from_slice(&[lead, second, third, 0x80]);
            }
        }
    }
    for at in 0..bytes.len() {
        let view = TextView::new(&bytes, 0);
        let chunk = bytes[at..].utf8_chunks().next().unwrap();
        let expected = chunk.valid().chars().next();
        let got = view.scalar(at);
        let expected = expected.map(|c| (c as u32, c.len_utf8()));
        assert_eq!(
            got,
            expected,
            "at {at}: {:x?}",
            &bytes[at..(at + 4).min(bytes.len())]
        );
    }
}
