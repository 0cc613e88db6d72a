//! Resolves a found reference and emits the link.

use std::ops::ControlFlow;

use super::base_scope::BaseScope;
use super::labels::PartLabels;
use super::link::{
    DocumentContext, Enclosure, EnclosureKind, Link, LinkDescription, LinkMember, Sink,
};
use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Batch, FoundReference, NameRange, TextRange, cut_name,
};
use crate::document::flags::{Flags, holds_placeholder};
use crate::uri::unwrap::Unwrapper;
use crate::uri::{self, BaseSource, ByteClasses, Reference, ResolveErrorKind};

/// Resolves references into reused buffers and passes the links to a sink.
#[derive(Debug, Default)]
pub(super) struct LinkWriter {
    unwrapper: Option<Unwrapper>,
    /// Maximum length in bytes of a codebase.
    pub(super) longest_base: usize,
    /// The reasons why something about the last reference was left out.
    pub(super) refused: Vec<&'static Code>,
    /// The root of the tree that the outermost document is in.
    tree: Option<Vec<u8>>,
    /// The archive that the outermost document is in.
    enclosure: Option<Enclosure>,
    /// The sink has stopped the document.
    pub(super) stopped: bool,
    target: Vec<u8>,
    codebase: Vec<u8>,
    element: String,
    attribute: String,
}

impl LinkWriter {
    pub(super) fn new(longest_base: usize, unwrapper: Option<Unwrapper>) -> Self {
        LinkWriter {
            longest_base,
            unwrapper,
            ..LinkWriter::default()
        }
    }

    /// Starts a document.
    pub(super) fn begin(&mut self, context: &DocumentContext<'_>) {
        self.tree = context.tree.map(<[u8]>::to_vec);
        self.enclosure = context.enclosure.cloned();
        self.stopped = false;
    }

    /// Resolves a reference against a base of its document's scope and emits the link.
    pub(super) fn emit(
        &mut self,
        (scopes, index): (&[BaseScope], usize),
        labels: &mut PartLabels,
        found: &FoundReference,
        (events, window): (&Batch, &[u8]),
        sink: &mut dyn Sink,
    ) {
        let bytes = |text| events.bytes(text, window);
        let scope = &scopes[index];
        let reference = bytes(found.text);
        let own;
        let (resolver, base) = match found.base {
            BaseSelector::Document | BaseSelector::Refresh => {
                (&scope.by_document, scope.document_base())
            }
            BaseSelector::Fallback | BaseSelector::FallbackWithFragment(_) => {
                (&scope.by_fallback, scope.fallback_base())
            }
            BaseSelector::Tree => match tree(self.tree.as_deref(), scope) {
                Some((resolver, root)) => {
                    own = resolver;
                    let source = scope.document_base().map(|(_, source)| source);
                    (&own, source.map(|source| (root, source)))
                }
                None => (&scope.by_document, scope.document_base()),
            },
            BaseSelector::Package => {
                match self.enclosure.as_ref().and_then(|one| package(one, scope)) {
                    Some((resolver, uri)) => {
                        own = resolver;
                        let source = scope.document_base().map(|(_, source)| source);
                        (&own, source.map(|source| (uri, source)))
                    }
                    None => (&scope.by_document, scope.document_base()),
                }
            }
            BaseSelector::Nothing => {
                own = uri::Resolver::without_base(scope.rules());
                (&own, None)
            }
            BaseSelector::Codebase(text) => match self.codebase(scope, bytes(text)) {
                Some(resolver) => {
                    own = resolver;
                    (
                        &own,
                        Some((self.codebase.as_slice(), BaseSource::ContentCodebase.name())),
                    )
                }
                None => (&scope.by_document, scope.document_base()),
            },
        };
        let written = found.resolves_as.map_or(reference, bytes);
        let classes = match found.classes.is_known() && found.resolves_as.is_none() {
            true => found.classes,
            false => ByteClasses::of(written),
        };
        self.target.clear();
        let mut flags = found.flags;
        // Placeholders have a brace or an angle bracket.
        let may_hold = classes.has_suspect() || found.resolves_as.is_some();
        if may_hold && holds_placeholder(reference) {
            flags |= Flags::TEMPLATE;
        }
        let (target, inherits) = if names_message(reference) {
            (Ok(reference), false)
        } else if flags.contains(Flags::TEMPLATE) {
            (Err(ResolveErrorKind::Template), false)
        } else {
            match resolver.append_target(written, classes, &mut self.target) {
                Ok(_) if found.base == BaseSelector::Refresh && is_script(&self.target) => {
                    (Err(ResolveErrorKind::InvalidReference), false)
                }
                Ok(kind) => {
                    if let (Some(enclosure), Some((base, _)), true) =
                        (&self.enclosure, base, kind.inherits_base())
                    {
                        let inside = enclosed(enclosure, base, written, &self.target, scope);
                        if let Some((target, leaves)) = inside {
                            self.target = target;
                            if leaves && enclosure.kind == EnclosureKind::Package {
                                flags |= Flags::LEAVES_PACKAGE;
                            }
                        }
                    }
                    if let BaseSelector::FallbackWithFragment(fragment) = found.base {
                        self.target.push(b'#');
                        self.target.extend_from_slice(bytes(fragment));
                    }
                    (Ok(self.target.as_slice()), kind.inherits_base())
                }
                Err(error) => (Err(error.kind()), !has_scheme(reference)),
            }
        };
        if inherits && scope.is_chained() && found.base == BaseSelector::Document {
            flags |= Flags::BASE_CHAINED;
        }
        if let Ok(target) = target
            && classes.has_at()
            && (!inherits || names_authority(written))
            && uri::has_userinfo(target)
        {
            flags |= Flags::USERINFO;
        }
        let target_part = match target {
            Ok(target) if labels.may_name(target) => labels.part(target, &scope_ids(scopes, index)),
            _ => None,
        };
        let heading = &scope.heading;
        let member;
        let part = match scope.is_in_message() || target_part.is_some() {
            false => LinkMember::none(),
            true => {
                member = LinkMember {
                    media_type: some(&heading.media_type),
                    charset: some(&heading.charset),
                    target_part,
                    // Readers of compressed files and of archives fill in the rest.
                    ..scope.message()
                };
                &member
            }
        };
        let link = Link {
            member: scope.member(),
            position: found.position,
            span: found.span,
            reference,
            target,
            base: base.filter(|_| inherits),
            context: found.context,
            element: name(found.element, bytes, &mut self.element, &mut self.refused),
            attribute: name(
                found.attribute,
                bytes,
                &mut self.attribute,
                &mut self.refused,
            ),
            flags,
            alternatives: &[],
            unwrapped: None,
            part,
            description: None,
        };
        let unwrapped = match (&self.unwrapper, target) {
            (Some(unwrapper), Ok(target)) => unwrapper.unwrap(target),
            _ => None,
        };
        let flow = if unwrapped.is_some() || events.has_details(found) {
            let context = (events, window);
            let (flow, is_cut) = emit_details(link, unwrapped.as_deref(), found, context, sink);
            if is_cut {
                self.refused.push(&diagnostic::NAME_TOO_LONG);
            }
            flow
        } else {
            sink.link(&link)
        };
        self.stopped = flow.is_break();
    }

