//! The `uriscan` command.

fn main() -> uriscan::cli::Exit {
    uriscan::cli::main(std::env::args_os())
}
