//! The scope of a document's base: candidates, the choice among them, and prepared resolvers.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use encoding_rs::{Encoding, UTF_8};
use smart_default::SmartDefault;

use super::link::LinkMember;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{Envelope, RuleFamily};
use crate::document::flags::holds_placeholder;
use crate::uri::{self, Base, BaseSource, Reference, Resolver, Rules};

/// The rules of resolution for each family of formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The rules for references in markup.
    pub markup: Rules,
    /// The rules for all other references.
    pub plain: Rules,
}

impl Ruling {
    /// WHATWG URL for markup, RFC 3986 in its corrected form for all else.
    pub const AUTO: Ruling = Ruling {
        markup: Rules::Whatwg,
        plain: Rules::CITATION,
    };

    /// The same rules everywhere.
    pub const fn fixed(rules: Rules) -> Self {
        let (markup, plain) = (rules, rules);
        Ruling { markup, plain }
    }

    fn of(self, family: RuleFamily) -> Rules {
        match family {
            RuleFamily::Markup => self.markup,
            RuleFamily::Plain => self.plain,
        }
    }
}

impl Default for Ruling {
    fn default() -> Self {
        Ruling::AUTO
    }
}

/// A URI reference that is or becomes a base; unset without a source.
#[derive(Debug, Default)]
pub(super) struct NamedBase {
    uri: Vec<u8>,
    source: Option<BaseSource>,
    /// The source as records name it.
    label: String,
    /// Whether a relative Content-Location was resolved against the enclosing base.
    pub(super) chained: bool,
    /// Whether it holds a template placeholder: the base is unknown, and hides the fallback.
    pub(super) is_template: bool,
    /// A number that no other base has, since it was prepared.
    pub(super) revision: u64,
}

impl NamedBase {
    pub(super) fn set(&mut self, uri: &[u8], source: BaseSource) {
        self.clear();
        self.uri.extend_from_slice(uri);
        // Writing to a String cannot fail.
        let _ = write!(self.label, "{source}");
        self.source = Some(source);
    }

    fn clear(&mut self) {
        self.uri.clear();
        self.source = None;
        self.label.clear();
        (self.chained, self.is_template) = (false, false);
    }

    fn is_set(&self) -> bool {
        self.source.is_some()
    }

    fn copy_source(&mut self, other: &NamedBase) {
        self.source.clone_from(&other.source);
        self.label.clone_from(&other.label);
    }
}

/// A base, and the resolver of references against it.
#[derive(Debug)]
pub(super) struct ScopeBase {
    pub(super) named: NamedBase,
    pub(super) resolver: Resolver,
}

impl ScopeBase {
    fn new(rules: Rules) -> Self {
        let (named, resolver) = (NamedBase::default(), Resolver::without_base(rules));
        ScopeBase { named, resolver }
    }

    /// Returns the base and the name of its source.
    pub(super) fn base(&self) -> Option<(&[u8], &str)> {
        Some((self.resolver.base()?, &self.named.label))
    }

    /// Prepares the resolver.
    fn rebase(&mut self, encoding: &'static Encoding) {
        static REVISIONS: AtomicU64 = AtomicU64::new(1);
        let ScopeBase { named, resolver } = self;
        named.revision = REVISIONS.fetch_add(1, Ordering::Relaxed);
        if !named.is_set() || named.is_template {
            *resolver = Resolver::without_base(resolver.rules());
        } else if resolver.base() != Some(&named.uri) {
            // Messages of an archive often share a base. One that these rules reject leaves the resolver without.
            let _ = resolver.rebase(&named.uri);
        }
        resolver.set_encoding(encoding);
    }
}

/// The fields of a message, decoded for the first link that shows them.
pub(super) type LazyEnvelope = LazyLock<Envelope, Box<dyn FnOnce() -> Envelope + Send>>;

#[derive(Debug, Default)]
pub(super) struct ScopeHeading {
    /// Whether the document is a message or a record.
    pub(super) message: bool,
    pub(super) message_id: Option<Arc<str>>,
    pub(super) message_offset: Option<u64>,
    pub(super) message_end: Option<u64>,
    /// Shared with the documents that the message encloses.
    pub(super) envelope: Option<Arc<LazyEnvelope>>,
    pub(super) media_type: String,
    pub(super) charset: String,
    /// The file name and the disposition of the part, if either is known.
    pub(super) file: Option<Arc<[String; 2]>>,
    /// The offset in the outermost document, if its bytes are stored there.
    pub(super) stored_at: Option<u64>,
    /// Whether labels of enclosed documents apply in it: a `multipart/related`.
    pub(super) related: bool,
    /// Whether `cid:` references in it may name any of its parts: a message.
    pub(super) names_parts: bool,
}

