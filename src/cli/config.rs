//! The configuration file of `audit`. Its keys are the long names of flags, and `paths`; flags on the
//! command line override it. `targets`, `diff` and `mv` use the keys of documents and of checks, and not the keys
//! of the output.
//!
//! A file that was found and not named comes with the tree that is audited, and need not be trusted:
//! it may only choose checks and how findings are shown.

use std::any::TypeId;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::{Arg, ArgAction, Command, CommandFactory};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::args::base::mount;
use super::args::{Cli, OUTPUT_HEADING};
use super::help::{is_unused, nearest};
use super::message::{Error, Result};
use crate::audit::IgnoreEntry;
use crate::output::escape::visible;
use crate::pipeline::walk::read_whole;

/// The files below a directory that may be a configuration, in this order, each with its table.
const PLACES: [(&str, &[&str]); 3] = [
    ("uriscan.toml", &[]),
    (".config/uriscan.toml", &[]),
    (PYPROJECT, &PYPROJECT_TABLE),
];

const PYPROJECT: &str = "pyproject.toml";
const PYPROJECT_TABLE: [&str; 2] = ["tool", "uriscan"];

const REPOSITORIES: [&str; 3] = [".git", ".hg", ".jj"];

const MAX_LENGTH: u64 = 1 << 20;

/// The limit of the number of entries of `ignore`, each of which is compared with each finding.
const MAX_IGNORED: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) file: PathBuf,
    pub(super) keys: Vec<String>,
    pub(super) flags: Vec<OsString>,
    /// The paths to audit where the command line names none.
    pub(super) paths: Vec<OsString>,
    pub(super) ignore: Vec<IgnoreEntry>,
    /// Rules whose levels the file lowers, with the levels before and after.
    pub(super) lowered: Vec<String>,
    /// Whether the command line has `--quiet`; in the file it does not hide the report about it.
    pub(super) is_quiet: bool,
}

/// Flags that are not keys: no file may have others rewritten.
const NEVER: &str = "config no-config help version explain fix fix-moved type-list";

/// Flags that only a named file may have, besides paths: they read outside its folder, write, or take more memory.
const NAMED_ONLY: &str = "changed-since follow idn longest-base max-document report";

/// Flags whose paths are relative to the file, and inside its folder if it was found.
const RELATIVE: [&str; 2] = ["baseline", "touching"];

/// Returns whether a file that was found may have a flag, which then only chooses checks and how findings are shown.
fn is_harmless(flag: &Arg, name: &str) -> bool {
    let is_path = flag.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let is_named_only = NAMED_ONLY.split(' ').any(|known| known == name);
    !is_named_only && (!is_path || RELATIVE.contains(&name))
}

/// Reads the named file, or the nearest one from the current directory up to the root of the repository.
pub(super) fn read(subcommand: &'static str, named: Option<&Path>) -> Result<Option<Config>> {
    let command = Cli::command();
    let command = command.find_subcommand("audit").unwrap_or(&command);
    let parse = |file: &Path, text: &str, folder: Option<&Path>, table: &[&str]| {
        let source = ConfigFile {
            file,
            text,
            folder,
            command,
            subcommand,
        };
        source.parse(table)
    };
    if let Some(file) = named {
        let is_pyproject = file.file_name().is_some_and(|name| name == PYPROJECT);
        let table: &[&str] = if is_pyproject { &PYPROJECT_TABLE } else { &[] };
        let parsed = parse(file, &text(file)?, None, table)?;
        let missing = || format!("{}: it has no table [tool.uriscan]", file.display());
        return Ok(Some(parsed.ok_or_else(missing)?));
    }
    let Ok(here) = std::env::current_dir() else {
        return Ok(None);
    };
    let is_root = |folder: &Path| REPOSITORIES.iter().any(|name| folder.join(name).exists());
    // Outside a repository only the current directory belongs to the project.
    let height = here.ancestors().position(is_root).unwrap_or(0);
    let mut folder = PathBuf::new();
    for _ in 0..=height {
        for (name, table) in PLACES {
            let file = folder.join(name);
            if !file.exists() {
                continue;
            }
            let refuse = |reason| Err(format!("{}: {reason}", file.display()));
            if !file.is_file() {
                refuse("it is not a regular file")?;
            }
            if !is_inside(&file, &folder) {
                refuse("it is a symbolic link out of its folder; name it with --config")?;
            }
            let text = text(&file)?;
            // The file of other tools is not parsed unless it has the table.
            if !table.iter().all(|name| text.contains(name)) {
                continue;
            }
            if let Some(config) = parse(&file, &text, Some(&folder), table)? {
                return Ok(Some(config));
            }
        }
        folder.push("..");
    }
    Ok(None)
}

