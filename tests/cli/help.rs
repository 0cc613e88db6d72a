//! Documentation that the command prints: help, man pages, explanations.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use uriscan::audit::RULES;
use uriscan::document::diagnostic::CODES;
use uriscan::document::flags::Flags;

use super::Tree;

const SUBCOMMANDS: [&str; 10] = [
    "", "extract", "records", "audit", "targets", "diff", "mv", "resolve", "parse", "schema",
];

fn help(subcommand: &str, flag: &str) -> String {
    let words = [subcommand, flag];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let ran = Tree::new(&[]).run(&words);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}");
    ran.out
}

/// The long names of the flags that a help text lists.
fn flags(help: &str) -> BTreeSet<String> {
    let listed = help.lines().map(str::trim_start);
    let listed = listed.filter(|line| line.starts_with('-'));
    let names = listed.filter_map(|line| line.split_once("--").map(|(_, name)| name));
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    names.map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_short_help_is_one_screen() {
    for subcommand in SUBCOMMANDS {
        let text = help(subcommand, "-h");
        let lines = text.lines().count();
        assert!(lines <= 45, "{subcommand}: {lines} lines");
        // Descriptions followed by the values of a flag are counted in lines.
        if matches!(subcommand, "resolve" | "parse") {
            continue;
        }
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{subcommand}: {line}");
        }
    }
}

#[test]
fn the_long_help_has_all_flags_of_the_short_one_with_examples_and_exit_codes() {
    for subcommand in SUBCOMMANDS {
        let (short, long) = (help(subcommand, "-h"), help(subcommand, "--help"));
        assert!(flags(&short).is_subset(&flags(&long)), "{subcommand}");
        for part in ["Exit codes:\n  0  ", "\nExamples:\n", "uriscan "] {
            assert!(long.contains(part), "{subcommand}: {part:?}");
        }
    }
    assert!(flags(&help("", "--help")).len() > 60);
}

