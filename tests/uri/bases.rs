//! File names, URIs and mounts.

use uriscan::uri::base::{PathStyle, file_path, file_uri};
use uriscan::uri::{BaseSource, Mounts};

use PathStyle::{Unix, Windows};

#[test]
fn paths_become_uris() {
    for (style, path, uri) in [
        (Unix, "/a b", Some("file:///a%20b")),
        (Unix, "/", Some("file:///")),
        (
            Unix,
            "/a/%?#[]\\^\"\u{e9}",
            Some("file:///a/%25%3F%23%5B%5D%5C%5E%22%C3%A9"),
        ),
        (
            Unix,
            "/-._~!$&'()*+,;=:@",
            Some("file:///-._~!$&'()*+,;=:@"),
        ),
        (Unix, "a", None),
        (Windows, r"C:\a\b c", Some("file:///C:/a/b%20c")),
        (Windows, "c:/a", Some("file:///c:/a")),
        (Windows, r"\\srv\share\x", Some("file://srv/share/x")),
        (Windows, r"\\?\C:\a", Some("file:///C:/a")),
        (Windows, r"\\?\UNC\srv\share\x", Some("file://srv/share/x")),
        (Windows, r"\\.\COM1", None),
        (Windows, r"\\?\pipe\x", None),
        (Windows, r"\a", None),
        (Windows, r"C:a", None),
    ] {
        let got = file_uri(path.as_bytes(), style).map(|uri| String::from_utf8(uri).unwrap());
        assert_eq!(got.as_deref(), uri, "{path} {style:?}");
    }
    assert_eq!(file_uri(b"/\xFF\xFE", Unix).unwrap(), b"file:///%FF%FE");
}

#[test]
fn uris_become_paths() {
    for (style, uri, path) in [
        (Unix, "file:///a%20b?q#f", Some("/a b")),
        (Unix, "FILE://LOCALHOST/a", Some("/a")),
        (Unix, "file:/a//b/", Some("/a//b/")),
        (Unix, "file:///a%5Cb:c", Some("/a\\b:c")),
        (Unix, "file://host/a", None),
        (Unix, "file:///a%2Fb", None),
        (Unix, "file:///a%00b", None),
        (Unix, "file:///a/%2e%2E/b", None),
        (Unix, "file:a", None),
        (Unix, "http://h/a", None),
        (Windows, "file:///C:/a/b%20c", Some(r"C:\a\b c")),
        (Windows, "file:///C|/a", Some(r"C:\a")),
        (Windows, "file:///C:", None),
        (Windows, "file://srv/share/x", Some(r"\\srv\share\x")),
        (Windows, "file:///C:/a%5Cb", None),
        (Windows, "file:///C:/a%3Ab", None),
        (Windows, "file:///a", None),
    ] {
        let got = file_path(uri.as_bytes(), style).map(|path| String::from_utf8(path).unwrap());
        assert_eq!(got.as_deref(), path, "{uri} {style:?}");
    }
}

#[test]
fn the_longest_mount_wins() {
    let mut mounts = Mounts::default();
    mounts.add(b"/srv", b"https://example.com");
    mounts.add(b"/srv/docs/", b"https://docs.example.com/v1/");
    mounts.add(b"/img", b"https://example.com/static/img");
    for (path, uri) in [
        ("/srv/a", "https://example.com/a"),
        ("/srv", "https://example.com/"),
        ("/srv/docs/a/", "https://docs.example.com/v1/a/"),
        ("/srv/docsx", "https://example.com/docsx"),
        ("/img/x y", "https://example.com/static/img/x%20y"),
    ] {
        assert_eq!(
            mounts.uri(path.as_bytes()).as_deref(),
            Some(uri.as_bytes()),
            "{path}"
        );
        let back = mounts.path(uri.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(back).unwrap().trim_end_matches('/'),
            path.trim_end_matches('/'),
            "{uri}"
        );
    }
    assert_eq!(mounts.uri(b"/srvx"), None);
    assert_eq!(mounts.path(b"https://example.org/"), None);
    assert_eq!(mounts.path(b"https://example.com/../x"), None);
    assert_eq!(mounts.path(b"https://example.com/a%2f..%2fb"), None);
}

#[test]
fn sources_have_their_names() {
    let part = || "17/1.2".into();
    for (source, name) in [
        (BaseSource::ContentBase, "content:base"),
        (
            BaseSource::EntityContentBase { part: part() },
            "entity:content-base@17/1.2",
        ),
        (
            BaseSource::EntityContentLocation { part: part() },
            "entity:content-location@17/1.2",
        ),
        (BaseSource::RetrievalFile, "retrieval:file"),
        (BaseSource::RetrievalRoot, "retrieval:root"),
        (BaseSource::RetrievalOption, "retrieval:option"),
        (
            BaseSource::RetrievalSnapshotContentLocation,
            "retrieval:snapshot-content-location",
        ),
        (BaseSource::DefaultOption, "default:option"),
        (BaseSource::DefaultThisMessage, "default:thismessage"),
    ] {
        assert_eq!(source.to_string(), name);
    }
}
