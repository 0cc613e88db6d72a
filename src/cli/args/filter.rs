//! Which references are reported.

use clap::Args;
use regex::bytes::{Regex, RegexSet, RegexSetBuilder};

use crate::cli::hint::is_scheme;
use crate::cli::message::Error;
use crate::document::events::Context;
use crate::pipeline::filter::{Filter, Written};

/// Which references are reported.
#[derive(Args)]
#[command(next_help_heading = "Which references")]
pub struct FilterArgs {
    /// Only targets of these schemes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = scheme)]
    pub scheme: Vec<String>,
    /// Only targets that match the regular expression; several: any of them
    #[arg(long, value_name = "RE")]
    pub include: Vec<String>,
    /// No targets that match the regular expression
    #[arg(long, value_name = "RE")]
    pub exclude: Vec<String>,
    /// Only references of these elements
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub element: Vec<String>,
    /// Only references in these contexts
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = context)]
    pub context: Vec<Context>,
    /// Only references that are written as relative ones
    #[arg(long)]
    pub relative: bool,
    /// Only references that are written as absolute ones
    #[arg(long, conflicts_with = "relative")]
    pub absolute: bool,
}

impl FilterArgs {
    /// Which references are reported.
    pub(in crate::cli) fn options(&self) -> Result<Filter, Error> {
        Ok(Filter {
            schemes: self.scheme.clone(),
            include: patterns(&self.include)?,
            exclude: patterns(&self.exclude)?,
            elements: self
                .element
                .iter()
                .map(|name| name.to_ascii_lowercase())
                .collect(),
            contexts: self.context.clone(),
            written: match (self.relative, self.absolute) {
                (true, _) => Written::Relative,
                (_, true) => Written::Absolute,
                _ => Written::Any,
            },
        })
    }
}

fn patterns(patterns: &[String]) -> Result<Option<RegexSet>, Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    for pattern in patterns {
        // The error shows the pattern over several lines; the last of them says why.
        if let Err(error) = Regex::new(pattern) {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            return Err(Error::new(format!("{pattern}: {reason}")));
        }
    }
    let set = RegexSetBuilder::new(patterns).build();
    set.map(Some).map_err(|error| Error::new(error.to_string()))
}

fn scheme(text: &str) -> Result<String, String> {
    if is_scheme(text.as_bytes()) {
        return Ok(text.to_owned());
    }
    let name = text.split(':').next().unwrap_or_default();
    Err(match is_scheme(name.as_bytes()) {
        true => format!("a scheme is only the name before the colon: {name}"),
        false => "a scheme is a name such as https".to_owned(),
    })
}

fn context(name: &str) -> Result<Context, String> {
    let mut rows = Context::NAMES.iter();
    let row = rows.find(|(_, known)| *known == name);
    row.map(|(context, _)| *context).ok_or_else(|| {
        let names: Vec<_> = Context::NAMES.iter().map(|(_, name)| *name).collect();
        format!("there are {}", names.join(", "))
    })
}
