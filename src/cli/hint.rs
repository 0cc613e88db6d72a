//! Hints for mistakes that many make: what was probably meant.

use std::path::{Path, PathBuf};

use super::message::Error;

/// Names under which other tools, and other people, know the subcommands.
const ALIASES: [(&str, &str); 12] = [
    ("check", "audit"),
    ("lint", "audit"),
    ("verify", "audit"),
    ("list", "extract"),
    ("links", "extract"),
    ("find", "extract"),
    ("scan", "extract"),
    ("grep", "extract"),
    ("absolutize", "resolve"),
    ("join", "resolve"),
    ("split", "parse"),
    ("components", "parse"),
];

/// The subcommands that a path can be mistaken for.
const SUBCOMMANDS: [&str; 5] = ["extract", "audit", "resolve", "parse", "schema"];

/// Refuses paths that are no files but mistakes; `is_default` where no subcommand was given.
pub(super) fn check_paths(paths: &[PathBuf], is_default: bool) -> Result<(), Error> {
    if let Some(path) = paths.iter().find(|path| is_url(path) && !path.exists()) {
        return Err(Error::new(fetch_first(&path.to_string_lossy())));
    }
    if !is_default {
        return Ok(());
    }
    for (index, path) in paths.iter().enumerate() {
        let Some(word) = path.to_str().filter(|_| !path.exists()) else {
            continue;
        };
        if SUBCOMMANDS.contains(&word) {
            return Err(Error::new(format!(
                "{word}: no such file; as a subcommand it stands before all options: uriscan {word} ..."
            )));
        }
        // Only the first word can be meant for a subcommand under another name.
        if index == 0
            && let Some(meant) = subcommand(word)
        {
            let rest: Vec<_> = paths[1..]
                .iter()
                .map(|path| path.to_string_lossy())
                .collect();
            let rest = match rest.is_empty() {
                true => "...".to_owned(),
                false => rest.join(" "),
            };
            return Err(Error::new(format!(
                "{word}: no such file; did you mean {meant}: uriscan {meant} {rest}"
            )));
        }
    }
    Ok(())
}

fn subcommand(word: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word);
    alias
        .map(|(_, meant)| *meant)
        .or_else(|| nearest(word, SUBCOMMANDS.into_iter()))
}

/// Whether a path is written as a URL: a scheme (RFC 3986 section 3.1) and `://`.
fn is_url(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let scheme = memchr::memmem::find(text, b"://").map(|end| &text[..end]);
    scheme.is_some_and(is_scheme)
}

/// Whether bytes are a scheme (RFC 3986 section 3.1).
pub(super) fn is_scheme(bytes: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(inner)
}

fn fetch_first(url: &str) -> String {
    if url.starts_with("file:") {
        return format!("{url}: uriscan reads files: give the path, without file://");
    }
    let quotable = |c: char| c.is_ascii_graphic() && c != '\'';
    let command = match url.chars().all(quotable) {
        true => format!("curl -sL '{url}' | uriscan --base '{url}'"),
        false => "curl -sL URL | uriscan --base URL".to_owned(),
    };
    format!("{url}: uriscan reads files, and never uses the network; fetch it first: {command}")
}

/// The candidate that is nearest to a word, if any is near: a third of its letters may differ.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    // The distance takes time by the product of both lengths.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let with_distance =
        candidates.map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate));
    let (distance, nearest) = with_distance.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= nearest.len()).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_near_a_subcommand_are_taken_for_it() {
        for (word, expected) in [
            ("check", Some("audit")),
            ("audti", Some("audit")),
            ("extrct", Some("extract")),
            ("docs", None),
            ("a", None),
        ] {
            assert_eq!(subcommand(word), expected, "{word}");
        }
    }

    #[test]
    fn urls_are_told_from_paths() {
        for (path, expected) in [
            ("https://example.com/", true),
            ("git+ssh://example.com/x", true),
            ("a/b://c", false),
            ("://x", false),
            ("mailto:a@example.com", false),
            ("dir/file.txt", false),
        ] {
            assert_eq!(is_url(Path::new(path)), expected, "{path}");
        }
    }
}
