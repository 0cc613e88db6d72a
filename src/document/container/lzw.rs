//! What `compress` writes: LZW with codes of 9 to 16 bits (`.Z`), which news batches still hold.

use std::io::{self, BufRead, ErrorKind, Read};

/// The two bytes that such data starts with.
pub(super) const MAGIC: &[u8] = b"\x1f\x9d";

/// The narrowest codes.
const NARROW: u32 = 9;
const WIDEST: u32 = 16;
/// The code that empties the table, in data that says so.
const CLEAR: u32 = 256;
const CLEARS: u8 = 0x80;

/// Decompresses as it is read.
pub(super) struct Lzw<R> {
    source: R,
    /// What the header says: the widest codes, and whether one of them empties the table.
    widest: u32,
    clears: bool,
    /// The header has been read.
    begun: bool,
    width: u32,
    /// Eight codes of the same width make whole bytes: those at hand, and how many are used.
    group: Vec<u8>,
    used: u32,
    /// For each code its text without the last byte, as a code, and that byte.
    table: Vec<(u16, u8)>,
    before: Option<u16>,
    /// The first byte of the text before.
    first: u8,
    /// Text on its way, the last byte first.
    text: Vec<u8>,
}

impl<R: BufRead> Lzw<R> {
    /// The data that starts where `source` stands.
    pub(super) fn new(source: R) -> Self {
        Lzw {
            source,
            widest: WIDEST,
            clears: false,
            begun: false,
            width: NARROW,
            group: Vec::new(),
            used: 0,
            table: Vec::new(),
            before: None,
            first: 0,
            text: Vec::new(),
        }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.source
    }

    pub(super) fn into_inner(self) -> R {
        self.source
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut header = [0; 3];
        self.source.read_exact(&mut header)?;
        let widest = u32::from(header[2] & 0x1F);
        if !header.starts_with(MAGIC) || !(NARROW..=WIDEST).contains(&widest) {
            return Err(ErrorKind::InvalidData.into());
        }
        self.widest = widest;
        self.clears = header[2] & CLEARS != 0;
        self.begun = true;
        self.empty();
        Ok(())
    }

    /// Empties the table; with a code for that, the first entry is the code's.
    fn empty(&mut self) {
        self.table.clear();
        self.table.extend((0..=255).map(|byte| (0, byte)));
        self.change(NARROW);
    }

    /// Goes on with codes of another width, which begin with a group of their own.
    fn change(&mut self, width: u32) {
        self.width = width;
        self.group.clear();
        self.used = 0;
    }

    /// The next code; none at the end.
    fn code(&mut self) -> io::Result<Option<u32>> {
        let full = self.table.len() as u32 >= 1 << self.width;
        if full && self.width < self.widest {
            self.change(self.width + 1);
        }
        let mut at = (self.used * self.width) as usize;
        if at + self.width as usize > self.group.len() * 8 {
            self.group.clear();
            let most = u64::from(self.width);
            (&mut self.source).take(most).read_to_end(&mut self.group)?;
            (self.used, at) = (0, 0);
            if self.group.len() * 8 < self.width as usize {
                return Ok(None);
            }
        }
        self.used += 1;
        let bytes = self.group[at / 8..].iter().take(3).rev();
        let bits = bytes.fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        Ok(Some(bits >> (at % 8) & ((1 << self.width) - 1)))
    }

    /// Puts the text of the next code in place; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(code) = self.code()? else {
            return Ok(false);
        };
        if self.clears && code == CLEAR {
            if self.before.is_some() {
                self.empty();
                return Ok(true);
            }
            return Err(ErrorKind::InvalidData.into());
        }
        let Some(before) = self.before else {
            let Ok(byte) = u8::try_from(code) else {
                return Err(ErrorKind::InvalidData.into());
            };
            self.first = byte;
            self.text.push(byte);
            self.before = Some(u16::from(byte));
            // The code for emptying takes a place.
            self.table.extend(self.clears.then_some((0, 0)));
            return Ok(true);
        };
        let known = self.table.len() as u32;
        let mut next = code as u16;
        if code >= known {
            if code > known {
                return Err(ErrorKind::InvalidData.into());
            }
            // The code that is being made: the text before and its own first byte.
            self.text.push(self.first);
            next = before;
        }
        while next > 255 {
            let (rest, last) = self.table[usize::from(next)];
            self.text.push(last);
            next = rest;
        }
        self.first = next as u8;
        self.text.push(self.first);
        if known < 1 << self.widest {
            self.table.push((before, self.first));
        }
        self.before = Some(code as u16);
        Ok(true)
    }
}

impl<R: BufRead> Read for Lzw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.begun {
            self.begin()?;
        }
        let mut n = 0;
        while n < into.len() {
            match self.text.pop() {
                Some(byte) => {
                    into[n] = byte;
                    n += 1;
                }
                None => match self.advance() {
                    Ok(true) => {}
                    Ok(false) => break,
                    // What came before the damage comes first.
                    Err(_) if n > 0 => break,
                    Err(error) => return Err(error),
                },
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
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
                // Behind a clearing the reader makes an entry that nobody uses.
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
    fn what_is_compressed_comes_back() {
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
                let mut got = Vec::new();
                Lzw::new(stored.as_slice()).read_to_end(&mut got).unwrap();
                assert!(got == text, "{widest} bits, cleared after {clear_after}");
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        for stored in [
            &b"\x1f\x9d"[..],
            b"\x1f\x9d\x88aa",
            b"\x1f\x9d\x91aa",
            b"\x1f\x9d\x90\xff\xff\xff",
        ] {
            assert!(Lzw::new(stored).read_to_end(&mut Vec::new()).is_err());
        }
    }
}
