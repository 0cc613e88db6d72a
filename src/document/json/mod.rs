//! JSON: the tokenizer that serves the scripts of HTML.

mod tokenizer;

pub(super) use tokenizer::{JsonContainer, JsonSequence, JsonToken, JsonTokenizer, unescape};
