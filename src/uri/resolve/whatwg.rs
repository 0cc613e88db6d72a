//! The WHATWG URL standard.

use std::borrow::Cow;

use encoding_rs::Encoding;
use url::Url;

use super::prepared::Prepared;
use super::{BaseError, ReferenceKind, ResolveError, ResolveErrorKind};

/// The serialised form of a base, without its fragment.
pub(super) fn normalize_base(base: &[u8]) -> Result<Vec<u8>, BaseError> {
    let mut url =
        Url::parse(&String::from_utf8_lossy(base)).map_err(|_| BaseError::unparsable())?;
    url.set_fragment(None);
    Ok(String::from(url).into_bytes())
}

/// Resolves a reference as a browser does.
pub(super) fn resolve(
    base: Option<&Prepared>,
    encoding: &'static Encoding,
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<ReferenceKind, ResolveError> {
    let text = String::from_utf8_lossy(reference);
    let base = base.and_then(|base| Url::parse(str::from_utf8(base.uri()).ok()?).ok());
    let encode = encoder(|query| encoding.encode(query).0);
    let url = Url::options()
        .base_url(base.as_ref())
        .encoding_override(Some(&encode))
        .parse(&text)
        .map_err(|error| ResolveError::from(kind_of(error, base.as_ref())))?;
    out.extend_from_slice(url.as_str().as_bytes());
    let trimmed = text.trim_matches(|c| c <= ' ');
    Ok(match (trimmed.as_bytes(), Url::parse(trimmed)) {
        (_, Ok(url)) if url.cannot_be_a_base() => ReferenceKind::Opaque,
        (_, Ok(_)) => ReferenceKind::Absolute,
        ([], _) => ReferenceKind::Empty,
        ([b'#', ..], _) => ReferenceKind::Fragment,
        ([b'?', ..], _) => ReferenceKind::Query,
        ([b'/', b'/', ..], _) => ReferenceKind::NetworkPath,
        ([b'/', ..], _) => ReferenceKind::AbsolutePath,
        _ => ReferenceKind::RelativePath,
    })
}

fn kind_of(error: url::ParseError, base: Option<&Url>) -> ResolveErrorKind {
    match (error, base) {
        (url::ParseError::RelativeUrlWithoutBase, None) => ResolveErrorKind::NoBase,
        (url::ParseError::RelativeUrlWithCannotBeABaseBase, _) => ResolveErrorKind::UnsuitableBase,
        _ => ResolveErrorKind::InvalidReference,
    }
}

/// Tells the compiler that the closure's result borrows from its argument.
fn encoder<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}