impl ScopeHeading {
    /// Inherits the message of the enclosing document, and the part if `same_member`.
    fn inherit(&mut self, parent: &ScopeHeading, same_member: bool) {
        if self.message_offset.is_none() {
            self.message_id.clone_from(&parent.message_id);
            self.message_offset = parent.message_offset;
            self.envelope.clone_from(&parent.envelope);
        }
        if same_member {
            self.media_type.clone_from(&parent.media_type);
            self.charset.clone_from(&parent.charset);
            self.file.clone_from(&parent.file);
            self.stored_at = parent.stored_at;
        }
    }
}

/// The scope of one document: open, or closed with references pending.
#[derive(Debug, SmartDefault)]
pub(super) struct BaseScope {
    ruling: Ruling,
    #[default(Rules::CITATION)]
    pub(super) rules: Rules,
    /// Unique among the documents of the linker.
    pub(super) id: u64,
    pub(super) parent: Option<usize>,
    /// The number of pending and waiting references at its start.
    pub(super) mark: usize,
    pub(super) settled: bool,
    /// Whether a `cid:` reference in it names a part that may follow: it is settled when it ends.
    pub(super) awaits_parts: bool,
    /// The index of the first scope that is not dropped, if the last readable of its documents is kept.
    pub(super) kept_from: Option<usize>,
    pub(super) is_dropped: bool,
    /// Whether its resolvers are prepared.
    pub(super) ready: bool,
    #[default(UTF_8)]
    encoding: &'static Encoding,
    pub(super) diagnostics: Vec<(&'static Code, u64, u64)>,
    pub(super) member: String,
    /// Whether its member is not the one of the document around it.
    pub(super) has_member: bool,
    pub(super) heading: ScopeHeading,
    /// The base that its heading names, unresolved.
    pub(super) entity: NamedBase,
    /// The reference of the document's BASE element.
    pub(super) own: Vec<u8>,
    /// The offset of the document's BASE element.
    pub(super) own_offset: Option<u64>,
    /// The base without that element.
    #[default(ScopeBase::new(Rules::CITATION))]
    pub(super) fallback: ScopeBase,
    /// The base of that element, if it is not refused.
    #[default(ScopeBase::new(Rules::CITATION))]
    declared: ScopeBase,
    /// The resolvers for documents of the other family, whose bases are often the same.
    #[default([(); 2].map(|()| Resolver::without_base(Rules::Whatwg)))]
    by_other_rules: [Resolver; 2],
    longest_base: usize,
    scratch: Vec<u8>,
}

impl BaseScope {
    pub(super) fn new(ruling: Ruling, longest_base: usize) -> Self {
        BaseScope {
            ruling,
            rules: ruling.plain,
            fallback: ScopeBase::new(ruling.plain),
            declared: ScopeBase::new(ruling.plain),
            by_other_rules: [(); 2].map(|()| Resolver::without_base(ruling.markup)),
            longest_base,
            ..BaseScope::default()
        }
    }

    /// Starts another document in the same memory.
    pub(super) fn begin(
        &mut self,
        id: u64,
        family: RuleFamily,
        parent: Option<usize>,
        mark: usize,
    ) {
        self.id = id;
        let rules = self.ruling.of(family);
        if rules != self.rules {
            self.rules = rules;
            let [declared, fallback] = &mut self.by_other_rules;
            std::mem::swap(&mut self.declared.resolver, declared);
            std::mem::swap(&mut self.fallback.resolver, fallback);
        }
        self.parent = parent;
        self.mark = mark;
        self.awaits_parts = false;
        (self.kept_from, self.is_dropped) = (None, false);
        self.member.clear();
        self.has_member = false;
        let mut known = std::mem::take(&mut self.heading);
        known.media_type.clear();
        known.charset.clear();
        (self.heading.media_type, self.heading.charset) = (known.media_type, known.charset);
        self.entity.clear();
        self.fallback.named.clear();
        self.restart();
    }

    /// Starts the same document again: drops state from its contents, keeps the heading's.
    pub(super) fn restart(&mut self) {
        self.settled = false;
        self.ready = false;
        self.encoding = UTF_8;
        self.diagnostics.clear();
        self.own.clear();
        self.own_offset = None;
    }

