//! Layer 2: decoders from bytes to bytes, below all formats.
//!
//! | module | decodes | named by |
//! | --- | --- | --- |
//! | [`charset`] | character encodings, to UTF-8 | labels, byte order marks, guesses |
//! | [`transfer`] | the transfer encodings of MIME | `Content-Transfer-Encoding` |
//! | [`compression`] | gzip, zstd, bzip2, xz, compress | the first bytes |

pub mod charset;
pub mod compression;
pub(crate) mod offset_map;
pub(crate) mod transfer;
