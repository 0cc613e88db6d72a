//! References to files, written as other references were: relative ones stay relative to the effective
//! base, paths stay paths, and absolute references stay absolute (A28).

use percent_encoding::{percent_decode, percent_encode_byte};
use regex::bytes::Captures;

use super::names::common_prefix;
use super::target::{TargetChecker, TargetLocation, split_name, split_path};
use crate::bytes::pattern::Pattern;
use crate::linker::Link;
use crate::uri::base::push_path;
use crate::uri::{Reference, Resolver, Rules};

/// The leading parts of a reference, and the `../` before a file, that are tried.
const MOST_STEPS: usize = 64;
/// Maximum length of a path in bytes.
const LONGEST: usize = 8 << 10;
/// Bytes of paths that end a reference in quotes, in CSS, in a list or in Markdown, or begin a
/// character reference.
const DELIMITERS: &[u8] = b"&'()*,;";

pub(super) struct ReferenceForm<'a> {
    checker: &'a TargetChecker,
    path: Vec<u8>,
    pub(super) suffix: Vec<u8>,
    /// After the scheme and the authority in `path`.
    start: usize,
    /// Resolves as browsers do.
    browser: Resolver,
    /// Resolves by RFC 3986.
    strict: Resolver,
    /// The directories between the root and the base.
    depth: usize,
    /// The reference has characters beyond ASCII without percent-encoding.
    is_unicode: bool,
}

/// Returns the path of a reference, and its query and fragment; `None` if it is empty or too long.
pub(super) fn split_written(reference: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if reference.len() > LONGEST {
        return None;
    }
    // A browser drops white space around a reference, and line breaks in it.
    let is_edge = |byte: &u8| *byte <= b' ';
    let start = reference.iter().position(|byte| !is_edge(byte))?;
    let end = reference.iter().rposition(|byte| !is_edge(byte))? + 1;
    let mut path = reference[start..end].to_vec();
    path.retain(|byte| !matches!(byte, b'\t' | b'\r' | b'\n'));
    let suffix = path.split_off(split_path(&path).0.len());
    Some((path, suffix))
}

impl<'a> ReferenceForm<'a> {
    pub(super) fn of(checker: &'a TargetChecker, link: &Link<'_>) -> Option<Self> {
        let (path, suffix) = split_written(link.reference)?;
        let parts = Reference::split(&path);
        let scheme = parts.scheme.map_or(0, |scheme| scheme.len() + 1);
        let authority = parts.authority.map_or(0, |authority| authority.len() + 2);
        let resolver = |rules| match link.base {
            Some(base) => Resolver::new(base.uri, rules).ok(),
            None => Some(Resolver::without_base(rules)),
        };
        Some(ReferenceForm {
            checker,
            depth: checker.depth(link.base.unwrap_or_default().uri),
            is_unicode: !link.reference.is_ascii() && str::from_utf8(link.reference).is_ok(),
            start: scheme + authority,
            path,
            suffix,
            browser: resolver(Rules::Whatwg)?,
            strict: resolver(Rules::RFC3986)?,
        })
    }

    /// Returns a reference to a file, if this form has one.
    pub(super) fn to_file(&self, file: &[u8], suffix: &[u8]) -> Option<Vec<u8>> {
        let base = self.browser.base().unwrap_or_default();
        let uri = self.checker.uri_beside(base, file)?;
        let slash = memchr::memrchr(b'/', &uri)?;
        let name: Vec<u8> = percent_decode(&uri[slash + 1..]).collect();
        // An index file is named by its directory unless a name of its kind was written.
        let extension = memchr::memrchr(b'.', &name).map_or(&b""[..], |at| &name[at..]);
        let end = self.path.iter().rposition(|&byte| byte != b'/');
        let written = end.map_or(&b""[..], |end| &self.path[..=end]);
        let by_directory = self.checker.is_index(&uri, &name) && !written.ends_with(extension);
        let directory = by_directory.then_some(&uri[..=slash]);
        let mut uris = directory.into_iter().chain([&*uri]);
        uris.find_map(|uri| self.to_file_at(uri, file, suffix))
    }