    /// Makes the resolver of an element's codebase, which resolves against the document's base.
    fn codebase(&mut self, scope: &BaseScope, codebase: &[u8]) -> Option<uri::Resolver> {
        self.codebase.clear();
        if codebase.len() <= self.longest_base {
            let by_document = &scope.by_document;
            by_document
                .resolve_into(codebase, &mut self.codebase)
                .ok()?;
        }
        if codebase.len().max(self.codebase.len()) > self.longest_base {
            self.refused.push(&diagnostic::BASE_TOO_LONG);
            return None;
        }
        let mut resolver = uri::Resolver::new(&self.codebase, scope.rules()).ok()?;
        resolver.set_encoding(scope.encoding);
        Some(resolver)
    }
}

/// Emits a link with what few links have; returns whether a text was cut.
#[inline(never)]
fn emit_details(
    link: Link<'_>,
    unwrapped: Option<&[u8]>,
    found: &FoundReference,
    (events, window): (&Batch, &[u8]),
    sink: &mut dyn Sink,
) -> (ControlFlow<()>, bool) {
    let bytes = |text| events.bytes(text, window);
    let alternatives = events.alternatives(found).iter();
    let alternatives: Vec<&[u8]> = alternatives.map(|&text| bytes(text)).collect();
    let mut is_cut = false;
    let mut lossy = |text| {
        let (text, cut) = cut_name(bytes(text));
        is_cut |= cut;
        String::from_utf8_lossy(text)
    };
    let description = (events.description(found)).map(|ranges| {
        [ranges.text, ranges.rel, ranges.hreflang, ranges.title].map(|text| text.map(&mut lossy))
    });
    let description = description.as_ref().map(|texts| {
        let [text, rel, hreflang, title] = texts.each_ref().map(Option::as_deref);
        LinkDescription {
            text,
            rel,
            hreflang,
            title,
        }
    });
    let flow = sink.link(&Link {
        alternatives: &alternatives,
        unwrapped,
        description,
        ..link
    });
    (flow, is_cut)
}

