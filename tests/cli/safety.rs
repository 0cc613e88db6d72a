//! Hostile names, texts and surroundings: nothing is obeyed, overwritten or dropped by surprise.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::Tree;

/// A name that clears the screen, begins a line of its own, and turns what follows around.
const NAME: &str = "a\x1b[2J\n::stop-commands::x\u{202e}\u{9b}1m.html";
/// The same as people see it.
const SHOWN: &str = "a\\x1b[2J\\x0a::stop-commands::x\\u{202e}\\u{9b}1m.html";

/// Runs the command with its standard output on a terminal, and returns what that shows.
fn on_a_terminal(tree: &Tree, arguments: &[&str]) -> String {
    let pty = nix::pty::openpty(None, None).unwrap();
    let mut command = tree.command(arguments);
    command.env("NO_COLOR", "1").stderr(Stdio::null());
    let mut child = command.stdout(pty.slave).spawn().unwrap();
    // The command holds the other end of the terminal open.
    drop(command);
    let mut shown = Vec::new();
    // The end of a terminal is an error (EIO).
    let _ = fs::File::from(pty.master).read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

#[track_caller]
fn has_no_controls(text: &str) {
    let shown = |c: char| c == '\n' || !(c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c));
    assert!(text.chars().all(shown), "{text:?}");
}

#[test]
fn control_characters_do_not_reach_a_terminal() {
    let tree = Tree::new(&[(NAME, "<a href='x\u{1b}]0;y\u{7}'>x</a>")]);
    let target = "x\\x1b]0;y\\x07";
    let base = ["--base=", "."];
    for (flags, expected) in [
        (&["-n"][..], format!("./{SHOWN}:1:10: {target}\r\n")),
        (&["-l"], format!("./{SHOWN}\r\n")),
        (&["--files"], format!("./{SHOWN}\r\n")),
        (&["-c"], format!("./{SHOWN}:1\r\n")),
        (&["--count-by", "target"], format!("1\t{target}\r\n")),
        (&["-I", "-0"], format!("1:10: {target}\0")),
    ] {
        let flags = [&base[..], flags].concat();
        assert_eq!(on_a_terminal(&tree, &flags), expected, "{flags:?}");
    }
    let resolve = ["resolve", "--base", "http://example.com/", "a\u{1b}[2J\nb"];
    let shown = on_a_terminal(&tree, &resolve);
    assert_eq!(shown, "http://example.com/a\\x1b[2J\\x0ab\r\n");
    let shown = on_a_terminal(&tree, &["parse", "a\u{9b}b"]);
    assert!(shown.starts_with("path: a\\u{9b}b\r\n"), "{shown}");
}

#[test]
fn a_line_of_piped_text_is_a_record_and_its_bytes_stay() {
    let name = "a\x1b\n\u{202e}.html";
    let tree = Tree::new(&[(name, "<a href='x\n\u{1b}y'>x</a>")]);
    let run = |flags: &[&str]| tree.run(&[&["--base=", "."], flags].concat());
    run(&["-n"]).is(0, "./a\x1b\\x0a\u{202e}.html:1:10: x\\x0a\x1by\n");
    run(&["-l"]).is(0, "./a\x1b\\x0a\u{202e}.html\n");
    run(&["--files"]).is(0, "./a\x1b\\x0a\u{202e}.html\n");
    run(&["-l0"]).is(0, &format!("./{name}\0"));
    run(&["-0"]).is(0, "x\n\x1by\0");
    run(&["--count-by", "target"]).is(0, "1\tx\\x0a\x1by\n");
    tree.run(&["resolve", "--base", "http://example.com/", "x\ny"])
        .is(0, "http://example.com/x\\x0ay\n");
}

#[test]
fn null_terminated_output_has_the_bytes_of_names_and_targets() {
    let tree = Tree::new(&[]);
    tree.write(super::os(b"n\xFF.txt"), b"http://example.com/\xFA");
    let out = |flags: &[&str]| tree.command(flags).output().unwrap().stdout;
    assert_eq!(out(&[".", "-0"]), b"http://example.com/\xFA\0");
    assert_eq!(out(&[".", "-l0"]), b"./n\xFF.txt\0");
}

#[test]
fn audit_shows_no_control_characters_to_a_terminal_or_a_log() {
    let tree = Tree::new(&[(NAME, "<a href='x\n\u{1b}[2J\u{202e}y'>x</a>")]);
    let reference = "x\\x0a\\x1b[2J\\u{202e}y (no such file)";
    let run = |flags: &[&str]| tree.run(&[&["audit", "--no-messages", "."], flags].concat());
    let ran = run(&[]);
    let expected = format!("{SHOWN}:1:10: error[broken-file]: {reference}\n");
    assert_eq!(ran.out, expected);
    let ran = run(&["--format", "github"]);
    let name = SHOWN.replace(':', "%3A");
    let expected = format!("::error file={name},line=1,col=10,title=broken-file::{reference}\n");
    assert_eq!(ran.out, expected);
    has_no_controls(&run(&["--links"]).out);
    run(&["--write-baseline", "known"]);
    let known = fs::read_to_string(tree.path().join("known")).unwrap();
    assert_eq!(known.lines().count(), 1, "{known:?}");
    has_no_controls(&known);
}

