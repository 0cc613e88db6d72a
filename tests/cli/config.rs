//! The configuration of `audit`: the keys of a file, and those that a file that was found may not have.

use std::fs;

use super::{Ran, Tree};

const PAGE: (&str, &str) = ("site/index.html", "<a href=x>x</a><a href=#y>y</a>");

/// A repository with a configuration.
fn repository(config: &str) -> Tree {
    Tree::new(&[PAGE, (".git/HEAD", ""), ("uriscan.toml", config)])
}

#[test]
fn a_found_configuration_writes_nothing() {
    for (line, key) in [
        ("output = \"site/index.html\"", "output"),
        ("report = \"text=profile\"", "report"),
        ("report = [\"jsonl=profile\"]", "report"),
        ("write-baseline = \"profile\"", "write-baseline"),
        ("follow = true", "follow"),
        ("files-from = \"list\"", "files-from"),
        ("files0-from = \"list\"", "files0-from"),
        ("max-document = \"99G\"", "max-document"),
    ] {
        let tree = repository(&format!("deny = \"orphan\"\n{line}\n"));
        let told = format!("uriscan.toml:2: `{key}` is not allowed in a file that was found");
        tree.run(&["audit"]).tells(2, "", &told);
        assert!(!tree.path().join("profile").exists(), "{line}");
        assert_eq!(
            fs::read_to_string(tree.path().join(PAGE.0)).unwrap(),
            PAGE.1
        );
    }
    // A path that is written like a flag is a path.
    let tree = repository("paths = [\"--output=profile\", \"site\"]");
    let ran = tree.run(&["audit"]);
    assert_eq!(ran.code, 2);
    let told = "./--output=profile: No such file";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert!(!tree.path().join("profile").exists());
    // A file that the user names may choose outputs.
    let tree = repository("");
    tree.write(
        "mine.toml",
        b"output = \"found\"\nfollow = true\npaths = \"site\"\n",
    );
    assert_eq!(tree.run(&["audit", "--config", "mine.toml"]).code, 1);
    assert!(
        fs::read_to_string(tree.path().join("found"))
            .unwrap()
            .contains("broken-file")
    );
}

#[test]
fn a_found_configuration_stays_in_its_folder() {
    for (line, path) in [
        ("paths = [\"site\", \"../other\"]", "../other"),
        ("paths = \"/etc\"", "/etc"),
        ("paths = \"site/../..\"", "site/../.."),
        ("paths = \"link\"", "link"),
        ("baseline = \"/etc/passwd\"", "/etc/passwd"),
        ("root = \"../other=http://example.com/\"", "../other"),
        ("root = \"/etc\"", "/etc"),
    ] {
        let tree = repository(line);
        std::os::unix::fs::symlink("/", tree.path().join("link")).unwrap();
        let told = format!("{path} is outside the folder of the file");
        tree.run(&["audit"]).tells(2, "", &told);
    }
}

#[test]
fn a_found_configuration_is_a_regular_file_of_its_folder() {
    let tree = Tree::new(&[PAGE, ("project/.git/HEAD", ""), ("mine.toml", "")]);
    let run = || {
        let mut command = tree.command(&["audit"]);
        Ran::from(
            command
                .current_dir(tree.path().join("project"))
                .output()
                .unwrap(),
        )
    };
    let place = tree.path().join("project/uriscan.toml");
    std::os::unix::fs::symlink("../mine.toml", &place).unwrap();
    run().tells(
        2,
        "",
        "uriscan.toml: it is a symbolic link out of its folder",
    );
    fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &place).unwrap();
    run().tells(2, "", "uriscan.toml: it is not a regular file");
    fs::remove_file(&place).unwrap();
    fs::write(&place, vec![b'#'; (1 << 20) + 1]).unwrap();
    run().tells(
        2,
        "",
        "uriscan.toml: a configuration has at most 1048576 bytes",
    );
}

#[test]
fn summary_names_the_configuration_and_lowered_rules() {
    let tree = repository("allow = \"broken-file\"\nwarn = [\"broken-fragment\", \"orphan\"]\n");
    let ran = tree.run(&["audit"]);
    let told = |err: &str, told: &str| assert!(err.contains(told), "{told:?} not in {err}");
    told(&ran.err, "configuration: uriscan.toml (allow, warn)\n");
    let lowered =
        "lowered by it: broken-file from error to allow, broken-fragment from error to warning\n";
    told(&ran.err, lowered);
    let ran = tree.run(&["audit", "--json"]);
    told(&ran.err, lowered);
    told(&ran.out, ",\"config\":\"uriscan.toml\"}\n");
    told(
        &ran.out,
        ",\"lowered\":[\"broken-file from error to allow\",\"broken-fragment from error to warning\"],",
    );
    let ran = tree.run(&["audit", "--json", "--no-config"]);
    assert!(!ran.out.contains("\"config\""), "{}", ran.out);
    // Flags of the command line override the file.
    let ran = tree.run(&["audit", "--deny", "broken-file,broken-fragment"]);
    assert!(!ran.err.contains("lowered"), "{}", ran.err);
    // Flags in the file do not hide the report of the file; flags of the user do.
    let tree = repository("quiet = true\nno-messages = true\nallow = \"broken-file\"\n");
    let ran = tree.run(&["audit"]);
    told(
        &ran.err,
        "configuration: uriscan.toml (quiet, no-messages, allow)\n",
    );
    told(&ran.err, "lowered by it: broken-file from error to allow\n");
    assert_eq!(tree.run(&["audit", "-q"]).err, "");
    told(
        &tree.run(&["audit", "-qv"]).err,
        "configuration: uriscan.toml",
    );
    let ran = tree.run(&["audit", "--no-config", "site"]);
    assert!(ran.out.contains("broken-file") && !ran.err.contains("configuration"));
}

