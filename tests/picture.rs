//! `.github/audit.svg`, the picture in README.md: an audit as a terminal of 96 columns shows it.
//!
//! `RECORD=1 cargo test picture` draws it anew.

use std::fs;
use std::path::Path;
use std::process::Command;

const COLUMNS: usize = 96;
/// Advance of a character and height of a line, in pixels of a font of 14.
const ADVANCE: f32 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 16;

/// The colours of SGR sequences on a dark ground; `0` ends them all.
const COLORS: [(&str, &str); 6] = [
    ("0", "p"),
    ("1", "b"),
    ("32", "g"),
    ("35", "m"),
    ("1;31", "r"),
    ("1;33", "y"),
];

const STYLE: &str = "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;\
    white-space:pre}.p{fill:#d0d7de}.b{fill:#fff;font-weight:bold}.g{fill:#7ee787}.m{fill:#d2a8ff}\
    .r{fill:#ff7b72;font-weight:bold}.y{fill:#f2cc60;font-weight:bold}</style>";

/// Characters of one colour.
struct Run {
    class: &'static str,
    text: String,
}

/// Returns the lines of a terminal that shows a text with SGR sequences.
fn lines(text: &str) -> Vec<Vec<Run>> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut runs: Vec<Run> = Vec::new();
        let mut class = "p";
        let mut column = 0;
        for (index, piece) in line.split("\x1b[").enumerate() {
            let piece = match piece.split_once('m') {
                Some((code, rest)) if index > 0 => {
                    let color = COLORS.iter().find(|(known, _)| *known == code);
                    class = color
                        .unwrap_or_else(|| panic!("SGR {code} has no colour"))
                        .1;
                    rest
                }
                _ => piece,
            };
            for c in piece.chars() {
                if column == COLUMNS {
                    column = 0;
                    lines.push(std::mem::take(&mut runs));
                }
                column += 1;
                match runs.last_mut().filter(|run| run.class == class) {
                    Some(run) => run.text.push(c),
                    None => runs.push(Run {
                        class,
                        text: c.to_string(),
                    }),
                }
            }
        }
        lines.push(runs);
    }
    lines
}

fn draw(lines: &[Vec<Run>]) -> String {
    let width = 2 * MARGIN + (COLUMNS as f32 * ADVANCE).ceil() as usize;
    let height = 2 * MARGIN + lines.len() * LINE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"uriscan audit in a terminal\">\n\
         {STYLE}\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (index, runs) in lines.iter().enumerate() {
        let y = MARGIN + index * LINE + 15;
        svg += &format!("<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">");
        let mut column = 0;
        for Run { class, text } in runs {
            // Every run begins where a terminal has it, whatever font there is.
            let x = MARGIN as f32 + column as f32 * ADVANCE;
            let length = text.chars().count();
            column += length;
            let length = length as f32 * ADVANCE;
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            svg += &format!(
                "<tspan class=\"{class}\" x=\"{x:.1}\" textLength=\"{length:.1}\">{text}</tspan>"
            );
        }
        svg += "</text>\n";
    }
    svg + "</svg>\n"
}

#[test]
fn readme_picture_matches_the_audit_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = ["audit", "--color", "always", "site"];
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(words)
        .current_dir(root.join("corpus/audit/first-run"))
        .output()
        .unwrap();
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let session = format!("\x1b[32m$\x1b[0m \x1b[1muriscan audit site\x1b[0m\n{printed}");
    let drawn = draw(&lines(&session));
    let path = root.join(".github/audit.svg");
    if std::env::var_os("RECORD").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    let picture = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        picture == drawn,
        "RECORD=1 cargo test picture draws it anew"
    );
    roxmltree::Document::parse(&picture).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("(.github/audit.svg)"));
}
