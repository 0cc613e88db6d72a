//! Repositories: their URLs on a forge, and the pages that a forge shows for directories (A107).

use percent_encoding::percent_decode;
use regex::bytes::Regex;
use regex::escape;

use super::site::*;
use crate::audit::disk::{DiskEntry, FileNaming, LookupMatch};
use crate::audit::target::{TargetChecker, TargetLocation};

/// A repository with the place where a forge shows it.
pub(in crate::audit) struct Repository {
    /// With its slash.
    pub(in crate::audit) root: Vec<u8>,
    /// Matches the URLs of files and directories, with the path of one in this state of the repository; `None` if the
    /// address is not known.
    urls: Option<Regex>,
    pub(in crate::audit) is_on_gitlab: bool,
    ignored: Gitignore,
}

fn text(root: &[u8], name: &str) -> Option<String> {
    text_of(&join(root, name.as_bytes()))
}

/// The URL of the remote `origin` in a configuration of git.
static ORIGIN: Pattern = Pattern::new(
    r#"(?m)^[ \t]*\[remote "origin"\][ \t\r]*\n(?:[ \t\r]*(?:[^\[\s][^\n]*)?\n)*?[ \t]*url[ \t]*=([^\n]*)"#,
);

impl Repository {
    pub(in crate::audit) fn new(root: &[u8]) -> Self {
        let root = with_slash(root);
        let mut git = join(&root, b".git");
        // A file may name the directory.
        let file = text(&root, ".git").filter(|_| path_of(&git).is_file());
        let named = file.as_deref().unwrap_or_default().trim_end();
        if let Some(named) = named.strip_prefix("gitdir:") {
            git = join(&root, named.trim().as_bytes());
        }
        let common = text(&git, "commondir").map(|common| join(&git, common.trim_end().as_bytes()));
        let config = text(common.as_ref().unwrap_or(&git), "config").unwrap_or_default();
        let origin = ORIGIN.group_at(config.as_bytes(), 0);
        let origin = origin.map(|[_, url]| config[url].trim().to_owned());
        let url = origin.or_else(|| declared(&root)).unwrap_or_default();
        let address = address(&url).unwrap_or_default();
        let head = text(&git, "HEAD").unwrap_or_default();
        let branch = head.trim_end().strip_prefix("ref: refs/heads/");
        let ignored = text(&root, ".gitignore").unwrap_or_default();
        Repository {
            is_on_gitlab: address.starts_with("gitlab."),
            urls: urls(&address, branch).filter(|_| !address.is_empty()),
            ignored: globs(&root, ignored.lines()),
            root,
        }
    }

    /// Returns whether a file is a template of a forge, which shows its text elsewhere, or a reference is the
    /// absolute path of an uploaded file that a forge serves.
    pub(in crate::audit) fn is_of_forge(&self, path: &[u8], reference: &[u8]) -> bool {
        let below = path.strip_prefix(self.root.as_slice()).unwrap_or_default();
        let has = |start: &[u8], part: &[u8]| {
            below.starts_with(start) && memchr::memmem::find(below, part).is_some()
        };
        let is_upload = self.is_on_gitlab && reference.starts_with(b"/uploads/");
        is_upload || has(b".github/", b"_TEMPLATE") || has(b".gitlab/", b"_templates/")
    }

    /// Returns the path of the file that a URL of this repository on its forge names, `Some(None)` for one in another
    /// state of the repository.
    pub(in crate::audit) fn path(&self, target: &[u8]) -> Option<Option<Vec<u8>>> {
        let found = self.urls.as_ref()?.captures(target)?;
        Some(found.get(1).map(|below| {
            let below = below.as_bytes();
            let below = percent_decode(below.strip_prefix(b"/").unwrap_or(below));
            self.root.iter().copied().chain(below).collect()
        }))
    }

