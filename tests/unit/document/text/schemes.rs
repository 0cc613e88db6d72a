use super::*;

#[test]
fn names_are_short_enough_and_in_lower_case() {
    let source = include_str!("../../../../src/document/text/schemes.rs");
    let (_, rows) = source.split_once("match &lower[..name.len()] {").unwrap();
    let (rows, _) = rows.split_once("other =>").unwrap();
    let names: Vec<&str> = rows.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 100);
    for name in names {
        let upper = name.to_ascii_uppercase();
        assert!(SchemeForm::named(upper.as_bytes()).is_some(), "{name}");
    }
}
