use super::*;

#[test]
fn ids_are_those_of_docutils() {
    for (name, id) in [
        ("A Title", "a-title"),
        ("  3. Uber_uns & mehr!", "uber-uns-mehr"),
        ("\u{dc}ber \u{142}", "uber-l"),
        ("\u{4e2d}\u{6587}", ""),
        ("a--b__c", "a-b-c"),
    ] {
        assert_eq!(make_id(name.as_bytes()), id.as_bytes(), "{name}");
    }
}
