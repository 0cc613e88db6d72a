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
#[path = "../../tests/unit/pipeline/prefetch.rs"]
mod tests;
