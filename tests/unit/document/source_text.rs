use super::*;

#[test]
fn chained_maps_return_the_first_source() {
    // `\u0041bc` becomes `Abc`, and that without its second byte `Ac`.
    let (mut first, mut map) = (OffsetMap::default(), OffsetMap::default());
    first.starting(10);
    first.put(1, 6);
    first.copy(2);
    let mut second = OffsetsThrough::new(&mut map, Origin::Decoded(&first), 0);
    second.copy(1);
    second.skip(1);
    second.copy(1);
    let ranges: Vec<_> = (0..2).map(|at| (map.start(at), map.end(at + 1))).collect();
    assert_eq!(ranges, [(10, 16), (17, 18)]);
    // Three bytes that come from four digits together.
    let (mut first, mut map) = (OffsetMap::default(), OffsetMap::default());
    first.units(2, 3, 4);
    let mut second = OffsetsThrough::new(&mut map, Origin::Decoded(&first), 0);
    second.copy(6);
    let ranges: Vec<_> = (0..6).map(|at| (map.start(at), map.end(at + 1))).collect();
    assert_eq!(ranges, [(0, 4), (0, 4), (0, 4), (4, 8), (4, 8), (4, 8)]);
}
