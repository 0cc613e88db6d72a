//! `uriscan targets` and `uriscan diff`: the addresses that trees answer, and those that a change removes.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::args::base::mount;
use super::args::{AuditArgs, DiffArgs, DiffSide};
use super::audit::{self, OutputRole, options, options_with, paths, roots};
use super::changed::checkout;
use super::config::Config;
use super::destination::OutputTarget;
use super::inputs::Inputs;
use super::message::{Result, flag, report, unless_closed};
use super::process::{Exit, check_standard_input};
use super::{extract, help, manual};
use crate::audit::compare::{self, TargetList, TargetSet, TargetTree};
use crate::audit::link_table;
use crate::audit::location::Audit;
use crate::audit::options::{ListedLinks, assume_roots, root_of};
use crate::audit::targets::Inventory;
use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic::{Code, Effect};
use crate::linker::{Link, LinkMember};
use crate::output::escape::Escape;
use crate::output::field::TARGET_FIELDS;
use crate::output::{DocumentPath, Layout};
use crate::pipeline::bases::{Bases, internal_origin, is_internal_origin, served_at};
use crate::pipeline::walk::{Root, bytes_of};
use crate::pipeline::writer::RowWriter;
use crate::pipeline::{OutputOrder, PipelineOptions, members};

pub(super) fn targets(arguments: &AuditArgs, config: Option<&Config>) -> Result<Exit> {
    let findings = &arguments.findings;
    if arguments.documents.walk.type_list {
        return manual::print_types(&arguments.documents.walk.type_add);
    }
    let paths = paths(arguments)?;
    help::check_paths(&paths)?;
    let mut options = options(arguments, &paths)?.detect_sources(false);
    options.list = ListedLinks::Anchors;
    let target = OutputTarget::of(findings.output.as_deref())?;
    let inputs = Inputs::new(roots(arguments, &paths), &arguments.documents.walk);
    let others = audit::other_inputs(findings, config);
    let outputs = inputs.check(&[&target], &options.reading, others)?;
    let walk = inputs.walk(OutputOrder::Path, outputs)?;
    let inventory = Inventory::new(Audit::new(options, &paths), walk);
    let mut destination = target.open()?;
    if destination.is_terminal && findings.output().is_table() {
        return Err(extract::no_terminal(findings.output()));
    }
    let fields = TARGET_FIELDS.iter().collect();
    let mut layout = Layout::default().with_records("target", fields);
    if destination.is_terminal {
        layout.escape = Escape::Controls;
    }
    let reading = PipelineOptions {
        output: findings.output(),
        layout,
        ..PipelineOptions::default()
    };
    let mut is_empty = true;
    let part = LinkMember::default();
    let written = RowWriter::new(&reading, &mut destination).and_then(|mut writer| {
        let mut push = |path: &DocumentPath, uri: &[u8]| {
            let mut link = Link::unresolved(uri, &part);
            link.target = Ok(uri);
            if inventory.reading().filter.admits_target(uri) {
                writer.push(path, &link)?;
            }
            Ok(())
        };
        report_failures(&inventory, findings.no_messages, <[u8]>::to_vec)?;
        inventory.visit(|page| {
            is_empty = false;
            page.rows(&mut push)
        })?;
        for redirect in inventory.redirects() {
            redirect.row(&mut push)?;
        }
        writer.finish()
    });
    let summary = inventory.summary();
    if summary.is_empty() {
        return Err(extract::nothing_was_read(summary));
    }
    if unless_closed(written.and_then(|()| destination.finish()))?.is_none() {
        return Ok(Exit::Found);
    }
    let exit = Exit::Found
        .or_nothing(is_empty)
        .or_error(summary.has_failures());
    Ok(exit.or_zero(findings.exit_zero))
}

