use super::*;

#[test]
fn strings_of_more_than_2_gib_in_a_row_are_refused() {
    let mut bytes = 0;
    assert!(add(MAX_BYTES, &mut bytes).is_some());
    assert!(add(1, &mut bytes).is_none());
    assert!(add(usize::MAX, &mut bytes).is_none());
    assert_eq!(bytes, MAX_BYTES);
}
