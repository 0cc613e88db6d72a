//! What `extract` takes.

use std::path::PathBuf;

use clap::Args;

use super::filter::FilterArgs;
use super::output::OutputArgs;
use super::read::ReadArgs;
use super::report::ReportArgs;
use super::resolve::BaseArgs;
use super::walk::WalkArgs;

/// What `extract` takes.
#[derive(Args)]
pub struct ExtractArgs {
    /// Files and directories; `-` is standard input
    ///
    /// Without any, standard input is read if it is a pipe or a file, and the current directory if
    /// it is a terminal.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which files are read.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// How they are read.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What references are resolved against.
    #[command(flatten)]
    pub base: BaseArgs,
    /// Which references are reported.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What is reported of them.
    #[command(flatten)]
    pub report: ReportArgs,
    /// What comes out.
    #[command(flatten)]
    pub output: OutputArgs,
}