pub(super) fn diff(arguments: &DiffArgs, config: Option<&Config>) -> Result<Exit> {
    let (audit, change) = (&arguments.audit, &arguments.change);
    let [old, new] = &arguments.sides[..] else {
        return Err("diff compares two sides: OLD and NEW, each a path or --git REV:PATH".into());
    };
    let uri = |root: &OsString| mount(root.as_encoded_bytes()).1.map(served_at);
    let site = audit.documents.base.root.iter().find_map(uri).transpose();
    let mut site = site.map_err(|reason| format!("--root: its URI {reason}"))?;
    // A list gives the tree beside it its URI.
    let old = Side::new(old)?;
    let new = Side::new(new)?;
    let targets = audit::targets(audit)?;
    let is_report = |(role, _): &(OutputRole, _)| !matches!(role, OutputRole::Main);
    let format = audit.findings.format();
    if audit.findings.links
        && (!format.is_text && !format.has_records || targets.iter().any(is_report))
    {
        return Err("--links writes lines or, with --json, records; reports have findings".into());
    }
    let redirects = change.write_redirects.as_ref();
    let file = redirects.and_then(|redirects| redirects.path.as_deref());
    let file = file.map(|path| OutputTarget::of(Some(path))).transpose()?;
    let all = targets.iter().map(|(_, target)| target);
    let all: Vec<_> = all.chain(&file).collect();
    let inputs = Inputs::new(Vec::new(), &audit.documents.walk);
    let others = audit::other_inputs(&audit.findings, config);
    let read = [&*old.path, &new.path].into_iter().chain(others);
    inputs.check(&all, &PipelineOptions::default(), read)?;
    let lists = [old.list(site.as_deref())?, new.list(site.as_deref())?];
    site = site.or_else(|| lists.iter().flatten().next().map(|(_, site)| site.clone()));
    let site = site.unwrap_or_else(|| internal_origin(0));
    // The paths of a list are below any root of a tree, as its targets are.
    let has_roots = is_internal_origin(&site) && lists.iter().any(Option::is_some);
    let [old_list, new_list] = lists.map(|list| list.map(|(list, _)| TargetSet::List(list)));
    let root = (!has_roots).then_some(&*site);
    let set = |side: &Side, list: Option<_>| list.map_or_else(|| side.tree(audit, root, &all), Ok);
    let (old, new) = (set(&old, old_list)?, set(&new, new_list)?);
    if audit.findings.links {
        return match (&old, &new) {
            (TargetSet::Tree(old), TargetSet::Tree(new)) => links(audit, [old, new]),
            _ => Err("--links compares two trees".into()),
        };
    }
    let options = audit::options_with(audit, &[], Bases::here())?;
    let options = audit::ignoring(options, config)?;
    let mut destinations = Vec::new();
    for (role, target) in &targets {
        destinations.push((*role, target.open()?));
    }
    let shows_redirects = redirects.is_some_and(|redirects| redirects.path.is_none());
    let shown = usize::from(!shows_redirects) * destinations.len();
    let reports = audit::reports(audit, options.reading.verbosity, &mut destinations[..shown]);
    let suggests = change.suggest || redirects.is_some();
    let outcome = compare::run(&old, &new, &options, suggests, reports);
    let outcome = outcome.and_then(|(totals, found)| {
        if let Some(redirects) = redirects {
            let text = redirects.format.text(&found, &site);
            match &file {
                Some(file) => {
                    let mut out = file.open().map_err(|error| io::Error::other(error.0))?;
                    out.write_all(&text)?;
                    out.finish()?;
                }
                None => {
                    let mut mains = destinations.iter_mut();
                    let main = mains.find(|(role, _)| matches!(role, OutputRole::Main));
                    main.map_or(Ok(()), |(_, out)| out.write_all(&text))?;
                }
            }
        }
        let mut destinations = destinations.into_iter();
        destinations.try_for_each(|(_, out)| out.finish())?;
        Ok(totals)
    });
    match unless_closed(outcome)? {
        Some(totals) => audit::finish(audit, &totals, None),
        None => Ok(Exit::Found),
    }
}

/// Reports the documents of a tree that could not be read.
fn report_failures(
    tree: &Inventory,
    no_messages: bool,
    shown: impl Fn(&[u8]) -> Vec<u8>,
) -> io::Result<()> {
    if !no_messages {
        tree.failures(shown)?.iter().for_each(report);
    }
    Ok(())
}

/// Compares the links of two trees.
fn links(arguments: &AuditArgs, trees: [&TargetTree; 2]) -> Result<Exit> {
    let findings = &arguments.findings;
    let mut out = Vec::new();
    let as_records = findings.format().has_records;
    let mut destination = OutputTarget::of(findings.output.as_deref())?.open()?;
    for tree in trees {
        let shown = |path: &[u8]| tree.shown(path);
        report_failures(&tree.inventory, findings.no_messages, shown)?;
    }
    let [old, new] = trees.map(|tree| &tree.inventory);
    let changed = link_table::push_changes(old, new, as_records, &mut out);
    let written = changed.and_then(|is_broken| {
        if !findings.quiet {
            destination.write_all(&out)?;
        }
        destination.finish().map(|()| is_broken)
    });
    let is_broken = unless_closed(written)?.unwrap_or(false);
    let has_failures = [old, new].iter().any(|tree| tree.summary().has_failures());
    let exit = Exit::Found.or_nothing(is_broken).or_error(has_failures);
    Ok(exit.or_zero(findings.exit_zero))
}

