use super::*;

#[test]
fn rows_of_an_element_are_adjacent() {
    for row in ROWS {
        let mut found = rows(row.namespace, row.element.as_bytes()).iter();
        assert!(found.any(|found| std::ptr::eq(found, row)), "{row:?}");
    }
}
