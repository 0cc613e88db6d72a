//! Every tree of `corpus/audit/` has the findings that its `expected.txt` lists.
//!
//! After a comment the file has the command, then its output; lines of standard error begin with `!`,
//! and the exit code follows `=`. Each finding is a line of its own; groups, and the tables of the
//! summary, which are indented, have tests of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Case {
    directory: PathBuf,
    words: Vec<String>,
    expected: String,
}

fn cases() -> Vec<Case> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/audit");
    let mut directories: Vec<_> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    directories.sort();
    directories.into_iter().map(case).collect()
}

fn case(directory: PathBuf) -> Case {
    let text = fs::read_to_string(directory.join("expected.txt")).unwrap();
    let mut lines = text.lines();
    let heading = lines.next().unwrap();
    assert!(
        heading.starts_with("# "),
        "{directory:?} says what it shows"
    );
    let command = lines.next().unwrap().strip_prefix("$ uriscan ").unwrap();
    Case {
        words: command.split(' ').map(str::to_owned).collect(),
        expected: lines.map(|line| format!("{line}\n")).collect(),
        directory,
    }
}

fn got(case: &Case, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(&case.words)
        .args(["--group", "none"])
        .args(more)
        .current_dir(&case.directory)
        .output()
        .unwrap();
    let mut got = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let is_table = |line: &&str| line.starts_with("  ") || *line == "targets with most findings:";
    for line in told.lines().filter(|line| !is_table(line)) {
        got += &format!("! {line}\n");
    }
    got + &format!("= {}\n", output.status.code().unwrap())
}

#[test]
fn trees_have_the_findings_that_were_written_by_hand() {
    let cases = cases();
    assert!(cases.len() >= 20, "{} trees are too few", cases.len());
    let mut reports = Vec::new();
    for case in &cases {
        let got = got(case, &[]);
        if got != case.expected {
            let name = case.directory.file_name().unwrap().display();
            reports.push(format!(
                "{name}: {:?}\nexpected\n{}got\n{got}",
                case.words, case.expected
            ));
        }
    }
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

#[test]
fn listing_all_links_changes_no_finding() {
    for case in &cases() {
        // With --links every link is in the journal.
        let all = got(case, &["--links"]);
        let states = ["ok", "broken", "external", "unresolved", "skipped"];
        let is_link = |line: &str| {
            let mut words = line.split(": ").skip(1);
            words.next().is_some_and(|word| states.contains(&word))
        };
        let findings: String = (all.lines().filter(|line| !is_link(line)))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(findings, case.expected, "{:?}", case.words);
    }
}
