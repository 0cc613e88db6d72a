//! The kinds of JSON documents whose members are known, one table each.

use super::tokenizer::JsonSequence;

/// The meaning of a string at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonRole {
    /// A reference.
    Link,
    /// A reference behind the prefix that `sourceRoot` of its source map names (ECMA-426).
    Source,
    /// The identity of an application, which resolves against the origin of `start_url` (Web Application
    /// Manifest, `id` member).
    AppId,
    /// HTML, whose base is `url` of the object that holds it.
    Html,
}

/// A path, from the top down: names of members, and [`ITEM`] for each item of an array.
pub(super) type JsonPath = &'static [&'static str];

/// Any item of an array.
pub(super) const ITEM: &str = "*";

/// The strings at a path.
pub(super) struct JsonRow {
    pub(super) path: JsonPath,
    pub(super) role: JsonRole,
}

const fn link(path: JsonPath) -> JsonRow {
    let role = JsonRole::Link;
    JsonRow { path, role }
}

const fn source(path: JsonPath) -> JsonRow {
    let role = JsonRole::Source;
    JsonRow { path, role }
}

/// The strings of a document that are read.
#[derive(Clone, Copy)]
pub(super) enum JsonStrings {
    /// All of them, by the rules for text.
    All(JsonSequence),
    /// Those of a table.
    Table(&'static [JsonRow]),
}

/// Web Application Manifest (W3C), Manifest Incubations and Web Share Target.
pub(super) static WEB_MANIFEST: &[JsonRow] = &[
    link(&["start_url"]),
    link(&["scope"]),
    JsonRow {
        path: &["id"],
        role: JsonRole::AppId,
    },
    link(&["icons", ITEM, "src"]),
    link(&["shortcuts", ITEM, "url"]),
    link(&["shortcuts", ITEM, "icons", ITEM, "src"]),
    link(&["screenshots", ITEM, "src"]),
    link(&["related_applications", ITEM, "url"]),
    link(&["share_target", "action"]),
    link(&["protocol_handlers", ITEM, "url"]),
    link(&["file_handlers", ITEM, "action"]),
];

/// Source maps and index maps (ECMA-426).
pub(super) static SOURCE_MAP: &[JsonRow] = &[
    link(&["file"]),
    source(&["sources", ITEM]),
    link(&["sections", ITEM, "url"]),
    link(&["sections", ITEM, "map", "file"]),
    source(&["sections", ITEM, "map", "sources", ITEM]),
];

/// JSON Feed 1.1.
pub(super) static JSON_FEED: &[JsonRow] = &[
    link(&["home_page_url"]),
    link(&["feed_url"]),
    link(&["next_url"]),
    link(&["icon"]),
    link(&["favicon"]),
    link(&["author", "url"]),
    link(&["author", "avatar"]),
    link(&["authors", ITEM, "url"]),
    link(&["authors", ITEM, "avatar"]),
    link(&["hubs", ITEM, "url"]),
    link(&["items", ITEM, "url"]),
    link(&["items", ITEM, "external_url"]),
    link(&["items", ITEM, "image"]),
    link(&["items", ITEM, "banner_image"]),
    link(&["items", ITEM, "author", "url"]),
    link(&["items", ITEM, "author", "avatar"]),
    link(&["items", ITEM, "authors", ITEM, "url"]),
    link(&["items", ITEM, "authors", ITEM, "avatar"]),
    link(&["items", ITEM, "attachments", ITEM, "url"]),
    JsonRow {
        path: &["items", ITEM, "content_html"],
        role: JsonRole::Html,
    },
];
