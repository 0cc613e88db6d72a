//! Output formats and their flags.

use super::Tree;

const PAGE: &str = "<!doctype html>\n<title>é</title>\n  <a href='b.html?a=1&amp;b=2'>b</a>\n";

fn tree() -> Tree {
    Tree::new(&[
        ("a.html", PAGE),
        (
            "t.txt",
            "one http://example.com/1,\nand <http://example.com/\n 2>\n",
        ),
    ])
}

#[test]
fn text_shows_locations_before_targets() {
    let tree = tree();
    tree.run(&["t.txt"])
        .is(0, "http://example.com/1\nhttp://example.com/2\n");
    for (flags, first) in [
        ("-n", "t.txt:1:5: http://example.com/1\n"),
        ("--column", "t.txt:1:5: http://example.com/1\n"),
        ("-b", "t.txt:4: http://example.com/1\n"),
        ("-nb", "t.txt:1:5:4: http://example.com/1\n"),
        ("-H", "t.txt: http://example.com/1\n"),
        ("-nI", "1:5: http://example.com/1\n"),
        ("-I", "http://example.com/1\n"),
    ] {
        let ran = tree.run(&["t.txt", flags]);
        assert!(ran.out.starts_with(first), "{flags}: {}", ran.out);
    }
    tree.run(&["t.txt", "-0"])
        .is(0, "http://example.com/1\0http://example.com/2\0");
    tree.run(&["t.txt", "-nI", "--color", "always"]).is(
        0,
        "\x1b[32m1\x1b[0m:\x1b[32m5\x1b[0m: http://example.com/1\n\
         \x1b[32m2\x1b[0m:\x1b[32m6\x1b[0m: http://example.com/2\n",
    );
}

