//! Two sets of addresses: which of the old set the new set does not answer.

use std::hash::BuildHasher;
use std::io;

use foldhash::{HashMap, HashSet, HashSetExt};

use super::disk::LookupMatch;
use super::finding::{
    CauseKind, DocumentPosition, FindingCause, FindingDraft, Suggestion, finding_key,
};
use super::ignored::{IgnoreCandidate, IgnoreRules};
use super::names::FileId;
use super::options::AuditOptions;
use super::redirect_formats::Redirection;
use super::report::{AuditSummary, ReportSet};
use super::rules::{Level, RuleId, StateCounts};
use super::successors::{self, Missing};
use super::target::{TargetLocation, percent_decoded, split_authority, split_fragment, split_name};
use super::targets::{Inventory, TargetPage, shown_uri, with_id};
use super::wire::{WireReader, WireRecord};
use crate::bytes::pattern::Pattern;
use crate::document::Format;
use crate::document::flags::Flags;
use crate::links::links;
use crate::output::record::Summary;
use crate::pipeline::bases::{internal_origin, is_internal_origin};
use crate::uri::{Rules, resolve};

/// One side of a comparison.
pub(crate) enum TargetSet {
    Tree(Box<TargetTree>),
    List(TargetList),
}

pub(crate) struct TargetTree {
    pub(crate) inventory: Inventory,
    /// The start of the paths of files, and the text that is shown for it.
    pub(crate) shown: Option<(Vec<u8>, Vec<u8>)>,
}

/// Addresses of a file, in its order.
#[derive(Default)]
pub(crate) struct TargetList {
    path: Vec<u8>,
    /// URIs without fragments, with their ids.
    pages: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
    /// By [`spelling`].
    by_page: HashMap<Vec<u8>, usize>,
    has_ids: bool,
}

impl TargetList {
    /// Reads the output of `targets`, a sitemap or lines of URLs; the site is at the origin of the first URL
    /// where `site` gives none. Returns the URI of the site, or why the file is not a list.
    pub(crate) fn read(
        path: &[u8],
        bytes: &[u8],
        site: Option<&[u8]>,
    ) -> Result<(Self, Vec<u8>), &'static str> {
        let text = bytes.trim_ascii_start();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let lines = || text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let not_url = "not a list of URLs: an entry is not a URL";
        let all: Vec<Vec<u8>> = match text.first() {
            Some(b'<') if SITEMAP_INDEX.is_match(text) => return Err("it is an index of sitemaps"),
            Some(b'<') => {
                let found = links(text, Format::XML, None);
                let listed = found.filter(|link| link.flags.contains(Flags::LISTED));
                let targets = listed.map(|link| link.target.map_err(|_| not_url));
                targets.collect::<Result<_, _>>()?
            }
            Some(b'{') => {
                let records = lines().filter(|line| !line.is_empty());
                let targets = records.filter_map(|line| target_of_record(line).transpose());
                targets.collect::<Result<_, _>>()?
            }
            _ => {
                let lines = lines().filter(|line| !line.is_empty() && !line.starts_with(b"#"));
                let lines: Vec<_> = lines.map(<[u8]>::to_vec).collect();
                let is_other = |&byte: &u8| byte <= b' ' || byte == 0x7F;
                if lines.iter().flatten().any(is_other) {
                    return Err("not a list of URLs: a line has blanks or control characters");
                }
                lines
            }
        };
        let origin = || {
            let (origin, path) = split_authority(all.first()?);
            let is_absolute = memchr::memmem::find(origin, b"://").is_some();
            (is_absolute && !path.is_empty()).then(|| [origin, b"/"].concat())
        };
        let site = site.map(<[u8]>::to_vec).or_else(origin);
        let site = site.unwrap_or_else(|| internal_origin(0));
        let mut list = TargetList {
            path: path.to_vec(),
            ..TargetList::default()
        };
        for reference in &all {
            list.add(&resolve(&site, reference, Rules::Whatwg).map_err(|_| not_url)?);
        }
        if list.pages.is_empty() {
            return Err("nothing was read: no addresses");
        }
        Ok((list, site))
    }

    fn add(&mut self, uri: &[u8]) {
        let (page, id) = split_fragment(uri);
        let index = *self.by_page.entry(spelling(page)).or_insert_with(|| {
            self.pages.push((page.to_vec(), Vec::new()));
            self.pages.len() - 1
        });
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            self.has_ids = true;
            self.pages[index].1.push(percent_decoded(id).into_owned());
        }
    }
}

static SITEMAP_INDEX: Pattern =
    Pattern::new(r"^(?:<[?!].*?>\s*)*<(?:[^\s<>:]+:)?sitemapindex[\s>]");

