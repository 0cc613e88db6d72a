//! The scanner: from colons to references, window by window.

use super::candidate::{Candidate, Workspace};
use super::delimited::{self, UriPrefix};
use super::optional;
use super::refang::Refang;
use super::rewritten::{Rewrite, RewrittenText, rewritten_bounds};
use super::schemes::{self, SchemeForm, SchemeStart};
use super::view::{TextView, is_blank, is_break};
use super::{TextOptions, TextSource, bare, conformance, split};
use crate::bytes::prefilter::WordEndings;
use crate::bytes::simd::avx2::Avx2;
use crate::bytes::window::{Bounds, Window};
use crate::decode::charset::Conversion;
use crate::document::events::{Events, RuleFamily};
use crate::document::flags::Flags;
use crate::document::{Format, FormatOptions, Passes, Retrieval, Scan, ScanStart, SplitPoint};
use crate::uri::scheme_length;

/// Plain text, the format of documents that have no other.
pub(in crate::document) const FORMAT: Format = Format {
    name: "text",
    extensions: &["txt", "text", "log"],
    file_names: &[],
    media_types: &[],
    starts: b"",
    family: RuleFamily::Plain,
    retrieval: Retrieval::Place,
    is_settled: true,
    bounds: BOUNDS,
    reading: Passes::Once,
    prescan: None,
    conversion: Conversion::Always,
    split_point: Some(SplitPoint::Line(split::split_point)),
    scanner: |options| Box::new(TextScanner::new(options.text.clone())),
};

/// The same in one piece, which other formats begin from.
pub(in crate::document) const UNSPLIT: Format = Format {
    split_point: None,
    ..FORMAT
};

/// Before: a scheme's run, the padding on both sides of `URL:`, a delimiter, and the distance to the
/// line's start. After: the longest URI, and the start of the next line.
pub(super) const BOUNDS: Bounds = Bounds::new(2048, bare::LONGEST + 2 * bare::NEXT_PREFIX + 8192);

pub(super) const REWRITTEN: Format = Format {
    extensions: &[],
    bounds: rewritten_bounds(BOUNDS),
    ..UNSPLIT
};

pub(super) fn rewritten(rewrite: impl Rewrite + 'static, options: &FormatOptions) -> Box<dyn Scan> {
    let scanner = TextScanner::new(options.text.clone());
    Box::new(RewrittenText::new(rewrite, scanner, BOUNDS))
}

/// The endings of the schemes that need no `//` (T7), of those that may have a line break before it
/// (T11), and of `URL:`. The byte before `ws` is its first letter.
static WORDS: WordEndings = WordEndings::new(
    &[
        b"lto", b"ews", b"tel", b"sms", b"urn", b"ata", b"net", b"doi", b"cid", b"mid", b"cct",
        b"geo", b"sip", b"ips", b"mpp", b"ile", b"tag", b"did", b"oin", b"rix",
    ],
    &[
        b"url", b"ttp", b"tps", b"ftp", b"wss", b"<ws", b"\"ws", b" ws", b":ws", b")ws", b"*ws",
        b"+ws", b",ws", b"-ws",
    ],
);

/// The scanner for plain text.
#[derive(Debug, Default)]
pub struct TextScanner {
    options: TextOptions,
    avx2: Option<Avx2>,
    workspace: Workspace,
    /// The offset of the last reference's outer end, where the next one may start.
    resume: u64,
    /// The offset up to which every trigger was decided.
    examined: u64,
    source: TextSource,
    /// Reads the text instead, if harmless URIs are undone.
    refanged: Option<Box<RewrittenText<Refang, TextScanner>>>,
}

impl TextScanner {
    /// Returns a scanner with these options.
    pub fn new(mut options: TextOptions) -> Self {
        let refanged = std::mem::take(&mut options.refang).then(|| {
            let scanner = TextScanner::new(options.clone());
            Box::new(RewrittenText::new(Refang::default(), scanner, BOUNDS))
        });
        TextScanner {
            refanged,
            options,
            avx2: Avx2::new(),
            ..TextScanner::default()
        }
    }

    #[inline(always)]
    fn read_colon(&mut self, view: &TextView, colon: usize) -> Option<Candidate> {
        if delimited::ends_in_prefix(view, colon + 1)
            && let Some(mut candidate) = delimited::read_prefixed(view, colon, &mut self.workspace)
        {
            let reference = self.workspace.reference(&candidate, view.bytes);
            let length = scheme_length(reference);
            let form = SchemeForm::named(&reference[..length.unwrap_or(0)]);
            let rest = length.map_or(0, |length| length + 1);
            conformance::check(&mut candidate, reference, rest, form);
            return Some(candidate);
        }
        let start = SchemeStart::before(view, colon)?;
        if !start.slashes {
            // T7: a shape, or a line break before the slashes (T11), after a backslash or not (T16).
            let next = view.at(colon + 1)?;
            let breaks =
                is_blank(next) || next == b'\\' && view.at(colon + 2).is_some_and(is_break);
            if breaks != start.is_special() || (!breaks && start.shape().is_none()) {
                return None;
            }
        }
        let mut candidate = self.read_from(view, &start)?;
        let reference = self.workspace.reference(&candidate, view.bytes);
        conformance::check(&mut candidate, reference, colon + 1 - start.at, start.form);
        Some(candidate)
    }

