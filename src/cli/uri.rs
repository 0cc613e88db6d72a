//! `uriscan resolve` and `uriscan parse`: commands that answer line by line. References are the
//! arguments or, without any, the lines of standard input.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};

use clap::ValueEnum;

use super::args::base::check_scheme;
use super::args::{ParseArgs, ResolveArgs};
use super::message::{Result, report};
use super::process::{Exit, check_standard_input, standard_output};
use crate::output::escape::Escape;
use crate::output::json::{self, push_bool, push_key, push_member, push_number, push_text};
use crate::uri::{
    AuthorityKind, Fault, Grammar, Normalization, Reference, Reference1808, Resolver, Rules,
    normalize, validate,
};

/// Runs `uriscan resolve`: resolves each reference.
pub(super) fn resolve(arguments: &ResolveArgs) -> Result<Exit> {
    let rules = arguments.rules;
    let Some(rules) = rules.rules(arguments.excess_dots, arguments.same_scheme) else {
        let rules = "whatwg, rfc3986, rfc2396 or rfc1808";
        let reason = "--rules auto needs a document";
        return Err(format!("{reason}; possible values: {rules}").into());
    };
    let base = arguments.base.as_deref().unwrap_or_default();
    let base = base.as_encoded_bytes();
    let mut resolver = Resolver::without_base(rules);
    if !base.is_empty() {
        rebase(&mut resolver, base)
            .map_err(|reason| format!("--base: {reason}: {}", String::from_utf8_lossy(base)))?;
    }
    let mut line_resolver = Resolver::without_base(rules);
    let mut target = Vec::new();
    let escape = line_escape();
    let end = if arguments.null { 0 } else { b'\n' };
    answer(&arguments.references, end, |line, out| {
        let tab = memchr::memchr(b'\t', line).filter(|_| arguments.tab);
        let reference = &line[..tab.unwrap_or(line.len())];
        let fault = tab.and_then(|tab| rebase(&mut line_resolver, &line[tab + 1..]).err());
        let resolver = tab.map_or(&resolver, |_| &line_resolver);
        target.clear();
        let result = resolver.resolve_into(reference, &mut target);
        if arguments.json {
            let found = result.as_ref().ok();
            let base = resolver.base();
            let base = base.filter(|_| found.is_none_or(|resolved| resolved.inherits_base()));
            let is_same = found.is_some_and(|resolved| resolved.same_document());
            let error = result.as_ref().err().map(|error| error.kind().name());
            json::open("resolution", out);
            push_text("reference", Some(reference), out);
            push_text("target", found.map(|_| &target[..]), out);
            push_bool("same_document", is_same, out);
            push_text("base", base, out);
            push_member("rules", rules.name(), out);
            push_text("error", error.map(str::as_bytes), out);
            out.extend_from_slice(b"}\n");
        } else {
            escape.push(&target, out);
            out.push(b'\n');
        }
        if let Err(error) = &result {
            let reference = String::from_utf8_lossy(reference);
            let fault = fault.map_or(String::new(), |fault| format!(": {fault}"));
            report(&format!("{reference}: {error}{fault}"));
        }
        result.is_ok()
    })
}

/// Gives a resolver another base, or removes it if the base is invalid.
fn rebase(resolver: &mut Resolver, base: &[u8]) -> Result<(), String> {
    check_scheme(base)
        .and_then(|()| resolver.rebase(base).map_err(|error| error.to_string()))
        .inspect_err(|_| *resolver = Resolver::without_base(resolver.rules()))
}

/// Runs `uriscan parse`: shows components, and the leftmost fault.
pub(super) fn parse(arguments: &ParseArgs) -> Result<Exit> {
    let rules = arguments.rules;
    let escape = line_escape();
    answer(&arguments.references, b'\n', |reference, out| {
        let fault = validate(reference, rules).err();
        let components = components(reference, rules);
        if arguments.json {
            push_object(reference, rules, &components, fault.as_ref(), out);
        } else {
            push_lines(&components, fault.as_ref(), escape, out);
        }
        fault.is_none()
    })
}

/// The names and values of components; an undefined one has no value.
type Components<'a> = Vec<(&'static str, Option<&'a [u8]>)>;

