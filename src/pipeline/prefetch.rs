//! Decompression ahead of the reader: while workers are idle a thread of its own decompresses a file, and
//! the worker of the file scans what has been decompressed.
//!
//! The two share a ring of a few windows. The reader gets the bytes, the places of members and the
//! errors that it gets without the thread.

use std::any::Any;
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::decode::compression::{DecompressFault, Decompressed, DetachedLayer, MemberLog};

/// The number of windows of a ring.
const WINDOWS: usize = 4;

/// The sizes of a ring, in bytes.
#[derive(Clone, Copy)]
struct RingSizes {
    /// A thread is started only behind so many bytes.
    from: u64,
    window: usize,
}

impl Default for RingSizes {
    fn default() -> Self {
        RingSizes {
            from: 256 << 10,
            window: 64 << 10,
        }
    }
}

/// One layer of compression, which the reader of the next layer and the places of its members share.
pub(crate) type Layer = Rc<RefCell<Decompressed>>;

/// The number of workers that wait for others to end: so many threads can be started.
#[derive(Debug, Default)]
pub(crate) struct IdleWorkers(AtomicIsize);

impl IdleWorkers {
    /// Adds the worker that calls for good.
    pub(crate) fn retire(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the worker that calls, until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> IdleGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        IdleGuard(Arc::clone(self), 1)
    }

    /// Takes an idle worker's place until the guard is dropped, if there is one.
    fn claim(self: &Arc<Self>) -> Option<IdleGuard> {
        let one_less = |idle: isize| (idle > 0).then(|| idle - 1);
        let (set, fetched) = (Ordering::Relaxed, Ordering::Relaxed);
        let claimed = self.0.fetch_update(set, fetched, one_less);
        claimed.is_ok().then(|| IdleGuard(Arc::clone(self), -1))
    }
}

/// Undoes a change of the number of idle workers when it is dropped.
#[derive(Debug)]
pub(crate) struct IdleGuard(Arc<IdleWorkers>, isize);

impl Drop for IdleGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// The bytes of a file, which are read in one thread at a time.
#[derive(Clone)]
pub(crate) struct SharedInput(Arc<Mutex<dyn Read + Send>>);

impl SharedInput {
    pub(crate) fn new(reader: impl Read + Send + 'static) -> Self {
        SharedInput(Arc::new(Mutex::new(reader)))
    }
}

impl Read for SharedInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reader.read(into)
    }
}

/// Reads the innermost of the layers of a compressed file.
pub(crate) struct LayerReader {
    /// The layers, outermost first.
    layers: Vec<Layer>,
    /// The file, where a thread may be started.
    source: Option<(SharedInput, Arc<IdleWorkers>)>,
    ring: Option<Ring>,
    sizes: RingSizes,
}

impl LayerReader {
    /// Reads layers, outermost first.
    pub(crate) fn new(layers: Vec<Layer>) -> Self {
        LayerReader {
            layers,
            source: None,
            ring: None,
            sizes: RingSizes::default(),
        }
    }

    /// Lets a thread be started while there are idle workers. `input` is what the outermost layer reads.
    pub(crate) fn allow_thread(&mut self, input: SharedInput, idle: &Arc<IdleWorkers>) {
        self.source = Some((input, Arc::clone(idle)));
    }

    /// Starts a thread, if there is an idle worker.
    fn start_thread(&mut self) {
        let claim = self.source.as_ref().and_then(|(_, idle)| idle.claim());
        let (Some(claim), Some((input, _))) = (claim, &self.source) else {
            return;
        };
        let input = input.clone();
        self.source = None;
        // Where the system has no more threads the layers are read here.
        if let Ok((ring, layers_end)) = Ring::start(claim, self.sizes.window) {
            let layers = self.layers.iter().map(|layer| layer.borrow_mut().detach());
            // The thread waits for them.
            let _ = layers_end.send(DetachedLayers {
                layers: layers.collect(),
                input,
            });
            self.ring = Some(ring);
        }
    }
}

impl Read for LayerReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let is_begun = |layer: &Layer| layer.borrow().output() >= self.sizes.from;
        if self.source.is_some() && self.layers.last().is_some_and(is_begun) {
            self.start_thread();
        }
        match &mut self.ring {
            Some(ring) => ring.read(into, &self.layers),
            None => read_layers(&self.layers, into),
        }
    }
}

