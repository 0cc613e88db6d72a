//! The formats of reports, read back into findings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Defect, PlantedTree};

/// A format of reports, and how its findings are compared with what is planted.
pub(super) struct Format {
    pub(super) name: &'static str,
    /// The value of `--group`.
    pub(super) group: &'static str,
    pub(super) check: fn(&PlantedTree, &str),
}

pub(super) const FORMATS: &[Format] = &[
    Format {
        name: "jsonl",
        group: "target",
        check: |tree, text| tree.compare("jsonl", &findings_of_jsonl(text)),
    },
    Format {
        name: "sarif",
        group: "target",
        check: |tree, text| tree.compare("sarif", &findings_of_sarif(text)),
    },
    Format {
        name: "junit",
        group: "target",
        check: |tree, text| tree.compare("junit", &findings_of_junit(text)),
    },
    Format {
        name: "html",
        group: "target",
        check: |tree, text| tree.compare("html", &findings_of_page(text)),
    },
    Format {
        name: "markdown",
        group: "target",
        check: |tree, text| {
            assert_eq!(rules_of_table(text), tree.rules());
            assert_eq!(count_of_items(text), tree.defects.len() as u64);
        },
    },
    Format {
        name: "markdown",
        group: "none",
        check: |tree, text| assert_eq!(count_of_items(text), tree.defects.len() as u64),
    },
    Format {
        name: "text",
        group: "none",
        check: |tree, text| tree.compare("text", &findings_of_text(text)),
    },
    Format {
        name: "github",
        group: "none",
        check: |tree, text| {
            let found = annotations(text).into_iter();
            let found = found.map(|(defect, more)| {
                assert_eq!(more, 0, "{defect:?}");
                defect
            });
            tree.compare("github", &found.collect());
        },
    },
    Format {
        name: "text",
        group: "target",
        check: |tree, text| {
            assert_eq!(rules_of_groups(text), tree.rules());
        },
    },
    Format {
        name: "github",
        group: "target",
        check: |tree, text| {
            let mut rules = BTreeMap::new();
            for (defect, more) in annotations(text) {
                assert!(tree.defects.contains(&defect), "{defect:?}");
                *rules.entry(defect.2).or_default() += 1 + more;
            }
            assert_eq!(rules, tree.rules());
        },
    },
];

/// Findings about documents are known by their place: what else their records tell is not compared.
fn reference(rule: &str, written: &str) -> String {
    match rule {
        "duplicate-id" | "several-bases" | "orphan" | "sitemap-missing" | "empty-href"
        | "unused-ignore" => String::new(),
        _ => written.to_owned(),
    }
}

/// A sentence begins with the reference, if it is not empty, before the message in parentheses.
fn reference_of_sentence(rule: &str, sentence: &str) -> String {
    let written = sentence.split_once(" (").unwrap_or_default().0;
    reference(rule, written)
}

pub(super) fn findings_of_jsonl(text: &str) -> BTreeSet<Defect> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        match record["type"].as_str() {
            Some("finding") => {}
            Some("summary" | "diagnostic") => continue,
            _ => panic!("{line}"),
        }
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let rule = text("rule");
        let reference = reference(&rule, &text("reference"));
        let line_number = record["line"].as_u64().unwrap_or(0);
        let added = found.insert((text("path"), line_number, rule, reference));
        assert!(added, "twice: {line}");
    }
    found
}

fn findings_of_sarif(text: &str) -> BTreeSet<Defect> {
    let log: Value = serde_json::from_str(text).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let mut found = BTreeSet::new();
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let path = percent_encoding::percent_decode_str(uri)
            .decode_utf8()
            .unwrap();
        let line = place["region"]["startLine"].as_u64().unwrap_or(0);
        let rule = result["ruleId"].as_str().unwrap();
        let sentence = result["message"]["text"].as_str().unwrap();
        let reference = reference_of_sentence(rule, sentence);
        let added = found.insert((path.into_owned(), line, rule.into(), reference));
        assert!(added, "twice: {result}");
    }
    found
}

fn findings_of_junit(text: &str) -> BTreeSet<Defect> {
    let document = roxmltree::Document::parse(text).unwrap();
    let mut found = BTreeSet::new();
    for case in document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
    {
        let path = case.attribute("classname").unwrap();
        let Some(told) = case.children().find(roxmltree::Node::is_element) else {
            continue;
        };
        let told = told.text().unwrap();
        let told = told.strip_prefix(path).unwrap();
        let (place, told) = told.split_once(": ").unwrap();
        let line = place
            .split(':')
            .nth(1)
            .map_or(0, |line| line.parse().unwrap());
        let (rule, sentence) = told.split_once(": ").unwrap();
        let reference = reference_of_sentence(rule, sentence);
        let added = found.insert((path.into(), line, rule.into(), reference));
        assert!(added, "twice: {told}");
    }
    found
}

