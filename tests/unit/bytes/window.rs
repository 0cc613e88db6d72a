use super::*;

/// Reads at most a given number of bytes at a time, as a pipe does.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(self.1).min(into.len());
        into[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn every_byte_is_pending_once_and_becomes_look_behind() {
    let text: Vec<u8> = (0..=255).collect();
    for size in 1..40 {
        for take in 1..20 {
            let mut windows = Windows::new(size);
            windows.begin(Bounds {
                look_behind: 7,
                look_ahead: 64,
            });
            let mut seen = Vec::new();
            let mut reader = Trickle(&text, 3);
            loop {
                windows.fill(&mut reader).unwrap();
                let window = windows.window();
                let from = window.offset as usize;
                assert_eq!(window.bytes, &text[from..from + window.bytes.len()]);
                assert!(window.start == 7 || from == 0);
                let at = if window.last {
                    window.bytes.len()
                } else {
                    window.bytes.len().min(window.start + take)
                };
                seen.extend_from_slice(&window.bytes[window.start..at]);
                if windows.consume(at) {
                    break;
                }
            }
            assert_eq!(seen, text, "size {size}, take {take}");
        }
    }
}

#[test]
#[should_panic(expected = "consumed nothing")]
fn a_scanner_that_waits_beyond_its_bound_is_caught() {
    let mut windows = Windows::new(4);
    windows.begin(Bounds {
        look_behind: 0,
        look_ahead: 16,
    });
    let mut reader = io::repeat(b'x');
    for _ in 0..9 {
        windows.fill(&mut reader).unwrap();
        windows.consume(0);
    }
}
