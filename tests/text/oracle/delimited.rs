//! URIs in angle brackets or double quotes, and terminal hyperlinks (T9 to T24).

use super::chars::{Char, Text, is_control, is_ignorable, is_scheme_byte, is_unicode_blank, is_ws};
use super::prefix::{self, Prefix};
use super::scheme::{self, Scheme};
use super::sets::{is_known, is_special};
use super::{Detail, Options, conformance};

/// T9: the white space before the scheme and before `URL:`.
const LONGEST_PADDING: usize = 64;
/// T13: the raw bytes of a delimited URI.
const LONGEST: usize = 16_384;
/// T24: `ESC ]8;params;`.
const LONGEST_OSC8: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    Angle,
    Quote,
}

/// T9: the delimiter and `URL:` before a scheme.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The delimiter and its offset.
    pub(super) delimiter: Option<(Delimiter, usize)>,
    /// The offset of `URL:`.
    pub(super) marker: Option<usize>,
}

/// T9: the delimiter before `start`; one before `resume` belongs to an earlier find.
pub(super) fn opening(text: Text<'_>, start: usize, resume: usize) -> Opening {
    let mut opening = Opening {
        delimiter: None,
        marker: None,
    };
    let Some(mut at) = before_padding(text, start) else {
        return opening;
    };
    let mut padded = at < start;
    opening.marker = marker_before(text, at);
    if let Some(marker) = opening.marker {
        match before_padding(text, marker) {
            Some(before) => at = before,
            None => return opening,
        }
        padded |= at < marker;
    }
    let delimiter = match text.byte_before(at) {
        Some(b'<') => Delimiter::Angle,
        // T9: a quotation mark that may have closed something.
        Some(b'"') if !padded || may_stand_before_quote(text.byte_before(at - 1)) => {
            Delimiter::Quote
        }
        _ => return opening,
    };
    if at > resume {
        opening.delimiter = Some((delimiter, at - 1));
    }
    opening
}

/// T9: goes back over at most 64 blanks with at most one line break.
fn before_padding(text: Text<'_>, end: usize) -> Option<usize> {
    let mut at = end;
    while text.byte_before(at).is_some_and(is_ws) {
        at -= 1;
        if end - at > LONGEST_PADDING {
            return None;
        }
    }
    (text.line_breaks_in(at, end) <= 1).then_some(at)
}

/// Returns the start of a `URL:` that ends at `end` and is not the tail of a longer run.
fn marker_before(text: Text<'_>, end: usize) -> Option<usize> {
    let marker = end.checked_sub(4)?;
    let whole = !text.byte_before(marker).is_some_and(is_scheme_byte);
    (whole && text.has_any_case_at(marker, b"URL:")).then_some(marker)
}

fn may_stand_before_quote(byte: Option<u8>) -> bool {
    byte.is_none_or(|byte| is_ws(byte) || b"([{=:,".contains(&byte))
}

/// The cleaned text between two delimiters.
#[derive(Debug, Default)]
struct Content {
    start: usize,
    end: usize,
    closer: usize,
    /// The closer stands first on its line, behind blanks and the prefix.
    closer_leads_line: bool,
    uri: Vec<u8>,
    /// The white space between two bytes of the URI.
    gaps: Vec<Gap>,
    /// T16: offsets in the URI at which a backslash was removed.
    backslashes: Vec<usize>,
    ignorable_removed: bool,
    is_reply: bool,
}

/// One removed run of white space.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The offset in the URI.
    at: usize,
    /// The offset behind it in the text.
    behind: usize,
    /// T19: `-` stands directly before it.
    hyphen: bool,
    wraps: bool,
}

impl Content {
    fn wraps(&self) -> usize {
        self.gaps.iter().filter(|gap| gap.wraps).count()
    }

    fn inner_spaces(&self) -> usize {
        self.gaps.len() - self.wraps()
    }

    /// T19: the hyphens directly before a removed line break.
    fn doubtful_hyphens(&self) -> Vec<usize> {
        self.gaps
            .iter()
            .filter(|gap| gap.wraps && gap.hyphen)
            .map(|gap| gap.at - 1)
            .collect()
    }

