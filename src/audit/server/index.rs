//! The rules of one file, and which of them answers a request.
//!
//! The first rule that matches counts. Patterns of segments stand in a trie, and regular expressions
//! in sets that are matched at once, so that a lookup does not try all rules.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};
use regex::bytes::{RegexSet, RegexSetBuilder};

use super::rule::{
    PathPattern, QueryCondition, Request, RestPattern, SegmentPattern, ServerRule, parameters,
    segments,
};

/// Requests with a longer path are answered by no rule; servers refuse them.
const LONGEST_PATH: usize = 8 << 10;
/// The size of the regular expressions of a set, in bytes.
const SET_SIZE: usize = 1 << 20;
/// The number of regular expressions of a set, unless fewer are too large.
const SET_LENGTH: usize = 256;
/// The number of regular expressions of a file that are followed.
const EXPRESSIONS: usize = 1 << 12;
/// The number of nodes of the trie that a lookup visits: more than any file needs that people write.
const VISITED: usize = 1 << 12;
/// The number of rules with the same pattern that a lookup tries.
const ALIKE: usize = 32;
/// The number of parameters of a query that are compared with the rules.
const PARAMETERS: usize = 6;

/// The treatment of a slash at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrailingSlash {
    /// It counts.
    Significant,
    /// Paths with and without it are the same.
    Ignored,
}

#[derive(Clone, Debug, Default)]
struct TrieNode {
    /// The node behind a segment of any name, or zero.
    named: u32,
    /// The rules whose pattern ends here.
    ends: Vec<u32>,
    /// The rules whose pattern has any segments from here on.
    rests: Vec<u32>,
    /// There are rules here that depend on the query.
    has_queries: bool,
}

/// A rule that answers a request, with its destination.
#[derive(Clone, Debug)]
pub(in crate::audit) struct MatchedRule<'a> {
    pub(in crate::audit) rule: &'a ServerRule,
    /// The destination, a reference.
    pub(in crate::audit) destination: Vec<u8>,
}

/// The rules of one file in their order.
#[derive(Debug)]
pub(in crate::audit) struct RuleIndex {
    rules: Vec<ServerRule>,
    slash: TrailingSlash,
    nodes: Vec<TrieNode>,
    /// Nodes by the hash of the node above and a segment.
    children: HashMap<u64, u32>,
    /// Rules by the hash of their node, whether more segments may follow, and their literal conditions
    /// on the query.
    queries: HashMap<u64, Vec<u32>>,
    /// Sets of expressions, each with the index in `expression_rules` of its first one.
    expressions: Vec<(usize, RegexSet)>,
    /// The rule of each expression.
    expression_rules: Vec<u32>,
    hasher: RandomState,
    /// The number of rules past the limits, which are not followed.
    pub(super) unfollowed: u64,
}

impl RuleIndex {
    pub(super) fn new(rules: Vec<ServerRule>, slash: TrailingSlash) -> Self {
        let mut index = RuleIndex {
            rules: Vec::new(),
            slash,
            nodes: vec![TrieNode::default()],
            children: HashMap::new(),
            queries: HashMap::new(),
            expressions: Vec::new(),
            expression_rules: Vec::new(),
            hasher: RandomState::default(),
            unfollowed: 0,
        };
        for (number, rule) in rules.iter().enumerate() {
            match &rule.from {
                PathPattern::Segments { segments, rest } => {
                    let node = index.node(segments);
                    index.add(node, number as u32, rest.is_some(), &rules);
                }
                PathPattern::Expression { .. } if index.expression_rules.len() == EXPRESSIONS => {
                    index.unfollowed += 1;
                }
                PathPattern::Expression { .. } => index.expression_rules.push(number as u32),
            }
        }
        index.rules = rules;
        index.build_expressions();
        index
    }

    pub(in crate::audit) fn rules(&self) -> &[ServerRule] {
        &self.rules
    }

    /// Returns whether a rule depends on the query.
    pub(super) fn depends_on_query(&self) -> bool {
        self.rules.iter().any(|rule| !rule.query.is_empty())
    }

    /// Returns the node of a pattern, added if it is new.
    fn node(&mut self, patterns: &[SegmentPattern]) -> usize {
        let mut node = 0;
        for pattern in patterns {
            let new = self.nodes.len() as u32;
            let next = match pattern {
                SegmentPattern::Literal(segment) => {
                    let hash = self.hasher.hash_one((node, &**segment));
                    *self.children.entry(hash).or_insert(new)
                }
                SegmentPattern::Named(_) if self.nodes[node].named > 0 => self.nodes[node].named,
                SegmentPattern::Named(_) => {
                    self.nodes[node].named = new;
                    new
                }
            };
            if next == new {
                self.nodes.push(TrieNode::default());
            }
            node = next as usize;
        }
        node
    }

