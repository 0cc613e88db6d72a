//! Flags that choose files, and flags for reading documents.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use encoding_rs::Encoding;
use ignore::overrides::OverrideBuilder;

use crate::archive::{HttpBase, WEB_ARCHIVES};
use crate::cli::help::{nearest, possible_values};
use crate::cli::message::Result;
use crate::decode::compression::CODECS;
use crate::document::mail::{Alternatives, Attachments, Headers, MimeBase};
use crate::document::markdown::Slug;
use crate::document::sniff::NamedType;
use crate::document::text::NonAscii;
use crate::document::{self, Format};
use crate::pipeline::{Shard, walk};
use crate::uri::unwrap::{Gateway, Unwrapper, UrlCoding};

/// Flags that choose files, as in ripgrep.
#[derive(Args)]
#[command(next_help_heading = "Which files")]
pub(crate) struct WalkArgs {
    /// Read only documents of this format; read standard input and named files as it
    ///
    /// The name of a format or an extension of its files (see --type-list), such as md or htm. With
    /// the extension of a codec, as in mbox.gz, compressed files are read, too. Together with
    /// globs that end with an extension or a file name, files with these names are of the format.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = format)]
    pub types: Vec<TypeArg>,
    /// Read files with these extensions as documents of a format, as in html:tpl,jinja
    #[arg(long, value_name = "TYPE:EXT[,EXT]", value_parser = added_types)]
    pub type_add: Vec<AddedTypes>,
    /// Show all formats and exit
    #[arg(long)]
    pub type_list: bool,
    /// Read or, with a `!` before it, leave out files that the glob matches
    #[arg(short, long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub glob: Vec<String>,
    /// Read hidden files and directories
    #[arg(long)]
    pub hidden: bool,
    /// Do not respect .gitignore, .ignore and .uriscanignore
    ///
    /// The patterns of these files take several hundred times their length in memory: use this flag
    /// in trees of strangers.
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
    /// The same, with NUL after each path
    #[arg(long, value_name = "FILE")]
    pub files0_from: Vec<PathBuf>,
    /// Read one of N parts of the files
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

#[derive(Clone, Copy)]
pub(crate) struct TypeArg {
    /// `None` is web archives, whose records are documents of any format.
    pub format: Option<&'static Format>,
    /// Whether the name ends with the extension of a codec.
    pub compressed: bool,
}

/// Names and extensions of a format that users add.
#[derive(Clone, Debug)]
pub(crate) struct AddedTypes(pub Vec<NamedType>);

/// Names of formats besides their own and their extensions.
const ALIASES: [(&str, &str); 3] = [
    ("text", "plain"),
    ("eml", "mail maildir mh rfc822"),
    ("news", "usenet"),
];

impl WalkArgs {
    /// Returns the lists of files, each with the byte that terminates its paths.
    pub(in crate::cli) fn lists(&self) -> impl Iterator<Item = (&Path, u8)> {
        let lines = self.files_from.iter().map(|list| (list.as_path(), b'\n'));
        let others = self.files0_from.iter();
        lines.chain(others.map(|list| (list.as_path(), 0)))
    }

    /// Returns the added formats of names and, if one format is requested, the names at the ends of globs.
    pub(in crate::cli) fn named_types(&self) -> Vec<NamedType> {
        let added = self.type_add.iter().flat_map(|added| &added.0);
        let mut types: Vec<_> = added.cloned().collect();
        let only = self.types.first().filter(|_| self.types.len() == 1);
        if let Some(format) = only.and_then(|only| only.format) {
            let globs = self.glob.iter().filter(|glob| !glob.starts_with('!'));
            let names = globs.flat_map(|glob| glob_names(glob));
            types.extend(names.map(|(name, is_extension)| NamedType {
                name,
                is_extension,
                format,
            }));
        }
        types
    }

    pub(in crate::cli) fn reads_hidden(&self) -> bool {
        self.hidden || self.unrestricted > 1
    }