    fn alternatives(&self) -> Vec<Vec<u8>> {
        let mut readings = Vec::new();
        let hyphens = self.doubtful_hyphens();
        if !hyphens.is_empty() {
            // T19: without the doubtful hyphens.
            let kept = (0..self.uri.len()).filter(|at| !hyphens.contains(at));
            readings.push(kept.map(|at| self.uri[at]).collect());
        }
        if !self.backslashes.is_empty() {
            // T16: with the backslashes.
            let mut reading = Vec::new();
            for at in 0..=self.uri.len() {
                let here = self.backslashes.iter().filter(|&&place| place == at);
                reading.extend(here.map(|_| b'\\'));
                reading.extend(self.uri.get(at));
            }
            readings.push(reading);
        }
        if self.inner_spaces() > 0 {
            // T20: the text up to the first removed run.
            readings.push(self.uri[..self.gaps[0].at].to_vec());
        }
        readings
    }

    fn flags(&self) -> Vec<&'static str> {
        let flags = [
            (self.wraps() > 0, "wrapped"),
            (self.inner_spaces() > 0, "inner-space"),
            (!self.doubtful_hyphens().is_empty(), "hyphen"),
            (self.ignorable_removed, "ignorable-removed"),
        ];
        let set = flags.into_iter().filter(|flag| flag.0);
        set.map(|flag| flag.1).collect()
    }

    /// Returns whether the closer may close it (T13, T17, T18).
    fn may_be_closed(&self, text: Text<'_>, delimiter: Delimiter, options: &Options) -> bool {
        // T13
        let (wraps, inner_spaces) = match delimiter {
            Delimiter::Angle => (64, 8),
            Delimiter::Quote => (8, 1),
        };
        let keeps_limits = self.wraps() <= wraps && self.inner_spaces() <= inner_spaces;
        let behind = text.byte(self.closer + 1);
        let refused = match delimiter {
            // T17
            Delimiter::Angle => !self.is_reply && self.closer_leads_line && self.inner_spaces() > 0,
            // T18
            Delimiter::Quote => behind.is_some_and(|byte| byte.is_ascii_alphanumeric()),
        };
        !self.uri.is_empty() && (keeps_limits || options.strict) && !refused
    }

    /// T21: returns whether an authority follows `//` at the start of `rest`.
    fn suits_slashes(scheme: &[u8], rest: &[u8]) -> bool {
        let Some(behind) = rest.strip_prefix(b"//") else {
            return true;
        };
        let authority = behind.split(|byte| b"/?#".contains(byte)).next();
        let holds = authority
            .unwrap_or_default()
            .iter()
            .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii() || *byte == b']');
        holds || (scheme == b"file" && behind.starts_with(b"/"))
    }

    fn into_detail(self, delimiter: Delimiter, opener: usize, marked: bool) -> Detail {
        let kind = match delimiter {
            Delimiter::Angle => "angle",
            Delimiter::Quote => "quoted",
        };
        let mut detail = Detail::new(self.start..self.end, self.uri.clone(), kind);
        detail.outer = opener..self.closer + 1;
        detail.find.alternatives = self.alternatives();
        detail.hyphens = self.doubtful_hyphens();
        detail.find.flags.extend(self.flags());
        detail.find.flags.extend(marked.then_some("url-prefix"));
        detail
    }
}

/// Reads from the delimiter at `opener` to its closer; `marker` is the offset of `URL:`.
fn read(
    text: Text<'_>,
    delimiter: Delimiter,
    opener: usize,
    marker: Option<usize>,
    options: &Options,
) -> Option<Content> {
    let plain = prefix::of_line(text, opener);
    if delimiter == Delimiter::Quote {
        return read_behind(text, delimiter, opener, marker, options, plain);
    }
    // T14
    let mut from_html = prefix::of_line_from_html(text, opener);
    if from_html == Prefix::None
        && let Some(end) = (opener..text.0.len()).find(|&at| text.line_break(at).is_some())
    {
        from_html = prefix::entities(text, end + text.line_break(end).unwrap_or(0));
    }
    let read = |prefix| read_behind(text, delimiter, opener, marker, options, prefix);
    read(from_html).or_else(|| read(plain))
}