fn text(file: &Path) -> Result<String> {
    let failed = |reason: &dyn Display| Error::from(format!("{}: {reason}", file.display()));
    let too_long = format!("a configuration has at most {MAX_LENGTH} bytes");
    let bytes = read_whole(file, MAX_LENGTH, &too_long).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8"))
}

/// Returns whether a path is below a folder when symbolic links are followed, or does not exist.
fn is_inside(path: &Path, folder: &Path) -> bool {
    // The current directory has an empty path here.
    let folder = fs::canonicalize(Path::new(".").join(folder));
    match (fs::canonicalize(path), folder) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        (path, _) => path.is_err(),
    }
}

struct ConfigFile<'a> {
    file: &'a Path,
    text: &'a str,
    /// The folder to which its paths are relative, if it was found.
    folder: Option<&'a Path>,
    command: &'a Command,
    subcommand: &'static str,
}

impl ConfigFile<'_> {
    /// Parses a table; `None` if the file lacks it.
    fn parse(&self, names: &[&str]) -> Result<Option<Config>> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, error.message())
        })?;
        let mut table = document.get_ref();
        for name in names {
            let Some((key, value)) = table.get_key_value(*name) else {
                return Ok(None);
            };
            let inner = value.get_ref().as_table();
            let is_other = || self.error(key.span().start, format!("`{name}` is a table"));
            table = inner.ok_or_else(is_other)?;
        }
        let mut config = Config {
            file: self.file.to_path_buf(),
            ..Config::default()
        };
        let mut entries: Vec<_> = table.iter().collect();
        // Of several flags about one rule the last is used.
        entries.sort_unstable_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let is_used = if key.get_ref() == "ignore" {
                config.ignore = self.ignored(value)?;
                matches!(self.subcommand, "audit" | "diff")
            } else {
                let added = self.add(key.get_ref(), value.get_ref(), &mut config);
                added.map_err(|reason| self.error(key.span().start, reason))?
            };
            if is_used {
                config.keys.push(key.get_ref().to_string());
            }
        }
        Ok(Some(config))
    }

    fn error(&self, at: usize, reason: impl Display) -> Error {
        let (file, line) = (self.file.display(), line(self.text, at));
        format!("{file}:{line}: {reason}").into()
    }

    fn ignored(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<IgnoreEntry>> {
        let wrong = |reason: String| self.error(value.span().start, reason);
        let value = value.get_ref();
        let not_tables = || format!("`ignore` is an array of tables, not {}", kind(value));
        let entries = value.as_array().ok_or_else(|| wrong(not_tables()))?;
        if entries.len() > MAX_IGNORED {
            return Err(wrong(format!("`ignore` has at most {MAX_IGNORED} entries")));
        }
        let entries = entries.iter();
        entries.map(|entry| self.ignored_entry(entry)).collect()
    }

    fn ignored_entry(&self, value: &Spanned<DeValue<'_>>) -> Result<IgnoreEntry> {
        let at = value.span().start;
        let value = value.get_ref();
        let not_table = || format!("an entry of `ignore` is a table, not {}", kind(value));
        let table = value.as_table();
        let table = table.ok_or_else(|| self.error(at, not_table()))?;
        let mut entry = IgnoreEntry::new("");
        for (key, value) in table.iter() {
            let name: &str = key.get_ref();
            let wrong = |reason: String| self.error(key.span().start, reason);
            let known = ["rule", "target", "path", "reason", "until"];
            if !known.contains(&name) {
                return Err(wrong(unknown_key(name, known.into_iter())));
            }
            let given = match value.get_ref() {
                DeValue::String(given) => given.to_string(),
                DeValue::Datetime(date) if name == "until" => date.to_string(),
                value => return Err(wrong(format!("`{name}` is a string, not {}", kind(value)))),
            };
            entry = match name {
                "rule" => entry.rule(given),
                "target" => entry.target(given),
                "path" => entry.path(given),
                "reason" => entry.reason(given),
                _ => entry.until(given),
            };
        }
        let entry = entry.origin(self.file, line(self.text, at));
        entry.check().map_err(|reason| self.error(at, reason))?;
        Ok(entry)
    }

    /// Adds a key; returns whether the subcommand uses it.
    fn add(&self, key: &str, value: &DeValue<'_>, config: &mut Config) -> Result<bool, String> {
        if key == "paths" {
            let is_used = matches!(self.subcommand, "audit" | "targets");
            for value in values(value) {
                let path = value.as_str();
                let path = path.ok_or("`paths` is a string or an array of strings")?;
                let path = self.path(key, path)?;
                config.paths.extend(is_used.then_some(path));
            }
            return Ok(is_used);
        }
        let is_key = |flag: &&Arg| {
            let name = flag.get_long().unwrap_or_default();
            !flag.is_hide_set() && !name.is_empty() && !NEVER.split(' ').any(|never| never == name)
        };
        let flags = || self.command.get_arguments().filter(is_key);
        let Some(flag) = flags().find(|flag| flag.get_long() == Some(key)) else {
            let known = flags().filter_map(Arg::get_long).chain(["paths", "ignore"]);
            return Err(unknown_key(key, known));
        };
        if self.folder.is_some() && !is_harmless(flag, key) {
            let reason = "is not allowed in a file that was found";
            let instead = "give it on the command line, or name the file with --config";
            return Err(format!("`{key}` {reason}: {instead}"));
        }
        let words = self.words(flag, key, value)?;
        words.iter().try_for_each(|word| self.check(word))?;
        let is_used = self.subcommand == "audit"
            || flag.get_help_heading() != Some(OUTPUT_HEADING) && !is_unused(self.subcommand, key);
        config.flags.extend(words.into_iter().filter(|_| is_used));
        Ok(is_used)
    }

    /// Returns a flag as on a command line, once for each of several values.
    fn words(&self, flag: &Arg, key: &str, value: &DeValue<'_>) -> Result<Vec<OsString>, String> {
        let takes_values = flag.get_action().takes_values();
        let least = flag.get_num_args().map(|range| range.min_values());
        if let DeValue::Boolean(yes) = value
            && (!takes_values || least == Some(0))
        {
            return Ok(yes.then(|| format!("--{key}").into()).into_iter().collect());
        }
        let parser = flag.get_value_parser().type_id();
        let is_number = parser == TypeId::of::<u64>() || parser == TypeId::of::<usize>();
        let is_list = matches!(flag.get_action(), ArgAction::Append);
        let wanted = match (is_list, is_number) {
            _ if !takes_values => "true or false",
            (true, _) => "a string or an array of strings",
            (false, true) => "a number or a string",
            (false, false) => "a string",
        };
        let wrong = |value: &DeValue<'_>| format!("`{key}` is {wanted}, not {}", kind(value));
        if !takes_values || value.is_array() && !is_list {
            return Err(wrong(value));
        }
        let word = |value: &DeValue<'_>| {
            let mut word = OsString::from(format!("--{key}="));
            word.push(match value {
                DeValue::String(text) => self.value(key, text)?,
                DeValue::Integer(number) if is_number => number.to_string().into(),
                value => return Err(wrong(value)),
            });
            Ok(word)
        };
        values(value).into_iter().map(word).collect()
    }

    fn value(&self, key: &str, value: &str) -> Result<OsString, String> {
        if RELATIVE.contains(&key) {
            return self.path(key, value);
        }
        let (Some(directory), "root") = (mount(value.as_bytes()).0, key) else {
            return Ok(value.into());
        };
        // INVARIANT: the value begins with the directory, which ends at a `=`.
        let (directory, rest) = value.split_at(directory.len());
        let mut root = self.path(key, directory)?;
        root.push(rest);
        Ok(root)
    }

    /// Returns a path relative to the current directory; in a file that was found it must be in the file's folder.
    fn path(&self, key: &str, path: &str) -> Result<OsString, String> {
        let mut seen = PathBuf::from(path);
        if let Some(folder) = self.folder {
            let inner = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            let stays = Path::new(path).components().all(inner);
            seen = folder.join(path);
            if !stays || !is_inside(&seen, folder) {
                let reason = "is outside the folder of the file, which was found";
                let instead = "name the file with --config";
                return Err(format!("`{key}`: {path} {reason}: {instead}"));
            }
        }
        // A path must not look like a flag.
        if seen.as_os_str().as_encoded_bytes().starts_with(b"-") {
            seen = Path::new(".").join(seen);
        }
        Ok(seen.into())
    }

    fn check(&self, word: &OsString) -> Result<(), String> {
        let command = self.command.clone().no_binary_name(true);
        // The message quotes the value, which may hold control characters.
        let shown = visible(&word.to_string_lossy()).into_owned();
        if command.clone().try_get_matches_from([word]).is_ok() {
            return Ok(());
        }
        let Err(error) = command.try_get_matches_from([&shown]) else {
            return Err(format!("invalid value: {shown}"));
        };
        let text = error.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines = lines.take_while(|line| !line.starts_with("For more"));
        let reason = lines.collect::<Vec<_>>().join("; ");
        Err(reason.strip_prefix("error: ").unwrap_or(&reason).to_owned())
    }
}

fn unknown_key<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = nearest(name, known);
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("unknown key `{}`{hint}", visible(name))
}

fn line(text: &str, at: usize) -> u64 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() as u64 + 1
}

/// Returns the values of an array, or a value that is not an array.
fn values<'v>(value: &'v DeValue<'v>) -> Vec<&'v DeValue<'v>> {
    match value {
        DeValue::Array(values) => values.iter().map(Spanned::get_ref).collect(),
        value => vec![value],
    }
}

/// Returns the type of a value, with its article.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
