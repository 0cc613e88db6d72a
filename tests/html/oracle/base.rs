//! The base of a document (HTML, "document base URL"), and resolution against it.

use std::borrow::Cow;

use encoding_rs::Encoding;
use url::{Position, Url};

use super::charset;
use super::tree::{Id, Kind, Tree};

/// The base of a complete document.
#[derive(Clone, Debug)]
pub(crate) struct Frozen {
    /// The href of its first base element that has one.
    pub(crate) href: Option<String>,
    /// The base URI, if there is one.
    pub(crate) uri: Option<Url>,
}

/// Returns the href of the first base element in tree order, templates and shadow roots excluded.
pub(crate) fn href(tree: &Tree) -> Option<String> {
    let nodes = tree.nodes();
    let mut stack = vec![Id(0)];
    while let Some(id) = stack.pop() {
        let node = &nodes[id.0];
        if let Kind::Element(element) = &node.kind
            && element.is_html("base")
        {
            let href = |name: &html5ever::QualName| name.ns.is_empty() && &*name.local == "href";
            if let Some(found) = element.attributes.iter().find(|known| href(&known.name)) {
                return Some(found.value.to_string());
            }
        }
        stack.extend(node.children.iter().rev());
    }
    None
}

/// HTML, "set the frozen base URL".
pub(crate) fn freeze(
    href: Option<String>,
    fallback: Option<&Url>,
    encoding: &'static Encoding,
) -> Frozen {
    let own = href
        .as_ref()
        .and_then(|href| resolve(href, fallback, encoding))
        .filter(|uri| !["data", "javascript"].contains(&uri.scheme()));
    Frozen {
        href,
        uri: own.or_else(|| fallback.cloned()),
    }
}

/// Resolves a reference as a browser would.
pub(crate) fn resolve(
    reference: &str,
    base: Option<&Url>,
    encoding: &'static Encoding,
) -> Option<Url> {
    let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| charset::encode_query(encoding, query);
    let collapsed = collapse_slashes(reference, base);
    let parsed = Url::options()
        .base_url(base)
        .encoding_override(Some(encode))
        .parse(collapsed.as_deref().unwrap_or(reference))
        .ok()?;
    Some(encode_carets(parsed))
}

/// Collapses leading slashes: the url crate reads `///x` as a path, a browser as `//x`.
fn collapse_slashes(reference: &str, base: Option<&Url>) -> Option<String> {
    const SPECIAL: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];
    if !base.is_some_and(|base| SPECIAL.contains(&base.scheme())) {
        return None;
    }
    let clean: String = reference
        .trim_matches(|character| character <= ' ')
        .chars()
        .filter(|character| !['\t', '\n', '\r'].contains(character))
        .collect();
    let rest = clean.trim_start_matches(['/', '\\']);
    (clean.len() - rest.len() > 2).then(|| format!("//{rest}"))
}

/// Encodes `^` in the path, which is in the path percent-encode set but left by the url crate.
fn encode_carets(uri: Url) -> Url {
    if uri.cannot_be_a_base() || !uri.path().contains('^') {
        return uri;
    }
    let text = format!(
        "{}{}{}",
        &uri[..Position::BeforePath],
        uri.path().replace('^', "%5E"),
        &uri[Position::AfterPath..]
    );
    Url::parse(&text).expect("an encoded caret is no syntax")
}
