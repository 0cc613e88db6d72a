//! How documents are read.

use clap::{Args, ValueEnum};
use encoding_rs::Encoding;

use super::walk::{WalkArgs, size};
use crate::document;
use crate::document::mail::{Alternatives, Attachments, Headers, MimeBase};
use crate::document::markdown::Slug;
use crate::document::text::NonAscii;
use crate::pipeline::Decompress;
use crate::uri::unwrap::{Gateway, Unwrapper};

/// How documents are read.
#[derive(Args)]
#[command(next_help_heading = "How they are read")]
pub struct ReadArgs {
    /// Look into gzip, zstd, bzip2 and xz files; into those that are named it is done anyway
    #[arg(short = 'z', long)]
    pub decompress: bool,
    /// The charset, as a transport would declare it: only a byte order mark beats it
    #[arg(long, value_name = "LABEL", value_parser = encoding)]
    pub encoding: Option<&'static Encoding>,
    /// Text: find `www.example.com` as `http://www.example.com` too
    #[arg(long)]
    pub www: bool,
    /// Text: find `user@example.com` as `mailto:user@example.com` too
    #[arg(long)]
    pub email: bool,
    /// Text: set no limits to white space between delimiters (RFC 2396 Appendix E)
    #[arg(long)]
    pub strict_text: bool,
    /// Text: which characters beyond ASCII belong to a URI
    #[arg(long, value_name = "WHICH", default_value = "iri")]
    pub non_ascii: NonAsciiArg,
    /// HTML: report what is a reference only by convention too
    #[arg(long)]
    pub extended: bool,
    /// HTML: parse noscript as a browser that runs scripts does
    #[arg(long)]
    pub scripting: bool,
    /// HTML: also find URIs in character data, by the rules for text
    #[arg(long)]
    pub html_text: bool,
    /// Markdown: what fragments can name headings by
    #[arg(long, value_name = "HOW", default_value = "github")]
    pub slug: SlugArg,
    /// HTML: the longest document that is read twice where exactness asks for it
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_document: Option<u64>,
    /// Mail: the header fields that are read
    #[arg(long, value_name = "WHICH", default_value = "known")]
    pub headers: HeadersArg,
    /// Mail: report identifiers too, of messages as mid: and of news groups as news:
    #[arg(long)]
    pub ids: bool,
    /// Mail: the parts of a multipart/alternative that are read
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub alternatives: AlternativesArg,
    /// Mail: what a relative Content-Location is to the base
    #[arg(long, value_name = "HOW", default_value = "chained")]
    pub mime_base: MimeBaseArg,
    /// Mail: read compressed attachments too
    #[arg(long)]
    pub attachments: bool,
    /// Tell what links stand for that a mail gateway has rewritten
    #[arg(long)]
    pub unwrap: bool,
    /// Another host of such a gateway, safelinks or urldefense; with a leading dot, any host under
    /// it. Implies --unwrap
    #[arg(long, value_name = "KIND=HOST", value_parser = gateway)]
    pub unwrap_host: Vec<(Gateway, String)>,
    /// How many bytes are read at a time
    #[arg(long, value_name = "SIZE", value_parser = size, hide = true)]
    pub window: Option<u64>,
    /// About how many bytes of a huge text are one worker's
    #[arg(long, value_name = "SIZE", value_parser = size, hide = true)]
    pub piece: Option<u64>,
}

/// Which characters beyond ASCII belong to a URI in text.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum NonAsciiArg {
    /// Letters and marks, as in an IRI (RFC 3987)
    Iri,
    /// None
    Ascii,
}

/// What fragments can name headings by.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SlugArg {
    /// The slug that GitHub makes of their text
    Github,
    /// Nothing
    None,
}

/// The header fields that are read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HeadersArg {
    /// None
    None,
    /// Those that are known to hold URIs or free text
    Known,
    /// All, trace fields too
    All,
}

/// The parts of a multipart/alternative that are read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum AlternativesArg {
    /// All
    All,
    /// The last that can be read
    Last,
}

/// What a relative Content-Location is to the base.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MimeBaseArg {
    /// Resolved against the enclosing base, it is one
    Chained,
    /// It is none (RFC 2557 section 5, to the letter)
    Strict,
}

impl ReadArgs {
    /// Which compressed files are looked into.
    pub(in crate::cli) fn decompress(&self, walk: &WalkArgs) -> Decompress {
        match self.decompress || walk.types.iter().any(|one| one.compressed) {
            true => Decompress::All,
            false => Decompress::Named,
        }
    }

    /// What reads targets off rewritten links, if that is asked for.
    pub(in crate::cli) fn unwrapper(&self) -> Option<Unwrapper> {
        let mut unwrapper = Unwrapper::default();
        for (gateway, host) in &self.unwrap_host {
            unwrapper.add(*gateway, host);
        }
        (self.unwrap || !self.unwrap_host.is_empty()).then_some(unwrapper)
    }

    /// The options of the formats.
    pub(in crate::cli) fn options(&self) -> document::FormatOptions {
        let mut options = document::FormatOptions::default();
        options.text.www = self.www;
        options.text.email = self.email;
        options.text.strict = self.strict_text;
        options.text.non_ascii = match self.non_ascii {
            NonAsciiArg::Iri => NonAscii::Iri,
            NonAsciiArg::Ascii => NonAscii::Ascii,
        };
        options.mail.headers = match self.headers {
            HeadersArg::None => Headers::None,
            HeadersArg::Known => Headers::Known,
            HeadersArg::All => Headers::All,
        };
        options.mail.ids = self.ids;
        options.mail.attachments = match self.attachments {
            true => Attachments::Open,
            false => Attachments::Skip,
        };
        options.mail.alternatives = match self.alternatives {
            AlternativesArg::All => Alternatives::All,
            AlternativesArg::Last => Alternatives::Last,
        };
        options.mail.mime_base = match self.mime_base {
            MimeBaseArg::Chained => MimeBase::Chained,
            MimeBaseArg::Strict => MimeBase::Strict,
        };
        options.html.extended = self.extended;
        options.html.scripting = self.scripting;
        options.html.text = self.html_text;
        options.markdown.slug = match self.slug {
            SlugArg::Github => Slug::GitHub,
            SlugArg::None => Slug::None,
        };
        if let Some(most) = self.max_document {
            options.html.max_document = most;
        }
        options
    }
}

fn encoding(label: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| "no such charset".to_owned())
}

fn gateway(text: &str) -> Result<(Gateway, String), String> {
    let (kind, host) = text.split_once('=').ok_or("KIND=HOST is asked for")?;
    match Gateway::named(kind) {
        Some(_) if host.trim_matches('.').is_empty() => Err("there is no host".to_owned()),
        Some(gateway) => Ok((gateway, host.to_owned())),
        None => Err("there are safelinks, urldefense".to_owned()),
    }
}
