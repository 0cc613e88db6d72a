//! Other references in the place of links that were found (layer 5).

use std::ops::Range;

use thiserror::Error;

pub use crate::document::events::{Escapes, Quoting};

use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::document::text::schemes::is_whole_uri;
use crate::linker::Link;
use crate::uri::{Reference, scheme_length};

/// Returns the bytes to put in the place of a link's [`document_span`](Link::document_span), so that another
/// reference is read there: with the escapes of the link's [`quoting`](Link::quoting).
///
/// Characters beyond ASCII are escaped too, but for names of files in markup, which is in UTF-8: the bytes suit
/// documents in any charset that contains ASCII.
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
    replacement_of(link, reference, 0..reference.len())
}

/// Returns the bytes of a part of another reference.
pub(crate) fn replacement_of(
    link: &Link<'_>,
    reference: &[u8],
    part: Range<usize>,
) -> Result<Vec<u8>, RewriteError> {
    let syntaxes: Vec<Escapes> = link.quoting.escapes().collect();
    let (inner, unit) = match *syntaxes {
        [inner] => (inner, 1),
        [inner, Escapes::Utf16Le | Escapes::Utf16Be] => (inner, 2),
        [inner, ..] => (inner, 0),
        [] => return Err(RewriteError::Place),
    };
    let length = link.span.end - link.span.start;
    let is_verbatim = length == link.reference.len() as u64 * unit;
    // Where escapes are not known, the bytes are the reference itself, but for line breaks.
    let is_unescaped = matches!(inner, Escapes::Plain | Escapes::Name);
    let is_altered = is_unescaped && unit > 0 && !is_verbatim;
    if is_altered && !link.flags.contains(Flags::WRAPPED)
        // An empty value has a place between quotes alone.
        || length == 0 && inner != Escapes::Html
        || syntaxes.contains(&Escapes::Encoded)
        || link.document_span().is_none()
        || link.flags.intersects(ELSEWHERE)
    {
        return Err(RewriteError::Place);
    }
    let text = str::from_utf8(reference).map_err(|_| RewriteError::Form)?;
    if !fits(link, inner, text) {
        return Err(RewriteError::Form);
    }
    let mut written = text.get(part).ok_or(RewriteError::Form)?.to_owned();
    for &escapes in &syntaxes {
        let mut escaped = String::with_capacity(written.len());
        for character in written.chars() {
            match character {
                // Where one was written, others may be.
                ' ' if is_verbatim && link.reference.contains(&b' ') => escaped.push(' '),
                _ => push(escapes, character, &mut escaped)?,
            }
        }
        written = escaped;
    }
    let bytes_of = match syntaxes.last() {
        Some(Escapes::Utf16Le) => u16::to_le_bytes,
        Some(Escapes::Utf16Be) => u16::to_be_bytes,
        // The charset of the document may be any that contains ASCII.
        _ if !written.is_ascii() && inner != Escapes::Name => return Err(RewriteError::Form),
        _ => return Ok(written.into_bytes()),
    };
    Ok(written.encode_utf16().flat_map(bytes_of).collect())
}

/// Flags of links whose span is not the reference's, or that are read in another form.
const ELSEWHERE: Flags = Flags::OBJECT
    .union(Flags::WIKI)
    .union(Flags::REFANGED)
    .union(Flags::SCHEME_GUESSED)
    .union(Flags::UNCLOSED)
    .union(Flags::OVERLONG)
    .union(Flags::GLUED);

