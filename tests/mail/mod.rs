//! Mail and news archives.

// Text in legacy charsets.
mod charsets;
// Bytes changed, left out, repeated.
mod damage;
// Another reader of mail.
pub(crate) mod differential;
// Archives that several workers share.
mod pieces;
pub(crate) mod run;
// Small archives, one for each rule.
mod stories;
// Archives of any size.
mod stream;
// The cases of `tests/vectors/mail/`.
mod vectors;
