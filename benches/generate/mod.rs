//! Large inputs from a seed, the same ones everywhere, that know how many links are in them.
//!
//! | kind | like | bytes per document | bytes per `<` | `:` per KiB | links per KiB |
//! |---|---|---|---|---|---|
//! | `prose` | a kernel's documentation | all in one | 12 600 | 3.2 | 0.24 |
//! | `source` | C with comments | all in one | 840 | 3.6 | 0.05 |
//! | `log` | a web server's | all in one | none | 61 | 2.9 |
//! | `dense` | JSON full of URIs | all in one | none | 45 | 18 |
//! | `reference` | javadoc pages | 22 thousand | 23 | 0 | 3.7 |
//! | `news` | front pages | 172 thousand | 46 | 9.6 | 3.6 |
//! | `list` | a mailing list | all in one | 313 | 5.1 | 0.56 |
//!
//! The figures are those of seed 2396 and 4 MiB, and near those of real documents: the Linux kernel's
//! documentation holds 0.2 URIs per KiB and C sources 0.05; in 7,499 pages of manuals there is a `<`
//! every 25.6 bytes and 3.5 links per KiB, in news pages a `<` every 43 bytes and 3.3 links per KiB.

#![allow(dead_code, reason = "each bench uses a part of it")]

pub(crate) mod crawl;
mod documents;
mod html;
pub(crate) mod mail;
mod markup;
mod pdf;
mod random;
pub(crate) mod site;
mod text;
mod xml;

/// Documents, and the number of links in all of them.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) documents: Vec<Vec<u8>>,
    pub(crate) links: usize,
}

impl Input {
    /// Length of all documents.
    pub(crate) fn len(&self) -> usize {
        self.documents.iter().map(Vec::len).sum()
    }
}

/// A kind of input.
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: &'static str,
    /// The format of its documents.
    pub(crate) format: &'static str,
    /// Makes documents from a seed until they have this many bytes.
    pub(crate) make: fn(u64, usize) -> Input,
}

/// Every kind, one row each.
#[rustfmt::skip]
pub(crate) const KINDS: [Kind; 7] = [
    Kind { name: "prose", format: "text", make: text::prose },
    Kind { name: "source", format: "text", make: text::source },
    Kind { name: "log", format: "text", make: text::log },
    Kind { name: "dense", format: "text", make: text::dense },
    Kind { name: "reference", format: "html", make: html::reference },
    Kind { name: "news", format: "html", make: html::news },
    Kind { name: "list", format: "mbox", make: mail::list },
];

/// Documents of other formats, one row each.
#[rustfmt::skip]
pub(crate) const DOCUMENTS: [Kind; 14] = [
    Kind { name: "css", format: "css", make: documents::css },
    Kind { name: "json-manifest", format: "webmanifest", make: documents::manifests },
    Kind { name: "json-geo", format: "json", make: documents::geojson },
    Kind { name: "json-sourcemap", format: "sourcemap", make: documents::source_maps },
    Kind { name: "json-notebook", format: "ipynb", make: documents::notebooks },
    Kind { name: "xml-feed", format: "xml", make: xml::feed },
    Kind { name: "xml-sitemap", format: "xml", make: xml::sitemap },
    Kind { name: "xml-drawing", format: "xml", make: xml::drawing },
    Kind { name: "xml-manual", format: "xml", make: xml::manual },
    Kind { name: "rst", format: "rst", make: markup::rst },
    Kind { name: "adoc", format: "adoc", make: markup::adoc },
    Kind { name: "troff", format: "troff", make: markup::troff },
    Kind { name: "pdf-plain", format: "pdf", make: pdf::plain },
    Kind { name: "pdf-packed", format: "pdf", make: pdf::packed },
];
