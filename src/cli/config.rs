//! `uriscan.toml`: flags of `audit` that a project keeps in a file. Its keys are the long names of
//! the flags, and `paths`; what stands on the command line comes behind them and wins.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use clap::Command;
use toml::{Table, Value};

use super::message::Error;

/// The file that is looked for in the current directory.
pub(super) const NAME: &str = "uriscan.toml";

/// What a file adds to the command line.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// Flags, as they would stand on the command line.
    pub(super) flags: Vec<OsString>,
    /// The paths to audit where the command line names none.
    pub(super) paths: Vec<OsString>,
}

/// Flags that a file cannot have.
const NOT_HERE: [&str; 4] = ["config", "no-config", "help", "version"];

/// Reads a file; without one nothing is added, unless it was asked for by name.
pub(super) fn read(path: Option<&Path>, command: &Command) -> Result<Config, Error> {
    let file = path.unwrap_or(Path::new(NAME));
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_none() => {
            return Ok(Config::default());
        }
        Err(error) => return Err(Error::new(format!("{}: {error}", file.display()))),
    };
    parse(&text, command).map_err(|error| Error::new(format!("{}: {error}", file.display())))
}

fn parse(text: &str, command: &Command) -> Result<Config, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let message = error.message().to_owned();
        match error.span() {
            Some(span) => {
                let before = text.get(..span.start).unwrap_or_default();
                format!("line {}: {message}", before.matches('\n').count() + 1)
            }
            None => message,
        }
    })?;
    let mut config = Config::default();
    for (key, value) in &table {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        if key == "paths" {
            for value in values {
                let path = value.as_str().ok_or("`paths` holds strings")?;
                config.paths.push(path.into());
            }
            continue;
        }
        let known = command
            .get_arguments()
            .any(|flag| flag.get_long() == Some(key));
        if !known || NOT_HERE.contains(&key.as_str()) {
            return Err(format!("unknown key `{key}`"));
        }
        for value in values {
            match value {
                Value::Boolean(true) => config.flags.push(format!("--{key}").into()),
                Value::Boolean(false) => {}
                Value::String(text) => config.flags.push(format!("--{key}={text}").into()),
                Value::Integer(number) => config.flags.push(format!("--{key}={number}").into()),
                _ => {
                    return Err(format!(
                        "`{key}` is a string, a number, a boolean, or an array"
                    ));
                }
            }
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn keys_are_flags() {
        let command = Command::new("audit")
            .arg(Arg::new("deny").long("deny"))
            .arg(Arg::new("orphans").long("orphans"));
        for (text, expected) in [
            ("", Ok("")),
            ("deny = \"orphan\"", Ok("--deny=orphan")),
            ("deny = [\"a\", \"b\"]", Ok("--deny=a --deny=b")),
            ("orphans = true", Ok("--orphans")),
            ("orphans = false", Ok("")),
            ("deny = 3", Ok("--deny=3")),
            ("paths = [\"site\"]", Ok("site")),
            ("dney = \"orphan\"", Err("unknown key `dney`")),
            ("config = \"x\"", Err("unknown key `config`")),
            (
                "[deny]\nx = 1",
                Err("`deny` is a string, a number, a boolean, or an array"),
            ),
        ] {
            let got = parse(text, &command).map(|config| {
                let all = config.flags.into_iter().chain(config.paths);
                let all: Vec<_> = all.map(|flag| flag.into_string().unwrap()).collect();
                all.join(" ")
            });
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(got, expected, "{text}");
        }
        let broken = parse("deny = 1\ndeny", &command);
        assert!(broken.unwrap_err().starts_with("line 2: "));
    }
}