/// Returns the target of a record of `targets`, except other spellings of a page.
fn target_of_record(line: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
    let record: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| "damaged: a line is not a JSON record")?;
    let text = |key: &str| record.get(key).and_then(serde_json::Value::as_str);
    let target = text("target").or(text("url"));
    let target = target.filter(|_| text("kind") != Some("spelling"));
    Ok(target.map(|target| target.as_bytes().to_vec()))
}

/// Returns the form that the spellings of a page share.
fn spelling(page: &[u8]) -> Vec<u8> {
    let page = shown_uri(page);
    let page = page.strip_suffix(b"index.html").unwrap_or(page);
    let page = page.strip_suffix(b"/").unwrap_or(page);
    page.strip_suffix(b".html").unwrap_or(page).to_vec()
}

/// The answer for the address of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageAnswer {
    /// By a file, unless only the server knows it; the ids of files are known.
    Found(Option<FileId>),
    /// The index in a list.
    Listed(usize),
    Missing,
    Loop,
}

impl PageAnswer {
    /// Returns the rule that an address without an answer breaks.
    fn rule(self) -> Option<RuleId> {
        match self {
            PageAnswer::Missing => Some(RuleId::RemovedPage),
            PageAnswer::Loop => Some(RuleId::RedirectLoop),
            _ => None,
        }
    }

    fn file(self) -> Option<FileId> {
        match self {
            PageAnswer::Found(file) => file,
            _ => None,
        }
    }
}

impl TargetSet {
    fn answer(&self, uri: &[u8]) -> PageAnswer {
        let checker = match self {
            TargetSet::Tree(tree) => &tree.inventory.audit.checker,
            TargetSet::List(list) => {
                let page = list.by_page.get(&spelling(uri));
                return page.map_or(PageAnswer::Missing, |&page| PageAnswer::Listed(page));
            }
        };
        let (mut is_loop, mut sets_fragment) = (false, false);
        let location = checker.follow(uri, |step| match step {
            None => is_loop = true,
            Some(rule) => sets_fragment |= rule.destination.contains(&b'#'),
        });
        match location {
            _ if is_loop => PageAnswer::Loop,
            _ if !location.is_answered() => PageAnswer::Missing,
            TargetLocation::File(file, _) if !sets_fragment => PageAnswer::Found(Some(file)),
            _ => PageAnswer::Found(None),
        }
    }

    /// Returns the URI of an address in a list: of a path below the first root that answers it.
    fn of_listed(&self, uri: &[u8]) -> Vec<u8> {
        let (TargetSet::Tree(tree), [b'/', path @ ..]) = (self, shown_uri(uri)) else {
            return uri.to_vec();
        };
        let roots = tree.inventory.audit.checker.mounts.iter();
        let roots = roots.filter(|(_, root)| is_internal_origin(root));
        let mut uris = roots.map(|(_, root)| [root, path].concat());
        let found = uris.find(|uri| self.answer(uri).rule().is_none());
        found.unwrap_or_else(|| uri.to_vec())
    }

    fn has_id(&self, answer: PageAnswer, id: &[u8]) -> bool {
        match (self, answer) {
            (TargetSet::Tree(tree), PageAnswer::Found(Some(file))) => {
                let Inventory { audit, site, .. } = &tree.inventory;
                site.has(file, audit.hasher.hash_one(id))
            }
            (TargetSet::List(list), PageAnswer::Listed(index)) if list.has_ids => {
                list.pages[index].1.iter().any(|known| known == id)
            }
            _ => true,
        }
    }

    /// Returns whether an address names a folder with other files than its index.
    fn is_folder(&self, uri: &[u8]) -> bool {
        let TargetSet::Tree(tree) = self else {
            return false;
        };
        let checker = &tree.inventory.audit.checker;
        let file = checker.locate(uri).file().filter(|_| uri.ends_with(b"/"));
        let path = file.map(|file| checker.paths.path(file));
        path.is_some_and(|path| checker.tree.names(split_name(&path).0).len() > 1)
    }

    fn redirects_to(&self, uri: &[u8]) -> Option<Vec<u8>> {
        let TargetSet::Tree(tree) = self else {
            return None;
        };
        let mut first = None;
        tree.inventory.audit.checker.follow(uri, |step| {
            if let Some(rule) = step.filter(|rule| (300..400).contains(&rule.status)) {
                first.get_or_insert_with(|| rule.destination.to_vec());
            }
        });
        resolve(uri, &first?, Rules::Whatwg).ok()
    }
}

