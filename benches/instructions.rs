//! Instructions a byte, counted by callgrind: the same on a busy machine as on a quiet one, so that
//! a loss of two per cent is seen.
//!
//! Scanning and resolution are counted by the kind of input; a mailbox and a site are files that go
//! through a whole run, from the walk to the output.
//!
//! `cargo bench --bench instructions` compares with `benches/instructions.tsv` and fails where a
//! count has grown by more than two per cent; `RECORD=1` writes the table anew. It wants valgrind.

mod generate;

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use generate::{KINDS, Kind, mail, site};
use uriscan::audit::{AuditOptions, audit};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;
use uriscan::pipeline::bases::Bases;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions};
use uriscan::uri::{Base, BaseSource};

const SIZE: usize = 1 << 20;
const PAGES: usize = 128;
const SEED: u64 = 2396;

/// Work on an input, to be done any number of times.
struct Work {
    /// Length of the input.
    bytes: usize,
    round: Box<dyn FnMut()>,
}

/// A name, and what makes its work.
type Run = (&'static str, fn() -> Work);

/// Whole runs.
const RUNS: [Run; 2] = [("mail", mail_run), ("audit", audit_run)];

fn table() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.tsv")
}

/// Returns the work of a row of the table.
fn work(name: &str) -> Work {
    let kind = KINDS.iter().find(|kind| kind.name == name);
    let run = RUNS.iter().find(|(run, _)| *run == name);
    match kind {
        Some(kind) => extraction(kind),
        None => run.expect("it is a run").1(),
    }
}

/// Extracts the links of a kind of input.
fn extraction(kind: &Kind) -> Work {
    let base = Base {
        uri: b"http://example.com/api/org/example/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let input = (kind.make)(SEED, SIZE);
    let format = Format::named(kind.format).expect("the format is known");
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    Work {
        bytes: input.len(),
        round: Box::new(move || {
            let mut links = 0;
            let mut sink = |_: &Link<'_>| links += 1;
            for bytes in &input.documents {
                extractor.extract_bytes(&Document::new(format, Some(&base)), bytes, &mut sink);
            }
            assert_eq!(links, input.links);
        }),
    }
}

/// Lists the links of a mailbox, with one thread.
fn mail_run() -> Work {
    let input = mail::encoded(SEED, SIZE);
    let directory = tempfile::tempdir().expect("a directory");
    let mailbox = directory.path().join("mailbox.mbox");
    fs::write(&mailbox, &input.documents[0]).expect("a file is written");
    let options = PipelineOptions {
        bases: Bases::here(),
        ..PipelineOptions::default()
    };
    Work {
        bytes: input.len(),
        round: Box::new(move || {
            let _kept = &directory;
            let roots = [Ok(Root::Path(mailbox.clone()))];
            let walk = Walk::new(roots.into_iter(), Default::default());
            let outcome = pipeline::run::run(&options, walk, (io::sink(), None));
            assert_eq!(outcome.summary.references, input.links as u64);
        }),
    }
}

/// Checks the links of a site, fragments too, with one thread.
fn audit_run() -> Work {
    let site = site::site(SEED, PAGES);
    let directory = tempfile::tempdir().expect("a directory");
    for (path, page) in &site.pages {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory is made");
        fs::write(path, page).expect("a file is written");
    }
    let options = AuditOptions::default().threads(1);
    Work {
        bytes: site.len(),
        round: Box::new(move || {
            let mut findings = 0;
            let paths = [directory.path().to_owned()];
            let summary = audit(&options, &paths, |_| findings += 1).expect("it runs");
            assert_eq!(summary.references(), site.links);
            assert_eq!((findings, summary.errors()), (site.broken, site.broken));
        }),
    }
}

/// The instructions of a run of this program that does the work so many times.
fn counted(name: &str, times: usize) -> Result<u64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind
        .arg(this)
        .args(["--work", name, &times.to_string()]);
    let output = valgrind
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = said
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    let count = count.and_then(|count| count.trim().parse().ok());
    count.filter(|_| output.status.success()).ok_or(said)
}

/// Instructions a byte of one more round: what comes before the first is not counted.
fn per_byte(name: &str) -> Result<f64, String> {
    let more = counted(name, 3)?.saturating_sub(counted(name, 2)?);
    Ok(more as f64 / work(name).bytes as f64)
}

fn compare() -> Result<(), String> {
    let recorded = fs::read_to_string(table()).unwrap_or_default();
    let mut measured = String::from("kind\tinstructions per byte\n");
    let mut grown = Vec::new();
    let kinds = KINDS.iter().map(|kind| kind.name);
    for name in kinds.chain(RUNS.map(|(name, _)| name)) {
        let now = per_byte(name)?;
        let line = recorded.lines().find_map(|line| line.strip_prefix(name));
        let before: Option<f64> = line.and_then(|count| count.trim().parse().ok());
        let known = before.map_or("not recorded".to_owned(), |before| format!("{before:.3}"));
        println!("{name:12} {now:.3}, recorded: {known}");
        if before.is_none_or(|before| now > before * 1.02) {
            grown.push(name);
        }
        measured += &format!("{name}\t{now:.3}\n");
    }
    if std::env::var_os("RECORD").is_some() {
        return fs::write(table(), measured).map_err(|error| error.to_string());
    }
    match grown.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "more instructions than recorded: {}",
            grown.join(", ")
        )),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, times] = &arguments[..]
        && flag == "--work"
    {
        let mut work = work(name);
        for _ in 0..times.parse().expect("it is a number") {
            (work.round)();
        }
        return ExitCode::SUCCESS;
    }
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
