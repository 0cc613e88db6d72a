//! Flags for bases and rules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::archive::ArchiveFormat;
use crate::cli::args::input::size;
use crate::cli::help::{is_scheme, is_url};
use crate::cli::message::Result;
use crate::decode::compression::Codec;
use crate::linker::Ruling;
use crate::output::escape::visible;
use crate::pipeline::bases::{Bases, UnmountedBase, directory_of, internal_origin, served_at};
use crate::pipeline::walk::{path_of, read_start};
use crate::uri::{ExcessDots, Reference, Resolver, RuleForm, Rules, SameScheme};

/// Flags for bases and rules.
#[derive(Args)]
#[command(next_help_heading = "Bases and rules")]
pub(crate) struct BaseArgs {
    /// The base of documents that have none and are outside every --root; empty: no base
    #[arg(long, value_name = "URI", value_parser = base)]
    pub base: Option<String>,
    /// Where a directory is served: DIR=URI, DIR=/PATH/, DIR alone, or URI alone for the paths given
    #[arg(long, value_name = "DIR=URI")]
    pub root: Vec<OsString>,
    /// The base of mail that has none, instead of thismessage:/
    #[arg(long, value_name = "URI", value_parser = base)]
    pub default_base: Option<String>,
    /// Ignore the bases that documents declare
    #[arg(long)]
    pub ignore_base: bool,
    /// The maximum length of a base that a document may declare; longer ones are rejected
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "8K")]
    pub longest_base: u64,
    /// The rules of resolution
    #[arg(long, value_name = "RULES", default_value = "auto")]
    pub rules: RulesArg,
    /// rfc2396: how to treat `..` above the root (section 5.2 step 6g)
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub excess_dots: ExcessDots,
    /// Whether `http:g` is absolute, or relative to an http base (RFC 3986 section 5.2.2)
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub same_scheme: SameScheme,
}

/// The rules of resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesArg {
    /// WHATWG for markup, RFC 3986 for the rest
    Auto,
    /// The WHATWG URL standard
    Whatwg,
    /// RFC 3986 section 5.2
    Rfc3986,
    /// RFC 2396 section 5.2
    Rfc2396,
    /// RFC 1808 section 4
    Rfc1808,
}

impl RulesArg {
    /// Returns the rules as the RFC has them; `None` for `auto`.
    pub(in crate::cli) fn rules(self, excess: ExcessDots, scheme: SameScheme) -> Option<Rules> {
        let form = RuleForm::Letter;
        match self {
            RulesArg::Auto => None,
            RulesArg::Whatwg => Some(Rules::Whatwg),
            RulesArg::Rfc3986 => Some(Rules::Rfc3986 { scheme, form }),
            RulesArg::Rfc2396 => Some(Rules::Rfc2396 {
                excess,
                scheme,
                form,
            }),
            RulesArg::Rfc1808 => Some(Rules::Rfc1808),
        }
    }
}

impl BaseArgs {
    pub(in crate::cli) fn ruling(&self) -> Ruling {
        match self.rules.rules(self.excess_dots, self.same_scheme) {
            Some(rules) => Ruling::fixed(rules),
            None => Ruling {
                plain: Rules::Rfc3986 {
                    scheme: self.same_scheme,
                    form: RuleForm::Corrected,
                },
                ..Ruling::AUTO
            },
        }
    }

    pub(in crate::cli) fn directories(&self) -> Vec<PathBuf> {
        let mounts = self.root.iter().map(|root| mount(root.as_encoded_bytes()));
        let directories = mounts.filter_map(|(directory, _)| directory);
        directories.map(path_of).collect()
    }

