//! `--explain`: what a rule, a diagnostic code or a flag means.

use super::message::Error;
use super::{Exit, print};
use crate::audit::explain::RULES;
use crate::audit::rules;
use crate::document::explain::{CODES, Explanation, FLAGS};

/// Prints the explanation of a name.
pub(super) fn run(name: &str) -> Result<Exit, Error> {
    let tables = [("rule", RULES), ("diagnostic", CODES), ("flag", FLAGS)];
    let found = tables.iter().find_map(|(kind, rows)| {
        let row = rows.iter().find(|row| row.name.eq_ignore_ascii_case(name));
        row.map(|row| (*kind, row))
    });
    match found {
        Some((kind, row)) => print(text(kind, row).as_bytes()),
        None => Err(Error::new(unknown(name, &tables))),
    }
}

fn text(kind: &str, row: &Explanation) -> String {
    let level = rules::RULES.iter().find(|rule| rule.name == row.name);
    let level = level.map_or_else(String::new, |rule| {
        format!(", {} by default", rule.level.name())
    });
    let (name, meaning, why, example) = (row.name, row.meaning, row.why, row.example);
    let allow = row.allow.replace("FLAG", name);
    format!(
        "{name} ({kind}{level})\n\n{meaning}\n\n\
         Why it matters: {why}\n\n\
         Example:\n    {example}\n\n\
         To allow it: {allow}\n"
    )
}

fn unknown(name: &str, tables: &[(&str, &[Explanation])]) -> String {
    let all = tables.iter().flat_map(|(_, rows)| rows.iter());
    if let Some(near) = super::hint::nearest(name, all.map(|row| row.name)) {
        return format!("--explain: there is no {name}; did you mean {near}?");
    }
    let lists = tables.iter().map(|(kind, rows)| {
        let names: Vec<_> = rows.iter().map(|row| row.name).collect();
        format!("{kind}s: {}", names.join(", "))
    });
    let lists: Vec<_> = lists.collect();
    format!("--explain: there is no {name}; {}", lists.join("; "))
}
