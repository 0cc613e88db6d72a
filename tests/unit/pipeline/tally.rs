use super::*;

#[test]
fn uri_without_a_host_is_counted_by_scheme() {
    for (uri, expected) in [
        ("mailto:ann@example.com", "mailto:"),
        ("file:///a/b", "file:"),
        ("http://example.com/", "example.com"),
        ("http://Example.COM.:80/", "example.com"),
        ("no/scheme", ""),
    ] {
        let host = CountKey::Host.of_uri(uri.as_bytes());
        assert_eq!(&*host, expected.as_bytes(), "{uri}");
    }
}

#[test]
fn merged_counts_are_those_of_one_tally() {
    let mut one = KeyCounts::default();
    let mut halves = [KeyCounts::default(), KeyCounts::default()];
    for n in 0..10_000u32 {
        let value = format!("value {}", n * n % 3001);
        one.count(value.as_bytes());
        halves[n as usize % 2].count(value.as_bytes());
    }
    let [mut merged, second] = halves;
    merged.merge(second);
    let rows = |tally: KeyCounts| {
        let mut rows = Vec::new();
        let taken: Result<(), ()> = tally.rows(None, |value, count| {
            rows.push((value.to_vec(), count));
            Ok(())
        });
        taken.unwrap();
        rows
    };
    let (one, merged) = (rows(one), rows(merged));
    assert_eq!(one, merged);
    assert_eq!(one.iter().map(|(_, count)| count).sum::<u64>(), 10_000);
    assert!(one.is_sorted_by(|(key, count), (other, others)| {
        count > others || count == others && key < other
    }));
}
