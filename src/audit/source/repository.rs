//! Repositories: their URLs on a forge, and the pages that a forge shows for directories (A107).

use ignore::gitignore::Gitignore;

use super::config;
use super::paths::with_slash;
use super::site::globs;
use crate::audit::disk::{DiskEntry, DiskTree, FileNaming};
use crate::audit::names::FileId;
use crate::audit::target::{TargetChecker, TargetLocation};
use crate::pipeline::walk::{path_of, read_start};

/// A repository with the place where a forge shows it.
pub(in crate::audit) struct Repository {
    /// With its slash.
    root: Vec<u8>,
    /// Such as `github.com/owner/name/`, in lower case; empty if it is not known.
    address: String,
    is_on_gitlab: bool,
    branch: String,
    ignored: Gitignore,
}

/// The longest configuration that is read, in bytes.
const MAX_CONFIGURATION: u64 = 1 << 20;
/// The pages of a forge that show a file or directory.
const SHOWN: [&str; 5] = ["blob", "tree", "raw", "blame", "edit"];

fn text(root: &[u8], name: &str) -> Option<String> {
    String::from_utf8(read_start(&path_of(root).join(name), MAX_CONFIGURATION).ok()?).ok()
}

impl Repository {
    pub(in crate::audit) fn new(root: &[u8]) -> Self {
        let root = with_slash(root);
        let git = git_directory(&root);
        let common = text(&git, "commondir").map(|common| path_of(&git).join(common.trim_end()));
        let common = common.map_or(git.clone(), |path| {
            path.into_os_string().into_encoded_bytes()
        });
        let origin = text(&common, "config").and_then(|config| origin(&config));
        let address = origin
            .or_else(|| declared(&root))
            .and_then(|url| address(&url));
        let head = text(&git, "HEAD").unwrap_or_default();
        let branch = head
            .trim_end()
            .strip_prefix("ref: refs/heads/")
            .unwrap_or_default();
        let ignored = text(&root, ".gitignore").unwrap_or_default();
        let address = address.unwrap_or_default();
        Repository {
            is_on_gitlab: address.starts_with("gitlab."),
            address,
            branch: branch.to_owned(),
            ignored: globs(&root, ignored.lines()),
            root,
        }
    }

    /// Returns whether a file is a template of a forge, which shows its text elsewhere.
    pub(in crate::audit) fn is_template(&self, path: &[u8]) -> bool {
        let below = path.strip_prefix(self.root.as_slice()).unwrap_or_default();
        let has = |start: &[u8], part: &[u8]| {
            below.starts_with(start) && memchr::memmem::find(below, part).is_some()
        };
        has(b".github/", b"_TEMPLATE") || has(b".gitlab/", b"_templates/")
    }

    /// Returns whether a forge serves an uploaded file at an absolute path.
    pub(in crate::audit) fn is_upload(&self, reference: &[u8]) -> bool {
        self.is_on_gitlab && reference.starts_with(b"/uploads/")
    }

    /// Returns the location of a URL of this repository on its forge; `None` for other URLs.
    pub(in crate::audit) fn locate(
        &self,
        target: &[u8],
        checker: &TargetChecker,
    ) -> Option<TargetLocation> {
        let path = self.path(target)?;
        let Some(path) = path else {
            return Some(TargetLocation::Skipped);
        };
        let path = [&*self.root, &*path].concat();
        let is_ignored = || {
            let path = path_of(path.strip_suffix(b"/").unwrap_or(&path));
            self.ignored
                .matched_path_or_any_parents(path, false)
                .is_ignore()
        };
        Some(
            match checker.tree.find(&self.root, &path, &FileNaming::default()) {
                DiskEntry::File(file, how) => TargetLocation::File(checker.paths.id(&file), how),
                DiskEntry::Directory(directory) => {
                    directory_page(checker, &directory).unwrap_or(TargetLocation::Served)
                }
                _ if is_ignored() => TargetLocation::Skipped,
                _ => TargetLocation::Nothing,
            },
        )
    }

