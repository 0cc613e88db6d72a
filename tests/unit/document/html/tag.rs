use super::*;
use crate::document::AnchorReporting;
use crate::document::html::HtmlOptions;
use crate::document::html::attributes::AttributeSet;

/// Reads the attributes of a tag, and bytes after it.
fn attributes(tag: &str, after: &str) -> String {
    let bytes = &[tag, after].concat().into_bytes();
    let mut attributes = Attributes::new(bytes, seek::tag_name_end(bytes, 1));
    let mut out = String::new();
    loop {
        match attributes.step() {
            TagStep::Attribute { name, value } => {
                out += &format!("{}[{}] ", &tag[name], &tag[value]);
            }
            TagStep::End { self_closing, end } => {
                assert_eq!(end, tag.len());
                return out + if self_closing { "/>" } else { ">" };
            }
            TagStep::Cut(_) => return out + "cut",
        }
    }
}

#[test]
fn attributes_are_cut_as_the_standard_says() {
    for (tag, expected) in [
        ("<a>", ">"),
        ("<a/>", "/>"),
        ("<a / >", ">"),
        ("<a href=x>", "href[x] >"),
        (
            "<a href=\"x\" id=\"\" title=\"a>b\">",
            "href[x] id[] title[a>b] >",
        ),
        ("<a href=x/>", "href[x/] >"),
        ("<a href=\"x\"/>", "href[x] />"),
        ("<a href = 'a>b' id>", "href[a>b] id[] >"),
        ("<a ==x =>", "=[x] =[] >"),
        ("<a href=>", "href[] >"),
        ("<a href= >", "href[] >"),
        ("<a a\"b=c\"d>", "a\"b[c\"d] >"),
        ("<a a / = b>", "a[] =[] b[] >"),
        ("<a a /=b>", "a[] =b[] >"),
        ("<a b='c'd='e'>", "b[c] d[e] >"),
        ("<a <b>", "<b[] >"),
        ("<a href=\"x", "cut"),
        ("<a href", "cut"),
        ("<a href=x", "cut"),
        ("<a b=c /", "b[c] cut"),
    ] {
        assert_eq!(attributes(tag, ""), expected, "{tag}");
        if !expected.ends_with("cut") {
            assert_eq!(attributes(tag, &"x".repeat(64)), expected, "{tag}");
        }
    }
}

/// The tag at an index, read by [`Attributes`].
struct Naive {
    end: usize,
    element: Element,
    attributes: Vec<(Attribute, Range<usize>)>,
    /// Whether the tag does more than hold attributes.
    has_effect: bool,
}

fn naive(bytes: &[u8], at: usize, enabled: EnabledRows) -> Option<Naive> {
    let closes = bytes.get(at + 1) == Some(&b'/');
    let name = at + 1 + usize::from(closes);
    let mut tag = Naive {
        end: at + 1,
        element: Element::Other,
        attributes: Vec::new(),
        has_effect: true,
    };
    if !bytes.get(name)?.is_ascii_alphabetic() {
        return Some(tag);
    }
    let name_end = seek::tag_name_end(bytes, name);
    tag.element = Element::of(&bytes[name..name_end]);
    tag.has_effect = match tag.element {
        element if closes => matches!(element, Element::Form | Element::Template),
        Element::Base | Element::Image | Element::Meta => true,
        element => element.is_structural() && !element.is_table_part(),
    };
    let mut seen = AttributeSet::default();
    let mut attributes = Attributes::new(bytes, name_end);
    loop {
        match attributes.step() {
            TagStep::Attribute { name, value } => {
                let attribute = Attribute::of(&bytes[name]);
                let row = row(ElementNamespace::Html, tag.element, attribute);
                let row = row.filter(|row| !closes && enabled.has(row));
                if row.is_some() && seen.insert(attribute) {
                    tag.attributes.push((attribute, value));
                }
            }
            TagStep::End { end, .. } => {
                tag.end = end;
                return Some(tag);
            }
            TagStep::Cut(_) => return None,
        }
    }
}

/// Generates tags from pieces.
    #[rustfmt::skip]
    fn markup(state: &mut u32, length: usize) -> Vec<u8> {
        const PIECES: [&[u8]; 48] = [
            b"<p", b"<td", b"<a", b"<span", b"<SPAN", b"<blockquote", b"</p", b"</FORM",
            b"</template", b"<form", b"<x-y", b"<p<", b"<!", b"<", b">", b">", b">", b">", b">",
            b" ", b" ", b"\n", b"/", b"=", b"=", b"\"", b"\"", b"'", b" class=\"", b" id=",
            b" style=\"", b"style", b" STYLE=", b" itemid = x", b" background='", b" data-src=",
            b" title=\"a<b>c\"", b" nowrap", b" href", b"text", b"\x01", b"\0", b"\xff", b" a=b",
            b" align=left", b" a_name_that_is_rather_long=1", b"\" ", b"' ",
        ];
        let mut bytes = Vec::new();
        while bytes.len() < length {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes.extend_from_slice(PIECES[(*state >> 16) as usize % PIECES.len()]);
        }
        bytes
    }

#[test]
fn tags_passed_over_have_no_effect() {
    let mut state = 5;
    let (mut passed, mut read) = (0, 0);
    for round in 0..2_000 {
        let options = HtmlOptions {
            extended: round % 3 == 0,
            ..HtmlOptions::default()
        };
        let anchors = [AnchorReporting::Leave, AnchorReporting::Report][round % 2];
        let enabled = EnabledRows::new(&options, anchors);
        let names = AttributeNames::new(enabled);
        let bytes = markup(&mut state, 600);
        let mut tag = Tag::default();
        let mut at = 0;
        while at < bytes.len() {
            let mut reported = Vec::new();
            let end = scan_tags(&bytes, at, &names, &mut tag, |tag| {
                reported.push(tag.clone());
                reported.len() < 3
            });
            let mut reported = reported
                .into_iter()
                .filter(|tag| tag.start < end)
                .peekable();
            at = seek::next(b'<', &bytes, at);
            while at < end {
                let text = String::from_utf8_lossy(&bytes[at..]);
                let naive = naive(&bytes, at, enabled).expect("it has an end");
                assert!(!naive.has_effect, "{text}");
                if let Some(tag) = reported.next_if(|tag| tag.start == at) {
                    let known = tag.attributes.iter();
                    let known: Vec<_> = known.map(|it| (it.name, it.value.clone())).collect();
                    assert!(!naive.element.is_table_part());
                    assert_eq!(naive.element, tag.element);
                    assert_eq!(naive.attributes, known);
                    assert_eq!(naive.end, tag.end);
                    read += 1;
                } else {
                    assert!(
                        naive.attributes.is_empty() && naive.element != Element::A,
                        "{text}"
                    );
                    passed += 1;
                }
                assert!(naive.end <= end, "{text}");
                at = seek::next(b'<', &bytes, naive.end);
            }
            assert!(reported.next().is_none());
            let Some(naive) = naive(&bytes, at, enabled) else {
                break;
            };
            at = naive.end;
        }
    }
    assert!(passed > 2_000 && read > 200, "{passed}, {read}");
}