/// `PATH:LINE:COLUMN: LEVEL[RULE]: SENTENCE`, one line a finding.
fn findings_of_text(text: &str) -> BTreeSet<Defect> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let (place, told) = line.split_once(": ").unwrap();
        let mut parts = place.rsplit(':').skip(1);
        let number = parts.next().and_then(|line| line.parse().ok());
        let path = number.map_or(place, |_| parts.next().unwrap());
        let (rule, sentence) = told.split_once("]: ").unwrap();
        let rule = rule.split_once('[').unwrap().1;
        let reference = reference_of_sentence(rule, sentence);
        let added = found.insert((path.into(), number.unwrap_or(0), rule.into(), reference));
        assert!(added, "twice: {line}");
    }
    found
}

/// The number of findings of each rule: `12x TARGET: RULE (LEVEL: ...)` is a group, whose places are indented.
fn rules_of_groups(text: &str) -> BTreeMap<String, u64> {
    let mut rules = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with(' ')) {
        let group = line
            .split_once("x ")
            .and_then(|(count, group)| Some((count.parse().ok()?, group)));
        let (count, rule) = match group {
            Some((count, group)) => {
                let level = ["(error: ", "(warning: "]
                    .iter()
                    .find_map(|level| group.find(level))
                    .unwrap();
                (
                    count,
                    group[..level]
                        .trim_end()
                        .rsplit_once(": ")
                        .unwrap()
                        .1
                        .to_owned(),
                )
            }
            None => {
                let found = findings_of_text(line).pop_first().unwrap();
                (1, found.2)
            }
        };
        *rules.entry(rule).or_default() += count;
    }
    rules
}

/// The findings of workflow commands, and for how many more each stands.
fn annotations(text: &str) -> Vec<(Defect, u64)> {
    let lines = text.lines();
    lines
        .map(|line| annotation(line).unwrap_or_else(|| panic!("{line}")))
        .collect()
}

fn annotation(line: &str) -> Option<(Defect, u64)> {
    let (properties, sentence) = line.strip_prefix("::")?.split_once("::")?;
    let properties = properties.split_once(' ')?.1;
    let decoded = |text: &str| {
        let decoded = text.replace("%3A", ":").replace("%2C", ",");
        decoded
            .replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%25", "%")
    };
    let mut defect = Defect::default();
    for property in properties.split(',') {
        let (name, value) = property.split_once('=')?;
        match name {
            "file" => defect.0 = decoded(value),
            "line" => defect.1 = value.parse().ok()?,
            "col" => {}
            "title" => defect.2 = decoded(value),
            _ => return None,
        }
    }
    let sentence = decoded(sentence);
    let more = match sentence.rsplit_once(", and ") {
        Some((_, more)) => more.strip_suffix(" more")?.parse().ok()?,
        None => 0,
    };
    defect.3 = reference_of_sentence(&defect.2, &sentence);
    Some((defect, more))
}

/// The data of the page: rows of documents, each followed by the rows of its findings.
fn findings_of_page(page: &str) -> BTreeSet<Defect> {
    let block = |id: &str| -> Value {
        let start = format!("<script type=\"application/json\" id=\"{id}\">");
        let (_, data) = page.split_once(&start).unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    };
    let (rows, totals) = (block("findings"), block("totals"));
    let (mut found, mut path) = (BTreeSet::new(), String::new());
    for row in rows.as_array().unwrap() {
        if let Some(document) = row[0].as_str() {
            path = document.to_owned();
            continue;
        }
        let rule = row[0].as_u64().unwrap() as usize;
        let rule = totals["rules"][rule]["name"].as_str().unwrap();
        // The target stands in the first row that has it.
        let written = row[4].as_str().unwrap_or_default();
        let line = row[1].as_u64().unwrap();
        let added = found.insert((path.clone(), line, rule.into(), reference(rule, written)));
        assert!(added, "twice: {row}");
    }
    found
}

/// The table of the summary in Markdown: `| COUNT | RULE | LEVEL |`.
fn rules_of_table(text: &str) -> BTreeMap<String, u64> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        Some((cells.next()?.parse().ok()?, cells.next()?.to_owned()))
    });
    rows.map(|(count, rule): (u64, _)| (rule, count)).collect()
}

/// The number of findings in the list of Markdown, and of those that its limit leaves out.
fn count_of_items(text: &str) -> u64 {
    let count = |line: &str| {
        if let Some(item) = line.strip_prefix("- ") {
            let group = item
                .strip_prefix("**")
                .and_then(|group| group.split_once('\u{d7}'));
            return group.map_or(1, |(count, _)| count.parse().unwrap());
        }
        let more = line
            .strip_prefix("... and ")
            .and_then(|more| more.split_once(" more"));
        more.map_or(0, |(count, _)| count.parse().unwrap())
    };
    text.lines().map(count).sum()
}
