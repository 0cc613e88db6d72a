//! Mail and news archives.

mod run;
mod vectors;
