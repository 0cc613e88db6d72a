//! Text that is no markup, up to its end tag: RCDATA, RAWTEXT and script data (WHATWG HTML
//! 13.2.5.9 to 13.2.5.31).

use memchr::{memchr, memchr2};

use crate::bytes::seek::is_space;

/// Where the search for an end tag stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTagSearch {
    /// The end tag's `<` is at the index.
    EndTag(usize),
    /// None in these bytes; the search goes on at the index when there are more.
    Wait(usize),
}

/// Looks for `</name` and a byte that ends a name.
pub(super) fn end_tag(bytes: &[u8], mut at: usize, name: &[u8], last: bool) -> EndTagSearch {
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let open = at + found;
        match is_end_tag(bytes, open, name) {
            Some(true) => return EndTagSearch::EndTag(open),
            Some(false) => at = open + 1,
            None if last => return EndTagSearch::Wait(bytes.len()),
            None => return EndTagSearch::Wait(open),
        }
    }
    EndTagSearch::Wait(bytes.len())
}

/// Whether `</name` stands at an index; none when the bytes end too early to say.
fn is_end_tag(bytes: &[u8], open: usize, name: &[u8]) -> Option<bool> {
    follows(&bytes[open + 1..], b"/").and_then(|slash| match slash {
        true => names(&bytes[open + 2..], name),
        false => Some(false),
    })
}

/// Whether bytes start with a prefix; none when they end within it.
fn follows(bytes: &[u8], prefix: &[u8]) -> Option<bool> {
    let length = bytes.len().min(prefix.len());
    match bytes[..length].eq_ignore_ascii_case(&prefix[..length]) {
        true if length < prefix.len() => None,
        same => Some(same),
    }
}

/// Whether bytes start with a name and a byte that ends it.
fn names(bytes: &[u8], name: &[u8]) -> Option<bool> {
    match follows(bytes, name)? {
        true => bytes
            .get(name.len())
            .map(|&byte| is_space(byte) || matches!(byte, b'/' | b'>')),
        false => Some(false),
    }
}

/// How deep script data is in what looks like a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ScriptEscape {
    #[default]
    None,
    /// Behind `<!--`: the end tag still counts.
    Escaped,
    /// Behind `<!-- <script>`: it does not.
    Double,
}

/// Looks for the end tag of a script.
pub(super) fn script_end(
    bytes: &[u8],
    mut at: usize,
    escape: &mut ScriptEscape,
    last: bool,
) -> EndTagSearch {
    const NAME: &[u8] = b"script";
    let wait = |at: usize| EndTagSearch::Wait(if last { bytes.len() } else { at });
    loop {
        let found = match *escape {
            ScriptEscape::None => memchr(b'<', &bytes[at..]),
            _ => memchr2(b'<', b'-', &bytes[at..]),
        };
        let Some(found) = found else {
            return EndTagSearch::Wait(bytes.len());
        };
        let here = at + found;
        let rest = &bytes[here..];
        at = here + 1;
        if rest[0] == b'-' {
            match follows(rest, b"-->") {
                Some(true) => *escape = ScriptEscape::None,
                Some(false) => {}
                None => return wait(here),
            }
            continue;
        }
        let decided = match *escape {
            ScriptEscape::None => match is_end_tag(bytes, here, NAME) {
                Some(true) => return EndTagSearch::EndTag(here),
                Some(false) => follows(rest, b"<!--").map(|opens| {
                    if opens {
                        *escape = ScriptEscape::Escaped;
                        // The dashes may be those of the end as well: `<!-->`.
                        at = here + 2;
                    }
                }),
                None => None,
            },
            ScriptEscape::Escaped => match is_end_tag(bytes, here, NAME) {
                Some(true) => return EndTagSearch::EndTag(here),
                Some(false) => names(&rest[1..], NAME).map(|opens| {
                    if opens {
                        *escape = ScriptEscape::Double;
                    }
                }),
                None => None,
            },
            ScriptEscape::Double => is_end_tag(bytes, here, NAME).map(|closes| {
                if closes {
                    *escape = ScriptEscape::Escaped;
                }
            }),
        };
        if decided.is_none() {
            return wait(here);
        }
    }
}

/// Looks for the end of a comment whose contents start at or before `at`, and returns the index
/// behind its `>`, or where the search goes on.
pub(super) fn comment_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start;
    while let Some(found) = memchr(b'>', &bytes[at..]) {
        let more = at + found;
        let contents = &bytes[start..more];
        if contents.ends_with(b"--") || contents.ends_with(b"--!") {
            return Ok(more + 1);
        }
        at = more + 1;
    }
    // `--!` may stand before the next `>`.
    Err(bytes.len().saturating_sub(3).max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Option<usize> {
        let whole = script_end(text.as_bytes(), 0, &mut ScriptEscape::None, true);
        for cut in 0..text.len() {
            let mut escape = ScriptEscape::None;
            let mut found = script_end(&text.as_bytes()[..cut], 0, &mut escape, false);
            if let EndTagSearch::Wait(at) = found {
                found = script_end(text.as_bytes(), at, &mut escape, true);
            }
            assert_eq!(found, whole, "{text} cut at {cut}");
        }
        match whole {
            EndTagSearch::EndTag(at) => Some(at),
            EndTagSearch::Wait(_) => None,
        }
    }

    #[test]
    fn scripts_end_as_the_standard_says() {
        for (text, end) in [
            ("a</script>", Some(1)),
            ("</scripty></SCRIPT\n>", Some(10)),
            ("<!-- </script>", Some(5)),
            ("<!--<script></script>--></script>", Some(24)),
            ("<!--><script></script>", Some(13)),
            ("<!---><script></script>", Some(14)),
            ("<!-<script></script>", Some(11)),
            ("<!--<script>--></script>", Some(15)),
            ("<!--<script></script></script>", Some(21)),
            ("<!--<script/</script/</script ", Some(21)),
            ("<!--<scripty></script>", Some(13)),
            ("<!--<script>--></script", None),
            ("</script", None),
        ] {
            assert_eq!(script(text), end, "{text}");
        }
    }

    #[test]
    fn comments_end_as_the_standard_says() {
        for (text, end) in [
            (" a -->b", Some(6)),
            (" a --!>b", Some(7)),
            ("-->", Some(3)),
            ("!>-->", Some(5)),
            (" - -> --", None),
            ("--- >--->", Some(9)),
        ] {
            assert_eq!(comment_end(text.as_bytes(), 0).ok(), end, "{text}");
            for cut in 0..text.len() {
                let found = comment_end(&text.as_bytes()[..cut], 0)
                    .or_else(|at| comment_end(text.as_bytes(), at));
                assert_eq!(found.ok(), end, "{text} cut at {cut}");
            }
        }
    }
}
