//! Tags that are longer than anything that is kept in view: their attributes are reported piece by
//! piece, before the tag's end is known, and values that are too long are passed over.

use super::LIMIT;
use super::attributes::AttributeSet;
use super::feedback::{AfterTag, TagFeedback, TreeFeedback};
use super::names::Attribute;
use super::report::ReferenceReporter;
use super::source::ValueSource;
use super::tag::{Attributes, TagStep};
use super::tokenizer::{Flow, TokenizerMode, TokenizerRun, after, settle};
use super::value::ValueDecoder;
use crate::bytes::seek;

/// What is known of such a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongTag {
    verdict: TagFeedback,
    seen: AttributeSet,
    /// The quote of the value that is passed over.
    quote: Option<u8>,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    /// Starts on a tag at `open` that goes on beyond the limit.
    pub(super) fn long_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        let name_end = seek::tag_name_end(bytes, open + 1);
        let mut cut = name_end;
        let mut attributes = Attributes::new(bytes, name_end);
        while let TagStep::Attribute(given) = attributes.step() {
            cut = given.next(bytes);
        }
        let piece = closed(&self.source, open, cut);
        let tag = &mut self.tokens.tag;
        tag.start = 0;
        tag.name = 1..name_end - open;
        let verdict = self.tree.start_tag(&piece.source(), tag);
        if verdict.then == AfterTag::Halt {
            return Flow::Halt;
        }
        let mut long = LongTag {
            verdict,
            seen: AttributeSet::default(),
            quote: None,
        };
        self.report_piece(&mut long, &piece);
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(cut)
    }

    /// Passes over the attributes of an end tag that goes on beyond the limit.
    pub(super) fn long_end_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        self.tokens.mode = TokenizerMode::LongTag(LongTag {
            verdict: TagFeedback::none(AfterTag::GoOn),
            seen: AttributeSet::default(),
            quote: None,
        });
        Flow::Go(seek::tag_name_end(bytes, open + 2))
    }

    /// Goes on in such a tag.
    pub(super) fn in_long_tag(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        if let Some(quote) = long.quote {
            return self.pass_value(at, long, quote);
        }
        let mut attributes = Attributes::new(bytes, at);
        let mut cut = at;
        let end = loop {
            match attributes.step() {
                TagStep::Attribute(given) => cut = given.next(bytes),
                TagStep::End { end, .. } => break Some(end),
                TagStep::Cut(_) => break None,
            }
        };
        let waiting = bytes.len() - cut;
        if end.is_none() && cut == at && waiting <= LIMIT && !self.last {
            return Flow::Wait(at);
        }
        let piece = closed(&self.source, at, end.map_or(cut, |end| end - 1));
        let tag = &mut self.tokens.tag;
        tag.name = 0..0;
        self.tree.read_attributes(&piece.source(), tag);
        self.report_piece(&mut long, &piece);
        if let Some(end) = end {
            self.tokens.mode = after(&self.tokens.tag, long.verdict);
            return Flow::Go(end);
        }
        if cut == at && !self.last {
            return self.start_value(at, long);
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        match cut == at {
            true => Flow::Wait(at),
            false => Flow::Go(cut),
        }
    }

    /// Starts to pass over an attribute that is too long.
    fn start_value(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        let start = seek::skip_separators(bytes, at);
        let name_end = seek::attribute_name_end(bytes, bytes.len().min(start + 1));
        let attribute = Attribute::at(bytes, start, name_end);
        // It counts as given, so that a later one does not.
        long.seen.insert(attribute);
        let equals = seek::skip_space(bytes, name_end);
        if bytes.get(equals) == Some(&b'=') {
            let value = seek::skip_space(bytes, equals + 1);
            long.quote = Some(match bytes.get(value) {
                Some(&quote @ (b'"' | b'\'')) => quote,
                _ => b' ',
            });
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len())
    }

    /// Passes over the rest of a value; a blank stands for no quote.
    fn pass_value(&mut self, at: usize, mut long: LongTag, quote: u8) -> Flow {
        let bytes = self.source.bytes;
        let end = match quote {
            b' ' => seek::bare_value_end(bytes, at),
            _ => seek::next(quote, bytes, at),
        };
        if end < bytes.len() {
            long.quote = None;
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len().min(end + usize::from(quote != b' ')))
    }

    /// Reports the attributes of one piece.
    fn report_piece(&mut self, long: &mut LongTag, piece: &ValueDecoder) {
        let tag = &mut self.tokens.tag;
        tag.attributes
            .retain(|held| long.seen.insert(held.attribute));
        if long.verdict.accepted && !tag.attributes.is_empty() {
            let mut report = ReferenceReporter {
                source: piece.source(),
                events: self.events,
                document: self.document,
            };
            report.tag(tag, long.verdict);
            settle(&mut report, self.tree);
        }
    }
}

/// A piece of a tag, and an end for it.
fn closed(source: &ValueSource<'_>, start: usize, end: usize) -> ValueDecoder {
    let mut piece = ValueDecoder::default();
    piece.bytes.extend_from_slice(&source.bytes[start..end]);
    piece.offsets.verbatim(0, source, start..end);
    piece.bytes.push(b'>');
    piece.offsets.replaced(end - start, source, end..end);
    piece
}
