//! An audit of files that an editor holds, with findings shown under their lines.
#![cfg(feature = "formats")]

use std::fmt::Write;

use uriscan::{AuditError, AuditOptions, audit};

/// Audits one file with the contents that it has in an editor.
fn checked(path: &str, contents: &str) -> Result<String, AuditError> {
    let mut shown = String::new();
    let options = AuditOptions::default()
        .overlay(path, contents.as_bytes())
        .threads(1);
    audit(&options, [path], |finding| {
        let span = finding
            .span()
            .map_or(0..0, |span| span.start as usize..span.end as usize);
        let start = contents[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = contents[start..].lines().next().unwrap_or_default();
        let _ = writeln!(shown, "{}: {}", finding.level(), finding.message());
        let _ = writeln!(shown, " | {line}");
        let mark = "^".repeat(span.len());
        let _ = writeln!(
            shown,
            " | {:indent$}{mark} {}",
            "",
            finding.suggestion_str().unwrap_or(""),
            indent = span.start - start
        );
    })?;
    Ok(shown)
}

#[test]
fn findings_are_shown_under_their_lines() {
    let directory = std::env::temp_dir().join("uriscan-downstream");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("guide.md"), "# Guide\n").unwrap();
    let path = directory.join("index.md");
    std::fs::write(&path, "").unwrap();
    let shown = checked(path.to_str().unwrap(), "# Index\n\nsee [guide](gide.md)\n").unwrap();
    assert!(shown.contains(" | see [guide](gide.md)\n"), "{shown}");
    assert!(
        shown.contains(" |             ^^^^^^^ guide.md\n"),
        "{shown}"
    );
}