/// The comparison of an old set with a new one.
struct Comparison<'a> {
    old: &'a TargetSet,
    new: &'a TargetSet,
    missing: Vec<Missing>,
    addresses: u64,
}

impl Comparison<'_> {
    fn run(&mut self) -> io::Result<()> {
        match self.old {
            TargetSet::List(list) => {
                for (uri, ids) in &list.pages {
                    let ids = ids.iter().map(|id| &**id);
                    self.page(&list.path, None, &[&self.new.of_listed(uri)], ids);
                }
            }
            TargetSet::Tree(tree) => {
                tree.inventory.visit(|page| {
                    self.page_of_tree(tree, page);
                    Ok(())
                })?;
                for redirect in tree.inventory.redirects() {
                    self.redirect(&redirect.file, &redirect.uri);
                }
            }
        }
        Ok(())
    }

    fn page_of_tree(&mut self, tree: &TargetTree, page: &TargetPage) {
        let path = tree.shown(&page.path);
        if !page.is_page {
            // A list has pages alone.
            if !matches!(self.new, TargetSet::List(_)) {
                self.addresses += 1;
                let uri = page.canonical();
                if self.is_lost(uri, self.new.answer(uri)) {
                    self.missing
                        .push(Missing::new(RuleId::RemovedFile, &path, uri));
                }
            }
            return;
        }
        let finals = page.uris.iter().enumerate().filter(|(index, (_, how))| {
            *index == 0 || matches!(how, LookupMatch::Exact | LookupMatch::Index)
        });
        let uris: Vec<_> = finals.map(|(_, (uri, _))| uri).collect();
        let is_pdf = (tree.inventory.site.anchors(page.file)).is_some_and(|anchors| anchors.is_pdf);
        let ids = page.ids.iter().filter(|_| !is_pdf).map(|(id, _)| &**id);
        self.page(&path, Some(page.file), &uris, ids);
        self.refresh(&path, tree, page);
    }

    fn page<'i>(
        &mut self,
        path: &[u8],
        file: Option<FileId>,
        uris: &[&Vec<u8>],
        ids: impl Iterator<Item = &'i [u8]>,
    ) {
        let ids: Vec<_> = ids.collect();
        self.addresses += 1 + ids.len() as u64;
        let answers = uris.iter().map(|uri| (*uri, self.new.answer(uri)));
        let (lost, found): (Vec<_>, Vec<_>) =
            answers.partition(|(uri, answer)| self.is_lost(uri, *answer));
        // A list has one spelling of each page.
        let is_listed = matches!(self.new, TargetSet::List(_)) && !found.is_empty();
        if let Some((first, answer)) = lost.first().filter(|_| !is_listed)
            && let Some(rule) = answer.rule()
        {
            self.missing.push(Missing {
                uris: lost.iter().map(|(uri, _)| uri.to_vec()).collect(),
                files: (file, None),
                ..Missing::new(rule, path, first)
            });
            return;
        }
        let Some(&(uri, answer)) = found.first() else {
            return;
        };
        for id in ids.into_iter().filter(|id| !self.new.has_id(answer, id)) {
            self.missing.push(Missing {
                id: Some(id.into()),
                files: (file, answer.file()),
                ..Missing::new(RuleId::RemovedId, path, uri)
            });
        }
    }

    /// Returns whether only the old set answers for an address.
    fn is_lost(&self, uri: &[u8], answer: PageAnswer) -> bool {
        answer.rule().is_some() && self.old.answer(uri).rule().is_none()
    }

    /// Compares the refreshes of a page that is in both trees.
    fn refresh(&mut self, path: &[u8], old: &TargetTree, page: &TargetPage) {
        let TargetSet::Tree(new) = self.new else {
            return;
        };
        let Some(file) = self.new.answer(page.canonical()).file() else {
            return;
        };
        let target = |inventory: &Inventory, file| {
            let redirect = inventory.site.anchors(file)?.redirect.as_ref()?;
            let checker = &inventory.audit.checker;
            let path = checker.paths.path(redirect.location.file()?);
            checker.mounts.uri(&path)
        };
        let pair = target(&old.inventory, page.file).zip(target(&new.inventory, file));
        if let Some((before, after)) = pair.filter(|(before, after)| before != after) {
            self.changed(path, page.canonical(), &before, after);
        }
    }

    fn redirect(&mut self, path: &[u8], uri: &[u8]) {
        self.addresses += 1;
        let [before, after] = [self.old, self.new].map(|set| set.redirects_to(uri));
        if let Some(rule) = self.new.answer(uri).rule() {
            self.missing.push(Missing::new(rule, path, uri));
        } else if let Some((before, after)) = before.zip(after)
            && after != before
        {
            self.changed(path, uri, &before, after);
        }
    }

    /// Notes a redirect to another page than before.
    fn changed(&mut self, path: &[u8], uri: &[u8], before: &[u8], after: Vec<u8>) {
        let file = |uri: &[u8]| self.new.answer(split_fragment(uri).0).file();
        let is_same = file(before).is_some() && file(before) == file(&after);
        if !is_same || split_fragment(before).1 != split_fragment(&after).1 {
            self.missing.push(Missing {
                successor: Some(after),
                ..Missing::new(RuleId::ChangedRedirect, path, uri)
            });
        }
    }
}

