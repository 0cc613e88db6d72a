//! `uriscan parse`: show components, and say what is wrong and where.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::Exit;
use super::lines::{self, Answer};
use super::message::Error;
use super::object::Object;
use crate::output::escape::Escape;
use crate::uri::{
    AuthorityKind, Fault, Grammar, Normalization, Reference, Reference1808, Resolver, Rules,
    normalize, validate,
};

/// What `parse` takes.
#[derive(Args)]
pub struct ParseArgs {
    /// URI references; without any, the lines of standard input
    #[arg(value_name = "URI")]
    pub references: Vec<OsString>,
    /// The rules that they are held against
    #[arg(long, value_name = "RULES", default_value = "rfc3986")]
    pub rules: GrammarArg,
    /// Print one JSON object for each
    #[arg(long)]
    pub json: bool,
}

/// The rules that a reference is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GrammarArg {
    /// RFC 1738: the syntax of the URL's own scheme
    Rfc1738,
    /// RFC 1808 section 2: six components, and nothing is invalid
    Rfc1808,
    /// RFC 2396 Appendix A
    Rfc2396,
    /// RFC 3986 Appendix A
    Rfc3986,
    /// The WHATWG URL standard
    Whatwg,
}

impl GrammarArg {
    /// The grammar; RFC 1808 has none that anything fails.
    fn grammar(self) -> Option<Grammar> {
        match self {
            GrammarArg::Rfc1738 => Some(Grammar::Rfc1738),
            GrammarArg::Rfc1808 => None,
            GrammarArg::Rfc2396 => Some(Grammar::Rfc2396),
            GrammarArg::Rfc3986 => Some(Grammar::Rfc3986),
            GrammarArg::Whatwg => Some(Grammar::Whatwg),
        }
    }

    fn name(self) -> &'static str {
        match self {
            GrammarArg::Rfc1738 => "rfc1738",
            GrammarArg::Rfc1808 => "rfc1808",
            GrammarArg::Rfc2396 => "rfc2396",
            GrammarArg::Rfc3986 => "rfc3986",
            GrammarArg::Whatwg => "whatwg",
        }
    }
}

/// Runs it.
pub(super) fn run(arguments: &ParseArgs) -> Result<Exit, Error> {
    let rules = arguments.rules;
    let escape = lines::escape();
    lines::answer(&arguments.references, |reference, out| {
        let fault = rules
            .grammar()
            .and_then(|grammar| validate(reference, grammar).err());
        let components = components(reference, rules);
        if arguments.json {
            push_object(reference, rules, &components, fault.as_ref(), out);
        } else {
            push_lines(&components, fault.as_ref(), escape, out);
        }
        if fault.is_some() {
            Answer::Bad
        } else {
            Answer::Good
        }
    })
}

/// Names and values; what is undefined has no value.
type Components<'a> = Vec<(&'static str, Option<&'a [u8]>)>;

fn components(reference: &[u8], rules: GrammarArg) -> Components<'_> {
    if rules == GrammarArg::Rfc1808 {
        let parts = Reference1808::split(reference);
        return vec![
            ("scheme", Some(parts.scheme)),
            ("net_loc", Some(parts.net_loc)),
            ("path", Some(parts.path)),
            ("params", Some(parts.params)),
            ("query", Some(parts.query)),
            ("fragment", Some(parts.fragment)),
        ];
    }
    let parts = Reference::split(reference);
    vec![
        ("scheme", parts.scheme),
        ("authority", parts.authority),
        ("path", Some(parts.path)),
        ("query", parts.query),
        ("fragment", parts.fragment),
    ]
}

fn push_lines(
    components: &Components<'_>,
    fault: Option<&Fault>,
    escape: Escape,
    out: &mut Vec<u8>,
) {
    for (name, value) in components {
        if let Some(value) = value {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(if value.is_empty() { b":" } else { b": " });
            escape.push(value, out);
            out.push(b'\n');
        }
    }
    match fault {
        Some(fault) => out.extend_from_slice(format!("invalid: {fault}\n").as_bytes()),
        None => out.extend_from_slice(b"valid\n"),
    }
}

fn push_object(
    reference: &[u8],
    rules: GrammarArg,
    components: &Components<'_>,
    fault: Option<&Fault>,
    out: &mut Vec<u8>,
) {
    let mut object = Object::open("components", out);
    object.text("input", Some(reference));
    object.text("rules", Some(rules.name().as_bytes()));
    for (name, value) in components {
        object.text(name, *value);
    }
    let kind =
        AuthorityKind::of(reference).filter(|_| rules == GrammarArg::Rfc2396 && fault.is_none());
    object
        .truth("valid", fault.is_none())
        .text(
            "fault",
            fault.map(|fault| fault.component().name().as_bytes()),
        )
        .number("fault_at", fault.map(Fault::at))
        .text(
            "message",
            fault.map(Fault::message).as_deref().map(str::as_bytes),
        )
        .text("authority_kind", kind.map(|kind| kind.name().as_bytes()));
    if fault.is_some() {
        object.text("normalized", None);
    } else {
        let (syntax, scheme) = normal_forms(reference, rules);
        object.texts(
            "normalized",
            &[("syntax", syntax.as_deref()), ("scheme", Some(&scheme))],
        );
    }
    object.close();
}

/// RFC 3986 section 6.2.2, for its own rules only; and the normal form that knows the scheme.
fn normal_forms(reference: &[u8], rules: GrammarArg) -> (Option<Vec<u8>>, Vec<u8>) {
    let normal = |form| {
        let mut out = Vec::new();
        normalize(reference, form, &mut out);
        out
    };
    match rules {
        GrammarArg::Rfc3986 => (
            Some(normal(Normalization::Rfc3986Syntax)),
            normal(Normalization::Rfc3986Scheme),
        ),
        GrammarArg::Rfc1738 | GrammarArg::Rfc1808 | GrammarArg::Rfc2396 => {
            (None, normal(Normalization::Rfc2396))
        }
        GrammarArg::Whatwg => {
            let mut href = Vec::new();
            // What is valid resolves without a base.
            let _ = Resolver::without_base(Rules::Whatwg).resolve_into(reference, &mut href);
            (None, href)
        }
    }
}
