use super::*;

/// Strips a prefix that ends in a slash, which the name of the directory itself may lack.
fn strip_mount<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    name.strip_prefix(prefix)
        .or_else(|| (prefix.strip_suffix(b"/") == Some(name)).then_some(&[]))
}

/// The naive lookup: all mounts, one after the other.
fn naive<'a>(mounts: &'a Mounts, path: &'a [u8]) -> Option<&'a [u8]> {
    let rests = mounts
        .mounts
        .iter()
        .map(|mount| strip_mount(path, &mount.directory));
    rests.flatten().min_by_key(|rest| rest.len())
}

#[test]
fn the_index_finds_the_innermost_mount() {
    let words = [
        "/", "/a", "/a/b", "/a!", "/a/b/c/d", "/a/!", "/b", "/a/b!", "/ab", "/a0/x",
    ];
    for choice in 0..1 << words.len() {
        let mut mounts = Mounts::default();
        for (bit, word) in words.iter().enumerate() {
            if choice >> bit & 1 == 1 {
                let uri = format!("http://example.com{word}");
                mounts.add(word.as_bytes(), uri.as_bytes());
            }
        }
        let more = [
            "/a/b/c",
            "/a/b/c/d/e",
            "/a//",
            "/a/!x",
            "/c",
            "/a.",
            "/a/b/",
        ];
        for path in words.iter().chain(&more) {
            let path = path.as_bytes();
            assert_eq!(
                mounts.relative_path(path),
                naive(&mounts, path),
                "{path:?} {choice:b}"
            );
            let uri = [b"https://example.com", path].concat();
            let alike = |_: &[u8], _: &[u8]| true;
            let found = mounts.find(&uri, alike);
            assert_eq!(found.is_some(), naive(&mounts, path).is_some());
            assert!(mounts.find(&uri, |_, _| false).is_none());
        }
    }
}
