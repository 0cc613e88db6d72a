//! Hosts in the text of a link, as its reader sees them.

use super::Reference;
use super::unwrap::Unwrapper;
use super::{host, registered_domain, valid_host};

/// Public suffixes that are extensions of files, too.
const EXTENSIONS: &str = "ai app bz cab cc cfg class dat doc java la mdl md mk ml mm mov nc pl pm \
    properties ps pub py rs sc sh so st tc tex ts vb zip";

/// Returns whether the text of a link is a URL or a host of another registered domain than its target, or
/// than the link inside, where a gateway has rewritten it.
pub(crate) fn names_other_host(text: &str, target: &[u8], unwrapper: &Unwrapper) -> bool {
    let Some(shown) = shown_host(text.trim()).and_then(|host| domain(host.as_bytes())) else {
        return false;
    };
    let unwrapped = unwrapper.open(target);
    let target = unwrapped.original.as_deref().unwrap_or(target);
    let authority = Reference::split(target).authority.unwrap_or_default();
    let reached = domain(host(authority)).filter(|_| !unwrapped.is_opaque);
    reached.is_some_and(|reached| reached != shown)
}

/// Returns the registered domain of a host, or else the host.
fn domain(host: &[u8]) -> Option<String> {
    registered_domain(host).or_else(|| valid_host(host).filter(|host| !host.is_empty()))
}

/// Returns the host of a text that is a URL or a host: it has a scheme, `www.` or a public suffix.
fn shown_host(text: &str) -> Option<&str> {
    if text.contains(|character: char| character.is_whitespace() || character == '@') {
        return None;
    }
    let end = |text: &str| text.find(['/', '?', '#', ':', '\\']).unwrap_or(text.len());
    if let Some((scheme, rest)) = text.split_once("://") {
        let is_scheme = Reference::split(text.as_bytes()).scheme == Some(scheme.as_bytes());
        return is_scheme.then(|| &rest[..end(rest)]);
    }
    let whole = &text[..end(text)];
    let host = whole.trim_end_matches(['.', '\u{2026}']);
    let lower = valid_host(host.as_bytes())?;
    let names_web = lower.starts_with("www.");
    let suffix = psl::suffix(lower.as_bytes()).filter(psl::Suffix::is_known);
    let is_host = match suffix.map(|suffix| suffix.as_bytes()) {
        // Without a known suffix, a shortened text may end inside the host.
        None => names_web && !whole.ends_with('\u{2026}'),
        Some(suffix) => {
            let mut extensions = EXTENSIONS.split(' ').map(str::as_bytes);
            names_web || lower.contains('.') && extensions.all(|extension| extension != suffix)
        }
    };
    is_host.then_some(host)
}

#[cfg(test)]
#[path = "../../tests/unit/uri/shown.rs"]
mod tests;
