//! Whether the line behind a URI goes on with it (rule B8a).

use super::view::{ByteClassSet, TextView, is_blank, is_break};

/// So many bytes of the next line's first token are looked at.
const LONGEST_TOKEN: usize = 1024;

/// So many spaces and tabs behind it.
const LONGEST_BLANKS: usize = 64;

/// White space.
static BLANKS: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = is_blank(byte as u8);
        byte += 1;
    }
    set
};

/// Whether the token at an index, the first of its line, continues a URI: it stands there alone, or it holds what words
/// do not, and it is no field's name, list mark or rule.
pub(super) fn goes_on(view: &TextView<'_>, at: usize) -> bool {
    let end = view.first(at, at + LONGEST_TOKEN, &BLANKS);
    let token = &view.bytes[at..end];
    if is_field(token) || is_list_mark(token) || is_rule(token) || is_entity(token) {
        return false;
    }
    let is_alone = || {
        let mut blank = end;
        while blank < end + LONGEST_BLANKS && matches!(view.at(blank), Some(b' ' | b'\t')) {
            blank += 1;
        }
        view.at(blank).is_none_or(is_break)
    };
    is_evident(token) || token.iter().copied().all(is_uri_byte) && is_alone()
}

/// `unreserved`, `reserved` and `%` (RFC 3986 section 2).
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

/// A header field's name, and what looks like one.
fn is_field(token: &[u8]) -> bool {
    let name = token.strip_suffix(b":");
    name.is_some_and(|name| {
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        name.iter().all(in_name)
    })
}

/// `-`, `12.`, `12)`, `a.`, `a)`
fn is_list_mark(token: &[u8]) -> bool {
    match token {
        [b'-'] => true,
        [count @ .., b'.' | b')'] => {
            !count.is_empty() && count.iter().all(u8::is_ascii_digit)
                || matches!(count, [letter] if letter.is_ascii_alphabetic())
        }
        _ => false,
    }
}

/// `---`, `-- `, `____`
fn is_rule(token: &[u8]) -> bool {
    let first = token[0];
    let run = token.iter().take_while(|&&byte| byte == first).count();
    matches!(first, b'-' | b'_' | b'=' | b'~' | b'#')
        && run >= 2
        && (run == token.len() || run >= 4)
}

/// B1: `&lt;`, `&gt;` or `&quot;`, at which a URI stops.
fn is_entity(token: &[u8]) -> bool {
    [&b"&lt;"[..], b"&gt;", b"&quot;"].iter().any(|entity| {
        let start = token.get(..entity.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(entity))
    })
}

/// Whether the token holds one of `/ ? = & % #`, punctuation at its end aside.
///
/// `%` counts only in a triplet. `and/or`, `Linux/UNIX` and `AT&T` are words: one `/` or `&` between letters.
fn is_evident(token: &[u8]) -> bool {
    let is_punctuation = |byte: &u8| b".,:;!?)]}'*".contains(byte);
    let end = token.iter().rposition(|byte| !is_punctuation(byte));
    let token = &token[..end.map_or(0, |last| last + 1)];
    let has_triplet = || {
        let mut triplets = token.windows(3);
        triplets.any(|three| three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit))
    };
    let joints = token.iter().filter(|byte| matches!(byte, b'/' | b'&'));
    let is_word_pair = || {
        let mut words = token.split(|byte| matches!(byte, b'/' | b'&'));
        words.all(|word| !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic))
    };
    token.iter().any(|byte| matches!(byte, b'?' | b'=' | b'#'))
        || has_triplet()
        || match joints.count() {
            0 => false,
            1 => !is_word_pair(),
            _ => true,
        }
}