    /// Returns the path that a URL of the repository shows in this state of it; `Some(None)` for
    /// another state or page.
    fn path(&self, target: &[u8]) -> Option<Option<Vec<u8>>> {
        if self.address.is_empty() {
            return None;
        }
        let rest = target
            .strip_prefix(b"https://")
            .or(target.strip_prefix(b"http://"))?;
        let end = memchr::memchr2(b'?', b'#', rest).unwrap_or(rest.len());
        let rest = &rest[..end];
        let below = |start: &str| {
            let own = rest.get(..start.len())?;
            own.eq_ignore_ascii_case(start.as_bytes())
                .then(|| &rest[start.len()..])
        };
        let raw = self.address.strip_prefix("github.com/");
        let raw = raw.and_then(|name| below(&format!("raw.githubusercontent.com/{name}")));
        let shown = match raw {
            Some(rest) => rest.strip_prefix(b"refs/heads/").unwrap_or(rest),
            None => {
                let rest = below(&self.address)?;
                let rest = if self.is_on_gitlab {
                    rest.strip_prefix(b"-/")?
                } else {
                    rest
                };
                let kind = memchr::memchr(b'/', rest)?;
                if !SHOWN.iter().any(|shown| shown.as_bytes() == &rest[..kind]) {
                    return None;
                }
                &rest[kind + 1..]
            }
        };
        let branches = ["HEAD", "main", "master", &self.branch];
        let path = branches
            .into_iter()
            .filter(|branch| !branch.is_empty())
            .find_map(|branch| {
                let rest = shown.strip_prefix(branch.as_bytes())?;
                if rest.is_empty() {
                    Some(rest)
                } else {
                    rest.strip_prefix(b"/")
                }
            });
        Some(path.map(|path| percent_encoding::percent_decode(path).collect()))
    }
}

/// Returns the directory of git, which a file may name.
fn git_directory(root: &[u8]) -> Vec<u8> {
    let git = [root, b".git"].concat();
    let named = text(root, ".git").filter(|_| path_of(&git).is_file());
    let directory = named.and_then(|text| {
        text.trim_end()
            .strip_prefix("gitdir:")
            .map(|path| path.trim().to_owned())
    });
    directory.map_or(git, |path| {
        path_of(root)
            .join(path)
            .into_os_string()
            .into_encoded_bytes()
    })
}

/// Returns the URL of the remote `origin` in a configuration of git.
fn origin(config: &str) -> Option<String> {
    let mut lines = config
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != r#"[remote "origin"]"#)
        .skip(1);
    let mut own = lines.by_ref().take_while(|line| !line.starts_with('['));
    own.find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "url").then(|| value.trim().to_owned())
    })
}

/// Returns the URL of the repository that a manifest declares.
fn declared(root: &[u8]) -> Option<String> {
    let values = |name: &str| config::read(name, &text(root, name)?);
    let package = values("package.json");
    let of_package = package.as_ref().and_then(|package| {
        package
            .text("repository")
            .or(package.text("repository.url"))
            .map(str::to_owned)
    });
    let of_crate = || Some(values("Cargo.toml")?.text("package.repository")?.to_owned());
    let of_project = || {
        let project = values("pyproject.toml")?;
        let mut urls = project.entries("project.urls").iter();
        urls.find_map(|(key, url)| {
            let names = ["repository", "source", "source code", "github", "code"];
            names
                .contains(&&*key.to_lowercase())
                .then(|| url.as_text().map(str::to_owned))?
        })
    };
    of_package.or_else(of_crate).or_else(of_project)
}

/// Returns the host and the path of a repository with a slash at the end, in lower case.
fn address(url: &str) -> Option<String> {
    let url = url.strip_prefix("git+").unwrap_or(url);
    let short = [("github:", "github.com/"), ("gitlab:", "gitlab.com/")]
        .into_iter()
        .find_map(|(start, host)| Some(format!("{host}{}", url.strip_prefix(start)?)));
    let whole = match (short, url.split_once("://")) {
        (Some(short), _) => short,
        (None, Some((_, rest))) => rest
            .rsplit_once('@')
            .map_or(rest, |(_, rest)| rest)
            .to_owned(),
        (None, None) => url
            .split_once('@')
            .map_or(url, |(_, rest)| rest)
            .replacen(':', "/", 1),
    };
    let whole = whole.trim_end_matches('/');
    let whole = whole.strip_suffix(".git").unwrap_or(whole);
    whole
        .contains('/')
        .then(|| format!("{}/", whole.to_ascii_lowercase()))
}

/// The extensions of the page of a directory, the preferred one first.
const README: [&str; 6] = [
    "readme.md",
    "readme.markdown",
    "readme.rst",
    "readme.adoc",
    "readme.txt",
    "readme",
];

/// Returns the page that a forge shows for a directory.
pub(in crate::audit) fn directory_page(
    checker: &TargetChecker,
    directory: &[u8],
) -> Option<TargetLocation> {
    let file = readme(&checker.tree, directory)?;
    let file: FileId = checker.paths.id(&file);
    Some(TargetLocation::File(
        file,
        crate::audit::disk::LookupMatch::Exact,
    ))
}

fn readme(tree: &DiskTree, directory: &[u8]) -> Option<Vec<u8>> {
    let names = tree.names(directory);
    let name = README
        .iter()
        .find_map(|readme| names.iter().find(|name| name.eq_ignore_ascii_case(readme)))?;
    tree.file_in(directory, name.as_bytes())
}
