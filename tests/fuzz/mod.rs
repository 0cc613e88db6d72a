//! What a fuzzer tries: one check a target, each of which takes any bytes and panics where the
//! library is wrong.
//!
//! `cargo fuzz --fuzz-dir tests/fuzz run NAME` (the targets are in `targets/`) and the smoke test
//! below call the same checks.

mod adoc;
mod archives;
mod compressed;
mod css;
mod html;
mod input;
mod json;
mod mail;
mod output;
mod pdf;
mod rst;
#[cfg(test)]
mod smoke;
#[cfg(feature = "arrow")]
mod tables;
mod text;
mod troff;
mod uri;
mod windows;
mod xml;

use input::Input;

/// A check and the name of its target.
pub(crate) struct Target {
    /// The name that `cargo fuzz run` takes.
    pub(crate) name: &'static str,
    check: fn(Input<'_>),
    /// Where its seeds are, from the top of the project.
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "a fuzzer is told on its command line")
    )]
    seeds: &'static [&'static str],
}

/// Every target.
#[rustfmt::skip]
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "text", check: text::check, seeds: &["corpus/text", "corpus/html"] },
    Target { name: "html", check: html::check, seeds: &["corpus/html"] },
    Target { name: "css", check: css::check, seeds: &["corpus/css"] },
    Target { name: "json", check: json::check, seeds: &["corpus/json", "corpus/ipynb", "corpus/har", "corpus/jsonld", "tests/vectors/documents"] },
    Target { name: "xml", check: xml::check, seeds: &["corpus/xml"] },
    Target { name: "adoc", check: adoc::check, seeds: &["corpus/adoc"] },
    Target { name: "rst", check: rst::check, seeds: &["corpus/rst"] },
    Target { name: "troff", check: troff::check, seeds: &["corpus/troff"] },
    Target { name: "mail", check: mail::check, seeds: &["tests/vectors/mail"] },
    Target { name: "pdf", check: pdf::check, seeds: &["corpus/pdf", "tests/vectors/documents"] },
    Target { name: "uri", check: uri::check, seeds: &["tests/vectors"] },
    Target { name: "windows", check: windows::check, seeds: &["corpus/text", "corpus/html", "tests/vectors/mail"] },
    Target { name: "output", check: output::check, seeds: &["corpus/text", "corpus/html"] },
    #[cfg(feature = "arrow")]
    Target { name: "tables", check: tables::check, seeds: &["corpus/html", "tests/vectors/mail", "tests/vectors/archives"] },
    Target { name: "archives", check: archives::check, seeds: &["tests/vectors/archives", "tests/vectors/documents"] },
    Target { name: "compressed", check: compressed::check, seeds: &["tests/compressed/made", "corpus/text"] },
];

/// Puts bytes to the check of a target.
///
/// # Panics
///
/// Where the library is wrong, and where there is no such target.
pub(crate) fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("it is a target").check)(Input::new(bytes));
}
