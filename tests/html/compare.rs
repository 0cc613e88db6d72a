//! Readable differences between two lists of references.

use super::oracle::{Expected, Options};

/// The parts of references that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// References, elements, attributes, flags.
    References,
    /// The same, and the targets.
    Targets,
}

/// Formats a reference as a line. The group is not compared: the library has none.
fn line(compared: Compared, one: &Expected) -> String {
    let mut line = format!(
        "{}@{} {:?}",
        one.element,
        one.attribute,
        String::from_utf8_lossy(&one.reference)
    );
    if compared == Compared::Targets {
        let target = one.target.as_deref().unwrap_or("(none)");
        line += &format!(" -> {target}");
    }
    if one.inert {
        line += " inert";
    }
    if let Some(via) = one.via {
        line += &format!(" via {via}");
    }
    line
}

/// Formats both lists from the first difference on; none if there is no difference.
pub(crate) fn differences(
    compared: Compared,
    expected: &[Expected],
    got: &[Expected],
) -> Option<String> {
    let lines =
        |list: &[Expected]| -> Vec<String> { list.iter().map(|one| line(compared, one)).collect() };
    let (expected, got) = (lines(expected), lines(got));
    if expected == got {
        return None;
    }
    let same = expected
        .iter()
        .zip(&got)
        .take_while(|(one, other)| one == other)
        .count();
    let mut text = format!("    {same} references agree, then\n");
    for (name, list) in [("expected", &expected), ("got", &got)] {
        let rest = &list[same..];
        text += &format!("    {name}: {} more\n", rest.len());
        for line in rest.iter().take(8) {
            text += &format!("        {line}\n");
        }
    }
    Some(text)
}

/// Formats a failure with its input.
pub(crate) fn report(title: &str, html: &[u8], options: &Options, difference: &str) -> String {
    let input = match std::str::from_utf8(html) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("b\"{}\"", html.escape_ascii()),
    };
    let mut names = Vec::new();
    names.extend(options.extended.then(|| "extended".to_owned()));
    names.extend(options.scripting.then(|| "scripting".to_owned()));
    names.extend(options.transport_charset.clone());
    names.extend(options.document_uri.clone());
    format!(
        "{title}\n    input: {input}\n    options: {}\n{difference}",
        names.join(", ")
    )
}
