use super::*;

/// The step of lengths and indices: under Miri, which interprets, a few of them do.
const STEP: usize = if cfg!(miri) { 41 } else { 1 };

/// Generates bytes of a few kinds.
fn generate(length: usize, state: &mut u32) -> Vec<u8> {
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *state >> 16
    };
    let kinds = b"::://abcxyz \n0Q\x00\x7f\x80\xba\xff";
    let made = (0..length).map(|_| match next(state) % 8 {
        0 => next(state) as u8,
        n if n < 4 => kinds[next(state) as usize % kinds.len()],
        _ => b'.',
    });
    made.collect()
}

/// Returns whether a set holds a byte: the naive version.
fn contains(set: &NibbleSet, byte: u8) -> bool {
    set.low[usize::from(byte) & 15] & set.high[usize::from(byte) >> 4] != 0
}

/// Returns whether a search finds the byte at an index, which has two bytes before it: the naive version.
fn may_be_at(pairs: &AsciiPairs, bytes: &[u8], at: usize) -> bool {
    let (first, second) = (bytes[at - 2], bytes[at - 1]);
    let tables = (
        pairs.first[usize::from(first) & 15],
        pairs.second[usize::from(second) & 15],
    );
    let may_precede = first < 0x80 && second < 0x80 && tables.0 & tables.1 != 0;
    bytes[at] == b':' && (bytes[at + 1] == b'/' || may_precede)
}

#[test]
fn vectorised_members_equal_the_set() {
    let Some(avx2) = Avx2::new() else { return };
    let mut state = 1;
    for _ in (0..200).step_by(STEP) {
        let mut kinds = generate(40, &mut state);
        kinds.retain(u8::is_ascii);
        let set = ByteSet::EMPTY.with(&kinds);
        let halves = NibbleSet::new(&set);
        for first in (0..=255u8).step_by(STEP) {
            let bytes: [u8; 32] = std::array::from_fn(|n| first.wrapping_add(n as u8));
            let got = avx2.members(&bytes, &halves);
            for (n, &byte) in bytes.iter().enumerate() {
                assert_eq!(
                    got >> n & 1 == 1,
                    set.contains(byte),
                    "{byte:#x} in {kinds:?}"
                );
                assert_eq!(contains(&halves, byte), set.contains(byte));
            }
        }
    }
}

#[test]
fn agrees_with_the_naive_search() {
    let Some(avx2) = Avx2::new() else { return };
    let pairs = AsciiPairs::NONE
        .with(b'a', b'b')
        .with(b'c', b'x')
        .with(b'y', b'x');
    let mut state = 1;
    for length in (0..600).step_by(STEP) {
        let bytes = generate(length, &mut state);
        for from in (0..=length).step_by(STEP) {
            let accept = |at: usize| bytes[at] != b':' || !at.is_multiple_of(3);
            let is_found = |at: &usize| may_be_at(&pairs, &bytes, *at) && accept(*at);
            let (found, until) = match avx2.find(&bytes, from, &pairs, accept) {
                Ok(at) => (Some(at), at + 1),
                Err(until) => (None, until),
            };
            let naive = (from..until).find(is_found);
            assert_eq!(found, naive, "{} from {from}", bytes.escape_ascii());
            assert!(found.is_some() || from < 2 || until + 34 > length);
        }
    }
}
