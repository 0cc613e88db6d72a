//! What JSON documents of known kinds refer to, by the tree that serde_json reads and tables of its own.

use uriscan::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;

use crate::html::oracle::json::Json;

/// A reference: the JSON Pointer or the name of the attribute, and the text.
pub(super) type Expected = (Option<String>, String);

/// A value, where it stands.
struct Leaf {
    /// Names of members, and none for items.
    steps: Vec<Option<String>>,
    /// The numbers of the containers around it, from the top down.
    containers: Vec<usize>,
    pointer: String,
    text: String,
    /// Whether the text was put together from an array.
    is_joined: bool,
}

#[derive(Default)]
struct Leaves {
    list: Vec<Leaf>,
    steps: Vec<Option<String>>,
    containers: Vec<usize>,
    pointer: Vec<String>,
    count: usize,
}

impl Leaves {
    fn push(&mut self, text: String, is_joined: bool) {
        self.list.push(Leaf {
            steps: self.steps.clone(),
            containers: self.containers.clone(),
            pointer: self.pointer.concat(),
            text,
            is_joined,
        });
    }

    fn inside(&mut self, step: Option<&str>, pointer: &str, value: &Json) {
        self.steps.push(step.map(str::to_owned));
        self.pointer.push(format!("/{pointer}"));
        self.read(value);
        self.steps.pop();
        self.pointer.pop();
    }

    fn read(&mut self, value: &Json) {
        self.count += 1;
        let container = self.count;
        match value {
            Json::String(text) => self.push(text.clone(), false),
            Json::Other => {}
            Json::Array(items) => {
                let strings = items.iter().filter_map(|item| match item {
                    Json::String(text) => Some(text.as_str()),
                    _ => None,
                });
                self.push(strings.collect(), true);
                self.containers.push(container);
                for (index, item) in items.iter().enumerate() {
                    self.inside(None, &index.to_string(), item);
                }
                self.containers.pop();
            }
            Json::Object(members) => {
                self.containers.push(container);
                for (name, value) in members {
                    let pointer = name.replace('~', "~0").replace('/', "~1");
                    self.inside(Some(name), &pointer, value);
                }
                self.containers.pop();
            }
        }
    }

    /// The value of a member that the leaf at an index is about: the last one before it in the object at
    /// the path, else the first one behind it.
    fn member(&self, about: usize, object: &str, member: &str) -> &str {
        let root = object.matches('/').count();
        let path = format!("{object}{member}");
        let is_member = |leaf: &&Leaf| {
            !leaf.is_joined
                && is_at(leaf, &path)
                && leaf.containers[root] == self.list[about].containers[root]
        };
        let (before, behind) = self.list.split_at(about);
        let found = before.iter().rfind(is_member);
        found
            .or_else(|| behind.iter().find(is_member))
            .map_or("", |leaf| &leaf.text)
    }
}

/// Whether a leaf is at a path; `*` is any item, `**` any member.
fn is_at(leaf: &Leaf, path: &str) -> bool {
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let is_step = |(step, name): (&&str, &Option<String>)| match (*step, name) {
        ("*", None) | ("**", Some(_)) => true,
        ("*" | "**", _) | (_, None) => false,
        (step, Some(name)) => step == name,
    };
    steps.len() == leaf.steps.len() && steps.iter().zip(&leaf.steps).all(is_step)
}

/// The paths of references.
fn links(format: &str) -> &'static [&'static str] {
    match format {
        "webmanifest" => &[
            "/start_url",
            "/scope",
            "/id",
            "/icons/*/src",
            "/shortcuts/*/url",
            "/shortcuts/*/icons/*/src",
            "/screenshots/*/src",
            "/related_applications/*/url",
            "/share_target/action",
            "/protocol_handlers/*/url",
            "/file_handlers/*/action",
        ],
        "sourcemap" => &[
            "/file",
            "/sources/*",
            "/sections/*/url",
            "/sections/*/map/file",
            "/sections/*/map/sources/*",
        ],
        "jsonfeed" => &[
            "/home_page_url",
            "/feed_url",
            "/next_url",
            "/icon",
            "/favicon",
            "/author/url",
            "/author/avatar",
            "/authors/*/url",
            "/authors/*/avatar",
            "/hubs/*/url",
            "/items/*/url",
            "/items/*/external_url",
            "/items/*/image",
            "/items/*/banner_image",
            "/items/*/author/url",
            "/items/*/author/avatar",
            "/items/*/authors/*/url",
            "/items/*/authors/*/avatar",
            "/items/*/attachments/*/url",
        ],
        "har" => &[
            "/log/entries/*/request/url",
            "/log/entries/*/response/redirectURL",
        ],
        _ => &[],
    }
}

