//! Filters, counts, lists and parts.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::Tree;

fn tree() -> Tree {
    Tree::new(&[
        (
            "a.txt",
            "http://example.com/1 mailto:user@example.com http://example.com/2\n",
        ),
        (
            "b.txt",
            "http://EXAMPLE.org:80/1 http://example.com/1 ftp://user@example.com/\n",
        ),
        ("c.txt", "nothing\n"),
        (
            "p.html",
            "<!doctype html><a href=x><img src=http://example.com/i>",
        ),
    ])
}

#[test]
fn filters_choose_references() {
    let tree = tree();
    let run = |arguments: &[&str]| tree.run(&[&["a.txt", "b.txt"], arguments].concat());
    run(&["--scheme", "mailto,ftp"]).is(0, "mailto:user@example.com\nftp://user@example.com/\n");
    run(&["--include", r"\.org", "--include", "^mail"])
        .is(0, "mailto:user@example.com\nhttp://EXAMPLE.org:80/1\n");
    run(&["--exclude", "^http"]).is(0, "mailto:user@example.com\nftp://user@example.com/\n");
    run(&["--include", "/1$", "--exclude", "EXAMPLE"])
        .is(0, "http://example.com/1\nhttp://example.com/1\n");
    run(&["--context", "angle,quoted"]).is(1, "");
    run(&["--relative"]).is(1, "");
    run(&["--include", "("]).tells(2, "", "--include: (: unclosed group");
    run(&["--exclude", "("]).tells(2, "", "--exclude: (: unclosed group");
    run(&["--context", "none"]).tells(2, "", "angle, quoted, bare");
    let base = ["p.html", "--base", "http://example.org/"];
    let run = |arguments: &[&str]| tree.run(&[&base, arguments].concat());
    run(&["--element", "IMG"]).is(0, "http://example.com/i\n");
    run(&["--relative"]).is(0, "http://example.org/x\n");
    run(&["--absolute"]).is(0, "http://example.com/i\n");
}

#[test]
fn of_a_flag_given_twice_the_last_value_is_used() {
    let tree = tree();
    let base = ["--base", "http://a.example/", "--base", "http://b.example/"];
    let target = "http://b.example/x\n";
    for command in [&[][..], &["extract"]] {
        let flags = [
            "p.html",
            "-j1",
            "-j2",
            "--element=img",
            "--element=a",
            "-zz",
        ];
        let ran = tree.run(&[command, &flags, &base].concat());
        ran.is(0, &format!("{target}http://example.com/i\n"));
    }
    tree.run(&[&["resolve"], &base[..], &["x"]].concat())
        .is(0, target);
}

#[test]
fn counts_and_lists_replace_references() {
    let tree = tree();
    let run = |arguments: &[&str]| tree.run(&[&["a.txt", "b.txt", "c.txt"], arguments].concat());
    run(&["--unique", "--scheme", "http"]).is(
        0,
        "http://example.com/1\nhttp://example.com/2\nhttp://EXAMPLE.org:80/1\n",
    );
    run(&["-c"]).is(0, "a.txt:3\nb.txt:3\n");
    run(&["-cI"]).is(0, "3\n3\n");
    tree.run(&["a.txt", "-c"]).is(0, "3\n");
    tree.run(&["a.txt", "-cH"]).is(0, "a.txt:3\n");
    run(&["-l"]).is(0, "a.txt\nb.txt\n");
    run(&["-l0"]).is(0, "a.txt\0b.txt\0");
    run(&["--count-by", "scheme"]).is(0, "4\thttp\n1\tftp\n1\tmailto\n");
    run(&["--count-by", "host"]).is(0, "4\texample.com\n1\texample.org\n1\tmailto:\n");
    run(&["--count-by", "path"]).is(0, "3\ta.txt\n3\tb.txt\n");
    run(&["--count-by", "target", "--include", "1$"])
        .is(0, "2\thttp://example.com/1\n1\thttp://EXAMPLE.org:80/1\n");
    run(&["-q"]).is(0, "");
    run(&["-c", "-l"]).tells(2, "", "cannot be used with");
    run(&["-c", "--json"]).tells(2, "", "no other format");
}

