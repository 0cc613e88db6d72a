//! Which files are read.

use std::path::PathBuf;

use clap::Args;
use ignore::overrides::OverrideBuilder;

use crate::cli::hint::nearest;
use crate::cli::message::Error;
use crate::document::container::CODECS;
use crate::document::{FORMATS, Format};
use crate::pipeline::shard::Shard;
use crate::pipeline::walk;

/// Which files are read, as in ripgrep.
#[derive(Args)]
#[command(next_help_heading = "Which files")]
pub struct WalkArgs {
    /// Read only documents of this format; take standard input and named files for it
    ///
    /// The name of a format or an extension of its files (see --type-list), such as md or htm. With
    /// the extension of a codec, as in mbox.gz, compressed files are looked into, too.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = format)]
    pub types: Vec<TypeArg>,
    /// Show all formats and exit
    #[arg(long)]
    pub type_list: bool,
    /// Read or, with a `!` in front, leave out what the glob matches
    #[arg(short, long, value_name = "GLOB")]
    pub glob: Vec<String>,
    /// Read hidden files and directories
    #[arg(long)]
    pub hidden: bool,
    /// Do not respect .gitignore, .ignore and .uriscanignore
    ///
    /// The patterns of these files are held in memory, where they take several hundred times their
    /// length: in trees of strangers this flag avoids it.
    #[arg(long)]
    pub no_ignore: bool,
    /// The same as --no-ignore; twice, --hidden too
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub unrestricted: u8,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Go no deeper than N directories
    #[arg(short = 'd', long, value_name = "N")]
    pub max_depth: Option<usize>,
    /// Leave out files that are longer than SIZE (K, M and G are understood)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_filesize: Option<u64>,
    /// Read the files of a list too, one path a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Vec<PathBuf>,
    /// The same, with NUL behind each path
    #[arg(long, value_name = "FILE")]
    pub files0_from: Vec<PathBuf>,
    /// Read one of N parts of the files
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

/// A format to read.
#[derive(Clone, Copy)]
pub struct TypeArg {
    /// The format.
    pub format: &'static Format,
    /// Whether compressed files are asked for by name.
    pub compressed: bool,
}

/// Further names of formats, besides those of their extensions.
const ALIASES: [(&str, &str); 6] = [
    ("plain", "text"),
    ("mail", "eml"),
    ("maildir", "eml"),
    ("mh", "eml"),
    ("rfc822", "eml"),
    ("usenet", "news"),
];

impl WalkArgs {
    /// The formats to read; all where there is none.
    pub(in crate::cli) fn formats(&self) -> Vec<&'static Format> {
        self.types.iter().map(|one| one.format).collect()
    }

    /// How trees are walked.
    pub(in crate::cli) fn options(&self) -> Result<walk::WalkOptions, Error> {
        let mut globs = OverrideBuilder::new(".");
        for glob in &self.glob {
            globs
                .add(glob)
                .map_err(|error| Error::new(error.to_string()))?;
        }
        Ok(walk::WalkOptions {
            globs: globs
                .build()
                .map_err(|error| Error::new(error.to_string()))?,
            hidden: self.hidden || self.unrestricted > 1,
            ignore_files: !self.no_ignore && self.unrestricted == 0,
            follow: self.follow,
            max_depth: self.max_depth,
            max_filesize: self.max_filesize,
            sorted: true,
            outputs: walk::Outputs::default(),
        })
    }
}

fn format(name: &str) -> Result<TypeArg, String> {
    let lower = name.trim_start_matches("*.").to_ascii_lowercase();
    let extensions = CODECS.iter().map(|codec| codec.extension);
    let mut extensions = extensions.filter(|extension| !extension.is_empty());
    let inner = extensions.find_map(|extension| lower.strip_suffix(extension)?.strip_suffix('.'));
    let plain = inner.unwrap_or(&lower);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == plain);
    let known = alias.map_or(plain, |(_, name)| name);
    let format = Format::named(known).or_else(|| Format::of_extension(known));
    let compressed = inner.is_some();
    format
        .map(|format| TypeArg { format, compressed })
        .ok_or_else(|| {
            let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
            match nearest(plain, names.iter().copied()) {
                Some(near) => format!("did you mean {near}? There are {}", names.join(", ")),
                None => format!("there are {}", names.join(", ")),
            }
        })
}

/// A number of bytes, with K, M or G for powers of 1024.
pub(in crate::cli) fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "a number, with K, M or G behind it".to_owned())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("1000", Ok(1000)),
            ("4K", Ok(4096)),
            ("4k", Ok(4096)),
            ("2M", Ok(2 << 20)),
            ("1G", Ok(1 << 30)),
        ] {
            assert_eq!(size(text), expected, "{text}");
        }
        for text in ["", "K", "-1", "1T", "99999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
