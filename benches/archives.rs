//! Web archives from a seed, whole runs to a sink: with one thread and with two, compressed record by
//! record and not at all; beside inflating alone with the same library, and the same pages as files.
//!
//! First, the runs are taken in turn, and the medians of the ratios are printed: a busy machine
//! disturbs that less.

mod generate;

use std::fs;
use std::hint::black_box;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::bufread::MultiGzDecoder;
use generate::crawl::Crawl;
use uriscan::pipeline::walk::{Root, Walk};
use uriscan::pipeline::{self, PipelineOptions};

/// The length of the archive, compressed.
const SIZE: usize = 16 << 20;
const SEED: u64 = 2396;
/// The number of bytes that are inflated at a time.
const WINDOW: usize = 64 << 10;
/// The runs of each reading whose times are compared.
const TURNS: usize = 11;

/// The same pages in three ways.
struct Crawled {
    directory: tempfile::TempDir,
    packed: u64,
    plain: u64,
    links: u64,
}

impl Crawled {
    fn make() -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let path = |name: &str| directory.path().join(name);
        let records = Crawl::new(SEED, true, 0).records(SIZE);
        let packed: Vec<u8> = records
            .iter()
            .flat_map(|record| &record.bytes)
            .copied()
            .collect();
        let mut plain = Vec::new();
        let read = MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut plain);
        read.expect("it is undamaged");
        fs::write(path("crawl.warc.gz"), &packed).expect("there is room");
        fs::write(path("crawl.warc"), &plain).expect("there is room");
        fs::create_dir(path("pages")).expect("there is room");
        let mut crawl = Crawl::new(SEED, false, 0);
        for record in &records {
            let bytes = crawl.record().bytes;
            let page = memchr::memmem::find(&bytes, b"<!DOCTYPE").expect("it is a page");
            let name = path("pages").join(format!("{:06}.html", record.page));
            fs::write(name, &bytes[page..bytes.len() - 4]).expect("there is room");
        }
        Crawled {
            packed: packed.len() as u64,
            plain: plain.len() as u64,
            links: records.iter().map(|record| record.links as u64).sum(),
            directory,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn inflate(&self) {
        let file = fs::File::open(self.path("crawl.warc.gz")).expect("it was written");
        let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(WINDOW, file));
        let (mut buffer, mut length) = (vec![0; WINDOW], 0);
        loop {
            let n = decoder.read(&mut buffer).expect("it is undamaged");
            black_box(&buffer[..n]);
            length += n as u64;
            if n == 0 {
                break;
            }
        }
        assert_eq!(length, self.plain);
    }

    fn extract(&self, name: &str, threads: usize) {
        let links = links(&self.path(name), threads);
        assert_eq!(links, self.links, "{name}");
    }
}

fn links(path: &Path, threads: usize) -> u64 {
    let options = PipelineOptions {
        threads,
        ..PipelineOptions::default()
    };
    let walk = Walk::new(
        [Ok(Root::Path(path.into()))].into_iter(),
        Default::default(),
    );
    let outcome = pipeline::run::run(&options, walk, (io::sink(), None));
    outcome.summary.references
}

/// A reading, and the name under which it is shown.
type Reading<'a> = (&'a str, &'a dyn Fn());

/// Takes two readings in turn; returns the median of the ratios of their times.
fn ratio(one: Reading<'_>, other: Reading<'_>) {
    let timed = |reading: Reading<'_>| {
        let start = Instant::now();
        reading.1();
        start.elapsed().as_secs_f64()
    };
    let mut ratios: Vec<f64> = (0..TURNS).map(|_| timed(one) / timed(other)).collect();
    ratios.sort_by(f64::total_cmp);
    let (median, best) = (ratios[TURNS / 2], ratios[0]);
    println!(
        "{} takes {median:.2} times as long as {} (at best {best:.2})",
        one.0, other.0
    );
}

fn archives(criterion: &mut Criterion) {
    let crawled = Crawled::make();
    let inflate: Reading<'_> = ("inflating alone", &|| crawled.inflate());
    let packed: Reading<'_> = (".warc.gz, 1 thread", &|| {
        crawled.extract("crawl.warc.gz", 1)
    });
    let packed_2: Reading<'_> = (".warc.gz, 2 threads", &|| {
        crawled.extract("crawl.warc.gz", 2)
    });
    let plain: Reading<'_> = (".warc, 1 thread", &|| crawled.extract("crawl.warc", 1));
    let plain_2: Reading<'_> = (".warc, 2 threads", &|| crawled.extract("crawl.warc", 2));
    let pages: Reading<'_> = ("the pages as files, 1 thread", &|| {
        crawled.extract("pages", 1)
    });
    // Not where each bench is only to run once.
    if !std::env::args().any(|argument| argument == "--test") {
        ratio(packed, inflate);
        ratio(packed, packed_2);
        ratio(plain, pages);
        ratio(plain, plain_2);
    }
    for (unit, bytes, readings) in [
        (
            "compressed bytes",
            crawled.packed,
            vec![inflate, packed, packed_2],
        ),
        ("bytes", crawled.plain, vec![pages, plain, plain_2]),
    ] {
        let mut group = criterion.benchmark_group(format!("archives, {unit}"));
        group.sample_size(10);
        group.throughput(Throughput::Bytes(bytes));
        for (name, read) in readings {
            group.bench_function(name, |bencher| bencher.iter(read));
        }
        group.finish();
    }
}

criterion_group!(benches, archives);
criterion_main!(benches);
