//! URIs without delimiters: where they stop, and what is trimmed from their ends (rules B1 to B12).

use std::net::Ipv6Addr;

use super::NonAscii;
use super::candidate::{Candidate, Workspace};
use super::lines::{self, Prefix};
use super::schemes::{self, SchemeStart};
use super::view::{ByteClassSet, Role, TextView, is_break, is_scheme_byte, role};
use crate::document::events::Context;
use crate::document::flags::Flags;

/// B11: a longer URI is cut.
pub(super) const LONGEST: usize = 65_536;

/// More than any rule reads behind the longest URI, in bytes.
const MARGIN: usize = 64;

/// B5: brackets open at a time.
const DEEPEST: usize = 16;

/// B8: a shorter line was not wrapped.
const FULL_LINE: usize = 60;

/// B8: the next line's prefix is looked for within so many bytes.
pub(super) const NEXT_PREFIX: usize = 1024;

/// The horizontal ellipsis, U+2026.
const ELLIPSIS: &[u8] = "\u{2026}".as_bytes();

/// B3a: a shorter run of one byte may belong to a URI, as at the end of base64.
const SHORTEST_RULE: usize = 4;

/// B3a: what rules are drawn with.
pub(super) fn is_rule_byte(byte: u8) -> bool {
    matches!(byte, b'_' | b'=' | b'*' | b'~' | b'-')
}

/// S7: a scheme's shape shows within so many bytes.
const SHAPE: usize = 256;

/// What a byte is to a bare URI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BareByte {
    Plain,
    Stop,
    Apostrophe,
    Open,
    Close,
    Ampersand,
    Separator,
    Mark,
    High,
}

static CLASSES: [BareByte; 256] = {
    let mut classes = [BareByte::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            0..=0x20 | 0x7F | b'<' | b'>' | b'"' | b'\\' | b'`' => BareByte::Stop,
            b'\'' => BareByte::Apostrophe,
            b'(' | b'[' | b'{' => BareByte::Open,
            b')' | b']' | b'}' => BareByte::Close,
            b'&' => BareByte::Ampersand,
            b',' | b';' | b'|' => BareByte::Separator,
            b'?' | b'#' => BareByte::Mark,
            0x80.. => BareByte::High,
            _ => BareByte::Plain,
        };
        byte += 1;
    }
    classes
};

/// Every byte that is not plain.
const MARKED: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = !matches!(CLASSES[byte], BareByte::Plain);
        byte += 1;
    }
    set
};

static MARKED_BYTES: ByteClassSet = MARKED;

/// What the character at an index does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BareStep {
    /// So many bytes belong to the URI.
    Take(usize),
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// `?` or `#`: the path ends.
    Mark,
    /// The URI ends; why, if that is remarkable.
    Stop(Flags),
}

/// A bare URI and what surrounds it.
pub(super) struct Bare<'v, 'a> {
    pub(super) view: &'v TextView<'a>,
    non_ascii: NonAscii,
    start: usize,
    /// B11: where it is cut.
    limit: usize,
    /// The byte before it.
    before: Option<u8>,
    /// B1: `'` stands directly before it.
    is_quoted: bool,
    /// B1: `|` stands before it: it is in a table's cell.
    is_in_cell: bool,
}

/// How far a URI reaches, before trimming.
struct Extent {
    end: usize,
    /// The first `?` or `#`.
    path_end: Option<usize>,
    flags: Flags,
}

impl<'v, 'a> Bare<'v, 'a> {
    pub(super) fn new(view: &'v TextView<'a>, non_ascii: NonAscii, start: usize) -> Self {
        Bare {
            view,
            non_ascii,
            start,
            limit: start + LONGEST,
            before: view.before(start),
            is_quoted: view.before(start) == Some(b'\''),
            is_in_cell: view.before(view.back_over_spaces(start)) == Some(b'|'),
        }
    }

    /// The same surroundings, for a copy of the URI in another view (B14).
    fn moved<'w, 'b>(&self, view: &'w TextView<'b>, start: usize, limit: usize) -> Bare<'w, 'b> {
        Bare {
            view,
            start,
            limit,
            ..*self
        }
    }