    pub(in crate::cli) fn options(&self) -> Result<walk::WalkOptions> {
        let mut globs = OverrideBuilder::new(".");
        for glob in &self.glob {
            globs.add(glob)?;
        }
        Ok(walk::WalkOptions {
            globs: globs.build()?,
            hidden: self.reads_hidden(),
            ignore_files: !self.no_ignore && self.unrestricted == 0,
            follow: self.follow,
            max_depth: self.max_depth,
            max_filesize: self.max_filesize,
            ..walk::WalkOptions::default()
        })
    }
}

/// Returns the extensions or the file name that a glob ends with, and whether they are extensions.
fn glob_names(glob: &str) -> Vec<(String, bool)> {
    let last = glob.rsplit('/').next().unwrap_or_default();
    let is_plain =
        |text: &str| !text.is_empty() && !text.contains(['*', '?', '[', ']', '{', '}', '\\']);
    if is_plain(last) {
        return vec![(last.to_lowercase(), false)];
    }
    let Some((_, extension)) = last.rsplit_once("*.") else {
        return Vec::new();
    };
    let names = extension.trim_matches(['{', '}']).split(',');
    let names = names.filter(|name| is_plain(name));
    names.map(|name| (name.to_lowercase(), true)).collect()
}

/// Parses `TYPE:EXT[,EXT]`; a name with a dot inside may also be a whole file name.
fn added_types(text: &str) -> Result<AddedTypes, String> {
    let (name, extensions) =
        (text.split_once(':')).ok_or("a type and extensions, as in html:tpl,jinja")?;
    let format = self::format(name)?.format;
    let format = format.ok_or("web archives are known by their first bytes")?;
    let mut types = Vec::new();
    for written in extensions.split(',').map(str::trim) {
        let name = written.trim_start_matches('*').trim_start_matches('.');
        if name.is_empty() || name.contains(['*', '?', '/', '\\', ':']) {
            return Err("extensions after the colon, separated by commas".to_owned());
        }
        let may_be_whole = name == written && name.contains('.');
        let kinds = [true].into_iter().chain(may_be_whole.then_some(false));
        types.extend(kinds.map(|is_extension| NamedType {
            name: name.to_lowercase(),
            is_extension,
            format,
        }));
    }
    Ok(AddedTypes(types))
}

fn format(name: &str) -> Result<TypeArg, String> {
    let lower = name.trim_start_matches("*.").to_ascii_lowercase();
    let extensions = CODECS.iter().map(|codec| codec.extension);
    let mut extensions = extensions.filter(|extension| !extension.is_empty());
    let inner = extensions.find_map(|extension| lower.strip_suffix(extension)?.strip_suffix('.'));
    let plain = inner.unwrap_or(&lower);
    let is_alias = |aliases: &str| aliases.split(' ').any(|alias| alias == plain);
    let row = ALIASES.iter().find(|(_, aliases)| is_alias(aliases));
    let known = row.map_or(plain, |(name, _)| name);
    let compressed = inner.is_some();
    let format = Format::named(known).or_else(|| Format::of_extension(known));
    if format.is_some() || WEB_ARCHIVES.contains(&known) {
        return Ok(TypeArg { format, compressed });
    }
    let names = Format::all()
        .map(|format| format.name)
        .chain([WEB_ARCHIVES[0]]);
    Err(match nearest(plain, names.clone()) {
        Some(near) => format!("did you mean {near}? {}", possible_values(names)),
        None => possible_values(names),
    })
}

/// Parses a number of bytes, with K, M or G for powers of 1024.
pub(in crate::cli) fn size(text: &str) -> Result<u64, String> {
    let shift = match text.as_bytes().last() {
        Some(b'K' | b'k') => 10,
        Some(b'M' | b'm') => 20,
        Some(b'G' | b'g') => 30,
        _ => 0,
    };
    let digits = &text[..text.len() - usize::from(shift > 0)];
    let number = digits.parse::<u64>();
    let number = number.map_err(|_| "a number, optionally followed by K, M or G")?;
    Ok(number.checked_mul(1 << shift).ok_or("too large")?)
}

/// Flags for reading documents.
#[derive(Args)]
#[command(next_help_heading = "How they are read")]
pub(crate) struct ReadArgs {
    /// Read compressed files (gzip, zstd, bzip2, xz, lz4, compress) and archives (tar, zip, WARC, ARC) too;
    /// named ones are always read
    #[arg(short = 'z', long)]
    pub decompress: bool,
    /// The charset, as a transport would declare it; a byte order mark takes precedence
    #[arg(long, value_name = "LABEL", value_parser = encoding)]
    pub encoding: Option<&'static Encoding>,
    /// Text: find `www.example.com` as `http://www.example.com` too
    #[arg(long)]
    pub www: bool,
    /// Text: find `user@example.com` as `mailto:user@example.com` too
    #[arg(long)]
    pub email: bool,
    /// Text: allow any white space between delimiters (RFC 2396 Appendix E)
    #[arg(long)]
    pub strict_text: bool,
    /// Restore addresses in text that were made harmless: hxxp://example[.]com
    #[arg(long)]
    pub refang: bool,
    /// Text: which characters beyond ASCII belong to a URI
    #[arg(long, value_name = "WHICH", default_value = "iri")]
    pub non_ascii: NonAscii,
    /// HTML and JSON-LD: also report values that are references by convention, such as `@id`
    #[arg(long)]
    pub extended: bool,
    /// HTML: parse noscript as a browser that runs scripts does
    #[arg(long)]
    pub scripting: bool,
    /// HTML: also find URIs in character data, by the rules for text
    #[arg(long)]
    pub html_text: bool,
    /// HTML: also report the reference of the base element that names the base, as `base@href`
    #[arg(long)]
    pub report_base: bool,
    /// Markdown: the dialect that makes the ids of headings: github, gitlab, mdbook,
    /// mkdocs, docusaurus, hugo, kramdown, jekyll, pandoc, vitepress, honkit, docsify, myst, zola,
    /// starlight, nextra, hexo or none [default: the dialect of the generator whose configuration is
    /// in the root of the tree, else github]
    #[arg(long, value_name = "DIALECT", value_parser = slug)]
    pub(crate) slug: Option<Slug>,
    /// Markdown: `[[Page]]` is a link to Page.md, by its path or anywhere in the tree
    #[arg(long)]
    pub(crate) wiki_links: bool,
    /// The maximum length of a document held in memory: HTML that needs a second reading, JSON-LD, PDF
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_document: Option<u64>,
    /// Mail, HTTP archives: the header fields to read
    #[arg(long, value_name = "WHICH", default_value = "known")]
    pub headers: Headers,
    /// Mail: report identifiers too, of messages as mid: and of news groups as news:
    #[arg(long)]
    pub ids: bool,
    /// Mail: the parts of a multipart/alternative to read
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub alternatives: Alternatives,
    /// Mail: whether a relative Content-Location sets the base
    #[arg(long, value_name = "HOW", default_value = "chained")]
    pub mime_base: MimeBase,
    /// Web archives: the base of a response that has a Content-Location
    #[arg(long, value_name = "RULES", value_enum, default_value_t = HttpBase::Rfc9110)]
    pub http_base: HttpBase,
    /// Web archives: also read the `outlink` fields of metadata records
    #[arg(long)]
    pub warc_metadata: bool,
    /// Mail: read attachments that are compressed, archives, packages or PDF
    #[arg(long)]
    pub attachments: bool,
    /// Replace links that a gateway of mail or a redirecting site has rewritten by the links inside
    ///
    /// Filters, counts and --unique see the link inside; records have the rewritten one in
    /// `unwrapped_from`. Links that only the gateway can open have the flag `opaque-gateway`.
    #[arg(long)]
    pub unwrap: bool,
    /// Another gateway: HOST=PARAM or HOST=PARAM:base64, the parameter that holds the link, safelinks=HOST or
    /// urldefense=HOST; with a leading dot, any host under it. Implies --unwrap
    #[arg(long, value_name = "HOST=PARAM", value_parser = gateway)]
    pub unwrap_host: Vec<(Gateway, String)>,
    /// How many bytes are read at a time
    #[arg(long, value_name = "SIZE", value_parser = size, hide = true)]
    pub window: Option<u64>,
    /// About how many bytes of a huge text are one worker's
    #[arg(long, value_name = "SIZE", value_parser = size, hide = true)]
    pub piece: Option<u64>,
}

impl ReadArgs {
    pub(in crate::cli) fn unwrapper(&self) -> Option<Unwrapper> {
        let mut unwrapper = Unwrapper::default();
        for (gateway, host) in &self.unwrap_host {
            unwrapper.add(gateway.clone(), host);
        }
        self.unwraps().then_some(unwrapper)
    }