    /// Strips the padding of a reference (WHATWG HTML, "valid URL potentially surrounded by spaces"), which
    /// the rules of RFCs would take as a part of it.
    pub(super) fn strip<'r>(&self, reference: &'r [u8]) -> Cow<'r, [u8]> {
        if self.rules == Rules::Whatwg {
            return Cow::Borrowed(reference);
        }
        uri::strip(reference)
    }

    /// Encodes the queries of later references in another encoding.
    pub(super) fn set_encoding(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        self.declared.resolver.set_encoding(encoding);
        self.fallback.resolver.set_encoding(encoding);
    }

    /// The chosen base, once it is prepared.
    pub(super) fn chosen(&self) -> &ScopeBase {
        if self.declared.named.is_set() {
            return &self.declared;
        }
        &self.fallback
    }

    pub(super) fn member(&self) -> Option<&str> {
        (!self.member.is_empty()).then_some(self.member.as_str())
    }

    pub(super) fn resolver(&self, base: &[u8]) -> Option<Resolver> {
        let mut resolver = Resolver::new(base, self.rules).ok()?;
        resolver.set_encoding(self.encoding);
        Some(resolver)
    }

    pub(super) fn diagnose(&mut self, code: &'static Code, offset: u64) {
        let mut diagnostics = self.diagnostics.iter_mut();
        match diagnostics.find(|(known, ..)| std::ptr::eq(*known, code)) {
            Some((_, count, first)) => {
                *count += 1;
                *first = offset.min(*first);
            }
            None => self.diagnostics.push((code, 1, offset)),
        }
    }

    /// Returns whether the base is missing or a default.
    pub(super) fn is_default(&self) -> bool {
        let source = self.chosen().named.source.as_ref();
        source.is_none_or(BaseSource::is_default)
    }

    pub(super) fn has_content_base(&self) -> bool {
        let source = &self.entity.source;
        matches!(source, Some(BaseSource::EntityContentBase { .. }))
    }

    /// The directory of the base, and the source of the base.
    pub(super) fn directory(&self) -> Option<Base> {
        let (mut uri, chosen) = (Vec::new(), self.chosen());
        chosen.resolver.resolve_into(b".", &mut uri).ok()?;
        Some(Base::new(uri, chosen.named.source.clone()?))
    }

    pub(super) fn is_in_message(&self) -> bool {
        let heading = &self.heading;
        let has_part = !heading.media_type.is_empty() || !heading.charset.is_empty();
        let has_message = heading.message_id.is_some() || heading.message_offset.is_some();
        has_part || has_message || heading.envelope.is_some()
    }

    pub(super) fn message(&self) -> LinkMember<'_> {
        let file = |index: usize| {
            let file = self.heading.file.as_ref()?;
            Some(file[index].as_str()).filter(|text| !text.is_empty())
        };
        LinkMember {
            filename: file(0),
            disposition: file(1),
            message_id: self.heading.message_id.as_deref(),
            message_offset: self.heading.message_offset,
            envelope: self.heading.envelope.as_deref().map(|fields| &**fields),
            ..LinkMember::default()
        }
    }

    /// Chooses the base (RFC 2396 section 5.1): the content's, else the heading's, else the enclosing document's.
    pub(super) fn prepare(&mut self, parent: Option<&BaseScope>) {
        if let Some(parent) = parent {
            if !self.has_member {
                self.member.clone_from(&parent.member);
            }
            self.heading.inherit(&parent.heading, !self.has_member);
            let fallback = &mut self.fallback.named;
            fallback.clear();
            let base = parent.chosen();
            fallback.is_template = base.named.is_template;
            if let Some(uri) = base.resolver.base() {
                fallback.uri.extend_from_slice(uri);
                fallback.copy_source(&base.named);
                fallback.chained = base.named.chained;
            }
            if self.entity.is_set() {
                self.apply_entity();
            }
        }
        self.fallback.rebase(self.encoding);
        self.declared.named.clear();
        if self.own_offset.is_some() {
            self.apply_own();
        }
        self.ready = true;
    }

    /// Makes the base of the heading, resolved against the enclosing base, the fallback.
    fn apply_entity(&mut self) {
        self.fallback.rebase(self.encoding);
        self.scratch.clear();
        let resolver = &self.fallback.resolver;
        let resolved = resolver.resolve_into(&self.entity.uri, &mut self.scratch);
        let is_base = || Resolver::new(&self.scratch, self.ruling.markup).is_ok();
        if resolved.is_ok() && is_base() && self.admits_base(0) {
            let fallback = &mut self.fallback.named;
            fallback.uri.clone_from(&self.scratch);
            fallback.copy_source(&self.entity);
            fallback.chained = Reference::split(&self.entity.uri).scheme.is_none();
        }
    }

    /// Makes the reference of the BASE element the base: HTML, "set the frozen base URL".
    /// Refused if it does not parse against the fallback base, and for `data:` and `javascript:`.
    fn apply_own(&mut self) {
        self.scratch.clear();
        let resolver = &self.fallback.resolver;
        let resolved = resolver.resolve_into(&self.own, &mut self.scratch);
        let refused = |scheme: &[u8]| {
            let start = self.scratch.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        let is_template =
            holds_placeholder(&self.own) || resolved.is_err() && self.fallback.named.is_template;
        if resolved.is_err() && !is_template || refused(b"data:") || refused(b"javascript:") {
            let offset = self.own_offset.unwrap_or(0);
            self.diagnose(&diagnostic::HTML_BASE_REFUSED, offset);
        } else if self.admits_base(self.own_offset.unwrap_or(0)) {
            let declared = &mut self.declared;
            declared.named.set(&self.scratch, BaseSource::ContentBase);
            declared.named.is_template = is_template;
            declared.rebase(self.encoding);
        }
    }

    /// Returns whether the resolved base is short enough; reports one that is not.
    fn admits_base(&mut self, offset: u64) -> bool {
        let admits = self.scratch.len() <= self.longest_base;
        if !admits {
            self.diagnose(&diagnostic::BASE_TOO_LONG, offset);
        }
        admits
    }
}
