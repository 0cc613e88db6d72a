//! URIs without delimiters: authorities, stops, brackets and trimming (T25 to T39).

use std::net::Ipv6Addr;

use super::NonAscii;
use super::candidate::{Candidate, Workspace};
use super::lines::{self, LinePrefix, ReplyMark};
use super::schemes::{self, SchemeStart};
use super::view::{Role, TextView, is_break, is_scheme_byte, role};
use crate::bytes::class::{ByteSet, run_end, split_once};
use crate::bytes::simd::Block;
use crate::document::events::Context;
use crate::document::flags::Flags;

/// T37: the longest URI, in bytes.
pub(super) const LONGEST: usize = 65_536;

/// The most bytes that any rule reads after the longest URI.
const MARGIN: usize = 64;

/// T30: the most brackets that are open at a time.
const DEEPEST: usize = 16;

/// T33: the shortest line that may have been wrapped, in bytes.
const FULL_LINE: usize = 60;

/// T33: the longest prefix of the next line, in bytes.
pub(super) const NEXT_PREFIX: usize = 1024;

/// T28: the shortest drawn rule. Base64 may end in three equal bytes.
const SHORTEST_RULE: usize = 4;

/// T7: the bytes in which a scheme's shape must show.
const SHAPE: usize = 256;

/// T27: the longest authority, in bytes.
const LONGEST_AUTHORITY: usize = 1024;

/// The longest IPv6 address with a zone, and more.
const LONGEST_LITERAL: usize = 128;

/// T25: bytes that always end a URI.
static STOPS: ByteSet = STOP_BYTES;
const STOP_BYTES: ByteSet = ByteSet::EMPTY.with_range(0, b' ').with(b"\x7F<>\"\\`");

/// Bytes for which [`Bare::step`] decides; all others belong to the URI.
static MARKED: ByteSet = MARKED_BYTES;
const MARKED_BYTES: ByteSet = STOP_BYTES.with(b"'()[]{}&,;|?#").with_range(0x80, 0xFF);

/// Bytes that may end an authority.
static AUTHORITY_MARKED: ByteSet = MARKED_BYTES.with(b"/@");

/// Marks the bytes of [`MARKED`] and some others that are rare in URIs.
#[inline(always)]
fn marks(block: Block) -> u32 {
    let others = block.with(0x20).outside(b'a', b'z') & block.outside(b'-', b':');
    others.bits() & !block.any_of(*b"_=%")
}

/// T27: bytes of a host.
static HOST: ByteSet = ByteSet::ALPHANUMERIC.with(b"-._~%").with_range(0x80, 0xFF);

/// The effect of the character at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BareStep {
    /// The URI continues after this many bytes.
    Take(usize),
    Open,
    Close,
    /// `?` or `#`: the path ends.
    Mark,
    /// The URI ends, with these flags.
    Stop(Flags),
}

pub(super) struct Bare<'v, 'a> {
    view: &'v TextView<'a>,
    start: usize,
    /// T37: the index at which it is cut.
    limit: usize,
    /// The byte before it.
    before: Option<u8>,
    /// T25: `'` is directly before it.
    is_quoted: bool,
    /// T25: `|` is before it, as in a table's cell.
    is_in_cell: bool,
}

/// The extent of a URI before trimming.
#[derive(Default)]
struct Extent {
    end: usize,
    /// The first `?` or `#`.
    path_end: Option<usize>,
    flags: Flags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BareAuthority {
    /// The index after the host.
    pub(super) host_end: usize,
    /// The index after the port.
    pub(super) end: usize,
    /// Bytes follow that no authority holds: the URI ends here.
    is_cut: bool,
}

impl<'v, 'a> Bare<'v, 'a> {
    pub(super) fn new(view: &'v TextView<'a>, start: usize) -> Self {
        Bare {
            view,
            start,
            limit: start + LONGEST,
            before: view.before(start),
            is_quoted: view.before(start) == Some(b'\''),
            is_in_cell: view.before(view.back_over_spaces(start)) == Some(b'|'),
        }
    }