#[test]
fn a_file_name_is_no_command_to_a_runner_of_workflows() {
    for name in ["::stop-commands::x.html", " ##[group]x.html"] {
        let tree = Tree::new(&[(name, "<a href=x>x</a>")]);
        let ran = tree.run(&["audit", "--no-messages", "."]);
        let expected = format!("./{name}:1:9: error[broken-file]: x (no such file)\n");
        assert_eq!(ran.out, expected);
    }
}

#[test]
fn messages_show_names_and_references_escaped() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let told = |arguments: &[&str], words: &str| {
        let ran = tree.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{words:?} not in {:?}", ran.err);
        has_no_controls(&ran.err);
        assert!(!ran.err.contains("\n::"), "{:?}", ran.err);
    };
    told(&[NAME], SHOWN);
    told(&["audit", NAME], SHOWN);
    told(&["--files-from", NAME], SHOWN);
    told(&["a.txt", "--base", "/\n::stop"], "/\\x0a::stop");
    told(&["a.txt", "--include", "(\u{1b}\n::"], "unclosed group");
    told(&["--x\u{1b}\n::stop"], "--x\\x1b\\x0a::stop");
    let ran = tree.run(&["resolve", "/\u{1b}\n::stop"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("/\\x1b\\x0a::stop: "), "{:?}", ran.err);
}

#[test]
fn a_list_that_cannot_be_read_ends() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n"), ("folder/x", "")]);
    for flag in ["--files-from", "--files0-from"] {
        tree.run(&[flag, "folder"]).tells(
            2,
            "",
            "uriscan: folder: it is a directory, no list of files",
        );
        // Standard input can be a directory too, which only a read tells.
        let mut command = tree.command(&[flag, "-"]);
        command.stdin(fs::File::open(tree.path().join("folder")).unwrap());
        let ran = super::Ran::from(command.output().unwrap());
        assert_eq!((ran.code, ran.err.lines().count()), (2, 1), "{}", ran.err);
    }
    let long = [vec![b'x'; 1 << 20], b"\na.txt\n".to_vec()].concat();
    tree.write("list", &long);
    let told = "uriscan: list: an entry is longer than any path";
    tree.run(&["--files-from", "list"])
        .tells(2, "http://example.com/\n", told);
}

#[test]
fn more_workers_than_the_system_has_threads_are_fewer_workers() {
    let tree = Tree::new(&[
        ("a.html", "<a href=x>x</a>"),
        ("b.html", "<a href=a.html>x</a>"),
    ]);
    for threads in ["-j100000", "-j18446744073709551615"] {
        let root = ["--root", ".=http://example.com/"];
        tree.run(&[&["."], &root[..], &[threads]].concat())
            .is(0, "http://example.com/x\nhttp://example.com/a.html\n");
        let ran = tree.run(&[&["audit"], &root[..], &[threads]].concat());
        let expected = "a.html:1:9: error[broken-file]: x (no such file)\n";
        ran.tells(1, expected, "2 references");
    }
    tree.run(&[".", "-j", "18446744073709551616"])
        .tells(2, "", "18446744073709551616");
}

#[test]
fn a_removed_working_directory_is_no_base() {
    let tree = Tree::new(&[("in/x.html", "<a href=y>x</a>"), ("gone/x", "")]);
    let run = |arguments: &str| {
        let program = env!("CARGO_BIN_EXE_uriscan");
        let script = format!(
            "cd gone && rm -r ../gone && {program} {arguments}; x=$?; mkdir ../gone; exit $x"
        );
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(tree.path());
        super::Ran::from(shell.stdin(Stdio::null()).output().unwrap())
    };
    run("../in/x.html").is(0, "y\n");
    let here = tree.path().display();
    run(&format!("{here}/in/x.html")).is(0, &format!("file://{here}/in/y\n"));
    run("audit ../in").tells(2, "", "../in: cannot tell its absolute path");
    run("audit").tells(2, "", "cannot tell its absolute path");
    run("--root ../in=http://example.com/ ../in").tells(2, "", "cannot tell its absolute path");
}

#[test]
fn a_root_that_is_no_directory_or_no_place_is_a_usage_error() {
    let tree = Tree::new(&[
        ("pub/x.html", "<a href=y>x</a>"),
        ("a=b/x.html", "<a href=y>x</a>"),
    ]);
    for (root, told) in [
        ("typo=http://h/", "--root typo: No such file"),
        ("typo", "--root typo: No such file"),
        (
            "pub/x.html=http://h/",
            "--root pub/x.html: it is no directory",
        ),
        ("pub=", "--root pub=: there is no URI behind the `=`"),
        (
            "pub=mailto:x",
            "nothing is served at mailto:x, for it has no `://`",
        ),
        (
            "pub=example.com",
            "example.com has no scheme: https://example.com?",
        ),
        ("pub=http://", "http:// is no absolute URI"),
        ("pub=http://h/?a", "http://h/?a has a query or a fragment"),
        ("pub=http://h/#a", "http://h/#a has a query or a fragment"),
    ] {
        for command in ["extract", "audit"] {
            tree.run(&[command, "--root", root, "pub"])
                .tells(2, "", told);
        }
    }
    tree.run(&["--root", "a=b", "a=b"])
        .is(0, "http://site.invalid/y\n");
    tree.run(&["--root", "a=b=http://h/", "a=b"])
        .is(0, "http://h/y\n");
}
