//! Paths of files and URLs.

/// Splits a path into the directory with its slash, the name without its extension, and the extension.
pub(super) fn parts(path: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let at = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    let (directory, name) = path.split_at(at);
    match memchr::memrchr(b'.', name) {
        Some(dot) if dot > 0 => (directory, &name[..dot], &name[dot + 1..]),
        _ => (directory, name, b""),
    }
}

/// Returns a URL without its index file and the slash at its end.
pub(super) fn normal(url: &[u8]) -> &[u8] {
    let url = url
        .strip_suffix(b"index.html")
        .filter(|url| url.ends_with(b"/"))
        .unwrap_or(url);
    url.strip_suffix(b"/").unwrap_or(url)
}

/// Resolves a path against a directory with its slash; `..` ends at the root.
pub(in crate::audit) fn join(directory: &[u8], path: &[u8]) -> Vec<u8> {
    let mut joined = if path.starts_with(b"/") {
        b"/".to_vec()
    } else {
        directory.to_vec()
    };
    let mut segments = path.split(|&byte| byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            b"" | b"." => {}
            b".." => {
                let above = joined.strip_suffix(b"/").unwrap_or(&joined);
                joined.truncate(memchr::memrchr(b'/', above).map_or(1, |at| at + 1));
            }
            name => {
                joined.extend_from_slice(name);
                if !is_last {
                    joined.push(b'/');
                }
            }
        }
    }
    joined
}

/// Returns whether the name of a file or of a directory above it begins with a text.
pub(super) fn has_segment(path: &[u8], start: &[u8]) -> bool {
    path.split(|&byte| byte == b'/')
        .any(|name| name.starts_with(start))
}

/// Returns a path with its slash up to the last one.
pub(super) fn up_to_slash(path: &[u8]) -> &[u8] {
    &path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)]
}

/// Returns the path of a directory with a slash at its end.
pub(super) fn with_slash(directory: &[u8]) -> Vec<u8> {
    [directory.strip_suffix(b"/").unwrap_or(directory), b"/"].concat()
}