#[test]
fn unique_summary_counts_the_shown_links() {
    let tree = tree();
    let ran = tree.run(&["a.txt", "b.txt", "--unique", "--json", "--stats", "-j2"]);
    assert_eq!(ran.out.lines().count(), 6);
    assert!(ran.out.contains("\"references\":5,"), "{}", ran.out);
}

#[test]
fn lists_name_files() {
    let tree = tree();
    tree.write("list", b"b.txt\r\n\nc.txt\ngone\na.txt\n");
    tree.write("list0", b"b.txt\0c.txt\0");
    tree.run(&["--files-from", "list", "-c"])
        .tells(2, "b.txt:3\na.txt:3\n", "gone: No such file");
    tree.run(&["--files0-from", "list0", "-c"])
        .is(0, "b.txt:3\n");
    tree.run(&["a.txt", "--files0-from", "list0", "-l"])
        .is(0, "a.txt\nb.txt\n");
    tree.pipe(b"a.txt\nb.txt", &["--files-from", "-", "-l"])
        .is(0, "a.txt\nb.txt\n");
    tree.pipe(b"a.txt", &["--files-from", "-", "-"])
        .tells(2, "", "only be read once");
    tree.run(&["--files-from", "none"])
        .tells(2, "", "none: No such file");
}

#[test]
fn files_are_listed_without_being_read() {
    let tree = tree();
    tree.write("image", b"\x89PNG\r\n\x1a\n");
    tree.run(&["--files", "."])
        .is(0, "./a.txt\n./b.txt\n./c.txt\n./p.html\n");
    tree.run(&["--files", "-t", "html"]).is(0, "p.html\n");
}

#[test]
fn shards_make_up_the_whole() {
    let tree = tree();
    let lines = |arguments: &[&str]| {
        let ran = tree.run(&[&[".", "-n", "--base="], arguments].concat());
        ran.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut parts: Vec<String> = ["1/3", "2/3", "3/3"]
        .iter()
        .flat_map(|part| lines(&["--shard", part]))
        .collect();
    parts.sort_unstable();
    let mut whole = lines(&[]);
    whole.sort_unstable();
    assert_eq!(parts, whole);
    tree.run(&[".", "--shard", "4/3"])
        .tells(2, "", "1 <= I <= N");
}

#[test]
fn an_output_file_appears_whole() {
    let tree = tree();
    let here = || {
        let entries = fs::read_dir(tree.path()).unwrap();
        entries.count()
    };
    let before = here();
    tree.run(&["a.txt", "-o", "out", "--scheme", "http"])
        .is(0, "");
    let text = || fs::read_to_string(tree.path().join("out")).unwrap();
    assert_eq!(text(), "http://example.com/1\nhttp://example.com/2\n");
    tree.run(&["b.txt", "-o", "out", "--scheme", "ftp"])
        .is(0, "");
    assert_eq!(text(), "ftp://user@example.com/\n");
    tree.run(&["gone", "-o", "out"])
        .tells(2, "", "No such file");
    // Nothing was read, so the earlier file stays.
    assert_eq!(
        (text().as_str(), here()),
        ("ftp://user@example.com/\n", before + 1)
    );
    tree.run(&["a.txt", "-o", "no/such/folder"])
        .tells(2, "", "cannot write");
    tree.run(&["a.txt", "-o", "-", "--scheme", "mailto"])
        .is(0, "mailto:user@example.com\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let tree = tree();
    tree.run(&["a.txt", "-o", "/dev/full"])
        .tells(2, "", "cannot write: /dev/full: No space left");
    let mut command = tree.command(&["a.txt"]);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ran = super::Ran::from(command.stdout(full).output().unwrap());
    ran.tells(2, "", "cannot write: No space left");
}

// The run waits for input that never ends; the temporary file must be removed.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_half_written_file() {
    if super::safety::is_ignored(nix::sys::signal::Signal::SIGINT) {
        // Children inherit ignored signals: in the background of a script, INT.
        return;
    }
    let tree = tree();
    let before = fs::read_dir(tree.path()).unwrap().count();
    let mut command = tree.command(&["-", "-o", "out", "--progress", "always"]);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Waiting for a child closes its standard input unless that is taken.
    let _input = child.stdin.take();
    // Progress is shown when the run has begun.
    let mut first = [0];
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    assert_eq!(fs::read_dir(tree.path()).unwrap().count(), before + 1);
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read_dir(tree.path()).unwrap().count(), before);
}