impl TargetTree {
    pub(crate) fn shown(&self, path: &[u8]) -> Vec<u8> {
        if let Some((start, shown)) = &self.shown
            && let Some(rest) = path.strip_prefix(&start[..])
        {
            return [shown, rest].concat();
        }
        path.to_vec()
    }
}

/// Compares two sets, and reports the addresses that are missing in the new one; with `suggests`, each with
/// its successor. Returns the redirects to the successors of pages.
pub(crate) fn run(
    old: &TargetSet,
    new: &TargetSet,
    options: &AuditOptions,
    suggests: bool,
    mut reports: ReportSet<'_>,
) -> io::Result<(AuditSummary, Vec<Redirection>)> {
    let mut comparison = Comparison {
        old,
        new,
        missing: Vec::new(),
        addresses: 0,
    };
    comparison.run()?;
    let mut missing = comparison.missing;
    reports.totals.addresses = Some(comparison.addresses);
    if let (TargetSet::Tree(old), TargetSet::Tree(new), true) = (old, new, suggests) {
        successors::find(&old.inventory, &new.inventory, &mut missing)?;
    }
    let mut summary = Summary::default();
    for set in [old, new] {
        let TargetSet::Tree(tree) = set else {
            summary.files += 1;
            continue;
        };
        summary.add(tree.inventory.summary());
        tree.inventory.visit_failures(|path, record| {
            reports.enter(&tree.shown(path))?;
            reports.take(record, &mut WireReader(b""))
        })?;
    }
    let (mut redirections, mut at) = (Vec::new(), None);
    let mut seen = HashSet::new();
    let ignored = IgnoreRules::new(&options.ignore);
    for missing in &missing {
        if at != Some(&missing.path) {
            reports.enter(&missing.path)?;
            at = Some(&missing.path);
        }
        let page = shown_uri(&missing.uris[0]);
        let address = match &missing.id {
            Some(id) => with_id(page, id),
            None => page.to_vec(),
        };
        if let Some(successor) = missing.successor.as_ref().filter(|_| missing.is_page()) {
            let path = |uri: &[u8]| split_authority(uri).1.to_vec();
            let redirection = |from: &Vec<u8>| Redirection {
                from: path(from),
                to: path(successor),
                is_folder: new.is_folder(successor),
            };
            redirections.extend(missing.uris.iter().map(redirection));
        }
        let candidate = IgnoreCandidate {
            rule: missing.rule,
            path: &missing.path,
            name: split_authority(page).1.strip_prefix(b"/").unwrap_or(page),
            targets: &[&address, page],
        };
        if !options.reading.filter.admits_target(&address) {
            continue;
        }
        if ignored.ignores(&candidate) {
            reports.totals.ignored += 1;
            continue;
        }
        let level = options.levels.of(missing.rule);
        let key = finding_key(b"", None, missing.rule, &address, 1);
        if level == Level::Allow || !seen.insert(key) {
            continue;
        }
        if options.baseline.keys.contains(&key) {
            reports.take(WireRecord::Forgiven(key), &mut WireReader(b""))?;
            continue;
        }
        let position = DocumentPosition {
            name: &address,
            ..DocumentPosition::default()
        };
        let mut draft = FindingDraft::about(position, (missing.rule, level), key, &address);
        let successor = missing.successor.as_deref();
        let successor = successor.map(|uri| shown_uri(uri).to_vec());
        let mut suggestion = None;
        if missing.rule == RuleId::ChangedRedirect {
            let text = successor.map(|new| [b"now to ", &*new].concat());
            draft.cause = text.map(|text| FindingCause::new(CauseKind::Words, text));
        } else {
            suggestion = successor.map(|reference| Suggestion::new(reference, None));
        }
        reports.finding(&draft, suggestion.as_ref());
        reports.write_full()?;
    }
    reports.compare(&options.baseline);
    Ok((reports.end(summary, StateCounts::default())?, redirections))
}
