//! Constructs by which generators of sites refer to pages and files: a row for each (K17).

use std::ops::Range;

use DocumentPart::{Body, Metadata};

use regex::bytes::Match;

use super::super::options::Slug;
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;

struct Construct {
    dialects: &'static [Slug],
    /// The element of the reference.
    name: &'static str,
    part: DocumentPart,
    /// The first group is the reference.
    pattern: Pattern,
    /// The group is a text in which this pattern finds the references.
    lines: Option<Pattern>,
}

/// The constructs that are an anchor and the name of one, not references.
pub(super) const LABEL: &str = "label";
pub(super) const LABEL_REFERENCE: &str = "label reference";

/// A line that takes in another file, with the labels that it defines.
pub(super) static PART: Pattern =
    Pattern::new(r"(?m)^[ \t]*(?:-+8<-+|<!--\s*@include:|\{\{\s*#include\s|\{%-?\s*include)");

#[derive(Clone, Copy, PartialEq, Eq)]
enum DocumentPart {
    Metadata,
    /// All that follows the metadata, code too: generators replace constructs before they parse.
    Body,
}

const fn row(
    part: DocumentPart,
    dialects: &'static [Slug],
    name: &'static str,
    pattern: &'static str,
) -> Construct {
    Construct {
        dialects,
        name,
        part,
        pattern: Pattern::new(pattern),
        lines: None,
    }
}

