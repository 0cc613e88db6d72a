//! Files that cannot be read, or whose content differs from their name.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::{Ran, Tree};

const GOOD: (&str, &str) = ("z.txt", "http://example.com/good\n");
const GOOD_OUT: &str = "http://example.com/good\n";

#[test]
fn missing_file_is_reported_and_the_run_continues() {
    let tree = Tree::new(&[GOOD]);
    tree.run(&["gone.txt", "z.txt"])
        .tells(2, GOOD_OUT, "uriscan: gone.txt: No such file");
    let ran = tree.run(&["gone.txt", "z.txt", "--json"]);
    let error =
        "{\"type\":\"error\",\"path\":\"gone.txt\",\"member\":null,\"message\":\"No such file";
    assert!(ran.out.starts_with(error), "{}", ran.out);
    assert_eq!(ran.code, 2);
}

// Permissions do not stop the superuser; the memory of a process cannot be read at 0.
#[cfg(target_os = "linux")]
#[test]
fn unreadable_file_is_reported_and_the_run_continues() {
    let tree = Tree::new(&[GOOD]);
    let link = tree.path().join("a.txt");
    std::os::unix::fs::symlink("/proc/self/mem", link).unwrap();
    tree.run(&["-L", "."])
        .tells(2, GOOD_OUT, "uriscan: ./a.txt: ");
}

#[cfg(unix)]
#[test]
fn a_loop_of_symbolic_links_ends() {
    let tree = Tree::new(&[GOOD]);
    std::os::unix::fs::symlink(".", tree.path().join("again")).unwrap();
    tree.run(&["."]).is(0, GOOD_OUT);
    tree.run(&["-L", "."])
        .tells(2, GOOD_OUT, "uriscan: ./again: symbolic link to .");
}

#[test]
fn binary_files_are_skipped_and_counted() {
    let tree = Tree::new(&[GOOD, ("page.html", "GIF89a http://example.com/gif")]);
    tree.write("nul", &[0; 100_000]);
    tree.run(&["."]).is(0, GOOD_OUT);
    tree.run(&[".", "--stats=json"])
        .tells(0, GOOD_OUT, "\"skipped_files\":2,");
    tree.run(&["nul", "z.txt"])
        .tells(0, GOOD_OUT, "nul: skipped");
    tree.run(&["page.html"])
        .tells(1, "", "page.html: skipped, it is not text but GIF");
}

#[test]
fn bytes_that_are_not_utf_8_are_shown_as_replacement_characters() {
    let tree = Tree::new(&[]);
    tree.write("a.txt", b"\xFF\xFE\xFD http://example.com/\xFA/x \xC3");
    tree.write("b.txt", b"a\xFF http://example.com/\xFA/x \xC3");
    tree.run(&["b.txt"])
        .is(0, "http://example.com/\u{FFFD}/x\n");
    let ran = tree.run(&["b.txt", "--json", "--fields", "target,column"]);
    ran.is(
        0,
        "{\"type\":\"link\",\"target\":\"http://example.com/\u{FFFD}/x\",\"column\":4}\n",
    );
}