/// Makes the resolver of the root of the document's tree.
fn tree<'r>(root: Option<&'r [u8]>, scope: &BaseScope) -> Option<(uri::Resolver, &'r [u8])> {
    let root = root?;
    let mut resolver = uri::Resolver::new(root, scope.rules()).ok()?;
    resolver.set_encoding(scope.encoding);
    Some((resolver, root))
}

/// Makes the resolver of the package that the document is in.
fn package<'r>(enclosure: &'r Enclosure, scope: &BaseScope) -> Option<(uri::Resolver, &'r [u8])> {
    let root = enclosure.root.as_slice();
    let uri = root.strip_suffix(b"!/").unwrap_or(root);
    let mut resolver = uri::Resolver::new(uri, scope.rules()).ok()?;
    resolver.set_encoding(scope.encoding);
    Some((resolver, uri))
}

/// Returns the target of a relative reference that does not stay below the root of an archive as it is
/// written, as if the root were that of a host, and whether it leads above the root.
fn enclosed(
    enclosure: &Enclosure,
    base: &[u8],
    written: &[u8],
    target: &[u8],
    scope: &BaseScope,
) -> Option<(Vec<u8>, bool)> {
    const HOST: &[u8] = b"http://archive.invalid/";
    let root = enclosure.root.as_slice();
    // Nearly all targets: the others are not compared with the base.
    if target.starts_with(root) {
        return None;
    }
    let inner = base.strip_prefix(root)?;
    let starts_at_root = written.trim_ascii_start().first() == Some(&b'/');
    let applies = match enclosure.kind {
        EnclosureKind::Archive => !starts_at_root,
        EnclosureKind::Package => true,
        EnclosureKind::Open => starts_at_root,
    };
    if !applies {
        return None;
    }
    let mut resolver = uri::Resolver::new(&[HOST, inner].concat(), scope.rules()).ok()?;
    resolver.set_encoding(scope.encoding);
    let mut hosted = Vec::new();
    resolver.resolve_into(written, &mut hosted).ok()?;
    let below = hosted.strip_prefix(HOST)?;
    Some(([root, below].concat(), !starts_at_root))
}

/// Returns whether a reference is a `cid:` or `mid:` URI, which is its own target (RFC 2392).
fn names_message(reference: &[u8]) -> bool {
    matches!(
        reference,
        [
            b'c' | b'C' | b'm' | b'M',
            b'i' | b'I',
            b'd' | b'D',
            b':',
            ..
        ]
    )
}

/// Returns whether a reference without a scheme begins with an authority; browsers take `\` for `/`.
fn names_authority(reference: &[u8]) -> bool {
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let start = reference.trim_ascii_start();
    start.iter().take(2).filter(|&byte| is_slash(byte)).count() == 2
}

fn is_script(target: &[u8]) -> bool {
    Reference::split(target)
        .scheme
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"javascript"))
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Returns the identities of the scopes whose labels count for a document, the innermost first.
fn scope_ids(scopes: &[BaseScope], index: usize) -> Vec<u64> {
    let chain = std::iter::successors(Some(index), |&index| scopes[index].parent);
    chain
        .inspect(|_| step(1))
        .filter(|&index| {
            let heading = &scopes[index].heading;
            heading.related || heading.names_parts
        })
        .map(|index| scopes[index].id)
        .collect()
}

fn has_scheme(reference: &[u8]) -> bool {
    Reference::split(reference.trim_ascii()).scheme.is_some()
}

/// Returns a name; `buffer` holds it if it has to be decoded.
#[inline]
fn name<'n>(
    name: NameRange,
    bytes: impl Fn(TextRange) -> &'n [u8],
    buffer: &'n mut String,
    refused: &mut Vec<&'static Code>,
) -> Option<&'n str> {
    match name {
        NameRange::None => None,
        NameRange::Known(name) => Some(name),
        NameRange::Other(text) => Some(decode_name(bytes(text), buffer, refused)),
    }
}

#[inline(never)]
fn decode_name<'n>(
    name: &[u8],
    buffer: &'n mut String,
    refused: &mut Vec<&'static Code>,
) -> &'n str {
    let (name, is_cut) = cut_name(name);
    if is_cut {
        refused.push(&diagnostic::NAME_TOO_LONG);
    }
    buffer.clear();
    buffer.push_str(&String::from_utf8_lossy(name));
    buffer
}
