//! Fixes: only what is certain, only the bytes of references, and every file old or new.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::generated::Random;
use crate::cli::{Ran, Tree};
use crate::compressed::gzip;

fn fix(tree: &Tree, flags: &[&str]) -> Ran {
    tree.run(
        &[
            &[
                "audit",
                "--root",
                "site=https://example.com/docs/",
                "--group",
                "none",
            ],
            flags,
        ]
        .concat(),
    )
}

/// Writes fixes, and checks that writing them again changes nothing.
fn write(tree: &Tree, flags: &[&str]) -> Ran {
    let flags = [&["--fix=write"], flags].concat();
    let ran = fix(tree, &flags);
    let before = contents(tree.path());
    let again = fix(tree, &flags);
    assert_eq!(contents(tree.path()), before);
    // What is left has moved in its lines.
    let count = |ran: &Ran| (ran.out.lines().count(), ran.code);
    assert_eq!(count(&again), count(&ran), "{}", again.err);
    assert!(
        again.err.contains("fixed 0 findings in 0 files"),
        "{}",
        again.err
    );
    ran
}

fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(contents(&path)),
            false => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    all
}

/// A page before and after its fixes.
#[track_caller]
fn becomes(before: &[u8], after: &[u8], name: &str) {
    let tree = site();
    let page = tree.write(format!("site/{name}"), before);
    let ran = write(&tree, &[]);
    let got = fs::read(&page).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&got), text(after), "{ran:?}");
    assert_eq!(got, after);
}

fn site() -> Tree {
    let tree = Tree::new(&[
        ("site/Guide.html", "<p id=Here>"),
        ("site/sub/index.html", "<p id=x>"),
        (
            "site/moved.html",
            "<meta http-equiv=refresh content='0; url=sub/'>",
        ),
        ("site/deep/only-here.html", ""),
        ("site/twice/Same.html", ""),
        ("site/twice/same.HTML", ""),
        ("site/Caf\u{e9}.html", ""),
    ]);
    tree.write("site/a (b).html", b"");
    tree
}

#[test]
fn only_the_reference_changes() {
    for (before, after) in [
        ("guide.html", "Guide.html"),
        ("guide.html?a=1&amp;b=2#Here", "Guide.html?a=1&amp;b=2#Here"),
        ("./guide.html", "./Guide.html"),
        ("/docs/guide.html", "/docs/Guide.html"),
        (
            "http://example.com/docs/guide.html",
            "http://example.com/docs/Guide.html",
        ),
        ("Guide.html#here", "Guide.html#Here"),
        ("sub", "sub/"),
        ("sub?q", "sub/?q"),
        ("Guide.html/", "Guide.html"),
        ("moved.html", "sub/index.html"),
        ("cafe%CC%81.html", "Caf%C3%A9.html"),
        ("A%20(B).html", "a%20%28b%29.html"),
        // Two files have the name in other case; none is certain.
        ("twice/SAME.html", "twice/SAME.html"),
        // Near, but not certain.
        ("Guidee.html", "Guidee.html"),
        ("only-here.html", "only-here.html"),
    ] {
        for (start, end) in [
            ("<a href=\"", "\">"),
            ("<A HREF = '", "'>"),
            ("<a href=", " >"),
        ] {
            let page = |reference| format!("\r\n<p>\t{start}{reference}{end}x</a>\r\n\r\n");
            becomes(page(before).as_bytes(), page(after).as_bytes(), "page.html");
        }
    }
}

