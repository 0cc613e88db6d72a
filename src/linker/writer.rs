//! Resolves a found reference and emits the link.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::base_scope::{BaseScope, ScopeBase};
use super::labels::{PartLabels, names_part};
use super::link::{DocumentContext, Enclosure, EnclosureKind, Link, LinkBase, LinkMember, Sink};
use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Batch, FoundReference, NameRange, TextRange, cut_name,
};
use crate::document::flags::{Flags, holds_placeholder};
use crate::uri::shown::names_other_host;
use crate::uri::unwrap::Unwrapper;
use crate::uri::{self, BaseSource, ByteClasses, Reference, ResolveErrorKind, Rules};

/// The events of a batch, and the window that they lie in.
#[derive(Clone, Copy)]
pub(super) struct BatchTexts<'a> {
    pub(super) events: &'a Batch,
    pub(super) window: &'a [u8],
}

impl<'a> BatchTexts<'a> {
    /// The texts of a batch that holds all of them.
    pub(super) fn stored(events: &'a Batch) -> Self {
        let window = &[];
        BatchTexts { events, window }
    }

    pub(super) fn bytes(self, text: TextRange) -> &'a [u8] {
        self.events.bytes(text, self.window)
    }
}

#[derive(Clone, Copy)]
pub(super) struct ScopedReference<'a> {
    pub(super) found: &'a FoundReference,
    pub(super) texts: BatchTexts<'a>,
    pub(super) scopes: &'a [BaseScope],
    pub(super) scope: usize,
}

#[derive(Debug, Default)]
struct DocumentPlace {
    tree: Option<Vec<u8>>,
    enclosure: Option<Enclosure>,
}

/// A base that a reference resolves against, with its source as records name it.
struct ChosenBase<'a> {
    resolver: Cow<'a, uri::Resolver>,
    named: Option<(Cow<'a, [u8]>, &'a str)>,
}

impl<'a> ChosenBase<'a> {
    fn known(known: &'a ScopeBase) -> Self {
        ChosenBase {
            resolver: Cow::Borrowed(&known.resolver),
            named: (known.base()).map(|(uri, source)| (Cow::Borrowed(uri), source)),
        }
    }
}

/// Resolves references into reused buffers and passes the links to a sink.
#[derive(Debug, Default)]
pub(super) struct LinkWriter {
    unwrapper: Option<Unwrapper>,
    /// Maximum length in bytes of a base that a document declares.
    pub(super) longest_base: usize,
    /// Diagnostics about the last reference.
    pub(super) refused: Vec<&'static Code>,
    pub(super) stopped: bool,
    pub(super) labels: PartLabels,
    place: DocumentPlace,
    target: Vec<u8>,
    /// A target inside an enclosure, or with a fragment.
    replaced: Vec<u8>,
    /// The link inside a link of a gateway.
    original: Vec<u8>,
    /// The part of documents outside messages.
    no_part: LinkMember<'static>,
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

    pub(super) fn begin(&mut self, context: &DocumentContext<'_>) {
        self.place.tree = context.tree.map(<[u8]>::to_vec);
        self.place.enclosure = context.enclosure.cloned();
        self.labels.clear();
        self.stopped = false;
    }

