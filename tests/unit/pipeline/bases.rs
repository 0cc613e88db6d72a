use super::*;

#[test]
fn paths_become_absolute() {
    let here = std::env::current_dir().unwrap();
    let here = format!("{}/", here.display());
    let parent = Path::new(&here).parent().unwrap().display().to_string();
    let absolute = |path: &str| {
        let mut names = AbsolutePaths::default();
        let bytes = names.absolute(here.as_bytes(), path.as_bytes()).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    for (path, expected) in [
        ("a/b", format!("{here}a/b")),
        ("./a//./b", format!("{here}a/b")),
        ("/a/./b", "/a/b".into()),
        ("/", "/".into()),
        ("../x", format!("{parent}/x")),
        ("src/../x", format!("{here}x")),
    ] {
        assert_eq!(absolute(path), expected, "{path}");
    }
}

#[test]
fn a_relative_path_is_not_below_a_directory_that_is_not_known() {
    let mut names = AbsolutePaths::default();
    assert_eq!(names.absolute(b"", b"in/x.html"), None);
    assert_eq!(names.absolute(b"", b"/in/x.html"), Some(&b"/in/x.html"[..]));
    assert_eq!(names.absolute(b"/", b"gone/../x.html"), None);
    assert!(Bases::default().of_file(b"in/x.html", &mut names).is_none());
}
