//! Instructions a byte, counted by callgrind: the same on a busy machine as on a quiet one, so that
//! a loss of two per cent is seen.
//!
//! `cargo bench --bench instructions` compares with `benches/instructions.tsv` and fails where a
//! count has grown by more than two per cent; `RECORD=1` writes the table anew. It wants valgrind.

mod generate;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use generate::{KINDS, Kind};
use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::resolver::Link;
use uriscan::uri::{Base, BaseSource};

const SIZE: usize = 1 << 20;
const SEED: u64 = 2396;

fn table() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.tsv")
}

/// Extracts the links of a kind of input some times over.
fn work(kind: &Kind, times: usize) {
    let base = Base {
        uri: b"http://example.com/api/org/example/page.html".to_vec(),
        source: BaseSource::RetrievalRoot,
    };
    let input = (kind.make)(SEED, SIZE);
    let format = Format::named(kind.format).expect("the format is known");
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    for _ in 0..times {
        let mut links = 0;
        let mut sink = |_: &Link<'_>| links += 1;
        for bytes in &input.documents {
            extractor.extract_bytes(&Document::new(format, Some(&base)), bytes, &mut sink);
        }
        assert_eq!(links, input.links);
    }
}

/// The instructions of a run of this program that does the work so many times.
fn counted(kind: &Kind, times: usize) -> Result<u64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind
        .arg(this)
        .args(["--work", kind.name, &times.to_string()]);
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
fn per_byte(kind: &Kind) -> Result<f64, String> {
    let bytes = (kind.make)(SEED, SIZE).len();
    let more = counted(kind, 3)?.saturating_sub(counted(kind, 2)?);
    Ok(more as f64 / bytes as f64)
}

fn compare() -> Result<(), String> {
    let recorded = fs::read_to_string(table()).unwrap_or_default();
    let mut measured = String::from("kind\tinstructions per byte\n");
    let mut grown = Vec::new();
    for kind in &KINDS {
        let now = per_byte(kind)?;
        let line = recorded
            .lines()
            .find_map(|line| line.strip_prefix(kind.name));
        let before: Option<f64> = line.and_then(|count| count.trim().parse().ok());
        let known = before.map_or("not recorded".to_owned(), |before| format!("{before:.3}"));
        println!("{:12} {now:.3}, recorded: {known}", kind.name);
        if before.is_none_or(|before| now > before * 1.02) {
            grown.push(kind.name);
        }
        measured += &format!("{}\t{now:.3}\n", kind.name);
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
        let kind = KINDS.iter().find(|kind| kind.name == name);
        work(
            kind.expect("it is a kind"),
            times.parse().expect("it is a number"),
        );
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