/// The format of the document that a leaf is, if it is one.
fn document(format: &str, leaves: &Leaves, at: usize) -> Option<&'static str> {
    let leaf = &leaves.list[at];
    let is = |path: &str| is_at(leaf, path);
    let by_cell = |kind: &str| match kind {
        "markdown" | "heading" => "markdown",
        _ => "text",
    };
    let by_output = || match leaf.steps.last().and_then(Option::as_deref) {
        Some("text/html" | "html") => "html",
        Some("text/markdown") => "markdown",
        _ => "text",
    };
    match format {
        "jsonfeed" if is("/items/*/content_html") && !leaf.is_joined => Some("html"),
        "ipynb" if is("/cells/*/source") => {
            Some(by_cell(leaves.member(at, "/cells/*", "/cell_type")))
        }
        "ipynb" if is("/worksheets/*/cells/*/source") => {
            let kind = leaves.member(at, "/worksheets/*/cells/*", "/cell_type");
            Some(by_cell(kind))
        }
        "ipynb" if is("/cells/*/outputs/*/data/**") => Some(by_output()),
        "ipynb" if is("/worksheets/*/cells/*/outputs/*/**") => Some(by_output()),
        "ipynb"
            if is("/cells/*/outputs/*/text")
                || is("/cells/*/outputs/*/traceback")
                || is("/worksheets/*/cells/*/input") =>
        {
            Some("text")
        }
        "har" if is("/log/entries/*/response/content/text") && !leaf.is_joined => {
            let kind = leaves.member(at, "/log/entries/*/response/content", "/mimeType");
            let kind = kind.split(';').next().unwrap_or_default().trim();
            match kind.to_ascii_lowercase().as_str() {
                "text/html" => Some("html"),
                "text/css" => Some("css"),
                "text/plain" => Some("text"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The references that the library finds in a text as a document of its own.
fn alone(format: &str, text: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    let mut document = Document::new(Format::named(format).unwrap(), None);
    document.declared = Some(encoding_rs::UTF_8);
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    extractor.extract_bytes(&document, text.as_bytes(), &mut |link: &Link<'_>| {
        let reference = String::from_utf8_lossy(link.reference).into_owned();
        found.push((link.attribute.map(str::to_owned), reference));
    });
    found
}

/// The references of a document of a known kind, in its order.
pub(super) fn expected(format: &str, value: &Json) -> Vec<Expected> {
    let mut leaves = Leaves::default();
    leaves.read(value);
    let mut found = Vec::new();
    for (at, leaf) in leaves.list.iter().enumerate() {
        if leaf.text.is_empty() {
            continue;
        }
        let pointer = Some(leaf.pointer.clone()).filter(|pointer| pointer.len() <= 1024);
        if !leaf.is_joined && links(format).iter().any(|path| is_at(leaf, path)) {
            found.push((pointer, leaf.text.clone()));
        } else if let Some(kind) = document(format, &leaves, at) {
            found.extend(alone(kind, &leaf.text));
        } else if format == "har" && !leaf.is_joined {
            for side in ["request", "response"] {
                let object = format!("/log/entries/*/{side}/headers/*");
                if is_at(leaf, &format!("{object}/value")) {
                    let name = leaves.member(at, &object, "/name");
                    found.extend(field(name, &leaf.text));
                }
            }
        }
    }
    found
}

/// The references of a header field.
fn field(name: &str, value: &str) -> Vec<Expected> {
    let name = name.to_ascii_lowercase();
    let values: Vec<&str> = match name.as_str() {
        "location" => vec![value],
        // The generator writes no quoted strings with brackets.
        "link" => (value.split('<').skip(1))
            .filter_map(|part| Some(part.split_once('>')?.0))
            .collect(),
        _ => Vec::new(),
    };
    let values = values.into_iter().map(|value| value.trim_matches(' '));
    let values = values.filter(|value| !value.is_empty());
    values
        .map(|value| (Some(name.clone()), value.to_owned()))
        .collect()
}
