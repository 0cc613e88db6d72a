//! The `uriscan` command.
fn main() {}
