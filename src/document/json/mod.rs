//! JSON: references in documents of known kinds, and in any other; the tokenizer serves the scripts of
//! HTML too.
#![doc = include_str!("rules.md")]

#[cfg(feature = "documents")]
mod formats;
#[cfg(feature = "documents")]
mod http_archive;
#[cfg(feature = "documents")]
mod kinds;
#[cfg(feature = "documents")]
mod linked_data;
mod literals;
#[cfg(feature = "documents")]
mod notebook;
#[cfg(feature = "documents")]
mod path;
#[cfg(feature = "documents")]
mod reader;
mod tokenizer;

#[cfg(feature = "documents")]
pub(super) use formats::FORMATS;
#[cfg(feature = "documents")]
pub(crate) use formats::by_shape;
pub(super) use literals::{is_address, unescape, unescaped};
pub(super) use tokenizer::{JsonToken, JsonTokenizer};
