//! The sample session of README.md is what one sees.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A command of a session, and what stands below it.
struct Step {
    line: String,
    words: Vec<String>,
    expected: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of each block of a kind, in order.
fn blocks(kind: &str) -> Vec<Vec<String>> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let fence = format!("```{kind}");
    let mut blocks = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match inside {
            true if line == "```" => inside = false,
            true => blocks
                .last_mut()
                .into_iter()
                .for_each(|block: &mut Vec<_>| block.push(line.to_owned())),
            false if line == fence => {
                inside = true;
                blocks.push(Vec::new());
            }
            false => {}
        }
    }
    blocks
}

/// The sessions, one a block; each begins at the top of the project.
fn sessions() -> Vec<Vec<Step>> {
    let session = |block: Vec<String>| {
        let mut steps: Vec<Step> = Vec::new();
        for line in block {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step {
                    line: command.to_owned(),
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
    };
    blocks("console").into_iter().map(session).collect()
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

/// Runs a session and says what one sees of it; `cd` and `echo $?` are the shell's. `cp` takes the session
/// to a directory of its own, where it may write. `cargo install` is not run: the command is built already.
fn run(steps: &[Step]) {
    let mut directory = root().to_owned();
    let own = tempfile::tempdir().unwrap();
    let mut code = 0;
    for Step {
        line,
        words,
        expected,
    } in steps
    {
        let seen = match words[0].as_str() {
            "cd" => {
                directory.push(&words[1]);
                String::new()
            }
            "cp" => {
                let (from, to) = words.split_last().map(|(to, from)| (from, to)).unwrap();
                let ran = Command::new("cp")
                    .args(&from[1..])
                    .arg(own.path().join(to))
                    .current_dir(&directory)
                    .status();
                assert!(ran.unwrap().success(), "{words:?}");
                directory = own.path().to_owned();
                String::new()
            }
            "sed" => {
                assert!(
                    directory.starts_with(own.path()),
                    "{words:?} without a copy"
                );
                let ran = Command::new("sed")
                    .args(&words[1..])
                    .current_dir(&directory)
                    .status();
                assert!(ran.unwrap().success(), "{words:?}");
                String::new()
            }
            "cargo" => {
                let install = "cargo install --path . --locked --quiet";
                assert_eq!(words.join(" "), install);
                String::new()
            }
            "echo" => format!("{}\n", std::mem::take(&mut code)),
            _ => {
                assert_eq!(words[0], "uriscan", "{words:?}");
                assert_eq!(code, 0, "a code that is not shown, before {words:?}");
                // Only a shell connects commands.
                let mut command = if line.contains(" | ") {
                    let mut command = Command::new("sh");
                    let line = line.replacen("uriscan", env!("CARGO_BIN_EXE_uriscan"), 1);
                    command.args(["-c", &line]);
                    command
                } else {
                    let mut command = Command::new(env!("CARGO_BIN_EXE_uriscan"));
                    command.args(&words[1..]);
                    command
                };
                let output = command.current_dir(&directory).output().unwrap();
                code = output.status.code().unwrap();
                let seen = [output.stdout, output.stderr].concat();
                String::from_utf8(seen).unwrap()
            }
        };
        assert_eq!(&seen, expected, "{words:?}");
    }
    assert_eq!(code, 0, "a code that is not shown, at the end");
}

#[test]
fn readme_sessions_match_the_output() {
    let sessions = sessions();
    let commands: usize = sessions.iter().map(Vec::len).sum();
    assert!(commands >= 10, "README.md shows ten commands");
    for session in sessions {
        run(&session);
    }
}

#[test]
fn quick_start_has_a_run_and_a_test_command() {
    let shell = blocks("sh");
    assert_eq!(shell[0], ["cargo run -- corpus", "cargo test"]);
}

#[test]
fn documentation_examples_equal_the_tested_programs() {
    let examples = fs::read_to_string(root().join("src/examples.md")).unwrap();
    let programs = fs::read_dir(root().join("tests/downstream/tests")).unwrap();
    // The corpus is read there for WebAssembly, which is no example.
    let programs = programs.map(|entry| entry.unwrap().path());
    let programs: Vec<_> = programs
        .filter(|path| !path.ends_with("corpus.rs"))
        .collect();
    assert!(programs.len() >= 7, "{programs:?}");
    for path in programs {
        let program = fs::read_to_string(&path).unwrap();
        let block = format!("```rust,ignore\n{program}```\n");
        assert!(examples.contains(&block), "{}", path.display());
    }
}
