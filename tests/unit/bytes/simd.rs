use super::*;

#[test]
fn a_marked_byte_is_found_wherever_it_is() {
    let any = |bytes: &[u8]| any(bytes, |block| block.equal(b'x'), |byte| byte == b'x');
    for length in 0..70 {
        let mut bytes = vec![b'-'; length];
        assert!(!any(&bytes), "{length}");
        for at in 0..length {
            bytes[at] = b'x';
            assert!(any(&bytes), "{length}, {at}");
            bytes[at] = b'-';
        }
    }
}

#[test]
fn a_block_compares_as_its_bytes_do() {
    let mut state = 1u32;
    // Miri interprets some hundred times slower than code runs.
    let rounds = if cfg!(miri) { 50 } else { 5000 };
    for _ in 0..rounds {
        let bytes: [u8; 16] = std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let (block, naive) = (Block::new(&bytes), naive::Block::new(&bytes));
        let digits = !naive.outside(b'0', b'9').bits() & 0xFFFF;
        assert_eq!(block.digits(), digits, "{bytes:?}");
        for byte in [bytes[3], bytes[12], 0, 0x20, 0x7F, 0x80, 0xFF] {
            let equal = naive.marks(byte);
            assert_eq!(block.equal(byte), equal.bits(), "{bytes:?} {byte}");
            assert_eq!(
                block.up_to(byte),
                naive.at_most(byte).bits(),
                "{bytes:?} {byte}"
            );
        }
        let some = [bytes[5], b'<', bytes[9]];
        let any = some
            .iter()
            .fold(0, |any, &byte| any | naive.marks(byte).bits());
        assert_eq!(block.any_of(some), any, "{bytes:?}");
        assert_eq!(block.beyond_ascii(), naive.beyond_ascii(), "{bytes:?}");
        let (outside, others) = (block.outside(b'!', b'z'), naive.outside(b'!', b'z'));
        assert_eq!(outside.bits(), others.bits(), "{bytes:?}");
        let (set, other) = (
            block.with(2).marks(b'>'),
            (naive | naive::Block::splat(2)).marks(b'>'),
        );
        assert_eq!((set | outside).bits(), (other | others).bits(), "{bytes:?}");
        assert_eq!((set & outside).bits(), (other & others).bits(), "{bytes:?}");
        let four = [block.marks(bytes[0]), set, outside, block.marks(bytes[15])];
        let naive_four = [naive.marks(bytes[0]), other, others, naive.marks(bytes[15])];
        let bits = Block::bits_of_four(four);
        assert_eq!(bits, naive::Block::bits_of_four(naive_four), "{bytes:?}");
    }
}

#[test]
fn indices_are_all_those_of_the_byte() {
    // Miri interprets some hundred times slower than code runs.
    let step = if cfg!(miri) { 29 } else { 1 };
    for length in (0..200).step_by(step) {
        for distance in [1, 3, 63, 64, 65, 300] {
            let bytes: Vec<u8> = (0..length).map(|at| u8::from(at % distance == 0)).collect();
            for from in (0..=length).step_by(step) {
                let naive: Vec<usize> = (from..length).filter(|at| at % distance == 0).collect();
                let found: Vec<usize> = Indices::new(1, &bytes, from).collect();
                assert_eq!(found, naive, "{length} {distance} {from}");
            }
        }
    }
}
