//! Repositories of public-inbox.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Tree;

/// Runs git in a repository, and returns what it writes.
fn git(repository: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .arg("--git-dir")
        .arg(repository)
        .args(arguments)
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@example.com")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn letter(number: usize) -> String {
    format!(
        "Subject: {number}\nMessage-ID: <{number}@example.com>\n\nhttp://example.com/{number}\n"
    )
}

/// A repository whose commits have these paths with blobs of these texts; returns the commits.
fn repository(path: &Path, trees: &[&[(&str, &str)]]) -> Vec<String> {
    fs::create_dir_all(path).unwrap();
    git(path, &["init", "-q", "--bare", "-b", "master"], "");
    let mut commits: Vec<String> = Vec::new();
    for tree in trees {
        git(path, &["read-tree", "--empty"], "");
        let rows = tree.iter().map(|(name, text)| {
            let blob = git(path, &["hash-object", "-w", "--stdin"], text);
            format!("100644 {blob}\t{name}\n")
        });
        let rows: String = rows.collect();
        git(path, &["update-index", "--index-info"], &rows);
        let tree = git(path, &["write-tree"], "");
        let mut arguments = vec!["commit-tree", &tree, "-m", "x"];
        if let Some(parent) = commits.last() {
            arguments.extend(["-p", parent]);
        }
        let commit = git(path, &arguments, "");
        commits.push(commit);
    }
    let last = commits.last().unwrap();
    git(path, &["update-ref", "refs/heads/master", last], "");
    commits
}

#[test]
fn messages_of_a_public_inbox_are_read_by_commit() {
    let tree = Tree::new(&[]);
    let letters: Vec<String> = (0..4).map(letter).collect();
    let [a, b, c, d] = [&letters[0], &letters[1], &letters[2], &letters[3]];
    // Version 2: epochs, one message a commit, and a deletion.
    let first = repository(
        &tree.path().join("inbox/git/0.git"),
        &[&[("m", a)], &[("m", b)], &[("d", a)]],
    );
    repository(&tree.path().join("inbox/git/10.git"), &[&[("m", d)]]);
    repository(&tree.path().join("inbox/git/2.git"), &[&[("m", c)]]);
    let targets = |numbers: [usize; 4]| {
        numbers
            .map(|number| format!("http://example.com/{number}\n"))
            .concat()
    };
    tree.run(&["--git", "inbox"]).is(0, &targets([0, 1, 2, 3]));
    // In a tree the order is that of the paths.
    tree.run(&["inbox"]).is(0, &targets([0, 1, 3, 2]));
    let fields = ["--format", "csv", "--fields", "path,member,message_id"];
    tree.run(&[&["inbox/git/0.git"], &fields[..]].concat()).is(
        0,
        &format!(
            "path,member,message_id\ninbox/git/0.git,{}!1/1,<0@example.com>\ninbox/git/0.git,{}!1/1,<1@example.com>\n",
            first[0], first[1]
        ),
    );
    // Version 1: paths are hashes.
    let hash = |number: usize| format!("{number:02x}/{}", "0".repeat(38));
    let [p, q] = [hash(1), hash(1).replace('0', "f").replacen("f1", "01", 1)];
    repository(
        &tree.path().join("old.git"),
        &[&[(&p, a)], &[(&p, a), (&q, b)], &[(&q, b)]],
    );
    tree.run(&["old.git"])
        .is(0, "http://example.com/0\nhttp://example.com/1\n");
}

#[test]
fn a_repository_without_messages_is_an_error_that_names_it() {
    let tree = Tree::new(&[]);
    repository(
        &tree.path().join("code.git"),
        &[&[("README", "http://example.com/\n")]],
    );
    let ran = tree.run(&["code.git"]);
    ran.tells(
        2,
        "",
        "code.git: the repository has no messages of public-inbox",
    );
    tree.run(&["--git", "nowhere"])
        .tells(2, "", "nowhere: No such file");
    // Outside of a repository git ends at once.
    tree.write("code.git/HEAD", b"nothing");
    let ran = tree.run(&["--git", "code.git"]);
    ran.tells(
        2,
        "",
        "code.git: the repository has no messages of public-inbox",
    );
}

