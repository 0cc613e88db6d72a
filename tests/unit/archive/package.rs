use super::*;

#[test]
fn relationships_belong_to_the_part_beside_them() {
    let part = |name: &str| {
        let part = source_part(name.as_bytes());
        part.map(|part| String::from_utf8(part).unwrap())
    };
    for (name, expected) in [
        ("_rels/.rels", Some("")),
        ("word/_rels/document.xml.rels", Some("word/document.xml")),
        ("word/document.xml.rels", None),
        ("x_rels/a.rels", None),
        ("word/document.xml", None),
    ] {
        assert_eq!(part(name).as_deref(), expected, "{name}");
    }
}

#[test]
fn manifests_name_encrypted_members() {
    let manifest = b"<m:manifest><m:file-entry m:media-type='a>b' m:full-path='x.xml'/>\
            <m:file-entry m:full-path = \"a&amp;b/content.xml\"><m:encryption-data/></m:file-entry>";
    let mut names = Vec::new();
    read_list(manifest, &mut names);
    assert_eq!(names, [b"a&b/content.xml".to_vec()]);
    let list = b"<enc:CipherReference URI=\"OEBPS/a%20b.xhtml\"/>";
    names.clear();
    read_list(list, &mut names);
    assert_eq!(names, [b"OEBPS/a b.xhtml".to_vec()]);
}
