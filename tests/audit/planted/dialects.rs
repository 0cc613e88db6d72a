//! Trees of Markdown with defects in each dialect of its anchors.

use std::collections::BTreeSet;

use super::{PlantedTree, planted};
use crate::audit::generated::Random;

const DIALECTS: [&str; 8] = [
    "github",
    "gitlab",
    "mdbook",
    "mkdocs",
    "docusaurus",
    "hugo",
    "kramdown",
    "pandoc",
];
const PAGES: usize = 40;

/// Kinds of headings by the documentation of each generator: the text, and the anchors by dialect. `{n}` is a number.
struct Heading {
    text: &'static str,
    anchor: fn(&str) -> &'static str,
}

const HEADINGS: &[Heading] = &[
    Heading {
        text: "## Alpha {n}",
        anchor: |_| "alpha-{n}",
    },
    Heading {
        text: "### Beta, gamma & {n}",
        anchor: |dialect| match dialect {
            // Runs of hyphens or blanks become one.
            "gitlab" | "mkdocs" | "pandoc" => "beta-gamma-{n}",
            _ => "beta-gamma--{n}",
        },
    },
    Heading {
        text: "# 1. Delta {n}",
        anchor: |dialect| match dialect {
            // What precedes the first letter is left out.
            "kramdown" | "pandoc" => "delta-{n}",
            _ => "1-delta-{n}",
        },
    },
    Heading {
        text: "## Node.js {n}",
        anchor: |dialect| match dialect {
            "pandoc" => "node.js-{n}",
            _ => "nodejs-{n}",
        },
    },
    Heading {
        text: "## the_name {n}",
        anchor: |dialect| match dialect {
            "kramdown" => "thename-{n}",
            _ => "the_name-{n}",
        },
    },
    Heading {
        text: "## Same {n}\n\n## Same {n}",
        anchor: |dialect| match dialect {
            "mkdocs" => "same-{n}_1",
            _ => "same-{n}-1",
        },
    },
    Heading {
        text: "## Named {n} {#own-{n}}",
        anchor: |dialect| match dialect {
            "github" | "gitlab" => "named-{n}-own-{n}",
            _ => "own-{n}",
        },
    },
    Heading {
        text: "text <a id=\"html-{n}\"></a> <a name=\"html-{n}-x\"></a>",
        anchor: |_| "html-{n}",
    },
];

fn numbered(text: &str, number: usize) -> String {
    text.replace("{n}", &number.to_string())
}

/// All anchors of a page in a dialect; page `n` has each kind of heading with its number.
fn anchors(dialect: &str, page: usize) -> BTreeSet<String> {
    let anchors = HEADINGS
        .iter()
        .map(|heading| numbered((heading.anchor)(dialect), page));
    anchors
        .chain([numbered("same-{n}", page), numbered("html-{n}-x", page)])
        .collect()
}

