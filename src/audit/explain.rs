//! What each rule of the audit says: one row each. A rule without a row does not compile.

use super::rules;
use crate::document::diagnostic::Explanation;

/// Every rule, in the order of their table.
pub static RULES: &[Explanation] = &[
    row(
        "broken-file",
        "There is no file or directory at the target, and none with an extension that may be left out.",
        "Readers who follow the link get an error.",
        "<a href=missing.html> where missing.html does not exist",
        "--allow broken-file, or --try-ext html if the server adds extensions.",
    ),
    row(
        "broken-index",
        "The target is a directory without an index file.",
        "Servers answer with an error or list the files.",
        "<a href=images/> where images/ has no index.html",
        "--allow broken-index, or --index NAMES if index files have other names.",
    ),
    row(
        "broken-fragment",
        "The target exists and has no such id, name, or heading of Markdown.",
        "Readers get to the top of the page and not to the place.",
        "<a href=guide.html#instal> where the page has id=install",
        "--allow broken-fragment, or --fragments off if a script makes the ids.",
    ),
    row(
        "case-mismatch",
        "Only a name in other case, or in another Unicode form, exists.",
        "It works on the file systems of Windows and macOS, and fails on most servers.",
        "<a href=Guide.html> where the file is guide.html",
        "--allow case-mismatch if the server ignores case.",
    ),
    row(
        "outside-root",
        "The host of the target is mounted, but the path lies outside every mounted directory.",
        "What is there is not in the tree, so nothing can be said about it; often the prefix is forgotten.",
        "<a href=/guide/> in a site that is served at https://example.com/docs/",
        "--allow outside-root, or mount that part too: --root DIR=URI.",
    ),
    row(
        "redirected",
        "The target is a page that refreshes to another one, or a directory named without its slash.",
        "Each visit costs a second request, and the page may go away one day.",
        "<a href=sub> where sub/ is a directory",
        "--allow redirected.",
    ),
    row(
        "bad-reference",
        "The reference does not parse.",
        "No browser follows it.",
        "<a href='http://exa mple.com/'>",
        "--allow bad-reference, or --exclude if templates write such references.",
    ),
    row(
        "unresolved",
        "The reference does not resolve: there is no base, or the base has no hierarchy.",
        "Nothing can be said about what it leads to.",
        "a relative reference in a mail without a base",
        "--allow unresolved, or give a base: --base URI, --root DIR=URI.",
    ),
    row(
        "empty-href",
        "The reference is empty, and so leads to the document itself.",
        "It is mostly a forgotten one.",
        "<a href=''>",
        "It is allowed unless --warn or --deny names it.",
    ),
    row(
        "trailing-slash",
        "A file is named as if it were a directory.",
        "References in the page then resolve one level too deep.",
        "<a href=guide.html/>",
        "It is allowed unless --warn or --deny names it.",
    ),
    row(
        "insecure-scheme",
        "The target is elsewhere on the network, by http: or ftp:.",
        "The connection is not encrypted.",
        "<a href=http://www.example.org/>",
        "It is allowed unless --warn or --deny names it.",
    ),
    row(
        "duplicate-id",
        "The same id stands in the document before.",
        "A fragment leads to the first one only.",
        "<p id=a><p id=a>",
        "It is allowed unless --warn or --deny names it.",
    ),
    row(
        "several-bases",
        "More than one base element with href stands in the document.",
        "Only the first one counts.",
        "<base href=/a/><base href=/b/>",
        "It is allowed unless --warn or --deny names it.",
    ),
    row(
        "orphan",
        "No document of the tree links to this one.",
        "Readers do not find it.",
        "a page that was replaced and left behind",
        "It is allowed unless --orphans, --warn or --deny asks for it; --entry GLOB names pages that \
         need no link.",
    ),
];

/// Returns a row of a table of explanations.
const fn row(
    name: &'static str,
    meaning: &'static str,
    why: &'static str,
    example: &'static str,
    allow: &'static str,
) -> Explanation {
    Explanation {
        name,
        meaning,
        why,
        example,
        allow,
    }
}

/// Returns whether a table has a row for a name; at compile time, to check that it is complete.
const fn has(rows: &[Explanation], name: &str) -> bool {
    let mut index = 0;
    while index < rows.len() {
        if equal(rows[index].name.as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

const _: () = {
    let mut index = 0;
    while index < rules::RULES.len() {
        assert!(
            has(RULES, rules::RULES[index].name),
            "a rule has no row in src/audit/explain.rs"
        );
        index += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_looked_up_by_their_whole_name() {
        let rows = [row("hyphen", "", "", "", "")];
        assert!(has(&rows, "hyphen"));
        assert!(!has(&rows, "hyphe") && !has(&rows, "hyphens") && !has(&rows, ""));
    }

    #[test]
    fn explanations_are_those_of_the_rules() {
        let mut names: Vec<_> = rules::RULES.iter().map(|rule| rule.name).collect();
        let mut rows: Vec<_> = RULES.iter().map(|row| row.name).collect();
        rows.sort_unstable();
        names.sort_unstable();
        assert_eq!(rows, names);
    }
}