#[rustfmt::skip]
static CONSTRUCTS: [Construct; 31] = [
    row(Body, &[Slug::Hugo], "ref", r#"\{\{[<%]\s*(?:rel)?ref\s+(?:path=)?["`]([^"`\n]+)["`]"#),
    row(Body, &[Slug::Hugo], "ref", r#"\{\{[<%]\s*(?:rel)?ref\s+(?:path=)?([^"`\s=>%]+)[\s>%]"#),
    row(Body, &[Slug::Hugo], "figure", r#"\{\{[<%]\s*figure\s[^>]*?\bsrc\s*=\s*["`]([^"`\n]+)["`]"#),
    row(Body, &[Slug::Hugo], "figure", r#"\{\{[<%]\s*figure\s[^>]*?\bsrc\s*=\s*([^"`\s>]+)"#),
    row(Body, &[Slug::MdBook], "part", r"(?:^|[^\\])\{\{\s*#(?:include|rustdoc_include|playground|playpen|template)\s+([^\s:}]+)"),
    row(Body, &[Slug::Jekyll], "link", r"\{%-?\s*link\s+([^\s{}%]+)\s*-?%\}"),
    row(Body, &[Slug::Jekyll], "post_url", r"\{%-?\s*post_url\s+([^\s{}%]+)\s*-?%\}"),
    row(Body, &[Slug::Jekyll], "part", r"\{%-?\s*include\s+([^\s{}%]+)"),
    row(Body, &[Slug::Jekyll], "include", r"\{%-?\s*include_relative\s+([^\s{}%]+)"),
    row(Body, &[Slug::Jekyll], "url", r#"\{\{-?\s*["']([^"'{}]+)["']\s*\|\s*(?:relative|absolute)_url\s*-?\}\}(?:[)"'\s>#?]|$)"#),
    row(Body, &[Slug::Jekyll], "url", r#"\{\{-?\s*site\.baseurl\s*-?\}\}(/[^\s"')>{}]*)(?:[)"'\s>]|$)"#),
    row(Body, &[Slug::HonKit], "tag", r#"\{%\s*(?:content-ref\s+url|file\s+src)\s*=\s*"([^":]+)""#),
    row(Metadata, &[Slug::HonKit], "cover", r#"(?m)^cover:[ \t]*["'>-]*\s*([^\s"':>]+)"#),
    row(Body, &[Slug::Myst], LABEL, r"(?m)^[ \t]*\(([^()\n]+)\)=[ \t]*$"),
    row(Body, &[Slug::Myst], LABEL, r"(?m)^[ \t]*:(?:name|label):[ \t]*([^\s`]+)[ \t]*$"),
    row(Body, &[Slug::Myst], LABEL, r"\{#([^\s}]+)"),
    row(Body, &[Slug::Myst], LABEL_REFERENCE, r"\{(?:num)?ref\}`(?:[^`<\n]*<)?([^`<>:\n]+)>?`"),
    row(Body, &[Slug::Myst], "doc", r"\{doc\}`(?:[^`<\n]*<)?([^`<>:\n]+)>?`"),
    row(Body, &[Slug::Myst], "download", r"\{download\}`(?:[^`<\n]*<)?([^`<>:\n]+)>?`"),
    row(Body, &[Slug::Myst], "image", r"(?m)^[ \t]*(?:```+|:::+|~~~+)\{(?:image|figure|literalinclude)\}[ \t]+([^\s:]+)[ \t]*$"),
    row(Body, &[Slug::Myst], "part", r"(?m)^[ \t]*(?:```+|:::+|~~~+)\{include\}[ \t]+([^\s:]+)[ \t]*$"),
    Construct {
        dialects: &[Slug::Myst], name: "toctree", part: Body,
        lines: Some(Pattern::new(r"(?m)^[ \t]*(?:[^\s:<`][^\n<`]*<)?([^\s:<>`*?\[-][^\n<>`*?\[:]*?)>?[ \t]*$")),
        pattern: Pattern::new(r"(?m)^[ \t]*(?:```+|:::+|~~~+)\{toctree\}[ \t]*\n(.*?)^[ \t]*(?:```|:::|~~~)"),
    },
    row(Body, &[Slug::MkDocs], "part", r#"(?m)^[ \t]*-+8<-+[ \t]+["']([^"':#\n]+)(?:["'#]|:[^/])"#),
    row(Body, &[Slug::VitePress], "part", r"<!--\s*@include:\s*([^\s{#>]+?)\s*(?:[{#][^>]*)?-->"),
    row(Body, &[Slug::VitePress], "part", r"(?m)^[ \t]*<<<[ \t]*([^\s{#\[]+)"),
    row(Metadata, &[Slug::VitePress, Slug::Starlight], "link", r#"(?m)(?:^[ \t]*(?:-[ \t]+)*|[{,]\s*)link:[ \t]*["']?([^\s"',}]+)"#),
    row(Metadata, &[Slug::VitePress], "image", r#"(?m)(?:^[ \t]*(?:-[ \t]+)*|[{,]\s*)(?:src|light|dark):[ \t]*["']?([^\s"',}]+\.[a-z0-9]+)"#),
    row(Metadata, &[Slug::VitePress], "image", r#"(?m)^hero:[ \t]*\n(?:[ \t][^\n]*\n)*?[ \t]+image:[ \t]*["']?([^\s"',{}]+\.[a-z0-9]+)"#),
    row(Metadata, &[Slug::Starlight], "image", r#"(?m)(?:^[ \t]*(?:-[ \t]+)*|[{,]\s*)(?:file|light|dark):[ \t]*["']?([^\s"',}]+\.[a-z0-9]+)"#),
    row(Body, &[Slug::Hexo], "post", r"\{%-?\s*post_(?:link|path)\s+([^\s%]+)"),
    row(Body, &[Slug::Hexo], "asset", r"\{%-?\s*asset_(?:img|link|path)\s+(?:[^\s.%]+\s+)*?([^\s%]*\.[^\s%]+)"),
];

/// Text that Liquid leaves alone, drops or shows as code; the group is the name of the tag.
static RAW: Pattern = Pattern::new(
    r"\{%-?\s*(raw|comment|highlight)\b[^%]*%\}.*?\{%-?\s*end(?:raw|comment|highlight)\s*-?%\}",
);
/// Code of Hugo.
static HIGHLIGHT: Pattern = Pattern::new(r"\{\{[<%]\s*(highlight)\s.*?\{\{[<%]\s*/\s*highlight\s");
/// Code of MyST without the name in braces of another directive, and comments; the group marks a line.
static CODE: Pattern = Pattern::new(
    r"(?m)^[ \t]*(?:```+|~~~+)[ \t]*(?:\w|\{(?:source)?code)[^\n]*\n.*?^[ \t]*(?:```|~~~)|^[ \t]*(%)[^\n]*|^[ \t]*<!--.*?(?:-->|\z)",
);
/// The path of a module, or of a page, that is not a package's.
static IMPORT: Pattern =
    Pattern::new(r#"(?:\bfrom|^import|\nimport)\s*["']((?:\.\.?|@site|@|~)/[^"'?#\s]+)"#);

/// Finds the paths in the lines of a module.
pub(super) fn imports(bytes: &[u8], lines: Range<usize>, on_path: impl FnMut(Range<usize>)) {
    let start = lines.start;
    let paths = IMPORT.groups(&bytes[lines], 0).map(|[whole, path]| {
        step(whole.len());
        start + path.start..start + path.end
    });
    paths.for_each(on_path);
}

/// Returns the ranges of comments, and of code in tags, after an index.
pub(super) fn comments(slug: Slug, bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let blocks = code(slug).into_iter();
    let blocks = blocks.flat_map(|code| code.captures_iter(bytes));
    let is_comment = |name: Match<'_>| name.as_bytes() != b"raw";
    let comments = blocks.filter(|block| block.get(1).is_some_and(is_comment));
    let ranges = comments.filter_map(|block| Some(block.get(0)?.range()));
    ranges.filter(|range| range.start >= start).collect()
}

/// Returns the pattern of text in which a dialect has no constructs.
fn code(slug: Slug) -> Option<&'static Pattern> {
    match slug {
        Slug::Jekyll => Some(&RAW),
        Slug::Hugo => Some(&HIGHLIGHT),
        Slug::Myst => Some(&CODE),
        _ => None,
    }
}

/// Finds the references in the constructs of a dialect; `body` is the index after the metadata.
pub(crate) fn find(
    slug: Slug,
    bytes: &[u8],
    body: usize,
    mut on_reference: impl FnMut(&'static str, Range<usize>),
) {
    let rows = CONSTRUCTS.iter().filter(|row| row.dialects.contains(&slug));
    let code = code(slug).into_iter();
    let raw = code.flat_map(|code| code.find_iter(bytes));
    let raw: Vec<Range<usize>> = raw.map(|found| found.range()).collect();
    for row in rows {
        let (text, start) = match row.part {
            Metadata => (&bytes[..body], 0),
            Body => (bytes, body),
        };
        for [whole, group] in row.pattern.groups(text, start) {
            step(1);
            let around = raw.get(raw.partition_point(|raw| raw.end <= group.start));
            let before = &text[..whole.start];
            let before = before.strip_suffix(b" ").unwrap_or(before);
            let is_raw = around.is_some_and(|raw| raw.start <= group.start)
                || slug == Slug::Myst && before.ends_with(b"``");
            if let Some(lines) = row.lines.as_ref().filter(|_| !is_raw) {
                for [_, entry] in lines.groups(&text[..group.end], group.start) {
                    if !entry.is_empty() && &text[entry.clone()] != b"self" {
                        on_reference(row.name, entry);
                    }
                }
            } else if !group.is_empty() && !is_raw {
                on_reference(row.name, group);
            }
        }
    }
}
