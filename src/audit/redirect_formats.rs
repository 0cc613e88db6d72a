//! Redirects in the forms of servers and generators, one row each in `REDIRECT_FORMATS`.

use super::rewrite::push_encoded;
use super::target::split_authority;
use crate::output::json::push_string;

/// The paths of a removed page and of its successor, as URIs write them, from the root of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Redirection {
    pub(crate) from: Vec<u8>,
    pub(crate) to: Vec<u8>,
    /// The successor is the index of a folder with other files.
    pub(crate) is_folder: bool,
}

pub(crate) struct RedirectFormat {
    pub(crate) name: &'static str,
    /// The file in the root of a tree to which lines can be added, if the format has one.
    pub(crate) file: &'static str,
    start: &'static str,
    /// Between two redirects.
    between: &'static str,
    end: &'static str,
    /// Generators take paths from the root of the site.
    is_of_site: bool,
    push: fn(&Redirection, &mut Vec<u8>),
}

pub(crate) static REDIRECT_FORMATS: &[RedirectFormat] = &[
    RedirectFormat {
        file: "_redirects",
        ..row("_redirects", |redirect, out| {
            push_parts(out, &[&redirect.from, b" ", &redirect.to, b" 301\n"]);
        })
    },
    row("netlify", |redirect, out| {
        let parts = ["[[redirects]]\nfrom = ", "\nto = ", "\nstatus = 301\n"];
        push_strings(out, parts, &redirect.from, &redirect.to);
    }),
    RedirectFormat {
        start: "{\"redirects\":[\n",
        between: ",\n",
        end: "\n]}\n",
        ..row("vercel", |redirect, out| {
            let from = escaped(&redirect.from, b"():*+?{}[]\\");
            let parts = ["{\"source\":", ",\"destination\":", ",\"permanent\":true}"];
            push_strings(out, parts, &from, &without_variables(&redirect.to));
        })
    },
    RedirectFormat {
        file: ".htaccess",
        ..row("htaccess", |redirect, out| {
            let from = escaped(&decoded(&redirect.from), b".^$*+?()[]{}|\\");
            let (from, to) = (escaped(&from, b"\""), escaped(&redirect.to, b"$\\\""));
            let parts: &[&[u8]] = &[b"RedirectMatch 301 \"^", &from, b"$\" \"", &to, b"\"\n"];
            push_parts(out, parts);
        })
    },
    row("nginx", |redirect, out| {
        let from = escaped(&decoded(&redirect.from), b"\"\\");
        let parts = [
            &b"location = \""[..],
            &from,
            b"\" { return 301 \"",
            &without_variables(&redirect.to),
            b"\"; }\n",
        ];
        push_parts(out, &parts);
    }),
    // The plugin mkdocs-redirects, by the files of the pages. A list of plugins replaces the default one.
    RedirectFormat {
        start: "plugins:\n  - search\n  - redirects:\n      redirect_maps:\n",
        is_of_site: true,
        ..row("mkdocs", |redirect, out| {
            let file = |path: &[u8]| document(path, ".md");
            let index = if redirect.is_folder { "index.html" } else { "" };
            let to = file(&[&redirect.to, index.as_bytes()].concat());
            push_strings(out, ["        ", ": ", "\n"], &file(&redirect.from), &to);
        })
    },
    // The plugin client-redirects, for its option `redirects`: destinations are routes, and each file is written
    // once.
    RedirectFormat {
        start: "[\n",
        between: ",\n",
        end: "\n]\n",
        is_of_site: true,
        ..row("docusaurus", |redirect, out| {
            let to = redirect.to.strip_suffix(b".html").unwrap_or(&redirect.to);
            if is_index(&redirect.from) {
                return;
            }
            let parts = ["{\"from\":", ",\"to\":", "}"];
            push_strings(out, parts, &redirect.from, to);
            if let Some(route) = redirect.from.strip_suffix(b".html") {
                out.extend_from_slice(b",\n");
                push_strings(out, parts, route, to);
            }
        })
    },
    // For the front matter of the page in the comment.
    RedirectFormat {
        is_of_site: true,
        ..row("hugo", |redirect, out| {
            if is_index(&redirect.from) {
                return;
            }
            push_parts(out, &[b"# ", &redirect.to, b"\naliases: ["]);
            push_string(&redirect.from, out);
            out.extend_from_slice(b"]\n");
        })
    },
    // The extension sphinx-reredirects: destinations are relative to the document.
    RedirectFormat {
        start: "redirects = {\n",
        end: "}\n",
        is_of_site: true,
        ..row("sphinx", |redirect, out| {
            let from = document(&redirect.from, "");
            let steps = memchr::memchr_iter(b'/', &from).count();
            let below = &redirect.to[1.min(redirect.to.len())..];
            let to = [&b"../".repeat(steps), below].concat();
            push_strings(out, ["    ", ": ", ",\n"], &from, &to);
        })
    },
];

