//! Members that are decompressed before they are asked for, on other threads.
//!
//! A file is taken in stretches. In each, members are decompressed one after the other, from the first place on
//! that looks like their start. Only the reader knows whether a member begins at a place: where it comes to one, it
//! takes the bytes of the stretch. Members that are damaged, too long or not found it decompresses itself.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::codec::{Codec, HEAD};
use super::member::MemberEnd;
use crate::bytes::buffered::BufferedSource;
use crate::bytes::source::{ReadAt, Section};

/// The most bytes that are decompressed of a stretch, for each of its bytes.
const CONTENT: usize = 32;
/// The most threads: one reader takes no more than they decompress.
const THREADS: usize = 8;
/// The best score: after this many members that are not found, none are looked for.
const BEST: i32 = 16;

/// The members of a file that have been decompressed.
pub(super) struct Ahead {
    codec: &'static Codec,
    file: Arc<dyn ReadAt>,
    /// The number of stretches that are decompressed at a time.
    threads: usize,
    /// The length of a stretch, in compressed bytes.
    stretch: usize,
    /// The number of the first of the stretches that were begun, and these.
    first: u64,
    begun: VecDeque<Receiver<Stretch>>,
    /// The stretch that the reader is in.
    current: Stretch,
    /// The bytes of `current` that are left of the member.
    left: Range<usize>,
    /// The number of members that were found, less those that were not; below 0 no more are looked for.
    score: i32,
}

/// The members that begin in a stretch, in their order.
#[derive(Default)]
struct Stretch {
    content: Vec<u8>,
    /// The place of each in the file, and its bytes in the content.
    members: Vec<(Range<u64>, Range<usize>)>,
}

impl Stretch {
    /// Decompresses the members that begin in `places`, into a buffer.
    fn new(
        codec: &'static Codec,
        file: Arc<dyn ReadAt>,
        places: Range<u64>,
        mut content: Vec<u8>,
    ) -> Self {
        let Range { start, end } = places;
        let mut source = BufferedSource::long(Box::new(Section::from(file, start)));
        source.consumed = start;
        let mut decoder = (codec.decoder)();
        let mut tried = 0;
        let mut members = Vec::new();
        if !codec.find_member(&mut source, &mut *decoder, |at, more| {
            tried += more;
            at < end && tried < end - start
        }) {
            return Stretch::default();
        }
        if content.is_empty() {
            // The system gives zeros without writing them.
            content = vec![0; (end - start) as usize * CONTENT];
        }
        let mut length = 0;
        while source.consumed < end && (codec.starts)(source.peek(HEAD)) {
            let (start, before) = (source.consumed, length);
            let mut member_end = decoder.begin(&mut source).err().map(Err);
            while member_end.is_none() && length < content.len() {
                let n;
                (n, member_end) = decoder.decompress(&mut source, &mut content[length..]);
                length += n;
            }
            if !matches!(member_end, Some(Ok(()))) {
                break;
            }
            members.push((start..source.consumed, before..length));
        }
        Stretch { content, members }
    }
}

impl Ahead {
    pub(super) fn new(
        codec: &'static Codec,
        file: Arc<dyn ReadAt>,
        threads: usize,
        stretch: usize,
    ) -> Self {
        Ahead {
            codec,
            file,
            threads: threads.min(THREADS),
            stretch,
            first: 0,
            begun: VecDeque::new(),
            current: Stretch::default(),
            left: 0..0,
            score: 0,
        }
    }

    /// Goes to a stretch, and begins those that follow.
    fn enter(&mut self, stretch: u64) {
        while self.first < stretch && self.begun.pop_front().is_some() {
            self.first += 1;
        }
        self.first = stretch;
        while self.begun.len() <= self.threads {
            let (codec, file) = (self.codec, Arc::clone(&self.file));
            let start = (stretch + self.begun.len() as u64) * self.stretch as u64;
            let places = start..start + self.stretch as u64;
            let (sender, receiver) = sync_channel(1);
            // Nobody asks for a stretch that was passed; one that no thread can be had for is not found.
            let content = mem::take(&mut self.current.content);
            let decompress = move || drop(sender.send(Stretch::new(codec, file, places, content)));
            drop(thread::Builder::new().spawn(decompress));
            self.begun.push_back(receiver);
        }
        let current = self.begun.pop_front().map(|receiver| receiver.recv());
        self.current = current.and_then(Result::ok).unwrap_or_default();
        self.first += 1;
    }

    /// Begins the member at `start`, if it was decompressed; returns its compressed length.
    pub(super) fn begin(&mut self, start: u64) -> Option<u64> {
        // Members that are too long are decompressed in vain.
        if self.score < 0 {
            return None;
        }
        let stretch = start / self.stretch as u64;
        if stretch >= self.first {
            self.enter(stretch);
        }
        let members = &self.current.members;
        let Ok(index) = members.binary_search_by_key(&start, |(place, _)| place.start) else {
            self.score -= 1;
            return None;
        };
        self.score = (self.score + 1).min(BEST);
        let (place, content) = &members[index];
        self.left = content.clone();
        Some(place.end - start)
    }

    /// Reads the member that was begun.
    pub(super) fn read(&mut self, into: &mut [u8]) -> (usize, MemberEnd) {
        let bytes = &self.current.content[self.left.clone()];
        let n = bytes.len().min(into.len());
        into[..n].copy_from_slice(&bytes[..n]);
        self.left.start += n;
        (n, self.left.is_empty().then_some(Ok(())))
    }
}
