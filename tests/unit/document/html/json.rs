use super::*;

fn found(json: &str, kind: ScriptJson) -> Vec<String> {
    let ranges = references(json.as_bytes(), 0..json.len(), kind);
    let text = |range: Range<usize>| {
        let text = unescaped(json[range].as_bytes()).into_owned();
        String::from_utf8(text).unwrap()
    };
    ranges.into_iter().map(text).collect()
}

#[test]
fn references_are_found_by_the_kind_of_script() {
    let map = r#"{"imports": {"react": "/r.js", "./a": "https:\/\/k.example/\u00e9"},
            "scopes": {"/s/": {"x": "../y", "z": "bare"}}, "integrity": {"/r.js": "sha384-x"}}"#;
    let expected = [
        "/r.js",
        "./a",
        "https://k.example/é",
        "/s/",
        "../y",
        "/r.js",
    ];
    assert_eq!(found(map, ScriptJson::ImportMap), expected);
    let rules = r#"{"prefetch": [{"urls": ["a", "b"], "where": {"href_matches": "/no"}}]}"#;
    assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a", "b"]);
    let data = r##"[{"@id": "#i", "name": "no", "sameAs": ["u", "v"], "logo": {"url": "w"}}]"##;
    assert_eq!(found(data, ScriptJson::LinkedData), ["#i", "u", "v", "w"]);
    let data = r#"{"@type": "VideoObject", "embedUrl": "a", "thumbnailUrl": ["b"], "contentUrl": "c",
            "mainEntityOfPage": {"@id": "d"}, "schema:url": "e", "description": "no"}"#;
    let expected = ["a", "b", "c", "d", "e"];
    assert_eq!(found(data, ScriptJson::LinkedData), expected);
}

#[test]
fn repeated_member_is_counted_twice() {
    let map = r#"{"imports": {"./a": "./b", "./a": "./c"}, "imports": {"./d": "./e"}}"#;
    let expected = ["./a", "./b", "./a", "./c", "./d", "./e"];
    assert_eq!(found(map, ScriptJson::ImportMap), expected);
    let rules = r#"{"prefetch": [{"urls": ["a"], "urls": ["b"]}], "prefetch": [{"urls": ["c"]}]}"#;
    assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a", "b", "c"]);
    let data = r#"{"url": "a", "url": "b"}"#;
    assert_eq!(found(data, ScriptJson::LinkedData), ["a", "b"]);
}

#[test]
fn a_key_may_be_escaped() {
    let map = r#"{"\u0069mports": {"a": "./b"}}"#;
    assert_eq!(found(map, ScriptJson::ImportMap), ["./b"]);
    let rules = r#"{"prefetch": [{"\u0075rls": ["a"]}]}"#;
    assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a"]);
    let data = r#"{"\u0040id": [["a"]]}"#;
    assert_eq!(found(data, ScriptJson::LinkedData), ["a"]);
}

#[test]
fn text_that_is_not_json_has_no_references() {
    for json in [
        "",
        "{",
        r#"{"urls": ["a"],}"#,
        r#"{"urls": ["a"]} x"#,
        r#"{urls: ["a"]}"#,
    ] {
        assert!(
            found(json, ScriptJson::SpeculationRules).is_empty(),
            "{json}"
        );
    }
    let deep = "[".repeat(100_000);
    assert!(found(&deep, ScriptJson::ImportMap).is_empty());
}