#[test]
fn an_unclosed_tag_at_the_end_of_a_long_file_ends() {
    let tree = Tree::new(&[GOOD]);
    let mut page = b"<a href=x>x</a>\n".repeat(1 << 16);
    page.extend_from_slice(b"<a href='y' title=\"");
    page.resize(10 << 20, b' ');
    tree.write("page.html", &page);
    let ran = tree.run(&[
        "page.html",
        "z.txt",
        "--base",
        "http://example.com/",
        "--stats=json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.out
            .lines()
            .filter(|line| *line == "http://example.com/x")
            .count(),
        1 << 16
    );
    assert_eq!(ran.out.lines().last(), Some("http://example.com/good"));
}

#[test]
fn a_tag_beyond_the_limit_is_passed_over() {
    let tree = Tree::new(&[]);
    let long = "x".repeat(5 << 20);
    let page = format!(
        "<a href=a title=\"{long}\" href=no><a href=b><p title='>{long}'><a href=c></p x='>{long}'>\
         <a href=d><script data-x={long}><a href=no></script><a href=e><{long} y='>'><a href=f>"
    );
    tree.write("page.html", page.as_bytes());
    let base = ["page.html", "--base", "http://example.com/"];
    let expected: String = "abcdef"
        .chars()
        .map(|name| format!("http://example.com/{name}\n"))
        .collect();
    let windows = ["10K", "1M", "99M", "64K", "256K", "5M"];
    for window in crate::rounds(&windows[..3], &windows) {
        let ran = tree.run(&[&base[..], &["--window", window]].concat());
        assert_eq!(
            (ran.code, &ran.out),
            (0, &expected),
            "{window}: {}",
            ran.err
        );
    }
    tree.run(&[&base[..], &["-v"]].concat())
        .tells(0, &expected, "html.value-too-long");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let tree = Tree::new(&[GOOD]);
    let many: String = (0..200_000)
        .map(|n| format!("http://example.com/{n}\n"))
        .collect();
    for index in 0..4 {
        tree.write(format!("many{index}.txt"), many.as_bytes());
    }
    for threads in ["-j1", "-j2", "-j8"] {
        let mut command = tree.command(&[".", threads]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        drop(out);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(line, "http://example.com/0\n");
        assert_eq!(ended.status.code(), Some(0), "{threads}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{threads}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_keep_their_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new(&[]);
    let name = std::ffi::OsStr::from_bytes(b"n\xFF.html");
    tree.write(name, b"<a href=x>x</a>");
    let root = ["--root", ".=http://example.com/"];
    let run = |more: &[&str]| tree.run(&[&["."], &root[..], more].concat());
    run(&["--json", "--fields", "path,base,path_bytes"]).is(
        0,
        "{\"type\":\"link\",\"path\":\"./n\u{FFFD}.html\",\"base\":\"http://example.com/n%FF.html\",\
         \"path_bytes\":\"Li9u/y5odG1s\"}\n",
    );
    let raw = tree.command(&[".", "-n"]).output().unwrap().stdout;
    assert!(raw.starts_with(b"./n\xFF.html:1:9: "), "{raw:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_tree_is_passed_by_and_a_named_one_is_read() {
    let tree = Tree::new(&[GOOD]);
    let pipe = tree.path().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    tree.run(&["."]).is(0, GOOD_OUT);
    let writer = std::thread::spawn(move || std::fs::write(pipe, "http://example.com/pipe"));
    tree.run(&["pipe"]).is(0, "http://example.com/pipe\n");
    writer.join().unwrap().unwrap();
}

#[cfg(unix)]
#[test]
fn ignore_files_that_are_pipes_or_devices_are_errors() {
    for name in [
        ".gitignore",
        ".ignore",
        ".uriscanignore",
        ".git/info/exclude",
    ] {
        let tree = Tree::new(&[GOOD, ("docs/sub/a.html", "<a href=http://example.com/>")]);
        let path = tree.path().join("docs").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let message = format!("docs/{name}: not a regular file, so its directory was not read");
        for is_pipe in [true, false] {
            if is_pipe {
                nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
            } else {
                std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            }
            tree.run(&["."]).tells(2, GOOD_OUT, &message);
            for root in ["docs", "docs/sub"] {
                tree.run(&[root]).tells(2, "", &message);
            }
            for command in [&["audit"][..], &["audit", "--links"], &["targets"]] {
                let ran = tree.run(&[command, &["."]].concat());
                assert_eq!(ran.code, 2, "{command:?}: {}", ran.err);
                assert!(ran.err.contains(&message), "{}", ran.err);
            }
            let all = format!("http://example.com/\n{GOOD_OUT}");
            tree.run(&[".", "--no-ignore"]).is(0, &all);
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_linked_working_tree_whose_repository_has_pipes_is_an_error() {
    for (file, pipe) in [
        ("git/commondir", "git/commondir"),
        ("git/commondir", "common/info/exclude"),
    ] {
        let tree = Tree::new(&[GOOD]);
        let path = |name: &str| tree.path().join(name);
        tree.write("docs/a.html", b"<a href=http://example.com/>");
        tree.write(
            "docs/.git",
            format!("gitdir: {}\n", path("git").display()).as_bytes(),
        );
        tree.write(file, b"../common\n");
        let pipe = path(pipe);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&pipe);
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let message = "not a regular file, so its directory was not read";
        tree.run(&["."]).tells(2, GOOD_OUT, message);
        tree.run(&["audit", "docs"]).tells(2, "", message);
        let all = format!("http://example.com/\n{GOOD_OUT}");
        tree.run(&[".", "--no-ignore"]).is(0, &all);
    }
}

/// Both happen while the run waits for a pipe that comes before them.
#[cfg(unix)]
#[test]
fn shrunk_or_vanished_files_are_reported() {
    let lines: String = (0..4000)
        .map(|n| format!("http://example.com/{n}\n\n"))
        .collect();
    let tree = Tree::new(&[("b.txt", &lines), ("c.txt", "http://example.com/c\n"), GOOD]);
    let pipe = tree.path().join("a.pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for threads in ["-j1", "-j2"] {
        tree.write("b.txt", lines.as_bytes());
        tree.write("c.txt", b"http://example.com/c\n");
        let mut command = tree.command(&[
            "a.pipe", "b.txt", "c.txt", GOOD.0, threads, "--piece", "1000",
        ]);
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The pipe opens when the run reads it.
        let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        let half = lines.len() as u64 / 2;
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(tree.path().join("b.txt"))
            .unwrap();
        file.set_len(half).unwrap();
        std::fs::remove_file(tree.path().join("c.txt")).unwrap();
        writer.write_all(b"http://example.com/a").unwrap();
        drop(writer);
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(
            ran.out.starts_with("http://example.com/a\n"),
            "{threads}: {}",
            ran.out
        );
        assert!(ran.out.ends_with(GOOD_OUT), "{threads}: {}", ran.out);
        // Two workers may have read all of them before; one has not.
        if threads == "-j1" {
            assert_eq!(ran.code, 2, "{}", ran.err);
            assert!(ran.err.contains("c.txt"), "{}", ran.err);
            assert!(ran.out.lines().count() < 2500, "{}", ran.out);
        }
    }
}