#[test]
fn every_flag_is_in_the_man_page_of_its_subcommand() {
    let tree = Tree::new(&[]);
    for subcommand in SUBCOMMANDS {
        let kind = match subcommand {
            "" => "man".to_owned(),
            name => format!("man={name}"),
        };
        let ran = tree.run(&["--generate", &kind]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{kind}");
        let page = ran.out.replace("\\-", "-");
        for flag in flags(&help(subcommand, "--help")) {
            assert!(page.contains(&format!("--{flag}")), "{kind}: --{flag}");
        }
        for entry in page.split(".TP\n").skip(1) {
            let description = entry.split_once('\n').map(|(_, rest)| rest);
            let is_described = description.is_some_and(|text| !text.starts_with('\n'));
            assert!(is_described, "{kind}: {entry}");
        }
        for heading in ["EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
            assert!(page.contains(heading), "{kind}: {heading}");
        }
    }
}

#[test]
fn a_folder_gets_a_man_page_for_each_subcommand() {
    let tree = Tree::new(&[]);
    tree.run(&["--generate", "man", "-o", "man/man1"]).is(0, "");
    let mut pages: Vec<_> = fs::read_dir(tree.path().join("man/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert_eq!(
        pages,
        [
            "uriscan-audit.1",
            "uriscan-diff.1",
            "uriscan-extract.1",
            "uriscan-mv.1",
            "uriscan-parse.1",
            "uriscan-records.1",
            "uriscan-resolve.1",
            "uriscan-schema.1",
            "uriscan-targets.1",
            "uriscan.1",
        ]
    );
    let audit = fs::read_to_string(tree.path().join("man/man1/uriscan-audit.1")).unwrap();
    for rule in RULES {
        let name = rule.name.replace('-', "\\-");
        assert!(audit.contains(&name), "{name}");
    }
    // Pages are written as any other output: to a temporary file that is renamed.
    fs::remove_file(tree.path().join("man/man1/uriscan-audit.1")).unwrap();
    fs::create_dir(tree.path().join("man/man1/uriscan-audit.1")).unwrap();
    let kept = tree.write("kept", b"kept");
    fs::remove_file(tree.path().join("man/man1/uriscan.1")).unwrap();
    fs::hard_link(&kept, tree.path().join("man/man1/uriscan.1")).unwrap();
    tree.run(&["--generate", "man", "-o", "man/man1"]).tells(
        2,
        "",
        "cannot write man/man1/uriscan-audit.1: is a directory",
    );
    assert_eq!(fs::read(&kept).unwrap(), b"kept");
    tree.run(&["--generate", "man=no-such-page"])
        .tells(2, "", "extract, records, audit");
    tree.run(&["--generate", "complete-bash", "-o", "script"])
        .is(0, "");
    assert!(tree.path().join("script").metadata().unwrap().len() > 1000);
}

#[test]
fn every_rule_code_and_flag_is_explained() {
    let tree = Tree::new(&[]);
    let rules = RULES.iter().map(|rule| rule.name);
    let codes = CODES.iter().map(|code| code.name);
    let flags = Flags::NAMES.iter().copied();
    for (command, name) in rules
        .map(|name| ("audit", name))
        .chain(codes.map(|name| ("audit", name)))
        .chain(flags.map(|name| ("extract", name)))
    {
        let ran = tree.run(&[command, "--explain", name]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        assert!(ran.out.starts_with(&format!("{name} (")), "{}", ran.out);
        for part in ["\nWhy it matters: ", "\nExample:\n", "\nTo allow it: "] {
            let (_, rest) = ran.out.split_once(part).unwrap();
            assert!(rest.trim().len() > 3, "{name}: {part:?}");
        }
    }
    tree.run(&["audit", "--explain", "broken-fragmant"]).tells(
        2,
        "",
        "did you mean broken-fragment?",
    );
    tree.run(&["audit", "--explain", "what"])
        .tells(2, "", "rules: broken-file, ");
}

#[test]
fn the_flags_of_the_readme_exist() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let known: BTreeSet<_> = SUBCOMMANDS
        .iter()
        .flat_map(|subcommand| flags(&help(subcommand, "--help")))
        .collect();
    // Flags of cargo, pip, the jobs in Python and the tools in comparisons.
    let others = "release path open bench fuzz-dir check-anchors dump offline locked global rm repo \
        require-hashes only-explicit-features features document-private-items \
        ranks opener";
    let others: Vec<_> = others.split(' ').collect();
    let mut found = 0;
    for (at, _) in readme.match_indices("--") {
        let before = readme[..at].chars().next_back();
        let name: String = readme[at + 2..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if starts && matches!(before, Some(' ' | '`' | '(' | '\n')) && !others.contains(&&*name) {
            found += 1;
            assert!(known.contains(&name), "--{name} of README.md");
        }
    }
    assert!(found > 30, "{found}");
}

#[test]
fn rules_that_need_a_document_are_not_offered_without_one() {
    let shown = help("resolve", "--help");
    assert!(
        shown.contains("- rfc1808:") && !shown.contains("- auto:"),
        "{shown}"
    );
    let tree = Tree::new(&[]);
    tree.run(&["resolve", "--rules", "auto", "g"])
        .tells(2, "", "--rules auto needs a document");
}

#[test]
fn subcommands_refuse_filters_of_links_that_they_do_not_apply() {
    let tree = Tree::new(&[
        ("site/a.html", "<a href=b.html>b</a>"),
        ("site/b.html", "<p>"),
    ]);
    for subcommand in ["mv", "targets"] {
        for flag in "scheme element attribute host from to subject list part".split(' ') {
            let flag = format!("--{flag}");
            tree.run(&[subcommand, &flag, "text", "site/b.html", "site/c.html"])
                .tells(2, "", &format!("{subcommand} does not use {flag}"));
        }
    }
    // It compares links where that is asked for.
    let flags = ["diff", "--element", "a", "site", "site"];
    tree.run(&flags)
        .tells(2, "", "diff does not use --element without --links");
    tree.run(&[&flags[..], &["--links"]].concat())
        .tells(0, "", "");
    assert!(help("diff", "-h").contains("Usage: uriscan diff [OPTIONS] OLD NEW\n"));
}