    /// B1, B2: what the character at an index does.
    pub(super) fn step(&self, at: usize, in_query: bool) -> BareStep {
        let Some(byte) = self.view.at(at) else {
            return BareStep::Stop(Flags::NONE);
        };
        let stops = match CLASSES[byte as usize] {
            BareByte::Plain => false,
            BareByte::Stop => {
                if byte == b'\\' {
                    self.view.stop_at_backslash(at);
                }
                true
            }
            BareByte::Open => return BareStep::Open,
            BareByte::Close => return BareStep::Close,
            BareByte::Mark => return BareStep::Mark,
            BareByte::Apostrophe => self.is_quoted,
            BareByte::Ampersand => [&b"lt;"[..], b"gt;", b"quot;"]
                .iter()
                .any(|entity| self.view.spells(at + 1, entity)),
            BareByte::Separator => {
                (byte == b'|' && (!in_query || self.is_in_cell)) || self.is_web(at + 1)
            }
            BareByte::High => return self.beyond_ascii(at, byte),
        };
        match stops {
            true => BareStep::Stop(Flags::NONE),
            false => BareStep::Take(1),
        }
    }

    /// `http(s)://` or `ftp(s)://`
    fn is_web(&self, at: usize) -> bool {
        let view = self.view;
        let name = match view.at(at).map(|byte| byte | 0x20) {
            Some(b'h') if view.spells(at, b"http") => 4,
            Some(b'f') if view.spells(at, b"ftp") => 3,
            _ => return false,
        };
        let colon = at + name + usize::from(view.spells(at + name, b"s"));
        view.spells(colon, b"://")
    }

    fn beyond_ascii(&self, at: usize, byte: u8) -> BareStep {
        if self.non_ascii == NonAscii::Ascii {
            return BareStep::Stop(Flags::NONE);
        }
        let role = match self.view.scalar(at) {
            Some((code, length)) => match role(code) {
                Role::Part | Role::Soft => return BareStep::Take(length),
                role => role,
            },
            // Not UTF-8: the controls and quotation marks of windows-1252, or its letters.
            None if byte >= 0xA1 => return BareStep::Take(1),
            None => Role::Stop,
        };
        BareStep::Stop(match role {
            Role::Invisible => Flags::ZERO_WIDTH,
            _ => Flags::NONE,
        })
    }

    /// B1, B2, B5, B11: goes on to the URI's end.
    fn extent(&self, from: usize) -> Extent {
        let view = self.view;
        let limit = self.limit;
        let mut open = [(0u8, 0usize); DEEPEST];
        let mut depth = 0;
        let mut extent = Extent {
            end: from,
            path_end: None,
            flags: Flags::NONE,
        };
        let mut at = from;
        loop {
            at = view.first(at, limit, &MARKED_BYTES);
            let length = match self.step(at, extent.path_end.is_some()) {
                BareStep::Take(length) => length,
                BareStep::Open if depth == DEEPEST => break,
                BareStep::Open => {
                    open[depth] = (
                        view.bytes[at] + if view.bytes[at] == b'(' { 1 } else { 2 },
                        at,
                    );
                    depth += 1;
                    1
                }
                BareStep::Close if depth == 0 || open[depth - 1].0 != view.bytes[at] => break,
                BareStep::Close => {
                    depth -= 1;
                    1
                }
                BareStep::Mark => {
                    extent.path_end.get_or_insert(at);
                    1
                }
                BareStep::Stop(flags) => {
                    extent.flags |= flags;
                    break;
                }
            };
            if at + length > limit {
                extent.flags |= Flags::OVERLONG;
                break;
            }
            at += length;
        }
        let path_end = extent.path_end.unwrap_or(at);
        // AsciiDoc's link text, and brackets opened before a blank.
        let unclosed = open[..depth]
            .iter()
            .find(|&&(closer, index)| closer == b']' && index < path_end);
        extent.end = unclosed.map_or(at, |&(_, index)| index);
        extent
    }

    /// B5, B6: trims until nothing changes.
    fn trim(&self, floor: usize, tail: usize, extent: &mut Extent) {
        let view = self.view;
        let before = self.before;
        let host_end = match view.before(floor) {
            Some(b':') => floor,
            _ => memchr::memchr3(b'/', b'?', b'#', &view.bytes[floor..extent.end])
                .map_or(extent.end, |n| floor + n),
        };
        self.leave_rule(floor, extent);
        let mut apostrophes = None;
        while extent.end > floor {
            let end = extent.end;
            let last = view.bytes[end - 1];
            let length = match last {
                b'.' | b',' | b':' | b';' | b'!' | b'?' | b'*' | b'|' | b'(' | b'[' | b'{' => 1,
                b'\'' => {
                    let count = apostrophes.get_or_insert_with(|| {
                        memchr::memchr_iter(b'\'', &view.bytes[self.start..end]).count()
                    });
                    if *count % 2 == 0 {
                        break;
                    }
                    *count -= 1;
                    1
                }
                b'_' | b'~' if before == Some(last) => 1,
                b'-' | b'_' | b'~' if end <= host_end => 1,
                b']' if end > tail && extent.path_end.is_none_or(|path_end| end <= path_end) => {
                    match self.footnote(end, tail) {
                        Some(open) => {
                            extent.end = open;
                            extent.flags |= Flags::FOOTNOTE_CUT;
                            continue;
                        }
                        None => break,
                    }
                }
                0x80.. => match view.scalar_before(end, floor) {
                    Some((code, length)) if role(code) == Role::Soft => length,
                    _ => break,
                },
                _ => break,
            };
            extent.end -= length;
            extent.flags |= Flags::TRIMMED;
        }
    }

