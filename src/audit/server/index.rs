//! The rules of one file; the first that matches a request answers it.
//!
//! Patterns of segments are in a trie, and regular expressions in sets that are matched at once,
//! so that a lookup does not try all rules.

use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::quality::RandomState;
use regex::bytes::{RegexSet, RegexSetBuilder};

use super::rule::{PathPattern, Request, SegmentPattern, ServerRule, parameters, segments};

/// Servers refuse longer paths.
const LONGEST_PATH: usize = 8 << 10;
/// Maximum size of a compiled set, in bytes.
const SET_SIZE: usize = 1 << 20;
/// Maximum number of expressions in a set.
const SET_LENGTH: usize = 256;
const EXPRESSIONS: usize = 1 << 12;
/// The nodes of the trie that a lookup visits: more than files that people write need.
const VISITED: usize = 1 << 12;
/// The rules with the same pattern that a lookup tries.
const ALIKE: usize = 32;
/// The parameters of a query that are compared.
const PARAMETERS: usize = 6;
/// The node at which patterns begin.
const ROOT: u64 = 0;

pub(in crate::audit) struct MatchedRule<'a> {
    pub(in crate::audit) rule: &'a ServerRule,
    pub(in crate::audit) destination: Vec<u8>,
}

#[derive(Default)]
pub(in crate::audit) struct RuleIndex {
    pub(super) rules: Vec<ServerRule>,
    /// Otherwise paths with and without a slash at the end are the same.
    is_slash_significant: bool,
    /// The nodes of the trie, each the hash of its parent and a segment, and whether rules there depend on
    /// the query.
    nodes: HashMap<u64, bool>,
    /// By the hash of the node where the pattern ends, whether more segments may follow, and the
    /// literal conditions on the query.
    lists: HashMap<u64, Vec<u32>>,
    expressions: Vec<(Vec<u32>, RegexSet)>,
    hasher: RandomState,
    /// Rules past the limits.
    pub(super) unfollowed: u64,
}

impl RuleIndex {
    pub(super) fn new(rules: Vec<ServerRule>, is_slash_significant: bool) -> Self {
        let mut index = RuleIndex {
            rules,
            is_slash_significant,
            ..RuleIndex::default()
        };
        let mut expressions = Vec::new();
        for number in 0..index.rules.len() {
            match index.rules[number].from {
                PathPattern::Segments(_) => index.add(number),
                PathPattern::Expression { .. } => expressions.push(number as u32),
            }
        }
        index.unfollowed += expressions.len().saturating_sub(EXPRESSIONS) as u64;
        expressions.truncate(EXPRESSIONS);
        index.add_expressions(&expressions);
        index
    }

    /// Returns whether a rule answers a request for a path without a file, other than with an error.
    pub(in crate::audit) fn answers(&self, path: &[u8]) -> bool {
        let found = self.find(&Request { path, query: b"" }, false);
        found.is_some_and(|found| found.rule.status < 400)
    }

    fn add(&mut self, number: usize) {
        let rule = &self.rules[number];
        let PathPattern::Segments(patterns) = &rule.from else {
            return;
        };
        let mut node = ROOT;
        for pattern in patterns {
            node = match pattern {
                SegmentPattern::Rest { .. } => break,
                SegmentPattern::Literal(segment) => self.child(node, Some(segment)),
                SegmentPattern::Named(_) => self.child(node, None),
            };
            self.nodes.entry(node).or_default();
        }
        *self.nodes.entry(node).or_default() |= !rule.query.is_empty();
        let literals = rule.query.iter().filter(|condition| !condition.is_named);
        let literals = literals.map(|one| [&one.key, &b"="[..], &one.value].concat());
        let mut literals: Vec<_> = literals.collect();
        literals.sort_unstable();
        let key = (node, rule.from.rest().is_some(), literals);
        let list = self.lists.entry(self.hasher.hash_one(key)).or_default();
        let mut others = list.iter().map(|&other| &self.rules[other as usize]);
        if others.any(|other| hides(other, rule)) {
            return;
        }
        if list.len() == ALIKE {
            self.unfollowed += 1;
        } else {
            list.push(number as u32);
        }
    }

    /// Returns the node after a literal segment, or after any.
    fn child(&self, node: u64, segment: Option<&[u8]>) -> u64 {
        self.hasher.hash_one((node, segment))
    }

