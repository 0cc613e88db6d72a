use super::*;

#[test]
fn names_are_known_in_any_case() {
    let names: Vec<&str> = FIELDS
        .iter()
        .flat_map(|(.., names)| names.iter().copied())
        .collect();
    for name in names {
        let known = HeaderField::named(name.as_bytes());
        assert_ne!(known, HeaderField::OTHER, "{name}");
        for other in [name.to_lowercase(), name.to_uppercase()] {
            assert_eq!(HeaderField::named(other.as_bytes()), known);
        }
        for at in 0..name.len() {
            let mut other = name.as_bytes().to_vec();
            other[at] = b'_';
            let found = HeaderField::named(&other);
            assert_eq!(found, HeaderField::OTHER, "{name} at {at}");
        }
    }
    assert_eq!(HeaderField::named(b"Received"), HeaderField::OTHER);
}