/// Like [`read`], with this line prefix.
fn read_behind(
    text: Text<'_>,
    delimiter: Delimiter,
    opener: usize,
    marker: Option<usize>,
    options: &Options,
    prefix: Prefix,
) -> Option<Content> {
    let is_source = options.troff || prefix::is_control_line(text, opener);
    let mut content = Content::default();
    let mut at = opener + 1;
    // The number of line breaks in the current run of blanks.
    let mut run: Option<usize> = None;
    // T16: the run starts behind a backslash.
    let mut after_backslash = false;
    loop {
        if marker == Some(at) {
            at += 4;
            run = None;
        }
        // T13
        if !content.uri.is_empty() && at - content.start > LONGEST {
            return None;
        }
        let (found, length) = text.char_at(at)?;
        if let Some(length) = text.line_break(at) {
            let breaks = run.unwrap_or(0) + 1;
            // T12
            if breaks > 1 {
                return None;
            }
            run = Some(breaks);
            // T15
            at = prefix.skip(text, at + length)?;
            continue;
        }
        match found {
            // T10
            Char::Scalar('>') if delimiter == Delimiter::Angle => break,
            Char::Scalar('"') if delimiter == Delimiter::Quote => break,
            Char::Scalar('<' | '>' | '"') => return None,
            // T16
            Char::Scalar('\\')
                if delimiter == Delimiter::Angle
                    && !content.uri.is_empty()
                    && text.line_break(at + 1).is_some() =>
            {
                content.backslashes.push(content.uri.len());
                after_backslash = true;
                at += 1;
                continue;
            }
            // T39
            Char::Scalar('\\')
                if is_source && !content.uri.is_empty() && text.byte(at + 1) == Some(b':') =>
            {
                at += 2;
                continue;
            }
            Char::Scalar('\\')
                if is_source && !content.uri.is_empty() && text.byte(at + 1) == Some(b'-') =>
            {
                at += 1;
                continue;
            }
            Char::Scalar('\\') if delimiter == Delimiter::Quote => return None,
            // T11
            Char::Scalar(' ' | '\t' | '\u{B}' | '\u{C}') => run = run.or(Some(0)),
            Char::Scalar(c) if is_unicode_blank(c) => run = run.or(Some(0)),
            Char::Scalar(c) if is_ignorable(c) => content.ignorable_removed = true,
            Char::Scalar(c) if c.is_ascii() && is_control(c as u8) => return None,
            _ => {
                if content.uri.is_empty() {
                    content.start = at;
                } else if let Some(breaks) = run {
                    content.gaps.push(Gap {
                        at: content.uri.len(),
                        behind: at,
                        hyphen: content.uri.ends_with(b"-") && !after_backslash,
                        wraps: breaks > 0,
                    });
                }
                run = None;
                after_backslash = false;
                content.uri.extend(&text.0[at..at + length]);
                content.end = at + length;
            }
        }
        at += length;
    }
    content.closer = at;
    content.is_reply = matches!(prefix, Prefix::Reply(..));
    content.closer_leads_line = run.is_some_and(|breaks| breaks > 0);
    content
        .may_be_closed(text, delimiter, options)
        .then_some(content)
}

/// Returns the URI of `scheme` between the delimiters of T9.
pub(super) fn find(
    text: Text<'_>,
    options: &Options,
    scheme: &Scheme,
    opening: Opening,
) -> Option<Detail> {
    let (delimiter, opener) = opening.delimiter?;
    let content = read(text, delimiter, opener, opening.marker, options)?;
    if content.start != scheme.start {
        return None;
    }
    let behind_colon = scheme.name.len() + 1;
    let rest = &content.uri[behind_colon..];
    // T11: for special schemes a line break may stand between `:` and `//`.
    let broken_slashes = is_special(&scheme.name)
        && content.gaps.first().is_some_and(|gap| {
            gap.at == behind_colon && gap.wraps && text.has_at(gap.behind, b"//")
        });
    // T22
    let accepted = scheme.has_slashes(text) || broken_slashes || scheme.suits(text, rest);
    if !accepted || !Content::suits_slashes(&scheme.name, rest) {
        return None;
    }
    let mut detail = content.into_detail(delimiter, opener, opening.marker.is_some());
    detail.find.flags.extend(scheme.flags());
    conformance::flag(&mut detail.find);
    Some(detail)
}