    fn add_expressions(&mut self, mut numbers: &[u32]) {
        while !numbers.is_empty() {
            let mut count = SET_LENGTH.min(numbers.len());
            let set = loop {
                let patterns = numbers[..count].iter();
                let patterns = patterns.map(|&number| match &self.rules[number as usize].from {
                    PathPattern::Expression { expression, .. } => &*expression.pattern,
                    PathPattern::Segments(_) => "",
                });
                let mut builder = RegexSetBuilder::new(patterns);
                builder.unicode(false).size_limit(SET_SIZE);
                match builder.dfa_size_limit(SET_SIZE).build() {
                    Err(_) if count > 1 => count /= 2,
                    built => break built,
                }
            };
            match set {
                Ok(set) => self.expressions.push((numbers[..count].to_vec(), set)),
                // An expression that compiles alone is small enough for a set.
                Err(_) => self.unfollowed += 1,
            }
            numbers = &numbers[count..];
        }
    }

    /// `exists`: there is a file at the path. A conditional rule answers if there is neither a file
    /// nor another rule.
    pub(crate) fn find(&self, request: &Request<'_>, exists: bool) -> Option<MatchedRule<'_>> {
        if self.rules.is_empty() || request.path.len() > LONGEST_PATH {
            return None;
        }
        let path = match request.path.strip_suffix(b"/") {
            Some(path) if !self.is_slash_significant && !path.is_empty() => path,
            _ => request.path,
        };
        let request = Request {
            path,
            query: request.query,
        };
        let mut numbers = self.candidates(&request);
        numbers.sort_unstable();
        numbers.dedup();
        let mut fallback = None;
        for number in numbers {
            let rule = &self.rules[number as usize];
            if exists && (!rule.force || rule.conditional) {
                continue;
            }
            let Some(destination) = rule.destination(&request) else {
                continue;
            };
            // Such servers change slashes before they look at rules, which cannot do it.
            if !self.is_slash_significant && rule.redirects() {
                let same = destination.strip_suffix(b"/").unwrap_or(&destination);
                if same == path || same.is_empty() && path == b"/" {
                    continue;
                }
            }
            let matched = MatchedRule { rule, destination };
            if !rule.conditional {
                return Some(matched);
            }
            fallback.get_or_insert(matched);
        }
        fallback
    }

    /// Returns the rules that match a path, and may match its query.
    fn candidates(&self, request: &Request<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        for (numbers, set) in &self.expressions {
            let matches = set.matches(request.path);
            found.extend(matches.iter().map(|index| numbers[index]));
        }
        let pairs = parameters(request.query).take(PARAMETERS);
        let pairs = pairs.map(|(key, value)| [&*key, b"=", &*value].concat());
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        let mut visited = 1;
        let mut nodes = vec![ROOT];
        for segment in segments(request.path) {
            let mut next = Vec::new();
            for &node in &nodes {
                self.push_lists(node, true, &pairs, &mut found);
                let named = (!segment.is_empty()).then(|| self.child(node, None));
                let children = named.into_iter().chain([self.child(node, Some(segment))]);
                next.extend(children.filter(|child| self.nodes.contains_key(child)));
            }
            visited += next.len();
            if visited > VISITED {
                next.clear();
            }
            nodes = next;
        }
        for &node in &nodes {
            self.push_lists(node, false, &pairs, &mut found);
            self.push_lists(node, true, &pairs, &mut found);
        }
        found
    }

    fn push_lists(&self, node: u64, has_rest: bool, pairs: &[Vec<u8>], found: &mut Vec<u32>) {
        let has_queries = self.nodes.get(&node) == Some(&true);
        let count = if has_queries { pairs.len() } else { 0 };
        for chosen in 0..1usize << count {
            let is_chosen = |(bit, _): &(usize, _)| chosen >> bit & 1 == 1;
            let literals = pairs[..count].iter().enumerate().filter(is_chosen);
            let literals: Vec<_> = literals.map(|(_, pair)| pair).collect();
            let hash = self.hasher.hash_one((node, has_rest, literals));
            found.extend(self.lists.get(&hash).into_iter().flatten());
        }
    }
}

/// Returns whether an earlier rule with the same pattern leaves no request to another one.
fn hides(rule: &ServerRule, other: &ServerRule) -> bool {
    let same_query = rule.query.is_empty() || rule.query == other.query;
    same_query
        && (!rule.conditional || other.conditional)
        && (rule.force || !other.force)
        && rule.from.rest() <= other.from.rest()
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/server/index.rs"]
mod tests;
