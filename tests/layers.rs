//! The structure of the crate: a module uses modules of lower layers, or of its own without
//! circles, and no files use each other in a circle but where a grammar recurses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Every module at the top of `src`, and its layer.
const LAYERS: [(&str, u8); 14] = [
    ("archive", 4),
    ("bytes", 1),
    ("uri", 2),
    ("decode", 2),
    ("document", 3),
    ("linker", 4),
    ("extractor", 5),
    ("links", 6),
    ("response", 6),
    ("rewrite", 5),
    ("output", 5),
    ("pipeline", 6),
    ("audit", 6),
    ("cli", 7),
];

/// Where a grammar recurses: the file that holds the inner document, and the one that it calls.
const RECURSIONS: [(&str, &str); 2] = [
    // A document in a `srcdoc` attribute.
    ("document/html/report", "document/html/scanner"),
    // A message in a message.
    ("document/mail/part", "document/mail/tree"),
];

/// A module's path in the crate, as segments.
type Module = Vec<String>;

/// What a file of `src` says: its paths to other modules, and the names that it imports.
#[derive(Default)]
struct Source {
    paths: BTreeSet<Module>,
    imports: BTreeMap<String, Module>,
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// The code of a file without comments, the contents of strings, and its unit tests.
fn code(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let mut code = String::new();
    for line in text.lines() {
        let mut is_string = false;
        let mut previous = ' ';
        for (at, byte) in line.char_indices() {
            if !is_string && line[at..].starts_with("//") {
                break;
            }
            if byte == '"' && previous != '\\' && previous != '\'' {
                is_string = !is_string;
            }
            if !is_string {
                code.push(byte);
            }
            previous = byte;
        }
        code.push('\n');
    }
    code
}

/// The paths of a tree of imports, such as `a::{b, c::{d, e}}`.
fn expanded(tree: &str) -> Vec<String> {
    let Some(brace) = tree.find('{') else {
        return vec![tree.trim().to_owned()];
    };
    let inner = &tree[brace + 1..tree.rfind('}').unwrap_or(tree.len())];
    let mut paths = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, byte) in inner.char_indices().chain([(inner.len(), ',')]) {
        match byte {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let item = inner[start..at].trim();
                if !item.is_empty() {
                    paths.extend(expanded(&format!("{}{item}", tree[..brace].trim())));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    paths
}

fn segments(path: &str) -> Module {
    path.split("::")
        .map(|segment| segment.trim().to_owned())
        .collect()
}

/// Reads the imports and the paths of a file.
fn read(text: &str) -> Source {
    let code = code(text);
    let mut source = Source::default();
    let mut rest = String::new();
    let mut from = 0;
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = code[line..at].trim();
        if at < from || !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let end = at + code[at..].find(';').unwrap_or(code.len() - at);
        rest.push_str(&code[from..line]);
        from = end;
        for path in expanded(&code[at + "use ".len()..end]) {
            let (path, alias) = path.split_once(" as ").unwrap_or((&path, ""));
            let mut path = segments(path);
            let is_module = path.last().is_some_and(|last| last == "self");
            if is_module {
                path.pop();
            }
            let name = match alias.trim() {
                "" => path.last().cloned().unwrap_or_default(),
                alias => alias.to_owned(),
            };
            if !is_module {
                source.paths.insert(path.clone());
            }
            source.imports.insert(name, path);
        }
    }
    rest.push_str(&code[from.min(code.len())..]);
    let is_word = |byte: char| byte.is_alphanumeric() || byte == '_';
    for word in rest.split(|byte| !is_word(byte) && byte != ':') {
        if let Some((first, _)) = word.split_once("::")
            && first.starts_with(|byte: char| byte.is_ascii_lowercase())
        {
            source.paths.insert(segments(word.trim_end_matches(':')));
        }
    }
    source
}

/// The files of `src` by their module.
fn sources() -> BTreeMap<Module, Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&root, "rs", &mut found);
    let module = |path: &PathBuf| {
        let inner = path.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Module = inner
            .iter()
            .map(|segment| segment.to_str().unwrap().to_owned())
            .collect();
        module.pop_if(|last| last == "mod" || last == "lib");
        (module, read(&fs::read_to_string(path).unwrap()))
    };
    let mut sources: BTreeMap<Module, Source> = found.iter().map(module).collect();
    sources.remove(&vec!["main".to_owned()]);
    sources
}

/// Finds the file that defines what a path names.
fn resolve(sources: &BTreeMap<Module, Source>, from: &Module, path: &[String]) -> Option<Module> {
    let mut module = from.clone();
    for (at, segment) in path.iter().enumerate() {
        let mut child = module.clone();
        child.push(segment.clone());
        match segment.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => {
                module.pop();
            }
            _ if sources.contains_key(&child) => module = child,
            _ => {
                let import = sources.get(&module)?.imports.get(segment);
                let Some(import) = import.filter(|import| import[0] != *segment) else {
                    return (at > 0).then_some(module);
                };
                let path: Vec<String> = import.iter().chain(&path[at + 1..]).cloned().collect();
                return resolve(sources, &module, &path);
            }
        }
    }
    // The name of a module alone says nothing of what is used of it.
    None
}