#[test]
fn the_bytes_around_it_stay_in_any_charset_and_syntax() {
    let pairs: &[(&[u8], &[u8])] = &[
        (
            b"<meta charset=windows-1252>\x80\x81\xE9\0<a href=guide.html\0>",
            b"<meta charset=windows-1252>\x80\x81\xE9\0<a href=guide.html\0>",
        ),
        (
            b"<meta charset=windows-1252>\x80\x81\xE9\0<a href=guide.html title=\xE9>",
            b"<meta charset=windows-1252>\x80\x81\xE9\0<a href=Guide.html title=\xE9>",
        ),
        (
            b"<meta charset=windows-1252>\xFC<a href=caf\xE9.html>",
            b"<meta charset=windows-1252>\xFC<a href=Caf\xe9.html>",
        ),
        (
            b"<img srcset='guide.html 1x,guide.html 2x'><style>a{background:url(guide.html)}</style>",
            b"<img srcset='Guide.html 1x,Guide.html 2x'><style>a{background:url(Guide.html)}</style>",
        ),
        // Character references stay, or the reference does.
        (b"<a href='guide.htm&#108;'>", b"<a href='Guide.htm&#108;'>"),
        (b"<a href='&#103;uide.html'>", b"<a href='Guide.html'>"),
        (b"<a href=' guide.html '>", b"<a href='Guide.html'>"),
        // A document in an attribute is escaped twice.
        (
            b"<iframe srcdoc=\"<a href=guide.html?a&amp;amp;b>&lt;iframe srcdoc='&amp;lt;a href=guide.html>'>\"></iframe>",
            b"<iframe srcdoc=\"<a href=Guide.html?a&amp;amp;b>&lt;iframe srcdoc='&amp;lt;a href=Guide.html>'>\"></iframe>",
        ),
    ];
    for (before, after) in pairs {
        becomes(before, after, "page.html");
    }
    for big in [true, false] {
        let wide = |text: &str| -> Vec<u8> {
            let units = text.encode_utf16();
            let bytes = units.map(|unit| match big {
                true => unit.to_be_bytes(),
                false => unit.to_le_bytes(),
            });
            bytes.flatten().collect()
        };
        let page = |name: &str| {
            wide(&format!(
                "\u{feff}<p>\u{e9}\r\n<a href=\"{name}\">\u{20ac}</a>\r\n"
            ))
        };
        becomes(&page("guide.html"), &page("Guide.html"), "page.html");
    }
}

#[test]
fn markdown_is_fixed_in_its_own_syntax() {
    becomes(
        b"[a](guide.html \"t\") [b](<guide.html>) [c][d] [e][d]\r\n\r\n[d]: guide.html 't'\r\n\r\n`guide.html`\r\n",
        b"[a](Guide.html \"t\") [b](<Guide.html>) [c][d] [e][d]\r\n\r\n[d]: Guide.html 't'\r\n\r\n`guide.html`\r\n",
        "page.md",
    );
    becomes(
        b"[a](A%20\\(b\\).html)",
        b"[a](a%20%28b%29.html)",
        "page.md",
    );
}

#[test]
fn a_file_that_has_moved_is_fixed_on_request() {
    let tree = site();
    let page = tree.write(
        "site/page.html",
        b"<a href=only-here.html><a href=SUB/same.html>",
    );
    write(&tree, &["--fix-moved"]);
    let text = fs::read_to_string(&page).unwrap();
    assert_eq!(text, "<a href=deep/only-here.html><a href=SUB/same.html>");
    fix(&tree, &["--fix-moved"]).tells(2, "", "--fix");
}

