//! A compact binary form of links, diagnostics and findings.
//!
//! The first pass keeps what the second pass needs in this form, and the workers of the second pass
//! hand it to the reports, which take it in the order of the walk.

use std::borrow::Cow;

use super::disk::LookupMatch;
use super::names::FileId;
use super::rules::{Level, LinkState, RULES, RuleId};
use super::target::TargetLocation;
use crate::bytes::lines::Position;
use crate::document::diagnostic::{self, CODES, Code};
use crate::document::events::{Context, RemarkKind, Span};
use crate::document::flags::Flags;
use crate::linker::{Diagnostic, Envelope, Link, LinkBase, LinkDescription, LinkMember, Remark};
use crate::pipeline::reorder::OutputBlock;
use crate::uri::ResolveErrorKind;

pub(super) trait Packed<'a>: Sized {
    fn pack(&self, out: &mut Vec<u8>);

    fn unpack(packed: &mut WireReader<'a>) -> Self;
}

/// Past the end it reads zeros.
pub(super) struct WireReader<'a>(pub(super) &'a [u8]);

impl<'a> WireReader<'a> {
    #[inline]
    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    #[inline]
    fn take(&mut self, length: u64) -> &'a [u8] {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A closure takes the link, as its parts live no longer.
    pub(super) fn link<T>(&mut self, then: impl FnOnce(&Link<'_>) -> T) -> T {
        let context = LinkContext::unpack(self);
        self.reference(&context, then)
    }

    pub(super) fn reference<T>(
        &mut self,
        context: &LinkContext<'a>,
        then: impl FnOnce(&Link<'_>) -> T,
    ) -> T {
        let reference = <&[u8]>::unpack(self);
        let joined;
        let target = match PackedTarget::unpack(self) {
            PackedTarget::None(kind) => Err(kind),
            PackedTarget::Whole(target) => Ok(target),
            PackedTarget::Joined(length) => {
                let base = context.base.unwrap_or_default().uri;
                joined = [&base[..length as usize], reference].concat();
                Ok(joined.as_slice())
            }
        };
        let part = LinkMember {
            envelope: context.envelope.as_deref(),
            ..context.part.unwrap_or_default()
        };
        let alternatives = 0..u64::unpack(self);
        let alternatives: Vec<_> = alternatives.map(|_| Packed::unpack(self)).collect();
        then(&Link {
            member: context.member,
            position: Packed::unpack(self),
            span: Packed::unpack(self),
            target,
            base: context.base,
            context: Packed::unpack(self),
            element: Packed::unpack(self),
            attribute: Packed::unpack(self),
            flags: Packed::unpack(self),
            alternatives: &alternatives,
            unwrapped_from: Packed::unpack(self),
            description: Packed::unpack(self),
            ..Link::unresolved(reference, &part)
        })
    }
}

/// The context comes first.
pub(super) fn push_link(link: &Link<'_>, out: &mut Vec<u8>) {
    LinkContext::of(link).pack(out);
    push_reference(link, out);
}

/// Appends a link without its context.
pub(super) fn push_reference(link: &Link<'_>, out: &mut Vec<u8>) {
    link.reference.pack(out);
    let base = link.base.unwrap_or_default().uri;
    let target = match link.target {
        Ok(target) => match target.strip_suffix(link.reference) {
            Some(start) if base.starts_with(start) => PackedTarget::Joined(start.len() as u64),
            _ => PackedTarget::Whole(target),
        },
        Err(kind) => PackedTarget::None(kind),
    };
    target.pack(out);
    (link.alternatives.len() as u64).pack(out);
    link.alternatives.iter().for_each(|other| other.pack(out));
    (link.position, link.span).pack(out);
    (link.context, (link.element, link.attribute)).pack(out);
    (link.flags, link.unwrapped_from).pack(out);
    link.description.pack(out);
}

/// The parts of a link that the links after it often share.
#[derive(Default)]
pub(super) struct LinkContext<'a> {
    base: Option<LinkBase<'a>>,
    member: Option<&'a str>,
    /// The part without its envelope; `None` without a member.
    part: Option<LinkMember<'a>>,
    envelope: Option<Cow<'a, Envelope>>,
}

impl<'a> LinkContext<'a> {
    pub(super) fn of(link: &Link<'a>) -> Self {
        LinkContext {
            base: link.base,
            member: link.member,
            part: link.member.map(|_| *link.part),
            envelope: link.member.and(link.part.envelope).map(Cow::Borrowed),
        }
    }
}

enum PackedTarget<'a> {
    None(ResolveErrorKind),
    Whole(&'a [u8]),
    /// The start of the base of this length, and then the reference.
    Joined(u64),
}

#[derive(Debug, Default)]
pub(super) struct WireRecords(pub(super) Vec<u8>);

pub(super) enum WireRecord<'a> {
    /// The document of the next records.
    Document(&'a [u8]),
    /// The archive of the next records, and maybe of those before.
    Continued(&'a [u8]),
    /// A finding follows.
    Finding,
    /// A link follows.
    Link(LinkState),
    /// A target elsewhere on the network, and the member and the position of the link.
    External(&'a [u8], Option<&'a str>, Option<Position>),
    Diagnostic(Diagnostic<'a>),
    /// The reason for an unreadable document.
    Failure(&'a str),
    /// The key of a finding that the baseline accepts.
    Forgiven(u64),
}

impl OutputBlock for WireRecords {
    fn weight(&self) -> usize {
        self.0.len() + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    fn take(&mut self, _spare: &mut Vec<Vec<u8>>) -> Self {
        let taken = WireRecords(self.0.as_slice().to_vec());
        self.clear();
        taken
    }
}

/// Packs the fields of a struct in their order.
macro_rules! packed_fields {
    ($($type:ty { $($field:ident),* $(; ..$others:expr)? })*) => {$(
        impl<'a> $crate::audit::wire::Packed<'a> for $type {
            #[inline]
            fn pack(&self, out: &mut Vec<u8>) {
                $($crate::audit::wire::Packed::pack(&self.$field, out);)*
            }

            #[inline]
            fn unpack(packed: &mut $crate::audit::wire::WireReader<'a>) -> Self {
                Self {
                    $($field: $crate::audit::wire::Packed::unpack(packed),)*
                    $(..$others)?
                }
            }
        }
    )*};
}

/// The number of the variant, in this order, and its fields.
macro_rules! packed_variants {
    ($($type:ty { $($variant:ident $(($($field:ident),*))?),* })*) => {$(
        impl<'a> $crate::audit::wire::Packed<'a> for $type {
            #[inline]
            fn pack(&self, out: &mut Vec<u8>) {
                enum Number {
                    $($variant),*
                }
                match self {
                    $(Self::$variant $(($($field),*))? => {
                        out.push(Number::$variant as u8);
                        $($($crate::audit::wire::Packed::pack($field, out);)*)?
                    })*
                }
            }

            #[inline]
            fn unpack(packed: &mut $crate::audit::wire::WireReader<'a>) -> Self {
                let number = packed.byte();
                let mut variants = 0..;
                $(if variants.next() == Some(number) {
                    $($(let $field = $crate::audit::wire::Packed::unpack(packed);)*)?
                    return Self::$variant $(($($field),*))?;
                })*
                unreachable!("INVARIANT: `pack` writes the numbers of variants alone")
            }
        }
    )*};
}
pub(super) use {packed_fields, packed_variants};

packed_fields! {
    Diagnostic<'a> { member, code, count, offset }
    Envelope { date, from, subject; ..Envelope::default() }
    LinkBase<'a> { uri, label }
    LinkDescription<&'a str> { rel, hreflang; ..LinkDescription::default() }
    LinkContext<'a> { base, member, part, envelope }
    LinkMember<'a> {
        message_offset, member_offset, message_id, media_type, charset, target_part;
        ..LinkMember::default()
    }
    Position { line, column }
    Remark<'a> { kind, text, span, position }
}

packed_variants! {
    PackedTarget<'a> { None(kind), Whole(target), Joined(length) }
    LookupMatch { Exact, Extension, Index, WithoutSlash, SlashAfterFile, OtherCase, Redirect }
    RemarkKind { Ignore, UndefinedLabel, Label, LabelReference, NameReference, Title }
    TargetLocation {
        File(file, how), NoIndex(directory), Nothing, Misled, Served, RedirectOut, OutsideRoot, SymlinkOut,
        External, Skipped, LeftOut, Unresolved(kind)
    }
    WireRecord<'a> {
        Document(path), Continued(path), Finding, Link(state), External(target, member, position),
        Diagnostic(diagnostic), Failure(message), Forgiven(key)
    }
}

/// Packs numbers as LEB128: seven bits a byte, the lowest first.
impl Packed<'_> for u64 {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        let mut number = *self;
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    #[inline]
    fn unpack(packed: &mut WireReader<'_>) -> Self {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = packed.byte();
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
}

/// A hash in eight bytes: as a number it would take ten.
impl Packed<'_> for [u8; 8] {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    #[inline]
    fn unpack(packed: &mut WireReader<'_>) -> Self {
        packed.take(8).try_into().unwrap_or_default()
    }
}

/// The length, then the bytes.
impl<'a> Packed<'a> for &'a [u8] {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        (self.len() as u64).pack(out);
        out.extend_from_slice(self);
    }

