//! The `uriscan` command.

use std::process::Termination;

fn main() -> impl Termination {
    uriscan::run_command(std::env::args_os())
}
