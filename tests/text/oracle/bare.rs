//! URIs without delimiters (T25 to T39).

use super::chars::{Char, Text, is_blank, is_control, is_scheme_byte, is_soft, is_ws};
use super::delimited::Opening;
use super::prefix;
use super::scheme::{self, Scheme};
use super::sets::is_special;
use super::stops::{Step, Stops};
use super::{Detail, Options, conformance, host};

/// T7: the bytes in which a shape must show; repeated schemes are read in linear time.
const SHAPE: usize = 256;

/// T27: the longest authority.
const LONGEST_AUTHORITY: usize = 1024;
/// T30: the most open brackets.
const DEEPEST: usize = 16;
/// T33: the shortest line that may have been wrapped.
const FULL_LINE: usize = 60;
/// T34: the most bytes of the next line's first token, and of the blanks behind it.
const LONGEST_TOKEN: usize = 1024;
const LONGEST_GAP: usize = 64;
/// T37: the longest URI.
pub(super) const LONGEST: usize = 65_536;

/// A URI without delimiters.
pub(super) struct Reach {
    start: usize,
    /// The start of the path: trimming and footnotes stop there.
    body: usize,
    pub(super) end: usize,
    pub(super) flags: Vec<&'static str>,
}

/// Returns the URI of `scheme`.
pub(super) fn find(
    text: Text<'_>,
    options: &Options,
    scheme: &Scheme,
    opening: Opening,
) -> Option<Detail> {
    let behind_colon = scheme.colon + 1;
    let slashes = scheme.has_slashes(text);
    // T39: the URI is read without escapes, and its end is mapped back.
    let source = text;
    let is_source = options.troff || prefix::is_control_line(text, scheme.start);
    let from = behind_colon + if slashes { 2 } else { 0 };
    let (unescaped, places) = without_escapes(text, scheme.start, from, is_source);
    let text = Text(&unescaped);
    let limit = places.partition_point(|&place| place < scheme.start + LONGEST);
    let stops = Stops::new(text, options, scheme.start);
    let mut reach = if !slashes {
        // T7: only some schemes need no slashes.
        if !scheme.may_go_without_slashes(source) {
            return None;
        }
        Reach::walk(text, &stops, scheme.start, behind_colon, limit)
    } else if is_special(&scheme.name) {
        Reach::with_host(text, &stops, scheme.start, behind_colon + 2, limit)?
    } else {
        let authority = behind_colon + 2;
        if !may_follow_slashes(text, &stops, scheme, authority) {
            return None;
        }
        Reach::walk(text, &stops, scheme.start, authority, limit)
    };
    reach.finish(text, slashes.then_some(behind_colon + 2));
    let rest = &text.0[behind_colon..reach.end];
    let accepted = match rest.strip_prefix(b"//").filter(|_| slashes) {
        // T32
        Some(rest) => {
            rest.iter()
                .any(|&b| b.is_ascii_alphanumeric() || b >= 0x80 || b == b']')
                || (scheme.name == b"file" && rest.starts_with(b"/"))
        }
        // T7, T32: a shape, which must remain too.
        None => scheme.suits(source, &rest[..rest.len().min(SHAPE)]),
    };
    if !accepted {
        return None;
    }
    let uri = text.0[reach.start..reach.end].to_vec();
    reach.end = places[reach.end - 1] + 1;
    let mut detail = reach.into_detail(source, "bare", opening);
    detail.find.uri = uri;
    // T23
    let unclosed = opening.delimiter.is_some().then_some("unclosed");
    detail.find.flags.extend(unclosed);
    detail.find.flags.extend(scheme.flags());
    conformance::flag(&mut detail.find);
    Some(detail)
}

