use super::*;

/// Writes codes the way `compress` does.
struct Codes {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl Codes {
    fn push(&mut self, code: u32, width: u32) {
        self.bits |= u64::from(code) << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }
}

/// A naive compressor: a table of texts, and groups of eight codes.
fn compress(text: &[u8], widest: u32, clear_after: usize) -> Vec<u8> {
    let mut codes = Codes {
        bytes: vec![0x1f, 0x9d, CLEARS | widest as u8],
        bits: 0,
        count: 0,
    };
    let singles = || -> Vec<Vec<u8>> { (0..=255).map(|byte| vec![byte]).collect() };
    let mut table = singles();
    table.push(Vec::new());
    // As the reader sees it: one entry behind.
    let (mut width, mut written, mut entries) = (NARROW, 0, 257);
    let pad = |codes: &mut Codes, written: &mut u32, width: u32| {
        while !written.is_multiple_of(8) {
            codes.push(0, width);
            *written += 1;
        }
    };
    let mut rest = text;
    let mut sent = 0;
    while !rest.is_empty() {
        if sent > 0 && sent % clear_after == 0 {
            codes.push(CLEAR, width);
            written += 1;
            pad(&mut codes, &mut written, width);
            (table, width, entries) = (singles(), NARROW, 256);
        }
        let longest = table
            .iter()
            .enumerate()
            .filter(|(_, known)| !known.is_empty() && rest.starts_with(known));
        let (code, known) = longest.max_by_key(|(_, known)| known.len()).unwrap();
        let length = known.len();
        if entries >= 1 << width && width < widest {
            pad(&mut codes, &mut written, width);
            width += 1;
        }
        codes.push(code as u32, width);
        written += 1;
        if sent > 0 && entries < 1 << widest {
            entries += 1;
        }
        if table.len() < 1 << widest {
            // Behind a clearing the decoder makes an entry that no code refers to.
            let whole = rest.get(..=length).unwrap_or_default().to_vec();
            if table.len() == 256 {
                table.push(Vec::new());
            }
            table.push(whole);
        }
        sent += 1;
        rest = &rest[length..];
    }
    codes.push(0, 7);
    codes.bytes
}

#[test]
fn compressed_bytes_round_trip() {
    let mut seed = 1_u32;
    let noise: Vec<u8> = (0..6000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"abcdefgh \n"[(seed >> 24) as usize % 10]
        })
        .collect();
    for text in [&b"a"[..], b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &noise] {
        for (widest, clear_after) in [
            (16, 1 << 20),
            (9, 1 << 20),
            (10, 1 << 20),
            (12, 700),
            (16, 5),
        ] {
            let stored = compress(text, widest, clear_after);
            let (got, end) = decompress(&stored, 100);
            assert_eq!(end, Ok(()));
            assert!(got == text, "{widest} bits, cleared after {clear_after}");
        }
    }
}

/// Decompresses up to the end or damage, `step` bytes at a time.
fn decompress(stored: &[u8], step: usize) -> (Vec<u8>, Result<(), DecompressFault>) {
    let mut source = BufferedSource::new(Box::new(std::io::Cursor::new(stored.to_vec())));
    let mut lzw = Lzw::default();
    let mut got = Vec::new();
    if let Err(fault) = lzw.begin(&mut source) {
        return (got, Err(fault));
    }
    loop {
        let mut into = vec![0; step];
        let (n, end) = lzw.decompress(&mut source, &mut into);
        got.extend_from_slice(&into[..n]);
        if let Some(end) = end {
            return (got, end);
        }
    }
}

#[test]
fn damage_is_an_error() {
    for (stored, fault) in [
        (&b"\x1f\x9d"[..], DecompressFault::Truncated),
        (b"\x1f\x9d\x88aa", DecompressFault::Corrupt),
        (b"\x1f\x9d\x91aa", DecompressFault::Corrupt),
        (b"\x1f\x9d\x90\xff\xff\xff", DecompressFault::Corrupt),
    ] {
        assert_eq!(decompress(stored, 100), (Vec::new(), Err(fault)));
    }
}

/// The codes `a`, `b` and 300, which nothing has made, and three of `c`.
#[test]
fn damage_after_text_in_one_read_is_reported() {
    let mut codes = Codes {
        bytes: vec![0x1f, 0x9d, CLEARS | 16],
        bits: 0,
        count: 0,
    };
    for code in [97, 98, 300, 99, 99, 99] {
        codes.push(code, NARROW);
    }
    codes.push(0, 7);
    for step in [1, 2, 3, 100] {
        let got = decompress(&codes.bytes, step);
        assert_eq!(
            got,
            (b"ab".to_vec(), Err(DecompressFault::Corrupt)),
            "{step}"
        );
    }
}

#[test]
fn cut_within_a_code_is_reported() {
    let stored = compress(b"see http://example.com/1\n", 16, 1 << 20);
    let whole = stored.len();
    for cut in 4..whole {
        let (got, end) = decompress(&stored[..cut], 7);
        assert!(
            b"see http://example.com/1\n".starts_with(got.as_slice()),
            "{cut}"
        );
        // Where a code ends within the last byte, a cut cannot be detected.
        let left = (cut - 3) * 8 % 9;
        let expected = match left {
            8 => Err(DecompressFault::Truncated),
            _ => Ok(()),
        };
        assert_eq!(end, expected, "{cut}");
    }
}