/// Reads the innermost of layers.
fn read_layers(layers: &[Layer], into: &mut [u8]) -> io::Result<usize> {
    let [outermost, .., innermost] = layers else {
        let only = layers.first();
        return only.map_or(Ok(0), |layer| layer.borrow_mut().read(into));
    };
    let (input, mut innermost) = (outermost.borrow().input(), innermost.borrow_mut());
    let output = innermost.output();
    // Each layer keeps its own ratio; that of all layers can still be too high.
    if Decompressed::is_checked(output) && Decompressed::is_excessive(input, output) {
        innermost.end_with(DecompressFault::RatioLimit);
    }
    innermost.read(into)
}

/// The layers of a file on the way to another thread.
struct DetachedLayers {
    layers: Vec<DetachedLayer>,
    input: SharedInput,
}

impl DetachedLayers {
    /// Makes layers that read one another.
    fn attach(self) -> Vec<Layer> {
        let mut input: Box<dyn Read> = Box::new(self.input);
        let mut layers: Vec<Layer> = Vec::new();
        for layer in self.layers {
            layers.push(Rc::new(RefCell::new(layer.with_reader(input))));
            input = Box::new(LayerReader::new(layers.clone()));
        }
        layers
    }
}

/// Bytes that have been decompressed.
#[derive(Default)]
struct RingWindow {
    bytes: Vec<u8>,
    length: usize,
    /// The places of members and of damage since the window before, of each layer.
    logs: Vec<MemberLog>,
    /// No window follows: the end of the file, or an error of reading it.
    end: Option<Result<(), io::ErrorKind>>,
}

/// The windows between a thread that decompresses and a reader. The thread ends when the ring is dropped.
struct Ring {
    thread: Option<JoinHandle<()>>,
    full: Receiver<RingWindow>,
    empty: Sender<Vec<u8>>,
    window: RingWindow,
    /// The number of bytes of the window that have been read.
    at: usize,
}

impl Ring {
    /// Starts a thread, which waits for layers.
    fn start(claim: IdleGuard, window: usize) -> io::Result<(Self, Sender<DetachedLayers>)> {
        let (full_end, full) = channel();
        let (empty, empty_end) = channel();
        let (layers_end, layers_start) = channel();
        let run = move || {
            if let Ok(layers) = layers_start.recv() {
                decompress(layers, window, &full_end, &empty_end);
            }
            drop(claim);
        };
        let thread = thread::Builder::new().spawn(run)?;
        for _ in 1..WINDOWS {
            let _ = empty.send(Vec::new());
        }
        let ring = Ring {
            thread: Some(thread),
            full,
            empty,
            window: RingWindow::default(),
            at: 0,
        };
        Ok((ring, layers_end))
    }

    /// Reads from the current window or the next; adds its places to those of `layers`.
    fn read(&mut self, into: &mut [u8], layers: &[Layer]) -> io::Result<usize> {
        while self.at == self.window.length {
            if let Some(end) = self.window.end {
                return end.map(|()| 0).map_err(io::Error::from);
            }
            // Nobody takes it where the thread has ended.
            let _ = self.empty.send(std::mem::take(&mut self.window.bytes));
            self.window = self.full.recv().unwrap_or_else(|_| self.join());
            self.at = 0;
            for (layer, log) in layers.iter().zip(self.window.logs.drain(..)) {
                layer.borrow_mut().extend_log(log);
            }
        }
        let n = (&self.window.bytes[self.at..self.window.length]).read(into)?;
        self.at += n;
        Ok(n)
    }

    /// Passes on the panic of the thread, which else sends an end.
    fn join(&mut self) -> RingWindow {
        if let Some(thread) = self.thread.take() {
            let panic: Result<(), Box<dyn Any + Send>> = thread.join();
            panic.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        RingWindow {
            end: Some(Err(io::ErrorKind::Other)),
            ..RingWindow::default()
        }
    }
}

/// Decompresses layers into windows of `window` bytes until they end, or nobody reads them.
fn decompress(
    detached: DetachedLayers,
    window: usize,
    full: &Sender<RingWindow>,
    empty: &Receiver<Vec<u8>>,
) {
    let layers = detached.attach();
    while let Ok(mut bytes) = empty.recv() {
        bytes.resize(window, 0);
        let (mut length, mut end) = (0, None);
        while length < window && end.is_none() {
            match read_layers(&layers, &mut bytes[length..]) {
                Ok(0) => end = Some(Ok(())),
                Ok(n) => length += n,
                Err(error) => end = Some(Err(error.kind())),
            }
        }
        let logs = layers.iter().map(|layer| layer.borrow_mut().take_log());
        let window = RingWindow {
            bytes,
            length,
            logs: logs.collect(),
            end,
        };
        if full.send(window).is_err() || end.is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;
    use crate::decode::compression::{Codec, Members};

    const TEXT: &[u8] =
        b"see http://example.com/a and http://example.org/b, then http://example.net/c";

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
}
