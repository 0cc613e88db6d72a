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
        let found = match resource(instruction.as_bytes()) {
            FieldResource::Named(range) | FieldResource::Open(Some(range)) => {
                Some(&instruction[range])
            }
            FieldResource::Cut => Some("(cut)"),
            FieldResource::Open(None) | FieldResource::Missing => None,
        };
        assert_eq!(found, expected, "{instruction}");
    }
}
