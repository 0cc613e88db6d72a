//! Findings are the same for any number of workers.

use std::fmt::Write as _;

use crate::cli::Tree;

#[test]
fn findings_come_in_the_same_order_for_any_number_of_workers() {
    let tree = Tree::new(&[]);
    for index in 0..300 {
        let mut page = String::new();
        for link in 0..index % 7 {
            // Some exist, some do not; some have the fragment, some do not.
            let target = (index * 7 + link * 13) % 330;
            let _ = writeln!(
                page,
                "<a href='../{}/p{target}.html#i{link}'>x</a>",
                target % 5
            );
        }
        let _ = writeln!(page, "<p id=i{}><p id=i{0}>", index % 3);
        tree.write(format!("site/{}/p{index}.html", index % 5), page.as_bytes());
    }
    for flags in [
        &[][..],
        &["--links"],
        &["--json", "--warn", "duplicate-id,orphan"],
    ] {
        let run = |threads: &str| {
            let all = [&["audit", "site", "-j", threads], flags].concat();
            tree.run(&all)
        };
        let one = run("1");
        assert!(one.out.lines().count() > 300, "{}", one.out);
        for threads in ["2", "3", "8"] {
            assert_eq!(run(threads), one, "{threads} workers, {flags:?}");
        }
    }
}