    /// Returns the location of a URL of this repository on its forge; `None` for other URLs.
    pub(crate) fn locate(&self, target: &[u8], checker: &TargetChecker) -> Option<TargetLocation> {
        let Some(path) = self.path(target)? else {
            return Some(TargetLocation::Skipped);
        };
        let is_ignored = || {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            is_excluded(&self.ignored, path)
        };
        let found = checker.tree.find(&self.root, &path, &FileNaming::default());
        Some(match found {
            DiskEntry::File(file, how) => TargetLocation::File(checker.paths.id(&file), how),
            DiskEntry::Directory(directory) => {
                directory_page(checker, &directory).unwrap_or(TargetLocation::Served)
            }
            DiskEntry::Unreadable => TargetLocation::Skipped,
            _ if is_ignored() => TargetLocation::Skipped,
            _ => TargetLocation::Nothing,
        })
    }
}

/// Returns the pattern of the URLs of a repository.
fn urls(address: &str, branch: Option<&str>) -> Option<Regex> {
    let raw = address.strip_prefix("github.com/").map(|name| {
        let host = r"raw\.githubusercontent\.com/";
        format!("(?i:{host}{})(?:refs/heads/)?|", escape(name))
    });
    let raw = raw.unwrap_or_default();
    let is_on_gitlab = address.starts_with("gitlab.");
    let dash = if is_on_gitlab { "-/" } else { "" };
    let own = escape(address);
    let shown = format!("(?i:{own}){dash}(?:blob|tree|raw|blame|edit)/");
    let branch = branch.map_or(String::new(), |branch| format!("|{}", escape(branch)));
    let path = format!("(?:HEAD|main|master{branch})((?:/[^?#]*)?)(?:[?#]|$)");
    Regex::new(&format!("(?s-u)^https?://(?:{raw}{shown})(?:{path})?")).ok()
}

/// Manifests, and the places of the URL of the repository in them.
const DECLARED: [(&str, &str); 3] = [
    ("package.json", "repository,repository.url"),
    (
        "Cargo.toml",
        "package.repository,workspace.package.repository",
    ),
    (
        "pyproject.toml",
        "tool.poetry.repository,project.urls.repository,project.urls.source,project.urls.source code,project.urls.github,project.urls.code",
    ),
];

/// Returns the URL of the repository that a manifest declares.
fn declared(root: &[u8]) -> Option<String> {
    DECLARED.iter().find_map(|(name, paths)| {
        let values = config::read(name, &text(root, name)?)?;
        let url = paths.split(',').find_map(|path| values.text(path))?;
        Some(url.to_owned())
    })
}

/// Returns the host and the path of a repository with a slash at the end, in lower case.
fn address(url: &str) -> Option<String> {
    let url = url.strip_prefix("git+").unwrap_or(url);
    let is_short = url.starts_with("github:") || url.starts_with("gitlab:");
    let whole = match url.split_once("://") {
        Some((_, rest)) => rest.rsplit('@').next().unwrap_or(rest).to_owned(),
        None if is_short => url.replacen(':', ".com/", 1),
        None => {
            let host = url.split_once('@').map_or(url, |(_, rest)| rest);
            host.replacen(':', "/", 1)
        }
    };
    let whole = whole.trim_end_matches('/').to_ascii_lowercase();
    let whole = whole.strip_suffix(".git").unwrap_or(&whole);
    whole.contains('/').then(|| format!("{whole}/"))
}

/// The names of the page of a directory, the preferred one first.
const README: &str = "readme.md readme.markdown readme.rst readme.adoc readme.txt readme";

/// Returns the page that a forge shows for a directory.
pub(crate) fn directory_page(checker: &TargetChecker, directory: &[u8]) -> Option<TargetLocation> {
    let names = checker.tree.names(directory);
    let name = README.split(' ').find_map(|readme| {
        let mut names = names.iter();
        names.find(|name| name.eq_ignore_ascii_case(readme))
    })?;
    let file = checker.tree.file_in(directory, name.as_bytes())?;
    let file = checker.paths.id(&file);
    Some(TargetLocation::File(file, LookupMatch::Exact))
}
