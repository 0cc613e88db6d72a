//! The kinds of JSON documents whose members are known, one table each.

use super::tokenizer::JsonSequence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonRole {
    Link,
    /// A reference, after the prefix that `sourceRoot` of its source map names (ECMA-426).
    Source(&'static JsonMember),
    /// Resolves against the origin of `start_url` (Web Application Manifest, `id` member).
    AppId,
    /// HTML, whose base is `url` of the object that holds it.
    Html,
    /// A cell of a notebook; the member has its type, which determines the format.
    Cell(&'static JsonMember),
    /// An output of a notebook, whose media type is its name.
    Output,
    Attachment,
    Text,
    /// A reference whose base is the URL of the request (HAR).
    Redirect,
    /// The value of a header field of HTTP, whose name is in a member beside it (HAR).
    Field(&'static JsonMember),
    /// The base of a page whose links a document lists (WAT).
    PageBase,
    /// A link of a page (WAT); members beside it have the element and the attribute, as `A@/href`, and
    /// its text, link types and title.
    PageLink(&'static [JsonMember; 4]),
    /// The `content` of a meta element, whose `http-equiv` and `property` are in members beside it (WAT).
    PageMeta(&'static [JsonMember; 2]),
    /// The value of this header field of the response (WAT), which has no base but its own URI.
    PageField(&'static str),
    /// A body of HTTP, a document of its media type whose base is the URL of the request (HAR).
    Body,
}

/// From the top down: names of members, [`ITEM`] for each item of an array, [`MEMBER`] for any member.
pub(super) type JsonPath = &'static [&'static str];

pub(super) const ITEM: &str = "*";
pub(super) const MEMBER: &str = "**";

#[derive(Debug)]
pub(super) struct JsonRow {
    pub(super) path: JsonPath,
    pub(super) role: JsonRole,
}

/// A member that other strings refer to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonMember {
    pub(super) path: JsonPath,
    /// The number of steps to the object whose values the member applies to.
    pub(super) root: usize,
}

impl JsonMember {
    const fn own(path: JsonPath) -> Self {
        let root = path.len() - 1;
        JsonMember { path, root }
    }
}

const fn link(path: JsonPath) -> JsonRow {
    row(path, JsonRole::Link)
}

const fn row(path: JsonPath, role: JsonRole) -> JsonRow {
    JsonRow { path, role }
}

/// A kind of documents, and its strings that are read; without rows it is any.
#[derive(Debug)]
pub(super) struct JsonKind {
    pub(super) sequence: JsonSequence,
    pub(super) rows: &'static [JsonRow],
    pub(super) members: &'static [&'static JsonMember],
}

impl JsonKind {
    pub(super) const fn any(sequence: JsonSequence) -> Self {
        JsonKind {
            sequence,
            rows: &[],
            members: &[],
        }
    }

    pub(super) fn is_known(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Returns whether a row is the base of the others, which have to wait for it.
    pub(super) fn names_base(&self) -> bool {
        self.rows.iter().any(|row| row.role == JsonRole::PageBase)
    }
}

pub(super) static ANY: JsonKind = JsonKind::any(JsonSequence::One);
pub(super) static LINES: JsonKind = JsonKind::any(JsonSequence::Lines);
pub(super) static RELAXED: JsonKind = JsonKind::any(JsonSequence::Relaxed);

pub(super) static START_URL: JsonMember = JsonMember::own(&["start_url"]);

/// Web Application Manifest (W3C), Manifest Incubations and Web Share Target.
pub(super) static WEB_MANIFEST: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: &[
        link(&["start_url"]),
        link(&["scope"]),
        row(&["id"], JsonRole::AppId),
        link(&["icons", ITEM, "src"]),
        link(&["shortcuts", ITEM, "url"]),
        link(&["shortcuts", ITEM, "icons", ITEM, "src"]),
        link(&["screenshots", ITEM, "src"]),
        link(&["related_applications", ITEM, "url"]),
        link(&["share_target", "action"]),
        link(&["protocol_handlers", ITEM, "url"]),
        link(&["file_handlers", ITEM, "action"]),
    ],
    members: &[&START_URL],
};

static SOURCE_ROOT: JsonMember = JsonMember::own(&["sourceRoot"]);
static SECTION_ROOT: JsonMember = JsonMember::own(&["sections", ITEM, "map", "sourceRoot"]);

/// Source maps and index maps (ECMA-426).
#[rustfmt::skip]
pub(super) static SOURCE_MAP: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: &[
        link(&["file"]),
        row(&["sources", ITEM], JsonRole::Source(&SOURCE_ROOT)),
        link(&["sections", ITEM, "url"]),
        link(&["sections", ITEM, "map", "file"]),
        row(&["sections", ITEM, "map", "sources", ITEM], JsonRole::Source(&SECTION_ROOT)),
    ],
    members: &[&SOURCE_ROOT, &SECTION_ROOT],
};

pub(super) static ITEM_URL: JsonMember = JsonMember::own(&["items", ITEM, "url"]);

/// JSON Feed 1.1.
pub(super) static JSON_FEED: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: &[
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
        row(&["items", ITEM, "content_html"], JsonRole::Html),
    ],
    members: &[&ITEM_URL],
};

static CELL_TYPE: JsonMember = JsonMember::own(&["cells", ITEM, "cell_type"]);
static SHEET_CELL_TYPE: JsonMember =
    JsonMember::own(&["worksheets", ITEM, "cells", ITEM, "cell_type"]);

/// Jupyter notebooks: nbformat 4, and nbformat 3, which has worksheets.
#[rustfmt::skip]
pub(super) static NOTEBOOK: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: &[
        row(&["cells", ITEM, "source"], JsonRole::Cell(&CELL_TYPE)),
        row(&["cells", ITEM, "attachments", MEMBER], JsonRole::Attachment),
        row(&["cells", ITEM, "outputs", ITEM, "data", MEMBER], JsonRole::Output),
        row(&["cells", ITEM, "outputs", ITEM, "text"], JsonRole::Text),
        row(&["cells", ITEM, "outputs", ITEM, "traceback"], JsonRole::Text),
        row(&["worksheets", ITEM, "cells", ITEM, "source"], JsonRole::Cell(&SHEET_CELL_TYPE)),
        row(&["worksheets", ITEM, "cells", ITEM, "input"], JsonRole::Text),
        row(&["worksheets", ITEM, "cells", ITEM, "outputs", ITEM, MEMBER], JsonRole::Output),
    ],
    members: &[&CELL_TYPE, &SHEET_CELL_TYPE],
};