#[test]
fn repositories_run_no_code_and_fetch_nothing() {
    let tree = Tree::new(&[]);
    let path = tree.path().join("a.git");
    let [first, second] = [letter(0), letter(1)];
    repository(&path, &[&[("m", &first)], &[("m", &second)]]);
    let mark = tree.path().join("mark");
    let command = format!("touch {}", mark.display());
    // A partial clone whose remote runs a command, hooks, a filter and a pager.
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ext::sh -c touch% mark"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", &command),
        ("core.fsmonitor", &command),
        ("core.pager", &command),
        ("filter.x.smudge", &command),
        ("core.alternateRefsCommand", &command),
    ] {
        git(&path, &["config", key, value], "");
    }
    let blob = git(&path, &["hash-object", "--stdin"], &first);
    fs::remove_file(path.join("objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let ran = tree.run(&["a.git", "--json", "--fields", "target"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("http://example.com/1"), "{}", ran.out);
    assert!(ran.out.contains("archive.unreadable-member"), "{}", ran.out);
    assert!(!mark.exists());
}

#[test]
fn commits_that_change_no_message_and_directories_give_none() {
    let tree = Tree::new(&[]);
    let [first, second] = [letter(0), letter(1)];
    let commits: &[&[(&str, &str)]] = &[
        &[("m", &first)],
        &[("m", &first), ("note", "x")],
        &[("m", &second)],
        &[("d", &second)],
        &[("m", &second)],
    ];
    repository(&tree.path().join("a.git"), commits);
    let targets = "http://example.com/0\nhttp://example.com/1\nhttp://example.com/1\n";
    assert_eq!(tree.run(&["a.git"]).out, targets);
    repository(&tree.path().join("b.git"), &[&[("m/x", &first)]]);
    let ran = tree.run(&["b.git"]);
    assert!(
        ran.err.contains("no messages of public-inbox"),
        "{}",
        ran.err
    );
    assert_eq!(ran.code, 2);
}

/// The bytes of an object that claims to have a length.
fn claiming(length: usize, contents: &[u8]) -> Vec<u8> {
    let data = [format!("blob {length}\0").as_bytes(), contents].concat();
    let (mut low, mut high) = (1, 0);
    for &byte in &data {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    let size = u16::try_from(data.len()).unwrap();
    let mut object = vec![0x78, 1, 1];
    object.extend([size.to_le_bytes(), (!size).to_le_bytes()].concat());
    object.extend(data);
    object.extend((high << 16 | low).to_be_bytes());
    object
}

#[test]
fn messages_after_damaged_objects_are_read() {
    let tree = Tree::new(&[]);
    let path = tree.path().join("a.git");
    let letters = [0, 1, 2].map(letter);
    let trees = letters.each_ref().map(|text| [("m", text.as_str())]);
    let commits = repository(&path, &trees.each_ref().map(|tree| &tree[..]));
    let place = |name: &str| {
        let id = git(&path, &["rev-parse", name], "");
        path.join("objects").join(&id[..2]).join(&id[2..])
    };
    // Git sends no more than there is, and waits.
    let contents = b"Subject: x\n\nno link\n";
    let lengths = (0..60).chain([999_999_999_999]);
    let lengths = lengths.filter(|length| *length != contents.len());
    let [tree_name, blob_name] = ["^{tree}", ":m"].map(|path| format!("{}{path}", commits[1]));
    let claims = lengths.map(|length| (blob_name.as_str(), claiming(length, contents)));
    let others = [
        (&*tree_name, b"damaged".to_vec()),
        (&*blob_name, b"damaged".to_vec()),
    ];
    for (name, damaged) in claims.chain(others) {
        let place = place(name);
        let intact = fs::read(&place).unwrap();
        fs::remove_file(&place).unwrap();
        fs::write(&place, damaged).unwrap();
        let ran = tree.run(&["a.git"]);
        assert_eq!(
            ran.out, "http://example.com/0\nhttp://example.com/2\n",
            "{name}"
        );
        assert!(ran.err.contains("archive.unreadable-member"), "{}", ran.err);
        assert_eq!(ran.code, 2, "{name}");
        fs::write(&place, intact).unwrap();
    }
    let last = place("master^{tree}");
    fs::remove_file(&last).unwrap();
    fs::write(&last, "damaged").unwrap();
    let ran = tree.run(&["a.git"]);
    assert_eq!(ran.out, "http://example.com/0\nhttp://example.com/1\n");
    assert!(!ran.err.contains("no messages"), "{}", ran.err);
}