/// Returns whether a text can be the reference of a link, whatever its escapes.
fn fits(link: &Link<'_>, inner: Escapes, text: &str) -> bool {
    if text.is_empty() || text.trim() != text {
        return false;
    }
    // Markup ends with an underscore that no letter or digit follows.
    let mut after = text.split('_').skip(1);
    if inner == Escapes::Plain
        && after.any(|rest| !rest.starts_with(|first: char| first.is_ascii_alphanumeric()))
    {
        return false;
    }
    // `url` is a keyword of `meta` elements.
    let start = text.get(..3).unwrap_or_default();
    if link.flags.contains(Flags::REFRESH) && start.eq_ignore_ascii_case("url") {
        return false;
    }
    // Where no element or key says that there is a reference, its scheme does.
    let is_web = ["http://", "https://", "ftp://"];
    let is_web = is_web.iter().any(|start| text.starts_with(start));
    if link.flags.contains(Flags::GUESSED) {
        return is_web && is_whole_uri(text.as_bytes());
    }
    // The end of a comment in CSS.
    if link.context == Context::Comment && text.contains("*/") {
        return false;
    }
    // Keywords and blank nodes of JSON-LD.
    if inner == Escapes::Json && (text.starts_with('@') || text.starts_with("_:")) {
        return false;
    }
    let is_absolute = |text: &[u8]| scheme_length(text).is_some();
    let has_path = |text: &[u8]| !Reference::split(text).path.is_empty();
    let is_alike = match link.context {
        Context::Attribute if inner == Escapes::Plain || link.attribute == Some("#text") => {
            // Other names are not references in Org (rule O1) and in a map of imports (rule H21).
            let has_names = matches!(link.attribute, Some("#text" | "href" | "src"));
            let is_marked = |text: &str| {
                let mut starts = ["/", "./", "../"].iter();
                starts.any(|start| text.starts_with(start))
                    || is_absolute(text.as_bytes()) && (!has_names || is_whole_uri(text.as_bytes()))
            };
            let before = link.reference_str().unwrap_or_default();
            let is_bound = is_absolute(link.reference)
                || has_names && (is_marked(before) || before.starts_with("~/"));
            // In AsciiDoc a URL outside of macros is known by its scheme.
            let is_url = link.attribute.is_none() && is_absolute(link.reference);
            // After `file:` in Org a host would follow.
            let has_host = has_names && inner == Escapes::Plain && text.starts_with("//");
            (!is_bound || is_marked(text)) && (!is_url || is_web) && !has_host
        }
        // Some elements take absolute references alone.
        Context::Text if inner == Escapes::Xml => {
            !is_absolute(link.reference) || is_absolute(text.as_bytes())
        }
        // The name of a file has a dot, or a `#` after it (rule D7).
        Context::Attribute if inner == Escapes::CrossReference => {
            let (path, fragment) = text.split_once('#').unwrap_or((text, "-"));
            let name = path.rsplit('/').next();
            let is_file = name.is_some_and(|name| name.contains('.'));
            let is_fragment = path.is_empty() && text.contains('#');
            let is_start = |first: char| first.is_ascii_alphanumeric() || "_#/.:".contains(first);
            return text.starts_with(is_start)
                && Reference::split(text.as_bytes()).scheme.is_none()
                && !fragment.is_empty()
                && (is_file || is_fragment)
                && (text.contains('#') || !link.reference.contains(&b'#'));
        }
        _ if inner != Escapes::Plain => return true,
        // What follows a host in text would follow a path otherwise.
        _ => is_web && has_path(text.as_bytes()) == has_path(link.reference),
    };
    is_alike
        && (inner != Escapes::Plain
            || text.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '/'))
}

/// Appends a character with the escape that it needs.
fn push(escapes: Escapes, character: char, out: &mut String) -> Result<(), RewriteError> {
    let code = u32::from(character);
    // Besides letters, digits and these: characters that need no escape.
    let plain = match escapes {
        Escapes::Plain => "_",
        Escapes::Name => "_~!$,;()=&'",
        Escapes::Item => "_~!$*;()[]|^=&",
        Escapes::Html | Escapes::Xml => " _~!$*,;()[]{}|^=\\",
        Escapes::HtmlUnquoted => "_~!$*,;()[]{}|^\\",
        Escapes::Json => " _~!$*,;()[]{}|^=&'",
        Escapes::Css => "_~!$*,;[]{}|^=&",
        Escapes::Markdown => "_~!,;=",
        Escapes::CrossReference => "_!;=&$()",
        Escapes::Encoded => return Err(RewriteError::Place),
        Escapes::Utf16Le | Escapes::Utf16Be => "",
    };
    let is_plain = matches!(escapes, Escapes::Utf16Le | Escapes::Utf16Be)
        || character.is_ascii_alphanumeric()
        || matches!(escapes, Escapes::Plain | Escapes::Name)
            && !character.is_ascii()
            && character.is_alphanumeric()
        || "-./:?#%+@".contains(character)
        || plain.contains(character);
    match escapes {
        // Identifiers are looked up as they are written.
        Escapes::CrossReference if character == '%' => return Err(RewriteError::Form),
        _ if is_plain => out.push(character),
        _ if character.is_control() && escapes != Escapes::Json => return Err(RewriteError::Form),
        // The syntax around the item may escape it.
        Escapes::Item if !character.is_ascii() && !character.is_whitespace() => out.push(character),
        Escapes::Markdown if character == ' ' => return Err(RewriteError::Form),
        Escapes::Html | Escapes::HtmlUnquoted | Escapes::Xml | Escapes::Markdown => match character
        {
            '&' => out.push_str("&amp;"),
            _ => out.push_str(&format!("&#{code};")),
        },
        Escapes::Css => out.push_str(&format!("\\{code:x} ")),
        Escapes::Json => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
        _ => return Err(RewriteError::Form),
    }
    Ok(())
}

/// The reason why a reference cannot be written in the place of a link.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RewriteError {
    /// The reference is not in the bytes of the document itself.
    #[error("the reference is not in the bytes of the document itself")]
    Place,
    /// The syntax around the link has no form for the reference.
    #[error("the syntax around the link has no form for the reference")]
    Form,
}