    fn add(&mut self, node: usize, number: u32, has_rest: bool, rules: &[ServerRule]) {
        let rule = &rules[number as usize];
        let list = match (rule.query.is_empty(), has_rest) {
            (true, true) => &mut self.nodes[node].rests,
            (true, false) => &mut self.nodes[node].ends,
            (false, _) => {
                self.nodes[node].has_queries = true;
                let mut literals: Vec<&[u8]> = (rule.query.iter())
                    .filter_map(|condition| match condition {
                        QueryCondition::Literal(pair) => Some(&**pair),
                        QueryCondition::Named { .. } => None,
                    })
                    .collect();
                literals.sort_unstable();
                let hash = self.hasher.hash_one((node, has_rest, literals));
                self.queries.entry(hash).or_default()
            }
        };
        let mut others = list.iter();
        if others.any(|&other| hides(&rules[other as usize], rule)) {
            return;
        }
        if list.len() == ALIKE {
            self.unfollowed += 1;
            return;
        }
        list.push(number);
    }

    fn build_expressions(&mut self) {
        let mut first = 0;
        while first < self.expression_rules.len() {
            let mut count = SET_LENGTH.min(self.expression_rules.len() - first);
            while count > 0 {
                let numbers = self.expression_rules[first..first + count].iter();
                let patterns = numbers.map(|&number| match &self.rules[number as usize].from {
                    PathPattern::Expression { expression, .. } => expression.as_str(),
                    PathPattern::Segments { .. } => "",
                });
                let mut builder = RegexSetBuilder::new(patterns);
                builder.unicode(false).size_limit(SET_SIZE);
                builder.dfa_size_limit(SET_SIZE);
                if let Ok(set) = builder.build() {
                    self.expressions.push((first, set));
                    break;
                }
                count /= 2;
            }
            // An expression that compiles alone is small enough for a set.
            self.unfollowed += u64::from(count == 0);
            first += count.max(1);
        }
    }

    /// Returns the rule that answers a request; `exists` says whether there is a file at the path.
    ///
    /// A rule that only some requests meet counts if there is neither a file nor another rule.
    pub(in crate::audit) fn find(
        &self,
        request: &Request<'_>,
        exists: bool,
    ) -> Option<MatchedRule<'_>> {
        if self.rules.is_empty() || request.path.len() > LONGEST_PATH {
            return None;
        }
        let path = match (self.slash, request.path.strip_suffix(b"/")) {
            (TrailingSlash::Ignored, Some(b"")) | (_, None) => request.path,
            (TrailingSlash::Ignored, Some(path)) => path,
            (TrailingSlash::Significant, Some(_)) => request.path,
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
            // Such servers add and remove slashes before they look at rules, which cannot do it.
            if self.slash == TrailingSlash::Ignored && rule.redirects() {
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

    /// Returns the numbers of the rules whose patterns match a path, and may match its query.
    fn candidates(&self, request: &Request<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        for (first, set) in &self.expressions {
            let matches = set.matches(request.path);
            let rules = &self.expression_rules[*first..];
            found.extend(matches.iter().map(|index| rules[index]));
        }
        let mut pairs: Vec<Vec<u8>> = Vec::new();
        if !self.queries.is_empty() {
            let literals = parameters(request.query).take(PARAMETERS);
            pairs.extend(literals.map(|(key, value)| [&*key, b"=", &*value].concat()));
            pairs.sort_unstable();
        }
        let mut visited = 1;
        let mut nodes = vec![0];
        for segment in segments(request.path) {
            let mut next = Vec::new();
            for &node in &nodes {
                self.push_lists(node, true, &pairs, &mut found);
                let hash = self.hasher.hash_one((node, segment));
                next.extend(self.children.get(&hash).map(|&child| child as usize));
                let named = self.nodes[node].named as usize;
                next.extend((named > 0 && !segment.is_empty()).then_some(named));
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

    fn push_lists(&self, node: usize, has_rest: bool, pairs: &[Vec<u8>], found: &mut Vec<u32>) {
        let lists = &self.nodes[node];
        found.extend_from_slice(if has_rest { &lists.rests } else { &lists.ends });
        if !lists.has_queries {
            return;
        }
        for chosen in 0..1usize << pairs.len() {
            let pairs = pairs.iter().enumerate();
            let literals: Vec<&[u8]> = pairs
                .filter(|(bit, _)| chosen >> bit & 1 == 1)
                .map(|(_, pair)| pair.as_slice())
                .collect();
            let hash = self.hasher.hash_one((node, has_rest, literals));
            found.extend(self.queries.get(&hash).into_iter().flatten());
        }
    }
}

/// Returns whether a rule that stands before another one with the same pattern leaves it no request.
fn hides(rule: &ServerRule, other: &ServerRule) -> bool {
    let least = |rule: &ServerRule| match &rule.from {
        PathPattern::Segments {
            rest: Some(RestPattern { least, .. }),
            ..
        } => *least,
        _ => 0,
    };
    let same_query = rule.query.is_empty() || rule.query == other.query;
    same_query
        && (!rule.conditional || other.conditional)
        && (rule.force || !other.force)
        && least(rule) <= least(other)
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/server/index.rs"]
mod tests;
