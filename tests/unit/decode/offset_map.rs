use super::*;

#[test]
fn offsets_go_back_to_where_they_came_from() {
    // Source: "ab\r\n cd" with the fold removed, then one character of three bytes made two.
    let mut map = OffsetMap::default();
    map.copy(2);
    map.skip(3);
    map.copy(2);
    map.put(2, 3);
    map.put(1, 2);
    let starts: Vec<u64> = (0..8).map(|offset| map.start(offset)).collect();
    assert_eq!(starts, [0, 1, 5, 6, 7, 7, 10, 12]);
    let ends: Vec<u64> = (0..8).map(|offset| map.end(offset)).collect();
    assert_eq!(ends, [0, 1, 2, 6, 7, 10, 10, 12]);
}

#[test]
fn characters_of_one_length_share_a_segment() {
    let mut map = OffsetMap::default();
    for _ in 0..1000 {
        map.put(2, 1);
    }
    map.skip(3);
    map.put(2, 1);
    assert_eq!(map.segments.len(), 2);
    assert_eq!((map.start(10), map.start(11), map.end(11)), (5, 5, 6));
    assert_eq!((map.end(2000), map.start(2000)), (1000, 1003));
}

#[test]
fn forgotten_segments_are_dropped_in_bulk() {
    let mut map = OffsetMap::default();
    for n in 0..4000 {
        map.put(1 + n % 2, 1);
    }
    map.forget(1500);
    assert_eq!(map.segments.len(), 4000);
    map.forget(4500);
    assert_eq!(map.segments.len(), 1000);
    assert_eq!((map.start(4500), map.end(4500)), (3000, 3000));
}