    /// B3a: a rule drawn up to the end of the line is no part of the URI.
    fn leave_rule(&self, floor: usize, extent: &mut Extent) {
        let bytes = &self.view.bytes[floor..extent.end];
        let Some(&last) = bytes.last().filter(|&&byte| is_rule_byte(byte)) else {
            return;
        };
        let run = bytes.iter().rev().take_while(|&&byte| byte == last).count();
        if run >= SHORTEST_RULE && self.view.at(extent.end).is_none_or(is_break) {
            extent.end -= run;
            extent.flags |= Flags::TRIMMED;
        }
    }

    /// B5: where `[1]`, `[12]` or `[123]` opens that ends at an index.
    fn footnote(&self, end: usize, tail: usize) -> Option<usize> {
        let digits = self.view.bytes[tail..end - 1]
            .iter()
            .rev()
            .take(4)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let open = (end - 1).checked_sub(digits + 1).filter(|&at| at >= tail)?;
        ((1..=3).contains(&digits) && self.view.bytes[open] == b'[').then_some(open)
    }

    /// B8, B8a: whether the URI fills its line and the next one begins like a continuation.
    pub(super) fn may_be_wrapped(&self, end: usize) -> bool {
        let view = self.view;
        let Some(byte) = view.at(end).filter(|&byte| is_break(byte)) else {
            return false;
        };
        let line_start = view.line_start(self.start);
        if line_start.is_some_and(|start| end - start < FULL_LINE) {
            return false;
        }
        let crlf = byte == b'\r' && view.at(end + 1) == Some(b'\n');
        let next = end + 1 + usize::from(crlf);
        let prefix = Prefix::with_entities(view, self.start);
        let Some(next) = prefix.skip(view, next, next + NEXT_PREFIX) else {
            return false;
        };
        let space = matches!(view.at(next), Some(b' ' | b'\t'));
        let at = next + usize::from(space);
        let continues = view
            .at(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"/?&=%_~#-".contains(&byte));
        continues && !self.is_uri(at) && lines::goes_on(view, at)
    }

    /// B8: flags a URI that may go on in the next line, unless something was trimmed from its end.
    pub(super) fn flag_wrap(&self, reading: &mut Candidate) {
        let is_cut = Flags::TRIMMED.union(Flags::FOOTNOTE_CUT);
        if !reading.flags.intersects(is_cut) && self.may_be_wrapped(reading.raw.end) {
            reading.flags |= Flags::MAYBE_WRAPPED;
        }
    }

    /// `x://`
    fn is_uri(&self, at: usize) -> bool {
        let run = (0..schemes::LONGEST_RUN)
            .take_while(|&n| self.view.at(at + n).is_some_and(is_scheme_byte))
            .count();
        run > 0 && self.view.spells(at + run, b"://")
    }
}

/// The bare URI of a scheme, or None where there is none.
pub(super) fn read(
    view: &TextView<'_>,
    non_ascii: NonAscii,
    start: &SchemeStart,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let bare = Bare::new(view, non_ascii, start.at);
    view.take_escape();
    let mut reading = read_at(&bare, start);
    if view.take_escape() && lines::is_troff(view, start.at) {
        reading = read_unescaped(&bare, start, workspace);
    }
    let mut reading = reading?;
    bare.flag_wrap(&mut reading);
    Some(reading)
}