/// T22: returns the reference in `<URL:...>` whose `URL:` ends in `colon`.
pub(super) fn find_marked(
    text: Text<'_>,
    options: &Options,
    colon: usize,
    resume: usize,
) -> Option<Detail> {
    let marker = marker_before(text, colon + 1)?;
    let opener = before_padding(text, marker)?.checked_sub(1)?;
    if opener < resume || text.byte(opener) != Some(b'<') {
        return None;
    }
    let content = read(text, Delimiter::Angle, opener, Some(marker), options)?;
    // T9
    if content.start - (colon + 1) > LONGEST_PADDING {
        return None;
    }
    let flag = match scheme_length(text.from(content.start)) {
        Some(length) => absolute_flag(&content, length)?,
        // T11: a scheme's name is never joined.
        None if scheme_length(&content.uri).is_some() => return None,
        None if content.inner_spaces() > 0 => return None,
        None if !Content::suits_slashes(b"", &content.uri) => return None,
        None => Some("relative"),
    };
    let mut detail = content.into_detail(Delimiter::Angle, opener, true);
    detail.find.flags.extend(flag);
    conformance::flag(&mut detail.find);
    Some(detail)
}

/// Returns the length of a scheme before the first colon.
fn scheme_length(bytes: &[u8]) -> Option<usize> {
    let run = bytes.iter().take_while(|&&byte| is_scheme_byte(byte));
    let length = run.count();
    let named = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    (named && bytes.get(length) == Some(&b':')).then_some(length)
}

/// T22: returns whether the scheme behind `<URL:` is accepted.
fn absolute_flag(content: &Content, scheme_length: usize) -> Option<Option<&'static str>> {
    let name = content.uri[..scheme_length].to_ascii_lowercase();
    let rest = &content.uri[scheme_length + 1..];
    let slashes = rest.starts_with(b"//");
    // T3
    let mut parts = name.rsplitn(2, |&byte| byte == b'+');
    let inner = parts.next().unwrap_or_default();
    let compound = slashes && parts.next().is_some() && is_known(inner);
    let unknown = !compound && !is_known(&name);
    let doubtful = unknown && !slashes && content.inner_spaces() > 0;
    let accepted = name.len() <= scheme::LONGEST
        && !rest.is_empty()
        && !doubtful
        && Content::suits_slashes(&name, rest);
    accepted.then_some(unknown.then_some("unknown-scheme"))
}

/// T24: returns the target of a terminal's hyperlink.
pub(super) fn find_osc8(text: Text<'_>, scheme: &Scheme, resume: usize) -> Option<Detail> {
    let params_end = scheme.start.checked_sub(1)?;
    if text.byte(params_end) != Some(b';') {
        return None;
    }
    let is_param = |byte: u8| byte != b';' && !is_control(byte);
    let mut params = params_end;
    while text.byte_before(params).is_some_and(is_param) {
        params -= 1;
        if scheme.start - params > LONGEST_OSC8 {
            return None;
        }
    }
    let opener = params.checked_sub(4)?;
    if opener < resume || !text.has_at(opener, b"\x1b]8;") || scheme.start - opener > LONGEST_OSC8 {
        return None;
    }
    let behind = text.from(scheme.start);
    let length = behind
        .iter()
        .take(LONGEST + 1)
        .position(|&b| is_control(b))?;
    let end = scheme.start + length;
    let outer_end = match text.from(end) {
        [b'\x07', ..] => end + 1,
        [b'\x1b', b'\\', ..] => end + 2,
        _ => return None,
    };
    // T24: exactly as it stands.
    let uri = text.0[scheme.start..end].to_vec();
    let rest = text.0[..end].get(scheme.colon + 1..)?;
    let accepted = scheme.has_slashes(text) || scheme.suits(text, rest);
    if !accepted || !Content::suits_slashes(&scheme.name, rest) {
        return None;
    }
    let mut detail = Detail::new(scheme.start..end, uri, "osc8");
    detail.outer = opener..outer_end;
    detail.find.flags.extend(scheme.flags());
    conformance::flag(&mut detail.find);
    Some(detail)
}
