use super::*;

#[test]
fn plain_hosts_have_no_flags() {
    let long = [b'a'; 64];
    let mut hosts: Vec<Vec<u8>> = vec![long.to_vec(), long[1..].to_vec()];
    let bytes = b"a.-:@/[]%_\xE9";
    for code in 0..bytes.len().pow(5) {
        let digits = (0..5).map(|n| bytes[code / bytes.len().pow(n) % bytes.len()]);
        hosts.push(digits.collect());
    }
    for host in &hosts {
        let flags = AuthorityParts::of(host).flags();
        assert!(
            after_plain_host(host).is_none() || flags.is_empty(),
            "{}: {flags:?}",
            host.escape_ascii()
        );
    }
    assert_eq!(after_plain_host(b"www.a-b.example/x"), Some(&b"/x"[..]));
}
