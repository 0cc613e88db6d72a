//! Paths in files of instructions for agents.

use crate::cli::Tree;

const INSTRUCTIONS: &str = "\
# Layout

- src/main.rs: the entry
- src/gone.rs: nothing
- `src/lib/` and `src/old/` and `old/`
- and/or, Read/write
* docs/guide.md

See @docs/guide.md and @docs/none.md. Mail me@docs/mail.md, @types/node, @name.
Run `cargo test`, `--file=a/b.rs`, `-C/x.rs`, `src/*.rs`, `src/<name>.rs`, `$HOME/a.rs`, `{a}/b.rs`.
`https://example.com/a.html` `text/html` `origin/main` `src/main.rs:12` `src/none.rs:12` `docs/guide.md#part`
`@docs/guide.md` `@docs/absent.md` `beside.toml` `missing.toml` `/src/main.rs` `/src/lost` `/etc/hosts.conf`
`src/module` `./beside.toml` `../outside.md`

```
- src/fenced.rs
`src/fenced.rs` @docs/fenced.md
```

After it: `src/after.rs`
";

#[test]
fn paths_of_nothing_are_findings() {
    let tree = Tree::new(&[
        ("tree/src/main.rs", ""),
        ("tree/src/lib/mod.rs", ""),
        ("tree/docs/guide.md", ""),
        ("tree/beside.toml", ""),
        ("tree/AGENTS.md", INSTRUCTIONS),
        ("tree/inner/CLAUDE.md", "`src/main.rs` `own.py` @x/no.md\n"),
        ("tree/inner/own.py", ""),
        ("tree/README.md", "`src/gone.rs`\n"),
    ]);
    let ran = tree.run(&["audit", "--group", "none", "--warn", "stale-path", "tree"]);
    let lines = ran.out.lines().map(|line| {
        let line = line.strip_suffix(" (nothing has this path)").unwrap();
        line.replace(": warning[stale-path]:", "")
            .replace("tree/", "")
    });
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "AGENTS.md:4:3 src/gone.rs",
            "AGENTS.md:5:19 src/old/",
            "AGENTS.md:5:34 old/",
            "AGENTS.md:9:25 docs/none.md",
            "AGENTS.md:11:74 src/none.rs:12",
            "AGENTS.md:12:20 docs/absent.md",
            "AGENTS.md:12:51 missing.toml",
            "AGENTS.md:12:81 /src/lost",
            "AGENTS.md:13:2 src/module",
            "AGENTS.md:13:31 ../outside.md",
            "AGENTS.md:20:12 src/after.rs",
            "inner/CLAUDE.md:1:25 x/no.md",
        ]
    );
    assert_eq!(tree.run(&["audit", "tree"]).out, "");
}

#[test]
fn each_kind_of_file_is_read_and_comments_ignore_findings() {
    let tree = Tree::new(&[
        (
            "tree/GEMINI.md",
            "`a/gone.rs`\n<!-- uriscan-ignore-next-line stale-path: soon -->\n`b/gone.rs`\n",
        ),
        ("tree/llms.txt", "`a/gone.rs`\n"),
        ("tree/.cursorrules", "`a/gone.rs`\n"),
        ("tree/.github/copilot-instructions.md", "`a/gone.rs`\n"),
        ("tree/notes.md", "`a/gone.rs`\n"),
    ]);
    let ran = tree.run(&[
        "audit",
        "--deny",
        "stale-path",
        "--hidden",
        "--group",
        "none",
        "tree",
    ]);
    let places = ran.out.lines().map(|line| line.split_once(':').unwrap().0);
    let mut places: Vec<_> = places.collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            "tree/.cursorrules",
            "tree/.github/copilot-instructions.md",
            "tree/GEMINI.md",
            "tree/llms.txt"
        ]
    );
    assert_eq!(ran.code, 1);
}
