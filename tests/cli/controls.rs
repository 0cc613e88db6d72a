//! Control characters of names, references and files never reach a terminal or a log.

use std::fs;

use super::Tree;
use super::safety::{has_no_controls, on_a_terminal, shown_by};

/// Characters of every kind that is escaped: C0, DEL, C1, a line separator, bidirectional controls.
const CONTROLS: &str = "\u{1b}[2J\u{7f}\u{9b}1m\u{2028}\u{202e}\u{2066}";
/// The same, escaped.
const SHOWN: &str = "\\x1b[2J\\x7f\\u{9b}1m\\u{2028}\\u{202e}\\u{2066}";

/// A page whose name and reference have control characters.
fn hostile() -> Tree {
    let name = format!("a{CONTROLS}.html");
    let page = format!("<a href='x{CONTROLS}' title='t{CONTROLS}'>y{CONTROLS}</a>");
    Tree::new(&[(&name, &page)])
}

#[test]
fn csv_tsv_and_located_text_on_a_terminal_are_escaped() {
    let tree = hostile();
    let cell = format!("./a{SHOWN}.html");
    let fields = ["--base=", "--fields=path,reference", "."];
    for (format, separator) in [("csv", ","), ("tsv", "\t")] {
        let shown = on_a_terminal(&tree, &[&["--format", format], &fields[..]].concat());
        let row = format!("{cell}{separator}x{SHOWN}\r\n");
        assert_eq!(shown, format!("path{separator}reference\r\n{row}"));
    }
    for flags in [&["-n"][..], &["--column"], &["-H"], &["-b"]] {
        let shown = on_a_terminal(&tree, &[&["--base=", "."], flags].concat());
        let start = shown.starts_with(&format!("{cell}:"));
        assert!(
            start && shown.ends_with(&format!(" x{SHOWN}\r\n")),
            "{shown:?}"
        );
    }
}

#[test]
fn csv_safe_escapes_into_a_pipe_too_and_plain_csv_keeps_bytes() {
    let tree = hostile();
    let run =
        |flags: &[&str]| tree.run(&[&["--base=", "--fields=path,reference", "."], flags].concat());
    for (format, separator) in [("csv", ","), ("tsv", "\t")] {
        let header = format!("path{separator}reference\n");
        let kept = format!("{header}./a{CONTROLS}.html{separator}x{CONTROLS}\n");
        run(&["--format", format]).is(0, &kept);
        let escaped = format!("{header}./a{SHOWN}.html{separator}x{SHOWN}\n");
        run(&["--format", format, "--csv-safe"]).is(0, &escaped);
    }
    let tree = Tree::new(&[("a.html", "<a href='=x\n\t\\y'>x</a>")]);
    let run = |format| {
        tree.run(&[
            "--base=",
            "--fields=reference",
            "a.html",
            format,
            "--csv-safe",
        ])
    };
    run("--format=csv").is(0, "reference\n\"'=x\\x0a\\x09\\y\"\n");
    run("--format=tsv").is(0, "reference\n'=x\\n\\t\\\\y\n");
}

#[test]
fn records_of_json_have_no_control_character_and_the_same_values() {
    let tree = hostile();
    let check = |lines: &str| {
        has_no_controls(lines);
        let mut names = Vec::new();
        for line in lines.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            names.extend(record["path"].as_str().map(str::to_owned));
        }
        assert!(names.contains(&format!("./a{CONTROLS}.html")), "{names:?}");
    };
    check(&on_a_terminal(&tree, &["--json", "--anchor-text", "."]).replace('\r', ""));
    check(&tree.run(&["--json", "."]).out);
    check(
        &tree
            .run(&["audit", "--json", "."])
            .out
            .replace("\"a", "\"./a"),
    );
    let missing = format!("./a{CONTROLS}.html");
    fs::remove_file(tree.path().join(&missing)).unwrap();
    check(&tree.run(&["--messages=json", &missing]).err);
}