    /// Resolves a reference against a base of its document's scope and emits the link.
    pub(super) fn emit(&mut self, reference: ScopedReference<'_>, sink: &mut dyn Sink) {
        let ScopedReference { found, texts, .. } = reference;
        let scope = &reference.scopes[reference.scope];
        let text = texts.bytes(found.text);
        let chosen;
        let (resolver, named, revision) = match found.base {
            // Nearly all references.
            BaseSelector::Document | BaseSelector::Refresh => {
                let document = scope.chosen();
                (&document.resolver, document.base(), document.named.revision)
            }
            selector => {
                let codebase = match selector {
                    BaseSelector::Codebase(uri) => self.codebase(scope, texts.bytes(uri)),
                    _ => None,
                };
                chosen = codebase.unwrap_or_else(|| self.place.base(scope, selector));
                let named = (chosen.named.as_ref()).map(|(uri, source)| (&**uri, *source));
                (&*chosen.resolver, named, 0)
            }
        };
        let mut written = found.resolves_as.map_or(text, |text| texts.bytes(text));
        let mut classes = if found.classes.is_known() && found.resolves_as.is_none() {
            found.classes
        } else {
            ByteClasses::of(written)
        };
        let stripped;
        if scope.rules != Rules::Whatwg && !classes.is_plain() {
            stripped = scope.strip(written);
            written = &stripped;
            classes = ByteClasses::of(written);
        }
        let mut flags = found.flags;
        // Placeholders have a brace or an angle bracket.
        let may_hold = classes.has_suspect() || found.resolves_as.is_some();
        if may_hold && holds_placeholder(text) {
            flags |= Flags::TEMPLATE;
        }
        let mut is_plain = false;
        let bare = || uri::trim(text);
        let (mut target, inherits) = if found.classes.may_have_colon() && names_message(bare()) {
            (Ok(bare()), false)
        } else if flags.contains(Flags::TEMPLATE) {
            (Err(ResolveErrorKind::Template), false)
        } else {
            match resolver.target(written, classes, &mut self.target) {
                Ok((target, ..)) if found.base == BaseSelector::Refresh && is_script(target) => {
                    (Err(ResolveErrorKind::InvalidReference), false)
                }
                Ok((mut target, kind, plain)) => {
                    is_plain = plain && std::ptr::eq(written, text);
                    if let (Some(enclosure), Some((base, _)), true) =
                        (&self.place.enclosure, named, kind.inherits_base())
                        && let Some((inside, leaves)) =
                            enclosed(enclosure, base, written, target, scope)
                    {
                        self.replaced = inside;
                        (target, is_plain) = (&self.replaced, false);
                        if leaves && enclosure.kind == EnclosureKind::Package {
                            flags |= Flags::LEAVES_PACKAGE;
                        }
                    }
                    if let BaseSelector::FallbackWithFragment(fragment) = found.base {
                        self.replaced = [target, b"#", texts.bytes(fragment)].concat();
                        (target, is_plain) = (&self.replaced, false);
                    }
                    (Ok(target), kind.inherits_base())
                }
                Err(error)
                    if error.kind() == ResolveErrorKind::NoBase
                        && scope.chosen().named.is_template
                        && std::ptr::eq(resolver, &scope.chosen().resolver) =>
                {
                    flags |= Flags::TEMPLATE;
                    (Err(ResolveErrorKind::Template), false)
                }
                Err(error) => (Err(error.kind()), Reference::split(bare()).scheme.is_none()),
            }
        };
        let mut unwrapped_from = None;
        if let (Some(unwrapper), Ok(uri)) = (&self.unwrapper, target) {
            let unwrapped = unwrapper.open(uri);
            flags |= Flags::OPAQUE_GATEWAY.when(unwrapped.is_opaque);
            if let Some(inner) = unwrapped.original {
                self.original.clear();
                if resolver.resolve_into(&inner, &mut self.original).is_err() {
                    self.original = inner;
                }
                (target, unwrapped_from) = (Ok(self.original.as_slice()), Some(uri));
                is_plain = false;
            }
        }
        if inherits && scope.chosen().named.chained && found.base == BaseSelector::Document {
            flags |= Flags::BASE_CHAINED;
        }
        if let Ok(target) = target
            && classes.has_at()
            && (!inherits || names_authority(written) || unwrapped_from.is_some())
            && uri::has_userinfo(target)
        {
            flags |= Flags::USERINFO;
        }
        let target_part = match target {
            Ok(target) if self.labels.may_name(target) => {
                self.labels.part(target, &scope_ids(reference))
            }
            _ => None,
        };
        let known;
        let mut part = &self.no_part;
        if scope.is_in_message() || target_part.is_some() {
            known = LinkMember {
                media_type: some(&scope.heading.media_type),
                charset: some(&scope.heading.charset),
                target_part,
                part_offset: scope.heading.stored_at,
                // Readers of compressed files and of archives fill in the rest.
                ..scope.message()
            };
            part = &known;
        }
        let is_static = |name| !matches!(name, NameRange::Other(_));
        let is_static = is_static(found.element) && is_static(found.attribute);
        let refused = &mut self.refused;
        let link = Link {
            member: scope.member(),
            position: found.position,
            span: found.span,
            target,
            base: (named.filter(|_| inherits)).map(|(uri, label)| LinkBase { uri, label }),
            revision: revision * u64::from(is_static),
            context: found.context,
            quoting: found.quoting,
            element: name(found.element, texts, &mut self.element, refused),
            attribute: name(found.attribute, texts, &mut self.attribute, refused),
            flags,
            unwrapped_from,
            is_plain,
            ..Link::unresolved(text, part)
        };
        let flow = if texts.events.has_details(found) {
            let unwrapper = self.unwrapper.as_ref().unwrap_or(Unwrapper::known());
            let (flow, is_cut) = emit_details(link, found, texts, unwrapper, sink);
            if is_cut {
                self.refused.push(&diagnostic::RECORD_NAME_TOO_LONG);
            }
            flow
        } else {
            sink.link(&link)
        };
        self.stopped = flow.is_break();
    }

    /// Resolves an element's codebase against the document's base.
    fn codebase<'a>(&mut self, scope: &'a BaseScope, codebase: &[u8]) -> Option<ChosenBase<'a>> {
        let mut uri = Vec::new();
        if codebase.len() <= self.longest_base {
            let (resolver, codebase) = (&scope.chosen().resolver, scope.strip(codebase));
            resolver.resolve_into(&codebase, &mut uri).ok()?;
        }
        if codebase.len().max(uri.len()) > self.longest_base {
            self.refused.push(&diagnostic::BASE_TOO_LONG);
            return None;
        }
        Some(ChosenBase {
            resolver: Cow::Owned(scope.resolver(&uri)?),
            named: Some((Cow::Owned(uri), BaseSource::ContentCodebase.name())),
        })
    }
}

