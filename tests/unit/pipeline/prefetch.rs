use std::io::{Cursor, Write};

use super::*;
use crate::decode::compression::{Codec, Members};

const TEXT: &[u8] = b"see http://example.com/a and http://example.org/b, then http://example.net/c";

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(content, level)
}

fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A file of two streams of xz, with padding between them.
const XZ: &[u8] =
        b"\xfd7zXZ\x00\x00\x01i\x22\xde6\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\x01\x00\x1dsee http://exampl\
        e.com/a and h\x00\x00\x00\xa0R\xd9i\x00\x012\x1e9\xdc\xf97\x90B\x99\x0d\x01\x00\x00\x00\x00\x01YZ\x00\
        \x00\x00\x00\xfd7zXZ\x00\x00\x01i\x22\xde6\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\xe0\x001\x00*]\x009\x99l@t\
        \xc3\xa1\x07\xefkU):\xfa*gz\xd8\x1ef\xac\x1d\xd9\xc3^\xbd\xe1\x1f\x85\xbd\x8fD\x80\
        \xa1\xca\xf8\x08\x10\x8b\xda \x00\x00\x00\x00\xb2\xcf\xdb\xcc\x00\x01B2,\xc9\x1e*\x90B\x99\x0d\
        \x01\x00\x00\x00\x00\x01YZ";

/// Layers over `stored`, and what the outermost reads.
fn layers(input: impl Read + Send + 'static, codecs: &[&str]) -> (Vec<Layer>, SharedInput) {
    let input = SharedInput::new(input);
    let mut reader: Box<dyn Read> = Box::new(input.clone());
    let mut layers: Vec<Layer> = Vec::new();
    for extension in codecs {
        let codec = Codec::with_extension(extension).unwrap();
        let layer = Decompressed::new(codec, reader);
        layers.push(Rc::new(RefCell::new(layer)));
        reader = Box::new(LayerReader::new(layers.clone()));
    }
    (layers, input)
}

/// A reader of a gzip file in a thread, while one worker is idle.
fn reader_of(input: impl Read + Send + 'static, sizes: RingSizes) -> LayerReader {
    let (layers, input) = layers(input, &["gz"]);
    let idle = Arc::default();
    IdleWorkers::retire(&idle);
    let mut reader = LayerReader::new(layers);
    reader.allow_thread(input, &idle);
    reader.sizes = sizes;
    reader
}

/// The content, the place of the member of each byte and of the next gap, and the errors.
type Found = (Vec<u8>, Vec<(Option<u64>, Option<u64>)>, Vec<String>);

fn read(stored: &[u8], codecs: &[&str], sizes: Option<RingSizes>) -> Found {
    let (layers, input) = layers(Cursor::new(stored.to_vec()), codecs);
    let idle = Arc::default();
    let mut reader = LayerReader::new(layers.clone());
    if let Some(sizes) = sizes {
        IdleWorkers::retire(&idle);
        reader.allow_thread(input, &idle);
        reader.sizes = sizes;
    }
    let mut content = Vec::new();
    reader.read_to_end(&mut content).unwrap();
    assert_eq!(
        reader.ring.is_some(),
        sizes.is_some_and(|sizes| sizes.from <= content.len() as u64)
    );
    let members = Members::new(layers.clone());
    let offsets = 0..content.len() as u64;
    let places = offsets
        .map(|at| (members.offset(at), members.gap(at)))
        .collect();
    let errors = layers
        .iter()
        .map(|layer| format!("{:?}", layer.borrow().error()));
    (content, places, errors.collect())
}