#[test]
fn json_has_every_key_in_order() {
    let tree = tree();
    tree.run(&["a.html", "--json", "--root", ".=http://example.com/"]).is(
        0,
        concat!(
            r#"{"type":"link","path":"a.html","member":null,"line":3,"column":12,"start":45,"end":63,"#,
            r#""reference":"b.html?a=1&b=2","target":"http://example.com/b.html?a=1&b=2","#,
            r#""base":"http://example.com/a.html","base_source":"retrieval:root","context":"attribute","#,
            r#""element":"a","attribute":"href","flags":[]}"#,
            "\n"
        ),
    );
    let ran = tree.run(&["t.txt", "--json", "--stats"]);
    let summary = r#"{"type":"summary","files":1,"bytes":55,"references":2,"skipped_files":0,"errors":0,"exact":0,"approximate":0,"skipped_binary":0,"skipped_compressed":0,"skipped_archive":0,"skipped_index":0,"skipped_type":0,"skipped_size":0,"skipped_symlink":0,"skipped_special":0,"skipped_mail_folder":0,"unread_bodies":0,"unread_parts":0,"opaque_gateways":0,"failed_files":0}"#;
    assert_eq!(ran.out.lines().last(), Some(summary));
    assert!(
        ran.out.contains(r#""reference":"http://example.com/2""#),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(r#""flags":["wrapped"]"#), "{}", ran.out);
}

#[test]
fn references_without_a_target_say_why() {
    let tree = tree();
    let ran = tree.run(&[
        "a.html",
        "--base=",
        "--json",
        "--fields",
        "reference,target,error",
    ]);
    ran.is(0, "{\"type\":\"link\",\"reference\":\"b.html?a=1&b=2\",\"target\":null,\"error\":\"no-base\"}\n");
    tree.run(&["a.html", "--base="]).is(0, "b.html?a=1&b=2\n");
}

#[test]
fn only_the_first_byte_order_mark_has_no_column() {
    let utf_16: Vec<u8> = "\u{feff}\u{feff}<a href=z>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let part = "Content-Type: text/html; charset=utf-16\nContent-Transfer-Encoding: 8bit\n\n";
    let tree = Tree::new(&[("8.html", "\u{feff}\u{feff}<a href=z>")]);
    tree.write("16.html", &utf_16);
    tree.write("16.eml", &[part.as_bytes(), &utf_16].concat());
    for (file, name) in [
        ("8.html", "8.html"),
        ("16.html", "16.html"),
        ("16.eml", "16.eml!1/1"),
    ] {
        let base = ["--base", "http://example.com/"];
        tree.run(&[&["--column", file], &base[..]].concat())
            .is(0, &format!("{name}:1:10: http://example.com/z\n"));
    }
}

#[test]
fn tables_have_the_columns_that_are_asked_for() {
    let tree = tree();
    let fields = ["--fields", "line,target,flags"];
    let run = |format| tree.run(&[&["t.txt", "--format", format], &fields[..]].concat());
    run("csv").is(
        0,
        "line,target,flags\n1,http://example.com/1,trimmed\n2,http://example.com/2,wrapped\n",
    );
    run("tsv").is(
        0,
        "line\ttarget\tflags\n1\thttp://example.com/1\ttrimmed\n2\thttp://example.com/2\twrapped\n",
    );
    let header = tree.run(&["t.txt", "--format", "csv"]).out;
    assert!(header.starts_with("type,path,member,line,column,start,end,reference,target,base,base_source,context,element,attribute,flags,"));
}

#[test]
fn statistics_stand_where_they_do_not_mix() {
    let tree = tree();
    tree.run(&["t.txt", "--stats"]).tells(
        0,
        "http://example.com/1\nhttp://example.com/2\n",
        "2 references\n",
    );
    tree.run(&["t.txt", "-q", "--stats=json"])
        .tells(0, "", "\"references\":2,");
    // Records do not depend on the run, so the time and memory used are not in them.
    let ran = tree.run(&["t.txt", "--json", "--stats"]);
    assert!(!ran.out.contains("_seconds") && ran.err.is_empty());
    let ran = tree.run(&["t.txt", "--json", "--stats=json"]);
    assert!(
        ran.out
            .ends_with("\"skipped_special\":0,\"skipped_mail_folder\":0,\"unread_bodies\":0,\"unread_parts\":0,\"opaque_gateways\":0,\"failed_files\":0}\n")
            && ran.err.contains("_seconds")
    );
}

#[test]
#[cfg(unix)]
fn statistics_tell_time_and_memory() {
    let tree = tree();
    let ran = tree.run(&["t.txt", "-q", "--stats=json"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.err).expect("one record");
    let figure = |name: &str| summary[name].as_f64().expect("a number");
    assert!(figure("wall_seconds") > 0.0 && figure("cpu_seconds") > 0.0);
    assert!(figure("peak_bytes") > 1e6, "{summary}");
    let words = tree.run(&["t.txt", "-q", "--stats"]).err;
    let names: Vec<_> = words
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let names: Vec<_> = names.into_iter().map(|(_, name)| name).collect();
    let last = ["approximate", "wall seconds", "cpu seconds", "peak bytes"];
    assert!(names.ends_with(&last), "{words}");
}

#[test]
fn exit_codes_say_whether_something_was_found() {
    let tree = Tree::new(&[("none.txt", "nothing"), ("one.txt", "http://example.com/")]);
    for (arguments, code) in [
        (&["one.txt"][..], 0),
        (&["none.txt"], 1),
        (&["none.txt", "--exit-zero"], 0),
        (&["one.txt", "gone"], 2),
        (&["none.txt", "gone", "--exit-zero"], 2),
        (&["--help"], 0),
        (&["--version"], 0),
        (&["--type-list"], 0),
    ] {
        let ran = tree.run(&[arguments, &["-q"]].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.err);
    }
    tree.run(&["one.txt", "gone", "--no-messages"])
        .is(2, "http://example.com/\n");
}

/// Rules H49 and H50: the keys are appended, to links of other formats too.
#[test]
fn anchor_text_is_shown_where_it_is_asked_for() {
    let page =
        "<base href=http://example.com/><a href=b rel='Next UGC' title='a,\"b'>\n the <b>B</b></a>";
    let tree = Tree::new(&[("a.html", page), ("t.txt", "<http://example.com/1>")]);
    let ran = tree.run(&["--json", "--anchor-text", "a.html", "t.txt"]);
    let keys: Vec<&str> = (ran.out.lines())
        .filter_map(|line| line.split_once("\"flags\":[],"))
        .map(|(_, keys)| keys)
        .collect();
    let expected = [
        "\"text\":\"the B\",\"rel\":[\"next\",\"ugc\"],\"hreflang\":null,\"title\":\"a,\\\"b\"}",
        "\"text\":null,\"rel\":null,\"hreflang\":null,\"title\":null}",
    ];
    assert_eq!(keys, expected, "{}", ran.out);
    let named = [
        "--format",
        "csv",
        "--fields",
        "target,text,rel,title",
        "a.html",
    ];
    tree.run(&named).is(
        0,
        "target,text,rel,title\nhttp://example.com/b,the B,next ugc,\"a,\"\"b\"\n",
    );
    for format in ["jsonl", "csv"] {
        let ran = tree.run(&["--format", format, "a.html"]);
        assert!(!ran.out.contains("next"), "{}", ran.out);
    }
}

#[test]
fn messages_as_records_leave_nothing_but_links_on_standard_output() {
    let tree = Tree::new(&[(
        "a.mbox",
        "junk\nFrom a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n\nhttp://example.com/\n",
    )]);
    let arguments = [
        "a.mbox", "none.txt", "--json", "--stats", "--fields", "target",
    ];
    let ran = tree.run(&[&arguments[..], &["--messages=json"]].concat());
    assert_eq!(
        ran.out,
        "{\"type\":\"link\",\"target\":\"http://example.com/\"}\n"
    );
    for kind in ["diagnostic", "error", "archive", "summary"] {
        let record = format!("{{\"type\":\"{kind}\",");
        assert_eq!(ran.err.matches(&record).count(), 1, "{kind}: {}", ran.err);
    }
    // By default they are among the links.
    let ran = tree.run(&arguments);
    for kind in ["diagnostic", "error", "archive", "summary"] {
        assert!(
            ran.out.contains(&format!("{{\"type\":\"{kind}\",")),
            "{kind}: {}",
            ran.out
        );
    }
}
