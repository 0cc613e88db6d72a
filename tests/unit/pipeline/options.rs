use super::*;

#[test]
fn the_hash_never_changes() {
    for (text, expected) in [
        ("", 0xcbf2_9ce4_8422_2325_u64),
        ("a", 0xaf63_dc4c_8601_ec8c),
        ("foobar", 0x8594_4171_f739_67e8),
    ] {
        assert_eq!(hash(text.as_bytes()), expected ^ expected >> 32, "{text}");
    }
}

#[test]
fn shards_are_counted_from_one() {
    for text in ["0/3", "4/3", "1", "/", "a/b", "1/0"] {
        assert!(text.parse::<Shard>().is_err(), "{text}");
    }
}
