use super::*;

#[test]
fn some_instructions_name_a_resource() {
    for (instruction, expected) in [
        (
            r#" HYPERLINK "http://example.com/a" "#,
            Some("http://example.com/a"),
        ),
        (
            r#"hyperlink http://example.com/a \o "tip""#,
            Some("http://example.com/a"),
        ),
        (r#" HYPERLINK \o "tip" "a.html" \l "b""#, Some("a.html")),
        (r#" HYPERLINK \l "_Toc1" "#, None),
        (
            r#" INCLUDEPICTURE  "img\\a.png" \* MERGEFORMATINET \d "#,
            Some(r"img\\a.png"),
        ),
        (r#"HYPERLINK "" "#, None),
        (" PAGE ", None),
        (" HYPERLINK ", Some("(cut)")),
        (r#"HYPERLINK "http://example.com/cut"#, Some("(cut)")),
        ("", None),
    ] {
        let resource = resource(instruction.as_bytes());
        let found = resource.range.map(|range| &instruction[range]);
        let found = if resource.is_cut {
            Some("(cut)")
        } else {
            found
        };
        assert_eq!(found, expected, "{instruction}");
    }
}