    /// Returns the effect of the character at an index (T25, T26).
    fn step(&self, at: usize, in_query: bool) -> BareStep {
        let Some(byte) = self.view.at(at) else {
            return BareStep::Stop(Flags::NONE);
        };
        let stops = match byte {
            b'\\' => {
                self.view.stop_at_backslash(at);
                true
            }
            b'(' | b'[' | b'{' => return BareStep::Open,
            b')' | b']' | b'}' => return BareStep::Close,
            b'?' | b'#' => return BareStep::Mark,
            b'\'' => self.is_quoted,
            b'&' => [&b"lt;"[..], b"gt;", b"quot;"]
                .iter()
                .any(|entity| self.view.spells(at + 1, entity)),
            b'|' if !in_query || self.is_in_cell => true,
            b',' | b';' | b'|' => self.is_web(at + 1),
            0x80.. => return self.beyond_ascii(at, byte),
            _ => STOPS.contains(byte),
        };
        if stops {
            BareStep::Stop(Flags::NONE)
        } else {
            BareStep::Take(1)
        }
    }

    /// Returns whether `http://`, `https://`, `ftp://` or `ftps://` is at an index.
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
        if self.view.non_ascii == NonAscii::Ascii {
            return BareStep::Stop(Flags::NONE);
        }
        let role = match self.view.scalar(at) {
            Some((code, length)) => match role(code) {
                Role::Part | Role::Soft => return BareStep::Take(length),
                role => role,
            },
            // In windows-1252, controls and quotation marks are below 0xA1, letters from there on.
            None if byte >= 0xA1 => return BareStep::Take(1),
            None => Role::Stop,
        };
        BareStep::Stop(Flags::ZERO_WIDTH.when(role == Role::Invisible))
    }