fn components(reference: &[u8], rules: Grammar) -> Components<'_> {
    if rules == Grammar::Rfc1808 {
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

fn push_lines(parts: &Components<'_>, fault: Option<&Fault>, escape: Escape, out: &mut Vec<u8>) {
    for (name, value) in parts {
        if let Some(value) = value {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(if value.is_empty() { b":" } else { b": " });
            escape.push(value, out);
            out.push(b'\n');
        }
    }
    let verdict = fault.map_or("valid\n".to_owned(), |fault| format!("invalid: {fault}\n"));
    out.extend_from_slice(verdict.as_bytes());
}

fn push_object(
    reference: &[u8],
    rules: Grammar,
    components: &Components<'_>,
    fault: Option<&Fault>,
    out: &mut Vec<u8>,
) {
    json::open("components", out);
    push_text("input", Some(reference), out);
    let name = rules.to_possible_value();
    let name = name.as_ref().map(|name| name.get_name().as_bytes());
    push_text("rules", name, out);
    for (name, value) in components {
        push_text(name, *value, out);
    }
    push_bool("valid", fault.is_none(), out);
    let component = fault.map(|fault| fault.component().name().as_bytes());
    push_text("fault", component, out);
    push_number("fault_at", fault.map(|fault| fault.at() as u64), out);
    let message = fault.map(Fault::message);
    push_text("message", message.as_deref().map(str::as_bytes), out);
    let has_kind = rules == Grammar::Rfc2396 && fault.is_none();
    let kind = AuthorityKind::of(reference).filter(|_| has_kind);
    let kind = kind.map(|kind| kind.name().as_bytes());
    push_text("authority_kind", kind, out);
    if fault.is_some() {
        push_text("normalized", None, out);
    } else {
        let (syntax, scheme) = normal_forms(reference, rules);
        push_key("normalized", out);
        let start = out.len();
        push_text("syntax", syntax.as_deref(), out);
        // The first member has no comma before it.
        out[start] = b'{';
        push_text("scheme", Some(&scheme), out);
        out.push(b'}');
    }
    out.extend_from_slice(b"}\n");
}

/// Returns the syntax-based normal form (RFC 3986 section 6.2.2, for RFC 3986 only), and the
/// scheme-based one.
fn normal_forms(reference: &[u8], rules: Grammar) -> (Option<Vec<u8>>, Vec<u8>) {
    let (mut syntax, mut scheme) = (None, Vec::new());
    match rules {
        Grammar::Rfc3986 => {
            let out = syntax.insert(Vec::new());
            normalize(reference, Normalization::Rfc3986Syntax, out);
            normalize(reference, Normalization::Rfc3986Scheme, &mut scheme);
        }
        Grammar::Rfc1738 | Grammar::Rfc1808 | Grammar::Rfc2396 => {
            normalize(reference, Normalization::Rfc2396, &mut scheme);
        }
        Grammar::Whatwg => {
            // A valid URL resolves without a base.
            let _ = Resolver::without_base(Rules::Whatwg).resolve_into(reference, &mut scheme);
        }
    }
    (syntax, scheme)
}

/// Returns the escape for standard output: control characters on a terminal, elsewhere line breaks.
fn line_escape() -> Escape {
    if io::stdout().is_terminal() {
        return Escape::Controls;
    }
    Escape::LineBreaks
}

/// Output is buffered up to this many bytes.
const BUFFER: usize = 64 * 1024;

/// Answers every question, in order; without any, those of standard input, which end in a byte. `answer` appends
/// an answer and returns whether the reference resolves, or is valid.
fn answer(
    questions: &[OsString],
    end: u8,
    mut answer: impl FnMut(&[u8], &mut Vec<u8>) -> bool,
) -> Result<Exit> {
    let (mut out, mut good, mut bad) = (Vec::new(), 0, 0);
    // Answers a question, and writes the answers when there are more than `buffer` bytes.
    let mut ask = |question: &[u8], buffer: usize| {
        let is_good = answer(question, &mut out);
        *(if is_good { &mut good } else { &mut bad }) += 1;
        if out.len() <= buffer {
            return Ok(());
        }
        write(&mut out)
    };
    let asked = if questions.is_empty() {
        ask_input(end, &mut ask)
    } else {
        let mut questions = questions.iter();
        questions.try_for_each(|question| ask(question.as_encoded_bytes(), 0))
    };
    match asked.and_then(|()| write(&mut out)) {
        // A closed pipe is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Found),
        Err(error) => Err(format!("cannot continue: {error}").into()),
        Ok(()) if good == 0 || bad > 0 => Ok(Exit::Nothing),
        Ok(()) => Ok(Exit::Found),
    }
}

fn ask_input(end: u8, ask: &mut impl FnMut(&[u8], usize) -> io::Result<()>) -> io::Result<()> {
    check_standard_input()?;
    let mut input = io::stdin().lock();
    // On a terminal each answer is written before the next question is read.
    let buffer = if input.is_terminal() { 0 } else { BUFFER };
    let mut line = Vec::new();
    while input.read_until(end, &mut line)? > 0 {
        let text = line.strip_suffix(&[end]).unwrap_or(&line);
        let bare = text.strip_suffix(b"\r").filter(|_| end == b'\n');
        ask(bare.unwrap_or(text), buffer)?;
        line.clear();
    }
    Ok(())
}

fn write(out: &mut Vec<u8>) -> io::Result<()> {
    let mut stdout = standard_output()?;
    stdout.write_all(out)?;
    out.clear();
    stdout.flush()
}
