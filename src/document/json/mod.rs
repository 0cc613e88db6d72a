//! JSON: references in documents of known kinds, and in any other; the tokenizer serves the scripts of
//! HTML too.
#![doc = include_str!("rules.md")]

#[cfg(feature = "documents")]
mod context;
#[cfg(feature = "documents")]
mod http_archive;
#[cfg(feature = "documents")]
mod kinds;
#[cfg(feature = "documents")]
mod linked_data;
mod literals;
#[cfg(feature = "documents")]
mod members;
#[cfg(feature = "documents")]
mod notebook;
#[cfg(feature = "documents")]
mod path;
#[cfg(feature = "documents")]
mod reader;
#[cfg(feature = "documents")]
mod shape;
mod tokenizer;

#[cfg(feature = "documents")]
mod formats {
    use super::kinds::{
        HTTP_ARCHIVE, JSON_FEED, JsonTable, NOTEBOOK, SOURCE_MAP, TRANSFORMATION, WEB_MANIFEST,
    };
    use super::linked_data::LinkedDataScanner;
    use super::members::LONGEST_HELD;
    use super::reader::JsonScanner;
    use super::tokenizer::JsonSequence;
    use crate::bytes::lines::LOOK_BEHIND;
    use crate::bytes::window::Bounds;
    use crate::decode::charset::Conversion;
    use crate::document::events::RuleFamily;
    use crate::document::{Format, FormatOptions, Passes, Retrieval, Scan};

    fn read(
        table: Option<&'static JsonTable>,
        sequence: JsonSequence,
        options: &FormatOptions,
    ) -> Box<dyn Scan> {
        Box::new(JsonScanner::new(table, sequence, options))
    }

    /// JSON of any other kind.
    pub(in crate::document) const JSON: Format = Format {
        name: "json",
        extensions: &["json", "geojson"],
        file_names: &[],
        // Parts of messages in JSON are read as text (M15).
        media_types: &[],
        family: RuleFamily::Plain,
        retrieval: Retrieval::Place,
        bounds: Bounds {
            look_behind: LOOK_BEHIND,
            look_ahead: LONGEST_HELD + 64,
        },
        reading: Passes::Once,
        prescan: None,
        conversion: Conversion::Always,
        split_point: None,
        scanner: |options| read(None, JsonSequence::One, options),
    };

    /// JSON5, and JSON with comments.
    pub(in crate::document) const RELAXED: Format = Format {
        name: "json5",
        extensions: &["json5", "jsonc"],
        file_names: &["jsconfig.json", "tsconfig.json"],
        scanner: |options| read(None, JsonSequence::Relaxed, options),
        ..JSON
    };

    /// JSON Lines.
    pub(in crate::document) const LINES: Format = Format {
        name: "jsonl",
        extensions: &["jsonl", "ndjson"],
        scanner: |options| read(None, JsonSequence::Lines, options),
        ..JSON
    };

    /// Web application manifests.
    pub(in crate::document) const WEB_MANIFESTS: Format = Format {
        name: "webmanifest",
        extensions: &["webmanifest"],
        family: RuleFamily::Markup,
        scanner: |options| read(Some(&WEB_MANIFEST), JsonSequence::One, options),
        ..JSON
    };

    /// Source maps.
    pub(in crate::document) const SOURCE_MAPS: Format = Format {
        name: "sourcemap",
        extensions: &["map"],
        family: RuleFamily::Markup,
        scanner: |options| read(Some(&SOURCE_MAP), JsonSequence::One, options),
        ..JSON
    };

    /// JSON Feed.
    pub(in crate::document) const JSON_FEEDS: Format = Format {
        name: "jsonfeed",
        extensions: &[],
        scanner: |options| read(Some(&JSON_FEED), JsonSequence::One, options),
        ..JSON
    };

    /// Jupyter notebooks.
    pub(in crate::document) const NOTEBOOKS: Format = Format {
        name: "ipynb",
        extensions: &["ipynb"],
        scanner: |options| read(Some(&NOTEBOOK), JsonSequence::One, options),
        ..JSON
    };

    /// Metadata of records of web archives.
    pub(in crate::document) const TRANSFORMATIONS: Format = Format {
        name: "wat",
        extensions: &[],
        family: RuleFamily::Markup,
        scanner: |options| read(Some(&TRANSFORMATION), JsonSequence::One, options),
        ..JSON
    };

    /// HTTP archives.
    pub(in crate::document) const HTTP_ARCHIVES: Format = Format {
        name: "har",
        extensions: &["har"],
        scanner: |options| read(Some(&HTTP_ARCHIVE), JsonSequence::One, options),
        ..JSON
    };

    /// JSON-LD.
    pub(in crate::document) const LINKED_DATA: Format = Format {
        name: "jsonld",
        extensions: &["jsonld"],
        reading: Passes::MaybeTwice,
        scanner: |options| Box::new(LinkedDataScanner::new(options)),
        ..JSON
    };
}

#[cfg(feature = "documents")]
pub(super) use formats::{
    HTTP_ARCHIVES, JSON, JSON_FEEDS, LINES, LINKED_DATA, NOTEBOOKS, RELAXED, SOURCE_MAPS,
    TRANSFORMATIONS, WEB_MANIFESTS,
};
pub(super) use literals::{unescape, unescaped};
#[cfg(feature = "documents")]
pub(crate) use shape::by_shape;
pub(super) use tokenizer::{JsonSequence, JsonToken, JsonTokenizer};
