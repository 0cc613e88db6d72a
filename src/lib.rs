//! A streaming link extractor and resolver for documents.
