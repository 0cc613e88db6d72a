//! The order of the output, the same for any number of workers.

use super::Tree;

/// Files whose lengths differ by orders of magnitude.
fn tree() -> Tree {
    let tree = Tree::new(&[]);
    for index in 0..300 {
        let lines = 1 + index * index * 7919 % (1 << (index % 13));
        let text: String = (0..lines)
            .map(|line| format!("in {index} http://example.com/{index}/{line} and more\n"))
            .collect();
        tree.write(format!("d{}/f{index}.txt", index % 7), text.as_bytes());
    }
    tree
}

#[test]
fn output_does_not_depend_on_the_number_of_workers() {
    let tree = tree();
    for shape in [&["-n"][..], &["--json", "--stats"], &["--format", "csv"]] {
        let run = |threads| tree.run(&[shape, &["-j", threads, "."]].concat());
        let one = run("1");
        assert_eq!(one.code, 0, "{}", one.err);
        assert!(one.out.len() > 1 << 20, "{} bytes", one.out.len());
        for threads in crate::rounds(&["3"][..], &["2", "3", "8"]) {
            assert!(run(threads) == one, "-j{threads} {shape:?}");
        }
    }
}

#[test]
fn unsorted_output_has_the_same_lines() {
    let tree = tree();
    let lines = |arguments: &[&str]| {
        let ran = tree.run(arguments);
        let mut lines: Vec<_> = ran.out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert!(lines(&[".", "-n", "--sort", "none", "-j3"]) == lines(&[".", "-n"]));
}

/// A text with references on both sides of all split points.
fn long_text() -> String {
    let mut text = String::from("\u{feff}first http://example.com/first\r\n\r\n");
    for index in 0..3000 {
        text += &match index % 7 {
            0 => format!("<http://example.com/{index}/\n  wrapped>\n\n"),
            1 => format!("é {index} http://example.com/{index}\n \t\n"),
            2 => format!("\"http://example.com/{index}\"\r\n\r\n"),
            3 => "\n\n\r\n\n".to_owned(),
            4 => format!("http://example.com/{index}\r<http://example.com/\r{index}>\n\n"),
            5 => format!("<http://example.com/{index}\n\nunclosed>\n"),
            _ => format!("plain {index}\nhttp://example.com/{index},\n"),
        };
    }
    text
}

#[test]
fn pieces_of_a_text_have_the_links_of_the_whole() {
    let tree = Tree::new(&[
        ("long.txt", &long_text()),
        ("z.txt", "http://example.com/z\n"),
    ]);
    for flags in [&["--json", "--stats"][..], &["-b"]] {
        let run = |more: &[&str]| tree.run(&[&["."], flags, more].concat());
        let whole = run(&["-j1"]);
        assert_eq!(whole.code, 0, "{}", whole.err);
        for piece in ["1", "7", "100", "1000", "10K", "50K"] {
            for threads in crate::rounds(&["-j2"][..], &["-j1", "-j2", "-j7"]) {
                let cut = run(&["--piece", piece, threads]);
                assert!(cut == whole, "--piece {piece} {threads}");
            }
        }
    }
}

#[test]
fn a_text_without_seams_is_one_piece() {
    let text: String = (0..5000)
        .map(|n| format!("http://example.com/{n}\n"))
        .collect();
    let tree = Tree::new(&[("long.txt", &text)]);
    let whole = tree.run(&["long.txt", "-n", "-j1"]);
    assert!(tree.run(&["long.txt", "-n", "-j3", "--piece", "100"]) == whole);
    assert_eq!(whole.out.lines().count(), 5000);
}