/// The URI of a scheme, but for B8.
fn read_at(bare: &Bare<'_, '_>, start: &SchemeStart) -> Option<Candidate> {
    let view = bare.view;
    let floor = start.colon + 1 + if start.slashes { 2 } else { 0 };
    let (tail, authority) = match start.slashes {
        true if start.is_special() => {
            let authority = special_authority(bare, floor)?;
            (authority.end, Some(authority))
        }
        true => (other_authority(bare, floor, start.is_file())?, None),
        false => {
            // The shape is looked for before the scan, which may be long, and again behind it.
            let end = view.first(floor, floor + SHAPE, &STOPS);
            if view.bytes.get(end) == Some(&b'\\') {
                view.stop_at_backslash(end);
            }
            start
                .shape()
                .filter(|shape| shape(&view.bytes[floor..end]))?;
            (floor, None)
        }
    };
    let reading = finish(bare, floor, tail, authority);
    let rest = &view.bytes[floor..reading.raw.end];
    let remains = match start.shape() {
        _ if start.slashes => {
            let counts = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b']' | 0x80..);
            rest.iter().any(counts) || start.is_file() && rest.first() == Some(&b'/')
        }
        Some(shape) => shape(rest),
        None => false,
    };
    // B7: something must remain.
    let flags = reading.flags | start.flags;
    remains.then_some(Candidate { flags, ..reading })
}

/// From the host or the scheme's colon to the end of the URI, trimmed and flagged, but for B8.
pub(super) fn finish(
    bare: &Bare<'_, '_>,
    floor: usize,
    tail: usize,
    authority: Option<BareAuthority>,
) -> Candidate {
    let view = bare.view;
    let mut extent = match authority {
        Some(authority) if authority.is_cut => Extent {
            end: authority.end,
            path_end: None,
            flags: Flags::NONE,
        },
        _ => bare.extent(tail),
    };
    bare.trim(floor, tail, &mut extent);
    // B6: cut short for display.
    if view.spells(extent.end, b"..") || view.spells(extent.end, ELLIPSIS) {
        extent.flags |= Flags::ELLIPSIS;
    }
    Candidate {
        raw: bare.start..extent.end,
        outer_end: extent.end,
        context: Context::Bare,
        flags: extent.flags,
        cleaned: false,
        shorter: None,
    }
}

/// Where a scheme's shape is looked for no further.
static STOPS: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = matches!(CLASSES[byte], BareByte::Stop);
        byte += 1;
    }
    set
};

/// The bare URI of a scheme, read without escapes.
fn read_unescaped(
    around: &Bare<'_, '_>,
    start: &SchemeStart,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let view = around.view;
    let unescaped = &mut workspace.unescaped;
    unescaped.reach(view, start.at, LONGEST + MARGIN, &STOPS);
    // However many escapes there are, no more of the window is looked at than without them (B11).
    let reach = start.at + LONGEST + MARGIN;
    let is_cut = reach <= unescaped.end;
    let length = match is_cut {
        true => unescaped.index(reach),
        false => unescaped.text.len(),
    };
    let inner = TextView::new(&unescaped.text[..length], 0);
    let at = unescaped.index(start.at);
    let limit = unescaped.index(start.at + LONGEST);
    let bare = around.moved(&inner, at, limit);
    let moved = SchemeStart {
        at,
        colon: at + (start.colon - start.at),
        ..*start
    };
    let reading = read_at(&bare, &moved);
    if inner.take_beyond() && !is_cut {
        view.look_beyond();
    }
    let reading = reading?;
    let end = unescaped.place(reading.raw.end - 1) + 1;
    let raw = start.at..end;
    let cleaned = raw.len() > reading.raw.len();
    if cleaned {
        workspace
            .text
            .extend_from_slice(&unescaped.text[reading.raw]);
    }
    Some(Candidate {
        raw,
        outer_end: end,
        cleaned,
        ..reading
    })
}

/// B3: bytes behind `//` that are looked at.
const LONGEST_AUTHORITY: usize = 1024;

/// An address with a zone is shorter.
const LONGEST_LITERAL: usize = 128;

/// The authority of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BareAuthority {
    /// Behind the host.
    pub(super) host_end: usize,
    /// Behind the port.
    pub(super) end: usize,
    /// Something follows that no authority holds: the URI ends here.
    pub(super) is_cut: bool,
}

/// What ends an authority or needs a look: all that bare URIs stop at, and `/ ? # @`.
static AUTHORITY_MARKS: ByteClassSet = {
    let mut set = MARKED;
    set[b'/' as usize] = true;
    set[b'@' as usize] = true;
    set
};

/// B3: the authority of a scheme with an Internet host, or None where there is no such host.
fn special_authority(bare: &Bare<'_, '_>, from: usize) -> Option<BareAuthority> {
    let view = bare.view;
    let (end, last_at) = authority_extent(bare, from)?;
    let text = &view.bytes[from..end];
    let doubled = [&b"http:"[..], b"https:", b"ftp:"]
        .iter()
        .any(|scheme| text.eq_ignore_ascii_case(scheme));
    if doubled && view.at(end) == Some(b'/') && view.at(end + 1) == Some(b'/') {
        return None;
    }
    // A later @ must not turn the host into user information.
    let host = match last_at {
        Some(at) if is_user(&view.bytes[from..at]) => at + 1,
        _ => from,
    };
    server(view, host, end)
}

