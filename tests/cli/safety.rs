//! Hostile names, texts and surroundings: no text is interpreted, no file is overwritten or lost.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::Tree;

/// A name that clears the screen, begins a new line, and reverses the direction of the text after it.
const NAME: &str = "a\x1b[2J\n::stop-commands::x\u{202e}\u{9b}1m.html";
/// The same name, escaped.
const SHOWN: &str = "a\\x1b[2J\\x0a::stop-commands::x\\u{202e}\\u{9b}1m.html";

/// Runs the command with standard output on a terminal, and returns the output.
pub(super) fn on_a_terminal(tree: &Tree, arguments: &[&str]) -> String {
    let mut command = tree.command(arguments);
    command.env("NO_COLOR", "1");
    shown_by(command)
}

/// Runs a command with standard output on a terminal, and returns the output.
pub(super) fn shown_by(mut command: std::process::Command) -> String {
    let pty = nix::pty::openpty(None, None).unwrap();
    command.stderr(Stdio::null());
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
pub(super) fn has_no_controls(text: &str) {
    let is_marked = |c| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = |c: char| c == '\n' || !(c.is_control() || is_marked(c));
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
    let links = Tree::new(&[("a.txt", "http://example.com/\n")]);
    let shown = on_a_terminal(&links, &["a.txt", "--hyperlink=always"]);
    let target = "http://example.com/";
    let link = format!("\x1b]8;;{target}\x1b\\{target}\x1b]8;;\x1b\\\r\n");
    assert!(shown.ends_with(&link), "{shown:?}");
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
    // A base whose scheme is invalid is an error, and is shown escaped.
    let base = "x\n::stop:a";
    let reason = "`x\\x0a` is not a scheme";
    for arguments in [
        &["resolve", "--base", base, "b"][..],
        &["resolve", "--rules", "whatwg", "--base", base, "b"],
        &["a.txt", "--base", base],
        &["a.txt", "--default-base", base],
        &["audit", "--base", base],
    ] {
        told(arguments, reason);
        assert_eq!(tree.run(arguments).out, "", "{arguments:?}");
    }
    tree.run(&["resolve", "--base", "1x://example.com/", "b"])
        .tells(2, "", "--base: `1x` is not a scheme: 1x://example.com/");
    let ran = tree.pipe(b"b\t1x://example.com/\n", &["resolve", "--tab"]);
    ran.tells(
        1,
        "\n",
        "b: the reference is relative and there is no base: `1x` is not a scheme",
    );
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
            "uriscan: folder: it is a directory, not a list of files",
        );
        // Standard input can be a directory too, which only a read shows.
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
    run("audit ../in").tells(2, "", "../in: cannot determine its absolute path");
    run("audit").tells(2, "", "cannot determine its absolute path");
    run("--root ../in=http://example.com/ ../in").tells(
        2,
        "",
        "cannot determine its absolute path",
    );
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
            "--root pub/x.html: it is not a directory",
        ),
        ("pub=", "--root pub=: there is no URI after the `=`"),
        (
            "pub=mailto:x",
            "nothing can be served at mailto:x, because it has no `://`",
        ),
        (
            "pub=example.com",
            "example.com has no scheme: https://example.com?",
        ),
        ("pub=http://", "http:// is not an absolute URI"),
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

