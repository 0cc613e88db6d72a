//! What each flag of a record says.

use super::{Explanation, has, row};
use crate::document::flags::Flags;

/// A flag of finds that are right as they stand.
const KEEP: &str = "Nothing has to be done: the reference is as its author meant it.";
/// A flag of finds that may be wrong.
const DOUBT: &str = "Look at the place; to leave such finds out, filter the records: jq 'select(.flags | index(\"FLAG\") | not)'.";

/// Every flag, in the order of their table.
pub static FLAGS: &[Explanation] = &[
    row(
        "wrapped",
        "A line break was removed from inside the reference.",
        "RFC 2396 Appendix E: white space between delimiters comes from breaking lines. A backslash \
         before the break marks that the line goes on; the reading with it is in `alternatives`.",
        "<http://example.com/a/\\nlong/path>",
        KEEP,
    ),
    row(
        "inner-space",
        "White space within a line was removed from inside the reference.",
        "It may have come from breaking lines, or the delimiters may hold more than a reference; the \
         shorter reading is in `alternatives`.",
        "<http://example.com/a b>",
        DOUBT,
    ),
    row(
        "hyphen",
        "A line inside the reference ended in a hyphen, which was kept.",
        "RFC 2396 Appendix E: it may belong to the reference, or come from breaking the line. The \
         reading without it is in `alternatives`.",
        "<http://example.com/a-\\nb>",
        DOUBT,
    ),
    row(
        "ignorable-removed",
        "An invisible character (soft hyphen, zero width space) was removed from inside.",
        "Typesetting puts it where a line may break.",
        "<http://example.com/a\\u{ad}b>",
        KEEP,
    ),
    row(
        "url-prefix",
        "`URL:` stood before it, and is no part of it.",
        "RFC 2396 Appendix E recommends it.",
        "<URL:http://example.com/>",
        KEEP,
    ),
    row(
        "relative",
        "A relative reference that stood in `<URL:...>`.",
        "Only there is text that has no scheme known to be a reference.",
        "<URL:../chapter-2.txt>",
        "--absolute leaves it out.",
    ),
    row(
        "unclosed",
        "`<` or a quote opened the reference, and nothing closed it.",
        "It was read as one without delimiters, and may have been cut.",
        "<http://example.com/a b",
        DOUBT,
    ),
    row(
        "trimmed",
        "Punctuation at its end was left out.",
        "It belongs to the sentence, or is a rule drawn up to the end of the line.",
        "See http://example.com/a.",
        KEEP,
    ),
    row(
        "ellipsis",
        "It was cut short by its author: dots follow.",
        "Its target is not the whole one.",
        "http://example.com/a...",
        DOUBT,
    ),
    row(
        "footnote-cut",
        "A footnote mark at its end was left out.",
        "Converters of web pages to text append it.",
        "http://example.com/a[1]",
        KEEP,
    ),
    row(
        "glued",
        "Letters or digits stood directly before its scheme, and were left out.",
        "A blank is missing there.",
        "linkhttps://example.com/",
        KEEP,
    ),
    row(
        "unknown-scheme",
        "Its scheme is not a known one.",
        "It may be a private scheme, or no reference at all.",
        "wibble://example/",
        "--scheme names the ones that you want.",
    ),
    row(
        "userinfo",
        "It has user information before the host.",
        "It may show a password, or pretend another host.",
        "http://example.org@example.com/",
        KEEP,
    ),
    row(
        "odd-host",
        "Its host has a label that no host name has: empty, too long, or with odd characters.",
        "It does not lead anywhere, and is often a placeholder.",
        "http://-example..com/",
        DOUBT,
    ),
    row(
        "non-ascii",
        "It has characters beyond ASCII, as an IRI may (RFC 3987).",
        "A URI has them percent-encoded; older software may cut it there.",
        "http://example.com/caf\u{e9}",
        "--non-ascii ascii ends references before such characters.",
    ),
    row(
        "nonconforming",
        "It has characters that no URI may have, such as `{`, `|` or `^`.",
        "Software differs in what it makes of them; it may be a template and no reference.",
        "http://example.com/{id}",
        DOUBT,
    ),
    row(
        "bad-percent",
        "It has a percent sign without two hexadecimal digits behind it.",
        "RFC 2396 section 2.4.1: servers may refuse it.",
        "http://example.com/100%",
        "Write %25.",
    ),
    row(
        "zero-width",
        "An invisible character ended it.",
        "It may have been put in to break the line or to deceive.",
        "http://example.com/a, U+200B, b",
        DOUBT,
    ),
    row(
        "maybe-wrapped",
        "It fills its line, and the next one begins with what looks like the rest of it.",
        "Nothing outside delimiters is joined (RFC 2396 Appendix E), so it may be cut.",
        "a reference that ends in column 76, and a line that goes on with `/more?x=1`",
        DOUBT,
    ),
    row(
        "overlong",
        "It is longer than 65,536 bytes, and was cut there.",
        "Its target is not the whole one.",
        "data:image/png;base64,... in text",
        DOUBT,
    ),
    row(
        "scheme-guessed",
        "Its scheme was not written: http:// or mailto: was assumed.",
        "RFC 2396 Appendix F: such abbreviations are no URIs.",
        "www.example.com, with --www",
        "Leave out --www and --email.",
    ),
    row(
        "inert",
        "It stands in the contents of a template element.",
        "It does nothing until a script clones it.",
        "<template><a href=x>x</a></template>",
        KEEP,
    ),
    row(
        "srcdoc",
        "It stands in the srcdoc document of an iframe.",
        "Its base is that of the document around it.",
        "<iframe srcdoc='<a href=x>x</a>'></iframe>",
        KEEP,
    ),
    row(
        "css",
        "It stands in CSS.",
        "The browser loads it when a rule of the style sheet applies.",
        "<p style='background: url(x.png)'>",
        "--context leaves it out: attribute,text,header and the like.",
    ),
    row(
        "preamble",
        "It stands before the first part of a multipart body.",
        "Readers that know MIME do not show it.",
        "This message needs a reader of MIME: http://example.com/",
        KEEP,
    ),
    row(
        "epilogue",
        "It stands behind the last part of a multipart body.",
        "Readers that know MIME do not show it.",
        "a footer that a mailing list has put behind the closing delimiter",
        KEEP,
    ),
    row(
        "trailer",
        "It stands in clear text behind an encoded part.",
        "A mailing list has put it there, and its author has not.",
        "aGVsbG8=\\n____\\nhttp://lists.example.com/",
        KEEP,
    ),
    row(
        "in-signature",
        "It stands behind the mark of a signature, a line of `-- `.",
        "It is about the author and not about the message.",
        "-- \\nAnn, http://example.com/ann",
        KEEP,
    ),
    row(
        "base-chained",
        "Its base is a relative Content-Location, resolved against the base around it.",
        "RFC 2557 section 5 to the letter takes no such base; most writers of mail mean it.",
        "Content-Location: a/index.html inside a message with Content-Base",
        "--mime-base strict follows the letter.",
    ),
];

const _: () = {
    let mut index = 0;
    while index < Flags::NAMES.len() {
        assert!(
            has(FLAGS, Flags::NAMES[index]),
            "a flag has no row in src/document/explain/flags.rs"
        );
        index += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_are_those_of_the_flags() {
        let mut rows: Vec<_> = FLAGS.iter().map(|row| row.name).collect();
        let mut flags = Flags::NAMES.to_vec();
        rows.sort_unstable();
        flags.sort_unstable();
        assert_eq!(rows, flags);
    }
}
