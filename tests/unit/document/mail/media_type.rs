use super::*;
use crate::document::Format;

#[test]
fn frequent_media_types_have_the_class_of_the_tables() {
    let header = Header::default();
    for media_type in ["text/plain", "text/html"] {
        let class = PartClass::of(media_type, &header);
        assert_eq!(
            class,
            PartClass::of_other(media_type, &header),
            "{media_type}"
        );
    }
    let formats = Format::all().flat_map(|format| format.media_types);
    let types = TYPES.iter().flat_map(|(_, names)| *names);
    for name in formats.chain(types) {
        assert!(!name.starts_with("multipart/"), "{name}");
    }
}
