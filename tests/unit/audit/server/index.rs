use super::*;
use crate::audit::server::redirects::parse_lines;

fn index(lines: &str) -> RuleIndex {
    let parsed = parse_lines(lines.as_bytes()).unwrap_or_default();
    assert_eq!(parsed.invalid.len() + parsed.unfollowed.len(), 0);
    RuleIndex::new(parsed.rules, false)
}

fn request(path: &str) -> Request<'_> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Request {
        path: path.as_bytes(),
        query: query.as_bytes(),
    }
}

#[test]
fn a_lookup_does_not_try_all_rules() {
    let mut lines = String::new();
    for n in 0..2_000 {
        lines += &format!("/exact/{n} /x\n/splat{n}/* /x\n/:a/named{n} /x\n/store id={n} /x/{n}\n");
    }
    let index = index(&lines);
    for path in [
        "/exact/1999",
        "/splat1999/a/b",
        "/y/named1999",
        "/store?id=1999&b=c",
        "/none",
    ] {
        assert!(index.candidates(&request(path)).len() <= 1, "{path}");
    }
    let found = index.find(&request("/store?id=1999"), false).unwrap();
    assert_eq!(found.destination, b"/x/1999");
    assert!(index.find(&request("/store?id=2000"), false).is_none());
    assert_eq!(index.unfollowed, 0);
}

#[test]
fn the_first_rule_counts_as_if_all_were_tried() {
    let mut seed = 3u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..300 {
        let mut lines = String::new();
        for number in 0..12 {
            let mut from = String::new();
            for _ in 0..random(4) {
                from += ["/a", "/b", "/:x", "/:y", "/a*b"][random(5) as usize];
            }
            from += ["", "/", "/*"][random(3) as usize];
            let query = ["", "q=1", "q=:q", "r=2 q=1"][random(4) as usize];
            let force = ["", " 301!"][random(2) as usize];
            if from.starts_with('/') {
                lines += &format!("{from} {query} /to/{number}{force}\n");
            }
        }
        let index = index(&lines);
        for _ in 0..20 {
            let mut path = String::new();
            for _ in 0..1 + random(4) {
                path += ["/a", "/b", "/c", "/axb"][random(4) as usize];
            }
            path += ["", "?q=1", "?q=1&r=2", "?r=2"][random(4) as usize];
            let (request, exists) = (request(&path), random(2) == 0);
            let naive = index.rules.iter().find_map(|rule| {
                let destination = rule.destination(&request)?;
                (rule.force || !exists).then_some(destination)
            });
            let found = index.find(&request, exists).map(|found| found.destination);
            assert_eq!(found, naive, "{path} exists: {exists}\n{lines}");
        }
    }
}
