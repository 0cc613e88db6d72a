//! The records that are no links.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::document::mail::Tally;

/// A document or a part of one that could not be read.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The enclosed document, if it is one.
    pub member: Option<&'a str>,
    /// Why, without the path.
    pub message: &'a str,
}

/// How much of an archive was read, and what was passed over: loss must be visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    /// Messages, parts that were read, and those that were not, by media type.
    pub tally: Tally,
    /// References that were reported.
    pub links: u64,
    /// Its bytes, decompressed.
    pub bytes: u64,
    /// How often each code was diagnosed.
    pub diagnostics: BTreeMap<&'static str, u64>,
}

impl Archive {
    /// Adds the counts of another piece of the archive.
    pub fn add(&mut self, other: &Archive) {
        self.tally.add(&other.tally);
        self.links += other.links;
        self.bytes += other.bytes;
        for (code, count) in &other.diagnostics {
            *self.diagnostics.entry(code).or_default() += count;
        }
    }

    /// What the counts of a name say.
    pub fn about(name: &str) -> &'static str {
        match name {
            "messages" => "Messages in it",
            "parts" => "Parts that were read",
            "skipped_parts" => "Parts that were passed over, by media type",
            "links" => "References that were reported",
            "bytes" => "Its bytes, decompressed",
            _ => "How often each code was diagnosed",
        }
    }
}

impl fmt::Display for Archive {
    /// In words, on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            messages,
            parts,
            skipped_parts,
        } = &self.tally;
        let (links, bytes) = (self.links, self.bytes);
        write!(
            formatter,
            "{messages} messages, {parts} parts, {links} links, {bytes} bytes"
        )?;
        for (name, count) in skipped_parts {
            write!(formatter, "; {count} {name} passed over")?;
        }
        for (code, count) in &self.diagnostics {
            write!(formatter, "; {count} {code}")?;
        }
        Ok(())
    }
}

/// What a run has used of the machine. It is told on standard error only, since it differs from run to
/// run and records do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The time that has passed.
    pub wall: Duration,
    /// The time of all processors, where it is known.
    pub cpu: Option<Duration>,
    /// The most bytes of memory that were held at a time, where it is known.
    pub peak: Option<u64>,
}

impl Usage {
    /// Each figure with its name in records, in decimal digits.
    ///
    /// ```
    /// use std::time::Duration;
    /// use uriscan::output::record::Usage;
    ///
    /// let usage = Usage { wall: Duration::from_millis(1500), cpu: None, peak: Some(4096) };
    /// assert_eq!(usage.figures()[0], ("wall_seconds", Some("1.500000".to_owned())));
    /// assert_eq!(usage.figures()[2], ("peak_bytes", Some("4096".to_owned())));
    /// ```
    pub fn figures(&self) -> [(&'static str, Option<String>); 3] {
        let seconds = |time: Duration| format!("{:.6}", time.as_secs_f64());
        [
            ("wall_seconds", Some(seconds(self.wall))),
            ("cpu_seconds", self.cpu.map(seconds)),
            ("peak_bytes", self.peak.map(|bytes| bytes.to_string())),
        ]
    }
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// References that were reported.
    pub references: u64,
    /// Files that are of no format that holds references.
    pub skipped_files: u64,
    /// Things that could not be read.
    pub errors: u64,
    /// Documents that were read a second time, by every rule of their format.
    pub exact: u64,
    /// Documents of which a part was read by approximation.
    pub approximate: u64,
}

impl Summary {
    /// The counts with their names in records.
    pub fn counts(&self) -> [(&'static str, u64); 7] {
        [
            ("files", self.files),
            ("bytes", self.bytes),
            ("references", self.references),
            ("skipped_files", self.skipped_files),
            ("errors", self.errors),
            ("exact", self.exact),
            ("approximate", self.approximate),
        ]
    }

    /// What the count of a name says.
    pub fn about(name: &str) -> &'static str {
        match name {
            "files" => "Files that were read",
            "bytes" => "Their bytes",
            "references" => "References that were reported",
            "skipped_files" => "Files of no format that holds references",
            "exact" => "Documents read a second time, by every rule of their format",
            "approximate" => "Documents of which a part was read by approximation",
            _ => "Things that could not be read",
        }
    }

    /// Adds the counts of another part of the run.
    pub fn add(&mut self, other: &Summary) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.references += other.references;
        self.skipped_files += other.skipped_files;
        self.errors += other.errors;
        self.exact += other.exact;
        self.approximate += other.approximate;
    }
}