impl DocumentPlace {
    /// Chooses the base of a reference; the document's own one where the selected one is unknown.
    fn base<'a>(&'a self, scope: &'a BaseScope, selector: BaseSelector) -> ChosenBase<'a> {
        let root = match selector {
            BaseSelector::Fallback | BaseSelector::FallbackWithFragment(_) => {
                return ChosenBase::known(&scope.fallback);
            }
            BaseSelector::Nothing => {
                let resolver = Cow::Owned(uri::Resolver::without_base(scope.rules));
                let named = None;
                return ChosenBase { resolver, named };
            }
            BaseSelector::Document | BaseSelector::Refresh | BaseSelector::Codebase(_) => None,
            BaseSelector::Tree => self.tree.as_deref(),
            BaseSelector::Package => self.enclosure.as_ref().map(|enclosure| {
                let root = enclosure.root.as_slice();
                root.strip_suffix(b"!/").unwrap_or(root)
            }),
        };
        let document = scope.chosen();
        match root.and_then(|root| Some((root, scope.resolver(root)?))) {
            Some((root, resolver)) => ChosenBase {
                resolver: Cow::Owned(resolver),
                named: (document.base()).map(|(_, source)| (Cow::Borrowed(root), source)),
            },
            None => ChosenBase::known(document),
        }
    }
}

/// Emits a link with alternatives or a description; returns whether a text was cut.
#[inline(never)]
fn emit_details(
    link: Link<'_>,
    found: &FoundReference,
    texts: BatchTexts<'_>,
    unwrapper: &Unwrapper,
    sink: &mut dyn Sink,
) -> (ControlFlow<()>, bool) {
    let events = texts.events;
    let alternatives = events.alternatives(found).iter();
    let alternatives: Vec<&[u8]> = alternatives.map(|&text| texts.bytes(text)).collect();
    let mut is_cut = false;
    let lossy = |text: &TextRange| {
        let (text, cut) = cut_name(texts.bytes(*text));
        is_cut |= cut;
        String::from_utf8_lossy(text)
    };
    let description = events.description(found).map(|ranges| ranges.map(lossy));
    let description = (description.as_ref()).map(|texts| texts.map(|text| &**text));
    let text = description.and_then(|description| description.text);
    let differs = match (text, link.target) {
        (Some(text), Ok(target)) => names_other_host(text, target, unwrapper),
        _ => false,
    };
    let flow = sink.link(&Link {
        alternatives: &alternatives,
        flags: link.flags | Flags::TEXT_HOST_DIFFERS.when(differs),
        description,
        ..link
    });
    (flow, is_cut)
}

/// Returns the target of a relative reference that leaves the root of an archive as if that were a host's
/// root, and whether the reference escapes the root.
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
    let resolver = scope.resolver(&[HOST, inner].concat())?;
    let mut hosted = Vec::new();
    resolver.resolve_into(written, &mut hosted).ok()?;
    let below = hosted.strip_prefix(HOST)?;
    Some(([root, below].concat(), !starts_at_root))
}

/// Returns whether a reference is a `cid:` or `mid:` URI, which is its own target (RFC 2392).
fn names_message(reference: &[u8]) -> bool {
    matches!(reference, [b'm' | b'M', b'i' | b'I', b'd' | b'D', b':', ..]) || names_part(reference)
}

/// Returns whether a reference without a scheme begins with an authority; browsers take `\` for `/`.
fn names_authority(reference: &[u8]) -> bool {
    let start = reference.trim_ascii_start();
    matches!(start, [b'/' | b'\\', b'/' | b'\\', ..])
}

fn is_script(target: &[u8]) -> bool {
    let scheme = Reference::split(target).scheme;
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"javascript"))
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Returns the identities of the scopes whose labels apply to a document, the innermost first.
fn scope_ids(reference: ScopedReference<'_>) -> Vec<u64> {
    let scopes = reference.scopes;
    std::iter::successors(Some(reference.scope), |&index| scopes[index].parent)
        .inspect(|_| step(1))
        .filter(|&index| {
            let heading = &scopes[index].heading;
            heading.related || heading.names_parts
        })
        .map(|index| scopes[index].id)
        .collect()
}

/// Returns a name; `buffer` holds it if it has to be decoded.
#[inline]
fn name<'n>(
    name: NameRange,
    texts: BatchTexts<'n>,
    buffer: &'n mut String,
    refused: &mut Vec<&'static Code>,
) -> Option<&'n str> {
    match name {
        NameRange::None => None,
        NameRange::Known(name) => Some(name),
        NameRange::Other(text) => Some(decode_name(texts.bytes(text), buffer, refused)),
    }
}

/// Decodes UTF-8 lossily; valid text is only validated, which is faster.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

#[inline(never)]
fn decode_name<'n>(name: &[u8], buffer: &'n mut String, codes: &mut Vec<&'static Code>) -> &'n str {
    let (name, is_cut) = cut_name(name);
    if is_cut {
        codes.push(&diagnostic::RECORD_NAME_TOO_LONG);
    }
    buffer.clear();
    buffer.push_str(&lossy(name));
    buffer
}
