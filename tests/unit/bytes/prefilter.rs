use super::*;

static WORDS: WordEndings = WordEndings::new(&[b"lto", b"tel", b"ile"], &[b"url", b"tps"]);

/// The naive version.
fn naive(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|&at| {
        let ends = |word: &&[u8; 3]| at >= 3 && bytes[at - 3..at].eq_ignore_ascii_case(*word);
        let next = bytes.get(at + 1..at + 3);
        let plain = [b"lto", b"tel", b"ile"].iter().any(ends);
        let breaking = [b"url", b"tps"].iter().any(ends);
        bytes[at] == b':'
            && (at < 4
                || next.is_none_or(|next| next == b"//" || breaking || (plain && next[0] > b' ')))
    })
}

#[test]
fn agrees_with_the_naive_search() {
    let tokens = [
        "a", ":", "//", " ", "mailto", "URL", "https", "tel", "xtel", "file", "\n", "é", "::", "/",
    ];
    let mut state = 1u64;
    // Miri, which interprets, gets a few.
    let rounds = if cfg!(miri) { 40 } else { 20_000 };
    for n in 0..rounds {
        let mut text = String::new();
        while text.len() < 40 + 160 * usize::from(n % 8 == 0) {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            text.push_str(tokens[(state >> 33) as usize % tokens.len()]);
        }
        let mut from = 0;
        loop {
            let got = WORDS.next_colon(None, text.as_bytes(), from);
            assert_eq!(got, naive(text.as_bytes(), from), "{text:?} from {from}");
            let vectorised = WORDS.next_colon(Avx2::new(), text.as_bytes(), from);
            assert_eq!(vectorised, got, "{text:?} from {from}");
            match got {
                Some(at) => from = at + 1,
                None => break,
            }
        }
    }
}
