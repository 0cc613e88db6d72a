//! Other references in the place of links that were found (layer 5).

use std::{error, fmt};

pub use crate::document::events::Quoting;

use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::linker::Link;
use crate::uri::Reference;

/// Returns the bytes to put in the place of a link's [`span`](Link::span), so that another reference is read
/// there: with the escapes of the link's [`quoting`](Link::quoting).
///
/// Characters beyond ASCII are escaped too: the bytes suit documents in any charset that contains ASCII.
///
/// ```
/// use uriscan::rewrite::replacement;
/// use uriscan::{Document, Extractor, ExtractorOptions, Format, Link};
///
/// let page = b"<a href=old.html>old</a>";
/// let mut written = page.to_vec();
/// let mut sink = |link: &Link<'_>| {
///     let range = link.span.start as usize..link.span.end as usize;
///     written.splice(range, replacement(link, b"new.html?a=1&b=2").unwrap());
/// };
/// let document = Document::new(Format::HTML, None);
/// Extractor::new(&ExtractorOptions::default()).extract_bytes(&document, page, &mut sink);
/// assert_eq!(written, b"<a href=new.html?a&#61;1&amp;b&#61;2>old</a>");
/// ```
///
/// # Errors
///
/// When the reference cannot be written there: the span is not the reference in the document
/// itself, or the syntax around it has no form for the reference.
pub fn replacement(link: &Link<'_>, reference: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let length = link.span.end - link.span.start;
    let is_written = match link.quoting {
        Quoting::Encoded => false,
        // The reference itself, but for line breaks.
        Quoting::Plain => {
            length == link.reference.len() as u64 || link.flags.contains(Flags::WRAPPED)
        }
        _ => length > 0,
    };
    if !is_written || link.member.is_some() || link.flags.intersects(ELSEWHERE) {
        return Err(RewriteError::Place);
    }
    let text = str::from_utf8(reference).map_err(|_| RewriteError::Form)?;
    if !fits(link, text) {
        return Err(RewriteError::Form);
    }
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        push(link.quoting, character, &mut written)?;
    }
    Ok(written.into_bytes())
}

/// The flags of a link whose span is not its reference, or is read in another form.
const ELSEWHERE: Flags = Flags::SRCDOC
    .union(Flags::OBJECT)
    .union(Flags::WIKI)
    .union(Flags::REFANGED)
    .union(Flags::SCHEME_GUESSED)
    .union(Flags::UNCLOSED)
    .union(Flags::GLUED);

/// Returns whether a text can be the reference of a link, whatever its escapes.
fn fits(link: &Link<'_>, text: &str) -> bool {
    if text.is_empty() || text.trim() != text {
        return false;
    }
    // Where no element or key says that there is a reference, its scheme does.
    let is_web = ["http://", "https://", "ftp://"];
    let is_web = is_web.iter().any(|start| text.starts_with(start));
    if link.flags.contains(Flags::GUESSED) {
        return is_web;
    }
    if link.quoting != Quoting::Plain {
        return true;
    }
    let is_marked = |text: &[u8]| {
        text.starts_with(b".") || text.starts_with(b"/") || Reference::split(text).scheme.is_some()
    };
    let has_path = |text: &[u8]| !Reference::split(text).path.is_empty();
    let is_alike = match link.context {
        Context::Attribute | Context::Style => {
            !is_marked(link.reference) || is_marked(text.as_bytes())
        }
        // What follows a host in text would follow a path otherwise.
        _ => is_web && has_path(text.as_bytes()) == has_path(link.reference),
    };
    is_alike && text.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '/')
}

/// Appends a character with the escape that it needs.
fn push(quoting: Quoting, character: char, out: &mut String) -> Result<(), RewriteError> {
    let is_quoted = quoting != Quoting::Plain;
    let is_plain = match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '/' | ':' | '?' | '#' | '%' | '+' | '@' => {
            true
        }
        '_' | '~' | '!' | '$' | '*' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' => {
            is_quoted
        }
        '=' => is_quoted && quoting != Quoting::HtmlUnquoted,
        ' ' => matches!(quoting, Quoting::Html | Quoting::Xml | Quoting::Json),
        '&' | '\'' => quoting == Quoting::Json,
        _ => false,
    };
    match quoting {
        _ if is_plain => out.push(character),
        Quoting::Html | Quoting::HtmlUnquoted | Quoting::Xml if character == '&' => {
            out.push_str("&amp;")
        }
        Quoting::Html | Quoting::HtmlUnquoted | Quoting::Xml if !character.is_control() => {
            out.push_str(&format!("&#{};", u32::from(character)));
        }
        Quoting::Json => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
        _ => return Err(RewriteError::Form),
    }
    Ok(())
}

/// The reason why a reference cannot be written in the place of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RewriteError {
    /// The reference is not in the bytes of the document itself.
    Place,
    /// The syntax around the link has no form for the reference.
    Form,
}

impl fmt::Display for RewriteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            RewriteError::Place => "the reference is not in the bytes of the document itself",
            RewriteError::Form => "the syntax around the link has no form for the reference",
        })
    }
}

impl error::Error for RewriteError {}
