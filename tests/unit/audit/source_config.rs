use super::{Setting, front_matter, javascript, values_after, yaml};

fn text(value: &Setting, path: &str) -> Option<String> {
    value.text(path).map(str::to_owned)
}

#[test]
fn yaml_with_tags_of_programs_has_unknown_values_and_the_others() {
    let values = yaml(
        "a: {b: [x, 2]}\nurl: !ENV [URL, x]\nplain: yes it is\nflag: true\nlist:\n  - k: !!python/name:m.f\n  - z\n",
    )
    .unwrap();
    assert_eq!(values.texts("a.b").collect::<Vec<_>>(), ["x", "2"]);
    assert!(values.is_unknown("url"));
    assert_eq!(text(&values, "plain").as_deref(), Some("yes it is"));
    assert!(values.flag_or("flag", false));
    assert_eq!(values.list("list").len(), 2);
    assert_eq!(yaml("a: [b"), None);
}

/// Each lookup may visit all keys of a map.
#[test]
fn keys_beyond_a_limit_are_unknown() {
    let members = |quote, from, to: usize| {
        let members = (from..to).map(|n| format!("{quote}k{n}{quote}: \"v{n}\""));
        members.collect::<Vec<_>>().join(",\n")
    };
    let most = super::MAX_ENTRIES;
    for values in [
        yaml(&members("", 0, most + 1).replace(',', "")).unwrap(),
        super::json(&format!("{{{}}}", members("\"", 0, most + 1))).unwrap(),
        javascript(&format!("export default {{{}}}", members("", 0, most + 1))),
    ] {
        assert_eq!(values.keys("").count(), most);
        assert_eq!(text(&values, "k1").as_deref(), Some("v1"));
        assert!(values.is_unknown("other"));
    }
    let [mut own, other] = [(0, most), (most, most + 1)]
        .map(|(from, to)| yaml(&members("", from, to).replace(',', "")).unwrap());
    assert_eq!(own.get("other"), None);
    own.inherit(other);
    assert!(own.is_unknown("other"));
}

/// As Psych and PyYAML read them.
#[test]
fn flags_of_yaml_1_1_are_flags_and_texts() {
    let values = yaml("a: yes\nb: Off\nc: 'no'\nd: n\nno: x\n").unwrap();
    let flags = ["a", "b", "c", "d"].map(|key| values.flag(key));
    assert_eq!(flags, [Some(true), Some(false), Some(false), None]);
    assert_eq!(text(&values, "c").as_deref(), Some("no"));
    assert_eq!(text(&values, "no").as_deref(), Some("x"));
}

#[test]
fn literals_of_a_module_are_read_and_computed_values_are_unknown() {
    let values = javascript(
        "import x from 'y'\nconst base = '/b/'\n// export\nexport default defineConfig({\n  base, // c\n  'srcDir': \"docs\",\n\
         other: process.env.X ?? 'z', list: ['a', f(1), ...rest, 'c',],\n  nested: { on: true, 'k-1': `t`, [x]: 2 },\n\
         fn() { return { base: 1 } }, arrow: () => ({ a: 1 }), typed: { a: 1 } as const,\n})\nfoo()\n",
    );
    assert_eq!(text(&values, "srcDir").as_deref(), Some("docs"));
    assert!(values.is_unknown("other") && values.is_unknown("fn") && values.is_unknown("arrow"));
    assert_eq!(values.list("list").len(), 4);
    assert_eq!(values.texts("list").collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(text(&values, "nested.k-1").as_deref(), Some("t"));
    assert!(values.is_unknown("nested.missing"));
    assert_eq!(values.get("missing"), None);
    assert_eq!(text(&values, "typed.a").as_deref(), Some("1"));
    assert_eq!(
        text(&javascript("const c = { a: 'x' }\nexport default c\n"), "a").as_deref(),
        Some("x")
    );
    assert_eq!(
        text(&javascript("module.exports = { a: 'x' };"), "a").as_deref(),
        Some("x")
    );
    assert_eq!(
        javascript("export default () => ({ a: 'x' })"),
        Setting::Unknown
    );
}

#[test]
fn modules_of_any_text_are_read_without_a_panic() {
    for text in [
        "export default {",
        "export default [é, 'é",
        "export default {a: {b: [",
        "export default `${",
        "export default {é: 'é', \"",
        "module.exports = {a: /x'/}",
    ] {
        javascript(text);
    }
    javascript(&format!("export default {}", "[".repeat(10_000)));
    let names: String = (0..200)
        .map(|at| format!("const a{at} = [a{}, a{}]\n", at + 1, at + 1))
        .collect();
    javascript(&format!("{names}export default a0"));
}

#[test]
fn front_matter_is_yaml_toml_or_json() {
    let title = |text: &str| Some(front_matter(text.as_bytes())?.text("title")?.to_owned());
    assert_eq!(title("---\ntitle: A\n---\nx").as_deref(), Some("A"));
    assert_eq!(
        title("\u{FEFF}+++\ntitle = 'A'\n+++\n").as_deref(),
        Some("A")
    );
    assert_eq!(title("{\n\"title\": \"A\"\n}\n# x").as_deref(), Some("A"));
    assert_eq!(front_matter(b"---\na: [\n---\n"), None);
    assert_eq!(front_matter(b"---\na: b\n"), Some(Setting::Null));
    assert_eq!(front_matter(b"# x"), Some(Setting::Null));
    assert_eq!(front_matter(b"---\n---\n"), Some(Setting::empty()));
}

#[test]
fn calls_that_do_not_end_are_unknown_within_a_bound() {
    // Each of them reaches to the end: 20 GiB without the bound.
    let text = "add(f(".repeat(80_000);
    let values = values_after(&text, "add(");
    assert_eq!(
        values.filter(|value| *value == Setting::Unknown).count(),
        80_000
    );
    let text = "add('a'); add(b); add({c: 'd'})";
    let values: Vec<_> = values_after(text, "add(").collect();
    assert_eq!(values[0].as_text(), Some("a"));
    assert_eq!(values[1], Setting::Unknown);
    assert_eq!(values[2].text("c"), Some("d"));
}

#[test]
fn strings_of_a_module_have_the_characters_of_their_escapes() {
    let values = javascript(
        r"export default { a: '\u00dcn\xefcode', b: '\u{1F600}\-', c: 'x\ny\'\\', d: '\uD83D' }",
    );
    assert_eq!(text(&values, "a").as_deref(), Some("Ünïcode"));
    assert_eq!(text(&values, "b").as_deref(), Some("\u{1F600}-"));
    assert_eq!(text(&values, "c").as_deref(), Some("x\ny'\\"));
    assert_eq!(text(&values, "d").as_deref(), Some(""));
}