/// A side of a comparison, before it is read.
struct Side {
    path: PathBuf,
    /// The files of a revision, and its name.
    checkout: Option<(TempDir, Vec<u8>)>,
}

impl Side {
    fn new(side: &DiffSide) -> Result<Self> {
        let (path, checkout) = match side {
            DiffSide::Path(path) => {
                help::check_paths(std::slice::from_ref(path))?;
                let cannot = |error| format!("{}: {error}", path.display());
                if path != Path::new("-") {
                    fs::metadata(path).map_err(cannot)?;
                }
                (path.clone(), None)
            }
            DiffSide::Git(name) => {
                let directory = checkout(name).map_err(flag("git"))?;
                let name = name.as_encoded_bytes().to_vec();
                (directory.path().to_path_buf(), Some((directory, name)))
            }
        };
        Ok(Side { path, checkout })
    }

    /// Reads a file of addresses, which is not an archive.
    fn list(&self, site: Option<&[u8]>) -> Result<Option<(TargetList, Vec<u8>)>> {
        let bytes = if self.path == Path::new("-") {
            let mut bytes = Vec::new();
            check_standard_input()
                .and_then(|()| io::stdin().read_to_end(&mut bytes))
                .map(|_| bytes)
        } else if self.path.is_file() && !members::is_archive_of_files(&self.path) {
            fs::read(&self.path)
        } else {
            return Ok(None);
        };
        let mut bytes = bytes.map_err(|error| self.error(error))?;
        if let Some(codec) = Codec::of(&bytes) {
            let mut list = Decompressed::new(codec, Box::new(Cursor::new(bytes)));
            bytes = Vec::new();
            let read = list.read_to_end(&mut bytes);
            read.map_err(|error| self.error(error))?;
            let fault = list.error().map(|error| <&Code>::from(error.fault));
            if let Some(code) = fault.filter(|code| code.effect == Effect::Damage) {
                return Err(self.error(code.message).into());
            }
        }
        let read = TargetList::read(bytes_of(&self.path), &bytes, site);
        Ok(Some(read.map_err(|error| self.error(error))?))
    }

    /// Names the side in an error.
    fn error(&self, error: impl Display) -> String {
        let name = self.checkout.as_ref().map(|(_, name)| &**name);
        let name = String::from_utf8_lossy(name.unwrap_or(bytes_of(&self.path)));
        format!("{name}: {error}")
    }

    /// Without the URI of its root, a tree has the roots that its `targets` have.
    fn tree(
        &self,
        audit: &AuditArgs,
        site: Option<&[u8]>,
        outputs: &[&OutputTarget],
    ) -> Result<TargetSet> {
        let (mut bases, paths) = (Bases::here(), [self.path.clone()]);
        if let Some(site) = site {
            let root = bases.absolute(&root_of(&self.path))?;
            bases.mounts.add(&root, site);
        } else {
            assume_roots(&mut bases, &paths)?;
        }
        let mut options = options_with(audit, &paths, bases)?;
        options = options.detect_sources(false).orphan_assets(true);
        let lists = [ListedLinks::Anchors, ListedLinks::Links];
        options.list = lists[usize::from(audit.findings.links)];
        let roots = vec![Root::Path(self.path.clone())];
        let inputs = Inputs::new(roots, &audit.documents.walk);
        let outputs = inputs.check(outputs, &options.reading, std::iter::empty())?;
        let walk = inputs.walk(OutputOrder::Path, outputs)?;
        // Files have their names in git: `REV:PATH/NAME`.
        let shown = self.checkout.as_ref().map(|(_, name)| {
            let end: &[u8] = match &name[..] {
                [.., b':' | b'/'] => b"",
                name if name.contains(&b':') => b"/",
                _ => b":",
            };
            let start = [bytes_of(&self.path), b"/"].concat();
            (start, [name, end].concat())
        });
        let inventory = Inventory::new(Audit::new(options, &paths), walk);
        let summary = inventory.summary();
        if summary.is_empty() {
            return Err(self.error(extract::nothing_was_read(summary).0).into());
        }
        Ok(TargetSet::Tree(Box::new(TargetTree { inventory, shown })))
    }
}