#[test]
fn pages_and_completions_name_every_flag() {
    let tree = tree();
    for kind in [
        "man",
        "complete-bash",
        "complete-zsh",
        "complete-fish",
        "complete-powershell",
    ] {
        let ran = tree.run(&["--generate", kind]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let text = ran.out.replace('\\', "");
        for flag in ["files-from", "excess-dots", "shard"] {
            assert!(text.contains(flag), "{kind}: {flag}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_of_a_new_file_names_the_file_alone() {
    let ran = tree().run(&["a.txt", "-o", "/proc/new"]);
    ran.tells(
        2,
        "",
        "uriscan: cannot write /proc/new: No such file or directory (os error 2)\n",
    );
}

#[test]
fn quiet_wins_over_counts_and_lists() {
    let tree = tree();
    for flags in ["-lq", "-qc", "-q|--count-by=host", "-q|--unique"] {
        let words: Vec<_> = flags.split('|').chain(["a.txt"]).collect();
        tree.run(&words).is(0, "");
    }
    tree.run(&["-q", "--files"]).tells(2, "", "--files");
}

#[test]
fn schemas_are_those_of_the_records() {
    let tree = tree();
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let schema = parse(&tree.run(&["schema", "link"]).out);
    let record = parse(&tree.run(&["a.txt", "--json", "--scheme", "mailto"]).out);
    let required = schema["required"].as_array().unwrap();
    assert_eq!(required.len(), record.as_object().unwrap().len());
    for key in required {
        assert!(record.get(key.as_str().unwrap()).is_some(), "{key}");
    }
    assert_eq!(tree.run(&["schema", "nothing"]).code, 2);
    let tree = Tree::new(&[
        ("old/a.html", "<a href=c>"),
        ("new/a.html", "<base href=/><base href=x><a href=b>"),
        ("old.png", "\u{89}PNG\0"),
    ]);
    for (kind, line) in [
        ("error", "--json --messages=json no-such-file"),
        ("diagnostic", "audit --json new"),
        ("link-change", "diff --links --json old new"),
        ("skipped", "-v --messages=json old.png"),
        ("resolution", "resolve --json http://example.com/"),
        ("components", "parse --json http://example.com/"),
        (
            "components",
            "parse --json --rules rfc1808 http://example.com/",
        ),
    ] {
        let ran = tree.run(&line.split(' ').collect::<Vec<_>>());
        let found = |record: &serde_json::Value| record["type"] == kind;
        let lines = ran.out.lines().chain(ran.err.lines());
        let records = lines.filter(|line| line.starts_with('{'));
        let record = records.map(parse).find(found).unwrap();
        let schema = parse(&tree.run(&["schema", kind]).out);
        let required = schema["required"].as_array().unwrap();
        let names: Vec<_> = required.iter().map(|key| key.as_str().unwrap()).collect();
        let properties = schema["properties"].as_object().unwrap();
        let mut keys: Vec<_> = record.as_object().unwrap().keys().collect();
        assert!(
            keys.iter().all(|key| properties.contains_key(*key)),
            "{kind}"
        );
        // The components have other names by RFC 1808.
        keys.retain(|key| kind != "components" || names.contains(&key.as_str()));
        keys.sort_by_key(|key| names.iter().position(|name| name == key));
        assert_eq!(keys, names, "{kind}");
    }
}

#[test]
fn a_value_that_nothing_can_match_is_refused() {
    let tree = Tree::new(&[("a.html", "<a href=b>y</a>"), ("b.html", "")]);
    for (line, told) in [
        ("a.html|--element|", "--element"),
        ("a.html|-g|", "--glob"),
        ("audit|.|--entry||--orphans", "--entry"),
        ("audit|.|--index|a/b.html", "--index"),
        ("audit|.|--index|", "--index"),
        ("audit|.|--try-ext|", "--try-ext"),
        ("audit|.|--ignore-attr|", "--ignore-attr"),
    ] {
        let words: Vec<_> = line.split('|').collect();
        tree.run(&words).tells(2, "", told);
    }
    assert_eq!(tree.run(&["audit", ".", "--try-ext", ".html"]).code, 0);
}
