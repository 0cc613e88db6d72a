//! Runs contenders over files and takes their time.

use std::fs;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
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
    /// A command, made likewise, that reads the paths of the files from its standard input.
    Given(fn(&Path, &str) -> Command),
}

/// What is read.
pub(crate) struct Files {
    path: PathBuf,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) bytes: u64,
    /// The paths, with a NUL after each.
    list: fs::File,
}

impl Files {
    /// The files of a tree, or one file.
    pub(crate) fn under(path: &Path) -> io::Result<Files> {
        let mut files = Files {
            path: path.to_owned(),
            paths: Vec::new(),
            bytes: 0,
            list: nameless()?,
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
        let names = files.paths.iter().map(|path| path.as_os_str().as_bytes());
        let list: Vec<u8> = names.flat_map(|name| [name, b"\0"].concat()).collect();
        files.list.write_all(&list)?;
        Ok(files)
    }

    /// The paths, as the standard input of a command.
    fn list(&self) -> io::Result<Stdio> {
        let mut list = self.list.try_clone()?;
        list.rewind()?;
        Ok(list.into())
    }
}

/// A file without a name, which is gone when the program ends.
fn nameless() -> io::Result<fs::File> {
    let path = std::env::temp_dir().join(format!("uriscan-peers-{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
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
    /// The command, if it is one.
    fn command(&self, files: &Files, uriscan: &Path, threads: &str) -> Option<Command> {
        let mut command = match self.how {
            How::Library(_) => return None,
            How::Tool(make) => {
                let mut command = make(uriscan, threads);
                command.arg(&files.path).stdin(Stdio::null());
                command
            }
            How::Given(make) => {
                let mut command = make(uriscan, threads);
                command.stdin(files.list().ok()?);
                command
            }
        };
        command.stderr(Stdio::null());
        Some(command)
    }

    /// What it finds: links, or lines of output; nothing if it is not installed.
    pub(crate) fn count(&self, files: &Files, uriscan: &Path) -> Option<usize> {
        if let How::Library(count) = self.how {
            return Some(each(files, 2, count));
        }
        let mut command = self.command(files, uriscan, "2")?;
        let output = command.stderr(Stdio::piped()).output().ok()?;
        // What `taskset` and `env` say where there is no such command.
        let is_there = output.status.code() != Some(127);
        is_there.then(|| memchr::memchr_iter(b'\n', &output.stdout).count())
    }

    /// The time of one run, with all files in memory.
    pub(crate) fn seconds(&self, files: &Files, uriscan: &Path, threads: &str) -> f64 {
        each(files, 2, |bytes| bytes.len());
        let start = Instant::now();
        if let How::Library(count) = self.how {
            let threads = threads.parse().expect("it is a number");
            std::hint::black_box(each(files, threads, count));
        } else {
            let command = self.command(files, uriscan, threads);
            let mut command = command.expect("it is no function");
            let status = command.stdout(Stdio::null()).status();
            status.expect("it has been run before");
        }
        start.elapsed().as_secs_f64()
    }
}