    /// Reads the reference of a scheme, delimited if there is a delimiter, else bare.
    #[inline]
    fn read_from(&mut self, view: &TextView, start: &SchemeStart) -> Option<Candidate> {
        if delimited::opens_hyperlink(view, start.at)
            && let Some(candidate) = delimited::read_hyperlink(view, start)
        {
            return Some(candidate);
        }
        let before = UriPrefix::of(view, start.at);
        if let Some(opening) = before.opening {
            let candidate = delimited::read(view, opening, start, &mut self.workspace);
            if candidate.is_some() {
                return candidate;
            }
        }
        // T23
        self.workspace.clear();
        let mut candidate = bare::read(view, start, &mut self.workspace)?;
        candidate.flags |= Flags::UNCLOSED.when(before.opening.is_some());
        candidate.flags |= Flags::URL_PREFIX.when(before.has_prefix);
        Some(candidate)
    }

    /// Returns the first byte that may belong to a reference with a trigger at `end` or later.
    fn pending_start(&self, view: &TextView, end: usize) -> usize {
        let run = schemes::run_start(view, end);
        if !self.options.email {
            return run;
        }
        run.min(optional::local_start(view, end))
    }
}

impl Scan for TextScanner {
    fn begin(&mut self, start: &ScanStart) {
        if let Some(refanged) = &mut self.refanged {
            refanged.begin(start);
        }
        self.source = start.source;
        self.resume = 0;
        self.examined = 0;
    }

    fn scan(&mut self, window: Window, events: &mut Events) -> usize {
        if let Some(refanged) = &mut self.refanged {
            return refanged.scan(window, events);
        }
        let index = |offset: u64| offset.saturating_sub(window.offset) as usize;
        let mut view = TextView::new(window.bytes, index(self.resume));
        (view.source, view.strict) = (self.source, self.options.strict);
        view.non_ascii = self.options.non_ascii;
        self.workspace.unescaped.clear();
        let mut from = index(self.examined).max(window.start);
        let mut triggers = Triggers::new(&self.options);
        let consumed = loop {
            let Some((trigger, at)) = triggers.next(self.avx2, window.bytes, from) else {
                from = window.bytes.len();
                break self.pending_start(&view, from);
            };
            let candidate = match trigger {
                Trigger::Colon => self.read_colon(&view, at),
                Trigger::At => optional::email(&view, at, &mut self.workspace),
                Trigger::Www => optional::www(&view, at, &mut self.workspace),
            };
            if view.take_beyond() && !window.last {
                from = at;
                break self.pending_start(&view, at);
            }
            from = at + 1;
            if let Some(candidate) = candidate {
                self.workspace.report(&candidate, &window, events);
                view.floor = candidate.outer_end;
                from = from.max(candidate.outer_end);
            }
        };
        self.resume = window.offset_at(view.floor);
        self.examined = window.offset_at(from);
        if window.last {
            return window.bytes.len();
        }
        consumed.max(window.start)
    }
}

/// A byte at which the rules are tried.
#[derive(Clone, Copy)]
enum Trigger {
    Colon,
    /// An `@`, for mail addresses.
    At,
    /// A `w`, for `www.`.
    Www,
}

/// For each kind of trigger, the index after the next one in the window: 0 if it is not known, and
/// `usize::MAX` if the window has no more. Each kind is searched for once per byte.
struct Triggers {
    kinds: [(Trigger, usize); 3],
    /// The kinds after these are not wanted.
    count: usize,
}

impl Triggers {
    fn new(options: &TextOptions) -> Self {
        let wanted = |wanted| if wanted { 0 } else { usize::MAX };
        Triggers {
            kinds: [
                (Trigger::Colon, 0),
                (Trigger::At, wanted(options.email)),
                (Trigger::Www, wanted(options.www)),
            ],
            count: if options.email || options.www { 3 } else { 1 },
        }
    }

    #[inline]
    fn next(&mut self, avx2: Option<Avx2>, bytes: &[u8], from: usize) -> Option<(Trigger, usize)> {
        let mut first = (Trigger::Colon, usize::MAX);
        for (trigger, next) in &mut self.kinds[..self.count] {
            if *next <= from {
                let rest = bytes.get(from..).unwrap_or_default();
                let found = match trigger {
                    Trigger::Colon => WORDS.next_colon(avx2, bytes, from),
                    Trigger::At => memchr::memchr(b'@', rest).map(|at| from + at),
                    // A search for `www.` in any case, by Aho-Corasick or Teddy, is no faster on prose.
                    Trigger::Www => memchr::memchr2(b'w', b'W', rest).map(|at| from + at),
                };
                *next = found.map_or(usize::MAX, |at| at + 1);
            }
            if *next < first.1 {
                first = (*trigger, *next);
            }
        }
        (first.1 < usize::MAX).then(|| (first.0, first.1 - 1))
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/scanner.rs"]
mod tests;
