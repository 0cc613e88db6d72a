//! What a tree of HTML costs at least, and what it costs us: the figures behind any claim.
//!
//! `cargo bench --bench limits -- MODE DIRECTORY...`, one thread, one line to standard output:
//!
//! - `read`: opens and reads every file into one buffer,
//! - `visit`: and visits each `<` in it, which is the least that a reader of tags can do,
//! - `events`: scans the first 256 MiB of the files in memory, five times,
//! - `links`: and resolves what it finds.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use uriscan::bytes::window::Window;
use uriscan::document::events::{Event, Events};
use uriscan::document::{self, Format, ScanStart};
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;
use uriscan::uri::{Base, BaseSource};

/// How much is held in memory.
const MEMORY: usize = 256 << 20;
const ROUNDS: usize = 5;

fn files(directory: &Path, found: &mut Vec<(PathBuf, usize)>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let metadata = entry.metadata()?;
        let path = entry.path();
        if metadata.is_dir() {
            files(&path, found)?;
        } else if metadata.is_file() && is_html(&path) {
            found.push((path, metadata.len() as usize));
        }
    }
    Ok(())
}

fn is_html(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::of_extension).map(|it| it.name) == Some("html")
}

/// Hands every file's bytes on, read as cheaply as we know.
fn read(files: &[(PathBuf, usize)], mut take: impl FnMut(&[u8])) -> io::Result<usize> {
    let mut buffer = Vec::new();
    let mut bytes = 0;
    for (path, length) in files {
        if buffer.len() < *length {
            buffer.resize(*length, 0);
        }
        let into = &mut buffer[..*length];
        File::open(path)?.read_exact(into)?;
        take(into);
        bytes += length;
    }
    Ok(bytes)
}

/// The median time of a few rounds.
fn median(mut round: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

fn events(documents: &[Vec<u8>]) -> (usize, Duration) {
    let format = Format::named("html").expect("it is a format");
    let mut scanner = (format.scanner)(&document::FormatOptions::default());
    let mut events = Events::default();
    let mut links = 0;
    let time = median(|| {
        links = 0;
        for bytes in documents {
            events.clear();
            scanner.begin(&ScanStart::default());
            scanner.scan(Window::whole(bytes), &mut events);
            let is_reference = |event: &&Event| matches!(event, Event::Reference(_));
            links += events.list.iter().filter(is_reference).count();
        }
    });
    (links, time)
}

fn links(documents: &[Vec<u8>]) -> (usize, Duration) {
    let base = Base {
        uri: b"http://example.com/usr/share/doc/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let format = Format::named("html").expect("it is a format");
    let document = Document::new(format, Some(&base));
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let mut links = 0;
    let time = median(|| {
        links = 0;
        let mut sink = |link: &Link<'_>| {
            black_box(link);
            links += 1;
        };
        for bytes in documents {
            extractor.extract_bytes(&document, bytes, &mut sink);
        }
    });
    (links, time)
}

fn main() -> io::Result<()> {
    // `cargo bench` adds `--bench`.
    let mut arguments = std::env::args_os().skip(1).filter(|one| one != "--bench");
    let mode = arguments.next().unwrap_or_else(|| OsString::from("visit"));
    let mut tree = Vec::new();
    let start = Instant::now();
    for directory in arguments {
        files(Path::new(&directory), &mut tree)?;
    }
    let mut found = 0;
    let (bytes, time) = match mode.to_str() {
        Some("read") => (read(&tree, |_| found += 1)?, start.elapsed()),
        Some("visit") => {
            let bytes = read(&tree, |bytes| {
                for at in memchr::memchr_iter(b'<', bytes) {
                    found += usize::from(black_box(at) < bytes.len());
                }
            })?;
            (bytes, start.elapsed())
        }
        Some(what @ ("events" | "links")) => {
            let mut documents = Vec::new();
            let mut held = 0;
            read(&tree, |bytes| {
                if held < MEMORY {
                    held += bytes.len();
                    documents.push(bytes.to_vec());
                }
            })?;
            let count = if what == "links" { links } else { events };
            let (links, time) = count(&documents);
            found = links;
            (held, time)
        }
        _ => return Err(io::Error::other("read, visit, events or links?")),
    };
    let rate = bytes as f64 / time.as_secs_f64() / 1e6;
    println!("{found} found in {bytes} bytes, {time:.3?}, {rate:.0} MB/s");
    Ok(())
}
