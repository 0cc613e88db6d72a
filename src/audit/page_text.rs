//! The texts of pages, for text directives in fragments: `#:~:text=[prefix-,]start[,end][,-suffix]`
//! (WICG, URL Fragment Text Directives).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::location::Audit;
use super::names::FileId;
use super::target::{percent_decoded, text_directives};
use crate::bytes::pattern::Pattern;
use crate::document::html::page_text;

/// Maximum length in bytes of a page whose text is read.
const LONGEST: u64 = 4 << 20;
/// Maximum length in bytes of all pages that are read and searched for the links of one document.
const MOST: usize = 1 << 30;

/// Marks of Markdown that end no word, and destinations of links.
static MARKUP: Pattern = Pattern::new(r"[*`]|~~|\]\([^()\s]*(?:[ \t][^()\n]*)?\)|\]\[[^\[\]\n]*\]");
static HTML: Pattern = Pattern::new(r"(?i)\.html?$");
static DIRECTIVE: Pattern = Pattern::new("^(?:([^,]*)-,)?([^,]+)(?:,([^,-][^,]*))?(?:,-([^,]*))?$");
/// Soft hyphens and joiners.
const IGNORED: [char; 4] = ['\u{ad}', '\u{200c}', '\u{200d}', '\u{2060}'];

/// The text of the last page to which a document links.
#[derive(Default)]
pub(super) struct PageTexts {
    last: Option<(FileId, Option<String>)>,
    read: usize,
}

impl PageTexts {
    /// Returns whether a page lacks a text that the fragment names; false if its text is not known.
    pub(super) fn lacks(&mut self, audit: &Audit, file: FileId, fragment: &[u8]) -> bool {
        let known = self.last.take_if(|(known, _)| *known == file);
        let known = known.unwrap_or_else(|| (file, self.read(audit, file)));
        let Some(text) = &self.last.insert(known).1 else {
            return false;
        };
        text_directives(fragment).any(|directive| {
            self.read += text.len();
            self.read < MOST && !holds(text, directive)
        })
    }

    fn read(&mut self, audit: &Audit, file: FileId) -> Option<String> {
        let path = audit.checker.paths.path(file);
        let bytes = audit.checker.tree.read(&path, LONGEST)?;
        self.read += bytes.len();
        if bytes.len() as u64 == LONGEST || self.read > MOST {
            return None;
        }
        let source = str::from_utf8(&bytes).ok()?;
        if HTML.is_match(&path) {
            return Some(folded(&page_text(&bytes)));
        }
        // A generator replaces templates. Spans of code are as in the source.
        let is_template = source.contains("{{") || source.contains("{%");
        let bare = MARKUP.replace_all(&bytes, &b""[..]);
        (!is_template).then(|| folded(source) + &folded(&page_text(&bare)))
    }
}

/// Malformed directives hold: browsers ignore them.
fn holds(text: &str, directive: &[u8]) -> bool {
    let Some(terms) = DIRECTIVE.captures(directive) else {
        return true;
    };
    let term = |index| {
        let term = terms.get(index).map_or(&b""[..], |term| term.as_bytes());
        String::from_utf8_lossy(&percent_decoded(term)).into_owned()
    };
    let words = |first, second| folded(&(term(first) + " " + &term(second)));
    let (start, end) = (words(1, 2), words(3, 4));
    // The blank after a word is the one before the next.
    if terms.get(3).is_none() {
        return text.contains(&(start + &end[1..]));
    }
    let found = text.find(&start);
    found.is_some_and(|at| text[at + start.len() - 1..].contains(&end))
}

/// Returns the words, without case and diacritics, each between blanks.
fn folded(text: &str) -> String {
    let is_kept = |found: &char| !is_combining_mark(*found) && !IGNORED.contains(found);
    let mut spaced = String::new();
    for found in text.nfkd().filter(is_kept).flat_map(char::to_lowercase) {
        match found {
            // From here on words have no blanks between them in many scripts.
            '\u{e00}'.. => spaced.extend([' ', found, ' ']),
            _ => spaced.push(found),
        }
    }
    let words = spaced.split(|found: char| !found.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}