    /// Continues to the URI's end (T25, T26, T30, T37).
    fn extent(&self, from: usize) -> Extent {
        let view = self.view;
        let limit = self.limit;
        let mut open = [(0u8, 0usize); DEEPEST];
        let mut depth = 0;
        let mut extent = Extent::default();
        let mut at = from;
        loop {
            at = view.first(at, limit, &MARKED, marks);
            let length = match self.step(at, extent.path_end.is_some()) {
                BareStep::Take(length) => length,
                BareStep::Open if depth == DEEPEST => break,
                BareStep::Open => {
                    let opener = view.bytes[at];
                    // ASCII has `)` after `(`, and one byte between the others.
                    let closer = opener + if opener == b'(' { 1 } else { 2 };
                    open[depth] = (closer, at);
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

    /// Trims the end until nothing changes (T28, T30, T31).
    fn trim(&self, floor: usize, tail: usize, extent: &mut Extent) {
        let view = self.view;
        let before = self.before;
        let host_end = match view.before(floor) {
            Some(b':') => floor,
            _ => memchr::memchr3(b'/', b'?', b'#', &view.bytes[floor..extent.end])
                .map_or(extent.end, |n| floor + n),
        };
        self.trim_rule(floor, extent);
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

    /// T28: leaves out a rule that is drawn up to the end of the line.
    fn trim_rule(&self, floor: usize, extent: &mut Extent) {
        let bytes = &self.view.bytes[floor..extent.end];
        let Some(&last) = bytes.last().filter(|&&byte| b"_=*~-".contains(&byte)) else {
            return;
        };
        let run = bytes.iter().rev().take_while(|&&byte| byte == last).count();
        if run >= SHORTEST_RULE && self.view.at(extent.end).is_none_or(is_break) {
            extent.end -= run;
            extent.flags |= Flags::TRIMMED;
        }
    }

    /// T30: returns the start of the footnote mark, `[1]` to `[999]`, that ends at `end`.
    fn footnote(&self, end: usize, tail: usize) -> Option<usize> {
        let last = self.view.bytes[tail..end - 1].iter().rev().take(4);
        let digits = last.take_while(|byte| byte.is_ascii_digit()).count();
        let open = (end - 1).checked_sub(digits + 1).filter(|&at| at >= tail)?;
        ((1..=3).contains(&digits) && self.view.bytes[open] == b'[').then_some(open)
    }

    /// Returns whether the URI fills its line and the next line may continue it (T33, T34).
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
        let prefix = LinePrefix::before(view, self.start, ReplyMark::Either);
        let Some(next) = prefix.skip(view, next, next + NEXT_PREFIX) else {
            return false;
        };
        let space = matches!(view.at(next), Some(b' ' | b'\t'));
        let at = next + usize::from(space);
        let continues = view
            .at(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"/?&=%_~#-".contains(&byte));
        continues && !self.is_uri(at) && lines::continues_uri(view, at)
    }

    /// T33: flags a URI that the next line may continue, unless its end was trimmed.
    pub(super) fn flag_wrap(&self, candidate: &mut Candidate) {
        let is_cut = Flags::TRIMMED.union(Flags::FOOTNOTE_CUT);
        if !candidate.flags.intersects(is_cut) && self.may_be_wrapped(candidate.raw.end) {
            candidate.flags |= Flags::MAYBE_WRAPPED;
        }
    }

    fn is_uri(&self, at: usize) -> bool {
        let is_part = |&n: &usize| self.view.at(at + n).is_some_and(is_scheme_byte);
        let run = (0..schemes::LONGEST_RUN).take_while(is_part).count();
        run > 0 && self.view.spells(at + run, b"://")
    }

    /// T27: returns the authority of a special scheme, whose `//` ends at `from`.
    fn special_authority(&self, from: usize) -> Option<BareAuthority> {
        let view = self.view;
        let (end, last_at) = self.authority_extent(from)?;
        let text = &view.bytes[from..end];
        let mut schemes = [&b"http:"[..], b"https:", b"ftp:"].into_iter();
        let doubled = schemes.any(|scheme| text.eq_ignore_ascii_case(scheme));
        if doubled && view.at(end) == Some(b'/') && view.at(end + 1) == Some(b'/') {
            return None;
        }
        // A later @ must not turn the host into user information.
        let host = match last_at {
            Some(at) if is_userinfo(&view.bytes[from..at]) => at + 1,
            _ => from,
        };
        self.host_and_port(host, end)
    }

    /// T40: returns the authority without user information at `from`.
    pub(super) fn authority_without_userinfo(&self, from: usize) -> Option<BareAuthority> {
        let (end, _) = self.authority_extent(from)?;
        self.host_and_port(from, end)
    }

    /// T27: returns the host and the port at `host`, in an authority that ends at `end`.
    fn host_and_port(&self, host: usize, end: usize) -> Option<BareAuthority> {
        let view = self.view;
        let host_end = match view.bytes[host..end].first()? {
            b'[' => ip_literal_end(view, host)?,
            &first if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'%' | 0x80..) => {
                let length = HOST.first_outside(&view.bytes[host..end]);
                length.map_or(end, |length| host + length)
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

    /// T27: returns the end of the authority and its last `@`; `None` if it is too long.
    fn authority_extent(&self, from: usize) -> Option<(usize, Option<usize>)> {
        let view = self.view;
        let limit = from + LONGEST_AUTHORITY;
        let mut last_at = None;
        let mut at = from;
        loop {
            at = view.first(at, limit + 1, &AUTHORITY_MARKED, |block| {
                marks(block) | block.equal(b'/')
            });
            if at > limit {
                return None;
            }
            match view.at(at) {
                None | Some(b'/' | b'?' | b'#') => return Some((at, last_at)),
                Some(b'@') => {
                    last_at = Some(at);
                    at += 1;
                }
                Some(_) => match self.step(at, false) {
                    BareStep::Stop(_) => return Some((at, last_at)),
                    BareStep::Take(length) => at += length,
                    BareStep::Open | BareStep::Close | BareStep::Mark => at += 1,
                },
            }
        }
    }

    /// T29: returns the index from which the rest is scanned, after the `//` of any other scheme.
    fn other_authority(&self, from: usize, is_file: bool) -> Option<usize> {
        let view = self.view;
        match view.at(from)? {
            b'[' => ip_literal_end(view, from),
            b'/' if is_file => Some(from),
            b'\\' => {
                view.stop_at_backslash(from);
                None
            }
            b'_' | b'%' | b'~' | b'+' | b'$' | b'-' | b'.' | b'*' => Some(from),
            byte if byte.is_ascii_alphanumeric() => Some(from),
            0x80.. if matches!(self.step(from, false), BareStep::Take(_)) => Some(from),
            _ => None,
        }
    }

    /// Reads the URI of a scheme, except for the flag of T33.
    fn read_scheme(&self, start: &SchemeStart) -> Option<Candidate> {
        let view = self.view;
        let floor = start.colon + 1 + if start.slashes { 2 } else { 0 };
        let mut authority = None;
        let tail = if !start.slashes {
            // The shape is tested before the scan, which may be long, and again after it.
            let end = view.first(floor, floor + SHAPE, &STOPS, marks);
            if view.bytes.get(end) == Some(&b'\\') {
                view.stop_at_backslash(end);
            }
            (start.shape()).filter(|shape| shape(&view.bytes[floor..end]))?;
            floor
        } else if start.is_special() {
            authority.insert(self.special_authority(floor)?).end
        } else {
            self.other_authority(floor, start.is_file())?
        };
        let candidate = self.read_tail(floor, tail, authority);
        let rest = &view.bytes[floor..candidate.raw.end];
        // T32
        let remains = match start.shape() {
            _ if start.slashes => {
                let is_used =
                    |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b']' | 0x80..);
                rest.iter().any(is_used) || start.is_file() && rest.first() == Some(&b'/')
            }
            Some(shape) => shape(rest),
            None => false,
        };
        let flags = candidate.flags | start.flags;
        remains.then_some(Candidate { flags, ..candidate })
    }

    /// Reads from `tail` to the end of the URI; `floor` limits the trimming.
    pub(super) fn read_tail(
        &self,
        floor: usize,
        tail: usize,
        authority: Option<BareAuthority>,
    ) -> Candidate {
        let view = self.view;
        let mut extent = match authority {
            Some(authority) if authority.is_cut => Extent {
                end: authority.end,
                ..Extent::default()
            },
            _ => self.extent(tail),
        };
        self.trim(floor, tail, &mut extent);
        // T31
        if view.spells(extent.end, b"..") || view.spells(extent.end, "\u{2026}".as_bytes()) {
            extent.flags |= Flags::ELLIPSIS;
        }
        let raw = self.start..extent.end;
        Candidate::new(raw, extent.end, Context::Bare, extent.flags)
    }

    /// T39: reads the URI of a scheme from a copy of the window without escapes of troff.
    fn read_unescaped(&self, start: &SchemeStart, workspace: &mut Workspace) -> Option<Candidate> {
        let view = self.view;
        let unescaped = &mut workspace.unescaped;
        unescaped.reach(view, start.at, LONGEST + MARGIN, &STOPS);
        // T37: escapes do not extend the URI's reach in the window.
        let reach = start.at + LONGEST + MARGIN;
        let is_cut = reach <= unescaped.end;
        let mut copy = TextView::new(&unescaped.text[..unescaped.index(reach)], 0);
        copy.non_ascii = view.non_ascii;
        let at = unescaped.index(start.at);
        let bare = Bare {
            view: &copy,
            start: at,
            limit: unescaped.index(start.at + LONGEST),
            ..*self
        };
        let candidate = bare.read_scheme(&SchemeStart {
            at,
            colon: at + (start.colon - start.at),
            ..*start
        });
        if copy.take_beyond() && !is_cut {
            view.look_beyond();
        }
        let candidate = candidate?;
        let end = unescaped.place(candidate.raw.end - 1) + 1;
        let raw = start.at..end;
        let cleaned = raw.len() > candidate.raw.len();
        if cleaned {
            (workspace.text).extend_from_slice(&unescaped.text[candidate.raw]);
        }
        Some(Candidate {
            raw,
            outer_end: end,
            cleaned,
            ..candidate
        })
    }
}

pub(super) fn read(
    view: &TextView,
    start: &SchemeStart,
    workspace: &mut Workspace,
) -> Option<Candidate> {
    let bare = Bare::new(view, start.at);
    view.take_escape();
    let mut candidate = bare.read_scheme(start);
    if view.take_escape() && lines::is_troff(view, start.at) {
        candidate = bare.read_unescaped(start, workspace);
    }
    let mut candidate = candidate?;
    bare.flag_wrap(&mut candidate);
    Some(candidate)
}

/// T27: returns whether the text before the last `@` of an authority is user information.
pub(super) fn is_userinfo(text: &[u8]) -> bool {
    !text.iter().any(|byte| b"()[]{},;".contains(byte))
}

/// T27: returns the index after `:` and digits, or `host_end`. An empty port is accepted only before
/// `/`, `?` or `#`.
fn port_end(view: &TextView, host_end: usize, end: usize) -> usize {
    if host_end >= end || view.bytes[host_end] != b':' {
        return host_end;
    }
    let port = run_end(&view.bytes[..end], host_end + 1, |byte| {
        byte.is_ascii_digit()
    });
    if port == host_end + 1 && !matches!(view.at(port), Some(b'/' | b'?' | b'#')) {
        return host_end;
    }
    port
}

/// Returns the index after the `]` of an IPv6 address in brackets.
fn ip_literal_end(view: &TextView, open: usize) -> Option<usize> {
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

/// Returns whether a text is an `IPv6address` of RFC 3986, with a zone as in RFC 6874 or without.
pub(super) fn is_ipv6(text: &[u8]) -> bool {
    let (address, zone) = split_once(text, b'%');
    let in_zone = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(byte);
    let is_zone = |zone: &[u8]| {
        let name = zone.strip_prefix(b"25");
        name.is_some_and(|name| !name.is_empty() && name.iter().all(in_zone))
    };
    let address = str::from_utf8(address).unwrap_or_default();
    address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(is_zone)
}
