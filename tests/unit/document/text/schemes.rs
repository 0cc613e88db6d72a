use super::*;

#[test]
fn rows_are_sorted_in_lower_case_and_short_enough() {
    assert!(SCHEMES.is_sorted_by(|a, b| a.name < b.name));
    for scheme in SCHEMES {
        assert_eq!(scheme.name, scheme.name.to_ascii_lowercase());
        let named = TextScheme::named(scheme.name.to_ascii_uppercase().as_bytes());
        assert_eq!(named.map(|found| found.name), Some(scheme.name));
        assert!(scheme.name.len() <= TextScheme::LONGEST, "{}", scheme.name);
    }
}
