use super::*;

#[test]
fn every_name_is_found_in_any_case_and_no_other() {
    for (index, name) in ELEMENTS.iter().enumerate().skip(1) {
        assert_eq!(Element::of(name.as_bytes()) as usize, index, "{name}");
        let upper = name.to_ascii_uppercase();
        assert_eq!(Element::of(upper.as_bytes()) as usize, index, "{upper}");
        let longer = format!("{name}x");
        assert!(!ELEMENTS.contains(&&*longer) || Element::of(longer.as_bytes()).name() == longer);
    }
    for (index, name) in ATTRIBUTE_NAMES.iter().enumerate().skip(1) {
        assert_eq!(Attribute::of(name.as_bytes()) as usize, index, "{name}");
    }
    for other in [
        "",
        "h7",
        "h\x11",
        "basefont",
        "b\0ase",
        "lineargradien",
        "lineargradientx",
        "\u{0130}mg",
    ] {
        assert_eq!(Element::of(other.as_bytes()), Element::Other, "{other}");
    }
}

#[test]
fn lower_case_is_that_of_ascii() {
    for byte in 0..=255u8 {
        let word = u64::from_le_bytes([byte; 8]);
        let expected = u64::from_le_bytes([byte.to_ascii_lowercase(); 8]);
        assert_eq!(lower(word), expected, "{byte:#x}");
    }
}
