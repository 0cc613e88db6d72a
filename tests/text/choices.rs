//! Cases that decide what the rules leave open, one row per choice, and the examples of the RFCs.

use super::laws::{Scanner, check_spans};
use super::oracle::{NonAscii, Options};

/// The rule, options, a text, and its finds: `kind URI flags | alternatives`, one for each line.
type Row = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Schemes.
    ("T2", "", "x imaps://a.example/", "bare imaps://a.example/ unknown-scheme"),
    ("T2", "", "iris.beep://a.example/ soap.beep://a", "bare iris.beep://a.example/\nbare soap.beep://a"),
    ("T2: a known scheme without `//` that needs it: no further rule is tried", "", "x.ssh:tel:1234", "bare tel:1234"),
    ("T3: from the first letter, whatever it belongs to", "", "1git+https://a.example/", "bare git+https://a.example/"),
    ("T3", "", "+https://a.example/", "bare https://a.example/"),
    ("T4: without `//` too, with the shape of T7", "", "word.mailto:a@b.example 2mailto:a@b.example", "bare mailto:a@b.example\nbare mailto:a@b.example glued"),
    ("T1: 64 bytes are a scheme, more are a blob", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa://x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa://x", "bare aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa://x unknown-scheme"),
    ("T5: https before http, any case", "", "xHTTPS://a.example/ xshttp://a.example/", "bare HTTPS://a.example/ glued\nbare http://a.example/ glued"),
    ("T6", "", "-+.foo://a/ -f://a 1foo://a", "bare foo://a/ unknown-scheme"),
    ("T7: without delimiters what remains after trimming has the shape", "", "good news:everyone. mailto:ann@. data:text/plain, cid:@", "bare cid:@"),
    ("T7: the shape begins directly behind the colon, between delimiters too", "", "<mailto: ann@a.example> <tel: 12345>", ""),
    ("T7: between delimiters the cleaned text has the shape", "", "<mailto:ann\n@a.example> <geo:48.2,\n16.3>", "angle mailto:ann@a.example wrapped\nangle geo:48.2,16.3 wrapped"),
    ("T7: `?` and more", "", "mailto:?to=a <mailto:?>", "bare mailto:?to=a"),
    ("T7: tag dates (RFC 4151)", "", "tag:a.example,2001-05:x tag:a.example,2001-05-09:x tag:a.example,201:x", "bare tag:a.example,2001-05:x\nbare tag:a.example,2001-05-09:x"),
    ("T7: namespaces are LDH", "", "urn:ex:y urn:-x:y urn:x: urn:x_y:z", "bare urn:ex:y"),
    ("T7: did methods are lower case", "", "did:ex:1 did:Ex:1", "bare did:ex:1"),
    ("T7", "", "doi:10.1000.10/x doi:10./x doi:10.x/y", "bare doi:10.1000.10/x"),
    ("T7", "", "geo:-48.2,16 geo:48,x geo:.1,2", "bare geo:-48.2,16"),
    ("T1: the run starts at the end of an earlier find", "", "http://a.example:80http://b.example/ http://a.example+http://b.example/", "bare http://a.example:80\nbare http://b.example/\nbare http://a.example\nbare http://b.example/"),
    // Between delimiters.
    ("T9: the quote of an earlier find opens nothing", "", "\"http://a.example/=\" http://b.example/", "quoted http://a.example/=\nbare http://b.example/"),
    ("T9: white space on either side of `URL:`", "", "x\"URL: http://a.example/\" x\"URL:http://a.example/\"", "bare http://a.example/ url-prefix\nquoted http://a.example/ url-prefix"),
    ("T9: no Unicode blanks", "", "<\u{A0}http://a.example/>", "bare http://a.example/"),
    ("T9: one line break on each side of `URL:`", "", "<\nURL:\nhttp://a.example/>", "angle http://a.example/ url-prefix"),
    ("T9: a longer run than `URL` is no mark", "", "<CURL:http://a.example/>", "bare http://a.example/"),
    ("T10: C1 controls are characters", "", "<http://a.example/\u{81}>", "angle http://a.example/\u{81} non-ascii"),
    ("T11: ignorable characters neither part runs nor count", "", "<http://a.example/x \u{AD} y>", "angle http://a.example/xy ignorable-removed inner-space | http://a.example/x"),
    ("T11, T19: the hyphen stays directly before the break", "", "<http://a.example/x-\u{AD}\ny>", "angle http://a.example/x-y hyphen ignorable-removed wrapped | http://a.example/xy"),
    ("T11: at the end they are padding, and flagged", "", "<http://a.example/x\u{200B}>", "angle http://a.example/x ignorable-removed"),
    ("T11: between `:` and `//` a run with a line break", "", "<https: \n //a.example/> <https: //b.example/> <foo:\n//c.example/>", "angle https://a.example/ wrapped"),
    ("T11: U+2028 is a blank, no line break", "", "<http://a.example/x\u{2028}y>", "angle http://a.example/xy inner-space | http://a.example/x"),
    ("T11: blanks inside the scheme's name are not repaired", "", "<URL:ht\ntp://a.example/>", "bare tp://a.example/ unknown-scheme"),
    ("T12: in padding too", "", "<http://a.example/x\n\n>", "bare http://a.example/x unclosed"),
    ("T12: a line of other blanks is empty", "", "<http://a.example/x\n\u{A0}\ny>", "bare http://a.example/x unclosed"),
    ("T15: the line of the delimiter", "", "> <\nhttp://a.example/>", "bare http://a.example/ unclosed"),
    ("T15: behind `URL:` the markers are skipped", "", "> <URL:\n> http://a.example/>", "angle http://a.example/ url-prefix"),
    ("T15: reply markers come first", "", "> # <http://a.example/x\n> # y>", "angle http://a.example/x#y inner-space wrapped | http://a.example/x"),
    ("T15: the same leader", "", "## <http://a.example/x\n# y>", "angle http://a.example/x#y inner-space wrapped | http://a.example/x"),
    ("T15: `*` continues `/*`", "", " /* <http://a.example/x\n  * y>", "angle http://a.example/xy wrapped"),
    ("T15: three hyphens are no leader", "", "--- <http://a.example/x\n-- y>", "angle http://a.example/x--y inner-space wrapped | http://a.example/x"),
    ("T14: reply marks written as entities", "", "&gt; <http://a.example/x\n&gt; y>", "angle http://a.example/xy wrapped"),
    ("T14: on every continuation line, though not on the first", "", "see <http://a.example/x\n&gt; y\n&gt; z>", "angle http://a.example/xyz wrapped"),
    ("T14: else they are part of the URI", "", "see <http://a.example/x\n&gt;y\nz>", "angle http://a.example/x&gt;yz wrapped"),
    ("T14: one way or the other", "", "> &gt; <http://a.example/x\n&gt; > y>", "angle http://a.example/xy wrapped"),
    ("T14: fewer marks are another speaker", "", "> <http://a.example/x\n y>", "bare http://a.example/x unclosed"),
    ("T14: a line with nothing but marks is empty", "", "&gt; <http://a.example/x\n&gt;\n&gt; y>", "angle http://a.example/x&gt;&gt;y inner-space wrapped | http://a.example/x"),
    ("T14: not between quotes", "", "&gt; \"http://a.example/x\n&gt; y\"", "quoted http://a.example/x&gt;y inner-space wrapped | http://a.example/x"),
    ("T16: without the backslash, then with it", "", "<http://a.example/x\\\ny>", "angle http://a.example/xy wrapped | http://a.example/x\\y"),
    ("T16: on every line", "", "> <http://a.example/x\\\r\n> y\\\r\n> z>", "angle http://a.example/xyz wrapped | http://a.example/x\\y\\z"),
    ("T16: a blank before it", "", "<http://a.example/x \\\n  y>", "angle http://a.example/xy wrapped | http://a.example/x\\y"),
    ("T16: no doubt about a hyphen before it", "", "<http://a.example/x-\\\ny>", "angle http://a.example/x-y wrapped | http://a.example/x-\\y"),
    ("T16, T19, T20: all readings", "", "<http://a.example/x-\ny\\\nz a>", "angle http://a.example/x-yza hyphen inner-space wrapped | http://a.example/xyza | http://a.example/x-y\\za | http://a.example/x-"),
    ("T16: before the closer", "", "<http://a.example/x\\\n>", "angle http://a.example/x | http://a.example/x\\"),
    ("T16: between `:` and `//`", "", "<http:\\\n//a.example/>", "angle http://a.example/ wrapped | http:\\//a.example/"),
    ("T16: only directly before the break", "", "<http://a.example/x\\ \ny> <http://b.example/x\\y>", "angle http://a.example/x\\y nonconforming wrapped\nangle http://b.example/x\\y nonconforming"),
    ("T16: not between quotes", "", "\"http://a.example/x\\\ny\"", "bare http://a.example/x unclosed"),
    ("T16: an empty line fails", "", "<http://a.example/x\\\n\ny>", "bare http://a.example/x unclosed"),
    ("T17: behind a comment leader too", "", "# <http://a.example/x and y\n# > z", "bare http://a.example/x unclosed"),
    ("T17: without inner space it closes", "", "<http://a.example/x\n> y", "angle http://a.example/x"),
    ("T19, T20: both alternatives", "", "<http://a.example/x-\ny z>", "angle http://a.example/x-yz hyphen inner-space wrapped | http://a.example/xyz | http://a.example/x-"),
    ("T19: no hyphen is in doubt at the end", "", "<http://a.example/x-\n>", "angle http://a.example/x-"),
    ("T21: a letter or a digit, or beyond ASCII, before the first `/ ? #`", "", "<http:///x> <http://./x> <http://\u{4F8B}/x> <file:///> <http://[::]/>", "angle http://\u{4F8B}/x non-ascii\nangle file:///\nangle http://[::]/"),
    ("T22: any scheme", "", "<URL:http:x> <URL:Note:x> <URL:Note: x> <URL:C:\\x>", "angle http:x url-prefix\nangle Note:x unknown-scheme url-prefix\nangle C:\\x nonconforming unknown-scheme url-prefix"),
    ("T22: a scheme and no more is nothing", "", "<URL:foo:>", ""),
    ("T22: a relative reference may be wrapped, and `//` has T21", "", "<URL:a/\nb> <URL://> <URL://a.example/>", "angle a/b relative url-prefix wrapped\nangle //a.example/ relative url-prefix"),
    ("T22: not in quotes", "", "\"URL:x.html\" \"URL:wibble:x\"", ""),
    ("T24: not closed, it is no delimiter", "", "\x1b]8;;http://a.example/x\n\x07", "bare http://a.example/x"),
    ("T24: taken exactly", "", "\x1b]8;;http://a.example/x y.\x1b\\", "osc8 http://a.example/x y."),
    // Without delimiters.
    ("T25: any case", "", "http://a.example/x,HTTP://b.example/y;FTPS://c.example/", "bare http://a.example/x\nbare HTTP://b.example/y\nbare FTPS://c.example/"),
    ("T25: a pipe in the authority stops", "", "http://u|x@a.example/", "bare http://u"),
    ("T25: in the query it is kept", "", "http://a.example/?x|y", "bare http://a.example/?x|y nonconforming"),
    ("T26: mode ascii sets no flag for the stop", "ascii", "http://a.example/x\u{200B} http://a.example/\u{E9} http://a.example/x\u{2026}", "bare http://a.example/x\nbare http://a.example/\nbare http://a.example/x ellipsis"),
    ("T26: the flag stays when the end is trimmed", "", "http://a.example/x.\u{200B}", "bare http://a.example/x trimmed zero-width"),
    ("T27", "", "http://u:p@a.example/ http://@a.example/", "bare http://u:p@a.example/ userinfo\nbare http://@a.example/ userinfo"),
    ("T27: no second try where the part before the last `@` is no user information", "", "http://u@a.example,b@c.example/", "bare http://u"),
    ("T27", "", "http://a.example:/x http://a.example:x http://a.example:80x http://a.example:80?y", "bare http://a.example:/x\nbare http://a.example\nbare http://a.example:80\nbare http://a.example:80?y"),
    ("T27: an IP literal is an IPv6 address, with `%25` before a zone", "", "http://[::1]:80/ http://[1::2::3]/ http://[fe80::1%eth0]/ http://[::1%25]/", "bare http://[::1]:80/"),
    ("T27: hosts and user information are those of special schemes", "", "ssh://u@-a/ ftp://u@a-/", "bare ssh://u@-a/\nbare ftp://u@a-/ odd-host userinfo"),
    ("T28: a rule drawn behind it", "", "http://a.example/______\nhttp://b.example/x====\nhttp://c.example/x----\r\nhttp://d.example/~~~~", "bare http://a.example/ trimmed\nbare http://b.example/x trimmed\nbare http://c.example/x trimmed\nbare http://d.example/ trimmed"),
    ("T28: three may belong to it, and so may what ends before the line does", "", "http://a.example/x___\nhttp://b.example/x____ y\nhttp://c.example/x____.\nhttp://d.example/____x", "bare http://a.example/x___\nbare http://b.example/x____\nbare http://c.example/x____ trimmed\nbare http://d.example/____x"),
    ("T28: of one byte; then as in T31", "", "http://a.example/x.-----\nhttp://b.example/x__----", "bare http://a.example/x trimmed\nbare http://b.example/x__ trimmed"),
    ("T29", "", "ssh://@a ssh://[::1]/ ssh://[x]/ ssh://~a ssh:///x file:///x file://", "bare ssh://[::1]/\nbare ssh://~a\nbare file:///x"),
    ("T30: the outermost `[` of the path", "", "http://a.example/x[y(z)[w", "bare http://a.example/x"),
    ("T30: a closer that does not match stops first", "", "http://a.example/x[y)", "bare http://a.example/x"),
    ("T30: in the query it stays", "", "http://a.example/x?[y", "bare http://a.example/x?[y nonconforming"),
    ("T30, T31: footnotes and punctuation in turn", "", "http://a.example/x.[1][23]. http://a.example/x?y[1]", "bare http://a.example/x footnote-cut trimmed\nbare http://a.example/x?y[1] nonconforming"),
    ("T31: only what precedes directly", "", "_http://a.example/x_ __http://a.example/x~ http://a.example_", "bare http://a.example/x trimmed\nbare http://a.example/x~\nbare http://a.example trimmed"),
    ("T31: behind a port is not in the host", "", "http://a.example:80- http://a.example/-", "bare http://a.example:80\nbare http://a.example/-"),
    ("T31: an ellipsis is directly next", "", "http://a.example/x.,.. http://a.example:80.. http://a.example/x.\u{2026}", "bare http://a.example/x trimmed\nbare http://a.example:80 ellipsis\nbare http://a.example/x trimmed"),
    ("T32: anywhere behind `//`", "", "foo://-/ foo://-/a foo://*. foo://.]", "bare foo://-/a unknown-scheme"),
    ("T33: the prefix is removed, one blank allowed", "", "> http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n> of-the-mail.html", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped"),
    ("T33: fewer markers are another speaker", "", "> http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nof-the-mail.html", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T33: a blank before the break", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/ \nx", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T33: another one", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nx-y://z1", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nbare x-y://z1 unknown-scheme"),
    ("T34: a single token", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nindex\n", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped"),
    ("T34: words", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nand more words", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a first token that words do not have", "", "> http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n> page.html?x=1 and more", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped"),
    ("T34: two words", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nLinux/UNIX programming", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a path", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nunix/v7 programming", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped"),
    ("T34: a percent sign", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n50% of it\nhttp://a.example/a/rather/long/path/that/reaches/the/right/margin/\n%20of it", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nbare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped"),
    ("T34: a field", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\nSigned-off-by: x", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a list mark", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n2) y\n", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a rule", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n---\n", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a signature mark", "", "http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n-- \n", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T34: a reply mark", "", "&gt; http://a.example/a/rather/long/path/that/reaches/the/right/margin/\n&gt; x/y.html\nhttp://a.example/a/rather/long/path/that/reaches/the/right/margin/\n&gt; x/y.html", "bare http://a.example/a/rather/long/path/that/reaches/the/right/margin/ maybe-wrapped\nbare http://a.example/a/rather/long/path/that/reaches/the/right/margin/"),
    ("T15: after a byte order mark", "", "\u{FEFF}# <http://a.example/b/\n# c>\n\n\u{FEFF}# <http://a.example/\n# d>", "angle http://a.example/b/c wrapped\nangle http://a.example/#d inner-space wrapped | http://a.example/"),
    ("T39: a line that starts with a dot", "", ".UR http://www.a.example\\:/rfc\\:/x\\-y.txt", "bare http://www.a.example/rfc/x-y.txt"),
    ("T39: behind reply marks and the sign of a patch", "", "> -.UR http://a.example\\:/x\n+.UR http://b.example\\:/x\n &gt; .UR http://c.example\\:/x", "bare http://a.example/x\nbare http://b.example/x\nbare http://c.example/x"),
    ("T39: no other line", "", "see http://a.example/x\\-y .UR http://b.example\\:/", "bare http://a.example/x\nbare http://b.example"),
    ("T39: every line of a man page's source", "troff", "see http://\\:a.example\\:/x\\-y.", "bare http://a.example/x-y trimmed"),
    ("T39: no other escape", "troff", "http://a.example/x\\&y http://b.example/\\fIx", "bare http://a.example/x\nbare http://b.example/"),
    ("T39: between delimiters too", "troff", "<http://a.example\\:/x\\-y> \"http://b.example\\:/x\"", "angle http://a.example/x-y\nquoted http://b.example/x"),
    ("T39: the span ends before a break hint at the end", "troff", "http://a.example/x.\\: mailto:a\\-b@c.example", "bare http://a.example/x trimmed\nbare mailto:a-b@c.example"),
    ("T35: as far as T9 goes back", "", "URL:\nhttp://a.example/", "bare http://a.example/ url-prefix"),
    // On request.
    ("T40: no user information", "www", "www.a.example@b.example/", "www http://www.a.example scheme-guessed"),
    ("T40: empty labels do not count", "www", "www..example www...example/ www.a..example", "www http://www.a..example odd-host scheme-guessed"),
    ("T40", "www", "www.a.b1 www.a.xn--p1ai (www.a.example.) =www.a.example www.a.\u{4F8B}:80/", "www http://www.a.xn--p1ai scheme-guessed\nwww http://www.a.example scheme-guessed trimmed\nwww http://www.a.\u{4F8B}:80/ non-ascii scheme-guessed"),
    ("T40: `URL:` and a blank may precede", "www", "URL: www.a.example <URL: www.a.example>", "www http://www.a.example scheme-guessed url-prefix\nangle www.a.example relative url-prefix"),
    ("T41: the whole run is the local part", "email", "a..b@a.example .a@a.example a.@a.example", ""),
    ("T41: labels are LDH", "email", "a@-a.example a@a-.example a@a.example-x a@a.example.", "email mailto:a@a.example scheme-guessed"),
    ("T41: an opening apostrophe quotes the address", "email", "'a@b.example' ''c'd@e.example'' '@f.example", "email mailto:a@b.example scheme-guessed\nemail mailto:c'd@e.example scheme-guessed"),
    ("T41", "email", ":a@a.example a@a.example_ a@a.example@b a@b_c.example x=a%b@a.example", "email mailto:x%3Da%25b@a.example scheme-guessed"),
    ("T41: as RFC 6068 section 2 writes an address", "email", "a?b@c.example a#b/c@d.example a%41@c.example a&b^c@d.example ~a+b!c*d'e@f.example", "email mailto:a%3Fb@c.example scheme-guessed\nemail mailto:a%23b%2Fc@d.example scheme-guessed\nemail mailto:a%2541@c.example scheme-guessed\nemail mailto:a%26b%5Ec@d.example scheme-guessed\nemail mailto:~a+b!c*d'e@f.example scheme-guessed"),
    // RFC 2396 Appendix E and RFC 3986 Appendix C.
    ("RFC 2396 Appendix E", "", RFC_2396, "quoted http://www.w3.org/Addressing/\nangle ftp://ds.internic.net/rfc/ wrapped\nangle http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING wrapped"),
    ("RFC 3986 Appendix C", "", RFC_3986, "quoted http://www.w3.org/Addressing/\nangle ftp://foo.example.com/rfc/ wrapped\nangle http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING wrapped"),
];

const RFC_2396: &str = r#"
      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://ds.internic.
      net/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>.
"#;

const RFC_3986: &str = r#"
      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://foo.example.
      com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>.
"#;

/// Checks that every row has its finds, in windows of each size.
pub(crate) fn choices_hold(scan: Scanner<'_>, windows: &[usize]) {
    let mut failed = Vec::new();
    for (rule, options, text, expected) in ROWS {
        let non_ascii = match *options {
            "ascii" => NonAscii::Ascii,
            _ => NonAscii::Iri,
        };
        let options = Options {
            non_ascii,
            www: *options == "www",
            email: *options == "email",
            strict: false,
            troff: *options == "troff",
        };
        for &window in windows {
            let finds = scan(text.as_bytes(), &options, window);
            check_spans(text.as_bytes(), &finds);
            let lines: Vec<String> = finds.iter().map(line).collect();
            if lines.join("\n") != *expected {
                let text = text.escape_debug();
                let got = lines.join("\n");
                failed.push(format!(
                    "{rule}: {text}\nexpected\n{expected}\ngot\n{got}\n"
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Returns a find as a row writes it.
fn line(find: &super::oracle::Find) -> String {
    let flags = find.flags.iter().map(|flag| format!(" {flag}"));
    let readings = find.alternatives.iter();
    let readings = readings.map(|reading| format!(" | {}", String::from_utf8_lossy(reading)));
    let rest: String = flags.chain(readings).collect();
    format!("{} {}{rest}", find.kind, String::from_utf8_lossy(&find.uri))
}