#[test]
fn every_report_of_an_audit_escapes_controls_in_names_references_and_messages() {
    let tree = hostile();
    // A name beside the reference, which is suggested, and a directory without an index.
    tree.write(format!("X{CONTROLS}"), b"");
    fs::create_dir(tree.path().join(format!("d{CONTROLS}"))).unwrap();
    let more =
        format!("<a href='d{CONTROLS}/'>d</a><a href='#f{CONTROLS}'>f</a><p id='{CONTROLS}'>");
    tree.write(format!("b{CONTROLS}.html"), more.as_bytes());
    for format in [
        "text", "jsonl", "sarif", "junit", "github", "markdown", "html",
    ] {
        for flags in [
            &[][..],
            &["--group", "file"],
            &["--links"],
            &["--count-by", "target"],
        ] {
            if flags == ["--count-by", "target"] && !matches!(format, "text" | "jsonl")
                || flags == ["--links"] && !matches!(format, "text" | "jsonl")
                || flags == ["--group", "file"] && matches!(format, "jsonl" | "sarif" | "junit")
            {
                continue;
            }
            let arguments = [&["audit", ".", "--format", format], flags].concat();
            let ran = tree.run(&arguments);
            assert_eq!(ran.code, 1, "{arguments:?}: {}", ran.err);
            has_no_controls(&ran.out.replace("\t", ""));
            has_no_controls(&ran.err);
            let shown = match format {
                "jsonl" => "\\u001b[2J\\u007f\\u009b1m\\u2028\\u202e\\u2066".to_owned(),
                "sarif" | "html" => SHOWN.replace('\\', "\\\\"),
                _ => SHOWN.to_owned(),
            };
            // Targets, which are counted, are percent-encoded.
            let is_shown = !flags.contains(&"--count-by");
            assert!(
                !is_shown || ran.out.contains(&shown),
                "{arguments:?}: {:?}",
                ran.out
            );
        }
    }
    for flags in [&["-v"][..], &["--external"], &["--count-by", "path"]] {
        let ran = tree.run(&[&["audit", "."], flags].concat());
        has_no_controls(&(ran.out.replace('\t', "") + &ran.err));
    }
    // A diff in a pipe has the bytes of the files: it may be applied.
    let shown = on_a_terminal(&tree, &["audit", ".", "--fix"]);
    assert!(shown.contains(SHOWN), "{shown}");
    has_no_controls(&shown.replace('\r', ""));
}

#[test]
fn names_in_flags_lists_and_configurations_are_escaped() {
    let tree = hostile();
    let run = |arguments: &[&str]| {
        let ran = tree.run(arguments);
        has_no_controls(&(ran.out + &ran.err).replace('\t', ""));
    };
    let name = format!("a{CONTROLS}.html");
    tree.write("list", format!("{name}x\n{CONTROLS}\n").as_bytes());
    run(&["--files-from", "list"]);
    let added = format!("html:x{CONTROLS}");
    run(&["--type-list", "--type-add", &added]);
    for flag in [
        "--explain",
        "--generate",
        "--type",
        "--fields",
        "--encoding",
        "--shard",
        "--config",
    ] {
        run(&[flag, &name, "."]);
        run(&["audit", flag, &name, "."]);
    }
    let files = on_a_terminal(&tree, &["--files", "."]);
    has_no_controls(&files.replace('\r', ""));
    for config in [
        format!("exclude = [\"(\\u009b\\u202e{CONTROLS}\"]\n"),
        format!("\"k{CONTROLS}\" = 1\n"),
        "deny = [\"\\u009b\\u202e\\u001b[2J\"]\n".to_owned(),
        "ignore = [{ rule = \"orphan\", path = \"\\u009b*\", reason = \"\\u202e\\u001b\" }]\n"
            .to_owned(),
        format!("{CONTROLS} = = ="),
    ] {
        tree.write("uriscan.toml", config.as_bytes());
        run(&["audit", "-v", "."]);
        run(&["audit", "--json", "."]);
    }
}

#[test]
fn a_dumb_terminal_has_no_colour() {
    let tree = Tree::new(&[("a.html", "<a href=http://example.com/>x</a>")]);
    for arguments in [&["-n", "."][..], &["audit", "--links", "."]] {
        for (term, is_coloured) in [("dumb", false), ("xterm", true)] {
            let mut command = tree.command(arguments);
            command.env("TERM", term);
            assert_eq!(
                shown_by(command).contains('\x1b'),
                is_coloured,
                "{arguments:?} {term}"
            );
        }
        let mut command = tree.command(&[arguments, &["--color=always"]].concat());
        command.env("TERM", "dumb");
        assert!(shown_by(command).contains('\x1b'));
    }
}
