use super::*;
use crate::document::flags::Flags;
use crate::linker::{LinkBase, LinkMember};

#[test]
fn no_record_has_a_value_of_the_record_before() {
    let part = LinkMember::default();
    let plain = Link {
        target: Ok(b"http://example.com/a"),
        ..Link::unresolved(b"a", &part)
    };
    let based = |uri, label| Some(LinkBase { uri, label });
    let links = [
        Link {
            member: Some(""),
            ..plain.clone()
        },
        Link {
            member: Some("1"),
            ..plain.clone()
        },
        Link {
            member: Some("1"),
            flags: Flags::OBJECT,
            ..plain.clone()
        },
        Link {
            base: based(b"http://example.com/", "content:base"),
            ..plain.clone()
        },
        Link {
            base: based(b"http://example.org/", "content:base"),
            ..plain.clone()
        },
        Link {
            base: based(b"http://example.org/", "retrieval:file"),
            ..plain.clone()
        },
        Link {
            context: Context::Angle,
            ..plain.clone()
        },
        Link {
            element: Some("ab"),
            attribute: Some("c"),
            ..plain.clone()
        },
        Link {
            element: Some("a"),
            attribute: Some("bc"),
            ..plain.clone()
        },
        Link {
            element: None,
            attribute: Some("abc"),
            ..plain.clone()
        },
        Link {
            flags: Flags::WRAPPED,
            ..plain.clone()
        },
        Link {
            target: Err(ResolveErrorKind::NoBase),
            ..plain.clone()
        },
        Link {
            target: Err(ResolveErrorKind::Template),
            ..plain.clone()
        },
        Link {
            alternatives: &[b"b"],
            ..plain.clone()
        },
        Link {
            alternatives: &[b"c"],
            ..plain.clone()
        },
        plain,
    ];
    let paths = ["a.html", "b.html"].map(|path| DocumentPath::new(path.as_bytes()));
    let layout = Layout::default();
    let mut last = LastRecord::default();
    let push = |path, link, last: &mut LastRecord| {
        let mut record = Vec::new();
        open_link(&layout, path, link, last, &mut record);
        String::from_utf8(record).unwrap()
    };
    for first in &links {
        for second in &links {
            for path in [&paths[0], &paths[0], &paths[1]] {
                for link in [first, second] {
                    let alone = push(path, link, &mut LastRecord::default());
                    assert_eq!(push(path, link, &mut last), alone);
                }
            }
        }
    }
}
