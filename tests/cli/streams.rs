//! Standard streams that are closed or full, and outputs that are open files of the process.

use std::fs;
use std::process::{Command, Stdio};

use super::{Ran, Tree};

const TEXT: (&str, &str) = ("a.txt", "http://example.com/\n");
const PAGE: (&str, &str) = ("site/index.html", "<a href=x>x</a>");

/// Runs a line of a shell in the tree, in which `uriscan` is the command.
fn shell(tree: &Tree, line: &str) -> Ran {
    let script = line.replace("uriscan", env!("CARGO_BIN_EXE_uriscan"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(tree.path());
    Ran::from(shell.stdin(Stdio::null()).output().unwrap())
}

#[test]
fn standard_output_that_is_closed_at_the_start_is_an_error() {
    let tree = Tree::new(&[TEXT, PAGE]);
    for line in [
        "uriscan a.txt >&-",
        "uriscan --json site >&-",
        "uriscan --files site >&-",
        "uriscan - < a.txt >&-",
        "uriscan a.txt -o /dev/stdout >&-",
        "uriscan audit site >&-",
        "uriscan audit site -q --report text=/dev/fd/1 >&-",
        "uriscan resolve http://example.com/ >&-",
        "uriscan parse http://example.com/ >&-",
        "uriscan schema link >&-",
        "uriscan --type-list >&-",
        "uriscan --explain orphan >&-",
        "uriscan --generate man >&-",
        "uriscan --help >&-",
        "uriscan --version >&-",
    ] {
        shell(&tree, line).tells(2, "", "standard output is closed");
    }
    // Nothing is written there.
    assert_eq!(shell(&tree, "uriscan -q a.txt >&-").code, 0);
    assert_eq!(shell(&tree, "uriscan a.txt -o out >&-").code, 0);
    assert_eq!(shell(&tree, "uriscan audit -q site >&-").code, 1);
    assert_eq!(shell(&tree, "uriscan a.txt > /dev/null").code, 0);
}

#[test]
fn standard_input_that_is_closed_or_a_directory_is_an_error() {
    let tree = Tree::new(&[TEXT, PAGE]);
    let closed = "uriscan: -: standard input is closed\n";
    for (line, out, told) in [
        ("uriscan <&-", "", closed),
        ("uriscan - a.txt <&-", TEXT.1, closed),
        ("uriscan -q - <&-", "", closed),
        ("uriscan --files-from - <&-", "", "standard input is closed"),
        (
            "uriscan --files0-from - <&-",
            "",
            "standard input is closed",
        ),
        ("uriscan resolve <&-", "", "standard input is closed"),
        ("uriscan parse <&-", "", "standard input is closed"),
        ("uriscan < site", "", "uriscan: -: Is a directory"),
        ("uriscan resolve < site", "", "Is a directory"),
    ] {
        shell(&tree, line).tells(2, out, told);
    }
    // What is not read may be closed.
    shell(&tree, "uriscan a.txt <&-").is(0, TEXT.1);
    assert_eq!(shell(&tree, "uriscan audit site -q <&-").code, 1);
}

#[test]
fn an_output_by_its_number_is_checked_against_the_inputs() {
    let tree = Tree::new(&[TEXT, PAGE]);
    for line in [
        "uriscan a.txt -o /dev/fd/0 < a.txt",
        "uriscan a.txt -o /dev/stdin < a.txt",
        "uriscan - -o /dev/stdin < a.txt",
        "uriscan site -o /dev/fd/0 < site/index.html",
        "uriscan site -o /dev/fd/3 3>> site/index.html",
        "uriscan site -o /proc/self/fd/3 3>> site/index.html",
        "uriscan site -o /dev/fd/3 3<> site/index.html",
        "uriscan . -o /dev/fd/3 3>> a.txt",
        "uriscan a.txt -o /dev/stdout >> a.txt",
        "uriscan a.txt --report errors=/dev/fd/3 3>> a.txt",
        "uriscan --files-from /dev/fd/4 -o /dev/fd/3 3>> site/index.html 4< list",
        "uriscan audit site -q --report text=/dev/fd/3 3>> site/index.html",
        "uriscan audit site -q --write-baseline /dev/fd/0 < site/index.html",
        // A pipe whose end is never read.
        "cat a.txt | uriscan - -o /dev/stdin",
    ] {
        tree.write("list", b"site\n");
        let ran = shell(&tree, line);
        assert!(
            ran.code == 2 && ran.err.contains("an input"),
            "{line}: {ran:?}"
        );
        for (name, text) in [TEXT, PAGE] {
            let found = fs::read_to_string(tree.path().join(name)).unwrap();
            assert_eq!(found, text, "{line}");
        }
    }
    // Another file is appended to.
    shell(
        &tree,
        "uriscan a.txt -o /dev/fd/3 3>> log && uriscan a.txt -o /dev/fd/3 3>> log",
    )
    .is(0, "");
    assert_eq!(
        fs::read_to_string(tree.path().join("log")).unwrap(),
        TEXT.1.repeat(2)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_to_a_full_device_is_an_error_in_every_format_and_report() {
    let tree = Tree::new(&[TEXT, PAGE]);
    let mut lines: Vec<String> = Vec::new();
    for format in ["text", "jsonl", "csv", "tsv", "arrow"] {
        lines.push(format!("uriscan a.txt --format {format} > /dev/full"));
        lines.push(format!("uriscan a.txt --format {format} -o /dev/full"));
    }
    for format in [
        "text", "jsonl", "sarif", "junit", "github", "markdown", "html",
    ] {
        lines.push(format!("uriscan audit site --format {format} > /dev/full"));
        lines.push(format!("uriscan audit site -q --report {format}=/dev/full"));
    }
    for flags in [
        "a.txt -c",
        "a.txt -l",
        "--files a.txt",
        "a.txt --unique",
        "a.txt --count-by host",
        "audit site --links",
        "audit site --count-by rule",
        "resolve http://example.com/",
        "parse http://example.com/",
        "schema link",
        "--type-list",
        "--generate man",
        "--generate complete-bash",
        "--explain orphan",
        "--help",
        "--version",
    ] {
        lines.push(format!("uriscan {flags} > /dev/full"));
    }
    lines.push("uriscan missing --report errors=/dev/full".to_owned());
    lines.push("uriscan audit site -q --write-baseline /dev/full".to_owned());
    lines.push("uriscan --generate man -o /dev/full".to_owned());
    for line in lines {
        let ran = shell(&tree, &line);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        assert!(ran.err.contains("uriscan: cannot "), "{line}: {}", ran.err);
    }
    shell(&tree, "uriscan a.txt | true").is(0, "");
}

#[test]
fn an_empty_name_in_a_list_that_ends_names_with_nul_is_an_error() {
    let tree = Tree::new(&[TEXT]);
    let run = |list: &[u8]| tree.pipe(list, &["--files0-from", "-"]);
    run(b"a.txt\0").is(0, TEXT.1);
    run(b"a.txt\0\0").tells(2, TEXT.1, "uriscan: -: a name is empty\n");
    // A blank line of a list of lines names nothing.
    tree.pipe(b"\na.txt\n\n", &["--files-from", "-"])
        .is(0, TEXT.1);
}

#[test]
fn output_beyond_the_limit_of_a_file_is_an_error_and_leaves_no_temporary_file() {
    let tree = Tree::new(&[("a.txt", &TEXT.1.repeat(1000))]);
    for command in ["--json", "audit --json --links"] {
        let line = format!("ulimit -f 1; uriscan {command} -o out a.txt");
        shell(&tree, &line).tells(2, "", "File too large");
        let names = std::fs::read_dir(tree.path()).unwrap().count();
        assert_eq!(names, 1, "{line}");
    }
}
