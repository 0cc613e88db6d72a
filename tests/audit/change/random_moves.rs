//! Moves in random trees.

use super::moves::contents;
use crate::cli::Tree;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn relative(from: &str, to: &str) -> String {
    let folders: Vec<_> = from.split('/').collect();
    let names: Vec<_> = to.split('/').collect();
    let both = folders[..folders.len() - 1]
        .iter()
        .zip(&names)
        .take_while(|(one, other)| one == other)
        .count();
    let both = both.min(names.len() - 1);
    "../".repeat(folders.len() - 1 - both) + &names[both..].join("/")
}

const KINDS: [&str; 7] = ["html", "md", "mdx", "rst", "adoc", "css", "svg"];

/// A tree of documents of many formats with links, some of which are broken.
fn random_tree(random: &mut Random) -> Tree {
    let mut paths: Vec<String> = Vec::new();
    for number in 0..14 {
        let folder = ["", "guide/", "guide/deep/", "a b/", "ref/"][random.below(5)];
        let kind = KINDS[random.below(KINDS.len())];
        let name = if kind == "html" && random.below(3) == 0 {
            "index".to_owned()
        } else {
            format!("p{number}")
        };
        let path = format!("{folder}{name}.{kind}");
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let tree = Tree::new(&[]);
    for path in &paths {
        let mut text = String::new();
        let kind = path.rsplit('.').next().unwrap();
        for _ in 0..1 + random.below(5) {
            let to = &paths[random.below(paths.len())];
            let mut reference = relative(path, to).replace(' ', "%20");
            match random.below(9) {
                0 => reference = format!("/{}", to.replace(' ', "%20")),
                1 => reference = format!("{reference}#none"),
                2 => reference = relative(path, "missing.html"),
                3 if to.ends_with("/index.html") => reference = reference.replace("index.html", ""),
                _ => {}
            }
            if reference.is_empty() {
                reference = "./".to_owned();
            }
            let line = match kind {
                "html" => format!("<p><a href=\"{reference}\">x</a></p>\n"),
                "md" | "mdx" => format!("[x]({reference})\n\n"),
                "rst" => format!("`x <{reference}>`__\n\n"),
                "adoc" => format!("link:{reference}[x]\n\n"),
                "css" => format!("p {{ background: url({reference}) }}\n"),
                _ => format!("<a xmlns='http://www.w3.org/2000/svg' href='{reference}'/>\n"),
            };
            text.push_str(&line);
        }
        if kind == "svg" {
            text = format!("<svg>\n{text}</svg>\n");
        }
        tree.write(path, text.as_bytes());
    }
    tree
}

/// The rules, paths and lines of all findings; paths below `from` are below `to`.
fn findings(tree: &Tree, from: &str, to: &str) -> Vec<(String, String, String)> {
    let ran = tree.run(&["audit", "--json", "."]);
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let findings = records.filter(|record: &serde_json::Value| record["type"] == "finding");
    let mut found: Vec<_> = findings
        .map(|record| {
            let path = record["path"].as_str().unwrap();
            let rest = path
                .strip_prefix(from)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let path = rest.map_or_else(|| path.to_owned(), |rest| format!("{to}{rest}"));
            (
                record["rule"].as_str().unwrap().to_owned(),
                path,
                record["line"].to_string(),
            )
        })
        .collect();
    found.sort();
    found
}

/// `URISCAN_MOVES=1000` tries more.
#[test]
fn random_moves_change_no_finding_and_the_way_back_leaves_every_byte() {
    let moves =
        std::env::var("URISCAN_MOVES").map_or(crate::rounds(10, 20), |text| text.parse().unwrap());
    let mut random = Random(5);
    let mut made = 0;
    let mut refused = 0;
    while made < moves {
        let tree = random_tree(&mut random);
        for _ in 0..10 {
            let before = contents(tree.path());
            let files: Vec<_> = before
                .keys()
                .map(|path| path.to_str().unwrap().to_owned())
                .collect();
            let mut old = files[random.below(files.len())].clone();
            if random.below(3) == 0
                && let Some((folder, _)) = old.rsplit_once('/')
            {
                old = folder.to_owned();
            }
            let name = old.rsplit('/').next().unwrap();
            let folder = ["", "new/", "guide/", "ref/x/"][random.below(4)];
            let new = match random.below(2) {
                0 => format!("{folder}{name}"),
                _ => format!("{folder}m{made}-{name}"),
            };
            let found = findings(&tree, &old, &new);
            let ran = tree.run(&["mv", "--write", &old, &new]);
            if ran.code != 0 {
                assert_eq!(contents(tree.path()), before, "{old} {new}");
                refused += 1;
                assert!(refused < 40 + 2 * moves, "{old} {new}: {}", ran.err);
                continue;
            }
            made += 1;
            let after = findings(&tree, "-", "-");
            assert_eq!(after, found, "{old} {new}: {before:?}");
            let moved = contents(tree.path());
            let back = tree.run(&["mv", "--write", &new, &old]);
            assert_eq!(back.code, 0, "{new} {old}: {}", back.err);
            assert_eq!(contents(tree.path()), before, "{old} {new}: {moved:?}");
            assert_eq!(tree.run(&["mv", "--write", &old, &new]).code, 0);
            assert_eq!(contents(tree.path()), moved);
        }
    }
}