/// T39: returns the text from `from` to the first stop without escapes, and the offset of
/// each byte.
fn without_escapes(
    text: Text<'_>,
    start: usize,
    from: usize,
    is_source: bool,
) -> (Vec<u8>, Vec<usize>) {
    let mut unescaped = Vec::new();
    let mut places = Vec::new();
    let mut at = 0;
    let mut stopped = !is_source;
    while let Some(byte) = text.byte(at) {
        // T37: escapes do not make the URI reach further.
        if is_source && !stopped && at >= start + LONGEST + 64 {
            break;
        }
        if at >= from && !stopped && byte == b'\\' {
            match text.byte(at + 1) {
                Some(b':') => {
                    at += 2;
                    continue;
                }
                Some(b'-') => at += 1,
                _ => stopped = true,
            }
        }
        let byte = text.0[at];
        stopped |= at >= from && (is_control(byte) || b" <>\"`".contains(&byte));
        unescaped.push(byte);
        places.push(at);
        at += 1;
    }
    (unescaped, places)
}

/// T29: returns whether a byte may follow the `//` of a scheme that is not special.
fn may_follow_slashes(text: Text<'_>, stops: &Stops<'_>, scheme: &Scheme, at: usize) -> bool {
    let Step::Goes(_) = stops.step(at, true) else {
        return false;
    };
    match text.byte(at) {
        Some(b'[') => {
            let rest = text.from(at);
            let longest = rest.len().min(LONGEST_AUTHORITY);
            host::ip_literal_length(&rest[..longest]).is_some()
        }
        Some(b'/') => scheme.name == b"file",
        Some(byte) => byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_%~+$-.*".contains(&byte),
        None => false,
    }
}

impl Reach {
    /// T27: reads a URI whose authority starts at `authority`.
    fn with_host(
        text: Text<'_>,
        stops: &Stops<'_>,
        start: usize,
        at: usize,
        limit: usize,
    ) -> Option<Reach> {
        let end = authority_end(text, stops, at)?;
        let authority = &text.0[at..end];
        let doubled = [&b"http:"[..], b"https:", b"ftp:"]
            .iter()
            .any(|scheme| authority.eq_ignore_ascii_case(scheme));
        if doubled && text.has_at(end, b"//") {
            return None;
        }
        let server = at + host::userinfo_end(authority).unwrap_or(0);
        Reach::behind_server(text, stops, start, server, end, limit)
    }

    /// T27: reads host and port in `text[server..end]`, then the path.
    pub(super) fn behind_server(
        text: Text<'_>,
        stops: &Stops<'_>,
        start: usize,
        server: usize,
        end: usize,
        limit: usize,
    ) -> Option<Reach> {
        let length = host::server_length(&text.0[server..end], text.byte(end))?;
        if server + length == end {
            return Some(Reach::walk(text, stops, start, end, limit));
        }
        // T27: the authority goes on: the URI ends.
        Some(Reach {
            start,
            body: server + length,
            end: server + length,
            flags: Vec::new(),
        })
    }

    /// Reads from `body` to the first stop (T25, T26, T30, T37).
    fn walk(text: Text<'_>, stops: &Stops<'_>, start: usize, body: usize, limit: usize) -> Reach {
        let mut reach = Reach {
            start,
            body,
            end: body,
            flags: Vec::new(),
        };
        let mut in_path = true;
        // The open brackets: closer, offset, and whether it is in the path.
        let mut open: Vec<(u8, usize, bool)> = Vec::new();
        loop {
            let at = reach.end;
            let length = match stops.step(at, in_path) {
                Step::Goes(length) => length,
                Step::Stops => break,
                Step::ZeroWidth => {
                    reach.flags.push("zero-width");
                    break;
                }
            };
            let byte = text.0[at];
            let closer = match byte {
                b'(' => Some(b')'),
                b'[' => Some(b']'),
                b'{' => Some(b'}'),
                _ => None,
            };
            // T30
            if closer.is_some() && open.len() == DEEPEST {
                break;
            }
            let closes = matches!(byte, b')' | b']' | b'}');
            if closes && open.last().is_none_or(|&(closer, ..)| closer != byte) {
                break;
            }
            // T37
            if at + length > limit {
                reach.flags.push("overlong");
                break;
            }
            if closes {
                open.pop();
            }
            open.extend(closer.map(|closer| (closer, at, in_path)));
            in_path &= !matches!(byte, b'?' | b'#');
            reach.end += length;
        }
        // T30: a `[` that stays open.
        let unclosed = open
            .iter()
            .find(|&&(closer, _, path)| closer == b']' && path);
        reach.end = unclosed.map_or(reach.end, |&(_, at, _)| at);
        reach
    }

