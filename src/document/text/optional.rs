//! Abbreviated references, on request: `www.` and mail addresses (T40, T41).

use super::bare::Bare;
use super::candidate::{Candidate, Workspace};
use super::conformance::{self, LONGEST_LABEL};
use super::delimited::UriPrefix;
use super::schemes::SchemeForm;
use super::view::TextView;
use crate::bytes::class::{ByteSet, run_end};
use crate::document::events::Context;
use crate::document::flags::Flags;
use crate::uri::percent;

/// T41: the longest local part, in bytes.
const LONGEST_LOCAL: usize = 64;

/// The longest domain name, in bytes (RFC 1035, section 2.3.4).
const LONGEST_DOMAIN: usize = 255;

/// Bytes of an address that a `mailto` URI has percent-encoded (RFC 6068, section 2).
const ENCODED: ByteSet = ByteSet::EMPTY.with(b"%/?#&=^`{|}");

/// T40: reads the reference that starts with `www.` at an index.
#[inline(never)]
pub(super) fn www(view: &TextView, at: usize, workspace: &mut Workspace) -> Option<Candidate> {
    if !view.spells(at, b"www.") {
        return None;
    }
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b".-_@/:=".contains(&byte);
    if view.before(at).is_some_and(inside) {
        return None;
    }
    let bare = Bare::new(view, at);
    let authority = bare.authority_without_userinfo(at)?;
    let mut candidate = bare.read_tail(at, authority.end, Some(authority));
    bare.flag_wrap(&mut candidate);
    if !is_www_host(&view.bytes[at..authority.host_end.min(candidate.raw.end)]) {
        return None;
    }
    if UriPrefix::of(view, at).has_prefix {
        candidate.flags |= Flags::URL_PREFIX;
    }
    candidate.context = Context::Www;
    workspace.clear();
    workspace.text.extend_from_slice(b"http://");
    (workspace.text).extend_from_slice(&view.bytes[candidate.raw.clone()]);
    Some(guessed(candidate, b"http", &workspace.text))
}

/// Completes a candidate whose reference got a scheme.
fn guessed(mut candidate: Candidate, scheme: &[u8], reference: &[u8]) -> Candidate {
    let form = SchemeForm::named(scheme);
    candidate.flags |= Flags::SCHEME_GUESSED;
    candidate.cleaned = true;
    conformance::check(&mut candidate, reference, scheme.len() + 1, form);
    candidate
}

/// Returns whether two labels or more follow `www`, the last one like a top-level domain.
fn is_www_host(host: &[u8]) -> bool {
    let labels = host.split(|&byte| byte == b'.').skip(1);
    let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
    matches!(labels[..], [_, .., last] if is_top_level(last) || !last.is_ascii())
}

fn is_top_level(label: &[u8]) -> bool {
    let encoded = label.len() > 4 && label[..4].eq_ignore_ascii_case(b"xn--");
    let letters = label.len() >= 2 && label.iter().all(u8::is_ascii_alphabetic);
    encoded || letters
}

fn is_local_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// T41: reads the mail address around the `@` at an index.
#[inline(never)]
pub(super) fn email(view: &TextView, at: usize, workspace: &mut Workspace) -> Option<Candidate> {
    let run = local_start(view, at);
    let is_inside = |byte| matches!(byte, b'@' | b':') || is_local_byte(byte);
    if view.before(run).is_some_and(is_inside) {
        return None;
    }
    // T41: an opening apostrophe quotes the address.
    let start = run_end(&view.bytes[..at], run, |byte| byte == b'\'');
    let local = &view.bytes[start..at];
    let dots = local.windows(2).any(|pair| pair == b"..");
    if local.is_empty() || dots || local[0] == b'.' || local.ends_with(b".") {
        return None;
    }
    let end = domain_end(view, at + 1)?;
    let candidate = Candidate::new(start..end, end, Context::Email, Flags::NONE);
    workspace.clear();
    workspace.text.extend_from_slice(b"mailto:");
    percent::encode(&view.bytes[start..end], &ENCODED, &mut workspace.text);
    Some(guessed(candidate, b"mailto", &workspace.text))
}

/// Returns the start of the local part that ends at `end`.
pub(super) fn local_start(view: &TextView, end: usize) -> usize {
    let least = view.floor.max(end.saturating_sub(LONGEST_LOCAL));
    let run = view.bytes[least..end].iter().rev();
    end - run.take_while(|&&byte| is_local_byte(byte)).count()
}

/// Returns the end of the domain at an index: two LDH labels or more, up to an empty one.
fn domain_end(view: &TextView, from: usize) -> Option<usize> {
    let is_ldh = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let mut label = from;
    let mut labels = 0;
    let mut end = from;
    while end - from <= LONGEST_DOMAIN {
        while end - label <= LONGEST_LABEL && view.at(end).is_some_and(is_ldh) {
            end += 1;
        }
        let text = &view.bytes[label..end];
        if text.is_empty() {
            // A dot that ends the sentence.
            end = label.saturating_sub(1).max(from);
            break;
        }
        if text.len() > LONGEST_LABEL || text[0] == b'-' || text.ends_with(b"-") {
            return None;
        }
        labels += 1;
        if view.at(end) != Some(b'.') {
            break;
        }
        label = end + 1;
        end = label;
    }
    let last = view.bytes[from..end].rsplit(|&byte| byte == b'.').next()?;
    let accepted = labels >= 2
        && end - from <= LONGEST_DOMAIN
        && is_top_level(last)
        && !matches!(view.at(end), Some(b'@' | b'_'));
    accepted.then_some(end)
}
