//! Two tables of links: links that were added, removed or retargeted, and links that broke or were mended.

use std::collections::BTreeMap;
use std::io;

use super::evaluator::Evaluator;
use super::rules::LinkState;
use super::targets::{Inventory, shown_uri};
use crate::output::escape::push_visible;
use crate::output::json::{open, push_member, push_text};

/// The page, the element and the reference of a link.
type LinkKey = (Vec<u8>, String, Vec<u8>);
/// The targets and states of the links with one key.
type LinkTable = BTreeMap<LinkKey, Vec<(Option<Vec<u8>>, LinkState)>>;

/// Returns the links of a tree that was read with all of them.
fn table(tree: &Inventory) -> io::Result<LinkTable> {
    let mut table = LinkTable::new();
    let mut evaluator = Evaluator::new(&tree.audit, &tree.site);
    let mut open = (Vec::new(), None);
    tree.visit_links(|document, link, located| {
        if open.0 != document.path || open.1 != document.file {
            open = (document.path.clone(), document.file);
            evaluator.begin(document, &document.file_path(&tree.audit));
        }
        let facts = evaluator.facts(link, located);
        let state = LinkState::of(&facts, tree.audit.options.levels.first_finding(&facts));
        let element = link.element.unwrap_or_default().to_owned();
        let key = (evaluator.name.clone(), element, link.reference.to_vec());
        let target = link.target.ok().map(|target| shown_uri(target).to_vec());
        table.entry(key).or_default().push((target, state));
    })?;
    Ok(table)
}

/// Appends the differences as lines or records, and returns whether a link is broken that was not.
pub(crate) fn push_changes(
    old: &Inventory,
    new: &Inventory,
    as_records: bool,
    out: &mut Vec<u8>,
) -> io::Result<bool> {
    let (mut old, new) = (table(old)?, table(new)?);
    let mut changes = Vec::new();
    let removed = |key: &LinkKey, (was, state): (Option<Vec<u8>>, LinkState)| {
        (key.clone(), "removed", None, was, state.name())
    };
    for (key, links) in new {
        let mut before = old.remove(&key).unwrap_or_default().into_iter();
        for (target, state) in links {
            let is_broken = state == LinkState::Broken;
            let (change, was) = match before.next() {
                None => ("added", None),
                Some((was, _)) if was != target => ("retargeted", was),
                Some((_, was)) if is_broken && was != LinkState::Broken => ("broken", None),
                Some((_, LinkState::Broken)) if !is_broken => ("mended", None),
                _ => continue,
            };
            changes.push((key.clone(), change, target, was, state.name()));
        }
        changes.extend(before.map(|link| removed(&key, link)));
    }
    for (key, links) in old {
        changes.extend(links.into_iter().map(|link| removed(&key, link)));
    }
    changes.sort();
    let mut is_broken = false;
    for ((page, element, reference), change, target, was, state) in &changes {
        is_broken |= *change != "removed" && *state == "broken";
        if as_records {
            open("link-change", out);
            push_member("change", change, out);
            push_text("page", Some(page), out);
            let element = Some(element.as_bytes()).filter(|name| !name.is_empty());
            push_text("element", element, out);
            push_text("reference", Some(reference), out);
            push_text("target", target.as_deref(), out);
            push_text("old_target", was.as_deref(), out);
            push_member("state", state, out);
            out.extend_from_slice(b"}\n");
            continue;
        }
        let words = format!(": {change}: {element} ");
        let mut line = [page, words.as_bytes(), reference].concat();
        for (arrow, target) in [(" was ", was), (" -> ", target)] {
            if let Some(target) = target {
                line.extend_from_slice(&[arrow.as_bytes(), target].concat());
            }
        }
        push_visible(&line, out);
        out.push(b'\n');
    }
    Ok(is_broken)
}
