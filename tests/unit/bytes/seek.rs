use super::*;

/// Compares each search with a loop, at every index of generated markup.
#[test]
fn searches_agree_with_a_loop() {
    let mut state = 7u32;
    let mut bytes = vec![b'a'; 4096];
    for byte in &mut bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 29 == 0 {
            *byte = b"<>\"' /=\n\r\t\x0c\x01&\0\xe9"[(state >> 20) as usize % 15];
        }
    }
    // Miri, which interprets, gets a few.
    let step = if cfg!(miri) { 409 } else { 1 };
    for at in (0..bytes.len()).step_by(step) {
        let find = |holds: &dyn Fn(u8) -> bool| {
            let found = bytes[at..].iter().position(|&byte| holds(byte));
            found.map_or(bytes.len(), |found| at + found)
        };
        let slash_or_more = |byte| matches!(byte, b'/' | b'>');
        assert_eq!(next(b'<', &bytes, at), find(&|byte| byte == b'<'));
        assert_eq!(
            tag_name_end(&bytes, at),
            find(&|byte| is_space(byte) || slash_or_more(byte))
        );
        assert_eq!(
            attribute_name_end(&bytes, at),
            find(&|byte| is_space(byte) || slash_or_more(byte) || byte == b'=')
        );
        assert_eq!(
            bare_value_end(&bytes, at),
            find(&|byte| is_space(byte) || byte == b'>')
        );
        assert_eq!(skip_space(&bytes, at), find(&|byte| !is_space(byte)));
        for end in at..bytes.len().min(at + 40) {
            let odd = |&byte: &u8| matches!(byte, b'&' | b'\r' | 0 | 0x80..);
            assert_eq!(is_plain(&bytes, at, end), !bytes[at..end].iter().any(odd));
        }
    }
}
