use super::*;

/// The parameters that are left out.
const USUAL: FlateParameters = FlateParameters {
    predictor: 1,
    colors: 1,
    bits: 8,
    columns: 1,
};

#[test]
fn predictors_of_png_are_undone() {
    let parameters = FlateParameters {
        predictor: 15,
        columns: 3,
        ..USUAL
    };
    let undone = |rows: &[u8]| undo_png(rows, parameters).unwrap();
    assert_eq!(undone(&[0, 1, 2, 3]), [1, 2, 3]);
    assert_eq!(undone(&[1, 1, 2, 3]), [1, 3, 6]);
    assert_eq!(undone(&[2, 1, 2, 3, 2, 1, 1, 1]), [1, 2, 3, 2, 3, 4]);
    assert_eq!(undone(&[0, 4, 4, 4, 3, 1, 1, 1]), [4, 4, 4, 3, 4, 5]);
    assert_eq!(undone(&[0, 4, 4, 4, 4, 1, 1, 1]), [4, 4, 4, 5, 6, 7]);
    // The last row may be short.
    assert_eq!(undone(&[0, 4, 4, 4, 2, 1]), [4, 4, 4, 5]);
}

#[test]
fn widths_beyond_measure_are_damage() {
    let parameters = FlateParameters {
        predictor: 12,
        columns: usize::MAX,
        colors: usize::MAX,
        ..USUAL
    };
    assert_eq!(undo_png(&[0, 1], parameters), None);
}