#[test]
fn a_dry_run_shows_a_diff_and_changes_nothing() {
    let tree = site();
    let page = "1\n2\n3\n4\n<a href=guide.html>\n6\n7\n8\n9\n10\n11\n12\n<a href=sub>";
    tree.write("site/page.html", page.as_bytes());
    let before = contents(tree.path());
    let ran = fix(&tree, &["--fix"]);
    assert_eq!(contents(tree.path()), before);
    ran.tells(
        0,
        "--- a/site/page.html\n+++ b/site/page.html\n\
         @@ -2,7 +2,7 @@\n 2\n 3\n 4\n-<a href=guide.html>\n+<a href=Guide.html>\n 6\n 7\n 8\n\
         @@ -10,4 +10,4 @@\n 10\n 11\n 12\n-<a href=sub>\n\\ No newline at end of file\n\
         +<a href=sub/>\n\\ No newline at end of file\n",
        "--fix=write fixes 2 findings in 1 file; 0 left",
    );
    fix(&tree, &["--fix", "--json"]).tells(2, "", "--report");
    let ran = fix(&tree, &["--fix", "--fail-on", "warning"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = fix(&tree, &["--fix=write", "--fail-on", "warning"]);
    ran.tells(0, "", "fixed 2 findings in 1 file; 0 left");
}

#[test]
fn no_configuration_turns_it_on() {
    let tree = site();
    tree.write("site/page.html", b"<a href=guide.html>");
    let before = contents(tree.path());
    for key in ["fix = \"write\"", "fix = true", "fix-moved = true"] {
        tree.write("uriscan.toml", key.as_bytes());
        for flags in [&[][..], &["--config", "uriscan.toml"]] {
            fix(&tree, flags).tells(2, "", "unknown key `fix");
        }
    }
    fs::remove_file(tree.path().join("uriscan.toml")).unwrap();
    assert_eq!(contents(tree.path()), before);
}

#[cfg(unix)]
#[test]
fn links_modes_and_files_that_cannot_be_written_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let tree = site();
    let page = b"<a href=guide.html>";
    let outside = tree.write("outside/page.html", page);
    let real = tree.write("site/real.html", page);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../outside/page.html", tree.path().join("site/link.html")).unwrap();
    symlink("real.html", tree.path().join("site/alias.html")).unwrap();
    let ran = fix(&tree, &["--fix=write", "-L"]);
    ran.tells(
        2,
        "",
        "site/link.html: not fixed: a symbolic link escapes the roots",
    );
    assert_eq!(fs::read(&outside).unwrap(), page);
    assert_eq!(fs::read(&real).unwrap(), b"<a href=Guide.html>");
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let alias = tree.path().join("site/alias.html");
    assert!(fs::symlink_metadata(alias).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn files_that_fix_cannot_write_are_errors_in_all_outputs() {
    use std::os::unix::fs::symlink;

    let tree = site();
    let page = b"<a href=guide.html>\n<a href=sub>";
    tree.write("outside/page.html", page);
    tree.write("site/page.html", page);
    tree.write("site/packed.html.gz", &gzip(page));
    symlink("../outside/page.html", tree.path().join("site/link.html")).unwrap();
    let flags = [
        "--fix=write",
        "-L",
        "-z",
        "--json",
        "--report",
        "jsonl=r.jsonl",
    ];
    let ran = fix(&tree, &flags);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let report = fs::read_to_string(tree.path().join("r.jsonl")).unwrap();
    assert_eq!(report, ran.out);
    let records: Vec<serde_json::Value> = (report.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let text = |record: &serde_json::Value, key: &str| record[key].as_str().unwrap().to_owned();
    let errors: Vec<_> = (records.iter())
        .filter(|record| record["type"] == "error")
        .map(|record| (text(record, "path"), text(record, "message")))
        .collect();
    let compressed = |place: &str| {
        let message = format!("not fixed:{place}: the file is compressed");
        ("site/packed.html.gz".to_owned(), message)
    };
    let outside = "not fixed: a symbolic link escapes the roots".to_owned();
    assert_eq!(
        errors,
        [
            ("site/link.html".to_owned(), outside),
            compressed("1:9"),
            compressed("2:9"),
        ]
    );
    let summary = records.last().unwrap();
    assert_eq!(
        (&summary["fixed"], &summary["unfixed"]),
        (&2.into(), &4.into())
    );
    assert_eq!(summary["findings"]["warning"], 4);
    assert_eq!(summary["rules"]["case-mismatch"], 2);
    assert!(
        ran.err
            .contains("site/packed.html.gz:1:9: not fixed: the file is compressed"),
        "{}",
        ran.err
    );
}

/// Kinds of references on the pages of a tree, and whether they are fixed.
const PLANTED: [(&str, bool); 10] = [
    ("page-7.html", true),
    ("Page-8.html/", true),
    ("Folder", true),
    ("folder/", true),
    ("moved.html", true),
    ("Page-9.html", true),
    ("nothing.html", false),
    ("Page-9.html#none", false),
    ("empty/", false),
    ("Pagee.html", false),
];

fn planted(seed: u64) -> (Tree, usize, usize) {
    let mut random = Random(seed);
    let tree = Tree::new(&[
        ("site/Folder/index.html", ""),
        ("site/empty/none.bin", "\0"),
        (
            "site/moved.html",
            "<meta http-equiv=refresh content='0; url=Folder/'>",
        ),
    ]);
    let (mut certain, mut others) = (0, 0);
    for page in 0..60 {
        let mut text = String::from("<!doctype html>\r\n");
        for _ in 0..20 {
            let (reference, is_certain) = PLANTED[random.below(PLANTED.len())];
            let is_right = reference == "Page-9.html";
            certain += usize::from(is_certain && !is_right);
            others += usize::from(!is_certain);
            let up = if page % 2 == 0 { "" } else { "../" };
            write!(text, "<p>{page} <a href=\"{up}{reference}\">x</a>").unwrap();
            text += ["", "\n", "\r\n", "\n\n\n\n\n\n\n\n"][random.below(4)];
        }
        let folder = if page % 2 == 0 { "" } else { "more (x)/" };
        tree.write(format!("site/{folder}Page-{page}.html"), text.as_bytes());
    }
    for page in [7, 9] {
        tree.write(format!("site/Page-{page}.html"), b"<p>");
    }
    (tree, certain, others)
}

#[test]
fn fix_leaves_only_uncertain_findings() {
    for seed in 1..=3 {
        let (tree, certain, others) = planted(seed);
        assert!(certain > 300 && others > 300, "{certain}, {others}");
        let dry = fix(&tree, &["--fix"]);
        assert!(
            dry.err
                .contains(&format!("--fix=write fixes {certain} findings")),
            "{}",
            dry.err
        );
        let ran = write(&tree, &[]);
        let words = format!("fixed {certain} findings in");
        assert!(ran.err.contains(&words), "{words}: {}", ran.err);
        assert!(ran.err.contains(&format!("{others} left")), "{}", ran.err);
        assert_eq!(ran.out.lines().count(), others, "{}", ran.out);
    }
}

#[cfg(unix)]
#[test]
fn the_diff_is_one_that_patch_applies() {
    if Command::new("patch").arg("--version").output().is_err() {
        eprintln!("patch is not installed: its reading of the diff is not tested");
        return;
    }
    for seed in 4..=6 {
        let (tree, ..) = planted(seed);
        let (other, ..) = planted(seed);
        for tree in [&tree, &other] {
            tree.write("site/nul.html", b"\0<a href=page-7.html>\xFF\r\n\0");
        }
        let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(["audit", "--root", "site=https://example.com/docs/", "--fix"])
            .current_dir(tree.path())
            .output()
            .unwrap();
        tree.write("fixes.diff", &output.stdout);
        let patched = Command::new("patch")
            .args([
                "-p1",
                "--binary",
                "--no-backup-if-mismatch",
                "-i",
                "fixes.diff",
            ])
            .current_dir(tree.path())
            .output()
            .unwrap();
        assert!(patched.status.success(), "{patched:?}");
        fs::remove_file(tree.path().join("fixes.diff")).unwrap();
        fix(&other, &["--fix=write"]);
        let relative = |tree: &Tree| -> Vec<(PathBuf, Vec<u8>)> {
            let all = contents(tree.path()).into_iter();
            all.map(|(path, bytes)| (path.strip_prefix(tree.path()).unwrap().to_path_buf(), bytes))
                .collect()
        };
        assert_eq!(relative(&tree), relative(&other));
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_every_file_whole() {
    let (tree, ..) = planted(7);
    let before = contents(tree.path());
    let (fixed, ..) = planted(7);
    fix(&fixed, &["--fix=write"]);
    let mut random = Random(8);
    for _ in 0..20 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args([
                "audit",
                "--root",
                "site=https://example.com/docs/",
                "--fix=write",
                "-q",
            ])
            .current_dir(tree.path())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(random.below(60) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        for (path, old) in &before {
            let now = fs::read(path).unwrap();
            let new = fs::read(fixed.path().join(path.strip_prefix(tree.path()).unwrap())).unwrap();
            assert!(now == *old || now == new, "{}", path.display());
        }
    }
    fix(&tree, &["--fix=write"]);
    for path in before.keys() {
        let new = fs::read(fixed.path().join(path.strip_prefix(tree.path()).unwrap())).unwrap();
        assert_eq!(fs::read(path).unwrap(), new);
    }
}

#[test]
fn a_line_with_many_references_is_one_change() {
    let count = crate::rounds(5_000, 20_000);
    let links = |name: &str| format!("<a href={name}.html>").repeat(count);
    let tree = Tree::new(&[
        ("site/Guide.html", ""),
        ("site/index.html", &format!("{}\n<p>\n", links("guide"))),
    ]);
    let ran = fix(&tree, &["--fix"]);
    let diff = format!(
        "--- a/site/index.html\n+++ b/site/index.html\n@@ -1,2 +1,2 @@\n-{}\n+{}\n <p>\n",
        links("guide"),
        links("Guide")
    );
    assert!(ran.out == diff, "{}", ran.err);
}

#[test]
fn fixes_are_written_though_nobody_reads_the_findings() {
    let mut page = "<a href=guide.html>".to_owned();
    for number in 0..5_000 {
        let _ = write!(page, "<a href=missing-{number}.html>");
    }
    let tree = Tree::new(&[("site/Guide.html", ""), ("site/index.html", &page)]);
    for (flags, fixed) in [
        (["--report", "markdown=report.md"], false),
        (["--write-baseline", "keys"], false),
        (["--fix=write", "--exit-zero"], true),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(["audit", "--root", "site=https://example.com/docs/"])
            .args(flags)
            .current_dir(tree.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let code = child.wait().unwrap().code();
        assert_eq!(code, Some(if fixed { 0 } else { 1 }), "{flags:?}");
        let page = fs::read_to_string(tree.path().join("site/index.html")).unwrap();
        assert_eq!(page.contains("Guide.html"), fixed);
    }
    for name in ["report.md", "keys"] {
        assert!(tree.path().join(name).exists(), "{name}");
    }
}
