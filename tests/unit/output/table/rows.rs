use super::*;

#[test]
fn strings_of_more_than_2_gib_in_a_row_are_refused() {
    let mut bytes = 0;
    assert!(add(MAX_BYTES, &mut bytes).is_ok());
    assert!(add(1, &mut bytes).is_err());
    assert!(add(usize::MAX, &mut bytes).is_err());
    assert_eq!(bytes, MAX_BYTES);
}
