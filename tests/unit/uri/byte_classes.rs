use super::*;

/// Classifies byte by byte.
fn naive(reference: &[u8]) -> ByteClasses {
    let mut rest = reference;
    while let Some(after) = rest.strip_prefix(b"./").or(rest.strip_prefix(b"../")) {
        rest = after;
    }
    ByteClasses(classes_of(rest))
}

#[test]
fn each_byte_has_its_class_at_each_place() {
    for length in 1..70 {
        for byte in 0..=u8::MAX {
            for at in [0, 1, length / 2, length - 1] {
                let mut reference = vec![b'x'; length];
                reference[at.min(length - 1)] = byte;
                let text = String::from_utf8_lossy(&reference);
                assert_eq!(ByteClasses::of(&reference), naive(&reference), "{text}");
            }
        }
    }
}

#[test]
fn pairs_have_their_class_at_each_place() {
    for length in 2..70 {
        for at in 0..length - 1 {
            for pair in [b"/.", b"./", b"..", b":&", b"&&"] {
                let mut reference = vec![b'x'; length];
                reference[at..at + 2].copy_from_slice(pair);
                let text = String::from_utf8_lossy(&reference);
                assert_eq!(ByteClasses::of(&reference), naive(&reference), "{text}");
            }
        }
    }
    for dots in [
        "../", "./", "../.././", "../...", "../.", ".././", "..", ".",
    ] {
        for rest in ["", "a", "a:b", "a&b", "/.", "/b"] {
            let reference = [dots, rest].concat();
            let (classes, naive) = (
                ByteClasses::of(reference.as_bytes()),
                naive(reference.as_bytes()),
            );
            assert_eq!(classes, naive, "{reference}");
        }
    }
}
