//! An oracle: the rules for URIs in text one by one, slow and over the whole text.
//!
//! The scanner has to find the same. The rules are those of `src/document/text/rules.md`.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

mod bare;
mod chars;
mod conformance;
mod delimited;
mod guessed;
mod host;
mod prefix;
mod scheme;
mod sets;
mod shape;
mod stops;

use chars::Text;

/// Options for reading text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) non_ascii: NonAscii,
    /// T40
    pub(crate) www: bool,
    /// T41
    pub(crate) email: bool,
    /// T13: no limits on the white space inside delimiters.
    pub(crate) strict: bool,
    /// T39: the text is the source of a man page.
    pub(crate) troff: bool,
}

/// T26: the bytes beyond ASCII that belong to a URI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NonAscii {
    #[default]
    Iri,
    Ascii,
}

/// A find, with the fields of a record.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Find {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The cleaned bytes.
    pub(crate) uri: Vec<u8>,
    /// The context's name in records.
    pub(crate) kind: &'static str,
    /// The names of the flags in records.
    pub(crate) flags: BTreeSet<&'static str>,
    /// Other readings, best first.
    pub(crate) alternatives: Vec<Vec<u8>>,
}

/// A find, with more than a record has.
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    pub(crate) find: Find,
    /// With delimiters; scanning resumes at its end.
    pub(crate) outer: Range<usize>,
    /// T19: the offsets of doubtful hyphens in the URI.
    pub(crate) hyphens: Vec<usize>,
}

impl Detail {
    fn new(span: Range<usize>, uri: Vec<u8>, kind: &'static str) -> Self {
        Detail {
            find: Find {
                start: span.start,
                end: span.end,
                uri,
                kind,
                flags: BTreeSet::new(),
                alternatives: Vec::new(),
            },
            outer: span,
            hyphens: Vec::new(),
        }
    }
}

impl fmt::Debug for Find {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Find {
            start, end, kind, ..
        } = self;
        let uri = self.uri.escape_ascii();
        write!(formatter, "{kind} {start}..{end} {uri} {:?}", self.flags)?;
        for reading in &self.alternatives {
            write!(formatter, " or {}", reading.escape_ascii())?;
        }
        Ok(())
    }
}

/// Returns every find in `text`, in order.
pub(crate) fn find_all(text: &[u8], options: &Options) -> Vec<Find> {
    let details = find_in_detail(text, options).into_iter();
    details.map(|detail| detail.find).collect()
}

/// Returns every find in `text`, in order, with all its details.
pub(crate) fn find_in_detail(text: &[u8], options: &Options) -> Vec<Detail> {
    let text = Text(text);
    let mut finds = Vec::new();
    // Finds never overlap; after a find, scanning resumes at its outer end.
    let mut resume = 0;
    let mut at = 0;
    while let Some(byte) = text.byte(at) {
        let found = match byte {
            b':' => find_at_colon(text, options, at, resume),
            b'w' | b'W' if options.www => guessed::find_www(text, options, at, resume),
            b'@' if options.email => guessed::find_email(text, at, resume),
            _ => None,
        };
        at += 1;
        if let Some(detail) = found {
            resume = detail.outer.end;
            at = resume;
            finds.push(detail);
        }
    }
    finds
}

/// Returns the find that the colon at `colon` belongs to.
fn find_at_colon(text: Text<'_>, options: &Options, colon: usize, resume: usize) -> Option<Detail> {
    if let Some(marked) = delimited::find_marked(text, options, colon, resume) {
        return Some(marked);
    }
    let scheme = scheme::before(text, colon, resume)?;
    if let Some(link) = delimited::find_osc8(text, &scheme, resume) {
        return Some(link);
    }
    let opening = delimited::opening(text, scheme.start, resume);
    // T23
    delimited::find(text, options, &scheme, opening)
        .or_else(|| bare::find(text, options, &scheme, opening))
}
