//! The bodies of messages in an HTTP archive (HAR 1.2).

use crate::decode::Decode;
use crate::decode::charset::{self, TextCharset};
use crate::decode::transfer::Base64;
use crate::document::source_text::{DecodedText, OffsetsThrough, Origin};
use crate::document::{Format, Retrieval, content_type};

pub(super) struct HttpBody {
    pub(super) format: &'static Format,
    charset: Vec<u8>,
}

impl HttpBody {
    /// Returns the body of a media type with parameters; `None` if it is not text.
    pub(super) fn of(media_type: &[u8]) -> Option<Self> {
        let (name, charset) = content_type(media_type);
        Some(HttpBody {
            format: format_of(&name)?,
            charset: charset.to_vec(),
        })
    }

    /// Decodes a body in base64; returns its text, and the label of the text's charset.
    pub(super) fn decode(&self, text: &DecodedText) -> (DecodedText, &[u8]) {
        let mut body = DecodedText::default();
        let mut offsets = OffsetsThrough::new(&mut body.map, Origin::Decoded(&text.map), 0);
        Base64::default().whole(&text.bytes, &mut body.bytes, &mut offsets);
        // The scanner of HTML knows more of the charset than its label says.
        let is_wide = matches!(charset::of_label(&self.charset).0, TextCharset::Convert(_));
        if *self.format == *Format::HTML && !is_wide {
            return (body, &self.charset);
        }
        let mut converted = DecodedText::default();
        let mut offsets = OffsetsThrough::new(&mut converted.map, Origin::Decoded(&body.map), 0);
        let out = &mut converted.bytes;
        if charset::convert(&self.charset, &body.bytes, out, &mut offsets) {
            return (converted, b"utf-8");
        }
        (body, b"utf-8")
    }
}

/// Returns the format of a body by its media type; `None` if it is not text.
fn format_of(media_type: &str) -> Option<&'static Format> {
    let is_text = |format: &&Format| format.retrieval == Retrieval::Place;
    match media_type {
        "application/pdf" => None,
        "text/markdown" | "text/x-markdown" => Some(Format::MARKDOWN_CELL),
        _ => Format::of_declared(media_type).filter(is_text),
    }
}