    pub(super) fn to_file_at(&self, uri: &[u8], file: &[u8], suffix: &[u8]) -> Option<Vec<u8>> {
        let mut reference = self.to_uri(uri)?;
        push_suffix(suffix, &mut reference);
        let leads = self.leads_to(&reference, file);
        leads.then(|| self.in_its_characters(reference))
    }

    /// Returns the reference without slashes at the end, if it still reaches a file.
    pub(super) fn without_slash(&self, file: &[u8]) -> Option<Vec<u8>> {
        let end = self.path.iter().rposition(|&byte| byte != b'/')?;
        let mut reference = self.path[..=end].to_vec();
        push_suffix(&self.suffix, &mut reference);
        self.leads_to(&reference, file).then_some(reference)
    }

    /// `None` if the reference has no fragment.
    pub(super) fn with_fragment(&self, name: &[u8]) -> Option<Vec<u8>> {
        let at = memchr::memchr(b'#', &self.suffix)? + 1;
        let (before, fragment) = self.suffix.split_at(at);
        let directive = memchr::memmem::find(fragment, b":~:").unwrap_or(fragment.len());
        if steps_above(self.depth, &self.path).is_some() {
            return None;
        }
        let mut reference = self.path.clone();
        push_suffix(before, &mut reference);
        push_name(name, &mut reference);
        push_suffix(&fragment[directive..], &mut reference);
        Some(self.in_its_characters(reference))
    }

    /// Decodes the characters beyond ASCII of the new part, if the old one had any.
    fn in_its_characters(&self, reference: Vec<u8>) -> Vec<u8> {
        if !self.is_unicode {
            return reference;
        }
        let (kept, new) = reference.split_at(common_prefix(&reference, &self.path));
        [kept, &decode_unicode(new)].concat()
    }

    /// Keeps as much of the reference as possible.
    fn to_uri(&self, uri: &[u8]) -> Option<Vec<u8>> {
        let slashes = memchr::memrchr_iter(b'/', &self.path).take_while(|&at| at >= self.start);
        let written = slashes.map(|at| self.path[..=at].to_vec());
        let is_relative = self.start == 0 && !self.path.starts_with(b"/");
        let above = (0..MOST_STEPS).map(|steps| b"../".repeat(steps));
        let above = above.take_while(|_| is_relative);
        let fronts = written.take(MOST_STEPS).chain(above);
        let mut inside = fronts.filter(|front| steps_above(self.depth, front).is_none());
        inside.find_map(|front| self.below(front, uri))
    }

    /// Returns the reference that begins with `front`, the reference of a directory, if the URI is
    /// below it.
    fn below(&self, front: Vec<u8>, uri: &[u8]) -> Option<Vec<u8>> {
        let here: &[u8] = b"./";
        let mut directory = Vec::new();
        let asked = if front.is_empty() { here } else { &front };
        self.browser.resolve_into(asked, &mut directory).ok()?;
        let rest = self.checker.below(uri, &directory)?;
        let is_here = front.is_empty() && is_unclear(rest);
        let mut reference = if is_here { here.to_vec() } else { front };
        push_safe(rest, &mut reference);
        Some(reference)
    }

    /// Returns whether the reference resolves to the file by the rules of browsers and of RFC 3986.
    fn leads_to(&self, reference: &[u8], file: &[u8]) -> bool {
        if steps_above(self.depth, reference).is_some() {
            return false;
        }
        let resolve = |resolver: &Resolver| {
            let mut target = Vec::new();
            resolver.resolve_into(reference, &mut target).ok()?;
            target.truncate(split_path(&target).0.len());
            Some(target)
        };
        let (Some(browser), Some(strict)) = (resolve(&self.browser), resolve(&self.strict)) else {
            return false;
        };
        let is_file = |target: &[u8]| match self.checker.locate(target) {
            TargetLocation::File(found, how) if how.is_final() => {
                *self.checker.paths.path(found) == *file
            }
            _ => false,
        };
        // Both are the same in most cases.
        is_file(&browser) && (browser == strict || is_file(&strict))
    }
}

