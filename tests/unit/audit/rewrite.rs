use super::*;

#[test]
fn reference_with_more_steps_than_directories_escapes_the_root() {
    for (depth, reference, expected) in [
        (0, "../b", Some((1, "b"))),
        (1, "../b", None),
        (1, "../../b", Some((1, "b"))),
        (1, "x/../../b", None),
        (1, "./../../x/b#../", Some((1, "x/b"))),
        (0, "../../issues/1?q", Some((2, "issues/1"))),
        (0, "../x/../../b", Some((2, "b"))),
        (0, "/../b", None),
        (0, "..", Some((1, ""))),
    ] {
        let above = steps_above(depth, reference.as_bytes());
        let expected = expected.map(|(steps, rest)| (steps, rest.as_bytes()));
        assert_eq!(above, expected, "{depth} {reference}");
    }
}
