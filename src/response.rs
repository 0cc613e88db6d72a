//! Responses of HTTP whose header a client has read: the base, the format and the charset of the body, and
//! the links of header fields.

use encoding_rs::Encoding;

use crate::document::{Format, content_type, http};
use crate::extractor::{Document, Extractor};
use crate::linker::Sink;
use crate::uri::{Base, BaseError, BaseSource, Resolver, Rules, scheme_length};

/// The header of a response.
///
/// ```
/// use uriscan::http::Response;
/// use uriscan::{Extractor, ExtractorOptions, Link};
///
/// let headers: [(&str, &[u8]); 2] = [
///     ("Content-Type", b"text/html; charset=iso-8859-1"),
///     ("Link", b"<style.css>; rel=stylesheet"),
/// ];
/// let response = Response::new("http://example.com/docs/", headers)?;
/// let mut targets = Vec::new();
/// let mut sink = |link: &Link<'_>| targets.push(link.target_str().unwrap().to_owned());
/// let mut extractor = Extractor::new(&ExtractorOptions::default());
/// response.header_links(&mut extractor, &mut sink);
/// extractor.extract_bytes(&response.document(), b"<a href='?caf\xE9'>menu</a>", &mut sink);
/// assert_eq!(targets, ["http://example.com/docs/style.css", "http://example.com/docs/?caf%E9"]);
/// # Ok::<(), uriscan::BaseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Response {
    /// The base of the header fields: the URL.
    retrieved: Base,
    /// The base of the body, where a field names another.
    entity: Option<Base>,
    format: Option<&'static Format>,
    charset: Option<&'static Encoding>,
    /// The fields that hold references, one a line.
    block: Vec<u8>,
}

impl Response {
    /// Reads the header fields of a response from a URL, the last one after redirects.
    ///
    /// `Content-Type` gives the format and the charset of the body, `Content-Base` (RFC 2068) or
    /// `Content-Location` (RFC 2616 section 14.14) its base. Codings must have been undone.
    ///
    /// # Errors
    ///
    /// When the URL is not absolute.
    pub fn new<'h>(
        url: impl AsRef<[u8]>,
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    ) -> Result<Self, BaseError> {
        let mut response = Response {
            retrieved: Base::retrieved(url)?,
            entity: None,
            format: None,
            charset: None,
            block: Vec::new(),
        };
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("content-type") {
                let (media_type, label) = content_type(value);
                response.format = Format::of_declared(&media_type);
                response.charset = Encoding::for_label(label);
            } else if name.eq_ignore_ascii_case("content-base") {
                response.name_base(value, BaseSource::EntityHttpContentBase);
            } else if name.eq_ignore_ascii_case("content-location") {
                response.name_base(value, BaseSource::EntityHttpContentLocation);
            } else {
                response.block.reserve(name.len() + value.len() + 3);
                // A field is one line, whatever its name and its value hold.
                let line = name.bytes().chain(*b": ").chain(value.iter().copied());
                let kept = line.filter(|byte| !matches!(byte, b'\r' | b'\n'));
                response.block.extend(kept);
                response.block.push(b'\n');
            }
        }
        Ok(response)
    }

    /// Makes a field's URI the base of the body, unless it is refused or a better field is known.
    fn name_base(&mut self, value: &[u8], source: BaseSource) {
        let best = BaseSource::EntityHttpContentBase;
        let known = self.entity.as_ref().map(|base| &base.source);
        let is_refused = source == best && scheme_length(value).is_none();
        if is_refused || known == Some(&best) {
            return;
        }
        let mut uri = Vec::new();
        let resolver = Resolver::new(&self.retrieved.uri, Rules::Whatwg);
        if resolver.is_ok_and(|base| base.resolve_into(value, &mut uri).is_ok()) {
            self.entity = Some(Base::new(uri, source));
        }
    }

    /// The body, as a document of the declared format; HTML where no known format is declared.
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        let base = self.entity.as_ref().unwrap_or(&self.retrieved);
        Document {
            declared: self.charset,
            ..Document::new(self.format.unwrap_or(Format::HTML), Some(base))
        }
    }

    /// The declared format; `None` if none is declared, or none that has links.
    #[must_use]
    pub fn format(&self) -> Option<&'static Format> {
        self.format
    }

    /// Extracts the links of `Link` (RFC 8288), `Location` and `Refresh` fields.
    ///
    /// Their spans count the bytes of a block of lines `Name: value`, one for each field but `Content-*`.
    pub fn header_links(&self, extractor: &mut Extractor, sink: &mut dyn Sink) {
        let document = Document::new(&http::HEADER, Some(&self.retrieved));
        extractor.extract_bytes(&document, &self.block, sink);
    }
}
