//! A streaming link extractor and resolver for documents.

pub mod bytes;
pub mod uri;