#[test]
fn a_thread_gives_what_is_read_without_it() {
    let (one, two) = TEXT.split_at(30);
    let three = [b"see ", one].concat();
    let files: [(Vec<u8>, &[&str]); 7] = [
        (
            [gzip(TEXT), gzip(b""), gzip(&three), gzip(two)].concat(),
            &["gz"],
        ),
        ([zstd(TEXT), zstd(&three)].concat(), &["zst"]),
        (bzip2(TEXT), &["bz2"]),
        (XZ.to_vec(), &["xz"]),
        (gzip(XZ), &["gz", "xz"]),
        (zstd(&[gzip(one), gzip(two)].concat()), &["zst", "gz"]),
        (gzip(&bzip2(&gzip(TEXT))), &["gz", "bz2", "gz"]),
    ];
    for (stored, codecs) in files {
        let whole = (0..stored.len()).map(|at| (at, stored[..at].to_vec()));
        let flipped = (0..stored.len()).map(|at| {
            let mut flipped = stored.clone();
            flipped[at] ^= 0x20;
            (at, flipped)
        });
        for (at, stored) in whole.chain(flipped).chain([(0, stored.clone())]) {
            let expected = read(&stored, codecs, None);
            for (from, window) in [(0, 1), (1, 7), (40, 1000)] {
                let sizes = RingSizes { from, window };
                let got = read(&stored, codecs, Some(sizes));
                assert!(
                    got == expected,
                    "{codecs:?}, {at}, {window}: {got:?} is not {expected:?}"
                );
            }
        }
    }
}

/// Tells when it is dropped.
struct Watched(Box<dyn Read + Send>, Sender<()>);

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.1.send(());
    }
}

#[test]
fn a_thread_ends_when_nobody_reads() {
    let stored = gzip(&TEXT.repeat(100));
    for read in [1, 100, 5000, 10_000] {
        let (dropped, wait) = channel();
        let input = Watched(Box::new(Cursor::new(stored.clone())), dropped);
        let sizes = RingSizes {
            from: 0,
            window: 64,
        };
        let mut reader = reader_of(input, sizes);
        let mut start = vec![0; read];
        let n = reader.read(&mut start).unwrap();
        assert!(n > 0 && TEXT.repeat(2).starts_with(&start[..n]));
        drop(reader);
        wait.recv().unwrap();
    }
}

/// Fails in one way or the other behind its bytes.
struct Failing(Cursor<Vec<u8>>, bool);

impl Read for Failing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 if self.1 => panic!("the input"),
            0 => Err(io::ErrorKind::TimedOut.into()),
            n => Ok(n),
        }
    }
}

#[test]
fn errors_and_panics_of_the_thread_are_those_of_the_reader() {
    let stored = gzip(TEXT);
    for panics in [false, true] {
        let input = Failing(Cursor::new(stored[..stored.len() - 20].to_vec()), panics);
        let sizes = RingSizes {
            from: 1,
            window: 16,
        };
        let mut reader = reader_of(input, sizes);
        let mut content = Vec::new();
        let read = std::panic::AssertUnwindSafe(|| reader.read_to_end(&mut content));
        match std::panic::catch_unwind(read) {
            Ok(read) => assert_eq!(
                (read.unwrap_err().kind(), panics),
                (io::ErrorKind::TimedOut, false)
            ),
            Err(_) => assert!(panics),
        }
        assert!(TEXT.starts_with(&content));
    }
}

#[test]
fn no_thread_takes_the_place_of_a_worker_at_work() {
    let (layers, input) = layers(Cursor::new(gzip(TEXT)), &["gz"]);
    let idle: Arc<IdleWorkers> = Arc::default();
    let mut reader = LayerReader::new(layers);
    reader.allow_thread(input, &idle);
    reader.sizes = RingSizes {
        from: 0,
        window: 16,
    };
    let mut byte = [0];
    reader.read_exact(&mut byte).unwrap();
    assert!(reader.ring.is_none());
    let guard = idle.enter();
    let claim = idle.claim();
    assert!(claim.is_some() && idle.claim().is_none());
    drop(claim);
    drop(guard);
    assert!(idle.claim().is_none());
    idle.retire();
    reader.read_exact(&mut byte).unwrap();
    assert!(reader.ring.is_some() && idle.claim().is_none());
}