#[test]
fn configuration_errors_have_their_line() {
    for (text, told) in [
        (
            "\ndney = \"orphan\"",
            "uriscan.toml:2: unknown key `dney`; did you mean `deny`?",
        ),
        (
            "write_baseline = 1",
            "uriscan.toml:1: unknown key `write_baseline`; did you mean `write-baseline`?",
        ),
        ("qqqqqq = 1", "uriscan.toml:1: unknown key `qqqqqq`\n"),
        ("config = \"x\"", "uriscan.toml:1: unknown key `config`"),
        ("window = \"9G\"", "uriscan.toml:1: unknown key `window`"),
        (
            "ignore = [{ path = \"a\", target_ = 1 }]",
            "uriscan.toml:1: unknown key `target_`; did you mean `target`?",
        ),
        (
            "# x\n\ndeny = 3",
            "uriscan.toml:3: `deny` is a string or an array of strings, not a number",
        ),
        (
            "deny = [\"orphan\", true]",
            "uriscan.toml:1: `deny` is a string or an array of strings, not true or false",
        ),
        (
            "[deny]\nx = 1",
            "uriscan.toml:1: `deny` is a string or an array of strings, not a table",
        ),
        (
            "strict-scheme = \"yes\"",
            "uriscan.toml:1: `strict-scheme` is true or false, not a string",
        ),
        (
            "fail-on = [\"error\"]",
            "uriscan.toml:1: `fail-on` is a string, not an array",
        ),
        (
            "fail-on = \"never mind\"",
            "uriscan.toml:1: invalid value 'never mind' for '--fail-on <LEVEL>'",
        ),
        (
            "threads = 1.5",
            "uriscan.toml:1: `threads` is a number or a string, not a fraction",
        ),
        (
            "threads = -1",
            "uriscan.toml:1: invalid value '-1' for '--threads <N>'",
        ),
        (
            "paths = 1",
            "uriscan.toml:1: `paths` is a string or an array of strings",
        ),
        (
            "deny = \"brokn\"",
            "uriscan.toml:1: invalid value 'brokn' for '--deny <RULE>'",
        ),
        (
            "deny = \"a\\u001b[2J\\n::stop\"",
            "uriscan.toml:1: invalid value 'a\\x1b[2J",
        ),
        ("deny = \"orphan\"\ndeny", "uriscan.toml:2: "),
        (
            "links = true\nexternal = true",
            "with the configuration of uriscan.toml",
        ),
    ] {
        let ran = repository(text).run(&["audit", "site"]);
        ran.tells(2, "", told);
        assert!(
            !ran.err.contains('\x1b') && !ran.err.contains("\n::"),
            "{:?}",
            ran.err
        );
    }
}

#[test]
fn a_configuration_is_found_up_to_the_root_of_the_repository() {
    let tree = Tree::new(&[
        PAGE,
        ("project/.git/HEAD", ""),
        ("project/docs/a/b.html", "<a href=x>x</a>"),
        ("project/docs/known", ""),
        ("uriscan.toml", "output = \"x\""),
    ]);
    let run = |folder: &str, flags: &[&str]| {
        let mut command = tree.command(&[&["audit"], flags].concat());
        Ran::from(
            command
                .current_dir(tree.path().join(folder))
                .output()
                .unwrap(),
        )
    };
    let told = |folder: &str, words: &str| {
        let ran = run(folder, &[]);
        assert!(ran.err.contains(words), "{words:?} not in {:?}", ran.err);
        ran
    };
    // Directories above the root of the repository are not searched.
    assert!(!run("project/docs/a", &[]).err.contains("configuration"));
    for (file, text) in [
        (
            "project/pyproject.toml",
            "[project]\nname = \"x\"\n[tool.uriscan]\nwarn = \"broken-file\"\n",
        ),
        ("project/.config/uriscan.toml", "warn = \"broken-file\"\n"),
        ("project/uriscan.toml", "warn = \"broken-file\"\n"),
        ("project/docs/uriscan.toml", "warn = \"broken-file\"\n"),
    ] {
        tree.write(file, text.as_bytes());
        let name = file.strip_prefix("project/").unwrap();
        let from_docs = match name.strip_prefix("docs/") {
            Some(name) => format!("../{name}"),
            None => format!("../../{name}"),
        };
        let ran = told(
            "project/docs/a",
            &format!("configuration: {from_docs} (warn)\n"),
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    // Paths are relative to the folder of the file, wherever the run starts.
    let text = "paths = \"a\"\nbaseline = \"known\"\nroot = \"a=http://example.com/\"\n";
    tree.write("project/docs/uriscan.toml", text.as_bytes());
    let ran = told(
        "project/docs/a",
        "configuration: ../uriscan.toml (paths, baseline, root)\n",
    );
    assert!(
        ran.out.starts_with("../a/b.html:1:9: error[broken-file]"),
        "{}",
        ran.out
    );
    // Only the table in a file of other tools is read; errors elsewhere in the file are ignored.
    tree.write(
        "project/docs/a/pyproject.toml",
        b"[project]\nname = \"uriscan tool\n",
    );
    told("project/docs/a", "pyproject.toml:2: ");
    tree.write("project/docs/a/pyproject.toml", b"[project]\nname = \"x\n");
    told("project/docs/a", "configuration: ../uriscan.toml");
    tree.write(
        "project/docs/a/pyproject.toml",
        b"[tool.uriscan]\n\ndney = 1\n",
    );
    told(
        "project/docs/a",
        "uriscan: pyproject.toml:3: unknown key `dney`",
    );
}
