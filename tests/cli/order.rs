//! The same bytes for any number of workers.

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
        for threads in ["2", "3", "8"] {
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
