//! The table of exit codes.

use crate::cli::Tree;

/// Flags, and the exit code over a tree with one broken link (error), one redirect (warning).
const ROWS: &[(&[&str], i32)] = &[
    (&[], 1),
    (&["--fail-on", "error"], 1),
    (&["--fail-on", "warning"], 1),
    (&["--fail-on", "never"], 0),
    (&["--exit-zero"], 0),
    (&["--warn", "broken-file"], 0),
    (&["--allow", "broken-file"], 0),
    (&["--warn", "broken-file", "--fail-on", "warning"], 1),
    (&["--allow", "broken-file", "--fail-on", "warning"], 1),
    (
        &["--allow", "broken-file,redirected", "--fail-on", "warning"],
        0,
    ),
    (&["--allow", "broken-file", "--deny", "redirected"], 1),
    (&["--exclude", "missing"], 0),
    (&["--max-findings", "0"], 1),
    (&["--quiet"], 1),
    (&["--json"], 1),
    (&["--external"], 1),
    (&["--links"], 1),
    // Errors win over findings, and --exit-zero does not forgive them.
    (&["site", "nowhere"], 2),
    (&["site", "nowhere", "--exit-zero"], 2),
    (&["--deny", "no-such-rule"], 2),
    (&["--report", "sarif"], 2),
    (&["--report", "pdf=x"], 2),
    (&["--report", "sarif=no/such/directory/x"], 2),
    (&["--baseline", "no-such-file"], 2),
    (&["--config", "no-such-file"], 2),
    (&["-"], 2),
    (&["--root", "site=example"], 2),
    (&["--glob", "*.none"], 2),
];

#[test]
fn exit_codes_are_those_of_the_table() {
    let tree = Tree::new(&[
        (
            "site/index.html",
            "<a href=missing.html>x</a> <a href=sub>x</a>",
        ),
        ("site/sub/index.html", ""),
    ]);
    for (flags, code) in ROWS {
        let ran = tree.run(&[&["audit"], *flags].concat());
        assert_eq!(ran.code, *code, "{flags:?}\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_tree_without_findings_ends_with_0() {
    let tree = Tree::new(&[("index.html", "<a href='#'>x</a>")]);
    let ran = tree.run(&["audit", "--root", ".=https://example.com/"]);
    ran.tells(0, "", "1 reference in 1 file: 1 ok, 0 broken");
}

#[test]
fn without_root_the_path_is_the_root_and_a_note_says_so() {
    let tree = Tree::new(&[
        ("site/a/index.html", "<a href=/b.html>x</a>"),
        ("site/b.html", ""),
    ]);
    let ran = tree.run(&["audit", "site"]);
    ran.tells(0, "", "without --root, treating site as the root of a site");
    let ran = tree.run(&["audit", "site/a"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = tree.run(&["audit", "site/a", "--root", "site=https://example.com/"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn unmounted_targets_are_looked_up_by_file_uri() {
    let tree = Tree::new(&[
        ("site/index.html", ""),
        (
            "other/index.html",
            "<a href=page.html>x</a> <a href=missing.html>x</a>",
        ),
        ("other/page.html", ""),
    ]);
    let ran = tree.run(&[
        "audit",
        "site",
        "other",
        "--root",
        "site=https://example.com/",
    ]);
    assert_eq!(
        ran.out,
        "other/index.html:1:33: error[broken-file]: missing.html (no such file)\n"
    );
}

#[test]
fn an_unknown_key_of_the_configuration_is_an_error() {
    let tree = Tree::new(&[("index.html", ""), ("uriscan.toml", "dney = 'orphan'\n")]);
    let ran = tree.run(&["audit"]);
    ran.tells(2, "", "uriscan.toml:1: unknown key `dney`");
    assert_eq!(tree.run(&["audit", "--no-config"]).code, 0);
    // Only audit reads it.
    assert_eq!(tree.run(&["extract", "."]).code, 1);
}

#[test]
fn every_root_without_a_uri_is_a_site_of_its_own() {
    let tree = Tree::new(&[
        ("one/index.html", "<a href=/page.html>x</a>"),
        ("one/page.html", ""),
        ("two/index.html", "<a href=/page.html>x</a>"),
    ]);
    for flags in [&["one", "two"][..], &["--root", "one", "--root", "two"]] {
        let ran = tree.run(&[&["audit"], flags].concat());
        assert_eq!(
            ran.out,
            "two/index.html:1:9: error[broken-file]: /page.html (no such file)\n"
        );
    }
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported_once_and_the_rest_checked() {
    let tree = Tree::new(&[("site/a.html", "<a href=missing.html>x</a>")]);
    std::os::unix::fs::symlink("nowhere", tree.path().join("site/b.html")).unwrap();
    let ran = tree.run(&["audit", "--root", "site=https://example.com/", "-L"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(ran.err.matches("b.html").count(), 1, "{}", ran.err);
    assert!(ran.out.contains("missing.html"), "{}", ran.out);
}

#[cfg(target_os = "linux")]
#[test]
fn targets_in_a_directory_that_cannot_be_read_are_skipped() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let page = "<a href=locked/x.html>x</a> <a href=locked/>x</a> <a href=locked>x</a> <a href=no.html>x</a>";
    let tree = Tree::new(&[("a.html", page), ("locked/x.html", "")]);
    let locked = tree.path().join("locked");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).unwrap();
    let ran = if tree.path().metadata().unwrap().uid() == 0 {
        // Only its capabilities let the superuser read it.
        let command = env!("CARGO_BIN_EXE_uriscan");
        tree.run_by(
            "setpriv",
            &["--bounding-set=-all", command, "audit", "--json", "."],
        )
    } else {
        tree.run(&["audit", "--json", "."])
    };
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(
        ran.out
            .contains(r#""broken":1,"external":0,"unresolved":0,"skipped":3,"#),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains(
            r#""path":"./locked","member":null,"message":"Permission denied (os error 13)""#
        ),
        "{}",
        ran.out
    );
}

#[test]
fn paths_of_rule_files_are_those_of_the_argument() {
    let tree = Tree::new(&[
        ("site/_redirects", "/old /gone.html 301\n"),
        ("site/index.html", ""),
        ("here/x", ""),
    ]);
    let found = "site/_redirects:1:6: error[broken-file]: /gone.html (no such file)\n";
    let here = tree.path().join("here");
    for (argument, shown) in [
        ("../site", "../"),
        ("../site/", "../"),
        ("../here/../site", "../here/../"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_uriscan"));
        let flags = ["audit", "--server", "netlify", argument];
        let out = command.args(flags).current_dir(&here).output().unwrap();
        let out = String::from_utf8(out.stdout).unwrap();
        assert_eq!(out, format!("{shown}{found}"));
    }
}
