//! Runs contenders over files and takes their time.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Who reads the files.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) how: How,
}

/// How it does that.
pub(crate) enum How {
    /// A function from a document to the number of links in it.
    Library(fn(&[u8]) -> usize),
    /// A command, made from where uriscan is and a number of threads; the path comes last.
    Tool(fn(&Path, &str) -> Command),
}

/// What is read.
pub(crate) struct Files {
    path: PathBuf,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) bytes: u64,
}

impl Files {
    /// The files of a tree, or one file.
    pub(crate) fn under(path: &Path) -> io::Result<Files> {
        let mut files = Files {
            path: path.to_owned(),
            paths: Vec::new(),
            bytes: 0,
        };
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            let kind = fs::symlink_metadata(&path)?;
            if kind.is_dir() {
                for entry in fs::read_dir(&path)? {
                    waiting.push(entry?.path());
                }
            } else if kind.is_file() {
                files.bytes += kind.len();
                files.paths.push(path);
            }
        }
        files.paths.sort();
        Ok(files)
    }
}

/// The sum of what a function gives for each file, over so many threads.
fn each(files: &Files, threads: usize, count: fn(&[u8]) -> usize) -> usize {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffer = Vec::new();
        let mut sum = 0;
        while let Some(path) = files.paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            buffer.clear();
            let read = fs::File::open(path).and_then(|mut file| file.read_to_end(&mut buffer));
            sum += read.map_or(0, |_| count(&buffer));
        }
        sum
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let sums = workers
            .into_iter()
            .map(|worker| worker.join().expect("no contender panics"));
        sums.sum()
    })
}

impl Contender {
    fn command(
        make: fn(&Path, &str) -> Command,
        files: &Files,
        uriscan: &Path,
        threads: &str,
    ) -> Command {
        let mut command = make(uriscan, threads);
        command
            .arg(&files.path)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// What it finds: links, or lines of output; nothing if it is not installed.
    pub(crate) fn count(&self, files: &Files, uriscan: &Path) -> Option<usize> {
        match self.how {
            How::Library(count) => Some(each(files, 2, count)),
            How::Tool(make) => {
                let mut command = Self::command(make, files, uriscan, "2");
                let output = command.stderr(Stdio::piped()).output().ok()?;
                // What `taskset` and `env` say where there is no such command.
                let is_there = output.status.code() != Some(127);
                is_there.then(|| memchr::memchr_iter(b'\n', &output.stdout).count())
            }
        }
    }

    /// The time of one run, with all files in memory.
    pub(crate) fn seconds(&self, files: &Files, uriscan: &Path, threads: &str) -> f64 {
        each(files, 2, |bytes| bytes.len());
        let start = Instant::now();
        match self.how {
            How::Library(count) => {
                let threads = threads.parse().expect("it is a number");
                std::hint::black_box(each(files, threads, count));
            }
            How::Tool(make) => {
                let mut command = Self::command(make, files, uriscan, threads);
                let status = command.stdout(Stdio::null()).status();
                status.expect("it has been run before");
            }
        }
        start.elapsed().as_secs_f64()
    }
}
