//! `uriscan schema`: print the JSON Schema of a record.

use clap::Args;

use super::message::Error;
use super::{Exit, print};
use crate::output::schema::{SCHEMAS, Schema};

/// What `schema` takes.
#[derive(Args)]
pub struct SchemaArgs {
    /// The record: link, finding, summary, archive or count
    #[arg(value_name = "RECORD", value_parser = schema)]
    pub record: &'static Schema,
}

/// Runs it.
pub(super) fn run(arguments: &SchemaArgs) -> Result<Exit, Error> {
    let mut text = Vec::new();
    (arguments.record.push)(&mut text);
    print(&text)
}

fn schema(name: &str) -> Result<&'static Schema, String> {
    let schema = SCHEMAS.iter().find(|schema| schema.name == name);
    schema.ok_or_else(|| {
        let names: Vec<_> = SCHEMAS.iter().map(|schema| schema.name).collect();
        format!("there are {}", names.join(", "))
    })
}