    /// Trims footnotes and punctuation (T30, T31); the authority starts at `authority`.
    pub(super) fn finish(&mut self, text: Text<'_>, authority: Option<usize>) {
        let before = text.byte_before(self.start);
        let count = |end: usize| {
            text.0[self.start..end]
                .iter()
                .filter(|&&b| b == b'\'')
                .count()
        };
        let mut apostrophes = count(self.end);
        let drawn = self.drawn_rule(text, authority.unwrap_or(self.body));
        self.end -= drawn;
        apostrophes = count(self.end).min(apostrophes);
        let first_delimiter = |from: usize, set: &[u8]| {
            let found = text.0[from..self.end].iter().position(|b| set.contains(b));
            found.map_or(self.end, |offset| from + offset)
        };
        let path_end = first_delimiter(self.start, b"?#");
        let authority_end = authority.map_or(self.start, |from| first_delimiter(from, b"/?#"));
        let floor = authority.unwrap_or(self.body);
        let (mut trimmed, mut footnote) = (drawn > 0, false);
        while let Some((last, length)) = text.char_before(floor, self.end) {
            let in_host = self.end <= authority_end;
            let is_trimmed = match last {
                Char::Scalar('.' | ',' | ':' | ';' | '!' | '?' | '*' | '|' | '(' | '[' | '{') => {
                    true
                }
                Char::Scalar('\'') => apostrophes % 2 == 1,
                Char::Scalar(c @ ('_' | '~')) => in_host || before == Some(c as u8),
                Char::Scalar('-') => in_host,
                Char::Scalar(c) => is_soft(c),
                Char::Byte(_) => false,
            };
            if is_trimmed {
                apostrophes -= usize::from(last == Char::Scalar('\''));
                self.end -= length;
                trimmed = true;
                continue;
            }
            match footnote_start(&text.0[self.body.min(self.end)..self.end]) {
                // T30: only in the path.
                Some(offset) if self.end <= path_end => {
                    self.end = self.body + offset;
                    footnote = true;
                }
                _ => break,
            }
        }
        self.flags.extend(trimmed.then_some("trimmed"));
        self.flags.extend(footnote.then_some("footnote-cut"));
        // T31: an ellipsis.
        let ellipsis = text.has_at(self.end, b"..") || text.has_at(self.end, "…".as_bytes());
        self.flags.extend(ellipsis.then_some("ellipsis"));
    }

    /// T28: returns the length of a drawn rule at the end of the line.
    fn drawn_rule(&self, text: Text<'_>, floor: usize) -> usize {
        let ends_line = self.end == text.0.len() || text.line_break(self.end).is_some();
        let body = &text.0[floor.min(self.end)..self.end];
        let runs = b"_=*~-".iter().map(|&drawn| {
            let rest = body.iter().rposition(|&byte| byte != drawn);
            body.len() - rest.map_or(0, |last| last + 1)
        });
        let longest = runs.max().unwrap_or(0);
        if ends_line && longest >= 4 {
            longest
        } else {
            0
        }
    }

    /// T33, T35
    pub(super) fn into_detail(
        self,
        text: Text<'_>,
        kind: &'static str,
        opening: Opening,
    ) -> Detail {
        let uri = text.0[self.start..self.end].to_vec();
        let mut detail = Detail::new(self.start..self.end, uri, kind);
        let wrapped = !self.flags.contains(&"trimmed")
            && !self.flags.contains(&"footnote-cut")
            && may_be_wrapped(text, self.start, self.end);
        detail.find.flags.extend(self.flags);
        detail.find.flags.extend(wrapped.then_some("maybe-wrapped"));
        let marked = opening.marker.is_some();
        detail.find.flags.extend(marked.then_some("url-prefix"));
        detail
    }
}

/// T27: returns the end of the authority, unless it is too long.
pub(super) fn authority_end(text: Text<'_>, stops: &Stops<'_>, start: usize) -> Option<usize> {
    let mut end = start;
    while !matches!(text.byte(end), Some(b'/' | b'?' | b'#'))
        && let Step::Goes(length) = stops.step(end, true)
    {
        end += length;
        if end - start > LONGEST_AUTHORITY {
            return None;
        }
    }
    Some(end)
}