/// The files that each file uses, but for the recursions of grammars.
fn uses(sources: &BTreeMap<Module, Source>) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, source) in sources {
        let used = uses.entry(module.join("/")).or_default();
        let found = source
            .paths
            .iter()
            .filter_map(|path| resolve(sources, module, path));
        used.extend(
            found
                .filter(|other| other != module && !other.is_empty())
                .map(|other| other.join("/"))
                .filter(|other| !RECURSIONS.contains(&(&module.join("/"), other))),
        );
    }
    uses
}

#[test]
fn modules_use_only_lower_layers() {
    let layer = |file: &str| {
        let module = file.split('/').next().unwrap();
        let row = LAYERS.iter().find(|(name, _)| *name == module);
        row.unwrap_or_else(|| panic!("{module} has no layer")).1
    };
    let uses = uses(&sources());
    let mut checked = 0;
    for (file, used) in uses.iter().filter(|(file, _)| !file.is_empty()) {
        for other in used {
            assert!(layer(other) <= layer(file), "{file} uses {other}");
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

/// The files that a file uses, directly or through others.
fn reached<'a>(uses: &'a BTreeMap<String, BTreeSet<String>>, file: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left = vec![file];
    while let Some(file) = left.pop() {
        for other in uses.get(file).into_iter().flatten() {
            if reached.insert(other.as_str()) {
                left.push(other);
            }
        }
    }
    reached
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let uses = uses(&sources());
    for (file, other) in RECURSIONS {
        let text = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{file}.rs")),
        );
        assert!(
            text.is_ok() && uses.contains_key(other),
            "{file} and {other}"
        );
    }
    let circle: Vec<String> = uses
        .iter()
        .flat_map(|(file, used)| used.iter().map(move |other| (file, other)))
        .filter(|(file, other)| reached(&uses, other).contains(file.as_str()))
        .map(|(file, other)| format!("{file} uses {other}"))
        .collect();
    assert!(circle.is_empty(), "{}", circle.join("\n"));
}

/// The files below a folder with an extension, as texts.
fn texts(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    files(Path::new(folder), extension, &mut found);
    let text = |path| fs::read_to_string(path).unwrap();
    found.iter().map(text).collect()
}

#[test]
fn every_rule_has_a_number_of_its_own() {
    let mut numbers = BTreeSet::new();
    for line in texts("src", "md").iter().flat_map(|text| text.lines()) {
        let start = ["- **", "| "].iter().find_map(|it| line.strip_prefix(it));
        let word = start.and_then(|rest| rest.split([' ', '*']).next());
        let word = word.unwrap_or_default();
        let is_number = |digits: &str| digits.parse::<u32>().is_ok();
        if word.starts_with(|first: char| first.is_ascii_uppercase()) && is_number(&word[1..]) {
            assert!(numbers.insert(word.to_owned()), "{word} stands twice");
        }
    }
    assert!(numbers.len() > 200, "{}", numbers.len());
}

#[test]
fn the_tests_that_rules_of_the_audit_name_exist() {
    let sources = [texts("src", "rs"), texts("tests", "rs")].concat();
    let tests: BTreeSet<&str> = (sources.iter())
        .flat_map(|text| text.split("fn ").skip(1))
        .filter_map(|rest| rest.split('(').next())
        .collect();
    let rules = fs::read_to_string("src/audit/rules.md").unwrap();
    let is_test = |word: &&str| {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        word.matches('_').count() > 1 && word.bytes().all(is_name)
    };
    // Every second part stands in backticks.
    let named: Vec<&str> = rules
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(is_test)
        .collect();
    assert!(named.len() > 100, "{}", named.len());
    for name in named {
        assert!(tests.contains(name), "there is no test {name}");
    }
}

/// A pattern is compiled when it is first used, and expected to be valid. Those of the tables of constructs and
/// of schemes are used by the tests of their rows.
#[test]
fn each_pattern_of_the_source_compiles() {
    let literal = r####"(?:r##".*?"##|r#".*?"#|r?"(?:\\.|[^"\\])*")"####;
    let calls = format!(r"(?s)Pattern::new\(\s*(?:concat!\(\s*)?((?:{literal}[,\s]*)+)\)");
    let calls = Regex::new(&calls).unwrap();
    let starts = Regex::new(r##"Pattern::new\(\s*(?:r?["#]|concat!)"##).unwrap();
    let literals =
        Regex::new(r####"(?s)r##"(.*?)"##|r#"(.*?)"#|r"([^"]*)"|"((?:\\.|[^"\\])*)""####).unwrap();
    for text in texts("src", "rs") {
        let found: Vec<_> = calls.captures_iter(&text).collect();
        assert_eq!(found.len(), starts.find_iter(&text).count(), "{text}");
        for call in found {
            let parts = literals.captures_iter(&call[1]).map(|literal| {
                let raw = literal.get(1).or(literal.get(2)).or(literal.get(3));
                let plain = |text: &str| text.replace("\\\\", "\\").replace("\\\"", "\"");
                raw.map_or_else(|| plain(&literal[4]), |raw| raw.as_str().to_owned())
            });
            let pattern: String = parts.collect();
            let built = regex::bytes::Regex::new(&format!("(?s-u){pattern}"));
            assert!(built.is_ok(), "{pattern}: {built:?}");
        }
    }
}
