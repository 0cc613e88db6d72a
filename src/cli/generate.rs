//! The man page and the completions of shells, made from the flags.

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::Cli;
use super::message::Error;

/// What `--generate` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The man page
    Man,
    /// Completions for bash
    CompleteBash,
    /// Completions for zsh
    CompleteZsh,
    /// Completions for fish
    CompleteFish,
    /// Completions for PowerShell
    CompletePowershell,
}

/// Makes it.
pub(super) fn generate(kind: Kind) -> Result<Vec<u8>, Error> {
    let mut command = Cli::command();
    let mut out = Vec::new();
    let shell = match kind {
        Kind::Man => {
            let page = clap_mangen::Man::new(command);
            page.render(&mut out)
                .map_err(|error| Error::new(error.to_string()))?;
            return Ok(out);
        }
        Kind::CompleteBash => Shell::Bash,
        Kind::CompleteZsh => Shell::Zsh,
        Kind::CompleteFish => Shell::Fish,
        Kind::CompletePowershell => Shell::PowerShell,
    };
    clap_complete::generate(shell, &mut command, "uriscan", &mut out);
    Ok(out)
}