/// The URL of a request, which is the base of all in its entry.
pub(super) static REQUEST_URL: JsonMember = JsonMember {
    path: &["log", "entries", ITEM, "request", "url"],
    root: 3,
};
static REQUEST_FIELD: JsonMember =
    JsonMember::own(&["log", "entries", ITEM, "request", "headers", ITEM, "name"]);
static RESPONSE_FIELD: JsonMember =
    JsonMember::own(&["log", "entries", ITEM, "response", "headers", ITEM, "name"]);
pub(super) static BODY_TYPE: JsonMember =
    JsonMember::own(&["log", "entries", ITEM, "response", "content", "mimeType"]);
pub(super) static BODY_ENCODING: JsonMember =
    JsonMember::own(&["log", "entries", ITEM, "response", "content", "encoding"]);

/// HTTP Archive 1.2.
#[rustfmt::skip]
pub(super) static HTTP_ARCHIVE: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: &[
        link(&["log", "entries", ITEM, "request", "url"]),
        row(&["log", "entries", ITEM, "response", "redirectURL"], JsonRole::Redirect),
        row(&["log", "entries", ITEM, "request", "headers", ITEM, "value"], JsonRole::Field(&REQUEST_FIELD)),
        row(&["log", "entries", ITEM, "response", "headers", ITEM, "value"], JsonRole::Field(&RESPONSE_FIELD)),
        row(&["log", "entries", ITEM, "response", "content", "text"], JsonRole::Body),
    ],
    members: &[&REQUEST_URL, &REQUEST_FIELD, &RESPONSE_FIELD, &BODY_TYPE, &BODY_ENCODING],
};

macro_rules! response {
    ($($step:expr),+) => {
        &["Envelope", "Payload-Metadata", "HTTP-Response-Metadata", $($step),+]
    };
}

macro_rules! page {
    ($($step:expr),+) => {
        response!("HTML-Metadata", $($step),+)
    };
}

macro_rules! link_members {
    ($($step:expr),+) => {
        [
            JsonMember::own(page!($($step),+, "path")),
            JsonMember::own(page!($($step),+, "text")),
            JsonMember::own(page!($($step),+, "rel")),
            JsonMember::own(page!($($step),+, "title")),
        ]
    };
}

static HEAD_LINK: [JsonMember; 4] = link_members!("Head", "Link", ITEM);
static SCRIPT: [JsonMember; 4] = link_members!("Head", "Scripts", ITEM);
static PAGE_LINK: [JsonMember; 4] = link_members!("Links", ITEM);
static META: [JsonMember; 2] = [
    JsonMember::own(page!("Head", "Metas", ITEM, "http-equiv")),
    JsonMember::own(page!("Head", "Metas", ITEM, "property")),
];

/// Web Archive Transformation (Common Crawl): the metadata of a record.
pub(super) static TRANSFORMATION: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: PAGE,
    members: &[&HEAD_LINK[0], &SCRIPT[0], &PAGE_LINK[0], &META[0]],
};

/// The same with the members that only `--anchor-text` and `--extended` ask for.
#[rustfmt::skip]
pub(super) static DESCRIBED_TRANSFORMATION: JsonKind = JsonKind {
    sequence: JsonSequence::One,
    rows: PAGE,
    members: &[
        &HEAD_LINK[0], &SCRIPT[0], &PAGE_LINK[0], &META[0], &HEAD_LINK[2], &HEAD_LINK[3],
        &PAGE_LINK[1], &PAGE_LINK[2], &PAGE_LINK[3], &META[1],
    ],
};

#[rustfmt::skip]
static PAGE: &[JsonRow] = &[
    row(page!("Head", "Base"), JsonRole::PageBase),
    row(page!("Head", "Link", ITEM, "url"), JsonRole::PageLink(&HEAD_LINK)),
    row(page!("Head", "Link", ITEM, "href"), JsonRole::PageLink(&HEAD_LINK)),
    row(page!("Head", "Scripts", ITEM, "url"), JsonRole::PageLink(&SCRIPT)),
    row(page!("Head", "Metas", ITEM, "content"), JsonRole::PageMeta(&META)),
    row(page!("Links", ITEM, "url"), JsonRole::PageLink(&PAGE_LINK)),
    row(page!("Links", ITEM, "href"), JsonRole::PageLink(&PAGE_LINK)),
    row(response!("Headers", "Location"), JsonRole::PageField("location")),
    row(response!("Headers", "location"), JsonRole::PageField("location")),
    row(response!("Headers", "Link"), JsonRole::PageField("link")),
    row(response!("Headers", "link"), JsonRole::PageField("link")),
    row(response!("Headers", "Link", ITEM), JsonRole::PageField("link")),
    row(response!("Headers", "Refresh"), JsonRole::PageField("refresh")),
    row(response!("Headers", "refresh"), JsonRole::PageField("refresh")),
];