fn tree(dialect: &str) -> PlantedTree {
    let mut random = Random(4);
    let mut tree = PlantedTree::default();
    for page in 0..PAGES {
        for heading in HEADINGS {
            tree.line(
                &format!("docs/page-{page}.md"),
                &format!("{}\n", numbered(heading.text, page)),
            );
        }
    }
    let others: BTreeSet<_> = DIALECTS
        .iter()
        .flat_map(|other| anchors(other, 0))
        .collect();
    let others: Vec<_> = others
        .into_iter()
        .map(|anchor| anchor.replace('0', "{n}"))
        .collect();
    for number in 0..PAGES * crate::rounds(15, 60) {
        let source = format!("docs/page-{}.md", number % PAGES);
        let page = random.below(PAGES);
        let here = anchors(dialect, page);
        let right = here.iter().nth(random.below(here.len())).unwrap();
        let target = format!("page-{page}.md");
        let (reference, rule) = match number % 6 {
            // The anchors of all dialects.
            0 | 1 => {
                let other = numbered(&others[random.below(others.len())], page);
                let rule = (!here.contains(&other)).then_some("broken-fragment");
                (format!("{target}#{other}"), rule)
            }
            2 => (
                format!("{target}#{right}-{number}"),
                Some("broken-fragment"),
            ),
            3 if !matches!(dialect, "gitlab" | "github") => (
                format!("{target}#{}", right.to_uppercase()),
                Some("broken-fragment"),
            ),
            3 if dialect == "github" && right.starts_with('h') => {
                (format!("{target}#user-content-{right}"), None)
            }
            3 if dialect == "github" => (
                format!("{target}#{}", right.to_uppercase()),
                Some("case-mismatch"),
            ),
            4 => (format!("none-{number}.md#{right}"), Some("broken-file")),
            _ => (format!("{target}#{right}"), None),
        };
        let line = tree.line(&source, &format!("[text]({reference})\n")) - 1;
        tree.count(match rule {
            None | Some("case-mismatch") => "ok",
            Some(_) => "broken",
        });
        if let Some(rule) = rule {
            tree.plant(&source, line, rule, &reference);
        }
    }
    tree
}

#[test]
fn planted_defects_in_every_dialect_are_found() {
    for dialect in DIALECTS {
        let tree = tree(dialect);
        assert!(
            tree.defects.len() >= planted(),
            "{dialect}: {}",
            tree.defects.len()
        );
        tree.check(&["--slug", dialect, "--root", "docs=https://example.com/"]);
    }
}

#[test]
fn planted_undefined_labels_are_found() {
    let mut tree = PlantedTree::default();
    for number in 0..planted() {
        let page = format!("docs/page-{}.md", number % PAGES);
        let line = tree.line(&page, &format!("Read [the text][label {number}] there.\n")) - 1;
        tree.plant(
            &page,
            line,
            "undefined-reference",
            &format!("label {number}"),
        );
        tree.line(
            &page,
            &format!("Read [the text][defined {number}], or [defined {number}].\n"),
        );
        tree.line(&page, &format!("[Defined  {number}]: page-0.md\n"));
        // The reference is that of the definition.
        tree.count("ok");
        tree.line(
            &page,
            "`[the code][label]`, \\[the text][^1] and - [ ] a box\n",
        );
    }
    tree.check(&["--root", "docs=https://example.com/"]);
}

#[test]
fn planted_wiki_links_to_nothing_are_found() {
    let mut tree = PlantedTree::default();
    for page in 0..PAGES {
        tree.line(&format!("docs/deep/Wiki page {page}.md"), "# The heading\n");
    }
    for number in 0..planted() {
        let source = format!("docs/page-{}.md", number % 7);
        let page = number % PAGES;
        let (missing, fragment) = (
            format!("No page {number}"),
            format!("Wiki page {page}#No heading {number}"),
        );
        for (link, rule) in [
            (missing.clone(), Some("broken-file")),
            (format!("{missing}|the text"), Some("broken-file")),
            (fragment, Some("broken-fragment")),
            (format!("Wiki page {page}"), None),
            (format!("Wiki page {page}#The heading|the text"), None),
        ] {
            let line = tree.line(&source, &format!("Read [[{link}]] there.\n")) - 1;
            tree.count(if rule.is_some() { "broken" } else { "ok" });
            if let Some(rule) = rule {
                // A name is the path of its page, and a heading its anchor.
                let name = link.split('|').next().unwrap();
                let (name, heading) = name.split_once('#').unwrap_or((name, ""));
                let mut reference = format!("{}.md", name.replace(' ', "%20"));
                if !heading.is_empty() {
                    reference += &format!("#{}", heading.to_lowercase().replace(' ', "-"));
                }
                tree.plant(&source, line, rule, &reference);
            }
        }
        tree.line(&source, "`[[No page]]`\n");
    }
    tree.check(&["--wiki-links", "--root", "docs=https://example.com/"]);
}
