//! The table of alternatives, measured on this machine and these files:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --html TREE --text TREE --mail FILE
//! ```
//!
//! Everything is timed with reading its files: libraries over a pool of threads here, tools as whole
//! processes where they are installed. All take turns, `--runs` times (3), each after all files have
//! been read once; ratios are medians of those within a turn. Keep the machine quiet. Counts differ as
//! what counts as a link does; `README.md` beside this says how.

mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use run::{Contender, Files, How};
use uriscan_peers::{html, mail, text};

/// A URL in text, for tools that take a pattern.
const PATTERN: &str = r#"(https?|ftp)://[^\s<>"]+"#;

/// A kind of input and who reads it; ours comes first.
struct Group {
    flag: &'static str,
    title: &'static str,
    contenders: &'static [Contender],
}

#[rustfmt::skip]
static GROUPS: &[Group] = &[
    Group { flag: "--html", title: "HTML tree", contenders: &[
        Contender { name: "uriscan", how: How::Tool(|path, threads| tool(path, &["-t", "html", "-j", threads])) },
        Contender { name: "uriscan --json", how: How::Tool(|path, threads| tool(path, &["-t", "html", "--json", "-j", threads])) },
        Contender { name: "uriscan audit", how: How::Tool(|path, threads| tool(path, &["audit", "-j", threads])) },
        Contender { name: "limit: read, every `<` visited", how: How::Library(html::every_bracket) },
        Contender { name: "lol_html, `[href]` and `[src]`", how: How::Library(html::by_lol_html) },
        Contender { name: "html5gum", how: How::Library(html::by_html5gum) },
        Contender { name: "html5ever, tokenizer", how: How::Library(html::by_html5ever) },
        Contender { name: "hyperlink --check-anchors", how: How::Tool(|_, threads| on("hyperlink", threads, &["--check-anchors"])) },
        Contender { name: "lychee --dump --offline", how: How::Tool(|_, threads| on("lychee", threads, &["--dump", "--offline", "--no-progress"])) },
    ] },
    Group { flag: "--text", title: "text tree", contenders: &[
        Contender { name: "uriscan", how: How::Tool(|path, threads| tool(path, &["-j", threads])) },
        Contender { name: "uriscan, paths given", how: How::Given(|path, threads| tool(path, &["-j", threads, "--files0-from=-"])) },
        Contender { name: "limit: read", how: How::Library(|text| text.len()) },
        Contender { name: "limit: read, every `:` visited", how: How::Library(text::every_colon) },
        Contender { name: "ripgrep -oaIN", how: How::Tool(|_, threads| on("rg", threads, &["-oaIN", "-uu", "-j", threads, PATTERN])) },
        Contender { name: "linkify", how: How::Library(text::by_linkify) },
    ] },
    Group { flag: "--mail", title: "mailboxes", contenders: &[
        Contender { name: "uriscan", how: How::Tool(|path, threads| tool(path, &["-t", "mbox", "-j", threads])) },
        Contender { name: "limit: read, every `:` visited", how: How::Library(text::every_colon) },
        Contender { name: "mailparse, linkify, html5gum", how: How::Library(mail::by_mailparse) },
        Contender { name: "mail-parser, linkify, html5gum", how: How::Library(mail::by_mail_parser) },
    ] },
];

/// Ours, built beside this package.
fn tool(uriscan: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(uriscan);
    command.args(arguments);
    command
}

/// Another tool, held to as many processors as it may have threads.
fn on(name: &str, threads: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", if threads == "1" { "0" } else { "0,1" }, name]);
    command.args(arguments);
    command
}

fn main() -> ExitCode {
    match compare(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn compare(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let uriscan = build()?;
    let mut runs = 3;
    let mut chosen = Vec::new();
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(format!("{flag} wants a value"))?;
        if flag == "--runs" {
            runs = value.parse().map_err(|_| "--runs wants a number")?;
            continue;
        }
        let group = GROUPS.iter().find(|group| group.flag == flag);
        chosen.push((
            group.ok_or(format!("no such flag: {flag}"))?,
            PathBuf::from(value),
        ));
    }
    if chosen.is_empty() {
        return Err("--html TREE, --text TREE or --mail FILE".to_owned());
    }
    for (group, path) in chosen {
        let files = Files::under(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        table(group, &files, &uriscan, runs);
    }
    Ok(())
}

/// Builds the tool, so that no old one is measured.
fn build() -> Result<PathBuf, String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--release", "--locked", "--quiet"])
        .current_dir(&top);
    let built = cargo.status().is_ok_and(|status| status.success());
    built
        .then(|| top.join("target/release/uriscan"))
        .ok_or("uriscan does not build".to_owned())
}

fn table(group: &Group, files: &Files, uriscan: &Path, runs: usize) {
    println!(
        "\n| {}, {} MB in {} files | uriscan is, 1 thread | 2 threads | MB/s, 1 thread | 2 threads | found |",
        group.title,
        files.bytes / 1_000_000,
        files.paths.len()
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let found: Vec<_> = group
        .contenders
        .iter()
        .map(|contender| contender.count(files, uriscan))
        .collect();
    // They take turns, so that a machine that becomes slower does so for all of them.
    let rounds: Vec<Vec<[f64; 2]>> = (0..runs.max(1))
        .map(|_| {
            let there = group.contenders.iter().zip(&found);
            let there = there.filter(|(_, found)| found.is_some());
            there
                .map(|(contender, _)| {
                    ["1", "2"].map(|threads| contender.seconds(files, uriscan, threads))
                })
                .collect()
        })
        .collect();
    let mut there = 0;
    for (contender, found) in group.contenders.iter().zip(found) {
        let Some(found) = found else {
            println!("| {} | not installed | | | | |", contender.name);
            continue;
        };
        let of_rounds = |of: &dyn Fn(&[[f64; 2]]) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(|round| of(round)).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let times = [0, 1].map(|two| of_rounds(&|round| round[there][two] / round[0][two]));
        let seconds = [0, 1].map(|two| of_rounds(&|round| round[there][two]));
        let speeds = seconds.map(|seconds| files.bytes as f64 / 1e6 / seconds);
        println!(
            "| {} | {:.2} x | {:.2} x | {:.0} | {:.0} | {found} |",
            contender.name, times[0], times[1], speeds[0], speeds[1],
        );
        there += 1;
    }
}
