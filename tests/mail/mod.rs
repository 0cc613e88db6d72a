//! Mail and news archives.

// Small archives, one for each rule.
mod archives;
// Text in legacy charsets.
mod charsets;
// Archives with changed, missing and repeated bytes.
mod damage;
// A comparison with the crate `mailparse`.
pub(crate) mod differential;
// Mailboxes split into pieces.
mod pieces;
pub(crate) mod run;
// Archives of any size.
mod stream;
// The cases of `tests/vectors/mail/`.
mod vectors;