/// Decodes the characters beyond ASCII that people can see.
pub(super) fn decode_unicode(reference: &[u8]) -> Vec<u8> {
    static ESCAPES: Pattern = Pattern::new(r"(?:%[\x38-\xFF].)+");
    let decode = |escapes: &Captures<'_>| {
        let bytes: Vec<u8> = percent_decode(&escapes[0]).collect();
        let is_text = |text: &str| !text.chars().any(is_invisible);
        let is_decoded = str::from_utf8(&bytes).is_ok_and(is_text);
        if is_decoded {
            bytes
        } else {
            escapes[0].to_vec()
        }
    };
    ESCAPES.replace_all(reference, decode).into_owned()
}

/// Returns how many directories above the root, which is `depth` directories above the base, a
/// relative reference goes, and the rest of its path.
pub(super) fn steps_above(mut depth: usize, reference: &[u8]) -> Option<(usize, &[u8])> {
    let mut above = None;
    let (mut rest, _) = split_path(reference.trim_ascii());
    // A reference with a scheme, an authority or an absolute path leaves no directory.
    let first = rest.iter().position(|byte| b":/".contains(byte));
    let is_relative = first.is_none_or(|at| at > 0 && rest[at] == b'/' || rest.starts_with(b":"));
    while is_relative && !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'/');
        let (segment, next) = rest.split_at(end.unwrap_or(rest.len()));
        let next = next.get(1..).unwrap_or_default();
        match segment {
            b"." => {}
            b".." if depth == 0 => above = Some((above.map_or(1, |(steps, _)| steps + 1), next)),
            b".." => depth -= 1,
            _ => depth += 1,
        }
        rest = next;
    }
    above
}

/// Includes characters that change how others are shown.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn push_name(name: &[u8], out: &mut Vec<u8>) {
    let mut encoded = Vec::new();
    push_path(name, &mut encoded);
    push_safe(&encoded, out);
}

/// Encodes delimiters of references.
fn push_safe(part: &[u8], out: &mut Vec<u8>) {
    push_encoded(part, |byte| DELIMITERS.contains(&byte), out);
}

/// Encodes bytes that no URI holds, and quotes, as the document may be of another format.
fn push_suffix(suffix: &[u8], out: &mut Vec<u8>) {
    let is_odd = |byte: u8| byte <= b' ' || b"\"'<>\\`\x7F".contains(&byte);
    push_encoded(suffix, is_odd, out);
}

pub(super) fn push_encoded(part: &[u8], is_encoded: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    for &byte in part {
        if is_encoded(byte) {
            out.extend_from_slice(percent_encode_byte(byte).as_bytes());
        } else {
            out.push(byte);
        }
    }
}

/// Returns the relative reference from one path to another, with more `../` than necessary where there are
/// directories for them.
pub(super) fn relative(from: &[u8], to: &[u8], extra_steps: usize) -> Vec<u8> {
    let from = split_name(from).0;
    let common = memchr::memrchr_iter(b'/', &from[..common_prefix(from, to)]);
    let common = common.take(extra_steps + 1).last().map_or(0, |at| at + 1);
    let steps = memchr::memchr_iter(b'/', &from[common..]).count();
    let rest = &to[common..];
    let start = [&b""[..], b"./"][usize::from(steps == 0 && is_unclear(rest))];
    [start, &b"../".repeat(steps), rest].concat()
}

/// Returns whether a path needs `./` before it as a relative reference (RFC 3986 section 4.2).
pub(super) fn is_unclear(path: &[u8]) -> bool {
    let name = path.split(|&byte| byte == b'/').next().unwrap_or_default();
    name.is_empty() || name.contains(&b':')
}

#[cfg(test)]
#[path = "../../tests/unit/audit/rewrite.rs"]
mod tests;