    #[inline]
    fn unpack(packed: &mut WireReader<'a>) -> Self {
        let length = u64::unpack(packed);
        packed.take(length)
    }
}

impl<'a, T: Packed<'a>> Packed<'a> for Option<T> {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    #[inline]
    fn unpack(packed: &mut WireReader<'a>) -> Self {
        bool::unpack(packed).then(|| T::unpack(packed))
    }
}

impl<'a, S: Packed<'a>, T: Packed<'a>> Packed<'a> for (S, T) {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    #[inline]
    fn unpack(packed: &mut WireReader<'a>) -> Self {
        (S::unpack(packed), T::unpack(packed))
    }
}

/// Packs types in the form of other types.
macro_rules! packed_as {
    ($($type:ty as $other:ty, |$value:ident| $to:expr, |$read:ident| $from:expr;)*) => {$(
        impl<'a> Packed<'a> for $type {
            #[inline]
            fn pack(&self, out: &mut Vec<u8>) {
                let ($value, pack) = (self, <$other>::pack);
                pack(&$to, out);
            }

            #[inline]
            fn unpack(packed: &mut WireReader<'a>) -> Self {
                let $read = <$other>::unpack(packed);
                $from
            }
        }
    )*};
}

packed_as! {
    bool as u64, |flag| u64::from(*flag), |number| number == 1;
    Context as u64, |context| *context as u64, |number| *row(Context::ALL, number);
    Level as u64, |level| *level as u64, |number| *row(Level::ALL, number);
    LinkState as u64, |state| *state as u64, |number| *row(LinkState::ALL, number);
    ResolveErrorKind as u64, |kind| *kind as u64, |number| *row(ResolveErrorKind::ALL, number);
    RuleId as u64, |rule| *rule as u64, |number| row(RULES, number).id;
    &'a str as &[u8], |text| text.as_bytes(), |bytes| str::from_utf8(bytes).unwrap_or_default();
    String as &str, |text| text.as_str(), |text| text.to_owned();
    Cow<'a, Envelope> as Envelope, |envelope| **envelope, |envelope| Cow::Owned(envelope);
    Vec<u8> as &[u8], |bytes| bytes.as_slice(), |bytes| bytes.to_vec();
    Cow<'a, [u8]> as &[u8], |bytes| &**bytes, |bytes| Cow::Borrowed(bytes);
    FileId as u64, |file| u64::from(file.0), |number| FileId(number as u32);
    Span as (u64, u64), |span| (span.start, span.end - span.start), |span| Span {
        start: span.0,
        end: span.0 + span.1,
    };
    // The internal flags have the highest bits, and come first: a set without the others takes one byte.
    Flags as u64,
        |flags| flags.bits().rotate_left(FLAG_SHIFT),
        |bits| Flags::from_bits(bits.rotate_right(FLAG_SHIFT));
    &'static Code as u64,
        |known| codes().position(|code| code == *known).unwrap_or(0) as u64,
        |number| codes().nth(number as usize).unwrap_or(CODES[0]);
}

/// Returns the row of a table of variants by its number.
fn row<T>(table: &[T], number: u64) -> &T {
    &table[number as usize % table.len()]
}

/// Puts bits 57 to 63 of flags first.
const FLAG_SHIFT: u32 = 7;

/// Returns the codes in the order of their numbers; names are not unique.
fn codes() -> impl Iterator<Item = &'static Code> {
    let shared = [&diagnostic::ENCRYPTED, &diagnostic::SIGNED];
    CODES.iter().copied().chain(shared)
}
