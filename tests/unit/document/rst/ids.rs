use super::*;

#[test]
fn titles_are_numbered() {
    let mut titles = TitleIds::default();
    assert_eq!(titles.next(b"A"), b"a");
    assert_eq!(titles.next(b"A"), b"id1");
    assert_eq!(titles.next(b"!"), b"id2");
}
