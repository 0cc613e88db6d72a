//! The flags, in the groups in which the help shows them; each group becomes the options of one
//! layer.

pub mod audit;
pub mod extract;
pub mod filter;
pub mod output;
pub mod read;
pub mod report;
pub mod resolve;
pub mod walk;