    pub(in crate::cli) fn unwraps(&self) -> bool {
        self.unwrap || !self.unwrap_host.is_empty()
    }

    pub(in crate::cli) fn options(&self) -> document::FormatOptions {
        let mut options = document::FormatOptions::default();
        options.text.www = self.www;
        options.text.email = self.email;
        options.text.strict = self.strict_text;
        options.text.refang = self.refang;
        options.text.non_ascii = self.non_ascii;
        options.mail.headers = self.headers;
        options.mail.ids = self.ids;
        if self.attachments {
            options.mail.attachments = Attachments::Open;
        }
        options.mail.alternatives = self.alternatives;
        options.mail.mime_base = self.mime_base;
        options.html.extended = self.extended;
        options.html.scripting = self.scripting;
        options.html.text = self.html_text;
        options.html.report_base = self.report_base;
        options.markdown.slug = self.slug.unwrap_or_default();
        options.markdown.wiki_links = self.wiki_links;
        if let Some(length) = self.max_document {
            options.html.max_document = length;
        }
        options
    }
}

fn slug(name: &str) -> Result<Slug, String> {
    Slug::named(name).ok_or_else(|| possible_values(Slug::names()))
}

fn encoding(label: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| "unknown charset".to_owned())
}

fn gateway(text: &str) -> Result<(Gateway, String), String> {
    let parts = text.split_once('=');
    let (one, other) = parts.ok_or("expected HOST=PARAM, safelinks=HOST or urldefense=HOST")?;
    let (host, gateway) = match Gateway::named(one) {
        Some(gateway) => (other, gateway),
        None => {
            let (name, coding) = match other.split_once(':') {
                Some((name, "base64")) => (name, UrlCoding::Base64),
                Some(_) => return Err("possible codings: base64".to_owned()),
                None => (other, UrlCoding::Percent),
            };
            if name.is_empty() {
                return Err("expected the name of a parameter after =".to_owned());
            }
            (one, Gateway::with_parameter(name, coding))
        }
    };
    if host.trim_matches('.').is_empty() {
        return Err("expected a host".to_owned());
    }
    Ok((gateway, host.to_owned()))
}

#[cfg(test)]
#[path = "../../../tests/unit/cli/args/input.rs"]
mod tests;