/// Whether what stands before the last `@` of an authority is user information.
pub(super) fn is_user(text: &[u8]) -> bool {
    !text.iter().any(|byte| b"()[]{},;".contains(byte))
}

/// B3 without user information, for what has no scheme.
pub(super) fn authority_without_user(bare: &Bare<'_, '_>, from: usize) -> Option<BareAuthority> {
    let (end, _) = authority_extent(bare, from)?;
    server(bare.view, from, end)
}

/// The host and the port at `host`, in an authority that ends at `end`.
fn server(view: &TextView<'_>, host: usize, end: usize) -> Option<BareAuthority> {
    let host_end = match view.bytes[host..end].first()? {
        b'[' => literal_end(view, host)?,
        &first if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'%' | 0x80..) => {
            let run = view.bytes[host..end].iter();
            host + run.take_while(|&&byte| HOST_BYTES[byte as usize]).count()
        }
        _ => return None,
    };
    let port_end = port_end(view, host_end, end);
    Some(BareAuthority {
        host_end,
        end: port_end,
        is_cut: port_end < end,
    })
}

/// Up to `/ ? #` or a stop, and the last `@` on the way. None where that is too far.
fn authority_extent(bare: &Bare<'_, '_>, from: usize) -> Option<(usize, Option<usize>)> {
    let view = bare.view;
    let limit = from + LONGEST_AUTHORITY;
    let mut last_at = None;
    let mut at = from;
    loop {
        at = view.first(at, limit + 1, &AUTHORITY_MARKS);
        if at > limit {
            return None;
        }
        match view.at(at) {
            None | Some(b'/' | b'?' | b'#') => return Some((at, last_at)),
            Some(b'@') => {
                last_at = Some(at);
                at += 1;
            }
            Some(_) => match bare.step(at, false) {
                BareStep::Stop(_) => return Some((at, last_at)),
                BareStep::Take(length) => at += length,
                BareStep::Open | BareStep::Close | BareStep::Mark => at += 1,
            },
        }
    }
}

/// ALNUM `- . _ ~ %` and what is beyond ASCII.
static HOST_BYTES: ByteClassSet = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'-' | b'.' | b'_' | b'~' | b'%' | 0x80..);
        byte += 1;
    }
    set
};

/// Behind `:digits`. An empty port counts only before `/ ? #`.
fn port_end(view: &TextView<'_>, host_end: usize, end: usize) -> usize {
    if host_end >= end || view.bytes[host_end] != b':' {
        return host_end;
    }
    let digits = view.bytes[host_end + 1..end].iter();
    let behind = host_end + 1 + digits.take_while(|byte| byte.is_ascii_digit()).count();
    let empty = behind == host_end + 1;
    if empty && !matches!(view.at(behind), Some(b'/' | b'?' | b'#')) {
        return host_end;
    }
    behind
}

/// B4: behind the `//` of any other scheme; the index from which the rest is scanned.
fn other_authority(bare: &Bare<'_, '_>, from: usize, is_file: bool) -> Option<usize> {
    let view = bare.view;
    match view.at(from)? {
        b'[' => literal_end(view, from),
        b'/' if is_file => Some(from),
        b'\\' => {
            view.stop_at_backslash(from);
            None
        }
        b'_' | b'%' | b'~' | b'+' | b'$' | b'-' | b'.' | b'*' => Some(from),
        byte if byte.is_ascii_alphanumeric() => Some(from),
        0x80.. if matches!(bare.step(from, false), BareStep::Take(_)) => Some(from),
        _ => None,
    }
}

/// Behind the `]` of an IPv6 address in brackets.
fn literal_end(view: &TextView<'_>, open: usize) -> Option<usize> {
    let limit = open + LONGEST_LITERAL;
    let mut at = open + 1;
    while at < limit {
        match view.at(at)? {
            b']' => return is_ipv6(&view.bytes[open + 1..at]).then_some(at + 1),
            byte if byte.is_ascii_graphic() => at += 1,
            _ => return None,
        }
    }
    None
}

/// `IPv6address` of RFC 3986, with a zone as in RFC 6874.
pub(super) fn is_ipv6(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let (address, zone) = match text.split_once('%') {
        Some((address, zone)) => (address, Some(zone)),
        None => (text, None),
    };
    let in_zone = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    let is_zone = |zone: &str| {
        let name = zone.strip_prefix("25");
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(in_zone))
    };
    address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(is_zone)
}