/// The names in a directory, in order.
fn names(tree: &Tree) -> Vec<String> {
    let entries = fs::read_dir(tree.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

const TEXT: (&str, &str) = ("a.txt", "http://example.com/\n");
const PAGE: (&str, &str) = ("site/index.html", "<a href=x>x</a>");

#[test]
fn an_output_file_stays_when_nothing_was_read() {
    let tree = Tree::new(&[("keep", "kept"), PAGE]);
    let kept = || fs::read_to_string(tree.path().join("keep")).unwrap();
    tree.run(&["-o", "keep", "nonexistent"])
        .tells(2, "", "nonexistent: No such file");
    assert_eq!(kept(), "kept");
    tree.run(&["-o", "keep", ".", "-g", "*.none"])
        .tells(2, "", "nothing was read");
    assert_eq!(kept(), "kept");
    tree.run(&[
        "audit",
        "-o",
        "keep",
        "--report",
        "sarif=new",
        "nonexistent",
    ]);
    assert_eq!(
        (kept().as_str(), names(&tree)),
        ("kept", vec!["keep".into(), "site".into()])
    );
}

#[test]
fn an_output_that_cannot_be_opened_leaves_no_temporary_file() {
    let tree = Tree::new(&[TEXT, PAGE, ("d/y", "")]);
    let before = names(&tree);
    for (arguments, told) in [
        (
            &["-o", "d/x/", "a.txt"][..],
            "cannot write d/x/: no such directory",
        ),
        (
            &["-o", "d/x/y", "a.txt"],
            "cannot write d/x/y: No such file",
        ),
        (&["-o", "d", "a.txt"], "cannot write d: is a directory"),
        (&["-o", "d/", "a.txt"], "cannot write d/: is a directory"),
        (
            &["-o", "a.txt/x", "a.txt"],
            "cannot write a.txt/x: Not a directory",
        ),
        (
            &[
                "audit",
                "-o",
                "one",
                "--report",
                "text=two",
                "--report",
                "text=no/x",
                "site",
            ],
            "cannot write no/x: No such file",
        ),
        (
            &[
                "audit",
                "--report",
                "text=two",
                "--report",
                "text=./two",
                "site",
            ],
            "two and ./two are the same output",
        ),
        (
            &["audit", "-o", "two", "--write-baseline", "two", "site"],
            "two: named twice",
        ),
        (
            &["audit", "--report", "text=-", "site"],
            "standard output: named twice",
        ),
    ] {
        tree.run(arguments).tells(2, "", told);
        assert_eq!(names(&tree), before, "{arguments:?}");
    }
    tree.run(&[
        "audit",
        "-q",
        "--report",
        "text=/dev/null",
        "--report",
        "jsonl=/dev/null",
        "site",
    ])
    .is(1, "");
}

#[test]
fn an_output_that_is_an_input_is_an_error_before_anything_is_read() {
    let tree = Tree::new(&[
        TEXT,
        PAGE,
        ("list", "site\na.txt\n"),
        (".ignore", "*.out\n"),
        ("urls", "https://example.com/\n"),
        ("answers", "url,status\nhttps://example.com/,200\n"),
        ("keys", "0123456789abcdef x\n"),
        ("settings", "index = \"i.html\"\n"),
    ]);
    std::os::unix::fs::symlink("a.txt", tree.path().join("link")).unwrap();
    fs::hard_link(tree.path().join("a.txt"), tree.path().join("other")).unwrap();
    let unchanged = || {
        assert_eq!(
            fs::read_to_string(tree.path().join("a.txt")).unwrap(),
            TEXT.1
        );
        assert_eq!(
            fs::read_to_string(tree.path().join(PAGE.0)).unwrap(),
            PAGE.1
        );
    };
    let page = "site/index.html";
    for (arguments, told) in [
        (&["-o", "a.txt", "a.txt"][..], "a.txt is an input"),
        (
            &["-o", "./a.txt", "a.txt"],
            "./a.txt is the same file as a.txt, which is an input",
        ),
        (&["-o", "link", "a.txt"], "link is the same file as a.txt"),
        (&["-o", "a.txt", "link"], "a.txt is the same file as link"),
        (&["-o", "other", "a.txt"], "other is the same file as a.txt"),
        (&["-o", "a.txt", "."], "a.txt is the same file as ./a.txt"),
        (&["-o", page, "site"], "site/index.html is an input"),
        (&["-o", "list", "--files-from", "list"], "list is an input"),
        (
            &["-o", "a.txt", "--files-from", "list"],
            "a.txt is an input",
        ),
        (
            &["-o", page, "--files-from", "list"],
            "site/index.html is an input",
        ),
        (
            &["audit", "site", "-q", "--report", "text=site/index.html"],
            "site/index.html is an input",
        ),
        (
            &["audit", "site", "--write-baseline", page],
            "site/index.html is an input",
        ),
        (
            &["audit", "site", "--results", "answers", "-o", "answers"],
            "answers is an input",
        ),
        (
            &["audit", "site", "--baseline", "keys", "-o", "keys"],
            "keys is an input",
        ),
        (&["diff", "urls", "site", "-o", "urls"], "urls is an input"),
        (
            &["targets", "--config", "settings", "-o", "settings", "site"],
            "settings is an input",
        ),
        (
            &["diff", "urls", "urls", "--write-redirects", "nginx=urls"],
            "urls is an input",
        ),
    ] {
        tree.run(arguments).tells(2, "", told);
        unchanged();
    }
    // A file that the walk leaves out is no input.
    tree.run(&["-o", "x.out", "-t", "text", "."]).is(0, "");
    tree.run(&["-o", "x.out", "-t", "text", "."]).is(0, "");
    tree.write("site/note.txt", b"http://example.com/note\n");
    tree.run(&["-o", "site/note.txt", "-t", "html", "site"])
        .is(0, "");
    // The findings of the first run are known to the second.
    for (written, code) in [("keys", 1), ("./keys", 0)] {
        let update = ["--baseline", "keys", "--write-baseline", written, "-q"];
        tree.run(&[&["audit", "site"], &update[..]].concat())
            .is(code, "");
    }
    let mut command = tree.command(&["-", "-o", "link"]);
    command.stdin(fs::File::open(tree.path().join("other")).unwrap());
    super::Ran::from(command.output().unwrap()).tells(2, "", "which is an input");
    // A list that can only be read once is checked while it is read, and the file is not replaced.
    tree.pipe(b"site\na.txt", &["--files-from", "-", "-o", "a.txt"])
        .tells(2, "", "a.txt: the output goes there");
    unchanged();
}

#[test]
fn file_that_receives_standard_output_is_not_read() {
    let tree = Tree::new(&[TEXT]);
    let out = tree.path().join("z.txt");
    let run = |path: &str| {
        let mut command = tree.command(&[path]);
        let file = fs::OpenOptions::new().append(true).create(true).open(&out);
        super::Ran::from(command.stdout(file.unwrap()).output().unwrap())
    };
    for lines in 1..3 {
        run(".").is(0, "");
        assert_eq!(fs::read_to_string(&out).unwrap(), TEXT.1.repeat(lines));
    }
    run("z.txt").tells(2, "", "standard output is the same file as z.txt");
}

#[test]
fn an_output_keeps_the_mode_and_the_links_of_the_file_that_it_replaces() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = Tree::new(&[TEXT, ("sub/old", "old"), ("plain", "")]);
    let at = |name: &str| tree.path().join(name);
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(at("sub/old"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("sub/old", at("one")).unwrap();
    symlink("one", at("two")).unwrap();
    symlink("sub/new", at("dangling")).unwrap();
    symlink("loop", at("loop")).unwrap();
    tree.run(&["-o", "two", "a.txt"]).is(0, "");
    tree.run(&["-o", "dangling", "a.txt"]).is(0, "");
    for name in ["sub/old", "sub/new"] {
        assert!(fs::symlink_metadata(at(name)).unwrap().is_file());
        assert_eq!(fs::read_to_string(at(name)).unwrap(), TEXT.1, "{name}");
    }
    for name in ["one", "two", "dangling"] {
        assert!(
            fs::symlink_metadata(at(name)).unwrap().is_symlink(),
            "{name}"
        );
    }
    assert_eq!((mode("sub/old"), mode("sub/new")), (0o640, mode("plain")));
    tree.run(&["-o", "loop", "a.txt"])
        .tells(2, "", "cannot write loop: too many symbolic links");
}

#[test]
fn devices_pipes_and_sockets_are_written_and_not_replaced() {
    let tree = Tree::new(&[TEXT]);
    tree.run(&["-o", "/dev/stdout", "a.txt"]).is(0, TEXT.1);
    tree.run(&["-o", "/dev/fd/1", "a.txt"]).is(0, TEXT.1);
    tree.run(&["-o", "/dev/null", "a.txt"]).is(0, "");
    assert_eq!(tree.run(&["-o", "/dev/stderr", "a.txt"]).err, TEXT.1);
    std::os::unix::fs::symlink("/dev/stdout", tree.path().join("out")).unwrap();
    tree.run(&["-o", "out", "a.txt"]).is(0, TEXT.1);
    // Appended to the file that standard output is redirected to.
    let log = tree.write("log", b"before\n");
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        tree.write("log", b"before\n");
        let mut command = tree.command(&["-o", path, "a.txt"]);
        let file = fs::OpenOptions::new().append(true).open(&log).unwrap();
        assert!(command.stdout(file).status().unwrap().success());
        assert_eq!(
            fs::read_to_string(&log).unwrap(),
            format!("before\n{}", TEXT.1)
        );
    }
    let pipe = tree.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    tree.run(&["-o", "pipe", "a.txt"]).is(0, "");
    assert_eq!(reader.join().unwrap(), TEXT.1);
    let listener = std::os::unix::net::UnixListener::bind(tree.path().join("socket")).unwrap();
    tree.run(&["-o", "socket", "a.txt"]).is(0, "");
    let mut text = String::new();
    listener
        .accept()
        .unwrap()
        .0
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, TEXT.1);
}

/// Starts a run that waits for input and has created a temporary file for its output.
fn waiting(tree: &Tree, ignored: &str) -> std::process::Child {
    let program = env!("CARGO_BIN_EXE_uriscan");
    let mut shell = std::process::Command::new("sh");
    let script = format!("trap '' {ignored}; exec {program} - -o out --progress always");
    let script = script.replace("trap '' ;", "");
    shell.args(["-c", &script]).current_dir(tree.path());
    shell.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    // Progress is shown when the run has begun.
    let mut first = [0];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    child
}

/// Returns whether this process ignores a signal.
pub(super) fn is_ignored(signal: nix::sys::signal::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}

fn send(child: &std::process::Child, signal: nix::sys::signal::Signal) {
    let id = nix::unistd::Pid::from_raw(child.id().try_into().unwrap());
    nix::sys::signal::kill(id, signal).unwrap();
}

#[test]
fn signals_have_their_own_exit_codes_and_leave_no_temporary_file() {
    use nix::sys::signal::Signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let codes = [(SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131), (SIGTERM, 143)];
    for (signal, code) in codes {
        if is_ignored(signal) {
            // Children inherit ignored signals: under nohup, HUP.
            continue;
        }
        let tree = Tree::new(&[]);
        let mut child = waiting(&tree, "");
        let _input = child.stdin.take();
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        assert_eq!(names(&tree), [""; 0]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    use nix::sys::signal::Signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    for (signal, name) in [
        (SIGHUP, "HUP"),
        (SIGINT, "INT"),
        (SIGQUIT, "QUIT"),
        (SIGTERM, "TERM"),
    ] {
        let tree = Tree::new(&[]);
        let mut child = waiting(&tree, name);
        send(&child, signal);
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, b"http://example.com/").unwrap();
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(names(&tree), ["out"]);
    }
}