const fn row(name: &'static str, push: fn(&Redirection, &mut Vec<u8>)) -> RedirectFormat {
    RedirectFormat {
        name,
        file: "",
        start: "",
        between: "",
        end: "",
        is_of_site: false,
        push,
    }
}

impl RedirectFormat {
    /// Returns the text of the file for some redirects, without equal ones; `site` is the URI of the root.
    pub(crate) fn text(&self, redirects: &[Redirection], site: &[u8]) -> Vec<u8> {
        let site = split_authority(site).1;
        let site = site.strip_suffix(b"/").unwrap_or(site);
        let named = |path: &[u8]| match path.strip_prefix(site) {
            Some(rest) if self.is_of_site && rest.starts_with(b"/") => rest.to_vec(),
            _ => path.to_vec(),
        };
        let mut out = self.start.as_bytes().to_vec();
        let mut written: Vec<Vec<u8>> = Vec::new();
        for redirect in redirects {
            let mut text = Vec::new();
            let redirect = Redirection {
                from: named(&redirect.from),
                to: named(&redirect.to),
                ..redirect.clone()
            };
            (self.push)(&redirect, &mut text);
            if text.is_empty() || written.last() == Some(&text) {
                continue;
            }
            if !written.is_empty() {
                out.extend_from_slice(self.between.as_bytes());
            }
            out.extend_from_slice(&text);
            written.push(text);
        }
        out.extend_from_slice(self.end.as_bytes());
        out
    }
}

fn push_parts(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.extend_from_slice(&parts.concat());
}

/// Appends three texts around the paths as strings of JSON, which TOML, YAML and Python read too.
fn push_strings(out: &mut Vec<u8>, parts: [&str; 3], from: &[u8], to: &[u8]) {
    out.extend_from_slice(parts[0].as_bytes());
    push_string(from, out);
    out.extend_from_slice(parts[1].as_bytes());
    push_string(to, out);
    out.extend_from_slice(parts[2].as_bytes());
}

/// The address of its folder is redirected too.
fn is_index(path: &[u8]) -> bool {
    path.ends_with(b"/index.html")
}

fn escaped(text: &[u8], special: &[u8]) -> Vec<u8> {
    let escape = |&byte: &u8| {
        let escape = special.contains(&byte).then_some(b'\\');
        escape.into_iter().chain([byte])
    };
    text.iter().flat_map(escape).collect()
}

/// Encodes the sign that begins a variable in a destination.
fn without_variables(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_encoded(path, |byte| byte == b'$', &mut out);
    out
}

fn decoded(path: &[u8]) -> Vec<u8> {
    percent_encoding::percent_decode(path).collect()
}

/// Returns the document of a page without its slash, with another extension in place of `.html`.
fn document(path: &[u8], end: &str) -> Vec<u8> {
    let path = decoded(path.strip_prefix(b"/").unwrap_or(path));
    let stem = path.strip_suffix(b".html").or(path.strip_suffix(b"/"));
    let stem = stem.unwrap_or(if path.is_empty() { b"index" } else { &path });
    let end = if path.ends_with(b".md") { "" } else { end };
    [stem, end.as_bytes()].concat()
}
