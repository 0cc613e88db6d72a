use super::*;

#[test]
fn ids_are_those_of_asciidoctor() {
    let mut attributes = DocumentAttributes::default();
    let mut ids = SectionIds::default();
    assert_eq!(
        ids.next("A Section: it's 1.0!", &attributes),
        b"_a_section_its_1_0"
    );
    assert_eq!(
        ids.next("A Section: it's 1.0!", &attributes),
        b"_a_section_its_1_0_2"
    );
    attributes.set(b"idprefix", b"");
    attributes.set(b"idseparator", b"-");
    assert_eq!(ids.next("A -- Section", &attributes), b"a-section");
    assert_eq!(ids.next("- x_y", &attributes), b"x_y");
    attributes.set(b"idseparator", b"");
    assert_eq!(ids.next("A Section", &attributes), b"asection");
}
