//! The sample session of README.md is what one sees.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A command of the session, and what stands below it.
struct Step {
    words: Vec<String>,
    expected: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of all blocks of a kind, in order.
fn blocks(kind: &str) -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let fence = format!("```{kind}");
    let mut lines = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match inside {
            true if line == "```" => inside = false,
            true => lines.push(line.to_owned()),
            false => inside = line == fence,
        }
    }
    lines
}

fn session() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in blocks("console") {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                words: words(command),
                expected: String::new(),
            });
        } else {
            let step = steps.last_mut().expect("a block begins with a command");
            step.expected.push_str(&line);
            step.expected.push('\n');
        }
    }
    steps
}

/// The words of a command line; single quotes keep one together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in command.split('\'').enumerate() {
        let mut pieces = if index % 2 == 0 {
            part.split(' ').collect()
        } else {
            vec![part]
        };
        let first = pieces.remove(0);
        words.last_mut().unwrap().push_str(first);
        words.extend(pieces.into_iter().map(str::to_owned));
    }
    words
}

#[test]
fn the_sample_session_is_what_one_sees() {
    let steps = session();
    assert!(steps.len() > 2, "README.md shows a session");
    for Step { words, expected } in steps {
        assert_eq!(words[0], "uriscan", "{words:?}");
        let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(&words[1..])
            .current_dir(root())
            .output()
            .unwrap();
        let got = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(got, expected, "{words:?}\n{errors}");
        assert_eq!(errors, "", "{words:?}");
        assert!(output.status.success(), "{words:?}: {}", output.status);
    }
}

#[test]
fn the_quick_start_is_one_command_to_see_it_work_and_one_to_test_it() {
    assert_eq!(
        blocks("sh"),
        ["cargo run --release -- corpus", "cargo test"]
    );
}
