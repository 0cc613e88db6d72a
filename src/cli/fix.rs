//! `--fix`: certain suggestions as a diff, or written into the files.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::destination::{Destination, Unfinished};
use super::message::report;
use crate::audit::fix::{DocumentFixes, FixList, FixedFile, Rerun, refuse_harmful};
use crate::audit::report::{ReportSet, colons};
use crate::output::escape::push_visible;
use crate::output::record::counted;
use crate::pipeline::PipelineOptions;
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::read_whole;

/// Maximum length in bytes of a file that is fixed, which is held in memory.
const LONGEST: u64 = 256 << 20;

#[derive(Debug, Default)]
pub(super) struct FixCounts {
    pub(super) fixed: u64,
    files: u64,
    /// Findings whose fixes could not be made.
    pub(super) left: u64,
    /// Files that could not be read or written.
    pub(super) errors: u64,
}

pub(super) enum FixDestination<'d, 'r> {
    /// A diff, unless there is no output.
    Diff(Option<&'d mut Destination>),
    Files {
        roots: Vec<PathBuf>,
        /// Get the findings that are not fixed.
        reports: &'d mut ReportSet<'r>,
    },
}

/// Makes the fixes of all documents that harm nothing, and reports those that cannot be made.
pub(super) fn run(
    fixes: &mut FixList,
    reading: &PipelineOptions,
    rerun: &mut Rerun<'_>,
    mut destination: FixDestination<'_, '_>,
    tells: bool,
) -> io::Result<FixCounts> {
    refuse_harmful(fixes, reading, bytes, rerun)?;
    let mut counts = FixCounts::default();
    let mut reader = FileReader::new(reading);
    for document in &fixes.documents {
        let made = destination.make(&mut reader, document);
        let mut left = Vec::new();
        match &made {
            Ok((file, _)) => {
                counts.fixed += file.fixed.len() as u64;
                counts.files += u64::from(!file.is_empty());
                for (fix, reason) in &file.left {
                    let fixes = std::slice::from_ref(fix);
                    left.push((fixes, colons(fix.position), reason.to_string()));
                }
            }
            Err(error) => {
                counts.errors += 1;
                left.push((&document.fixes[..], String::new(), error.to_string()));
            }
        }
        for (fixes, position, reason) in left {
            counts.left += fixes.len() as u64;
            if tells {
                let path = document.path.display();
                report(&format!("{path}{position}: not fixed: {reason}"));
            }
            if let FixDestination::Files { reports, .. } = &mut destination {
                let message = format!("not fixed{position}: {reason}");
                reports.leave(&document.path, &message, fixes)?;
            }
        }
        if let (Ok((_, text)), FixDestination::Diff(Some(out))) = (&made, &mut destination) {
            out.write_all(text)?;
        }
    }
    if let FixDestination::Files { reports, .. } = destination {
        reports.totals.fixed = Some((counts.fixed, counts.left));
    }
    Ok(counts)
}

impl FixCounts {
    /// Returns a line for people; `found` is the number of findings of the summary.
    pub(super) fn text(&self, is_written: bool, found: u64) -> String {
        let (fixed, files) = (counted(self.fixed, "finding"), counted(self.files, "file"));
        if is_written {
            return format!("fixed {fixed} in {files}; {found} left\n");
        }
        let left = found - self.fixed.min(found);
        format!("--fix=write fixes {fixed} in {files}; {left} left\n")
    }
}

impl FixDestination<'_, '_> {
    /// Makes the fixes of a document, and returns the diff that is shown.
    fn make(
        &self,
        reader: &mut FileReader<'_>,
        document: &DocumentFixes,
    ) -> io::Result<(FixedFile, Vec<u8>)> {
        let mut path = document.path.clone();
        if let FixDestination::Files { roots, .. } = self {
            // A symbolic link stays one: its destination is written.
            path = fs::canonicalize(&path)?;
            if !roots.iter().any(|root| path.starts_with(root)) {
                return Err(io::Error::other("a symbolic link escapes the roots"));
            }
        }
        let bytes = bytes(&path)?;
        let file = document.make(reader, &bytes)?;
        let mut text = Vec::new();
        match self {
            FixDestination::Files { .. } if file.is_empty() => {}
            FixDestination::Files { .. } => write(&path, &file.bytes(&bytes))?,
            FixDestination::Diff(out) => {
                file.push_diff(path.as_os_str().as_encoded_bytes(), &bytes, &mut text);
                if out.as_ref().is_some_and(|out| out.is_terminal) {
                    text = visible_lines(&text);
                }
            }
        }
        Ok((file, text))
    }
}

/// Returns lines for a terminal, with control characters escaped.
pub(super) fn visible_lines(text: &[u8]) -> Vec<u8> {
    let mut shown = Vec::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        push_visible(line.strip_suffix(b"\n").unwrap_or(line), &mut shown);
        shown.push(b'\n');
    }
    shown
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A file that its owner protects is not replaced.
    OpenOptions::new().write(true).open(path)?;
    let mut unfinished = Unfinished::create(path)?;
    let failed = |error| format!("its owner and group cannot be kept: {error}");
    (unfinished.keep_owner()).map_err(|error| io::Error::other(failed(error)))?;
    unfinished.write_all(bytes)?;
    unfinished.finish()
}

pub(super) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    read_whole(path, LONGEST, "it is too large to be fixed")
}
