//! `uriscan resolve` and `uriscan parse`: commands that answer line by line. References stand in the
//! arguments or, without any, on standard input.

use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};

use super::args::base::check_scheme;
use super::args::{GrammarArg, ParseArgs, ResolveArgs};
use super::message::{Error, report};
use super::process::{Exit, check_standard_input, standard_output};
use crate::output::escape::Escape;
use crate::output::json::{self, push_bool, push_count, push_key, push_string, push_text};
use crate::uri::{
    AuthorityKind, Fault, Grammar, Normalization, Reference, Reference1808, Resolver, Rules,
    normalize, validate,
};

/// Runs `uriscan resolve`: resolves each reference.
pub(super) fn resolve(arguments: &ResolveArgs) -> Result<Exit, Error> {
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
    let mut resolver = Resolver::without_base(rules);
    if !base.is_empty() {
        rebase(&mut resolver, base).map_err(|reason| {
            Error::new(format!(
                "--base: {reason}: {}",
                String::from_utf8_lossy(base)
            ))
        })?;
    }
    let mut line_resolver = Resolver::without_base(rules);
    let mut target = Vec::new();
    let escape = line_escape();
    answer(&arguments.references, |line, out| {
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
            Some(base) => {
                let fault = rebase(&mut line_resolver, base).err();
                question.answer(&line_resolver, fault, &mut target, out)
            }
            None => question.answer(&resolver, None, &mut target, out),
        }
    })
}

/// Gives a resolver another base; none where the base is invalid.
fn rebase(resolver: &mut Resolver, base: &[u8]) -> Result<(), String> {
    check_scheme(base)
        .and_then(|()| resolver.rebase(base).map_err(|error| error.to_string()))
        .inspect_err(|_| *resolver = Resolver::without_base(resolver.rules()))
}

/// A reference to resolve.
struct Question<'a> {
    reference: &'a [u8],
    rules: Rules,
    json: bool,
    escape: Escape,
}

impl Question<'_> {
    /// Appends the target or the object. `fault` is the reason why the resolver has no base.
    fn answer(
        &self,
        resolver: &Resolver,
        fault: Option<String>,
        target: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Answer {
        target.clear();
        let result = resolver.resolve_into(self.reference, target);
        let found = result.as_ref().ok();
        if self.json {
            let base = resolver.base();
            let base = base.filter(|_| found.is_none_or(|resolved| resolved.inherits_base()));
            let is_same = found.is_some_and(|resolved| resolved.same_document());
            let error = result.as_ref().err().map(|error| error.kind().name());
            json::open("resolution", out);
            push_text("reference", Some(self.reference), out);
            push_text("target", found.map(|_| &target[..]), out);
            push_bool("same_document", is_same, out);
            push_text("base", base, out);
            push_text("rules", Some(self.rules.name().as_bytes()), out);
            push_text("error", error.map(str::as_bytes), out);
            out.extend_from_slice(b"}\n");
        } else {
            self.escape.push(target, out);
            out.push(b'\n');
        }
        let Err(error) = result else {
            return Answer::Good;
        };
        let reference = String::from_utf8_lossy(self.reference);
        match fault {
            Some(fault) => report(&format!("{reference}: {error}: {fault}")),
            None => report(&format!("{reference}: {error}")),
        }
        Answer::Bad
    }
}

/// Runs `uriscan parse`: shows components, and says what is wrong and where.
pub(super) fn parse(arguments: &ParseArgs) -> Result<Exit, Error> {
    let rules = arguments.rules;
    let escape = line_escape();
    answer(&arguments.references, |reference, out| {
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

/// The names and values of components; an undefined one has no value.
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
    json::open("components", out);
    push_text("input", Some(reference), out);
    push_text("rules", Some(rules.name().as_bytes()), out);
    for (name, value) in components {
        push_text(name, *value, out);
    }
    push_bool("valid", fault.is_none(), out);
    let component = fault.map(|fault| fault.component().name());
    push_text("fault", component.map(str::as_bytes), out);
    match fault {
        Some(fault) => push_count("fault_at", fault.at() as u64, out),
        None => push_text("fault_at", None, out),
    }
    let message = fault.map(Fault::message);
    push_text("message", message.as_deref().map(str::as_bytes), out);
    let kind =
        AuthorityKind::of(reference).filter(|_| rules == GrammarArg::Rfc2396 && fault.is_none());
    push_text(
        "authority_kind",
        kind.map(|kind| kind.name().as_bytes()),
        out,
    );
    if fault.is_some() {
        push_text("normalized", None, out);
    } else {
        let (syntax, scheme) = normal_forms(reference, rules);
        push_key("normalized", out);
        out.extend_from_slice(b"{\"syntax\":");
        match syntax {
            Some(syntax) => push_string(&syntax, out),
            None => out.extend_from_slice(b"null"),
        }
        push_text("scheme", Some(&scheme), out);
        out.push(b'}');
    }
    out.extend_from_slice(b"}\n");
}

/// Returns the syntax-based normal form (RFC 3986 section 6.2.2, for RFC 3986 only), and the
/// scheme-based one.
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
            // A valid URL resolves without a base.
            let _ = Resolver::without_base(Rules::Whatwg).resolve_into(reference, &mut href);
            (None, href)
        }
    }
}

impl GrammarArg {
    /// Returns the grammar; none for RFC 1808, by which everything is valid.
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

/// Whether a reference resolves, or is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Good,
    Bad,
}

/// Returns the characters to escape on standard output: all control characters on a terminal; line
/// breaks elsewhere, so that each answer is one line.
fn line_escape() -> Escape {
    match io::stdout().is_terminal() {
        true => Escape::Controls,
        false => Escape::LineBreaks,
    }
}

/// Output is buffered up to this many bytes.
const BUFFER: usize = 64 * 1024;

/// Answers every question, in order; without any, the lines of standard input.
fn answer(
    questions: &[OsString],
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Answer,
) -> Result<Exit, Error> {
    let mut answers = Answers::default();
    let result = if questions.is_empty() {
        answer_lines(&mut answers, answer)
    } else {
        let mut questions = questions.iter().map(|question| question.as_encoded_bytes());
        questions.try_for_each(|question| answers.add(0, |out| answer(question, out)))
    };
    match result.and_then(|()| answers.write()) {
        // A closed pipe is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Found),
        Err(error) => Err(Error::new(format!("cannot go on: {error}"))),
        Ok(()) if answers.bad + answers.good == 0 || answers.bad > 0 => Ok(Exit::Nothing),
        Ok(()) => Ok(Exit::Found),
    }
}

fn answer_lines(
    answers: &mut Answers,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> Answer,
) -> io::Result<()> {
    check_standard_input()?;
    let mut input = io::stdin().lock();
    // On a terminal each answer is written before the next question is read.
    let buffer = if input.is_terminal() { 0 } else { BUFFER };
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        answers.add(buffer, |out| answer(text, out))?;
        line.clear();
    }
    Ok(())
}

/// Buffered answers, and the numbers of all answers.
#[derive(Default)]
struct Answers {
    out: Vec<u8>,
    good: u64,
    bad: u64,
}

impl Answers {
    fn add(
        &mut self,
        buffer: usize,
        answer: impl FnOnce(&mut Vec<u8>) -> Answer,
    ) -> io::Result<()> {
        match answer(&mut self.out) {
            Answer::Good => self.good += 1,
            Answer::Bad => self.bad += 1,
        }
        if self.out.len() > buffer {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let mut stdout = standard_output()?;
        stdout.write_all(&self.out)?;
        self.out.clear();
        stdout.flush()
    }
}
