use super::*;

fn targets(value: &str) -> Vec<&str> {
    let ranges = link_targets(value.as_bytes());
    ranges.into_iter().map(|range| &value[range]).collect()
}

#[test]
fn a_link_field_holds_targets_outside_quotes() {
    assert_eq!(
        targets("<a>; rel=x, <b,c>;title=\"<d>, <e>\" ,<f>"),
        ["a", "b,c", "f"]
    );
    assert_eq!(targets("<a>; x=\"\\\"<b>\", <c"), ["a"]);
    assert_eq!(targets("x <a>, y, <b>"), ["b"]);
}

#[test]
fn fields_may_be_folded() {
    let block = b"HTTP/1.1 200 OK\r\nLink: <a>,\r\n <b>\nX : y\n\n";
    let found: Vec<_> = fields(block)
        .map(|field| (field.name, &block[field.value], field.line))
        .collect();
    let expected: [(&[u8], &[u8], u64); 2] = [(b"Link", b"<a>,\r\n <b>", 2), (b"X", b"y", 4)];
    assert_eq!(found, expected);
}
