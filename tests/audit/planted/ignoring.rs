//! Trees whose defects comments and a configuration ignore in part.

use super::{PlantedTree, planted};
use crate::audit::generated::Random;

const PAGES: usize = 50;

/// A tree of which all even kinds of defects are ignored, by comments in HTML and in Markdown.
fn commented() -> (PlantedTree, u64) {
    let mut random = Random(5);
    let mut tree = PlantedTree::default();
    let mut ignored = 0;
    for number in 0..6 * planted() + 300 {
        let is_markdown = number % 2 == 0;
        let page = match is_markdown {
            true => format!("site/page-{}.md", random.below(PAGES)),
            false => format!("site/page-{}.html", random.below(PAGES)),
        };
        let mut link = |tree: &mut PlantedTree, reference: &str, rule: Option<&'static str>| {
            if rule.is_none() {
                ignored += 1;
            }
            if !is_markdown {
                return tree.link(&page, reference, "broken", rule);
            }
            let line = tree.line(&page, &format!("[x]({reference})"));
            tree.count("broken");
            if let Some(rule) = rule {
                tree.plant(&page, line, rule, reference);
            }
        };
        let (file, fragment) = (format!("missing-{number}.html"), format!("#none-{number}"));
        let (file_rule, fragment_rule) = (Some("broken-file"), Some("broken-fragment"));
        match random.below(6) {
            // A line, for any rule.
            0 => {
                tree.line(&page, "\n<!-- uriscan-ignore-next-line -->");
                link(&mut tree, &file, None);
                link(&mut tree, &fragment, fragment_rule);
            }
            // A line, for one rule, with a reason.
            1 => {
                tree.line(
                    &page,
                    "\n<!-- uriscan-ignore-next-line broken-file: made later -->",
                );
                link(&mut tree, &file, None);
                link(&mut tree, &file, file_rule);
            }
            // A region, for one rule.
            2 => {
                tree.line(
                    &page,
                    "\n<!-- uriscan-ignore broken-fragment: by a script -->\n",
                );
                link(&mut tree, &fragment, None);
                link(&mut tree, &file, file_rule);
                link(&mut tree, &fragment, None);
                tree.line(&page, "\n<!-- uriscan-ignore-end -->\n");
                link(&mut tree, &fragment, fragment_rule);
            }
            // A region for any rule.
            3 => {
                tree.line(&page, "\n<!-- uriscan-ignore: old -->\n");
                link(&mut tree, &fragment, None);
                link(&mut tree, &file, None);
                tree.line(&page, "\n<!-- uriscan-ignore-end -->\n");
            }
            // Nothing to ignore.
            4 => {
                tree.line(&page, "");
                let comment = "uriscan-ignore-next-line broken-file";
                let line = tree.line(&page, &format!("<!-- {comment} -->"));
                tree.plant(&page, line, "unused-ignore", "");
                link(&mut tree, &fragment, fragment_rule);
            }
            _ => {
                tree.line(&page, "");
                link(&mut tree, &file, file_rule);
            }
        }
        tree.line(&page, "");
    }
    (tree, ignored)
}

#[test]
fn comments_ignore_only_their_findings() {
    let (tree, ignored) = commented();
    assert!(tree.rules()["unused-ignore"] >= planted() as u64 && ignored > planted() as u64);
    let summary = tree.check(&["--root", "site=https://example.com/"]);
    assert_eq!(summary["ignored"], ignored);
}

#[test]
fn ignore_entries_ignore_only_their_findings() {
    let mut tree = PlantedTree::default();
    let mut entries = String::from("ignore = [\n");
    let mut ignored = 0;
    // Half of the number of entries: each of them is tried for each finding.
    for number in 0..crate::rounds(75, 300) {
        let page = format!("site/{}/page-{}.html", number % 7, number % PAGES);
        let (missing, other) = (
            format!("/missing-{number}.html"),
            format!("/other-{number}.html"),
        );
        tree.link(&page, &other, "broken", Some("broken-file"));
        tree.link(&page, &missing, "broken", None);
        tree.link(
            "site/index.html",
            &missing,
            "broken",
            (number % 2 == 1).then_some("broken-file"),
        );
        // An even entry ignores the target on all pages, an odd one on pages of a directory.
        entries += &match number % 2 {
            0 => format!(
                "  {{ rule = 'broken-file', target = 'missing-{number}.html', reason = 'later' }},\n"
            ),
            _ => format!(
                "  {{ path = 'site/{}/*', target = 'missing-{number}.html', until = 2999-12-31 }},\n",
                number % 7
            ),
        };
        ignored += 2 - number as u64 % 2;
        let line = 2 * number as u64 + 3;
        entries +=
            &format!("  {{ rule = 'broken-fragment', target = 'missing-{number}.html' }},\n");
        tree.plant("uriscan.toml", line, "unused-ignore", "");
    }
    entries += "]\n";
    tree.files
        .insert("uriscan.toml".into(), entries.into_bytes());
    let summary = tree.check(&["--root", "site=https://example.com/"]);
    assert_eq!(summary["ignored"], ignored);
}
