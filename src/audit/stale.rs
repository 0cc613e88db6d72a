//! Paths in files of instructions for agents, such as `AGENTS.md`, to which nothing exists.

use super::location::Audit;
use super::target::split_name;
use crate::bytes::pattern::Pattern;
use crate::pipeline::walk::path_of;

static INSTRUCTIONS: Pattern = Pattern::new(
    r"/(?:\.cursorrules|AGENTS\.md|CLAUDE\.md|GEMINI\.md|copilot-instructions\.md|llms\.txt)$",
);
/// Maximum length in bytes that is read of such a file.
const LONGEST: u64 = 1 << 20;

/// A block of code, or the text of a span of code, after `@`, or at the start of an item of a list.
static CANDIDATE: Pattern = Pattern::new(
    r"(?m)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\z)|`@?([^`\s]+)`|\B@([\w./-]+)|^[ \t]*[-*+][ \t]+([\w./-]*/[\w./-]*)(?:[\s:]|$)",
);
/// A path before the number of a line or a fragment.
static PATH: Pattern = Pattern::new(
    r##"^([^-~\s*<>{}$|"'()=,;:\\!?#\[\]&%@][^\s*<>{}$|"'()=,;:\\!?#\[\]&%]*)(?::[\d:-]+)?(?:#.*)?$"##,
);
static FILE: Pattern = Pattern::new(
    r"(?i)\w\.(?:adoc|bash|c|cc|cfg|conf|cpp|cs|css|csv|go|gradle|h|hpp|html?|ini|ipynb|java|jsx?|json|kt|lock|lua|mdx?|mjs|php|proto|ps1|py|rb|rs|rst|scss|sh|sql|svelte|swift|toml|tsx?|txt|vue|xml|ya?ml)$",
);

/// Returns the paths of nothing, with their offsets.
pub(super) fn stale_paths(audit: &Audit, document: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let is_read = INSTRUCTIONS.is_match(document);
    let start = is_read.then(|| audit.checker.tree.read(document, LONGEST));
    let Some(text) = start.flatten() else {
        return Vec::new();
    };
    let mounts = audit.checker.mounts.iter().map(|(root, _)| root);
    let above = mounts.filter(|root| document.starts_with(root));
    let roots: Vec<&[u8]> = above.chain([split_name(document).0]).collect();
    let is_in = |root: &&[u8], path: &[u8]| path_of(&[root, path].concat()).exists();
    let exists = |path: &[u8]| roots.iter().any(|root| is_in(root, path));
    let is_stale = |written: &[u8], after_at: bool| {
        let Some([_, path]) = PATH.group_at(written, 0) else {
            return false;
        };
        let written = &written[path];
        let path = written.strip_prefix(b"/").unwrap_or(written);
        let is_relative = path.len() == written.len();
        let is_of_tree = |slash: usize| {
            let is_directory = is_relative && slash + 1 == path.len();
            !after_at && (is_directory || exists(&path[..slash]))
        };
        let is_path = is_relative && FILE.is_match(path)
            || memchr::memchr(b'/', path).is_some_and(is_of_tree);
        is_path && !exists(path)
    };
    let candidates = CANDIDATE.captures_iter(&text).filter_map(|found| {
        let path = (1..4).find_map(|group| found.get(group))?;
        let written = path.as_bytes();
        let end = written.iter().rposition(|&byte| byte != b'.')?;
        let written = &written[..=end];
        let after_at = text[..path.start()].ends_with(b"@");
        is_stale(written, after_at).then(|| (path.start() as u64, written.to_vec()))
    });
    candidates.collect()
}
