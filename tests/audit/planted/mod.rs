//! Generated trees with planted defects of every rule, and of every kind of server and dialect.
//!
//! The generator knows each finding from the contract of the rules: none may be missed, and none may be
//! added, in any format of the report and with any number of workers.

// Dialects of Markdown.
mod dialects;
// Sitemaps, feeds and sprites.
mod feeds;
// Sources of sites of each generator.
mod generators;
// Comments and entries that ignore.
mod ignoring;
// Every rule about links and documents.
mod rules;
// Kinds of servers.
mod servers;
// The formats of reports, read back.
mod reports;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use self::reports::Format;
use crate::cli::Tree;

/// The page, the line, the rule, and the reference; no reference for a defect of a document.
pub(super) type Defect = (String, u64, String, String);

/// The number of defects that are planted for each rule.
pub(super) fn planted() -> usize {
    crate::rounds(50, 1000)
}

/// A tree with its planted defects.
#[derive(Default)]
pub(super) struct PlantedTree {
    /// The text of each page and the number of its lines, by its path.
    pages: BTreeMap<String, (String, u64)>,
    /// Files that hold no reference.
    files: BTreeMap<String, Vec<u8>>,
    defects: BTreeSet<Defect>,
    /// The number of references in each state.
    states: BTreeMap<&'static str, u64>,
}

impl PlantedTree {
    /// Appends lines to a page, and returns the number of the last one.
    fn line(&mut self, page: &str, text: &str) -> u64 {
        let (lines, count) = self.pages.entry(page.to_owned()).or_default();
        lines.push_str(text);
        lines.push('\n');
        *count += 1 + text.matches('\n').count() as u64;
        *count
    }

    /// Plants a defect in a line.
    fn plant(&mut self, page: &str, line: u64, rule: &str, reference: &str) {
        let defect = (page.into(), line, rule.into(), reference.into());
        assert!(
            self.defects.insert(defect),
            "{page}:{line} is planted twice"
        );
    }

    /// Appends a line with a link of HTML in the given state, and plants the defect that it has.
    fn link(
        &mut self,
        page: &str,
        reference: &str,
        state: &'static str,
        rule: Option<&'static str>,
    ) {
        let value = reference.replace('&', "&amp;").replace('"', "&quot;");
        let line = self.line(page, &format!("<p><a href=\"{value}\">x</a>"));
        self.count(state);
        if let Some(rule) = rule {
            self.plant(page, line, rule, reference);
        }
    }

    fn count(&mut self, state: &'static str) {
        *self.states.entry(state).or_default() += 1;
    }

    fn write(&self) -> Tree {
        let tree = Tree::new(&[]);
        for (path, (text, _)) in &self.pages {
            tree.write(path, text.as_bytes());
        }
        for (path, bytes) in &self.files {
            tree.write(path, bytes);
        }
        tree
    }

    /// Audits the tree with 1, 2 and 8 workers and in all formats, and compares the findings with
    /// what is planted. Returns the summary.
    fn check(&self, arguments: &[&str]) -> Value {
        let tree = self.write();
        let records = self.check_workers(&tree, arguments);
        self.check_reports(&tree, arguments);
        self.check_summary(&records)
    }

    fn check_workers(&self, tree: &Tree, arguments: &[&str]) -> String {
        let run = |threads: &str| {
            let ran = tree.run(&[&["audit", "--json", "-j", threads], arguments].concat());
            assert!(ran.code < 2, "{}", ran.err);
            ran.out
        };
        let records = run("1");
        for threads in ["2", "8"] {
            assert!(run(threads) == records, "-j{threads} differs from -j1");
        }
        self.compare("--json", &reports::findings_of_jsonl(&records));
        records
    }

    fn check_summary(&self, records: &str) -> Value {
        let summary: Value = serde_json::from_str(records.lines().last().unwrap()).unwrap();
        assert_eq!(summary["type"], "summary");
        for state in ["ok", "broken", "external", "unresolved", "skipped"] {
            let planted = self.states.get(state).copied().unwrap_or_default();
            assert_eq!(summary[state], planted, "{state}");
        }
        assert_eq!(summary["references"], self.states.values().sum::<u64>());
        let findings = &summary["findings"];
        let sum = findings["error"].as_u64().unwrap() + findings["warning"].as_u64().unwrap();
        assert_eq!(sum, self.defects.len() as u64);
        summary
    }

    /// Compares all formats of reports with what is planted.
    fn check_reports(&self, tree: &Tree, arguments: &[&str]) {
        for group in ["target", "none"] {
            let formats = || {
                reports::FORMATS
                    .iter()
                    .filter(|format| format.group == group)
            };
            let option = |format: &Format| format!("--report={0}=report.{0}", format.name);
            let options: Vec<String> = formats().map(option).collect();
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let group = ["audit", "--quiet", "--group", group];
            let ran = tree.run(&[&group, arguments, &options].concat());
            assert!(ran.code < 2, "{}", ran.err);
            for format in formats() {
                let path = tree.path().join(format!("report.{}", format.name));
                (format.check)(self, &fs::read_to_string(path).unwrap());
            }
        }
    }

    /// The number of planted defects of each rule.
    fn rules(&self) -> BTreeMap<String, u64> {
        let mut rules = BTreeMap::new();
        for (_, _, rule, _) in &self.defects {
            *rules.entry(rule.clone()).or_default() += 1;
        }
        rules
    }

    /// Compares findings with what is planted.
    fn compare(&self, source: &str, found: &BTreeSet<Defect>) {
        if let Err(differences) = self.differences(found) {
            panic!("{source}: {differences}");
        }
    }

    /// Tells what differs from what is planted.
    fn differences(&self, found: &BTreeSet<Defect>) -> Result<(), String> {
        let missed: Vec<_> = self.defects.difference(found).collect();
        let invented: Vec<_> = found.difference(&self.defects).collect();
        let mut told = String::new();
        for (word, defects) in [("missed", missed), ("invented", invented)] {
            if !defects.is_empty() {
                write!(
                    told,
                    "{} {word}: {:#?} ",
                    defects.len(),
                    &defects[..defects.len().min(5)]
                )
                .unwrap();
            }
        }
        if told.is_empty() { Ok(()) } else { Err(told) }
    }
}
