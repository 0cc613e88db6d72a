//! `uriscan resolve`: resolve references.

use std::ffi::OsString;

use clap::Args;

use super::Exit;
use super::args::resolve::{ExcessDotsArg, RulesArg, SameSchemeArg};
use super::lines::{self, Answer};
use super::message::{self, Error};
use super::object::Object;
use crate::output::escape::Escape;
use crate::uri::{BaseError, Resolver, Rules};

/// What `resolve` takes.
#[derive(Args)]
pub struct ResolveArgs {
    /// References; without any, the lines of standard input
    #[arg(value_name = "REF")]
    pub references: Vec<OsString>,
    /// The base; without one only references that need none resolve
    #[arg(
        long,
        value_name = "URI",
        default_value = "",
        hide_default_value = true
    )]
    pub base: OsString,
    /// The rules of resolution, to the letter
    #[arg(long, value_name = "RULES", default_value = "rfc3986")]
    pub rules: RulesArg,
    /// rfc2396: what becomes of `..` above the root (section 5.2 step 6g)
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub excess_dots: ExcessDotsArg,
    /// Is `http:g` absolute, or relative to an http base (RFC 3986 section 5.2.2)
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub same_scheme: SameSchemeArg,
    /// Lines of standard input may hold a reference, a tab and its base
    #[arg(long, conflicts_with = "references")]
    pub tab: bool,
    /// Print one JSON object for each reference
    #[arg(long)]
    pub json: bool,
}

/// Runs it.
pub(super) fn run(arguments: &ResolveArgs) -> Result<Exit, Error> {
    let Some(rules) = arguments
        .rules
        .rules(arguments.excess_dots, arguments.same_scheme)
    else {
        let rules = "whatwg, rfc3986, rfc2396 or rfc1808";
        return Err(Error::new(format!(
            "--rules auto goes by the document, and here is none: there are {rules}"
        )));
    };
    let base = arguments.base.as_encoded_bytes();
    let resolver = match base {
        [] => Resolver::without_base(rules),
        _ => Resolver::new(base, rules).map_err(|error| {
            Error::new(format!(
                "--base: {error}: {}",
                String::from_utf8_lossy(base)
            ))
        })?,
    };
    let mut other = Resolver::without_base(rules);
    let mut target = Vec::new();
    let escape = lines::escape();
    lines::answer(&arguments.references, |line, out| {
        let (reference, base) = match memchr::memchr(b'\t', line).filter(|_| arguments.tab) {
            Some(at) => (&line[..at], Some(&line[at + 1..])),
            None => (line, None),
        };
        let question = Question {
            reference,
            rules,
            json: arguments.json,
            escape,
        };
        match base {
            Some(base) => match other.rebase(base) {
                Ok(()) => question.answer(&other, None, &mut target, out),
                Err(error) => question.answer(&other, Some(error), &mut target, out),
            },
            None => question.answer(&resolver, None, &mut target, out),
        }
    })
}

/// A reference to resolve.
struct Question<'a> {
    reference: &'a [u8],
    rules: Rules,
    json: bool,
    escape: Escape,
}

impl Question<'_> {
    /// Writes the target; `fault` is what was wrong with the base, if the resolver has none for that.
    fn answer(
        &self,
        resolver: &Resolver,
        fault: Option<BaseError>,
        target: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Answer {
        target.clear();
        let result = resolver.resolve_into(self.reference, target);
        let found = result.as_ref().ok();
        if self.json {
            Object::open("resolution", out)
                .text("reference", Some(self.reference))
                .text("target", found.map(|_| &target[..]))
                .truth(
                    "same_document",
                    found.is_some_and(|resolved| resolved.same_document()),
                )
                .text(
                    "base",
                    resolver
                        .base()
                        .filter(|_| found.is_none_or(|resolved| resolved.inherits_base())),
                )
                .text("rules", Some(self.rules.name().as_bytes()))
                .text(
                    "error",
                    result
                        .as_ref()
                        .err()
                        .map(|error| error.kind().name().as_bytes()),
                )
                .close();
        } else {
            self.escape.push(target, out);
            out.push(b'\n');
        }
        let Err(error) = result else {
            return Answer::Good;
        };
        let reference = String::from_utf8_lossy(self.reference);
        match fault {
            Some(fault) => message::tell(&format!("{reference}: {error}: {fault}")),
            None => message::tell(&format!("{reference}: {error}")),
        }
        Answer::Bad
    }
}