/// T30: returns the start of a footnote mark at the end of `path`.
fn footnote_start(path: &[u8]) -> Option<usize> {
    let inner = path.strip_suffix(b"]")?;
    let digits = inner
        .iter()
        .rev()
        .take(4)
        .take_while(|b| b.is_ascii_digit());
    let digits = digits.count();
    let bracket = inner.len().checked_sub(digits + 1)?;
    ((1..=3).contains(&digits) && inner[bracket] == b'[').then_some(bracket)
}

/// T33: returns whether the URI fills its line and the next line may continue it.
fn may_be_wrapped(text: Text<'_>, start: usize, end: usize) -> bool {
    let Some(length) = text.line_break(end) else {
        return false;
    };
    let full = text.line_start(end, FULL_LINE - 1).is_none();
    let line = end + length;
    let prefix = prefix::of_line_from_html(text, start);
    // The prefix is no longer than one on the opening line can be.
    let Some(next) = prefix
        .skip(text, line)
        .filter(|next| next - line <= prefix::LONGEST)
    else {
        return false;
    };
    // One blank may stand before it.
    let next = next + usize::from(text.byte(next).is_some_and(is_blank));
    let goes_on = text
        .byte(next)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"/?&=%_~#-".contains(&byte));
    // T1: a longer run is no scheme.
    let run = text.from(next).iter().take(scheme::LONGEST + 1);
    let run = run.take_while(|&&byte| is_scheme_byte(byte)).count();
    let another = (1..=scheme::LONGEST).contains(&run) && text.has_at(next + run, b"://");
    full && goes_on && !another && is_continuation(text, next)
}

/// T34: returns whether the first token of a line, at `start`, may continue a URI.
fn is_continuation(text: Text<'_>, start: usize) -> bool {
    let longest = text.from(start).iter().take(LONGEST_TOKEN);
    let length = longest.take_while(|&&byte| !is_ws(byte)).count();
    let token = &text.from(start)[..length];
    // The longest token may end inside a character.
    let word = &*String::from_utf8_lossy(token);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let field = word
        .strip_suffix(':')
        .is_some_and(|name| name.chars().all(is_name));
    let counted = |mark: char| {
        word.strip_suffix(mark).is_some_and(|count| {
            let digits = !count.is_empty() && count.chars().all(|c| c.is_ascii_digit());
            digits || (count.len() == 1 && count.as_bytes()[0].is_ascii_alphabetic())
        })
    };
    let list = word == "-" || counted('.') || counted(')');
    let rule = "-_=~#".chars().any(|drawn| {
        let rest = word.trim_start_matches(drawn);
        let run = word.len() - rest.len();
        run >= 4 || (run >= 2 && rest.is_empty())
    });
    let lower = token.to_ascii_lowercase();
    let entity = [&b"&lt;"[..], b"&gt;", b"&quot;"];
    if field || list || rule || entity.iter().any(|entity| lower.starts_with(entity)) {
        return false;
    }
    // A single token of characters of RFC 3986.
    let blanks = text.from(start + length).iter().take(LONGEST_GAP);
    let blanks = blanks.take_while(|&&byte| is_blank(byte)).count();
    let behind = start + length + blanks;
    let alone = behind == text.0.len() || text.line_break(behind).is_some();
    let may_hold =
        |&byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    if alone && token.iter().all(may_hold) {
        return true;
    }
    // Or bytes that words do not have.
    let mut token = token;
    while let [
        rest @ ..,
        b'.' | b',' | b':' | b';' | b'!' | b'?' | b')' | b']' | b'}' | b'\'' | b'*',
    ] = token
    {
        token = rest;
    }
    let triplet = (0..token.len()).any(|at| match token[at..] {
        [b'%', high, low, ..] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    });
    let joint = token.iter().position(|byte| b"/&".contains(byte));
    let pair = joint.is_some_and(|at| {
        let (one, other) = (&token[..at], &token[at + 1..]);
        !one.is_empty() && !other.is_empty() && one.iter().chain(other).all(u8::is_ascii_alphabetic)
    });
    triplet || token.iter().any(|byte| b"?=#".contains(byte)) || (joint.is_some() && !pair)
}