    /// Returns the bases of documents. `paths` are the mounts of a `--root` without a directory.
    pub(in crate::cli) fn bases(&self, paths: &[PathBuf]) -> Result<Bases> {
        let mut bases = Bases::here();
        bases.otherwise = match self.base.as_deref() {
            None => UnmountedBase::File,
            Some("") => UnmountedBase::Nothing,
            Some(base) => UnmountedBase::Given(base.as_bytes().to_vec()),
        };
        let default = self.default_base.as_deref().filter(|base| !base.is_empty());
        bases.default = default.map(|base| base.as_bytes().to_vec());
        for root in &self.root {
            let root = root.as_encoded_bytes();
            let (directories, uri) = match mount(root) {
                (Some(directory), uri) => {
                    check_directory(root, directory, uri)?;
                    (vec![directory.to_vec()], uri)
                }
                (None, uri) => (paths.iter().map(|path| directory_of(path)).collect(), uri),
            };
            let refuse = |reason| {
                let uri = String::from_utf8_lossy(uri.unwrap_or_default());
                format!("--root: {uri} {reason}")
            };
            let uri = uri.map(served_at).transpose().map_err(refuse)?;
            for directory in directories {
                let directory = bases.absolute(&directory)?;
                let uri = uri.clone();
                let uri = uri.unwrap_or_else(|| internal_origin(bases.mounts.len()));
                bases.mounts.add(&directory, &uri);
            }
        }
        Ok(bases)
    }
}

/// Checks the directory of `--root`; the error is about the text after a `=` if that was meant as a URI.
fn check_directory(root: &[u8], directory: &[u8], uri: Option<&[u8]>) -> Result<(), String> {
    let shown = String::from_utf8_lossy;
    let path = path_of(directory);
    let reason = match std::fs::metadata(&path) {
        // An archive is a directory of its members.
        Ok(metadata) if metadata.is_dir() || metadata.is_file() && is_archive(&path) => {
            return Ok(());
        }
        Ok(_) => "it is not a directory".to_owned(),
        Err(error) => error.to_string(),
    };
    let after = memchr::memchr(b'=', root).map(|at| &root[at + 1..]);
    let (root, directory) = (shown(root), shown(directory));
    Err(match after.filter(|_| uri.is_none()) {
        None => format!("--root {directory}: {reason}"),
        Some(b"") => format!("--root {root}: there is no URI after the `=`"),
        Some(uri) => {
            let (scheme, uri) = (Reference::split(uri).scheme, shown(uri));
            let reason = match scheme {
                Some(_) => format!("nothing can be served at {uri}, because it has no `://`"),
                None => format!("{uri} has no scheme: https://{uri}?"),
            };
            format!("--root {root}: {reason}")
        }
    })
}

/// The number of bytes at the start of an archive that identify it.
const HEAD: u64 = 512;

/// Returns whether a file is an archive, or compressed, by its first bytes.
fn is_archive(path: &Path) -> bool {
    let is_known = |head: Vec<u8>| ArchiveFormat::of(&head).is_some() || Codec::of(&head).is_some();
    read_start(path, HEAD).is_ok_and(is_known)
}

/// Returns the directory and the URI of `DIR=URI`, `DIR` or `URI`; only a URI has a scheme and `://`, or is a path
/// after `=`.
pub(in crate::cli) fn mount(root: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    if is_url(root) {
        return (None, Some(root));
    }
    let mut equals = memchr::memchr_iter(b'=', root).filter(|at| {
        let uri = &root[at + 1..];
        is_url(uri) || uri.starts_with(b"/")
    });
    match equals.next() {
        Some(at) => (Some(&root[..at]), Some(&root[at + 1..])),
        None => (Some(root), None),
    }
}

fn base(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    check_scheme(text.as_bytes())?;
    let resolver = Resolver::new(text.as_bytes(), Rules::Whatwg);
    let checked = resolver.map(|_| text.to_owned());
    checked.map_err(|error| error.to_string())
}

/// Checks the scheme of a base (RFC 3986 section 3.1), which splitting does not.
pub(in crate::cli) fn check_scheme(base: &[u8]) -> Result<(), String> {
    match Reference::split(base).scheme {
        Some(scheme) if !is_scheme(scheme) => {
            let scheme = String::from_utf8_lossy(scheme);
            Err(format!("`{}` is not a scheme", visible(&scheme)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/cli/args/base.rs"]
mod tests;
