//! A streaming link extractor and resolver for documents.

pub mod bytes;
pub mod document;
pub mod extractor;
pub mod resolver;
pub mod uri;
