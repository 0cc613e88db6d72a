use super::*;
use crate::bytes::steps;

#[test]
fn a_name_has_one_number() {
    let mut names = Interner::default();
    assert_eq!(names.add(b"install"), 0);
    assert_eq!(names.add(b"usage"), 1);
    assert_eq!(names.add(b"install"), 0);
    assert_eq!(names.get(b"usage"), Some(1));
    assert_eq!(names.get(b"setup"), None);
    assert_eq!(names.name(1), b"usage");
}

#[test]
fn a_path_is_in_a_set_when_it_or_a_directory_above_it_is() {
    let set: PathSet = ["/a", "/a-b", "/a/b/c", "/d/e", "/d/e.x", "/f//"]
        .into_iter()
        .map(|path| path.as_bytes().to_vec())
        .collect();
    for (path, expected) in [
        ("/a", true),
        ("/a/", true),
        ("/a/x", true),
        ("/a-b", true),
        ("/a-c", false),
        ("/a.x", false),
        ("/a/b/d", true),
        ("/d", false),
        ("/d/e/f", true),
        ("/d/e.x", true),
        ("/d/e.y", false),
        ("/", false),
    ] {
        assert_eq!(set.contains(path.as_bytes()), expected, "{path}");
    }
    assert!(!PathSet::default().contains(b"/a"));
}

#[test]
fn a_look_into_a_set_of_paths_does_not_scan_it() {
    let comparisons = |n: usize| {
        let set: PathSet = (0..n).map(|i| format!("/s/{i}").into_bytes()).collect();
        steps::take();
        for i in 0..n {
            let path = format!("/s/{i}/x");
            assert!(set.contains(path.as_bytes()));
        }
        steps::take()
    };
    let (once, twice) = (comparisons(5_000), comparisons(10_000));
    assert!(twice * 10 <= once * 22, "{once} and {twice} comparisons");
}

#[test]
fn of_several_names_in_other_case_the_first_counts() {
    let mut names = NameIndex::default();
    for name in ["page.HTML", "Page.html", "caf\u{e9}.html", "x"] {
        names.add(name.as_bytes());
    }
    let folded = |name: &str| {
        let folded = names.folded(name.as_bytes());
        folded.map(|(name, several)| (name.to_vec(), several))
    };
    assert_eq!(folded("PAGE.html"), Some((b"Page.html".to_vec(), true)));
    assert_eq!(
        folded("CAFE\u{301}.html"),
        Some(("caf\u{e9}.html".as_bytes().to_vec(), false))
    );
    assert_eq!(folded("pages.html"), None);
}
